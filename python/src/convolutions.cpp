// SPDX-License-Identifier: BSD-3-Clause
// Convolutions, ghost cells of boxes, and the boxes of all ranks.
#include "bindings.hpp"

namespace weft::python {

namespace {

template <class Plan>
void bind_convolution(py::module_& m, const char* name) {
  using convolutions = convolution<Plan>;
  using field = typename Plan::field_value;
  using mode = typename Plan::mode_value;
  /// A member that makes one field of another.
  const auto between = [](void (convolutions::*make)(const array<field>&, array<field>&)) {
    return [make](convolutions& c, const part& x, const part& result) {
      auto out = result.as<field>();
      (c.*make)(x.as<field>(), out);
    };
  };
  py::class_<convolutions>(m, name)
      .def(py::init([](const problem& what, std::uintptr_t comm, const options& how) {
             return std::make_unique<convolutions>(what, communicator_of(comm), how);
           }),
           py::keep_alive<1, 4>(), without_interpreter())
      .def(
          "plan", [](convolutions& c) -> plan& { return c.plan(); }, py::return_value_policy::reference_internal)
      .def(
          "kernel_in_space", [](convolutions& c, const part& kernel) { c.kernel_in_space(kernel.as<field>()); },
          without_interpreter())
      .def(
          "kernel_in_modes", [](convolutions& c, const part& kernel) { c.kernel_in_modes(kernel.as<mode>()); },
          without_interpreter())
      .def("convolve", between(&convolutions::convolve), without_interpreter())
      .def("correlate", between(&convolutions::correlate), without_interpreter())
      .def(
          "product",
          [](convolutions& c, const part& a, const part& b, const part& result) {
            auto out = result.as<mode>();
            c.product(a.as<mode>(), b.as<mode>(), out);
          },
          without_interpreter());
}

template <class T>
void bind_halo(py::module_& m, const char* name) {
  const auto cells_at = [](std::uintptr_t address, std::size_t count) {
    return std::span<T>(reinterpret_cast<T*>(pointer_at(address)), count);
  };
  py::class_<halo<T>>(m, name)
      .def(py::init([](const distribution& how, const extents& before, const extents& after, std::uintptr_t comm,
                       integer batch) {
             return std::make_unique<halo<T>>(how, before, after, communicator_of(comm), batch);
           }),
           without_interpreter())
      .def_property_readonly("layout", &halo<T>::where, py::return_value_policy::copy)
      .def_property_readonly("cells", &halo<T>::cells)
      .def(
          "fill",
          [cells_at](halo<T>& h, std::uintptr_t address, std::size_t count) { h.fill(cells_at(address, count)); },
          without_interpreter())
      .def(
          "accumulate",
          [cells_at](halo<T>& h, std::uintptr_t address, std::size_t count) { h.accumulate(cells_at(address, count)); },
          without_interpreter());
}

}  // namespace

void bind_convolutions(py::module_& m) {
  bind_convolution<c2c<float>>(m, "ConvolutionC8");
  bind_convolution<c2c<double>>(m, "ConvolutionC16");
  bind_convolution<r2c<float>>(m, "ConvolutionF4");
  bind_convolution<r2c<double>>(m, "ConvolutionF8");
  bind_halo<float>(m, "HaloF4");
  bind_halo<double>(m, "HaloF8");
  bind_halo<std::complex<float>>(m, "HaloC8");
  bind_halo<std::complex<double>>(m, "HaloC16");
  m.def(
      "bricks_of",
      [](const extents& shape, const extents& low, const extents& high, std::uintptr_t comm) {
        return bricks_of(shape, {low, high}, communicator_of(comm));
      },
      without_interpreter());
}

}  // namespace weft::python
