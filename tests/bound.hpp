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
#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft::testing {

/// What a draw says about binding; `forward` is the layouts' direction.
inline run::binding binding_of(const drawn& t, int rank, const layout_pair& forward) {
  run::binding b;
  b.rank = rank;
  b.element = t.what.element;
  b.in_place = t.how.in_place;
  b.destroy_input = t.how.destroy_input;
  b.local = &local::engine_named(t.how.local);
  b.count_limit = t.how.count_limit;
  b.threads = t.how.threads;
  if (t.seed % 2 == 0) b.cached_bytes = 0;  // as if every array were too large for the caches
  if (t.seed % 3 == 0) b.parts = 5;         // more than there is room for at a time
  b.input_layout = forward.in;
  b.output_layout = forward.out;
  return b;
}

/// Bytes that a buffer_error says would do.
inline integer least_bytes(const buffer_error& e) {
  const std::string text = e.what(), before = "at least ";
  const auto at = text.find(before);
  if (at == std::string::npos) throw internal_error("no least workspace in '" + text + "'");
  return std::stoll(text.substr(at + before.size()));
}

struct bound {
  bound(const drawn& t, const schedule& made, run::binding b, const std::shared_ptr<run::workspace>& memory) {
    double n = 1;
    for (const int a : axes_of(t.what)) n *= static_cast<double>(t.what.shape[at(a)]);
    const auto scale = [&](normalization one_way) {
      if (n == 0) return 1.0;
      return t.how.scaling == one_way ? 1 / n : t.how.scaling == normalization::ortho ? 1 / std::sqrt(n) : 1.0;
    };
    b.scale = scale(normalization::forward);
    forward = std::make_unique<run::program>(made, b, memory);
    std::swap(b.input_layout, b.output_layout);
    std::ranges::reverse(b.exchanges);
    b.scale = scale(normalization::backward);
    backward = std::make_unique<run::program>(inverse(made), b, memory);
  }

  std::unique_ptr<run::program> forward, backward;
};

/// Bound with the least workspace that errors name; the limits must then hold. `make_memory` is called anew for
/// every attempt.
template <class MakeMemory>
bound bound_tightly(const drawn& t, const schedule& made, run::binding b, MakeMemory make_memory) {
  b.memory_limit = 1;
  for (;;) {
    const std::shared_ptr<run::workspace> memory = make_memory();
    try {
      bound tight(t, made, b, memory);
      if (b.memory_limit > 1 && memory->bytes() > b.memory_limit) throw internal_error("a limit was passed over");
      return tight;
    } catch (const buffer_error& e) {
      const integer least = least_bytes(e);
      if (least <= b.memory_limit) throw;
      b.memory_limit = least;
    }
  }
}

/// Whether a draw is bound tightly.
inline bool is_tight(const drawn& t) { return t.seed % 8 == 1; }

}  // namespace weft::testing
