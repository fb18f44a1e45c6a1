// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cost.hpp"

#include <algorithm>
#include <cmath>

#include "exchange/node_image.hpp"
#include "exchange/parts.hpp"
#include "index/chain.hpp"
#include "local/long_fft.hpp"
#include "local/long_kernel.hpp"
#include "local/narrow.hpp"

namespace weft::planner {

namespace {

/// Elements of a part that follow each other both in the array and in the rank's memory.
integer adjacent(const distribution& d, int rank, int axis) {
  const auto part = d.part(rank, axis);
  integer most = 1;
  for (const auto& s : part) most = std::max(most, s.indices.step == 1 ? s.indices.count : integer{1});
  return most;
}

/// Into how many runs that stay together the array of `rank` falls when it is moved: as long as the shorter of those
/// of both sides, along the last axis and, where that is whole on both, the ones before.
double runs_of(const distribution& from, const distribution& to, int rank) {
  const integer before = from.local_size(rank), after = to.local_size(rank);
  const auto elements = static_cast<double>(std::max(before, after));
  if (elements == 0) return 0;
  double together = 1;
  for (int l = from.axes() - 1; l >= 0; --l) {
    const integer extent = from.shape()[static_cast<std::size_t>(l)];
    // A rank that has nothing on one side is as good as the other side lets it be.
    const integer common = std::min(before > 0 ? adjacent(from, rank, l) : extent,  //
                                    after > 0 ? adjacent(to, rank, l) : extent);
    together *= static_cast<double>(common);
    if (common < extent) break;
  }
  return elements / std::max(1.0, together);
}

constexpr double page_bytes = 4096;
/// Of lines side by side that are transformed together, the elements that one position has.
constexpr double bundle_bytes = 128;
/// So many elements of several short axes stay in registers.
constexpr integer few_elements = 8;

/// Passes that lines of which no cache holds one take, and the arithmetic of theirs that a line in cache would not
/// have.
struct long_line_cost {
  int passes = 1;
  double arithmetic = 1;
};
long_line_cost long_line_cost_of(line_kind kind, integer length, precision element) {
  if (!local::is_long_line(kind, length, element)) return {};
  const line_row& row = row_of(kind);
  const bool halved = row.in != row.out && length % 2 == 0;
  // Two transforms of more than twice the length, and what is loaded and stored besides.
  if (!local::digits_of_line(halved ? length / 2 : length)) return {10, 5};
  // Real lines go through a buffer.
  return {row.in != row.out ? 3 : 2, 1};
}

/// Elements between neighbours along an axis in the first rank's array.
double stride_at(const distribution& d, int axis) {
  double stride = 1;
  const auto shape = d.local_shape(first_rank(d));
  for (std::size_t l = static_cast<std::size_t>(axis) + 1; l < shape.size(); ++l)
    stride *= static_cast<double>(shape[l]);
  return stride;
}

void mix(std::size_t& hash, integer value) {
  hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32U;
}

/// Boxes are left to the comparison.
void mix(std::size_t& hash, const distribution& d) {
  for (const int points : d.on().shape()) mix(hash, points);
  for (const auto& splits : d.chains()) {
    mix(hash, static_cast<integer>(splits.size()));
    for (const auto& s : splits) {
      mix(hash, static_cast<integer>(s.how));
      mix(hash, s.grid_axis);
      mix(hash, s.block_size);
      mix(hash, s.first);
    }
  }
}

// Of the time that bytes take. Ranks of a node that meet before and after messages to others wait for the slowest of
// them; where bundles come for all of them, nobody goes on before the last one. Where something else than the ranks
// moves bytes, answers to MPI's questions queue behind them.
constexpr double late_peers = 0.1, late_bundles = 0.2, late_answers = 0.1;

double message_seconds(const level& l, double bytes, integer messages, integer elements) {
  return static_cast<double>(messages) * l.message_seconds + static_cast<double>(elements) * bytes * l.byte_seconds;
}

/// What leaves the node and comes from others.
class network_price {
 public:
  /// For engines that send what they gather of a node, which the ranks of the node take turns to do, or send in pieces.
  /// Where there are fewer bundles than ranks, few ranks move all, which may take them longer than the link.
  network_price(const exchange::traffic& out, const exchange::traffic& in, double bytes, int ranks, const machine& on,
                const exchange::engine& by)
      : on_(on.network) {
    messages_ = static_cast<double>(out.far_messages + in.far_messages);
    if (messages_ == 0) return;
    const double sent = static_cast<double>(out.far_elements) * bytes;
    const double received = static_cast<double>(in.far_elements) * bytes;
    // How many of the other nodes the rank talks to, at most.
    const double nodes = std::ceil(static_cast<double>(ranks) / on.ranks_per_node);
    const double spread =
        std::min(1.0, static_cast<double>(std::max(out.far_messages, in.far_messages)) / std::max(1.0, nodes - 1));
    const auto both_ways = [&](double there, double back, double seconds) {
      return (std::max(there, back) + (on_.both_ways - 1) * std::min(there, back)) * 2 * seconds /
             std::max(1.0, on_.both_ways) * (1 + (on_.contention - 1) * spread);
    };
    moving_ = both_ways(sent, received, on_.byte_seconds);
    // A question and an answer come before the message.
    const double largest = std::max(sent / std::max(1.0, static_cast<double>(out.far_messages)),
                                    received / std::max(1.0, static_cast<double>(in.far_messages)));
    if (by.shares) late_ = by.gathers ? late_bundles : late_peers;
    if (!by.in_pieces && largest > exchange::unasked_bytes) {
      asking_ = 2 * on_.latency_seconds;
      late_ += late_answers * on_.overlap;
    }
    if (!by.gathers) return;
    const double per_node = std::min(ranks, on.ranks_per_node);
    const auto bundles = [&](integer messages) { return std::min(static_cast<double>(messages), nodes - 1); };
    const auto share_of = [&](integer messages) { return std::ceil(bundles(messages) / per_node); };
    messages_ = share_of(out.far_messages) + share_of(in.far_messages);
    gathered_bytes_ = sent * per_node / std::max(1.0, bundles(out.far_messages));
    // What is cut into parts goes round.
    const double parts = static_cast<double>(exchange::bundles_of(static_cast<integer>(gathered_bytes_)));
    const auto handled = [&](double all, integer messages) {
      return all * std::max(1.0, per_node / std::max(1.0, bundles(messages) * parts));
    };
    moving_ = std::max(
        moving_, both_ways(handled(sent, out.far_messages), handled(received, in.far_messages), on_.lone_byte_seconds));
  }

  /// Messages are handed over while the bytes of others are moved, where ranks can do anything meanwhile.
  [[nodiscard]] double seconds() const {
    if (messages_ == 0) return 0;
    const double hidden = on_.overlap * std::min(per_part(), moving_);
    return on_.latency_seconds + asking_ + per_part() - hidden + (1 + late_) * moving_;
  }
  /// Of each further part in which messages come.
  [[nodiscard]] double per_part() const { return messages_ * on_.message_seconds; }
  /// What the ranks of a node have for another node.
  [[nodiscard]] double gathered_bytes() const { return gathered_bytes_; }
  /// What is saved by moving `parts` while the pass before or behind goes on, which computes so many seconds.
  [[nodiscard]] double saved(double pass, double parts) const {
    return on_.overlap * std::min(pass, moving_) * (1 - 1 / parts) - (parts - 1) * per_part();
  }

 private:
  const network_level& on_;
  double messages_ = 0, moving_ = 0, late_ = 0, asking_ = 0, gathered_bytes_ = 0;
};

/// What it costs more, or less, to send messages in parts and to consume them in a ring in cache.
double ring_seconds(const exchange::traffic& in, double bytes, double consumer, const network_price& network,
                    const machine& on) {
  const double near = static_cast<double>(in.near_elements) * bytes, far = static_cast<double>(in.far_elements) * bytes;
  const auto parts = static_cast<double>(
      exchange::parts_of(static_cast<integer>(near + far), in.near_messages + in.far_messages, in.far_messages > 0));
  const double messages = (parts - 1) * 2 * static_cast<double>(in.near_messages) * on.node.message_seconds;
  // Between nodes all parts are under way, more than caches hold, and the network writes to memory by itself.
  if (far > 0) return messages - network.saved(consumer, parts);
  return messages - (near <= on.cache_bytes ? 0 : on.ring_passes * near * on.pass_byte_seconds);
}

}  // namespace

std::size_t pricer::step_hash::operator()(const step& s) const {
  std::size_t hash = 0;
  mix(hash, s.from);
  mix(hash, s.to);
  return hash;
}

exchange_cost loads_of(const distribution& from, const distribution& to, int ranks, const machine& on) {
  exchange_cost result;
  const exchange::traffic_counter counter(from, to, on.ranks_per_node);
  each_sampled(ranks, [&](int rank) {
    result.loads.push_back({counter.sent(rank), counter.received(rank), runs_of(from, to, rank)});
  });
  return result;
}

const exchange_cost& pricer::exchange_between(const distribution& from, const distribution& to) {
  const auto [place, added] = exchanges_.try_emplace({from, to});
  if (added) place->second = loads_of(from, to, ranks_, on_);
  return place->second;
}

/// Of a rank. A real transform is priced by its complex side, which is half of the real one.
double pricer::most_elements(const distribution& before, const distribution& after) {
  const auto [place, added] = elements_.try_emplace({before, after}, 0);
  if (added) {
    integer most = 0;
    each_sampled(ranks_,
                 [&](int rank) { most = std::max(most, std::min(before.local_size(rank), after.local_size(rank))); });
    place->second = static_cast<double>(most);
  }
  return place->second;
}

/// The cost of one schedule, as it adds up.
class pricer::sum {
 public:
  sum(const schedule& s, pricer& by)
      : schedule_(s), by_(by), on_(by.on_), bytes_(static_cast<double>(complex_bytes(by.element_))) {}

  cost run() {
    const auto stations = stations_of(schedule_);
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      const stage& g = schedule_.stages[i];
      if (const auto* t = std::get_if<transform_stage>(&g)) {
        const double before = cost_.compute_seconds;
        const auto moves = [&](std::size_t j) {
          return j < schedule_.stages.size() && std::holds_alternative<redistribute_stage>(schedule_.stages[j]);
        };
        // Twiddles are multiplied in the same pass.
        const bool turned =
            i + 1 < schedule_.stages.size() && std::holds_alternative<twiddle_stage>(schedule_.stages[i + 1]);
        const bool turned_before = i > 0 && std::holds_alternative<twiddle_stage>(schedule_.stages[i - 1]);
        const std::size_t before_all = turned_before ? 2 : 1;
        const bool behind = i >= before_all && moves(i - before_all);
        transform(*t, stations[i], stations[i + 1].at, behind || moves(turned ? i + 2 : i + 1));
        last_transform_ = cost_.compute_seconds - before;
        if (behind) cost_.exchanges.back().consumer_seconds = last_transform_;
      } else if (const auto* w = std::get_if<twiddle_stage>(&g)) {
        cost_.compute_seconds += by_.most_elements(stations[i].at, stations[i].at) * twiddle(*w, stations[i]);
      } else if (std::holds_alternative<redistribute_stage>(g)) {
        exchange(stations[i].at, stations[i + 1].at, i == 0 ? nullptr : &schedule_.stages[i - 1]);
      }
    }
    if (!schedule_.stages.empty() && std::holds_alternative<redistribute_stage>(schedule_.stages.back())) {
      copy_beside(stations.back().at);
    }
    return std::move(cost_);
  }

 private:
  void exchange(const distribution& from, const distribution& to, const stage* before) {
    cost_.exchanges.push_back(by_.exchange_between(from, to));
    if (before == nullptr) {
      copy_beside(from);
    } else if (std::holds_alternative<transform_stage>(*before)) {
      cost_.exchanges.back().producer_seconds = last_transform_;
    } else if (!std::holds_alternative<twiddle_stage>(*before)) {
      // What nothing has been transformed of since it came must be copied to go on.
      cost_.compute_seconds += copy(from);
    }
  }

  /// The last exchange.
  void copy_beside(const distribution& at) {
    ++cost_.exchanges.back().copies;
    cost_.exchanges.back().copy_seconds += copy(at);
  }

  [[nodiscard]] bool cached(double elements) const { return 2 * elements * bytes_ <= on_.cache_bytes; }

  /// Seconds per element.
  [[nodiscard]] double twiddle(const twiddle_stage& w, const station& here) const {
    // Six operations an element, and for contiguous and folded lines a trip through a buffer: measured as dear as one
    // and a half passes out of cache, also for arrays that are in cache. Lines that are turned each in its own way
    // stand side by side: twice the operations, and a trip through a buffer in cache.
    double seconds = 0, trip = 0;
    for (const int axis : w.axes) {
      const bool apart = turn_at(schedule_, here, axis, 0).across >= 0;
      seconds += (apart ? 12 : 6) * on_.flop_seconds;
      trip = std::max(trip, (apart ? 0.5 : 3) * bytes_ * on_.pass_byte_seconds);
    }
    return seconds + trip;
  }

  /// Seconds; `arithmetic`: of an element.
  double compute(const distribution& before, const distribution& after, double arithmetic, int passes) {
    const double elements = by_.most_elements(before, after);
    const double byte_seconds =
        cached(elements) ? std::min(on_.cached_byte_seconds, on_.pass_byte_seconds) : on_.pass_byte_seconds;
    cost_.passes += passes;
    return passes * on_.pass_seconds + elements * (arithmetic + passes * 2 * bytes_ * byte_seconds);
  }

  double copy(const distribution& at) { return compute(at, at, 0, 1); }

  /// Of an element: lines of a pass that loads from an exchange or stores for one lie in many pieces, and those of its
  /// first and its last transform are found bundle by bundle; all axes at once where they fill registers together.
  [[nodiscard]] double finding(const transform_stage& t, const station& here) const {
    const auto length = [&](int axis) { return std::max<integer>(1, length_at(schedule_, here, axis)); };
    const auto seconds = [&](integer elements) {
      return on_.bundle_seconds * bytes_ / bundle_bytes / static_cast<double>(elements);
    };
    integer together = 1;
    for (const int axis : t.axes) together = std::min(together * length(axis), few_elements + 1);
    if (together <= few_elements) return seconds(together);
    return seconds(length(t.axes.front())) + (t.axes.size() > 1 ? seconds(length(t.axes.back())) : 0);
  }

  /// Lines along `axis` stand side by side in rows that do not end with cache lines: on their way past the caches they
  /// go through a tile.
  [[nodiscard]] bool is_ragged(const distribution& after, int axis) const {
    constexpr double cache_line_bytes = 64;
    const double row = stride_at(after, axis);
    return row > 1 && std::fmod(row * bytes_, cache_line_bytes) != 0;
  }

  /// `meets`: an exchange is before or behind it.
  void transform(const transform_stage& t, const station& here, const distribution& after, bool meets) {
    // As many axes go in one pass as leave its tile in cache.
    double arithmetic = meets ? finding(t, here) : 0, tile = bytes_;
    int passes = 1;
    const auto kinds = kinds_at(schedule_, here, t);
    for (std::size_t i = 0; i < t.axes.size(); ++i) {
      const integer length = std::max<integer>(1, length_at(schedule_, here, t.axes[i]));
      const auto n = static_cast<double>(length);
      const auto long_line = long_line_cost_of(kinds[i], length, by_.element_);
      arithmetic += long_line.arithmetic * element_seconds(on_, length, by_.element_);
      if (tile > bytes_ && tile * n > on_.tile_bytes) {
        ++passes;
        tile = bytes_;
      }
      tile *= n;
      passes += long_line.passes - 1;
    }
    // With other axes in the pass, lines go through a tile, which is compact; out of cache, all passes visit pages.
    if (t.axes.size() == 1 && cached(by_.most_elements(here.at, after)) &&
        stride_at(here.at, t.axes.front()) * bytes_ >= page_bytes) {
      arithmetic += on_.page_seconds;
    }
    if (t.axes.size() == 1 && is_ragged(after, t.axes.front()) && !cached(by_.most_elements(here.at, after))) {
      arithmetic += 2 * bytes_ * std::min(on_.cached_byte_seconds, on_.pass_byte_seconds);
    }
    cost_.compute_seconds += compute(here.at, after, arithmetic, passes);
  }

  const schedule& schedule_;
  pricer& by_;
  const machine& on_;
  double bytes_;
  double last_transform_ = 0;
  cost cost_;
};

cost pricer::cost_of(const schedule& s) {
  cost all = sum(s, *this).run();
  all.drops_after_exchange = drops_after_exchange(s);
  return all;
}

std::size_t cargo::bytes(const exchange::engine& by, const cost& of) const {
  const bool narrow =
      !by.shares && !of.drops_after_exchange && local::tolerates_narrow(element, of.exchanges.size(), tolerance);
  return complex_bytes(element) >> unsigned{narrow};
}

exchange_price price_of(const exchange_cost& moved, const exchange::engine& by, int ranks, std::size_t element_bytes,
                        const machine& on) {
  const auto bytes = static_cast<double>(element_bytes);
  // Two barriers, one when all have stored and one when all have loaded.
  const double barriers =
      2 * on.barrier_seconds * std::ceil(std::log2(static_cast<double>(std::min(ranks, on.ranks_per_node))));
  // Datatypes of many small blocks are slower than packed buffers, by as much as messages of the node take longer.
  constexpr double scattered = 0.3;
  exchange_price most;
  most.element_bytes = element_bytes;
  for (const auto& [out, in, runs] : moved.loads) {
    const integer near_elements = out.near_elements + in.near_elements;
    const integer far_elements = out.far_elements + in.far_elements;
    const level& messages = on.of_devices != 0 && !by.by_way_of_host ? on.direct : on.node;
    const double near = by.shares
                            ? barriers + static_cast<double>(near_elements) * bytes * on.shared_byte_seconds
                            : message_seconds(messages, bytes, out.near_messages + in.near_messages, near_elements);
    const network_price network(out, in, bytes, ranks, on, by);
    double moved_seconds = near + network.seconds();
    if (by.by_way_of_host) {
      moved_seconds += static_cast<double>(near_elements + far_elements) * bytes * on.copied_byte_seconds;
    }
    if (by.plain) {
      moved_seconds +=
          scattered * (near + message_seconds(on.node, bytes, out.far_messages + in.far_messages, far_elements));
    }
    if (by.lingers) moved_seconds += ring_seconds(in, bytes, moved.consumer_seconds, network, on);
    if (by.gathers && far_elements > 0) {
      // Two more barriers; what leaves or arrives passes through a neighbour's memory.
      moved_seconds += barriers + static_cast<double>(far_elements) * bytes * on.shared_byte_seconds;
      const auto parts = exchange::bundles_of(static_cast<integer>(network.gathered_bytes()));
      moved_seconds -= network.saved(moved.producer_seconds, static_cast<double>(parts));
    }
    if (by.cuts) {
      const double parts = exchange::usual_parts_of(static_cast<double>(out.far_elements) * bytes, out.far_messages);
      moved_seconds -= network.saved(moved.producer_seconds, parts);
    }
    const double all = on.exchange_seconds + std::max(0.0, moved_seconds) + runs * on.run_seconds;
    most.seconds = std::max(most.seconds, all);
    // Who sends most need not be who takes longest, which is also a matter of what arrives.
    if (out.elements() > most.sent.elements()) most.sent = out;
  }
  return most;
}

bool needs_copies(const exchange::engine& by, int ranks, const machine& on) {
  return !by.plain && !(by.shares && ranks <= on.ranks_per_node);
}

}  // namespace weft::planner
