// SPDX-License-Identifier: BSD-3-Clause
// Arrays of other libraries, by the DLPack protocol: version 0, which all of them speak. NumPy's own import marks what
// it gets read-only, so it could not be an output.
#include "bindings.hpp"

namespace weft::python {

namespace {

// As the protocol lays them out.
struct device {
  std::int32_t type;
  std::int32_t number;
};
struct data_type {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct tensor {
  void* data;
  device where;
  std::int32_t axes;
  data_type element;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct managed_tensor {
  tensor content;
  void* context;
  void (*deleter)(managed_tensor*);
};

constexpr std::int32_t on_host = 1, pinned_by_cuda = 3;

py::dtype type_of(const data_type& element) {
  // signed, unsigned, float; then opaque, bfloat and complex
  constexpr std::string_view kinds = "iuf??c?";
  const char kind = element.code < kinds.size() ? kinds[element.code] : '?';
  if (kind == '?' || element.lanes != 1 || element.bits % 8 != 0) {
    throw error_of<error_code::bad_buffer>("a DLPack array has elements of kind " + std::to_string(element.code) +
                                           " with " + std::to_string(element.bits) +
                                           " bits; integers, floats and complex numbers are taken");
  }
  return py::dtype(std::string(1, kind) + std::to_string(element.bits / 8));
}

py::array array_from(const py::capsule& given) {
  const char* const name = "dltensor";
  if (PyCapsule_IsValid(given.ptr(), name) == 0) throw buffer_error("a DLPack capsule that was used before");
  auto* const all = static_cast<managed_tensor*>(PyCapsule_GetPointer(given.ptr(), name));
  const tensor& t = all->content;
  if (t.where.type != on_host && t.where.type != pinned_by_cuda) {
    throw buffer_error("a DLPack array lies on a device of type " + std::to_string(t.where.type) +
                       "; copy it to the host first");
  }
  const py::dtype type = type_of(t.element);
  std::vector<py::ssize_t> shape(t.shape, t.shape + t.axes), strides;
  if (t.strides != nullptr) {
    for (std::int32_t l = 0; l < t.axes; ++l) strides.push_back(t.strides[l] * type.itemsize());
  }
  // From here on it is ours to give back.
  PyCapsule_SetName(given.ptr(), "used_dltensor");
  const py::capsule owner(all, [](void* kept) {
    auto* const mine = static_cast<managed_tensor*>(kept);
    if (mine->deleter != nullptr) mine->deleter(mine);
  });
  auto* const first = static_cast<std::byte*>(t.data) + t.byte_offset;
  return strides.empty() ? py::array(type, shape, first, owner) : py::array(type, shape, strides, first, owner);
}

}  // namespace

void bind_dlpack(py::module_& m) { m.def("from_dlpack", &array_from, py::arg("capsule")); }

}  // namespace weft::python
