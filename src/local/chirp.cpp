// SPDX-License-Identifier: BSD-3-Clause
#include "local/chirp.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/memory.hpp"
#include "local/line_engine.hpp"
#include "local/simd/plan.hpp"
#include "local/threads.hpp"

namespace weft::local {

namespace {

/// Two digits of about the same length, both of small primes; a little more than `least` is cheaper than a poor cut.
line_digits digits_from(integer least) {
  integer first = 1;
  while (first * first < least) ++first;
  first = padded_length(first);
  return {first, padded_length((least + first - 1) / first)};
}

/// body(begin, end) for parts of `count`, on all threads.
template <class Body>
void in_parts(integer count, int threads, const Body& body) {
  on_threads(threads, [&](int t) { body(count * t / threads, count * (t + 1) / threads); });
}

/// visit(j, place(j), j^2 mod 2 length): the angle stays exact.
template <class Real, class Visit>
void each_square(const long_fft<Real>& in, integer length, integer begin, integer end, const Visit& visit) {
  integer square = begin * begin % (2 * length), step = (2 * begin + 1) % (2 * length);
  const auto advance = [&](integer& at, integer by) {
    at += by;
    if (at >= 2 * length) at -= 2 * length;
  };
  in.each_place(begin, end, [&](integer j, integer place) {
    visit(j, place, square);
    advance(square, step);
    advance(step, 2);
  });
}

integer stored_rows(int odd, line_digits digits) { return (digits.first + 2 - odd) / 2; }

template <class Real>
long_chirp_tables<Real> make_tables(integer length, line_digits digits, const line_engine& by, int threads) {
  long_chirp_tables<Real> tables;
  const integer half = digits.first * digits.second;
  // In double precision whatever the lines have: the table's errors go into every result.
  const long_fft<double> exact(digits, true, by, threads);
  std::vector<std::complex<double>> work(static_cast<std::size_t>(exact.work_elements()));
  const memory scratch = base::host().allocate(exact.scratch_bytes());
  const root_table<long double> roots(2 * length), turns(2 * half);
  for (const int odd : {0, 1}) {
    std::ranges::fill(work, std::complex<double>{});
    const auto add = [&](integer j, integer square, integer sign) {
      std::complex<long double> value = std::conj(roots(square));
      if (odd == 1) value = product(value, turns(j)) * static_cast<long double>(sign);
      work[static_cast<std::size_t>(exact.place(j))] += std::complex<double>(value);
    };
    each_square(exact, length, 0, length, [&](integer j, integer, integer square) {
      add(j, square, 1);
      // Element -j, which is j' + m.
      if (j > 0) add(half - j, square, -1);
    });
    exact.to_digits(work.data(), scratch.data());
    auto& spectrum = tables.spectrum[odd];
    const integer rows = stored_rows(odd, digits);
    spectrum.reserve(static_cast<std::size_t>(rows * digits.second));
    exact.each_place(0, rows * digits.second, [&](integer, integer place) {
      const auto value = work[static_cast<std::size_t>(place)] / static_cast<double>(2 * half);
      spectrum.push_back({static_cast<Real>(value.real()), static_cast<Real>(value.imag())});
    });
  }
  return tables;
}

/// Those of a length that is in use, or new ones. Threads may plan at the same time.
template <class Real>
std::shared_ptr<const long_chirp_tables<Real>> shared_tables(integer length, line_digits digits, const line_engine& by,
                                                             int threads) {
  using key = std::pair<integer, const line_engine*>;
  static std::mutex lock;
  static std::map<key, std::weak_ptr<const long_chirp_tables<Real>>> known;
  const std::lock_guard guard(lock);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& place = known[{length, &by}];
  if (auto found = place.lock()) return found;
  auto made = std::make_shared<const long_chirp_tables<Real>>(make_tables<Real>(length, digits, by, threads));
  place = made;
  return made;
}

}  // namespace

/// Mode 2k has the value of mode -2k, and 2k + 1 that of -2k - 1; k = k1 + n1 k2 lies in row k1, column k2.
template <class Real>
typename long_chirp_tables<Real>::part long_chirp_tables<Real>::of_row(int odd, integer number,
                                                                       line_digits digits) const {
  const bool reversed = number >= stored_rows(odd, digits);
  const integer row = reversed ? digits.first - odd - number : number;
  return {spectrum[odd].data() + row * digits.second, reversed};
}

template <class Real>
long_chirp<Real>::long_chirp(integer length, bool forward, const line_engine& by, int threads, double scale)
    : long_chirp(length, digits_from(length), forward, by, threads, scale) {}

template <class Real>
long_chirp<Real>::long_chirp(integer length, line_digits digits, bool forward, const line_engine& by, int threads,
                             double scale)
    : length_(length),
      digits_(digits),
      forward_(forward),
      threads_(threads),
      there_(digits, true, by, threads),
      back_(digits, false, by, threads),
      scale_(scale),
      chirp_(2 * length),
      turns_(2 * digits.first * digits.second),
      tables_(shared_tables<Real>(length, digits, by, threads)) {}

template <class Real>
template <int Odd>
void long_chirp<Real>::convolve(const strided_line& from, const strided_line& to, complex* work,
                                std::byte* scratch) const {
  using wide = std::complex<double>;
  // Backward is the conjugate of the forward transform of the conjugate.
  const auto load = [&](const strided_line& line, integer j) {
    complex value;
    std::memcpy(&value, line.address + j * line.stride, sizeof value);
    return wide(value.real(), forward_ ? value.imag() : -value.imag());
  };
  std::fill_n(work, there_.work_elements(), complex{});
  in_parts(length_, threads_, [&](integer begin, integer end) {
    each_square(there_, length_, begin, end, [&](integer j, integer place, integer square) {
      wide value = product(load(from, j), chirp_(square));
      if (Odd == 1) value = product(value, turns_(j));
      work[place] = complex(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    });
  });
  there_.to_digits(work, scratch);
  in_parts(digits_.first, threads_, [&](integer begin, integer end) {
    for (integer r = begin; r < end; ++r) {
      complex* const row = work + there_.place(r * digits_.second);
      const auto by = tables_->of_row(Odd, r, digits_);
      if (by.reversed) {
        for (integer i = 0, last = digits_.second - 1; i <= last; ++i) row[i] = product(row[i], by.first[last - i]);
      } else {
        for (integer i = 0; i < digits_.second; ++i) row[i] = product(row[i], by.first[i]);
      }
    }
  });
  back_.from_digits(work, scratch);
  in_parts(length_, threads_, [&](integer begin, integer end) {
    each_square(there_, length_, begin, end, [&](integer k, integer place, integer square) {
      wide value(work[place].real(), work[place].imag());
      if (Odd == 1) value = product(value, std::conj(turns_(k)));
      value = product(value, chirp_(square)) * scale_;
      if (Odd == 1) value += load(to, k);
      const complex stored(static_cast<Real>(value.real()), static_cast<Real>(forward_ ? value.imag() : -value.imag()));
      std::memcpy(to.address + k * to.stride, &stored, sizeof stored);
    });
  });
}

template <class Real>
bool long_chirp<Real>::overlap(const strided_line& from, const strided_line& to) const {
  const auto range = [&](const strided_line& line) {
    const integer last = (length_ - 1) * line.stride;
    return std::pair{line.address + std::min<integer>(last, 0), line.address + std::max<integer>(last, 0)};
  };
  const auto a = range(from), b = range(to);
  return a.first <= b.second && b.first <= a.second;
}

template <class Real>
void long_chirp<Real>::transform(const strided_line& from, const strided_line& to, complex* work,
                                 std::byte* scratch) const {
  strided_line source = from;
  if (overlap(from, to)) {
    complex* const copy = work + there_.work_elements();
    for (integer j = 0; j < length_; ++j) std::memcpy(copy + j, from.address + j * from.stride, sizeof(complex));
    source = {reinterpret_cast<std::byte*>(copy), sizeof(complex)};
  }
  convolve<0>(source, to, work, scratch);
  convolve<1>(source, to, work, scratch);
}

template class long_chirp<float>;
template class long_chirp<double>;

}  // namespace weft::local
