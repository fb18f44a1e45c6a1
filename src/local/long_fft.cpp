// SPDX-License-Identifier: BSD-3-Clause
#include "local/long_fft.hpp"

#include <algorithm>

#include "local/fused.hpp"
#include "local/line_engine.hpp"
#include "local/threads.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// A first digit below this leaves the second so long that a pass over it is no better than one over the line,
/// unless that is short itself.
constexpr integer least_digit = 64;
constexpr integer short_enough = 32768;

/// Rows of work memory start a few cache lines off the grid of powers of two.
constexpr integer row_padding = 16;

template <class Real>
constexpr precision precision_of = sizeof(Real) == 4 ? precision::f32 : precision::f64;

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

const turning* turning_in(const operation_list& operations) {
  const turning* found = nullptr;
  for (const auto& o : operations) {
    if (std::holds_alternative<scaling>(o)) continue;
    if (found != nullptr || !std::holds_alternative<turning>(o)) {
      throw internal_error("a long line can be scaled and turned once on either side, no more");
    }
    found = &std::get<turning>(o);
    if (found->first != 0) throw internal_error("a long line is to be turned as a whole");
  }
  return found;
}

/// The same turning along a digit that counts `unit` elements.
turning along_digit(const turning& whole, integer unit) {
  const auto [shift, period] = whole.by;
  return {whole.axis, {shift % period * (unit % period) % period, period}, whole.way};
}

}  // namespace

std::optional<line_digits> digits_of_line(integer length) {
  integer first = 1;
  for (integer d = 1; d * d <= length; ++d) {
    if (length % d == 0) first = d;
  }
  if (first < 2 || (first < least_digit && length / first > short_enough)) return std::nullopt;
  return line_digits{first, length / first};
}

template <class Real>
long_fft<Real>::long_fft(line_digits digits, bool forward, const line_engine& by, int threads,
                         const operation_list& loading, const operation_list& storing)
    : digits_(digits),
      forward_(forward),
      threads_(threads),
      row_(digits.second + row_padding),
      roots_(digits.first * digits.second) {
  const line_kind kind = forward ? line_kind::c2c_forward : line_kind::c2c_backward;
  constexpr precision element = precision_of<Real>;
  lanes_ = std::max(by.lanes(kind, digits.first, element), by.lanes(kind, digits.second, element));
  line_problem column{kind, digits.first, element, lanes_};
  line_problem row{kind, digits.second, element, lanes_};
  turns_ = row_turns<Real>(digits.first, lanes_);
  const auto rest_of = [](const turning& t) {
    return part_of_turning{t.by, root_table<Real>(t.by.period), t.way == direction::backward};
  };
  if (const turning* const t = turning_in(loading)) {
    column.loading.emplace_back(along_digit(*t, digits.second));
    load_turn_ = rest_of(*t);
  }
  const double scale = scale_of(loading, storing);
  if (scale != 1) row.storing.emplace_back(scaling{scale});
  if (const turning* const t = turning_in(storing)) {
    row.storing.emplace_back(along_digit(*t, digits.first));
    store_turn_ = rest_of(*t);
  }
  columns_ = by.make_kernel(column);
  rows_ = by.make_kernel(row);
  kernel_scratch_ = aligned(std::max(columns_->scratch_bytes(), rows_->scratch_bytes()));
  const auto staging = static_cast<std::size_t>(digits.first * lanes_) * sizeof(complex);
  thread_scratch_ =
      aligned(staging) + aligned(static_cast<std::size_t>(turns_.elements()) * sizeof(complex)) + kernel_scratch_;
}

template <class Real>
typename long_fft<Real>::thread_space long_fft<Real>::space_of(std::byte* scratch, int thread) const {
  std::byte* const mine = scratch + static_cast<std::size_t>(thread) * thread_scratch_;
  std::byte* const turns = mine + aligned(static_cast<std::size_t>(digits_.first * lanes_) * sizeof(complex));
  std::byte* const kernel = turns + aligned(static_cast<std::size_t>(turns_.elements()) * sizeof(complex));
  return {reinterpret_cast<complex*>(mine), reinterpret_cast<complex*>(turns), kernel};
}

/// visit(space, first, count) for groups of up to `lanes_` of `count` columns or rows.
template <class Real>
template <class Visit>
void long_fft<Real>::each_group(integer count, std::byte* scratch, const Visit& visit) const {
  const integer groups = (count + lanes_ - 1) / lanes_;
  on_threads(threads_, [&](int t) {
    const auto space = space_of(scratch, t);
    for (integer g = groups * t / threads_; g < groups * (t + 1) / threads_; ++g) {
      visit(space, g * lanes_, std::min<integer>(lanes_, count - g * lanes_));
    }
  });
}

template <class Real>
run long_fft<Real>::first_work_column(complex* work) const {
  constexpr auto bytes = static_cast<integer>(sizeof(complex));
  return {reinterpret_cast<std::byte*>(work), 0, 1, digits_.first, row_ * bytes, bytes};
}

template <class Real>
run long_fft<Real>::staged_columns(complex* staging) const {
  constexpr auto bytes = static_cast<integer>(sizeof(complex));
  return {reinterpret_cast<std::byte*>(staging), 0, 1, digits_.first, lanes_ * bytes, bytes};
}

template <class Real>
run long_fft<Real>::work_rows(complex* work, integer first) const {
  constexpr auto bytes = static_cast<integer>(sizeof(complex));
  return {reinterpret_cast<std::byte*>(work + first * row_), 0, 1, digits_.second, bytes, row_ * bytes};
}

/// Columns `first` and following by the roots between the digits.
template <class Real>
void long_fft<Real>::turn(const complex* from, integer from_stride, complex* to, integer to_stride, integer first,
                          integer count, complex* turns) const {
  for (int l = 0; l < static_cast<int>(turns_.lanes()); ++l) {
    const integer column = std::min(first + l, digits_.second - 1);  // lanes beyond are not kept
    turns_.set(l, 0, column, roots_, !forward_, turns);
    if (const auto [shift, period] = load_turn_.by; shift != 0) {
      const integer start = shift % period * (column % period) % period;
      turns_.multiply(l, start, 0, load_turn_.roots, load_turn_.conjugate, turns);
    }
    if (const auto [shift, period] = store_turn_.by; shift != 0) {
      turns_.multiply(l, 0, shift % period, store_turn_.roots, store_turn_.conjugate, turns);
    }
  }
  row_turning<Real> rows;
  rows.from = reinterpret_cast<const Real*>(from);
  rows.from_stride = from_stride;
  rows.to = reinterpret_cast<Real*>(to);
  rows.to_stride = to_stride;
  rows.rows = digits_.first;
  rows.kept = count;
  turns_.turn(rows, turns);
}

/// From wherever they lie, work memory included, to work memory.
template <class Real>
void long_fft<Real>::columns(const run& first_column, complex* work, std::byte* scratch) const {
  const auto column = [&](integer number) {
    run at = first_column;
    at.address += number * at.lane_stride;
    return at;
  };
  each_group(digits_.second, scratch, [&](const thread_space& space, integer first, integer count) {
    const run in = column(first), next = column(first + lanes_), staged = staged_columns(space.staging);
    bundle lines{{&in, 1}, static_cast<int>(count)};
    if (first + integer{2} * lanes_ <= digits_.second) lines.next = {&next, 1};
    columns_->transform(lines, {{&staged, 1}, static_cast<int>(count)}, space.kernel);
    turn(space.staging, lanes_, work + first, row_, first, count, space.turns);
  });
}

template <class Real>
void long_fft<Real>::transform(const strided_line& from, const strided_line& to, bool stream, complex* work,
                               std::byte* scratch) const {
  columns({from.address, 0, 1, digits_.first, digits_.second * from.stride, from.stride}, work, scratch);
  each_group(digits_.first, scratch, [&](const thread_space& space, integer first, integer count) {
    const run in = work_rows(work, first);
    const run out{to.address + first * to.stride, 0, 1, digits_.second, digits_.first * to.stride, to.stride};
    rows_->transform({{&in, 1}, static_cast<int>(count)}, {{&out, 1}, static_cast<int>(count), {}, stream},
                     space.kernel);
  });
}

template <class Real>
void long_fft<Real>::rows_in_place(complex* work, std::byte* scratch) const {
  each_group(digits_.first, scratch, [&](const thread_space& space, integer first, integer count) {
    const run row = work_rows(work, first);
    const bundle lines{{&row, 1}, static_cast<int>(count)};
    rows_->transform(lines, lines, space.kernel);
  });
}

template <class Real>
void long_fft<Real>::to_digits(complex* work, std::byte* scratch) const {
  columns(first_work_column(work), work, scratch);
  rows_in_place(work, scratch);
}

template <class Real>
void long_fft<Real>::from_digits(complex* work, std::byte* scratch) const {
  rows_in_place(work, scratch);
  each_group(digits_.second, scratch, [&](const thread_space& space, integer first, integer count) {
    const run staged = staged_columns(space.staging), out = first_work_column(work + first);
    turn(work + first, row_, space.staging, lanes_, first, count, space.turns);
    columns_->transform({{&staged, 1}, static_cast<int>(count)}, {{&out, 1}, static_cast<int>(count)}, space.kernel);
  });
}

template class long_fft<float>;
template class long_fft<double>;

}  // namespace weft::local
