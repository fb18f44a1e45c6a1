// SPDX-License-Identifier: BSD-3-Clause
#include "run/draft.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::run {

namespace {

step follow_up(const step& start, step::kind what) {
  step s;
  s.what = what;
  s.doing = what == step::kind::start ? activity::exchange : activity::wait;
  s.name = start.name;
  s.source = start.source;
  return s;
}

class step_writer {
 public:
  explicit step_writer(draft_list& drafts) : drafts_(drafts.steps), exchanges_(drafts.exchanges) {}

  std::vector<step> write(const buffer_plan& plan) {
    for (std::size_t i = 0; i < drafts_.size(); ++i) place(i, plan);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].action.what == step::kind::start) {
        add_exchange(i);
      } else {
        add_pass(i);
      }
    }
    return std::move(steps_);
  }

 private:
  /// The number of the exchange that draft `i` is, -1 if it is none.
  [[nodiscard]] int exchange_at(std::size_t i) const {
    return i < drafts_.size() && drafts_[i].action.what == step::kind::start ? drafts_[i].action.source.exchange : -1;
  }
  [[nodiscard]] const exchange::geometry& geometry_of(const step& start) const {
    return exchanges_[static_cast<std::size_t>(start.source.exchange)]->how;
  }

  /// Gives draft `i` its areas.
  void place(std::size_t i, const buffer_plan& plan) {
    auto& d = drafts_[i];
    const auto at = [&](std::size_t array) { return plan.arrays[std::min(array, plan.arrays.size() - 1)]; };
    if (d.action.what == step::kind::start) {
      d.action.source = {d.action.source.exchange, at(d.from), at(d.from + 1)};
      return;
    }
    d.action.source = {i > 0 ? exchange_at(i - 1) : -1, at(d.from > 0 ? d.from - 1 : 0), at(d.from)};
    d.action.sink = {exchange_at(i + 1), at(d.from + 1), at(d.from + 2)};
  }

  /// Whether pass `i` stores, in memory that peers share, every element where it loaded it. No other rank touches the
  /// element before the exchange that follows starts, so nobody need wait for anybody until then.
  [[nodiscard]] bool stays_at_home(std::size_t i) const {
    return i > 0 && i + 1 < drafts_.size() && drafts_[i - 1].does.stays && drafts_[i + 1].does.stays &&
           drafts_[i].action.source.to == drafts_[i].action.sink.from;
  }

  void add_pass(std::size_t i) {
    const bool at_home = stays_at_home(i);
    if (exchange_at(i + 1) >= 0 && geometry_of(drafts_[i + 1].action).before != exchange::preparation::none &&
        !at_home) {
      steps_.push_back(follow_up(drafts_[i + 1].action, step::kind::prepare));
    }
    const auto finishing = std::exchange(unfinished_, std::nullopt);
    steps_.push_back(std::move(drafts_[i].action));
    if (finishing && !at_home) steps_.push_back(follow_up(*finishing, step::kind::finish));
  }

  void add_exchange(std::size_t i) {
    const step& start = drafts_[i].action;
    steps_.push_back(follow_up(start, step::kind::start));
    const bool consumer_follows = i + 1 < drafts_.size() && drafts_[i + 1].action.what == step::kind::pass;
    if (!geometry_of(start).arrives_later || !consumer_follows) {
      steps_.push_back(follow_up(start, step::kind::finish));
      return;
    }
    auto& consumer = drafts_[i + 1];
    consumer.action.waits = true;
    // Messages may still be leaving the memory that the consumer is about to write.
    const area from = start.source.from;
    if (consumer.action.sink.from == from || (consumer.does.writes_two && consumer.action.sink.to == from)) {
      steps_.push_back(follow_up(start, step::kind::release));
    }
    unfinished_ = follow_up(start, step::kind::finish);
  }

  std::vector<draft>& drafts_;
  const std::vector<std::shared_ptr<const planned_exchange>>& exchanges_;
  std::vector<step> steps_;
  std::optional<step> unfinished_;  // finish of an exchange whose consumer comes first
};

}  // namespace

std::vector<step> steps_of(draft_list& drafts, const buffer_plan& plan) { return step_writer(drafts).write(plan); }

}  // namespace weft::run
