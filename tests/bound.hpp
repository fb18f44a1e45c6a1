// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound both ways for one rank of a drawn problem, below the public interface: with any engines.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "local/engine.hpp"
#include "property.hpp"
#include "run/execution.hpp"
#include "weft/error.hpp"

namespace weft::testing {

/// What a draw says about binding; `forward` is the layouts' direction.
inline run::binding binding_of(const drawn& t, int rank, const layout_pair& forward) {
  run::binding b;
  b.rank = rank;
  b.ranks = t.ranks;
  b.element = t.what.element;
  b.in_place = t.how.in_place;
  b.destroy_input = t.how.destroy_input;
  b.local = &local::engine_named(t.how.local);
  b.count_limit = t.limits.count;
  b.cells_per_box = t.limits.cells_per_box;
  b.threads = t.how.threads;
  b.patience = t.how.peer_timeout;
  b.narrow_messages = t.how.message_tolerance > 1e-9;
  if (t.seed % 2 == 0) b.cached_bytes = 0;  // as if every array were too large for the caches
  b.streams_in_place = t.seed % 4 < 2;
  if (t.seed % 3 == 0) b.parts = 5;  // more than there is room for at a time
  b.input_layout = forward.in;
  b.output_layout = forward.out;
  // Below the public interface the axis of a batch stands where it lies.
  for (auto* l : {&b.input_layout, &b.output_layout}) {
    if (t.what.batch > 1 && t.what.interleaved && !l->strides.empty()) {
      std::rotate(l->strides.begin(), l->strides.begin() + 1, l->strides.end());
    }
  }
  return b;
}

/// The same, scaled as the draw has it, and what it is backward.
struct binding_pair {
  binding_pair(const drawn& t, const run::binding& b) : forward(b), backward(b) {
    const double n = size_of(t.what);
    const auto scale = [&](normalization one_way) {
      if (n == 0) return 1.0;
      return t.how.scaling == one_way ? 1 / n : t.how.scaling == normalization::ortho ? 1 / std::sqrt(n) : 1.0;
    };
    forward.scale = scale(normalization::forward);
    backward.scale = scale(normalization::backward);
    std::swap(backward.input_layout, backward.output_layout);
    std::ranges::reverse(backward.exchanges);
  }
  run::binding forward, backward;
};

struct bound {
  std::unique_ptr<run::execution> forward, backward;
  std::shared_ptr<run::workspace> memory;
};

/// Bytes that a buffer_error says would do.
inline integer least_bytes(const buffer_error& e) {
  const std::string text = e.what(), before = "at least ";
  const auto at = text.find(before);
  if (at == std::string::npos) throw internal_error("no least workspace in '" + text + "'");
  return std::stoll(text.substr(at + before.size()));
}

/// What `attempt(limit)` makes with the least workspace that errors name.
template <class Attempt>
auto bound_tightly(Attempt attempt) {
  for (integer limit = 1;;) {
    try {
      return attempt(limit);
    } catch (const buffer_error& e) {
      const integer least = least_bytes(e);
      if (least <= limit) throw;
      limit = least;
    }
  }
}

inline void expect_within(const run::workspace& memory, integer limit) {
  if (limit > 1 && memory.size().total() > limit) throw internal_error("a limit was passed over");
}

/// Whether a draw is bound tightly.
inline bool is_tight(const drawn& t) { return t.seed % 8 == 1; }

}  // namespace weft::testing
