// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/reference.hpp"

#include "local/fused.hpp"
#include "local/serial.hpp"
#include "local/staging.hpp"

namespace weft::local {

namespace {

template <class Real>
class reference_kernel final : public kernel {
 public:
  using complex = std::complex<Real>;

  explicit reference_kernel(const line_problem& problem)
      : problem_(problem),
        row_(row_of(problem.kind)),
        loading_(fused_loading<Real>(problem)),
        storing_(fused_storing<Real>(problem)),
        scale_(static_cast<Real>(scale_of(problem))),
        transform_(problem.length, row_.forward ? -1 : 1) {}

  [[nodiscard]] std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(2 * problem_.length * problem_.lanes) * sizeof(complex);
  }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    const integer n = problem_.length;
    auto* const lines = reinterpret_cast<complex*>(scratch);
    complex* const results = lines + n * problem_.lanes;
    fetch(from, lines, results);
    for (int l = 0; l < from.lanes; ++l) transform_(lines + l * n, 1, results + l * n);
    apply(storing_, staged<complex>{results, 1, n}, from.lanes);
    if (row_.out == element_type::real) {
      auto* const reals = reinterpret_cast<Real*>(lines);
      for (integer i = 0; i < n * from.lanes; ++i) reals[i] = results[i].real();
      store(staged<Real>{reals, 1, n}, to, scale_);
    } else {
      store(staged<complex>{results, 1, n}, to, scale_);
    }
  }

 private:
  /// Every kind becomes a complex line: reals get a zero imaginary part, a half line its conjugate.
  void fetch(const bundle& from, complex* lines, complex* other) const {
    const integer n = problem_.length;
    if (row_.in == element_type::real) {
      auto* const reals = reinterpret_cast<Real*>(other);
      load(from, staged<Real>{reals, 1, n});
      for (integer i = 0; i < n * from.lanes; ++i) lines[i] = reals[i];
      return;
    }
    load(from, staged<complex>{lines, 1, n});
    apply(loading_, staged<complex>{lines, 1, n}, from.lanes);
    if (row_.out != element_type::real) return;
    for (int l = 0; l < from.lanes; ++l) {
      complex* const line = lines + l * n;
      line[0] = line[0].real();
      if (n % 2 == 0) line[n / 2] = line[n / 2].real();
      for (integer k = 1; 2 * k < n; ++k) line[n - k] = std::conj(line[k]);
    }
  }

  line_problem problem_;
  const line_row& row_;
  fused_operations<Real> loading_, storing_;
  Real scale_;
  serial_transform<Real> transform_;
};

/// Cosine and sine transforms of real or complex elements.
template <class Real, class Element>
class reference_trigonometric_kernel final : public kernel {
 public:
  explicit reference_trigonometric_kernel(const line_problem& problem)
      : problem_(problem),
        loading_(fused_loading<Real>(problem)),
        storing_(fused_storing<Real>(problem)),
        scale_(static_cast<Real>(scale_of(problem))),
        transform_(on_reals(problem.kind), problem.length) {}

  [[nodiscard]] std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(2 * problem_.length * problem_.lanes) * sizeof(Element);
  }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    const integer n = problem_.length;
    auto* const lines = reinterpret_cast<Element*>(scratch);
    Element* const results = lines + n * problem_.lanes;
    const staged<Element> ins{lines, 1, n}, outs{results, 1, n};
    load(from, ins);
    if constexpr (std::is_same_v<Element, std::complex<Real>>) apply(loading_, ins, from.lanes);
    for (int l = 0; l < from.lanes; ++l) transform_(lines + l * n, 1, results + l * n);
    if constexpr (std::is_same_v<Element, std::complex<Real>>) apply(storing_, outs, from.lanes);
    store(outs, to, scale_);
  }

 private:
  line_problem problem_;
  fused_operations<Real> loading_, storing_;
  Real scale_;
  serial_trigonometric<Real> transform_;
};

template <class Real>
std::unique_ptr<kernel> make_reference_kernel(const line_problem& problem) {
  if (is_fourier(problem.kind)) return std::make_unique<reference_kernel<Real>>(problem);
  if (row_of(problem.kind).in == element_type::real) {
    return std::make_unique<reference_trigonometric_kernel<Real, Real>>(problem);
  }
  return std::make_unique<reference_trigonometric_kernel<Real, std::complex<Real>>>(problem);
}

class reference final : public line_engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "reference"; }
  [[nodiscard]] bool has(line_kind kind) const override { return kind != line_kind::none; }
  [[nodiscard]] bool for_speed() const override { return false; }
  [[nodiscard]] int lanes(line_kind /*kind*/, integer /*length*/, precision /*element*/) const override { return 3; }
  [[nodiscard]] std::unique_ptr<kernel> make_kernel(const line_problem& problem) const override {
    if (problem.element == precision::f32) return make_reference_kernel<float>(problem);
    return make_reference_kernel<double>(problem);
  }
};

}  // namespace

const line_engine& reference_engine() {
  static const reference instance;
  return instance;
}

}  // namespace weft::local
