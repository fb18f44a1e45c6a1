#include "planner/cost.hpp"

#include <algorithm>
#include <cmath>

#include "exchange/messages.hpp"

namespace weft::planner {

namespace {

/// Parts differ little from rank to rank, so a spread-out few of many ranks stand for all.
constexpr int most_sampled = 16;

template <class Cost>
double slowest(int ranks, Cost cost) {
  double most = 0;
  const int sampled = std::min(ranks, most_sampled);
  for (int i = 0; i < sampled; ++i) {
    const auto rank = static_cast<int>(static_cast<integer>(i) * ranks / sampled);
    most = std::max(most, cost(rank));
  }
  return most;
}

/// A real transform is priced by its complex side, which is half of the real one.
double transform_seconds(const transform_stage& t, const distribution& before, const distribution& after, int ranks,
                         double element_bytes, const machine& on) {
  double logs = 0;
  for (const int axis : t.axes) {
    const auto l = static_cast<std::size_t>(axis);
    logs += std::log2(static_cast<double>(std::max({integer{2}, before.shape()[l], after.shape()[l]})));
  }
  return slowest(ranks, [&](int rank) {
    const auto elements = static_cast<double>(std::min(before.local_size(rank), after.local_size(rank)));
    return elements * (5 * logs * on.flop_seconds + 2 * element_bytes * on.pass_byte_seconds);
  });
}

/// Six operations an element, while it is in cache.
double twiddle_seconds(const twiddle_stage& w, const distribution& at, int ranks, const machine& on) {
  return slowest(ranks, [&](int rank) {
    return 6 * static_cast<double>(w.axes.size()) * static_cast<double>(at.local_size(rank)) * on.flop_seconds;
  });
}

double exchange_seconds(const distribution& from, const distribution& to, int ranks, double element_bytes,
                        const machine& on) {
  return slowest(ranks, [&](int rank) {
    double seconds = 0;
    for (const auto& messages : {exchange::outgoing(from, to, rank), exchange::incoming(from, to, rank)}) {
      for (const auto& m : messages) {
        if (m.peer == rank) continue;
        seconds += on.message_seconds + static_cast<double>(m.count) * element_bytes * on.byte_seconds;
      }
    }
    return seconds;
  });
}

}  // namespace

double price(const schedule& s, int ranks, precision element, const machine& on) {
  const auto stations = stations_of(s);
  const auto bytes = static_cast<double>(complex_bytes(element));
  double seconds = 0;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    if (const auto* t = std::get_if<transform_stage>(&s.stages[i])) {
      seconds += transform_seconds(*t, stations[i].at, stations[i + 1].at, ranks, bytes, on);
    } else if (const auto* w = std::get_if<twiddle_stage>(&s.stages[i])) {
      seconds += twiddle_seconds(*w, stations[i].at, ranks, on);
    } else if (std::holds_alternative<redistribute_stage>(s.stages[i])) {
      seconds += exchange_seconds(stations[i].at, stations[i + 1].at, ranks, bytes, on);
    }
  }
  return seconds;
}

}  // namespace weft::planner
