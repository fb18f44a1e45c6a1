// SPDX-License-Identifier: BSD-3-Clause
#include "local/cosine_digit_kernel.hpp"

#include <algorithm>
#include <complex>

#include "local/fused.hpp"
#include "local/staging.hpp"

namespace weft::local {

namespace {

/// Complex lines are transformed and turned by a kernel of `by`, from or to a buffer beside which their parts lie as
/// the real lines that they are: first the real parts, then the imaginary ones, which type 2 and 3 negate.
template <class Real>
class cosine_digit_kernel final : public kernel {
 public:
  using complex = std::complex<Real>;

  cosine_digit_kernel(const line_problem& problem, const line_engine& by)
      : reals_first_(row_of(problem.kind).in == element_type::real),
        length_(numbers_of(problem)),
        lanes_(problem.lanes),
        by_line_(problem.lines_contiguous && length_ >= least_by_line) {
    const bool forward = row_of(problem.kind).forward;
    const bool type4 = problem.kind == line_kind::dct4_digit || problem.kind == line_kind::dct4_digit_back;
    imaginary_ = type4 ? 1 : -1;
    line_problem line = problem;
    line.kind = forward ? line_kind::c2c_forward : line_kind::c2c_backward;
    line.length = length_;
    line.lines_contiguous = by_line_;
    line.one_run = false;
    const turning turn{0, {1, 4 * length_}, forward ? direction::forward : direction::backward};
    auto& inner = reals_first_ ? line.loading : line.storing;
    scale_ = scale_of(inner, {}) * (reals_first_ ? 1 : 2);
    inner = {turn};
    for (auto* const list : {&line.loading, &line.storing}) {
      for (auto& o : *list) {
        if (auto* const t = std::get_if<turning>(&o)) constant_ *= taken_first(*t);
      }
    }
    lines_ = by.make_kernel(line);
  }

  [[nodiscard]] std::size_t scratch_bytes() const override { return 2 * area() + lines_->scratch_bytes(); }

  [[nodiscard]] bool spreads() const override { return lines_->spreads(); }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    auto* const numbers = reinterpret_cast<complex*>(scratch);
    auto* const reals = reinterpret_cast<Real*>(scratch + area());
    std::byte* const rest = scratch + 2 * area();
    const int lanes = from.lanes;
    const staged<Real> parts = by_line_ ? staged<Real>{reals, 1, 2 * length_} : staged<Real>{reals, lanes, 1};
    constexpr integer bytes = sizeof(complex);
    const run all{scratch, 0, 1, length_, by_line_ ? bytes : lanes * bytes, by_line_ ? length_ * bytes : bytes};
    const auto factor = static_cast<Real>(scale_);
    const complex constant = static_cast<complex>(constant_);
    if (reals_first_) {
      load(from, parts);
      each_stretch(lanes, [&](integer number, integer real, integer imaginary, integer count) {
        for (integer i = 0; i < count; ++i) {
          const Real a = reals[real + i] * factor, b = reals[imaginary + i] * factor * imaginary_;
          numbers[number + i] = {a * constant.real() - b * constant.imag(), a * constant.imag() + b * constant.real()};
        }
      });
      lines_->transform({{&all, 1}, lanes}, to, rest);
    } else {
      lines_->transform(from, {{&all, 1}, lanes}, rest);
      each_stretch(lanes, [&](integer number, integer real, integer imaginary, integer count) {
        for (integer i = 0; i < count; ++i) {
          const complex c = numbers[number + i];
          reals[real + i] = c.real() * constant.real() - c.imag() * constant.imag();
          reals[imaginary + i] = (c.real() * constant.imag() + c.imag() * constant.real()) * imaginary_;
        }
      });
      store(parts, to, factor);
    }
  }

 private:
  /// Shorter lines lie side by side in the buffer wherever they come from: there are many.
  static constexpr integer least_by_line = 64;

  static integer numbers_of(const line_problem& problem) {
    const line_row& row = row_of(problem.kind);
    return row.in == element_type::real ? row.out_extent(problem.length) : row.in_extent(problem.length);
  }

  /// What a turning does to all elements alike, which it leaves to this kernel.
  static std::complex<double> taken_first(turning& t) {
    const unit_root root = root_of_unity(t.first % t.by.period, t.by.period);
    t.first = 0;
    const auto sine = static_cast<double>(root.sine);
    return {static_cast<double>(root.cosine), t.way == direction::forward ? -sine : sine};
  }

  /// body(number, real, imaginary, count) for what is adjacent among complex numbers, real parts and imaginary ones.
  template <class Body>
  void each_stretch(int lanes, const Body& body) const {
    if (!by_line_) return body(0, 0, length_ * lanes, length_ * lanes);
    for (integer l = 0; l < lanes; ++l) body(l * length_, 2 * l * length_, (2 * l + 1) * length_, length_);
  }

  /// Bytes of the lines of a bundle, aligned.
  [[nodiscard]] std::size_t area() const {
    return (static_cast<std::size_t>(length_ * lanes_) * sizeof(complex) + 63) / 64 * 64;
  }

  bool reals_first_;
  integer length_;  // of complex lines
  int lanes_;
  bool by_line_;  // lines one behind the other, rather than side by side
  Real imaginary_ = 1;
  double scale_ = 1;
  std::complex<double> constant_ = 1;
  std::unique_ptr<kernel> lines_;
};

}  // namespace

int lanes_of_cosine_digits(integer length, precision element) {
  constexpr integer bundle_bytes = 4096;
  return static_cast<int>(std::max<integer>(8, bundle_bytes / (length * static_cast<integer>(complex_bytes(element)))));
}

std::unique_ptr<kernel> make_cosine_digit_kernel(const line_problem& problem, const line_engine& by) {
  if (problem.element == precision::f32) return std::make_unique<cosine_digit_kernel<float>>(problem, by);
  return std::make_unique<cosine_digit_kernel<double>>(problem, by);
}

}  // namespace weft::local
