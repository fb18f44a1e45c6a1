// SPDX-License-Identifier: BSD-3-Clause
// Lines in guarded memory and the definition of their transforms in long double, for tests of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "local/engines/weft.hpp"

namespace weft::local {

using wide = long double;
using wide_complex = std::complex<long double>;
using line = std::vector<wide_complex>;

inline std::size_t at(integer i) { return static_cast<std::size_t>(i); }

/// sum_j x(j) exp(sign 2 pi i jk/n) for k < outputs.
inline line definition(const line& x, int sign, std::size_t outputs) {
  const std::size_t n = x.size();
  line roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const wide angle = 2 * std::numbers::pi_v<wide> * static_cast<wide>(k) / static_cast<wide>(n);
    roots[k] = {std::cos(angle), static_cast<wide>(sign) * std::sin(angle)};
  }
  line y(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    std::size_t power = 0;
    wide re = 0, im = 0;  // in registers
    for (std::size_t j = 0; j < n; ++j) {
      const wide_complex& w = roots[power];
      re += x[j].real() * w.real() - x[j].imag() * w.imag();
      im += x[j].real() * w.imag() + x[j].imag() * w.real();
      power += k;
      if (power >= n) power -= n;
    }
    y[k] = {re, im};
  }
  return y;
}

inline bool real_input(line_kind kind) { return row_of(kind).in == element_type::real; }
inline bool real_output(line_kind kind) { return row_of(kind).out == element_type::real; }
inline integer input_count(line_kind kind, integer n) { return kind == line_kind::c2r ? n / 2 + 1 : n; }
inline integer output_count(line_kind kind, integer n) { return kind == line_kind::r2c ? n / 2 + 1 : n; }

constexpr line_kind trigonometric_kinds[] = {
    line_kind::dct1,         line_kind::dct2,         line_kind::dct3,         line_kind::dct4,
    line_kind::dst1,         line_kind::dst2,         line_kind::dst3,         line_kind::dst4,
    line_kind::complex_dct1, line_kind::complex_dct2, line_kind::complex_dct3, line_kind::complex_dct4,
    line_kind::complex_dst1, line_kind::complex_dst2, line_kind::complex_dst3, line_kind::complex_dst4};

/// The sums in FFTW's manual. Of each: where j and k start, in halves; half the period, less n; which terms count once.
inline line trigonometric_definition(line_kind kind, const line& x) {
  struct sum {
    integer j, k, more;
    bool sine, single_first, single_last;
  };
  constexpr sum sums[] = {{0, 0, -1, false, true, true},  {1, 0, 0, false, false, false}, {0, 1, 0, false, true, false},
                          {1, 1, 0, false, false, false}, {2, 2, 1, true, false, false},  {1, 2, 0, true, false, false},
                          {2, 1, 0, true, false, true},   {1, 1, 0, true, false, false}};
  const sum& of = sums[static_cast<int>(on_reals(kind)) - static_cast<int>(line_kind::dct1)];
  const auto n = static_cast<integer>(x.size());
  const integer period = 8 * (n + of.more);
  std::vector<wide> table;
  for (integer m = 0; m < period; ++m) {
    const wide angle = 2 * std::numbers::pi_v<wide> * static_cast<wide>(m) / static_cast<wide>(period);
    table.push_back(of.sine ? std::sin(angle) : std::cos(angle));
  }
  line y(x.size());
  for (integer k = 0; k < n; ++k) {
    const integer step = 2 * (2 * k + of.k) % period;
    integer place = of.j * (2 * k + of.k) % period;
    wide re = 0, im = 0;
    for (integer j = 0; j < n; ++j) {
      const bool single = (of.single_first && j == 0) || (of.single_last && j + 1 == n);
      const wide factor = (single ? 1 : 2) * table[at(place)];
      re += x[at(j)].real() * factor;
      im += x[at(j)].imag() * factor;
      place += step;
      if (place >= period) place -= period;
    }
    y[at(k)] = {re, im};
  }
  return y;
}

/// What `kind` makes of the elements it reads.
inline line expected(line_kind kind, integer n, const line& x) {
  if (is_trigonometric(kind)) return trigonometric_definition(kind, x);
  if (kind != line_kind::c2r) {
    return definition(x, kind == line_kind::c2c_backward ? 1 : -1, at(output_count(kind, n)));
  }
  line full(at(n));
  for (integer k = 0; k <= n / 2; ++k) {
    full[at(k)] = x[at(k)];
    full[at((n - k) % n)] = std::conj(x[at(k)]);
  }
  full[0] = full[0].real();
  if (n % 2 == 0) full[at(n / 2)] = full[at(n / 2)].real();
  return definition(full, 1, full.size());
}

enum class layout { rows, lines, scattered };
/// In one run, in several, every third element absent, or all but the first ones.
enum class cut { whole, steps, blocks, hole, start };

/// `count` elements of `lanes` lines somewhere in guarded memory, behind runs.
template <class T>
class guarded_lines {
 public:
  guarded_lines(layout how, cut pieces, integer count, int lanes, bool real, integer spread = 0)
      : pieces_(pieces), count_(count), lanes_(lanes), real_(real) {
    const integer bytes = real ? sizeof(T) : 2 * sizeof(T);
    const integer length = std::max(count, spread);
    switch (how) {
      case layout::rows: lane_stride_ = bytes, stride_ = bytes * (lanes + 1); break;
      case layout::lines: stride_ = bytes, lane_stride_ = bytes * (length + 1); break;
      case layout::scattered: stride_ = 2 * bytes, lane_stride_ = bytes * (2 * length + 3); break;
    }
    memory_.assign(at(guard + (length - 1) * stride_ + (lanes - 1) * lane_stride_ + bytes + guard), filler);
    cut_into_runs();
  }

  [[nodiscard]] bundle lines() const { return {runs_, lanes_}; }
  [[nodiscard]] bool holds(integer index) const {
    if (pieces_ == cut::start) return index < kept();
    return !(pieces_ == cut::hole && index % 3 == 1);
  }

  [[nodiscard]] wide_complex get(integer index, integer lane) const {
    T value[2] = {};
    if (holds(index)) std::memcpy(value, address(index, lane), real_ ? sizeof(T) : 2 * sizeof(T));
    return {value[0], value[1]};
  }

  void fill_random(std::mt19937& random) {
    std::uniform_real_distribution<T> uniform(-1, 1);
    each_element([&](std::byte* where) {
      const T value[2] = {uniform(random), uniform(random)};
      std::memcpy(where, value, real_ ? sizeof(T) : 2 * sizeof(T));
    });
  }

  /// Whether all memory outside the elements is as it was.
  [[nodiscard]] bool surroundings_intact() {
    each_element(
        [&](std::byte* where) { std::memset(where, static_cast<int>(filler), real_ ? sizeof(T) : 2 * sizeof(T)); });
    return std::all_of(memory_.begin(), memory_.end(), [](std::byte b) { return b == filler; });
  }

  [[nodiscard]] line line_of_lane(integer lane) const {
    line x;
    for (integer i = 0; i < count_; ++i) x.push_back(get(i, lane));
    return x;
  }

  [[nodiscard]] std::byte* base() { return memory_.data() + guard; }
  void move_runs(std::byte* to) {
    for (run& r : runs_) {
      if (r.address != nullptr) r.address = to + (r.address - base());
    }
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr integer guard = 0;  // so that every access beyond the lines is seen
#else
  static constexpr integer guard = 64;
#endif
  static constexpr std::byte filler{0x5a};

  [[nodiscard]] integer kept() const { return count_ - count_ / 3; }

  /// The runs with step > 1 are compact: their elements follow one another in memory.
  void cut_into_runs() {
    integer position = 0;
    positions_.assign(at(count_), 0);
    const auto add = [&](integer first, integer step, integer terms, bool null) {
      if (terms <= 0) return;
      run r{base() + position * stride_, first, step, terms, stride_, lane_stride_};
      if (null) r.address = nullptr;
      for (integer j = 0; j < terms; ++j) positions_[at(first + j * step)] = position + j;
      position += terms;
      runs_.push_back(r);
    };
    if (pieces_ == cut::whole) {
      add(0, 1, count_, false);
    } else if (pieces_ == cut::start) {
      add(0, 1, kept(), false);
      add(kept(), 1, count_ - kept(), true);
    } else if (pieces_ == cut::blocks) {
      const integer first = count_ >= 64 ? count_ / 32 * 16 : count_ / 2 + 1;
      add(0, 1, first, false);
      add(first, 1, count_ - first, false);
    } else {
      for (integer start : {2, 0, 1}) add(start, 3, (count_ - start + 2) / 3, pieces_ == cut::hole && start == 1);
    }
  }

  [[nodiscard]] const std::byte* address(integer index, integer lane) const {
    return memory_.data() + guard + positions_[at(index)] * stride_ + lane * lane_stride_;
  }

  template <class Body>
  void each_element(const Body& body) {
    for (integer i = 0; i < count_; ++i) {
      for (integer l = 0; l < lanes_; ++l) {
        if (holds(i)) body(memory_.data() + (address(i, l) - memory_.data()));
      }
    }
  }

  cut pieces_;
  integer count_;
  int lanes_;
  bool real_;
  integer stride_ = 0;
  integer lane_stride_ = 0;
  std::vector<std::byte> memory_;
  std::vector<integer> positions_;
  std::vector<run> runs_;
};

struct aligned_scratch {
  explicit aligned_scratch(std::size_t bytes)
      : memory(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t(64)))) {}
  ~aligned_scratch() { ::operator delete(memory, std::align_val_t(64)); }
  aligned_scratch(const aligned_scratch&) = delete;
  aligned_scratch& operator=(const aligned_scratch&) = delete;
  std::byte* memory;
};

template <class T>
constexpr precision precision_of = sizeof(T) == 4 ? precision::f32 : precision::f64;

template <class T>
void call(line_problem problem, const bundle& from, const bundle& to, double scale) {
  problem.storing.emplace_back(scaling{scale});
  const auto kernel = weft_engine().make_kernel(problem);
  const aligned_scratch scratch(kernel->scratch_bytes());
  kernel->transform(from, to, scratch.memory);
}

/// Relative error in the L2 norm.
inline wide distance(const line& got, const line& want) {
  wide error = 0;
  wide norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    error += std::norm(got[i] - want[i]);
    norm += std::norm(want[i]);
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

template <class T>
wide tolerance(integer n) {
  return 2 * std::numeric_limits<T>::epsilon() * (1 + std::log2(static_cast<wide>(n)));
}

/// The native engine's forward transform of one dense line.
template <class T>
void native_transform(integer n, std::complex<T>* x, std::complex<T>* y) {
  const integer bytes = sizeof(std::complex<T>);
  const run from{reinterpret_cast<std::byte*>(x), 0, 1, n, bytes, n * bytes};
  const run to{reinterpret_cast<std::byte*>(y), 0, 1, n, bytes, n * bytes};
  call<T>({line_kind::c2c_forward, n, precision_of<T>, 1, true}, {{&from, 1}, 1}, {{&to, 1}, 1}, 1);
}

/// Error of `transform(n, x, y)` against the definition, the mean over a few random lines.
template <class T, class Transform>
wide error_of_random_lines(integer n, const Transform& transform) {
  constexpr int count = 3;
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  wide error = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<std::complex<T>> x(at(n)), y(at(n));
    for (auto& value : x) value = {uniform(random), uniform(random)};
    transform(n, x.data(), y.data());
    error += distance(line(y.begin(), y.end()), definition(line(x.begin(), x.end()), -1, at(n))) / count;
  }
  return error;
}

inline std::vector<integer> lengths_for_accuracy() {
  std::vector<integer> lengths;
  for (integer n = 1; n <= 1024; n += n < 256 ? 1 : 11) lengths.push_back(n);
  for (const integer n : {1024, 1536, 2000, 2003, 2048, 2401, 3000, 3001, 4096}) lengths.push_back(n);
  return lengths;
}

}  // namespace weft::local
