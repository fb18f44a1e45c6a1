// SPDX-License-Identifier: BSD-3-Clause
// Plane waves inside an ellipsoid.
#include "bindings.hpp"

namespace weft::python {

namespace {

template <class Waves>
py::array_t<integer> numbers_of(const Waves& waves) {
  const auto& all = waves.waves();
  py::array_t<integer> numbers({static_cast<py::ssize_t>(all.size()), py::ssize_t{3}});
  integer* next = numbers.mutable_data();
  for (const auto& wave : all) next = std::copy(wave.begin(), wave.end(), next);
  return numbers;
}

/// Its distribution, its layout, and the bytes.
template <class Waves>
py::tuple field_of(const Waves& waves) {
  const auto field = [&] {
    const py::gil_scoped_release others;
    return waves.make_field();
  }();
  return py::make_tuple(field.how(), field.local_layout(), array_over(field.block()));
}

template <class Real>
void bind_waves(py::module_& m, const char* name) {
  using waves = plane_waves<Real>;
  using value = typename waves::value;
  py::class_<waves>(m, name)
      .def(py::init(
               [](const extents& shape, const std::vector<double>& radii, std::uintptr_t comm, const options& how,
                  integer bands) { return std::make_unique<waves>(shape, radii, communicator_of(comm), how, bands); }),
           py::keep_alive<1, 5>(), without_interpreter())
      .def_property_readonly("waves", &numbers_of<waves>)
      .def_property_readonly("columns", &waves::columns)
      .def_property_readonly("report", &waves::report, py::return_value_policy::copy)
      .def("make_field", &field_of<waves>)
      .def(
          "to_field",
          [](waves& w, std::uintptr_t c, std::size_t count, const part& field) {
            auto to = field.as<value>();
            w.to_field(std::span(reinterpret_cast<const value*>(pointer_at(c)), count), to);
          },
          without_interpreter())
      .def(
          "to_waves",
          [](waves& w, const part& field, std::uintptr_t c, std::size_t count) {
            w.to_waves(field.as<value>(), std::span(reinterpret_cast<value*>(pointer_at(c)), count));
          },
          without_interpreter());
}

}  // namespace

void bind_plane_waves(py::module_& m) {
  bind_waves<float>(m, "PlaneWavesC8");
  bind_waves<double>(m, "PlaneWavesC16");
}

}  // namespace weft::python
