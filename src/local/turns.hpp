// The factors of a rotation (see line_problem) in an engine's precision.
#pragma once

#include <complex>
#include <vector>

#include "local/engine.hpp"
#include "local/simd/roots.hpp"
#include "local/staging.hpp"

namespace weft::local {

inline bool is_forward(line_kind kind) { return row_of(kind).forward; }

/// One factor per element of a line's complex side; none if the problem turns nothing.
template <class Real>
std::vector<std::complex<Real>> turns_of(const line_problem& problem) {
  std::vector<std::complex<Real>> turns;
  const auto [shift, period] = problem.turn;
  if (shift % period == 0) return turns;
  integer at = 0;
  const bool halved = problem.kind == line_kind::r2c || problem.kind == line_kind::c2r;
  const integer count = halved ? problem.length / 2 + 1 : problem.length;
  for (integer k = 0; k < count; ++k, at = (at + shift) % period) {
    const unit_root r = root_of_unity(at, period);
    const auto sine = static_cast<Real>(r.sine);
    turns.push_back({static_cast<Real>(r.cosine), is_forward(problem.kind) ? -sine : sine});
  }
  return turns;
}

template <class Real>
void turn(const std::vector<std::complex<Real>>& turns, const staged<std::complex<Real>>& lines, int lanes) {
  for (std::size_t k = 0; k < turns.size(); ++k) {
    std::complex<Real>* const at = lines.data + static_cast<integer>(k) * lines.element_step;
    for (int l = 0; l < lanes; ++l) at[l * lines.lane_step] *= turns[k];
  }
}

/// Conjugates what the problem asks for.
template <class Real>
void conjugate(const line_problem& problem, const staged<std::complex<Real>>& lines, int lanes) {
  if (problem.conjugate_from == 0) return;
  for (integer k = problem.conjugate_from; k < problem.length; ++k) {
    std::complex<Real>* const at = lines.data + k * lines.element_step;
    for (int l = 0; l < lanes; ++l) at[l * lines.lane_step] = std::conj(at[l * lines.lane_step]);
  }
}

}  // namespace weft::local
