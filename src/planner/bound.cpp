#include "planner/bound.hpp"

#include <algorithm>
#include <cmath>

#include "mpi/agreement.hpp"
#include "planner/limits.hpp"
#include "planner/resolve.hpp"
#include "run/bind.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

/// The factor of one direction for N transformed elements.
double scale_of(normalization scaling, direction way, double n) {
  if (n <= 0) return 1;
  if (scaling == normalization::ortho) return 1 / std::sqrt(n);
  const bool applies =
      way == direction::forward ? scaling == normalization::forward : scaling == normalization::backward;
  return applies ? 1 / n : 1;
}

std::vector<const exchange::engine*> engines_of(const strategy& s) {
  std::vector<const exchange::engine*> engines;
  for (const auto& name : s.exchanges) engines.push_back(&exchange::engine_named(name));
  return engines;
}

}  // namespace

bound::bound(const problem& what, const options& how, const algorithm::task& task, const crew& on, strategy s)
    : chosen(std::move(s)), on_(on) {
  const int rank = on.all.rank();
  bool can_share = on.nodes->single();
  mpi::agree(on.all, [&] {
    input = without_batch(chosen.forward.input, what.batch);
    // A schedule may end in another way of writing the distribution that was asked for.
    output = without_batch(task.out ? *task.out : output_of(chosen.forward), what.batch);
    output_bytes = complex_bytes(what.element);
    input_bytes = what.kind == transform_kind::r2c ? real_bytes(what.element) : output_bytes;
    const auto elements = [&](const layout& l, const distribution& d, layout& full) {
      full = with_batch(l, d.local_shape(rank), what.batch);
      const extents shape = with_batch(d, what.batch).local_shape(rank);
      // Peers find their way in arrays that all ranks lay out alike.
      can_share = can_share && resolved(full, shape) == row_major(shape);
      return span_of(resolved(full, shape), shape);
    };
    input_elements = elements(how.input_layout, input, input_layout);
    output_elements = elements(how.output_layout, output, output_layout);

    double n = 1;
    for (const int axis : task.axes) n *= static_cast<double>(task.shape[static_cast<std::size_t>(axis)]);
    forward_.rank = rank;
    forward_.ranks = on.all.size();
    forward_.element = what.element;
    forward_.in_place = how.in_place;
    forward_.destroy_input = how.destroy_input;
    forward_.local = &local::engine_named(chosen.local);
    forward_.exchanges = engines_of(chosen);
    forward_.parts = chosen.parts;
    forward_.nodes = on.nodes;
    forward_.count_limit = limits().count;
    forward_.memory_limit = how.memory_limit;
    forward_.threads = chosen.threads;
    forward_.input_layout = input_layout;
    forward_.output_layout = output_layout;
    backward_ = forward_;
    std::swap(backward_.input_layout, backward_.output_layout);
    std::ranges::reverse(backward_.exchanges);
    forward_.scale = scale_of(how.scaling, direction::forward, n);
    backward_.scale = scale_of(how.scaling, direction::backward, n);
    const bool shares = std::ranges::any_of(forward_.exchanges, [](const auto* e) { return e->shares; });
    can_share = can_share && shares;
    memory_ = shares ? std::make_shared<run::workspace>(on.node) : std::make_shared<run::workspace>();
  });
  if (mpi::largest(on.all, !can_share) == 0) arrays = array_memory::shared;
  bind(arrays);
}

void bound::bind(array_memory lying) {
  forward_.shared_arrays = backward_.shared_arrays = lying == array_memory::shared;
  const auto there = run::bind(chosen.forward, forward_, memory_->size(), on_.all);
  const auto back = run::bind(inverse(chosen.forward), backward_, memory_->size().with(there->needs), on_.all);
  both_ways made{run::open(there, memory_, on_.all), run::open(back, memory_, on_.all)};
  at(lying) = std::move(made);
}

run::execution& bound::execution(direction way, array_memory lying) {
  if (!at(lying).forward) bind(lying);
  return way == direction::forward ? *at(lying).forward : *at(lying).backward;
}

const run::program& bound::program(direction way) const {
  const auto& made = ways_[static_cast<std::size_t>(arrays)];
  return (way == direction::forward ? made.forward : made.backward)->what();
}

integer bound::array_bytes(bool of_input, bool in_place) const {
  const integer in = input_elements * static_cast<integer>(input_bytes);
  const integer out = output_elements * static_cast<integer>(output_bytes);
  return in_place ? std::max(in, out) : of_input ? in : out;
}

}  // namespace weft::planner
