// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/packed.hpp"
#include "exchange/parts.hpp"

namespace weft::exchange {

namespace {

class pipelined_channel final : public mail_channel {
 public:
  pipelined_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : mail_channel(problem, g, with), early_(g.before == preparation::posting && !with.overlapping), held_(g.held) {}

  void prepare(const image& from, const image& to) override {
    if (early_) begin_receives(from.mine, to.mine);
  }
  void stored(integer end) override {
    if (!early_) return;
    sends_.begin_up_to(end);
    receives_.progress();
  }
  [[nodiscard]] bool quiet() const override { return !early_; }
  void start(const image& from, const image& to) override {
    if (!early_) {
      begin_all(from.mine, to.mine);
    } else {
      sends_.begin_all();
      started_ = true;
    }
    copy_held(held_, from, to, nullptr);
  }

 private:
  // Where others overlap they keep the network busy, and passes need not know yet that all ranks are content.
  bool early_;
  held_copy held_;
};

/// How messages are cut: along one axis, into parts that sender and receiver both know.
class cuts {
 public:
  explicit cuts(const exchange_problem& problem)
      : problem_(problem),
        // Tests lower the count limit to meet what large messages meet: let them meet parts too.
        least_part_(std::clamp(least_part_bytes / static_cast<integer>(problem.element_bytes), integer{1},
                               problem.count_limit)),
        most_parts_(problem.parts > 0 ? problem.parts : most_usual_parts),
        axis_(axis_of_parts(problem, most_parts_)) {}

  [[nodiscard]] bool any() const { return axis_ >= 0; }
  [[nodiscard]] std::size_t axis() const { return static_cast<std::size_t>(std::max(axis_, 0)); }

  [[nodiscard]] integer parts_in(const message& m) const {
    if (!any() || m.peer == problem_.rank || m.axes[axis()].size() > 1) return 1;
    return std::clamp(m.count / least_part_, integer{1}, std::min(most_parts_, m.box[axis()]));
  }

  /// Calls visit(first row, rows) for `parts` parts of a message.
  template <class Visit>
  void each_part(const message& m, integer parts, Visit visit) const {
    const integer rows = m.box[axis()];
    for (integer c = 0; c < parts; ++c) visit(rows * c / parts, rows * (c + 1) / parts - rows * c / parts);
  }

  /// Replaces messages for which `shown` holds by their parts. Returns how many parts each message has then.
  template <class Shown>
  std::vector<integer> show_parts(std::vector<message>& messages, Shown shown) const {
    std::vector<message> now;
    std::vector<integer> parts_now;
    for (const auto& m : messages) {
      const integer parts = parts_in(m);
      if (parts == 1 || !shown(m)) {
        now.push_back(m);
        parts_now.push_back(parts);
        continue;
      }
      each_part(m, parts, [&](integer begin, integer rows) {
        now.push_back(rows_of(m, axis(), begin, rows));
        parts_now.push_back(1);
      });
    }
    messages = std::move(now);
    return parts_now;
  }

 private:
  const exchange_problem& problem_;
  integer least_part_;  // elements
  integer most_parts_;
  int axis_;
};

/// Cuts the parcels of messages that are shown whole, and says when each may leave.
std::vector<parcel> sends_of(const cuts& cut, const mailing& all, const std::vector<integer>& parts,
                             const message_places& places, const exchange_problem& problem) {
  const auto bytes = static_cast<integer>(problem.element_bytes);
  std::vector<parcel> sends;
  for (std::size_t i = 0; i < all.out.size(); ++i) {
    const message& m = all.out[i];
    if (m.peer == problem.rank) continue;
    const integer row = m.count / m.box[cut.axis()];
    cut.each_part(m, parts[i], [&](integer begin, integer rows) {
      // A message that is not cut may have several pieces.
      integer leaves_at = 0;
      for (const auto& o : m.axes[cut.axis()]) {
        leaves_at = std::max(leaves_at, o.from[std::min(begin + rows - o.start, o.from.count) - 1] + 1);
      }
      sends.push_back({leaves_at, -1, m.peer, (places.out[i] + begin * row) * bytes, rows * row});
    });
  }
  order_sends(sends, problem.rank);
  return sends;
}

std::vector<parcel> receives_of(const cuts& cut, const mailing& all, const std::vector<integer>& parts,
                                const message_places& places, const exchange_problem& problem) {
  const auto bytes = static_cast<integer>(problem.element_bytes);
  std::vector<parcel> receives;
  int number = 0;
  for (std::size_t i = 0; i < all.in.size(); ++i) {
    const message& m = all.in[i];
    if (m.peer == problem.rank) continue;
    const integer row = m.count / m.box[cut.axis()];
    cut.each_part(m, parts[i], [&](integer begin, integer rows) {
      receives.push_back({0, number, m.peer, (places.in[i] + begin * row) * bytes, rows * row});
    });
    ++number;
  }
  return receives;
}

/// Without receives posted early, nothing is sent early either.
std::vector<int> ways(const exchange_problem& /*problem*/) {
  return {0, static_cast<int>(care::late), static_cast<int>(care::held)};
}

/// A part is a dense box of its own. Along the first axis the parts of a message are one after the other in
/// what would be the dense box of the whole, so producer and consumer see the whole, which is simpler; the
/// consumer sees parts there only where it can begin with some before the others have come.
geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  const cuts cut(problem);
  const std::size_t axis = cut.axis();
  const integer rows_here = problem.to.local_shape(problem.rank)[axis];
  mailing all(problem);
  const auto out_parts = cut.show_parts(all.out, [&](const message& /*m*/) { return axis > 0; });
  const auto in_parts = cut.show_parts(all.in, [&](const message& m) { return axis > 0 || m.box[axis] == rows_here; });
  const message_places places = dense_places(all, problem.rank);
  geometry result = packed_geometry(problem, all, places, way == static_cast<int>(care::held));
  result.sends = sends_of(cut, all, out_parts, places, problem);
  result.receives = receives_of(cut, all, in_parts, places, problem);
  divide_between_nodes(result, problem);
  count_traffic(result, all, problem);
  result.arrives_later = true;
  const bool early = way == static_cast<int>(care::none);
  if (early) result.before = preparation::posting;
  result.telling.axis = static_cast<int>(axis);
  const integer end = problem.from.local_shape(problem.rank)[axis];
  for (const auto& p : result.sends) {
    // At the end of the pass comes start().
    if (!early || !cut.any() || p.when == end) continue;
    auto& positions = result.telling.positions;
    if (positions.empty() || positions.back() != p.when) positions.push_back(p.when);
  }
  return result;
}

}  // namespace

constexpr engine pipelined_engine{.name = "pipelined",
                                  .cuts = true,
                                  .in_pieces = true,
                                  .facts = nullptr,
                                  .ways = ways,
                                  .describe = describe,
                                  .groups = nullptr,
                                  .open = open_as<pipelined_channel>};

}  // namespace weft::exchange
