#include "planner/bound.hpp"

#include "mpi/agreement.hpp"
#include "run/bind.hpp"

namespace weft::planner {

bound::bound(const problem& what, const options& how, const algorithm::task& task, const crew& on,
             const strategy& what_to_do)
    : on_(on) {
  mpi::agree(on.all, [&] {
    chosen = what_to_do;
    outline_ = std::make_unique<outline>(what, how, task, chosen, on.all.rank(), on.nodes);
    memory_ = std::make_shared<run::workspace>(outline_->shares ? on.shared : nullptr);
  });
  if (mpi::largest(on.all, !outline_->can_share) == 0) arrays = array_memory::shared;
  bind(arrays);
}

void bound::bind(array_memory lying) {
  auto& o = *outline_;
  o.forward.shared_arrays = o.backward.shared_arrays = lying == array_memory::shared;
  const auto there = run::bind(o.there, o.forward, memory_->size(), on_.all);
  const auto back = run::bind(o.back, o.backward, memory_->size().with(there->needs), on_.all);
  both_ways opened{run::open(there, memory_, on_.all), run::open(back, memory_, on_.all)};
  at(lying) = std::move(opened);
}

run::execution& bound::execution(direction way, array_memory lying) {
  if (!at(lying).forward) bind(lying);
  return way == direction::forward ? *at(lying).forward : *at(lying).backward;
}

const run::program& bound::program(direction way) const {
  const auto& ways = ways_[static_cast<std::size_t>(arrays)];
  return (way == direction::forward ? ways.forward : ways.backward)->what();
}

integer bound::array_bytes(bool of_input, bool in_place) const {
  const integer in = outline_->input_elements * static_cast<integer>(outline_->input_bytes);
  const integer out = outline_->output_elements * static_cast<integer>(outline_->output_bytes);
  return in_place ? std::max(in, out) : of_input ? in : out;
}

}  // namespace weft::planner
