// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype.hpp"

#include "mpi/call.hpp"

namespace weft::mpi {

namespace {

/// Several types at byte displacements, as one.
datatype joined(const std::vector<datatype>& parts, const std::vector<MPI_Aint>& displacements) {
  std::vector<int> ones(parts.size(), 1);
  std::vector<MPI_Datatype> types;
  types.reserve(parts.size());
  for (const auto& part : parts) types.push_back(part.get());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check(MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), displacements.data(), types.data(), &made),
        "MPI_Type_create_struct");
  return datatype::owned(made);
}

/// `count` copies of `inner`, `stride` bytes apart.
datatype repeated(const datatype& inner, integer count, integer stride, integer limit) {
  if (count <= limit) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_create_hvector(static_cast<int>(count), 1, static_cast<MPI_Aint>(stride), inner.get(), &made),
          "MPI_Type_create_hvector");
    return datatype::owned(made);
  }
  const integer groups = count / limit, rest = count % limit;
  const datatype group = repeated(inner, limit, stride, limit);
  std::vector<datatype> parts;
  std::vector<MPI_Aint> displacements{0};
  parts.push_back(repeated(group, groups, stride * limit, limit));
  if (rest > 0) {
    parts.push_back(repeated(inner, rest, stride, limit));
    displacements.push_back(static_cast<MPI_Aint>(stride * limit * groups));
  }
  return joined(parts, displacements);
}

}  // namespace

datatype::~datatype() {
  if (owned_ && alive()) MPI_Type_free(&type_);
}

datatype element_type(std::size_t bytes) {
  // Named types of the usual sizes let MPI use its fastest copies; only the size matters.
  switch (bytes) {
    case 1: return datatype::predefined(MPI_BYTE);
    case 4: return datatype::predefined(MPI_FLOAT);
    case 8: return datatype::predefined(MPI_DOUBLE);
    case 16: return datatype::predefined(MPI_C_DOUBLE_COMPLEX);
    default: break;
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made), "MPI_Type_contiguous");
  check(MPI_Type_commit(&made), "MPI_Type_commit");
  return datatype::owned(made);
}

datatype strided_type(const datatype& element, std::size_t element_bytes,
                      const std::vector<std::vector<strided_run>>& axes, integer count_limit) {
  datatype built = datatype::predefined(element.get());
  integer dense = static_cast<integer>(element_bytes);  // bytes of `built` if it is gapless, else 0
  for (std::size_t l = axes.size(); l-- > 0;) {
    const auto& runs = axes[l];
    if (runs.size() == 1 && runs[0].count == 1 && runs[0].offset == 0) continue;
    const bool one_dense_run = runs.size() == 1 && runs[0].stride == dense;
    std::vector<datatype> parts;
    std::vector<MPI_Aint> displacements;
    for (const auto& run : runs) {
      parts.push_back(repeated(built, run.count, run.stride, count_limit));
      displacements.push_back(static_cast<MPI_Aint>(run.offset));
    }
    dense = one_dense_run ? dense * runs[0].count : 0;
    built = parts.size() == 1 && displacements[0] == 0 ? std::move(parts[0]) : joined(parts, displacements);
  }
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  check(MPI_Type_dup(built.get(), &handle), "MPI_Type_dup");
  check(MPI_Type_commit(&handle), "MPI_Type_commit");
  return datatype::owned(handle);
}

datatype block_type(const datatype& element, std::size_t element_bytes, integer offset, integer count,
                    integer count_limit) {
  return strided_type(element, element_bytes, {{{offset, count, static_cast<integer>(element_bytes)}}}, count_limit);
}

}  // namespace weft::mpi
