// SPDX-License-Identifier: BSD-3-Clause
// A distributed array on one rank, from one rank, and its sum.
#pragma once

#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/array.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace detail {

/// A rank's part of an array of elements of any type; `data` is where its layout counts from.
struct any_array {
  array_terms terms;
  std::size_t element_bytes;
  const std::byte* data;
};

/// `allocate` is called on the root alone, with the number of bytes that all takes.
using allocation = std::function<std::span<std::byte>(std::size_t)>;
void gather(const any_array& from, const allocation& allocate, int root, MPI_Comm on);
void scatter(std::span<const std::byte> all, const any_array& to, int root, MPI_Comm on);
/// Throws on all ranks unless all arrays are of one distributed array on the ranks of `on`.
void require_one_array(const any_array& x, MPI_Comm on);
void sum_over_ranks(std::span<double> values, MPI_Comm on);
void sum_over_ranks(std::span<long long> values, MPI_Comm on);

template <class T>
any_array any(const array<T>& x) {
  return {terms_of(x), sizeof(T), reinterpret_cast<const std::byte*>(x.data())};
}

/// Where a sum is added up: integers in 64 bits, the others in double precision.
template <class T>
struct sum_type {
  using type = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
};
template <class T>
struct sum_type<std::complex<T>> {
  using type = std::complex<double>;
};

/// Adds with the rounding errors kept apart (Neumaier), so that the number of elements does not matter.
class exact_adder {
 public:
  void add(double value) {
    const double next = total_ + value;
    error_ += std::abs(total_) >= std::abs(value) ? (total_ - next) + value : (value - next) + total_;
    total_ = next;
  }
  [[nodiscard]] double result() const { return total_ + error_; }

 private:
  double total_ = 0, error_ = 0;
};

}  // namespace detail

/// The whole array on rank `root` of `on`, row-major, the arrays of a batch one after the other; elsewhere empty. Any
/// number of bytes. Collective: every rank passes its part; throws the same error on all if these do not fit together.
template <class T>
[[nodiscard]] std::vector<T> gather(const array<T>& x, MPI_Comm on, int root = 0) {
  std::vector<T> all;
  const auto allocate = [&](std::size_t bytes) {
    all.resize(bytes / sizeof(T));
    return std::as_writable_bytes(std::span(all));
  };
  detail::gather(detail::any(x), allocate, root, on);
  return all;
}

/// The other way: `all`, of which rank `root` alone needs have any, to the parts. Collective.
template <class T>
void scatter(std::span<const T> all, array<T>& x, MPI_Comm on, int root = 0) {
  detail::scatter(std::as_bytes(all), detail::any(x), root, on);
}
template <class T>
void scatter(const std::vector<T>& all, array<T>& x, MPI_Comm on, int root = 0) {
  scatter(std::span<const T>(all), x, on, root);
}

/// The sum of all elements, those of all arrays of a batch together, the same on every rank: integers as 64-bit
/// integers, others in double precision. Collective.
template <class T>
[[nodiscard]] typename detail::sum_type<T>::type sum(const array<T>& x, MPI_Comm on) {
  detail::require_one_array(detail::any(x), on);
  if constexpr (std::is_integral_v<T>) {
    long long total = 0;
    x.for_each([&](auto, const T& value) { total += static_cast<long long>(value); });
    detail::sum_over_ranks(std::span(&total, 1), on);
    return total;
  } else {
    detail::exact_adder real, imaginary;
    x.for_each([&](auto, const T& value) {
      if constexpr (std::is_floating_point_v<T>) {
        real.add(static_cast<double>(value));
      } else {
        real.add(static_cast<double>(value.real()));
        imaginary.add(static_cast<double>(value.imag()));
      }
    });
    double both[] = {real.result(), imaginary.result()};
    detail::sum_over_ranks(both, on);
    if constexpr (std::is_floating_point_v<T>) {
      return both[0];
    } else {
      return {both[0], both[1]};
    }
  }
}

}  // namespace weft
