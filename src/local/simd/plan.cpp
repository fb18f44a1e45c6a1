// SPDX-License-Identifier: BSD-3-Clause
#include "local/simd/plan.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "local/simd/roots.hpp"

namespace weft::local {

namespace {

using wide_complex = std::complex<long double>;

/// exp(-2 pi i numerator/denominator).
wide_complex conjugate_root(integer numerator, integer denominator) {
  const unit_root r = root_of_unity(numerator % denominator, denominator);
  return {r.cosine, -r.sine};
}

template <class T>
void append(std::vector<T>& table, const wide_complex& value) {
  table.push_back(static_cast<T>(value.real()));
  table.push_back(static_cast<T>(value.imag()));
}

/// Cycles per element of one step: measured on Zen 4 with AVX-512, which other machines follow closely
/// enough to choose by.
double step_cost(int radix) {
  switch (radix) {
    case 2: return 6.5;
    case 3: return 7;
    case 4: return 7.5;
    case 5: return 8;
    case 6: return 8;
    case 7: return 9.2;
    case 8: return 8.7;
    case 9: return 9.8;
    case 10: return 9.5;
    case 11: return 14;
    case 12: return 9.7;
    case 13: return 17.5;
    case 15: return 12.5;
    case 16: return 14.5;
    default: return 8 + 1.2 * radix;
  }
}

class factoriser {
 public:
  const factorisation& best(integer length) {
    if (const auto known = known_.find(length); known != known_.end()) return known->second;
    factorisation result{{}, length == 1 ? 0 : std::numeric_limits<double>::infinity()};
    for (integer radix = 2; radix <= std::min<integer>(length, largest_summed_prime); ++radix) {
      if (length % radix != 0 || !usable(radix)) continue;
      const factorisation& rest = best(length / radix);
      const double cost = rest.cost + step_cost(static_cast<int>(radix));
      if (cost < result.cost) {
        result = {rest.radices, cost};
        result.radices.push_back(static_cast<int>(radix));
      }
    }
    return known_.emplace(length, result).first->second;
  }

 private:
  static bool usable(integer radix) {
    if (is_compiled(radix)) return true;
    for (integer divisor = 2; divisor * divisor <= radix; ++divisor) {
      if (radix % divisor == 0) return false;
    }
    return true;
  }

  std::map<integer, factorisation> known_;
};

/// A plain recursive transform: only for tables.
std::vector<wide_complex> wide_transform(const std::vector<wide_complex>& x) {
  const auto n = static_cast<integer>(x.size());
  integer radix = 2;
  while (radix < n && n % radix != 0) ++radix;
  if (n <= 1) return x;
  const integer rest = n / radix;
  std::vector<std::vector<wide_complex>> parts;
  for (integer j = 0; j < radix; ++j) {
    std::vector<wide_complex> part;
    for (integer i = j; i < n; i += radix) part.push_back(x[static_cast<std::size_t>(i)]);
    parts.push_back(rest > 1 ? wide_transform(part) : part);
  }
  std::vector<wide_complex> roots;
  for (integer k = 0; k < n; ++k) roots.push_back(conjugate_root(k, n));
  std::vector<wide_complex> result(x.size());
  for (integer k = 0; k < n; ++k) {
    for (integer j = 0; j < radix; ++j) {
      result[static_cast<std::size_t>(k)] += parts[static_cast<std::size_t>(j)][static_cast<std::size_t>(k % rest)] *
                                             roots[static_cast<std::size_t>(j * k % n)];
    }
  }
  return result;
}

}  // namespace

bool is_compiled(integer radix) {
  return std::find(std::begin(compiled_radices), std::end(compiled_radices), radix) != std::end(compiled_radices);
}

factorisation factorise(integer length) {
  factorisation result = factoriser().best(length);
  // Radices without kernels that load and store go where only the buffer is touched: between others.
  std::sort(result.radices.begin(), result.radices.end(), std::greater<>());
  auto& radices = result.radices;
  const auto compiled = std::stable_partition(radices.begin(), radices.end(), [](int r) { return is_compiled(r); });
  if (compiled != radices.end() && compiled - radices.begin() >= 2) {
    std::rotate(compiled - 1, compiled, radices.end());
  }
  return result;
}

integer padded_length(integer least) {
  factoriser search;
  integer best = 1;
  while (best < least) best *= 2;
  const integer most = best;
  double best_cost = search.best(best).cost * static_cast<double>(best);
  for (integer sevens = 1; sevens <= most; sevens *= 7) {
    for (integer fives = sevens; fives <= most; fives *= 5) {
      for (integer length = fives; length <= most; length *= 3) {
        integer even = length;
        while (even < least) even *= 2;
        const double cost = search.best(even).cost * static_cast<double>(even);
        if (cost < best_cost) {
          best_cost = cost;
          best = even;
        }
      }
    }
  }
  return best;
}

template <class T>
std::vector<step_plan<T>> plan_steps(const std::vector<int>& radices, integer together, integer element_bytes) {
  std::vector<step_plan<T>> steps;
  integer rest = 1;
  for (const int radix : radices) rest *= radix;
  const bool paddable = element_bytes != 0 && std::all_of(radices.begin(), radices.end(), is_compiled);
  integer stride = together;
  for (const int radix : radices) {
    const integer groups = rest / radix;
    step_plan<T> step{radix, {groups, stride, stride * groups, groups, 0}, {}};
    if (!steps.empty() && paddable && step.shape.in_distance * element_bytes % 2048 == 0) {
      step_shape& previous = steps.back().shape;
      previous.block_groups = groups;
      previous.out_padding = 1;
      step.shape.in_distance += 1;
    }
    for (integer p = 0; p < groups; ++p) {
      for (integer k = 1; k < radix; ++k) append(step.roots, conjugate_root(p * k, rest));
    }
    rest = groups;
    stride *= radix;
    steps.push_back(std::move(step));
  }
  return steps;
}

template <class T>
std::vector<T> roots_of_unity(integer order, integer count) {
  std::vector<T> table;
  for (integer k = 0; k < count; ++k) append(table, conjugate_root(k, order));
  return table;
}

template <class T>
chirp_tables<T> plan_chirp(integer length, integer padded) {
  chirp_tables<T> tables;
  std::vector<wide_complex> conjugate(static_cast<std::size_t>(padded));
  integer square = 0;  // j^2 mod 2 length: the angle stays exact
  for (integer j = 0; j < length; ++j) {
    const wide_complex chirp = conjugate_root(square, 2 * length);
    append(tables.chirp, chirp);
    conjugate[static_cast<std::size_t>(j)] = std::conj(chirp);
    conjugate[static_cast<std::size_t>(j == 0 ? 0 : padded - j)] = std::conj(chirp);
    square = (square + 2 * j + 1) % (2 * length);
  }
  for (const wide_complex& value : wide_transform(conjugate)) {
    append(tables.spectrum, value / static_cast<long double>(padded));
  }
  return tables;
}

template std::vector<step_plan<float>> plan_steps(const std::vector<int>&, integer, integer);
template std::vector<step_plan<double>> plan_steps(const std::vector<int>&, integer, integer);
template std::vector<float> roots_of_unity(integer, integer);
template std::vector<double> roots_of_unity(integer, integer);
template chirp_tables<float> plan_chirp(integer, integer);
template chirp_tables<double> plan_chirp(integer, integer);

}  // namespace weft::local
