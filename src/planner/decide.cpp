// SPDX-License-Identifier: BSD-3-Clause
#include "planner/decide.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "mpi/agreement.hpp"
#include "planner/outline.hpp"
#include "planner/race.hpp"
#include "planner/trial_run.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

// What `measure` times first: schedules that the model finds nearly as good as the best. It is a model.
constexpr std::size_t most_schedules = 12;
constexpr double worth_timing = 3;
constexpr double usual_seconds = 5;  // of `measure`

/// Strategies are one text when rank 0 tells them.
std::vector<strategy> told(const mpi::communicator& on, const std::vector<strategy>& by_root) {
  std::string text;
  mpi::agree(on, [&] {
    for (const auto& s : by_root) text += to_text(s) + '\v';
  });
  text = mpi::broadcast(on, std::move(text), 0);
  std::vector<strategy> all;
  mpi::agree(on, [&] {
    for (const auto piece : base::split_text(text, '\v')) {
      if (!piece.empty()) all.push_back(parse_strategy(piece));
    }
  });
  return all;
}

std::string words_of(const strategy& s) {
  return s.algorithm + " " + s.forward.input.text() + ", " + exchanges_text(s.exchanges) + ", " + s.local +
         (s.threads > 1 ? ", " + std::to_string(s.threads) + " threads" : "");
}

/// The strategies by price, the chosen one first. A deterministic plan's schedule is the one that the built-in figures
/// choose, whatever the machine; its engines are priced as usual.
std::vector<priced> candidates_for(const problem& what, const options& how, const algorithm::task& task,
                                   const setting& given) {
  if (!how.deterministic) return compare(task, given.open, cargo_of(what, how), given.on).candidates;
  auto chosen = compare(task, given.open, cargo_of(what, how), {}).candidates;
  chosen.resize(1);
  for (auto& v : variants(chosen.front(), given.open, cargo_of(what, how), given.on)) chosen.push_back(std::move(v));
  chosen.front() = price_of(chosen.front().how, cargo_of(what, how), given.on);
  std::ranges::stable_sort(chosen, {}, [](const priced& p) { return p.seconds(); });
  return chosen;
}

std::string unusable(const options& how, const error& reason) {
  return "'" + how.wisdom + "' has an entry for this that cannot be used: " + reason.what();
}

/// Times strategies, within the time that is given, and keeps what it learns in the wisdom file.
class measurement {
 public:
  measurement(const problem& what, const options& how, const algorithm::task& task, const setting& given,
              const crew& on, wisdom::fields question, bool replace)
      : what_(what),
        how_(how),
        to_try_(how),
        task_(task),
        given_(given),
        on_(on),
        question_(std::move(question)),
        replace_(replace) {
    // An arena grows for what is chosen alone.
    if (!how.workspace.is_given()) to_try_.workspace = {};
  }

  void run() {
    // Only rank 0 searches.
    std::vector<strategy> first;
    mpi::agree(on_.all, [&] {
      if (on_.all.rank() != 0) return;
      auto found = candidates_for(what_, how_, task_, given_);
      // The result's rounding follows from the schedule.
      if (how_.deterministic) found.resize(1);
      first = how_.planning == effort::patient ? all_of(found) : promising(found);
    });
    race(first);
    if (how_.planning == effort::measure && best_ && !stopped_) {
      std::vector<strategy> second;
      mpi::agree(on_.all, [&] {
        if (on_.all.rank() == 0) second = variants_of_best();
      });
      race(second);
    }
    if (best_) save(!complete_);
    complaint_ = mpi::broadcast(on_.all, complaint_, 0);
  }

  [[nodiscard]] const std::optional<known>& best() const { return best_; }
  [[nodiscard]] std::vector<trial>& trials() { return trials_; }
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  [[nodiscard]] std::vector<strategy> promising(const std::vector<priced>& found) const {
    std::vector<strategy> chosen;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& p : found) least = std::min(least, p.seconds());
    for (const auto& p : found) {
      if (chosen.size() < most_schedules && p.seconds() <= worth_timing * least) chosen.push_back(p.how);
    }
    return chosen;
  }

  [[nodiscard]] std::vector<strategy> all_of(const std::vector<priced>& found) const {
    std::vector<priced> all = found;
    for (const auto& p : found) {
      for (auto& v : variants(p, given_.open, cargo_of(what_, how_), given_.on)) all.push_back(std::move(v));
    }
    std::ranges::stable_sort(all, {}, [](const priced& p) { return p.seconds(); });
    std::vector<strategy> chosen;
    for (auto& p : all) chosen.push_back(std::move(p.how));
    return chosen;
  }

  /// The best so far among them, so that all are timed under the same conditions.
  [[nodiscard]] std::vector<strategy> variants_of_best() const {
    std::vector<strategy> chosen{best_->how};
    const auto base = price_of(best_->how, cargo_of(what_, how_), given_.on);
    for (auto& v : variants(base, given_.open, cargo_of(what_, how_), given_.on)) chosen.push_back(std::move(v.how));
    return chosen;
  }

  void race(const std::vector<strategy>& by_root) {
    const auto contenders = told(on_.all, by_root);
    const std::size_t before = trials_.size();
    total_ += static_cast<integer>(contenders.size());
    for (const auto& s : contenders) trials_.push_back({s, -1, 0, {}});
    const auto attempt = [&](std::size_t i, double best) {
      trial& t = trials_[before + i];
      const double seconds = time(t, best);
      if (t.seconds < 0) ++done_;
      t.seconds = t.seconds < 0 ? seconds : std::min(t.seconds, seconds);
      if (seconds < best && (!best_ || seconds < best_->seconds)) {
        best_ = {t.how, how_.planning, false, seconds};
        save(true);
      }
      return seconds;
    };
    const auto result = planner::race(contenders.size(), attempt, [&] { return go_on(); });
    complete_ = complete_ && result.complete;
    std::erase_if(trials_, [](const trial& t) { return t.seconds < 0; });  // was not tried
    if (result.winner < contenders.size()) {
      best_ = {contenders[result.winner], how_.planning, false, result.seconds[result.winner]};
    }
  }

  double time(trial& t, double best) {
    try {
      bound tried(what_, to_try_, task_, on_, t.how);
      t.workspace_bytes = mpi::largest(on_.all, tried.workspace_bytes());
      return least_seconds(tried, how_, on_, best);
    } catch (const error& e) {  // the same on every rank
      t.failure = e.what();
      return std::numeric_limits<double>::infinity();
    }
  }

  /// The same answer on every rank; once false, always.
  bool go_on() {
    if (stopped_) return false;
    const double limit = how_.planning_seconds > 0          ? how_.planning_seconds
                         : how_.planning == effort::measure ? usual_seconds
                                                            : std::numeric_limits<double>::infinity();
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    bool stop = spent > limit;
    mpi::agree(on_.all, [&] {
      if (on_.all.rank() != 0 || !how_.on_progress) return;
      const planning_progress now{done_, total_, best_ ? best_->seconds : 0, best_ ? words_of(best_->how) : ""};
      stop = !how_.on_progress(now) || stop;
    });
    stopped_ = mpi::largest(on_.all, stop) != 0;
    return !stopped_;
  }

  /// What was learned is kept at once: a job may be killed any time.
  void save(bool partial) {
    // The best of what fits in given memory need not be that without.
    if (how_.wisdom.empty() || how_.workspace.is_given() || on_.all.rank() != 0) return;
    best_->partial = partial;
    wisdom learned;
    auto answer = answer_of(*best_);
    learned.add({"plan", question_, answer});
    try {
      // What this very measurement said before, it knows better now, if slower.
      if (!saved_.empty()) {
        const auto file = wisdom::load(how_.wisdom);
        const auto* const there = file.find("plan", question_);
        replace_ = there != nullptr && *there == saved_;
      }
      learned.save_into(how_.wisdom, replace_);
      replace_ = false;
      saved_ = std::move(answer);
    } catch (const std::exception& e) {  // a plan without memory of itself is a plan
      complaint_ = e.what();
    }
  }

  const problem& what_;
  const options& how_;
  options to_try_;  // with each strategy
  const algorithm::task& task_;
  const setting& given_;
  const crew& on_;
  wisdom::fields question_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<trial> trials_;
  std::optional<known> best_;
  bool replace_;          // what the file says to the question
  wisdom::fields saved_;  // what this said last
  bool complete_ = true, stopped_ = false;
  integer done_ = 0, total_ = 0;
  std::string complaint_;
};

/// What the file knows of the question, if that is enough.
struct lookup {
  std::optional<strategy> found;
  std::string note;
  bool useless = false;  ///< it has an answer, but one that cannot be used
};

bool enough(const known& found, effort asked) {
  if (asked == effort::estimate) return true;
  return !found.partial && (asked == effort::measure || found.found_by == effort::patient);
}

lookup look_up(const problem& what, const options& how, const algorithm::task& task, const setting& given,
               const wisdom& entries, const wisdom::fields& question, const mpi::communicator& on) {
  lookup result;
  std::vector<strategy> found;
  mpi::agree(on, [&] {
    if (on.rank() != 0) return;
    const auto* const answer = entries.find("plan", question);
    if (answer == nullptr) {
      result.note = "'" + how.wisdom + "' does not know this: " + entries.why_not("plan", question);
      return;
    }
    try {
      const known k = known_from(*answer, task, given.open);
      if (how.deterministic && k.how.forward != candidates_for(what, how, task, given).front().how.forward) {
        throw argument_error("its schedule is not the one that deterministic plans have");
      }
      if (enough(k, how.planning)) {
        found.push_back(k.how);
        result.note = "from '" + how.wisdom + "'";
      } else {
        result.note = "'" + how.wisdom + "' knows this from less effort";
      }
    } catch (const error& e) {
      result.note = unusable(how, e);
      result.useless = true;
    }
  });
  result.useless = mpi::largest(on, result.useless) != 0;
  const auto all = told(on, found);
  if (!all.empty()) result.found = all.front();
  result.note = mpi::broadcast(on, result.note, 0);
  return result;
}

/// Whether a memory limit can be kept, as far as one rank can tell: it saves all from trying in vain.
bool may_fit(const problem& what, const options& how, const algorithm::task& task, const crew& on, const strategy& s) {
  if (how.memory_limit == 0) return true;
  try {
    require_memory(outline(what, how, task, s, on.all.rank(), on.nodes, on.on), on.all.rank());
    (void)workspace_of(what, how, task, s, on.nodes);
    return true;
  } catch (const buffer_error&) {
    return false;
  }
}

/// The first of the model's choices for which there is memory.
std::optional<bound> bind_estimate(const problem& what, const options& how, const algorithm::task& task,
                                   const setting& given, const crew& on) {
  std::vector<priced> found;
  const auto bind = [&](const strategy& s) { return std::optional<bound>(std::in_place, what, how, task, on, s); };
  std::vector<strategy> first;
  mpi::agree(on.all, [&] {
    if (on.all.rank() != 0) return;
    found = candidates_for(what, how, task, given);
    first.push_back(found.front().how);
  });
  std::string complaint;
  try {
    return bind(told(on.all, first).front());
  } catch (const buffer_error& e) {
    complaint = e.what();
  }
  // Other engines for the same schedule, then other schedules.
  std::vector<strategy> others;
  mpi::agree(on.all, [&] {
    if (on.all.rank() != 0) return;
    for (const auto& v : variants(found.front(), given.open, cargo_of(what, how), given.on)) {
      if (v.how.local == found.front().how.local && v.how.parts == 0) others.push_back(v.how);
    }
    for (std::size_t i = 1; i < found.size(); ++i) others.push_back(found[i].how);
    std::erase_if(others, [&](const strategy& s) { return !may_fit(what, how, task, on, s); });
  });
  for (const auto& s : told(on.all, others)) {
    try {
      return bind(s);
    } catch (const buffer_error&) {
      continue;
    } catch (const applicability_error&) {  // of passes on devices, say: others are an offer
      continue;
    }
  }
  throw buffer_error(complaint);
}

bool any_strided(const options& how, const mpi::communicator& on) {
  return mpi::largest(on, !how.input_layout.strides.empty() || !how.output_layout.strides.empty()) != 0;
}

}  // namespace

decision decide(const problem& what, const options& how, const algorithm::task& task, const setting& given,
                const knowledge& known, const crew& on) {
  decision result;
  wisdom::fields question;
  bool useless = false;
  if (!how.wisdom.empty()) {
    question = question_of(known.where, what, how, given.open.cores, any_strided(how, on.all));
    const auto answer = look_up(what, how, task, given, known.entries, question, on.all);
    result.wisdom = answer.note;
    useless = answer.useless;
    if (answer.found) {
      try {
        result.how_bound.emplace(what, how, task, on, *answer.found);
        return result;
      } catch (const buffer_error& e) {  // there was room once
        result.wisdom = unusable(how, e);
        useless = true;
      }
    }
  }
  if (how.planning == effort::estimate) {
    result.how_bound = bind_estimate(what, how, task, given, on);
    return result;
  }
  measurement measured(what, how, task, given, on, question, useless);
  measured.run();
  if (!measured.complaint().empty()) {
    result.wisdom = measured.complaint();
    result.kept = false;
  }
  result.trials = std::move(measured.trials());
  if (!measured.best()) {
    throw buffer_error("no way of doing this transform could be run: " +
                       (result.trials.empty() ? std::string("nothing to try") : result.trials.front().failure));
  }
  result.how_bound.emplace(what, how, task, on, measured.best()->how);
  return result;
}

}  // namespace weft::planner
