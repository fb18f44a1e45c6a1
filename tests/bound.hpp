// A schedule bound both ways for one rank of a drawn problem, below the public interface: with any engines.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "local/engine.hpp"
#include "property.hpp"
#include "run/program.hpp"

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
  if (t.seed % 3 == 0) b.parts = 3;
  b.input_layout = forward.in;
  b.output_layout = forward.out;
  return b;
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

}  // namespace weft::testing
