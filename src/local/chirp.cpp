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
#include "weft/error.hpp"

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

template <class Real>
long_chirp_tables<Real> make_tables(integer length, line_digits digits, const line_engine& by, int threads) {
  long_chirp_tables<Real> tables;
  const integer padded = digits.first * digits.second;
  // In double precision whatever the lines have: the table's errors go into every result.
  const long_fft<double> exact(digits, true, by, threads);
  std::vector<std::complex<double>> conjugate(static_cast<std::size_t>(exact.work_elements()));
  const root_table<long double> roots(2 * length);
  tables.chirp.reserve(static_cast<std::size_t>(length));
  integer square = 0;  // j^2 mod 2 length: the angle stays exact
  for (integer j = 0; j < length; ++j) {
    const auto r = roots(square);
    tables.chirp.push_back({static_cast<Real>(r.real()), static_cast<Real>(r.imag())});
    const std::complex<double> value(static_cast<double>(r.real()), static_cast<double>(-r.imag()));
    conjugate[static_cast<std::size_t>(exact.place(j))] = value;
    if (j > 0) conjugate[static_cast<std::size_t>(exact.place(padded - j))] = value;
    square = (square + 2 * j + 1) % (2 * length);
  }
  const memory scratch = base::host().allocate(exact.scratch_bytes());
  exact.to_digits(conjugate.data(), scratch.data());
  tables.spectrum.reserve(conjugate.size());
  for (const auto& value : conjugate) {
    tables.spectrum.push_back({static_cast<Real>(value.real() / static_cast<double>(padded)),
                               static_cast<Real>(value.imag() / static_cast<double>(padded))});
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

template <class Real>
long_chirp<Real>::long_chirp(integer length, bool forward, const line_engine& by, int threads, double scale)
    : long_chirp(length, digits_from(2 * length - 1), forward, by, threads, scale) {}

template <class Real>
long_chirp<Real>::long_chirp(integer length, line_digits digits, bool forward, const line_engine& by, int threads,
                             double scale)
    : length_(length),
      forward_(forward),
      threads_(threads),
      there_(digits, true, by, threads),
      back_(digits, false, by, threads),
      scale_(static_cast<Real>(scale)) {
  tables_ = shared_tables<Real>(length, digits, by, threads);
}

template <class Real>
void long_chirp<Real>::transform(const strided_line& from, const strided_line& to, complex* work,
                                 std::byte* scratch) const {
  // Backward is the conjugate of the forward transform of the conjugate.
  const auto mirrored = [&](const complex& value) { return forward_ ? value : std::conj(value); };
  std::fill_n(work, work_elements(), complex{});
  in_parts(length_, threads_, [&](integer begin, integer end) {
    there_.each_place(begin, end, [&](integer j, integer place) {
      complex value;
      std::memcpy(&value, from.address + j * from.stride, sizeof value);
      work[place] = product(mirrored(value), tables_->chirp[static_cast<std::size_t>(j)]);
    });
  });
  there_.to_digits(work, scratch);
  in_parts(work_elements(), threads_, [&](integer begin, integer end) {
    for (integer i = begin; i < end; ++i) work[i] = product(work[i], tables_->spectrum[static_cast<std::size_t>(i)]);
  });
  back_.from_digits(work, scratch);
  in_parts(length_, threads_, [&](integer begin, integer end) {
    there_.each_place(begin, end, [&](integer k, integer place) {
      const complex value = mirrored(product(work[place], tables_->chirp[static_cast<std::size_t>(k)])) * scale_;
      std::memcpy(to.address + k * to.stride, &value, sizeof value);
    });
  });
}

template class long_chirp<float>;
template class long_chirp<double>;

}  // namespace weft::local
