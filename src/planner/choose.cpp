// SPDX-License-Identifier: BSD-3-Clause
#include "planner/choose.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "algorithm/transposition.hpp"
#include "index/chain.hpp"
#include "local/device_engines.hpp"
#include "planner/postponed.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

// An estimate must promise so much before ranks are left idle, a factor and seconds: users would rather have their data
// spread, and small arrays are fast either way.
constexpr double idle_must_win = 1.25;
constexpr double idle_must_save = 100e-6;
// Of schedules for the same arrays, prices closer than this are ties: the model cannot tell more.
constexpr double tie = 1.2;
// Of schedules that differ in which axes they split and in nothing else: where this much was expected of strides,
// nothing was measured.
constexpr double related_tie = 1.5;
constexpr double rounding = 1 + 1e-9;

/// The cheapest engine for each exchange; of ties the first.
std::vector<std::string> cheapest_engines(const cost& of, const freedom& open, int ranks, const cargo& what,
                                          const machine& on, int threads) {
  const auto at_hand = engines_at_hand(open, ranks, on);
  std::vector<std::string> engines;
  for (const auto& moved : of.exchanges) {
    const auto seconds = [&](const exchange::engine* e) {
      return price_of(moved, *e, ranks, what.bytes(*e, of), on).seconds +
             (needs_copies(*e, ranks, on) ? moved.copy_seconds / threads : 0);
    };
    engines.emplace_back((*std::ranges::min_element(at_hand, {}, seconds))->name);
  }
  return engines;
}

priced price_with(const cost& of, strategy how, int ranks, const cargo& what, const machine& on) {
  priced result;
  result.ranks = ranks;
  result.passes = of.passes;
  result.compute_seconds = of.compute_seconds;
  for (std::size_t i = 0; i < of.exchanges.size(); ++i) {
    const auto& by = exchange::engine_named(how.exchanges[i]);
    result.exchanges.push_back(price_of(of.exchanges[i], by, ranks, what.bytes(by, of), on));
    if (needs_copies(by, ranks, on)) {
      result.compute_seconds += of.exchanges[i].copy_seconds;
    } else {
      result.passes -= of.exchanges[i].copies;
    }
  }
  result.compute_seconds /= how.threads;
  result.how = std::move(how);
  return result;
}

/// Prices the schedules of one task with the engines that are cheapest for each.
class pricing {
 public:
  pricing(const freedom& open, const cargo& what, const machine& on) : open_(open), what_(what), on_(on) {}

  void add(std::vector<priced>& found, std::vector<algorithm::candidate> proposed, int ranks) const {
    pricer prices(ranks, what_.element, on_);
    for (auto& c : proposed) {
      if (!suits(c.schedule)) continue;
      cost all = prices.cost_of(c.schedule);
      c.schedule = with_fewest_passes(std::move(c.schedule), all, prices);
      // Slabs are pencils on a grid of one row, and so on.
      if (std::ranges::any_of(found, [&](const priced& p) { return p.how.forward == c.schedule; })) continue;
      strategy how;
      how.algorithm = c.algorithm;
      how.local = local_for(open_, c.schedule, what_.element).name();
      how.forward = std::move(c.schedule);
      how.threads = open_.threads > 0 ? open_.threads : open_.cores;
      how.exchanges = open_.exchange == "auto"
                          ? cheapest_engines(all, open_, ranks, what_, on_, how.threads)
                          : parse_exchanges(open_.exchange, static_cast<int>(all.exchanges.size()));
      found.push_back(price_with(all, std::move(how), ranks, what_, on_));
    }
  }

 private:
  /// A list of engines has one for each exchange.
  [[nodiscard]] bool suits(const schedule& s) const {
    const auto commas = std::ranges::count(open_.exchange, ',');
    return commas == 0 || commas + 1 == exchanges_of(s);
  }

  const freedom& open_;
  cargo what_;
  const machine& on_;
};

/// What a schedule that leaves ranks idle is taken to cost.
double handicapped(double seconds) { return std::max(seconds * idle_must_win, seconds + idle_must_save); }

bool cheaper(const priced& a, const priced& b) { return a.seconds() < b.seconds(); }

/// Numbers of ranks that might do better than all: half of them, a quarter and so on; and of the nodes.
std::vector<int> fewer_than(int ranks, int per_node) {
  std::vector<int> all;
  for (int fewer = ranks / 2; fewer > 0; fewer /= 2) all.push_back(fewer);
  for (int nodes = (ranks - 1) / per_node; nodes > 0; nodes /= 2) all.push_back(nodes * per_node);
  std::ranges::sort(all, std::greater{});
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Schedules that leave ranks idle, where the arrays may be anywhere, as long as their arithmetic alone could be faster
/// than all that was found.
void add_idle_ranks(std::vector<priced>& found, const algorithm::task& problem, const freedom& open,
                    const pricing& prices, const machine& on) {
  if (!open.idle_ranks || problem.in || problem.out || problem.on) return;
  double best = found.front().seconds(), work = found.front().compute_seconds;
  for (const auto& p : found) {
    best = std::min(best, p.seconds());
    work = std::min(work, p.compute_seconds);
  }
  work *= problem.ranks;
  algorithm::task fewer = problem;
  for (const int ranks : fewer_than(problem.ranks, on.ranks_per_node)) {
    if (handicapped(work / ranks) >= best) return;
    fewer.ranks = ranks;
    try {
      prices.add(found, algorithm::propose(fewer, open.algorithm), fewer.ranks);
    } catch (const applicability_error&) {
      continue;  // fewer ranks are an offer, not a duty
    }
  }
}

/// The cheapest; of ties the one with the fewest exchanges, which scales better. What is left is decided by order,
/// which has contiguous axes transformed first, and not by rounding.
std::vector<priced>::iterator chosen_of(std::vector<priced>& found, const algorithm::task& problem) {
  const auto judged = [&](const priced& p) { return p.ranks < problem.ranks ? handicapped(p.seconds()) : p.seconds(); };
  double least = judged(found.front());
  for (const auto& p : found) least = std::min(least, judged(p));
  const double limit = least * (problem.in ? tie : rounding);
  auto chosen = found.end();
  for (auto p = found.begin(); p != found.end(); ++p) {
    if (judged(*p) > limit) continue;
    if (chosen == found.end() || p->exchanges.size() < chosen->exchanges.size() ||
        (p->exchanges.size() == chosen->exchanges.size() && judged(*p) * rounding < judged(*chosen))) {
      chosen = p;
    }
  }
  return chosen;
}

/// Which axes are split before all transforms, and which behind them.
std::pair<std::vector<int>, std::vector<int>> split_axes(const priced& p) {
  const auto of = [](const distribution& d) {
    std::vector<int> axes;
    for (int l = 0; l < d.axes(); ++l) {
      if (!d.is_local(l)) axes.push_back(l);
    }
    return axes;
  };
  return {of(p.how.forward.input), of(output_of(p.how.forward))};
}

/// Of what does the same along other axes, and costs about as much, the one that splits the first axes: so do plans for
/// related arrays, scalars and vectors, real and complex ones, of either precision, which users multiply with each
/// other.
std::vector<priced>::iterator usual_like(std::vector<priced>::iterator chosen, std::vector<priced>& found,
                                         const algorithm::task& problem) {
  if (problem.in || problem.out || problem.on || chosen->how.forward.input.is_bricks()) return chosen;
  const double share = problem.real_axis() >= 0 ? 0.5 : 1;  // of an element of the input in one of the output
  const auto most_elements = [&](const priced& p) {
    const auto of = [](const distribution& d) { return static_cast<double>(d.local_size(first_rank(d))); };
    return std::max(share * of(p.how.forward.input), of(output_of(p.how.forward)));
  };
  const auto moving = [](const priced& p) { return p.seconds() - p.compute_seconds; };
  const auto does_the_same = [&](const priced& p) {
    return p.how.algorithm == chosen->how.algorithm && p.ranks == chosen->ranks &&
           p.exchanges.size() == chosen->exchanges.size() && p.passes <= chosen->passes &&
           !p.how.forward.input.is_bricks() && p.how.forward.input.on() == chosen->how.forward.input.on() &&
           most_elements(p) <= 1.05 * most_elements(*chosen) && moving(p) <= 1.05 * moving(*chosen);
  };
  const double limit = related_tie * chosen->seconds();
  auto usual = chosen;
  for (auto p = found.begin(); p != found.end(); ++p) {
    if (does_the_same(*p) && p->seconds() <= limit && split_axes(*p) < split_axes(*usual)) usual = p;
  }
  return usual;
}

/// The engines at hand, each engine for all exchanges, and each for one of them.
std::vector<std::vector<std::string>> engines_for(const priced& of, const freedom& open, const machine& on) {
  const auto& at_hand = of.how.exchanges;
  std::vector<std::vector<std::string>> all{at_hand};
  if (open.exchange != "auto" || at_hand.empty()) return all;
  for (const auto* e : engines_at_hand(open, of.ranks, on)) {
    all.emplace_back(at_hand.size(), std::string(e->name));
    for (std::size_t i = 0; i < at_hand.size() && at_hand.size() > 1; ++i) {
      all.push_back(at_hand);
      all.back()[i] = e->name;
    }
  }
  return all;
}

}  // namespace

double priced::seconds() const {
  return std::accumulate(exchanges.begin(), exchanges.end(), compute_seconds,
                         [](double sum, const exchange_price& e) { return sum + e.seconds; });
}

std::vector<const exchange::engine*> engines_by_price(const distribution& from, const distribution& to, int ranks,
                                                      std::size_t element_bytes, const freedom& open,
                                                      const machine& on) {
  const exchange_cost moved = loads_of(from, to, ranks, on);
  auto all = engines_at_hand(open, ranks, on);
  std::ranges::stable_sort(
      all, {}, [&](const exchange::engine* e) { return price_of(moved, *e, ranks, element_bytes, on).seconds; });
  return all;
}

comparison compare(const algorithm::task& problem, const freedom& open, const cargo& what, const machine& on) {
  comparison all;
  const pricing prices(open, what, on);
  prices.add(all.candidates, algorithm::propose(problem, open.algorithm, &all.refusals), problem.ranks);
  if (all.candidates.empty()) {
    throw argument_error("exchange engines '" + open.exchange + "' do not number the exchanges of any schedule for " +
                         algorithm::arrays_text(problem) + "; name one for all");
  }
  add_idle_ranks(all.candidates, problem, open, prices, on);
  const auto chosen = usual_like(chosen_of(all.candidates, problem), all.candidates, problem);
  std::rotate(all.candidates.begin(), chosen, chosen + 1);
  std::stable_sort(all.candidates.begin() + 1, all.candidates.end(), cheaper);
  return all;
}

priced price_of(const strategy& how, const cargo& what, const machine& on) {
  int ranks = 1;
  for (const auto& stop : stations_of(how.forward)) ranks = std::max(ranks, stop.at.ranks());
  return price_with(pricer(ranks, what.element, on).cost_of(how.forward), how, ranks, what, on);
}

std::vector<priced> variants(const priced& of, const freedom& open, const cargo& what, const machine& on) {
  const cost all = pricer(of.ranks, what.element, on).cost_of(of.how.forward);
  const auto engines = engines_for(of, open, on);
  std::vector<std::string> locals{of.how.local};
  if (open.local == "auto" && open.on_device) {
    for (const auto name : local::device_engine_names()) {
      const bool can = lacking(local::engine_named(name), of.how.forward) == line_kind::none;
      if (can && (name != "cufft" || (open.on_cards && open.cufft_is_there))) locals.emplace_back(name);
    }
  } else if (open.local == "auto") {
    for (const auto* e : local::engines()) {
      if (e->for_speed() && lacking(*e, of.how.forward) == line_kind::none) locals.emplace_back(e->name());
    }
  }
  std::vector<int> threads{of.how.threads};
  if (open.threads == 0) threads.push_back(1);
  std::vector<priced> found{of};
  const auto add = [&](const std::vector<std::string>& by, const std::string& local, int count, int parts) {
    strategy how{of.how.algorithm, of.how.forward, by, local, count, parts};
    if (std::ranges::any_of(found, [&](const priced& p) { return p.how == how; })) return;
    found.push_back(price_with(all, std::move(how), of.ranks, what, on));
  };
  for (const auto& by : engines) {
    for (const auto& local : locals) {
      for (const int count : threads) {
        add(by, local, count, 0);
        // Fewer and more parts than the engine takes by itself.
        if (std::ranges::any_of(by, [](const auto& name) { return exchange::engine_named(name).cuts; })) {
          for (const int parts : {2, 32}) add(by, local, count, parts);
        }
      }
    }
  }
  found.erase(found.begin());
  std::ranges::stable_sort(found, cheaper);
  return found;
}

grid balanced_grid(const extents& shape, const std::vector<chain>& chains, int axes, int ranks) {
  const auto all = algorithm::factorisations(ranks, axes);
  std::vector<double> sizes;
  for (const auto& g : all) {
    const grid on(g);
    sizes.push_back(can_name(on, chains) ? algorithm::largest_part(shape, on, chains)
                                         : std::numeric_limits<double>::infinity());
  }
  // Up to a fifth more work on the fullest rank is a fair price for an even grid.
  const double allowed = 1.2 * *std::min_element(sizes.begin(), sizes.end());
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (sizes[i] > allowed) continue;
    const auto widest = [&](std::size_t j) { return *std::max_element(all[j].begin(), all[j].end()); };
    if (best == all.size() || widest(i) < widest(best) || (widest(i) == widest(best) && sizes[i] < sizes[best]))
      best = i;
  }
  return grid(all[best]);
}

}  // namespace weft::planner
