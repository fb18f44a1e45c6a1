// From a schedule to a program: drafts of its steps, in the variant that needs little memory and does little
// for it, and a place for every array between them.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "mpi/agreement.hpp"
#include "run/drafter.hpp"
#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft::run {

namespace {

/// Variants multiply with every exchange that can be changed; beyond this many, the first ones stay as they are, or all
/// take as much care as they can.
constexpr std::size_t most_variants = 32;

/// Peers look for an image in the same area on every rank, so all must decide alike: by the largest sizes, and
/// by what is possible everywhere.
void harmonise(buffer_problem& problem, integer& enough, const mpi::communicator& on) {
  std::vector<long long> values{enough};
  for (const auto& n : problem.arrays) values.insert(values.end(), {n.bytes, !n.fits_input, !n.fits_output});
  for (const auto& s : problem.steps) values.insert(values.end(), {!s.in_place, s.writes_two, !s.keeps_place});
  mpi::largest(on, values);
  auto value = values.begin();
  enough = *value++;
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

class binder {
 public:
  binder(program& made, const schedule& s, const binding& how)
      : made_(made), schedule_(s), how_(how), drafter_(s, how) {}

  void bind() {
    // In place, some schedules have no last step that may write over its source; a copy is then one. It is
    // also what brings several areas down to one, for a pass more.
    std::optional<integer> least;
    bool kept = false;
    for (const bool final_copy : {false, true}) {
      best_.reset();
      consider(final_copy);
      if (!best_) continue;
      finish_drafts();
      const integer total = total_bytes();
      kept = how_.memory_limit == 0 || total <= how_.memory_limit;
      if (kept) break;
      least = std::min(total, least.value_or(total));
    }
    if (!kept && !least) throw internal_error("no buffers for schedule '" + to_text(schedule_) + "'");
    check_limit(kept ? 0 : *least);
    emit();
  }

 private:
  struct found {
    variant how;
    draft_list drafts;
    buffer_plan plan;
    integer areas = 0;  ///< bytes, what other programs need of them included
  };

  /// All ranks keep to the limit, or all throw. `least` is the lowest that this one could keep to, 0 if it
  /// keeps to this one.
  void check_limit(integer least) const {
    if (how_.memory_limit == 0) return;
    if (how_.communicator != nullptr) least = mpi::largest(*how_.communicator, least);
    if (least == 0) return;
    throw buffer_error("the plan needs at least " + std::to_string(least) +
                       " bytes of workspace on a rank, the limit is " + std::to_string(how_.memory_limit) +
                       "; raise the limit, allow the input to be destroyed or use more ranks");
  }

  /// Without memory that peers see, ranks may bind in different ways.
  [[nodiscard]] bool alike() const {
    return std::ranges::any_of(how_.exchanges, [](const exchange::engine* e) { return e->shared(); });
  }

  /// Tries variants, those that change least first, until one needs little enough; remembers the best.
  void consider(bool final_copy) {
    std::vector<variant> all{{final_copy, std::vector<int>(drafter_.exchanges(), 0)}};
    for (std::size_t i = drafter_.exchanges(); i-- > 0;) {
      const auto options = drafter_.changes(i);
      if (all.size() * options.size() > most_variants) {
        all.push_back(most_careful(final_copy));
        break;
      }
      const std::size_t so_far = all.size();
      for (const int change : options) {
        for (std::size_t v = 0; v < so_far && change != 0; ++v) {
          all.push_back(all[v]);
          all.back().changes[i] = change;
        }
      }
    }
    std::ranges::stable_sort(all, {},
                             [](const variant& v) { return std::accumulate(v.changes.begin(), v.changes.end(), 0); });
    for (const auto& v : all) {
      if (evaluate(v)) return;
    }
  }

  /// Needs the fewest areas, for which there is always room.
  [[nodiscard]] variant most_careful(bool final_copy) const {
    variant made{final_copy, {}};
    for (std::size_t i = 0; i < drafter_.exchanges(); ++i) {
      made.changes.push_back(how_.exchanges[i]->shared() ? 0 : drafter_.changes(i).back());
    }
    return made;
  }

  /// Returns whether this variant needs little enough.
  bool evaluate(const variant& v) {
    auto drafts = drafter_.make(v);
    buffer_problem problem;
    problem.same_memory = how_.in_place;
    problem.arrays = drafts.arrays;
    for (const auto& d : drafts.steps)
      problem.steps.push_back({d.in_place, d.writes_two, d.stays, d.lingers, d.keeps_place});
    // In arrays that are shared already, most schedules need no work area at all.
    const integer aim = how_.shared_arrays ? 0 : drafter_.largest_array() + small_ring(drafts);
    integer enough = std::max(memory().area_bytes(), aim);
    if (how_.memory_limit > 0) enough = std::min(enough, how_.memory_limit);
    if (alike()) harmonise(problem, enough, *how_.communicator);
    const auto plan = problem.steps.empty() ? buffer_plan() : assign_buffers(problem);
    if (!plan) return false;
    const integer areas = memory().area_bytes(plan->bytes);
    if (!best_ || areas < best_->areas) best_ = found{v, std::move(drafts), *plan, areas};
    return best_->areas <= enough;
  }

  /// What an exchange that lingers may need on top of an array: it makes up for that by its speed, but only
  /// where the array is large.
  [[nodiscard]] integer small_ring(const draft_list& drafts) const {
    integer most = 0;
    for (const auto& d : drafts.steps) {
      if (d.lingers) most = std::max(most, drafts.arrays[d.from + 1].bytes);
    }
    return most <= drafter_.largest_array() / 4 ? most : 0;
  }

  [[nodiscard]] const workspace& memory() const { return *made_.memory_; }

  void finish_drafts() {
    drafter_.choose(best_->how);
    for (auto& d : best_->drafts.steps) {
      if (!d.pass) continue;
      d.made.work = (how_.local != nullptr ? *how_.local : local::engine_named("auto")).make_pass(*d.pass);
    }
  }

  [[nodiscard]] integer scratch() const {
    std::size_t most = 0;
    for (const auto& d : best_->drafts.steps) most = std::max(most, d.made.work ? d.made.work->scratch_bytes() : 0);
    return std::max(static_cast<integer>(most), memory().scratch_bytes());
  }

  [[nodiscard]] integer total_bytes() const {
    const integer total = best_->areas + scratch();
    return how_.memory_limit > 0 && alike() ? mpi::largest(*how_.communicator, total) : total;
  }

  void emit() {
    const integer scratch_bytes = scratch();
    if (!best_->drafts.steps.empty()) made_.steps_ = steps_of(std::move(best_->drafts.steps), best_->plan);
    for (int a = 0; a < area_count; ++a) {
      made_.memory_->require(static_cast<area>(a), best_->plan.bytes[static_cast<std::size_t>(a)]);
    }
    made_.memory_->require_scratch(scratch_bytes);
  }

  program& made_;
  const schedule& schedule_;
  const binding& how_;
  drafter drafter_;
  std::optional<found> best_;
};

program::program(const schedule& s, const binding& how, std::shared_ptr<workspace> memory)
    : memory_(std::move(memory)) {
  binder(*this, s, how).bind();
  number_stages();
}

}  // namespace weft::run
