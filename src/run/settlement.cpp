// SPDX-License-Identifier: BSD-3-Clause
#include "run/settlement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/error.hpp"

namespace weft::run {

namespace {

/// Variants multiply with every exchange that can be changed; beyond this many, the first ones stay as they are, or all
/// take as much care as they can.
constexpr std::size_t most_variants = 32;

buffer_problem problem_of(const draft_list& drafts, bool in_place) {
  buffer_problem problem;
  problem.same_memory = in_place;
  problem.arrays = drafts.arrays;
  for (const auto& d : drafts.steps) problem.steps.push_back(d.does);
  return problem;
}

/// What may be is asked as what may not, so that the largest answer is the one of the rank that cannot.
void write(std::vector<long long>& to, const buffer_problem& problem) {
  for (const auto& n : problem.arrays) to.insert(to.end(), {n.bytes, !n.fits_input, !n.fits_output});
  for (const auto& s : problem.steps) to.insert(to.end(), {!s.in_place, s.writes_two, !s.keeps_place});
}

void read(std::span<const long long> from, buffer_problem& problem) {
  auto value = from.begin();
  for (auto& n : problem.arrays) {
    n.bytes = *value++;
    n.fits_input = *value++ == 0;
    n.fits_output = *value++ == 0;
  }
  for (auto& s : problem.steps) {
    s.in_place = *value++ == 0;
    s.writes_two = *value++ != 0;
    s.keeps_place = *value++ == 0;
  }
}

}  // namespace

settlement::settlement(const schedule& s, const binding& how, const memory_needs& existing)
    : schedule_(s), how_(how), existing_(existing), drafter_(s, how_) {}

std::vector<long long> settlement::question() {
  switch (asking_) {
    case subject::facts: return drafter_.facts();
    case subject::variant: {
      drafts_ = drafter_.make(variants_[considered_]);
      std::vector<long long> numbers(existing_.areas.begin(), existing_.areas.end());
      numbers.push_back(drafter_.largest_array());
      write(numbers, problem_of(drafts_, how_.in_place));
      return numbers;
    }
    case subject::limit: make_passes(); return {best_->areas + scratch()};
    case subject::nothing: break;
  }
  return {};
}

void settlement::answer(std::span<const long long> largest) {
  switch (asking_) {
    case subject::facts:
      drafter_.learn(largest);
      list_variants();
      break;
    case subject::variant: consider_variant(largest); break;
    case subject::limit: consider_limit(largest[0]); break;
    case subject::nothing: break;
  }
}

/// Those that change least first.
void settlement::list_variants() {
  asking_ = subject::variant;
  best_.reset();
  considered_ = 0;
  variants_.assign(1, {final_copy_, std::vector<int>(drafter_.exchanges(), 0)});
  for (std::size_t i = drafter_.exchanges(); i-- > 0;) {
    const auto ways = drafter_.ways(i, final_copy_);
    if (variants_.size() * ways.size() > most_variants) {
      variants_.push_back(most_careful());
      break;
    }
    const std::size_t so_far = variants_.size();
    for (const int way : ways) {
      for (std::size_t v = 0; v < so_far && way != 0; ++v) {
        variants_.push_back(variants_[v]);
        variants_.back().ways[i] = way;
      }
    }
  }
  std::ranges::stable_sort(variants_, {},
                           [](const variant& v) { return std::accumulate(v.ways.begin(), v.ways.end(), 0); });
}

/// Needs the fewest areas, for which there is always room.
variant settlement::most_careful() const {
  variant built{final_copy_, {}};
  for (std::size_t i = 0; i < drafter_.exchanges(); ++i) {
    built.ways.push_back(how_.exchanges[i]->shares ? 0 : drafter_.ways(i, final_copy_).back());
  }
  return built;
}

void settlement::consider_variant(std::span<const long long> largest) {
  memory_needs existing;
  std::copy_n(largest.begin(), existing.areas.size(), existing.areas.begin());
  const integer array = largest[existing.areas.size()];
  buffer_problem problem = problem_of(drafts_, how_.in_place);
  read(largest.subspan(existing.areas.size() + 1), problem);
  for (std::size_t i = 0; i < drafts_.steps.size(); ++i) drafts_.steps[i].does = problem.steps[i];
  const auto plan = problem.steps.empty() ? buffer_plan() : assign_buffers(problem);
  if (!plan) return next_variant(false);
  // In arrays that are shared already, most schedules need no work area at all.
  const integer aim = how_.shared_arrays ? 0 : array + small_ring(problem, array);
  integer enough = std::max(existing.area_bytes(), aim);
  if (how_.memory_limit > 0) enough = std::min(enough, how_.memory_limit);
  const integer areas = existing.with({plan->bytes, 0}).area_bytes();
  if (!best_ || areas < best_->areas) best_ = found{std::move(drafts_), *plan, areas};
  next_variant(best_->areas <= enough);
}

void settlement::next_variant(bool enough) {
  if (!enough && ++considered_ < variants_.size()) return;
  if (best_) {
    asking_ = how_.memory_limit > 0 ? subject::limit : subject::nothing;
    if (asking_ == subject::nothing) make_passes();
    return;
  }
  // In place, some schedules have no last step that may write over its source; a copy is then one.
  if (std::exchange(final_copy_, true)) {
    throw internal_error("no buffers for schedule '" + to_text(schedule_) + "'");
  }
  list_variants();
}

/// A copy at the end is also what brings several areas down to one, for a pass more.
void settlement::consider_limit(integer total) {
  if (total <= how_.memory_limit) {
    asking_ = subject::nothing;
    return;
  }
  least_ = std::min(total, least_.value_or(total));
  if (!std::exchange(final_copy_, true)) return list_variants();
  throw buffer_error("the plan needs at least " + std::to_string(*least_) +
                     " bytes of workspace on a rank, the limit is " + std::to_string(how_.memory_limit) +
                     "; raise the limit, allow the input to be destroyed or use more ranks");
}

/// What an exchange that lingers may need on top of an array: it makes up for that by its speed, but only
/// where the array is large.
integer settlement::small_ring(const buffer_problem& agreed, integer array) const {
  integer most = 0;
  for (std::size_t i = 0; i < agreed.steps.size(); ++i) {
    if (agreed.steps[i].lingers) most = std::max(most, agreed.arrays[drafts_.steps[i].from + 1].bytes);
  }
  return most <= array / 4 ? most : 0;
}

void settlement::make_passes() {
  const local::engine& by = how_.local != nullptr ? *how_.local : local::engine_named("auto");
  for (auto& d : best_->drafts.steps) {
    if (d.pass && !d.action.work) d.action.work = local::make_pass(by, *d.pass);
  }
}

integer settlement::scratch() const {
  std::size_t most = 0;
  for (const auto& d : best_->drafts.steps) most = std::max(most, d.action.work ? d.action.work->scratch_bytes() : 0);
  return std::max(static_cast<integer>(most), existing_.scratch);
}

program settlement::result() {
  program built;
  built.on = how_.on;
  auto& drafts = best_->drafts;
  // Areas are the same on all ranks, but a rank need not make them larger than its own arrays are.
  for (std::size_t i = 0; i < best_->plan.arrays.size(); ++i) {
    const auto where = static_cast<std::size_t>(best_->plan.arrays[i]);
    if (where >= static_cast<std::size_t>(area::work0)) {
      built.needs.areas[where] = std::max(built.needs.areas[where], drafts.arrays[i].bytes);
    }
  }
  built.needs.scratch = scratch();
  built.exchanges = drafts.exchanges;
  if (!drafts.steps.empty()) built.steps = steps_of(drafts, best_->plan);
  // An exchange has its place where it starts, even if it is prepared before.
  std::vector<std::size_t> places(built.exchanges.size());
  for (auto& s : built.steps) {
    if (s.what != step::kind::pass && s.what != step::kind::start) continue;
    s.stage = built.stages.size();
    if (s.what == step::kind::start) places[static_cast<std::size_t>(s.source.exchange)] = s.stage;
    built.stages.push_back(s.name);
  }
  for (auto& s : built.steps) {
    if (s.what != step::kind::pass) s.stage = places[static_cast<std::size_t>(s.source.exchange)];
  }
  return built;
}

void settle(std::span<const std::unique_ptr<settlement>> ranks) {
  while (!ranks.empty() && !ranks.front()->settled()) {
    std::vector<long long> largest = ranks.front()->question();
    for (const auto& r : ranks.subspan(1)) {
      const auto mine = r->question();
      if (mine.size() != largest.size()) throw internal_error("ranks ask different questions");
      for (std::size_t i = 0; i < mine.size(); ++i) largest[i] = std::max(largest[i], mine[i]);
    }
    for (const auto& r : ranks) r->answer(largest);
  }
}

}  // namespace weft::run
