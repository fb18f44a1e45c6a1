// SPDX-License-Identifier: BSD-3-Clause
#include "local/cosine_digit_kernel.hpp"

#include <algorithm>
#include <complex>

#include "local/fused.hpp"
#include "local/staging.hpp"

namespace weft::local {

namespace {

/// Complex lines are transformed and turned by a kernel of `by`, from or to a buffer beside which their parts lie as
/// the real lines that they are.
template <class Real>
class cosine_digit_kernel final : public kernel {
 public:
  using complex = std::complex<Real>;

  cosine_digit_kernel(const line_problem& problem, const line_engine& by)
      : length_(problem.length), lanes_(problem.lanes), forward_(row_of(problem.kind).forward) {
    line_problem line;
    line.kind = forward_ ? line_kind::c2c_forward : line_kind::c2c_backward;
    line.length = length_;
    line.element = problem.element;
    line.lanes = lanes_;
    const turning turn{0, {1, 4 * length_}, forward_ ? direction::forward : direction::backward};
    if (forward_) {
      line.storing = {turn};
      scale_ = 2 * static_cast<Real>(scale_of(problem));
    } else {
      line.loading = {turn};
      line.storing = {scaling{scale_of(problem)}};
    }
    lines_ = by.make_kernel(line);
  }

  [[nodiscard]] std::size_t scratch_bytes() const override { return 2 * area() + lines_->scratch_bytes(); }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    auto* const numbers = reinterpret_cast<complex*>(scratch);
    auto* const reals = reinterpret_cast<Real*>(scratch + area());
    std::byte* const rest = scratch + 2 * area();
    const integer lanes = from.lanes, count = length_ * lanes;
    const staged<Real> parts{reals, lanes, 1};
    const run all{scratch, 0, 1, length_, lanes * static_cast<integer>(sizeof(complex)), sizeof(complex)};
    if (forward_) {
      lines_->transform(from, {{&all, 1}, from.lanes}, rest);
      for (integer i = 0; i < count; ++i) {
        reals[i] = numbers[i].real();
        reals[count + i] = -numbers[i].imag();
      }
      store(parts, to, scale_);
    } else {
      load(from, parts);
      for (integer i = 0; i < count; ++i) numbers[i] = {reals[i], -reals[count + i]};
      lines_->transform({{&all, 1}, from.lanes}, to, rest);
    }
  }

 private:
  /// Bytes of the lines of a bundle, aligned.
  [[nodiscard]] std::size_t area() const {
    return (static_cast<std::size_t>(length_ * lanes_) * sizeof(complex) + 63) / 64 * 64;
  }

  integer length_;
  int lanes_;
  bool forward_;
  Real scale_ = 1;
  std::unique_ptr<kernel> lines_;
};

}  // namespace

int lanes_of_cosine_digits(integer length, precision element) {
  constexpr integer bundle_bytes = 8192;
  return static_cast<int>(std::max<integer>(8, bundle_bytes / (length * static_cast<integer>(complex_bytes(element)))));
}

std::unique_ptr<kernel> make_cosine_digit_kernel(const line_problem& problem, const line_engine& by) {
  if (problem.element == precision::f32) return std::make_unique<cosine_digit_kernel<float>>(problem, by);
  return std::make_unique<cosine_digit_kernel<double>>(problem, by);
}

}  // namespace weft::local
