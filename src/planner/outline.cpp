// SPDX-License-Identifier: BSD-3-Clause
#include "planner/outline.hpp"

#include <algorithm>
#include <cmath>

#include "base/memory.hpp"
#include "local/device_engines.hpp"
#include "local/narrow.hpp"
#include "planner/cost.hpp"
#include "planner/limits.hpp"
#include "planner/resolve.hpp"
#include "planner/topology.hpp"
#include "run/settlement.hpp"
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

/// Up to which size a rank's array is stored through the caches. Input and output have to find room in the last one,
/// with what others do there, and messages need as much again. Measured: of 32 MiB a third may be taken; of 300 MiB no
/// more than 50 in all, as a machine may not have so large a cache to itself.
integer cached_bytes_of(std::size_t ranks, int threads, bool by_messages) {
  constexpr integer most = integer{50} << 20;
  const integer share = last_cache_share(static_cast<int>(ranks), threads) / (by_messages ? 6 : 3);
  return std::max(local::usual_cached_bytes, std::min(share, most / static_cast<integer>(ranks)));
}

std::vector<const exchange::engine*> engines_of(const strategy& s) {
  std::vector<const exchange::engine*> engines;
  for (const auto& name : s.exchanges) engines.push_back(&exchange::engine_named(name));
  return engines;
}

}  // namespace

outline::outline(const problem& what, const options& how, const algorithm::task& task, const strategy& chosen, int rank,
                 std::shared_ptr<const exchange::node_map> nodes, const device::device* on)
    : there(chosen.forward), back(inverse(chosen.forward)) {
  input = without_batch(there.input, stacking_of(what));
  // A schedule may end in another way of writing the distribution that was asked for.
  output = without_batch(task.out ? *task.out : output_of(there), stacking_of(what));
  input_bytes = bytes_of(element_before(task.kinds), what.element);
  output_bytes = bytes_of(element_after(task.kinds), what.element);
  can_share = nodes->single();
  const auto elements = [&](const layout& l, const distribution& d, layout& full) {
    full = with_batch(l, d.local_shape(rank), stacking_of(what));
    const extents shape = with_batch(d, stacking_of(what)).local_shape(rank);
    // Peers find their way in arrays that all ranks lay out alike.
    can_share = can_share && resolved(full, shape) == row_major(shape);
    return span_of(resolved(full, shape), shape);
  };
  input_elements = elements(how.input_layout, input, forward.input_layout);
  output_elements = elements(how.output_layout, output, forward.output_layout);

  forward.rank = rank;
  forward.ranks = nodes->ranks();
  forward.element = what.element;
  const auto narrows = [&](const schedule& s) {
    const auto exchanges = static_cast<std::size_t>(exchanges_of(s));
    return local::tolerates_narrow(what.element, exchanges, how.message_tolerance) && !drops_after_exchange(s);
  };
  forward.narrow_messages = narrows(there);
  forward.in_place = how.in_place;
  forward.destroy_input = how.destroy_input;
  forward.on = on;
  forward.local = on != nullptr ? &local::engine_on(chosen.local, *on) : &local::engine_named(chosen.local);
  forward.exchanges = engines_of(chosen);
  forward.parts = chosen.parts;
  forward.nodes = std::move(nodes);
  forward.count_limit = limits().count;
  forward.cells_per_box = limits().cells_per_box;
  forward.memory_limit = how.memory_limit;
  forward.patience = how.peer_timeout;
  forward.threads = chosen.threads;
  const bool by_messages = std::ranges::any_of(forward.exchanges, [](const auto* e) { return !e->shares; });
  forward.cached_bytes = cached_bytes_of(forward.nodes->members_with(rank).size(), chosen.threads, by_messages);
  forward.streams_in_place = stores_in_place_slowly();
  backward = forward;
  backward.narrow_messages = narrows(back);
  std::swap(backward.input_layout, backward.output_layout);
  std::ranges::reverse(backward.exchanges);
  const double n = logical_size(task.shape, task.kinds);
  forward.scale = scale_of(how.scaling, direction::forward, n);
  backward.scale = scale_of(how.scaling, direction::backward, n);
  shares = std::ranges::any_of(forward.exchanges, [](const auto* e) { return e->shares; });
  can_share = can_share && shares;
}

void require_memory(const outline& of, int rank) {
  const std::uint64_t there_are = base::machine_bytes();
  if (of.forward.on != nullptr || there_are == 0) return;
  const auto require = [&](integer elements, std::size_t bytes) {
    if (static_cast<std::uint64_t>(elements) <= there_are / bytes) return;
    throw buffer_error("an array of " + std::to_string(elements) + " elements of " + std::to_string(bytes) +
                       " bytes on rank " + std::to_string(rank) + " is more than the " + std::to_string(there_are) +
                       " bytes of memory that the machine has; use more ranks or a smaller problem");
  };
  require(of.input_elements, of.input_bytes);
  require(of.output_elements, of.output_bytes);
}

integer workspace_of(const problem& what, const options& how, const algorithm::task& task, const strategy& chosen,
                     const std::shared_ptr<const exchange::node_map>& nodes) {
  std::vector<std::unique_ptr<outline>> ranks;
  each_sampled(nodes->ranks(),
               [&](int rank) { ranks.push_back(std::make_unique<outline>(what, how, task, chosen, rank, nodes)); });
  const bool shared = std::ranges::all_of(ranks, [](const auto& r) { return r->can_share; });
  std::vector<run::memory_needs> needs(ranks.size());
  for (const bool forward : {true, false}) {
    std::vector<std::unique_ptr<run::settlement>> terms;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      auto& how_bound = forward ? ranks[i]->forward : ranks[i]->backward;
      how_bound.shared_arrays = shared;
      terms.push_back(
          std::make_unique<run::settlement>(forward ? ranks[i]->there : ranks[i]->back, how_bound, needs[i]));
    }
    run::settle(terms);
    for (std::size_t i = 0; i < ranks.size(); ++i) needs[i] = needs[i].with(terms[i]->result().needs);
  }
  integer most = 0;
  for (const auto& n : needs) most = std::max(most, n.total());
  return most;
}

}  // namespace weft::planner
