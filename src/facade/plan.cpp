// SPDX-License-Identifier: BSD-3-Clause
#include "weft/plan.hpp"

#include <algorithm>
#include <cstring>

#include "facade/explain.hpp"
#include "facade/plan_internals.hpp"
#include "facade/plan_state.hpp"

namespace weft {

plan::plan() noexcept = default;
plan::plan(const problem& what, MPI_Comm on, const options& how) {
  const mpi::communicator all(on);
  const planner::crew ranks(all);
  mpi::agree(all, [&] { state_ = std::make_shared<state>(what, how, ranks); });
  state_->decide();
}
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;
plan::~plan() = default;

plan::state& plan::filled() const {
  if (state_ == nullptr) {
    throw argument_error("the plan is empty: it was made without a problem, or moved from; assign a plan to it first");
  }
  return *state_;
}

problem like(const plan& other) {
  problem what = other.what();
  what.in = wanted::like(other.input());
  what.out = wanted::like(other.output());
  return what;
}

void plan::forward(const void* in, void* out) {
  filled().run(direction::forward, {static_cast<const std::byte*>(in), filled().bytes_of(true)},
               {static_cast<std::byte*>(out), filled().bytes_of(false)});
}

void plan::backward(const void* in, void* out) {
  filled().run(direction::backward, {static_cast<const std::byte*>(in), filled().bytes_of(false)},
               {static_cast<std::byte*>(out), filled().bytes_of(true)});
}

void plan::forward(const void* in, void* out, void* stream) {
  filled().run(direction::forward, {static_cast<const std::byte*>(in), filled().bytes_of(true)},
               {static_cast<std::byte*>(out), filled().bytes_of(false)}, nullptr, nullptr, nullptr, stream);
}

void plan::backward(const void* in, void* out, void* stream) {
  filled().run(direction::backward, {static_cast<const std::byte*>(in), filled().bytes_of(false)},
               {static_cast<std::byte*>(out), filled().bytes_of(true)}, nullptr, nullptr, nullptr, stream);
}

void plan::forward(std::span<const std::byte> in, std::span<std::byte> out, const detail::line_function* on_modes) {
  filled().run(direction::forward, in, out, on_modes);
}

void plan::backward(std::span<const std::byte> in, std::span<std::byte> out, const detail::line_function* on_modes) {
  filled().run(direction::backward, in, out, on_modes);
}

void plan::run(direction way, const void* in, const detail::array_terms& in_terms, void* out,
               const detail::array_terms& out_terms, const detail::line_function* on_modes, void* stream) {
  const bool forward = way == direction::forward;
  filled().run(way, {static_cast<const std::byte*>(in), filled().bytes_of(forward)},
               {static_cast<std::byte*>(out), filled().bytes_of(!forward)}, on_modes, &in_terms, &out_terms, stream);
}

void plan::clear(const memory& block) const {
  if (filled().on.on != nullptr) {
    filled().on.on->clear(block.data(), block.bytes());
    filled().on.on->synchronize();
  } else {
    std::memset(block.data(), 0, block.bytes());
  }
}

void plan::refuse(const error& why, instead_of what) const {
  const auto complaint = std::make_exception_ptr(why);
  if (what == instead_of::start) {
    filled().start(state_, direction::forward, {}, {}, nullptr, nullptr, complaint).wait();
  } else {
    (void)facade::tell_others(filled().on.all, complaint, {-1, -1});
  }
  throw why;
}

bool plan::all_say(bool mine, const std::string& otherwise) const {
  if (filled().on.all.size() == 1) return mine;
  constexpr long long yes = 1, no = 2;
  const long long said = mpi::united_bits(filled().on.all, mine ? yes : no);
  if (said == (yes | no)) throw mismatch_error(otherwise);
  return said == yes;
}

memory plan::allocate(side which) const { return filled().allocate(which == side::input); }

const distribution& plan::input() const { return filled().bound().described().input; }
const distribution& plan::output() const { return filled().bound().described().output; }
int plan::rank() const { return filled().on.all.rank(); }
integer plan::batch() const { return filled().what.batch; }
integer plan::input_elements() const { return filled().bound().described().input_elements; }
integer plan::output_elements() const { return filled().bound().described().output_elements; }
const layout& plan::input_layout() const { return filled().input_layout; }
const layout& plan::output_layout() const { return filled().output_layout; }
const problem& plan::what() const { return filled().what; }
const options& plan::how() const { return filled().how; }
const mpi::communicator& detail::plan_internals::ranks_of(const plan& p) { return p.filled().on.all; }
const plan_report& plan::report() const {
  filled().report_last_use();
  return filled().report;
}

explanation plan::explain() const {
  const auto& s = filled();
  const auto all = planner::compare(s.task, s.given.open, planner::cargo_of(s.what, s.how), s.given.on);
  const integer workspace = planner::workspace_of(s.what, s.how, s.task, s.bound().chosen, s.on.nodes);
  auto result = facade::explanation_of(all, s.what, s.how, s.given.on, &s.bound().chosen, s.decided.trials, workspace);
  result.ranks = s.on.all.size();
  result.wisdom = s.decided.wisdom;
  return result;
}

std::vector<stage_time> plan::stage_times() const {
  const auto& names = filled().stages(direction::forward, filled().last_used);
  const auto& seconds = filled().watch(direction::forward, filled().last_used).seconds();
  std::vector<stage_time> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], seconds[i]});
  return all;
}

void plan::reset_stage_times() {
  for (auto& kept : filled().times) {
    if (kept) kept->watch.reset_seconds();
  }
}

void plan::record_timeline(bool on) {
  filled().recording = on;
  for (auto& kept : filled().times) {
    if (kept) kept->watch.record(on);
  }
}

std::vector<timeline_entry> plan::timeline() const {
  std::vector<timeline_entry> all;
  for (const auto& kept : filled().times) {
    if (!kept) continue;
    const auto& names = filled().stages(kept->way, kept->as);
    for (const auto& i : kept->watch.recorded()) {
      all.push_back({kept->way, i.call, static_cast<int>(i.stage), names[i.stage], i.kind, i.begin, i.end});
    }
  }
  std::ranges::stable_sort(all, {}, &timeline_entry::begin);
  return all;
}

}  // namespace weft
