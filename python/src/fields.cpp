// SPDX-License-Identifier: BSD-3-Clause
// What works on whole distributed arrays: gathering, scattering, sums, files, and what modes mean.
#include "bindings.hpp"

namespace weft::python {

namespace {

/// Elements of any type are moved alike: by their size.
class any_part {
 public:
  any_part(const part& of, std::size_t element_bytes)
      : of_(of),
        shape_(of.how.local_shape(of.rank)),
        where_(resolved(of.where, shape_, of.batch)),
        size_(element_bytes) {}
  [[nodiscard]] detail::any_array terms() const {
    return {{of_.how, of_.rank, of_.batch, where_, shape_}, size_, pointer_at(of_.address)};
  }

 private:
  const part& of_;
  extents shape_;
  layout where_;
  std::size_t size_;
};

py::array gathered(const part& from, std::size_t element_bytes, int root, std::uintptr_t comm) {
  memory all;
  {
    const py::gil_scoped_release others;
    const auto allocate = [&](std::size_t bytes) -> std::span<std::byte> {
      all = host_memory(bytes);
      return {all.data(), bytes};
    };
    detail::gather(any_part(from, element_bytes).terms(), allocate, root, communicator_of(comm));
  }
  return array_over(all);
}

void scattered(std::uintptr_t all, std::size_t bytes, const part& to, std::size_t element_bytes, int root,
               std::uintptr_t comm) {
  detail::scatter(bytes_at(all, bytes), any_part(to, element_bytes).terms(), root, communicator_of(comm));
}

template <class T>
auto sum_of(const part& x, std::uintptr_t comm) {
  return sum(x.as<T>(), communicator_of(comm));
}

/// Calls what with an array of the elements' type, which NumPy tells by kind and bytes.
template <class What>
void with_elements(const std::string& element, const What& what) {
  if (element == "f4") return what(float{});
  if (element == "f8") return what(double{});
  if (element == "c8") return what(std::complex<float>{});
  if (element == "c16") return what(std::complex<double>{});
  throw argument_error("files have elements of f4, f8, c8 and c16, not of " + element);
}

py::tuple stored(const std::string& file, std::uintptr_t comm, const std::string& dataset) {
  stored_array found;
  {
    const py::gil_scoped_release others;
    found = look_into(file, communicator_of(comm), dataset);
  }
  const std::string element =
      (found.complex ? "c" : "f") + std::to_string(real_bytes(found.element) * (found.complex ? 2 : 1));
  return py::make_tuple(found.shape, found.batch, element, found.distribution);
}

void bind_files(py::module_& m) {
  m.def("can_store", &can_store);
  m.def("look_into", &stored);
  m.def(
      "write",
      [](const std::string& file, const std::string& dataset, const part& x, const std::string& element,
         std::uintptr_t comm) {
        with_elements(element, [&]<class T>(T) { write(file, x.as<T>(), communicator_of(comm), dataset); });
      },
      without_interpreter());
  m.def(
      "read",
      [](const std::string& file, const std::string& dataset, const part& x, const std::string& element,
         std::uintptr_t comm) {
        with_elements(element, [&]<class T>(T) {
          auto to = x.as<T>();
          read(file, to, communicator_of(comm), dataset);
        });
      },
      without_interpreter());
}

template <class Real>
void bind_spectral(py::module_& m, const char* name) {
  using helper = spectral<Real>;
  using modes = typename helper::modes;
  using real_modes = typename helper::real_modes;
  using element = std::complex<Real>;
  const auto along = [](const std::vector<double>& values) {
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  /// A member that makes one field of another.
  const auto between = [](void (helper::*make)(const modes&, modes&) const) {
    return [make](const helper& h, const part& f, const part& result) {
      auto out = result.as<element>();
      (h.*make)(f.as<element>(), out);
    };
  };
  /// The same for those that take real modes, too.
  const auto between_any = [between](void (helper::*make)(const modes&, modes&) const,
                                     void (helper::*make_real)(const real_modes&, real_modes&) const) {
    return [of_complex = between(make), make_real](const helper& h, const part& f, const part& result) {
      if (!h.has_real_modes()) return of_complex(h, f, result);
      auto out = result.as<Real>();
      (h.*make_real)(f.as<Real>(), out);
    };
  };
  py::class_<helper>(m, name)
      .def(py::init<const plan&, const std::vector<double>&>(), without_interpreter())
      .def("wavenumbers", [along](const helper& h, int axis) { return along(h.wavenumbers(axis)); })
      .def("odd_wavenumbers", [along](const helper& h, int axis) { return along(h.odd_wavenumbers(axis)); })
      .def("weights", [along](const helper& h, int axis) { return along(h.weights(axis)); })
      .def(
          "mean_squares",
          [](const helper& h, const part& f) {
            return h.has_real_modes() ? h.mean_squares(f.as<Real>()) : h.mean_squares(f.as<element>());
          },
          without_interpreter())
      .def(
          "spectrum",
          [](const helper& h, const part& f, double width) {
            std::vector<std::tuple<double, double, double>> all;
            const auto shells =
                h.has_real_modes() ? h.spectrum(f.as<Real>(), width) : h.spectrum(f.as<element>(), width);
            for (const auto& s : shells) all.emplace_back(s.wavenumber, s.power, s.modes);
            return all;
          },
          without_interpreter())
      .def(
          "derivative",
          [](const helper& h, const part& f, const part& result, int axis) {
            auto out = result.as<element>();
            h.derivative(f.as<element>(), out, axis);
          },
          without_interpreter())
      .def("gradient", between(&helper::gradient), without_interpreter())
      .def("divergence", between(&helper::divergence), without_interpreter())
      .def("curl", between(&helper::curl), without_interpreter())
      .def("laplacian", between_any(&helper::laplacian, &helper::laplacian), without_interpreter())
      .def("poisson", between_any(&helper::poisson, &helper::poisson), without_interpreter());
}

}  // namespace

void bind_fields(py::module_& m) {
  py::class_<part>(m, "Part").def(
      py::init([](const distribution& how, int rank, integer batch, const layout& where, std::uintptr_t address,
                  std::size_t bytes) { return part{how, rank, batch, where, address, bytes}; }));
  m.def("gather", &gathered);
  m.def("scatter", &scattered, without_interpreter());
  m.def("sum_f4", &sum_of<float>, without_interpreter());
  m.def("sum_f8", &sum_of<double>, without_interpreter());
  m.def("sum_c8", &sum_of<std::complex<float>>, without_interpreter());
  m.def("sum_c16", &sum_of<std::complex<double>>, without_interpreter());
  m.def("sum_i8", &sum_of<std::int64_t>, without_interpreter());
  bind_files(m);
  bind_spectral<float>(m, "SpectralF32");
  bind_spectral<double>(m, "SpectralF64");
}

}  // namespace weft::python
