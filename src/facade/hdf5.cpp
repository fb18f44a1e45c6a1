// SPDX-License-Identifier: BSD-3-Clause
#include "facade/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/error.hpp"

namespace weft::facade {

namespace {

/// What HDF5 numbers, closed at the end.
class handle {
 public:
  handle(hid_t id, herr_t (*by)(hid_t)) : id_(id), close_(by) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  handle& operator=(handle&&) = delete;
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Whether that went well.
  [[nodiscard]] bool close() { return id_ >= 0 && close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The library never prints, but HDF5 would.
class silence {
 public:
  silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// In memory, which HDF5 converts to and from.
handle element_type_of(const stored_array& what) {
  const bool single = what.element == precision::f32;
  const hid_t real = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  if (!what.complex) return {H5Tcopy(real), H5Tclose};
  handle both(H5Tcreate(H5T_COMPOUND, complex_bytes(what.element)), H5Tclose);
  H5Tinsert(both.get(), "r", 0, real);
  H5Tinsert(both.get(), "i", real_bytes(what.element), real);
  return both;
}

std::vector<hsize_t> dimensions_of(const stored_array& what) {
  std::vector<hsize_t> all;
  if (what.batch > 1) all.push_back(static_cast<hsize_t>(what.batch));
  for (const integer n : what.shape) all.push_back(static_cast<hsize_t>(n));
  return all;
}

handle space_of(const std::vector<hsize_t>& dimensions) {
  return {H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose};
}

handle opened_by_all(const mpi::communicator& on) {
  handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_mpio(access.get(), on.get(), MPI_INFO_NULL);
  return access;
}

bool add_numbers(hid_t to, const char* name, const std::vector<long long>& numbers) {
  const std::vector<hsize_t> count{numbers.size()};
  const handle space = space_of(count);
  const handle made(H5Acreate2(to, name, H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return made && H5Awrite(made.get(), H5T_NATIVE_LLONG, numbers.data()) >= 0;
}

bool add_text(hid_t to, const char* name, const std::string& text) {
  const handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const handle made(H5Acreate2(to, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return made && H5Awrite(made.get(), type.get(), text.c_str()) >= 0;
}

bool add_attributes(hid_t data, const stored_array& what) {
  return add_numbers(data, "shape", {what.shape.begin(), what.shape.end()}) &&
         add_numbers(data, "batch", {what.batch}) && add_text(data, "distribution", what.distribution);
}

/// Parts of the dataset and of memory, for calls that all ranks make together, in `rounds` slices of the longest axis.
class part_mover {
 public:
  part_mover(hid_t data, const file_part& part)
      : data_(data),
        part_(part),
        type_(element_type_of(part.what)),
        how_(H5Pcreate(H5P_DATASET_XFER), H5Pclose),
        along_(static_cast<std::size_t>(std::ranges::max_element(part.extent) - part.extent.begin())) {
    H5Pset_dxpl_mpio(how_.get(), H5FD_MPIO_COLLECTIVE);
  }

  /// All of array `number`; `memory` has it.
  bool move(integer number, std::byte* memory, bool writes) const {
    bool good = true;
    for (integer r = 0; r < part_.rounds; ++r) good = move_slice(number, r, memory, writes) && good;
    return good;
  }

 private:
  bool move_slice(integer number, integer round, std::byte* memory, bool writes) const {
    const integer whole = part_.extent[along_];
    const integer begin = whole * round / part_.rounds, end = whole * (round + 1) / part_.rounds;
    std::vector<hsize_t> start, count, here_start, here_all;
    if (part_.what.batch > 1) {
      start.push_back(static_cast<hsize_t>(number));
      here_start.push_back(0);
      here_all.push_back(1);
      count.push_back(1);
    }
    for (std::size_t l = 0; l < part_.extent.size(); ++l) {
      const integer skipped = l == along_ ? begin : 0;
      start.push_back(static_cast<hsize_t>(part_.first[l] + skipped));
      here_start.push_back(static_cast<hsize_t>(skipped));
      here_all.push_back(static_cast<hsize_t>(part_.extent[l]));
      count.push_back(static_cast<hsize_t>(l == along_ ? end - begin : part_.extent[l]));
    }
    const handle in_file(H5Dget_space(data_), H5Sclose), here = space_of(here_all);
    if (std::ranges::find(count, hsize_t{0}) != count.end()) {
      H5Sselect_none(in_file.get());
      H5Sselect_none(here.get());
    } else {
      H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      H5Sselect_hyperslab(here.get(), H5S_SELECT_SET, here_start.data(), nullptr, count.data(), nullptr);
    }
    return (writes ? H5Dwrite(data_, type_.get(), here.get(), in_file.get(), how_.get(), memory)
                   : H5Dread(data_, type_.get(), here.get(), in_file.get(), how_.get(), memory)) >= 0;
  }

  hid_t data_;
  const file_part& part_;
  handle type_, how_;
  std::size_t along_;
};

/// All arrays of the batch; whether all went well.
bool move_all(hid_t data, const file_part& part, const each_array& call, bool writes) {
  if (volume(part.what.shape) == 0) return true;  // HDF5 fails to write nothing
  const part_mover mover(data, part);
  bool good = true;
  for (integer b = 0; b < part.what.batch; ++b) {
    call(b, [&](std::byte* memory) { good = mover.move(b, memory, writes) && good; });
  }
  return good;
}

std::vector<long long> numbers_of(hid_t data, const char* name) {
  if (H5Aexists(data, name) <= 0) return {};
  const handle attribute(H5Aopen(data, name, H5P_DEFAULT), H5Aclose);
  const handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  std::vector<long long> numbers(static_cast<std::size_t>(std::max<hssize_t>(count, 0)));
  if (H5Aread(attribute.get(), H5T_NATIVE_LLONG, numbers.data()) < 0) numbers.clear();
  return numbers;
}

std::string text_of(hid_t data, const char* name) {
  if (H5Aexists(data, name) <= 0) return {};
  const handle attribute(H5Aopen(data, name, H5P_DEFAULT), H5Aclose);
  const handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) > 0) return {};
  std::string text(H5Tget_size(type.get()) + 1, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

stored_array described(hid_t data) {
  const handle space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
  std::vector<hsize_t> dimensions(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  H5Sget_simple_extent_dims(space.get(), dimensions.data(), nullptr);
  stored_array found;
  for (const hsize_t n : dimensions) found.shape.push_back(static_cast<integer>(n));
  const auto is_real = [](hid_t t) {
    return H5Tget_class(t) == H5T_FLOAT && (H5Tget_size(t) == 4 || H5Tget_size(t) == 8);
  };
  std::size_t bytes = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) == H5T_COMPOUND && H5Tget_member_index(type.get(), "r") >= 0 &&
      H5Tget_member_index(type.get(), "i") >= 0 && H5Tget_nmembers(type.get()) == 2) {
    const handle part(H5Tget_member_type(type.get(), 0), H5Tclose);
    if (!is_real(part.get())) throw file_error("complex elements of parts that are neither float nor double");
    found.complex = true;
    bytes = H5Tget_size(part.get());
  } else if (!is_real(type.get())) {
    throw file_error("elements that are neither float, double nor complex of these");
  }
  found.element = bytes == 4 ? precision::f32 : precision::f64;
  found.distribution = text_of(data, "distribution");
  const auto batch = numbers_of(data, "batch");
  if (batch.size() == 1 && batch[0] > 1 && !found.shape.empty() && found.shape[0] == batch[0]) {
    found.batch = batch[0];
    found.shape.erase(found.shape.begin());
  }
  return found;
}

}  // namespace

bool has_hdf5() { return true; }

std::string write_part(const mpi::communicator& on, const file_part& part, const each_array& fill) {
  const silence quiet;
  const handle access = opened_by_all(on);
  // Older files have no room for long attributes: the boxes of thousands of ranks.
  if (part.what.distribution.size() > 60000) H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  handle file(H5Fcreate(part.file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (!file) return "cannot be created";
  const handle type = element_type_of(part.what), space = space_of(dimensions_of(part.what));
  // Whoever reads it later need not know that its elements were never set: all will be.
  const handle plain(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_fill_time(plain.get(), H5D_FILL_TIME_NEVER);
  H5Pset_create_intermediate_group(links.get(), 1);
  handle data(
      H5Dcreate2(file.get(), part.dataset.c_str(), type.get(), space.get(), links.get(), plain.get(), H5P_DEFAULT),
      H5Dclose);
  if (!data) return "cannot have a dataset '" + part.dataset + "'";
  bool good = add_attributes(data.get(), part.what);
  good = move_all(data.get(), part, fill, true) && good;
  good = data.close() && good;
  good = file.close() && good;
  return good ? "" : "cannot be written";
}

std::string read_part(const mpi::communicator& on, const file_part& part, const each_array& take) {
  const silence quiet;
  const handle access = opened_by_all(on);
  const handle file(H5Fopen(part.file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file) return "cannot be opened";
  const handle data(H5Dopen2(file.get(), part.dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) return "has no dataset '" + part.dataset + "'";
  return move_all(data.get(), part, take, false) ? "" : "cannot be read";
}

stored_array describe_file(const std::string& name, const std::string& dataset) {
  const silence quiet;
  const handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) throw file_error("file '" + name + "' is no HDF5 file that can be read");
  const handle data(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data) throw file_error("file '" + name + "' has no dataset '" + dataset + "'");
  try {
    return described(data.get());
  } catch (const file_error& e) {
    throw file_error("dataset '" + dataset + "' of file '" + name + "' has " + e.what());
  }
}

}  // namespace weft::facade
