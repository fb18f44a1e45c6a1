#include "planner/cost.hpp"

#include <algorithm>
#include <cmath>

namespace weft::planner {

namespace {

/// Parts differ little from rank to rank, so a spread-out few of many ranks stand for all.
constexpr int most_sampled = 16;

template <class Visit>
void each_sampled(int ranks, Visit visit) {
  const int sampled = std::min(ranks, most_sampled);
  for (int i = 0; i < sampled; ++i) visit(static_cast<int>(static_cast<integer>(i) * ranks / sampled));
}

class pricing {
 public:
  pricing(const schedule& s, int ranks, precision element, const machine& on)
      : schedule_(s), ranks_(ranks), bytes_(static_cast<double>(complex_bytes(element))), on_(on) {}

  cost run() {
    const auto stations = stations_of(schedule_);
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      const stage& g = schedule_.stages[i];
      if (const auto* t = std::get_if<transform_stage>(&g)) {
        transform(*t, stations[i], stations[i + 1].at);
      } else if (const auto* w = std::get_if<twiddle_stage>(&g)) {
        // Six operations an element, and lines that cannot go straight from registers past the caches: measured,
        // a transform with twiddles takes as long as two without.
        compute(stations[i].at, stations[i].at, 6 * static_cast<double>(w->axes.size()), 1);
      } else if (std::holds_alternative<redistribute_stage>(g)) {
        // What nothing has been transformed of since it came must be copied to go on.
        const stage* const before = i == 0 ? nullptr : &schedule_.stages[i - 1];
        if (before == nullptr || std::holds_alternative<redistribute_stage>(*before) ||
            std::holds_alternative<view_stage>(*before)) {
          copy(stations[i].at);
        }
        exchange(stations[i].at, stations[i + 1].at);
      }
    }
    if (!schedule_.stages.empty() && std::holds_alternative<redistribute_stage>(schedule_.stages.back())) {
      copy(stations.back().at);
    }
    return std::move(cost_);
  }

 private:
  /// A real transform is priced by its complex side, which is half of the real one.
  void compute(const distribution& before, const distribution& after, double flops, double passes) {
    double most = 0;
    each_sampled(ranks_, [&](int rank) {
      const auto elements = static_cast<double>(std::min(before.local_size(rank), after.local_size(rank)));
      most = std::max(most, elements * (flops * on_.flop_seconds + passes * 2 * bytes_ * on_.pass_byte_seconds));
    });
    cost_.compute_seconds += most;
  }

  void copy(const distribution& at) {
    compute(at, at, 0, 1);
    ++cost_.passes;
  }

  void transform(const transform_stage& t, const station& here, const distribution& after) {
    // As many axes go in one pass as leave its tile in cache.
    double logs = 0, tile = bytes_;
    int passes = 1;
    for (const int axis : t.axes) {
      const auto n = static_cast<double>(std::max<integer>(1, length_at(schedule_, here, axis)));
      logs += std::log2(std::max(2.0, n));
      if (tile > bytes_ && tile * n > on_.tile_bytes) {
        ++passes;
        tile = bytes_;
      }
      tile *= n;
    }
    compute(here.at, after, 5 * logs, passes);
    cost_.passes += passes;
  }

  void exchange(const distribution& from, const distribution& to) {
    exchange_cost most;
    each_sampled(ranks_, [&](int rank) {
      const auto out = exchange::outgoing_traffic(from, to, rank, on_.ranks_per_node);
      const auto in = exchange::incoming_traffic(from, to, rank, on_.ranks_per_node);
      const auto seconds = [&](const level& l, integer messages, integer elements) {
        return static_cast<double>(messages) * l.message_seconds +
               static_cast<double>(elements) * bytes_ * l.byte_seconds;
      };
      const double all = seconds(on_.node, out.near_messages + in.near_messages, out.near_elements + in.near_elements) +
                         seconds(on_.network, out.far_messages + in.far_messages, out.far_elements + in.far_elements);
      if (all > most.seconds) most = {out, all};
    });
    cost_.exchange_seconds += most.seconds;
    cost_.exchanges.push_back(most);
  }

  const schedule& schedule_;
  int ranks_;
  double bytes_;
  const machine& on_;
  cost cost_;
};

}  // namespace

cost cost_of(const schedule& s, int ranks, precision element, const machine& on) {
  return pricing(s, ranks, element, on).run();
}

}  // namespace weft::planner
