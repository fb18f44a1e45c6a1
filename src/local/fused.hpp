// SPDX-License-Identifier: BSD-3-Clause
// The operations that kernels fuse, in the precision of their lines, and one way to do them for engines that stage.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "local/kernel.hpp"
#include "local/simd/roots.hpp"
#include "local/staging.hpp"
#include "weft/error.hpp"

namespace weft::local {

/// What is done to the elements of one side of every line, but for scaling.
template <class Real>
struct fused_operations {
  std::vector<std::complex<Real>> turns;  ///< a factor for each element; empty: none is turned
  integer conjugate_from = 0;             ///< this and those up to conjugate_end are conjugated
  integer conjugate_end = 0;

  [[nodiscard]] bool any() const { return !turns.empty() || conjugate_from < conjugate_end; }
};

/// One factor for each of `count` elements; none if nothing turns.
template <class Real>
std::vector<std::complex<Real>> factors_of(const turning& t, integer count) {
  std::vector<std::complex<Real>> factors;
  const auto [shift, period] = t.by;
  if (shift % period == 0) return factors;
  integer at = 0;
  for (integer k = 0; k < count; ++k, at = (at + shift) % period) {
    const unit_root r = root_of_unity(at, period);
    const auto sine = static_cast<Real>(r.sine);
    factors.push_back({static_cast<Real>(r.cosine), t.way == direction::forward ? -sine : sine});
  }
  return factors;
}

/// Of a side of `count` elements. A line is turned or conjugated, never both: then no order need be kept.
template <class Real>
fused_operations<Real> fused(const operation_list& operations, element_type type, integer count) {
  fused_operations<Real> result;
  for (const auto& o : operations) {
    if (std::holds_alternative<scaling>(o)) continue;
    if (is_pointwise(o)) throw internal_error("a kernel was given an operation that it cannot fuse");
    if (type == element_type::real) throw internal_error("real elements are neither turned nor conjugated");
    if (result.any()) throw internal_error("a kernel was given several operations to fuse on one side");
    if (const auto* t = std::get_if<turning>(&o)) {
      if (turns_lines_apart(o)) throw internal_error("a kernel was given lines to be turned each in its own way");
      if (t->first != 0) throw internal_error("a kernel was given lines to be turned as a whole");
      result.turns = factors_of<Real>(*t, count);
    } else {
      result.conjugate_from = std::get<conjugation>(o).from;
      result.conjugate_end = count;
    }
  }
  return result;
}

template <class Real>
fused_operations<Real> fused_loading(const line_problem& problem) {
  const line_row& row = row_of(problem.kind);
  return fused<Real>(problem.loading, row.in, row.in_extent(problem.length));
}

template <class Real>
fused_operations<Real> fused_storing(const line_problem& problem) {
  const line_row& row = row_of(problem.kind);
  return fused<Real>(problem.storing, row.out, row.out_extent(problem.length));
}

/// All scalings together: a transform is linear, so they may wait for the store.
[[nodiscard]] inline double scale_of(const operation_list& loading, const operation_list& storing) {
  double factor = 1;
  for (const auto* list : {&loading, &storing}) {
    for (const auto& o : *list) {
      if (const auto* s = std::get_if<scaling>(&o)) factor *= s->factor;
    }
  }
  return factor;
}

[[nodiscard]] inline double scale_of(const line_problem& problem) { return scale_of(problem.loading, problem.storing); }

[[nodiscard]] inline bool conjugates(const line_problem& problem) {
  const auto is_conjugation = [](const element_operation& o) { return std::holds_alternative<conjugation>(o); };
  return std::ranges::any_of(problem.loading, is_conjugation) || std::ranges::any_of(problem.storing, is_conjugation);
}

template <class Real>
void apply(const fused_operations<Real>& operations, const staged<std::complex<Real>>& lines, int lanes) {
  const auto each = [&](integer k, const auto& change) {
    std::complex<Real>* const at = lines.data + k * lines.element_step;
    for (int l = 0; l < lanes; ++l) at[l * lines.lane_step] = change(at[l * lines.lane_step]);
  };
  for (std::size_t k = 0; k < operations.turns.size(); ++k) {
    each(static_cast<integer>(k), [&](std::complex<Real> value) { return value *= operations.turns[k]; });
  }
  for (integer k = operations.conjugate_from; k < operations.conjugate_end; ++k) {
    each(k, [](std::complex<Real> value) { return std::conj(value); });
  }
}

}  // namespace weft::local
