// SPDX-License-Identifier: BSD-3-Clause
// A whole array in one process.
#pragma once

#include <vector>

#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

struct whole {
  std::vector<int> shape;
  integer outer = 1;  // product of all extents but the last
  integer last = 1, half = 1;
};

inline whole whole_of(const problem& what) {
  whole w;
  for (const integer n : what.shape) w.shape.push_back(static_cast<int>(n));
  for (std::size_t l = 0; l + 1 < what.shape.size(); ++l) w.outer *= what.shape[l];
  w.last = what.shape.back();
  w.half = what.kind == transform_kind::r2c ? w.last / 2 + 1 : w.last;
  return w;
}

/// Real rows are padded in place only.
inline peer_array input_array(const whole& w, bool real, bool in_place) {
  peer_array in{.reals = (real ? 1 : 2) * w.outer * w.last};
  if (!real || !in_place) return in;
  in.reals = 2 * w.outer * w.half;
  in.weight = [n = w.last, stride = 2 * w.half](integer i) { return i % stride < n ? 1.0 : 0.0; };
  return in;
}

inline peer_array output_array(const whole& w, bool real) {
  peer_array out{.reals = 2 * w.outer * w.half};
  if (real) out.weight = [n = w.last, half = w.half](integer i) { return times_in_spectrum(i / 2 % half, n); };
  return out;
}

}  // namespace weft::tool::peers
