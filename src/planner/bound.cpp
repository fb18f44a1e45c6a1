// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound.hpp"

#include <algorithm>

#include "mpi/agreement.hpp"
#include "planner/rooms.hpp"
#include "run/bind.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

/// The best one that needs no shared memory.
const exchange::engine& message_engine(bool on_device) {
  const auto all = on_device ? exchange::device_engines() : exchange::engines();
  return **std::ranges::find_if(all, [](const auto* e) { return !e->shares; });
}

}  // namespace

bound::bound(const problem& what, const options& how, const algorithm::task& task, const crew& on,
             const strategy& what_to_do)
    : on_(on) {
  mpi::agree(on.all, [&] {
    chosen = what_to_do;
    outline_ = std::make_unique<outline>(what, how, task, chosen, on.all.rank(), on.nodes, on.on);
    require_memory(*outline_, on.all.rank());
    memory_ = how.workspace ? how.workspace.rooms()->room_for(on, outline_->shares)
                            : std::make_shared<run::workspace>(outline_->shares ? on.shared : nullptr, on.on);
    on_modes_ = std::make_shared<const detail::line_function*>(nullptr);
  });
  if (mpi::largest(on.all, !outline_->can_share) == 0) arrays = array_memory::shared;
  bind(arrays, false);
}

void bound::bind(array_memory lying, bool with_function) {
  auto& o = *outline_;
  mpi::agree(on_.all, [&] {
    o.forward.on_modes = {};
    if (with_function) {
      o.forward.on_modes = [now = on_modes_](const local::element_line& line) {
        (**now)(line.first, line.step, line.count, line.axis, line.along, line.index);
      };
    }
    o.backward.on_modes = o.forward.on_modes;
  });
  o.forward.shared_arrays = o.backward.shared_arrays = lying == array_memory::shared;
  auto& ways = at(lying, with_function);
  try {
    bind_in(ways, memory_, o.forward, o.backward);
  } catch (const buffer_error&) {
    // Arrays that are not shared need work areas that are. Where there is no room for these, messages do it.
    if (lying == array_memory::shared || !o.shares || lying == arrays) throw;
    std::shared_ptr<run::workspace> own;
    run::binding forward, backward;
    mpi::agree(on_.all, [&] {
      own = std::make_shared<run::workspace>(nullptr, on_.on);
      forward = o.forward;
      backward = o.backward;
      for (auto* binding : {&forward, &backward}) {
        for (auto& engine : binding->exchanges) {
          if (engine->shares) engine = &message_engine(on_.on != nullptr);
        }
      }
    });
    bind_in(ways, own, forward, backward);
    ways.by_messages = true;
  }
}

bool bound::is_led(array_memory lying) const {
  return lying == array_memory::shared && on_.share_one_device() &&
         std::ranges::all_of(outline_->forward.exchanges, [](const auto* e) { return e->shares && e->one_node; });
}

void bound::bind_in(both_ways& ways, const std::shared_ptr<run::workspace>& memory, const run::binding& forward,
                    const run::binding& backward) {
  const bool led = is_led(forward.shared_arrays ? array_memory::shared : array_memory::own);
  const auto there = run::bind_programs(outline_->there, forward, memory->size(), on_.all, led);
  const auto back =
      run::bind_programs(outline_->back, backward, memory->size().with(there.front()->needs), on_.all, led);
  const auto opened_with = [&](const run::program_list& programs, const run::binding& how) {
    return led ? run::open_led(programs, memory, on_.all, how.patience) : run::open(programs.front(), memory, on_.all);
  };
  both_ways opened{opened_with(there, forward), opened_with(back, backward), memory, {}, false};
  ways = std::move(opened);
}

std::vector<std::string> bound::exchanges(array_memory lying, bool with_function) const {
  auto names = chosen.exchanges;
  if (at(lying, with_function).by_messages) {
    for (auto& name : names) {
      if (exchange::engine_named(name).shares) name = std::string(message_engine(on_.on != nullptr).name);
    }
  }
  return names;
}

run::execution& bound::execution(direction way, array_memory lying, bool with_function) {
  auto& ways = at(lying, with_function);
  if (!ways.forward) bind(lying, with_function);
  return way == direction::forward ? *ways.forward : *ways.backward;
}

void bound::learn(std::uint64_t busy_on_any, long long run) {
  for (std::size_t kind = 0; kind < spare_.size(); ++kind) {
    for (std::size_t n = 0; n < spare_[kind].size(); ++n) {
      const bool was_busy = (busy_on_any >> (kind * most_lent + n) & 1U) != 0;
      auto& known = free_[kind];
      // One lent to a later run was known to be free before that.
      if (was_busy || spare_[kind][n].last_run >= run || std::ranges::find(known, n) != known.end()) continue;
      known.push_back(n);
    }
  }
}

bound::lent bound::lend(direction way, array_memory lying, long long run) {
  const auto kind = static_cast<std::size_t>(lying);
  if (!at(lying, false).forward) bind(lying, false);
  if (!knows_free(lying)) {
    if (spare_[kind].size() >= most_lent) {
      throw argument_error(std::to_string(most_lent) +
                           " runs of one plan are under way; wait for one before starting another");
    }
    open_another(lying);
  }
  const std::size_t number = free_[kind].front();
  free_[kind].erase(free_[kind].begin());
  busy_[kind] |= 1ULL << number;
  auto& ways = spare_[kind][number];
  ways.last_run = run;
  return {way == direction::forward ? ways.forward.get() : ways.backward.get(), lying, number};
}

/// Of the programs that there are.
void bound::open_another(array_memory lying) {
  const auto& base = at(lying, false);
  const auto there = base.forward->shared_program(), back = base.backward->shared_program();
  auto& spare = spare_[static_cast<std::size_t>(lying)];
  both_ways opened;
  // The first that all ranks have free: plans, which hold them, die on each rank when they will.
  int lane = 0;
  for (int free = -1; free != lane;) {
    free = lane;
    lane = static_cast<int>(mpi::largest(on_.all, on_.all.free_lane(free)));
  }
  mpi::agree(on_.all, [&] {
    opened.lane = on_.all.hold_lane(lane);
    opened.memory = std::make_shared<run::workspace>(there->shares() || back->shares() ? on_.shared : nullptr);
    spare.reserve(spare.size() + 1);
    free_[static_cast<std::size_t>(lying)].reserve(most_lent);
  });
  opened.forward = run::open_overlapping(there, opened.memory, on_.all, lane);
  opened.backward = run::open_overlapping(back, opened.memory, on_.all, lane);
  free_[static_cast<std::size_t>(lying)].push_back(spare.size());
  spare.push_back(std::move(opened));
}

integer bound::workspace_bytes() const {
  integer bytes = memory_->size().total();
  for (const auto& kind : spare_) {
    for (const auto& ways : kind) bytes += ways.memory->size().total();
  }
  for (const auto& ways : ways_) {
    if (ways.memory && ways.memory != memory_) bytes += ways.memory->size().total();
  }
  return bytes;
}

integer bound::array_bytes(bool of_input, bool in_place) const {
  const integer in = outline_->input_elements * static_cast<integer>(outline_->input_bytes);
  const integer out = outline_->output_elements * static_cast<integer>(outline_->output_bytes);
  return in_place ? std::max(in, out) : of_input ? in : out;
}

}  // namespace weft::planner
