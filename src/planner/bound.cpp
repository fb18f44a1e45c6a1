#include "planner/bound.hpp"

#include <algorithm>
#include <cmath>

#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/resolve.hpp"
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

bound::bound(const problem& what, const options& how, const algorithm::task& task, const mpi::communicator& on,
             strategy s)
    : chosen(std::move(s)) {
  input = without_batch(chosen.forward.input, what.batch);
  // A schedule may end in another way of writing the distribution that was asked for.
  output = without_batch(task.out ? *task.out : output_of(chosen.forward), what.batch);
  input_bytes = bytes_of(element_before(task.kinds), what.element);
  output_bytes = bytes_of(element_after(task.kinds), what.element);
  const auto shape_of = [&](const distribution& d) { return with_batch(d, what.batch).local_shape(on.rank()); };
  mpi::agree(on, [&] {
    const auto elements = [&](const layout& l, const distribution& d, layout& full) {
      full = with_batch(l, d.local_shape(on.rank()), what.batch);
      return span_of(resolved(full, shape_of(d)), shape_of(d));
    };
    input_elements = elements(how.input_layout, input, input_layout);
    output_elements = elements(how.output_layout, output, output_layout);
  });

  auto engines = engines_of(chosen);
  const auto node = mpi::node_of(on, how.ranks_per_node);
  const bool shares = std::ranges::any_of(engines, [](const auto* e) { return e->shared(); });
  if (how.shared_arrays && shares) {
    // Peers find their way in arrays that all ranks of the node, which must be all there are, lay out alike.
    const auto compact = [&](const layout& l, const distribution& d) {
      return resolved(l, shape_of(d)) == row_major(shape_of(d));
    };
    const bool can = node.size() == on.size() && compact(input_layout, input) && compact(output_layout, output);
    shared_arrays = mpi::largest(on, !can) == 0;
  }

  const double n = logical_size(task.shape, task.kinds);
  run::binding b;
  b.rank = on.rank();
  b.element = what.element;
  b.in_place = how.in_place;
  b.destroy_input = how.destroy_input;
  b.local = &local::engine_named(chosen.local);
  b.exchanges = engines;
  b.parts = chosen.parts;
  b.communicator = &on;
  b.count_limit = how.count_limit;
  b.ranks_per_node = how.ranks_per_node;
  b.memory_limit = how.memory_limit;
  b.shared_arrays = shared_arrays;
  b.threads = chosen.threads;
  b.input_layout = input_layout;
  b.output_layout = output_layout;
  b.scale = scale_of(how.scaling, direction::forward, n);
  const auto memory = shares ? std::make_shared<run::workspace>(node) : std::make_shared<run::workspace>();
  mpi::agree(on, [&] { forward.emplace(chosen.forward, b, memory); });
  std::swap(b.input_layout, b.output_layout);
  std::ranges::reverse(b.exchanges);
  b.scale = scale_of(how.scaling, direction::backward, n);
  mpi::agree(on, [&] { backward.emplace(inverse(chosen.forward), b, memory); });
  workspace_bytes = memory->bytes();
}

integer bound::array_bytes(bool of_input, bool in_place) const {
  const integer in = input_elements * static_cast<integer>(input_bytes);
  const integer out = output_elements * static_cast<integer>(output_bytes);
  return in_place ? std::max(in, out) : of_input ? in : out;
}

}  // namespace weft::planner
