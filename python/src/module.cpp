// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"

namespace weft::python {

void bind_errors(py::module_& m) {
  py::register_exception_translator(
      [](std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param): its type is given
        try {
          if (thrown) std::rethrow_exception(thrown);
        } catch (const error& e) {
          const auto type = py::module_::import("weft.errors").attr("by_code")(static_cast<int>(e.code()));
          PyErr_SetString(type.ptr(), e.what());
        }
      });
  m.def("version", &version);
  m.def("mpi_version", &mpi_version);
  m.def("algorithm_names", &algorithm_names);
  m.def("exchange_names", &exchange_names);
  m.def("local_names", &local_names);
  m.def(
      "measure_machine",
      [](std::uintptr_t comm, const std::string& wisdom) { return measure_machine(communicator_of(comm), wisdom); },
      py::arg("comm"), py::arg("wisdom"), without_interpreter());
}

}  // namespace weft::python

PYBIND11_MODULE(_core, m) {
  namespace bindings = weft::python;
  m.doc() = "The library behind the package weft. Use the package.";
  bindings::bind_errors(m);
  bindings::bind_values(m);
  bindings::bind_explanations(m);
  bindings::bind_plans(m);
  bindings::bind_dlpack(m);
  bindings::bind_fields(m);
  bindings::bind_convolutions(m);
  bindings::bind_plane_waves(m);
}
