// SPDX-License-Identifier: BSD-3-Clause
#include "local/long_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "local/chirp.hpp"
#include "local/fused.hpp"
#include "local/line_engine.hpp"
#include "local/long_fft.hpp"
#include "local/simd/plan.hpp"
#include "local/staging.hpp"

namespace weft::local {

namespace {

/// Above this a bundle of lines has left the caches of a core.
constexpr integer long_line_bytes = integer{512} << 10;

/// A complex transform of one long line, by digits or else as a convolution.
template <class Real>
class complex_line {
 public:
  using complex = std::complex<Real>;

  /// Does the operations, as far as it can.
  complex_line(integer length, bool forward, int threads, const line_engine& by, const line_problem& with) {
    const bool turns = any_turns(with.loading) || any_turns(with.storing);
    const line_row& row = row_of(with.kind);
    if (const auto digits = digits_of_line(length)) {
      operates_ = row.in == row.out && !conjugates(with);
      const operation_list none;
      by_digits_.emplace(*digits, forward, by, threads, operates_ ? with.loading : none,
                         operates_ ? with.storing : none);
    } else {
      operates_ = row.in == row.out && !conjugates(with) && !turns;
      by_chirp_.emplace(length, forward, by, threads, operates_ ? scale_of(with) : 1);
    }
  }

  /// Whether it does the operations.
  [[nodiscard]] bool operates() const { return operates_; }
  [[nodiscard]] integer work_elements() const {
    return by_digits_ ? by_digits_->work_elements() : by_chirp_->work_elements();
  }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return by_digits_ ? by_digits_->scratch_bytes() : by_chirp_->scratch_bytes();
  }
  void transform(const strided_line& from, const strided_line& to, bool stream, complex* work,
                 std::byte* scratch) const {
    if (by_digits_) {
      by_digits_->transform(from, to, stream, work, scratch);
    } else {
      by_chirp_->transform(from, to, work, scratch);
    }
  }

 private:
  static bool any_turns(const operation_list& operations) {
    return std::ranges::any_of(operations, [](const auto& o) { return std::holds_alternative<turning>(o); });
  }

  bool operates_ = false;
  std::optional<long_fft<Real>> by_digits_;
  std::optional<long_chirp<Real>> by_chirp_;
};

template <class Real>
class long_kernel final : public kernel {
 public:
  using complex = std::complex<Real>;

  long_kernel(const line_problem& problem, const line_engine& by)
      : length_(problem.length),
        forward_(row_of(problem.kind).forward),
        real_in_(row_of(problem.kind).in == element_type::real),
        real_out_(row_of(problem.kind).out == element_type::real),
        halved_((real_in_ || real_out_) && problem.length % 2 == 0),
        fft_(halved_ ? problem.length / 2 : problem.length, forward_, problem.threads, by, problem) {
    if (!fft_.operates()) {
      loading_ = fused_loading<Real>(problem);
      storing_ = fused_storing<Real>(problem);
      scale_ = static_cast<Real>(scale_of(problem));
    }
    staged_lines_ = problem.one_run && fft_.operates() ? 0 : problem.lanes;
    // Of a line in the buffer, either side.
    line_elements_ = (halved_ ? length_ / 2 + 1 : length_) + 8;
    if (halved_) roots_ = root_table<Real>(length_);
    threads_ = problem.threads;
  }

  [[nodiscard]] std::size_t scratch_bytes() const override {
    return aligned(fft_.work_elements()) + static_cast<std::size_t>(staged_lines_) * aligned(line_elements_) +
           fft_.scratch_bytes();
  }
  [[nodiscard]] bool spreads() const override { return threads_ > 1; }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    auto* const work = reinterpret_cast<complex*>(scratch);
    std::byte* const lines = scratch + aligned(fft_.work_elements());
    std::byte* const rest = lines + static_cast<std::size_t>(staged_lines_) * aligned(line_elements_);
    if (fft_.operates() && is_whole(from) && is_whole(to) && !(from.lanes > 1 && overlapping(from, to))) {
      for (int l = 0; l < to.lanes; ++l) fft_.transform(line_of(from, l), line_of(to, l), to.stream, work, rest);
      return;
    }
    const auto distance = static_cast<integer>(aligned(line_elements_) / sizeof(complex));
    auto* const first = reinterpret_cast<complex*>(lines);
    if (real_in_) {
      load(from, staged<Real>{reinterpret_cast<Real*>(first), 1, 2 * distance});
    } else {
      const staged<complex> all{first, 1, distance};
      load(from, all);
      apply(loading_, all, from.lanes);
    }
    for (int l = 0; l < to.lanes; ++l) through(first + l * distance, work, rest);
    if (real_out_) {
      store(staged<Real>{reinterpret_cast<Real*>(first), 1, 2 * distance}, to, scale_);
    } else {
      const staged<complex> all{first, 1, distance};
      apply(storing_, all, to.lanes);
      store(all, to, scale_);
    }
  }

 private:
  static std::size_t aligned(integer elements) {
    return (static_cast<std::size_t>(elements) * sizeof(complex) + 63) / 64 * 64;
  }
  [[nodiscard]] bool is_whole(const bundle& lines) const {
    return lines.runs.size() == 1 && lines.runs[0].address != nullptr && lines.runs[0].step == 1 &&
           lines.runs[0].count == length_;
  }
  static strided_line line_of(const bundle& lines, integer lane) {
    return {lines.runs[0].address + lane * lines.runs[0].lane_stride, lines.runs[0].stride};
  }
  /// Whether storing one line could write over another that is not loaded yet.
  [[nodiscard]] bool overlapping(const bundle& from, const bundle& to) const {
    const auto same = [](const run& a, const run& b) {
      return a.address == b.address && a.stride == b.stride && a.lane_stride == b.lane_stride;
    };
    const auto range = [&](const bundle& lines) {
      const run& r = lines.runs[0];
      const integer line = (r.count - 1) * r.stride, lanes = (lines.lanes - 1) * r.lane_stride;
      return std::pair{r.address + std::min<integer>(line, 0) + std::min<integer>(lanes, 0),
                       r.address + std::max<integer>(line, 0) + std::max<integer>(lanes, 0)};
    };
    const auto a = range(from), b = range(to);
    return !same(from.runs[0], to.runs[0]) && a.first <= b.second && b.first <= a.second;
  }

  /// One line in a buffer, which is real or complex on either side.
  void through(complex* line, complex* work, std::byte* rest) const {
    auto* const values = reinterpret_cast<Real*>(line);
    if (halved_) {
      if (real_out_) join(line);
    } else if (real_in_) {
      for (integer j = length_ - 1; j >= 0; --j) line[j] = {values[j], 0};
    } else if (real_out_) {
      line[0].imag(0);
      for (integer k = 1; 2 * k < length_; ++k) line[length_ - k] = std::conj(line[k]);
    }
    const strided_line whole{reinterpret_cast<std::byte*>(line), sizeof(complex)};
    fft_.transform(whole, whole, false, work, rest);
    if (halved_) {
      if (real_in_) separate(line);
    } else if (real_out_) {
      for (integer j = 0; j < length_; ++j) values[j] = line[j].real();
    }
  }

  /// From the transform of pairs of neighbours, taken as complex numbers, the modes of the real line.
  void separate(complex* line) const {
    const integer half = length_ / 2;
    const complex z = line[0];
    line[0] = {z.real() + z.imag(), 0};
    line[half] = {z.real() - z.imag(), 0};
    for (integer k = 1; 2 * k <= half; ++k) {
      const complex low = line[k], high = std::conj(line[half - k]);
      const complex even = (low + high) * Real(0.5), odd = (low - high) * Real(0.5);
      const complex turned = product(complex(odd.imag(), -odd.real()), roots_(k));  // -i odd exp(-2 pi i k/n)
      line[k] = even + turned;
      line[half - k] = std::conj(even - turned);
    }
  }

  /// And back: the complex numbers whose inverse transform has the real line's neighbours as its parts.
  void join(complex* line) const {
    const integer half = length_ / 2;
    const Real first = line[0].real(), last = line[half].real();
    line[0] = {first + last, first - last};
    for (integer k = 1; 2 * k <= half; ++k) {
      const complex low = line[k], high = std::conj(line[half - k]);
      const complex even = low + high, odd = product(low - high, std::conj(roots_(k)));
      const complex turned{-odd.imag(), odd.real()};  // i odd
      line[k] = even + turned;
      line[half - k] = std::conj(even - turned);
    }
  }

  integer length_;
  bool forward_, real_in_, real_out_;
  bool halved_;  // real lines of even length: pairs of neighbours are one complex number
  complex_line<Real> fft_;
  fused_operations<Real> loading_ = {}, storing_ = {};  // done to lines in the buffer, if the transform does not
  Real scale_ = 1;
  integer line_elements_ = 0;
  int staged_lines_ = 0;
  root_table<Real> roots_;
  int threads_ = 1;
};

}  // namespace

bool is_long_line(line_kind kind, integer length, precision element) {
  if (!is_fourier(kind)) return false;
  const line_row& row = row_of(kind);
  integer complex_length = row.in != row.out && length % 2 == 0 ? length / 2 : length;
  // A convolution works on more than twice the length.
  if (complex_length * static_cast<integer>(complex_bytes(element)) <= long_line_bytes) {
    if (2 * complex_length * static_cast<integer>(complex_bytes(element)) <= long_line_bytes) return false;
    if (!factorise(complex_length).radices.empty()) return false;
  }
  return true;
}

int lanes_of_long_lines(precision element) { return static_cast<int>(64 / complex_bytes(element)); }

std::unique_ptr<kernel> make_long_kernel(const line_problem& problem, const line_engine& by) {
  if (problem.element == precision::f32) return std::make_unique<long_kernel<float>>(problem, by);
  return std::make_unique<long_kernel<double>>(problem, by);
}

}  // namespace weft::local
