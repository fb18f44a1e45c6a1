// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/packed.hpp"
#include "exchange/parts.hpp"

namespace weft::exchange {

namespace {

/// Parts that a rank has room for: one is consumed while the next ones arrive. Between nodes there is room for all:
/// flows that share a link are not equally fast from one moment to the next, and whoever waits for the slowest before
/// it goes on leaves the link idle.
constexpr int ring_parts = 3;
/// How many parts a rank sends ahead of the one it consumes itself, and of those that others have room for.
constexpr int lead_parts = 3;

class streamed_channel final : public channel {
 public:
  streamed_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : parts_(static_cast<int>(g.following.positions.size()) + 1),
        room_(g.room),
        // A rank that does something else meanwhile must not be waited for.
        lead_(with.overlapping ? std::numeric_limits<int>::max() / 2 : room_ + lead_parts),
        held_(g.held),
        between_nodes_(leaves_node(problem)),
        sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with) {}

  void start(const image& from, const image& to) override {
    receives_.restart(to.mine);
    sends_.restart(from.mine);
    begin_both(sends_, lead_ - 1, receives_, room_ - 1, between_nodes_);
    copy_held(held_, from, to, nullptr);
  }
  /// From then on a consumer waits for nothing but messages that are on their way.
  [[nodiscard]] bool arrived() override { return receives_.all_announced(); }
  [[nodiscard]] bool left() override { return sends_.done() && receives_.done(); }
  /// Who consumes the part of the lowest number waits for nobody, because the others have sent it: so all go on.
  void reach(int part) override {
    receives_.begin_up_to(part + room_ - 1);
    // Others may have more parts than this rank.
    if (part + 1 == parts_) {
      sends_.begin_all();
    } else {
      sends_.begin_up_to(part + lead_ - 1);
    }
    receives_.wait_for_moment(part);
  }
  void release() override {
    sends_.begin_all();
    sends_.wait_for_all();
  }
  void finish() override {
    release();
    receives_.wait_for_all();
  }

 private:
  int parts_, room_, lead_;
  held_copy held_;
  bool between_nodes_;
  mail sends_, receives_;
};

/// The `from` image holds the parts of one message after those of the other, and then what stays on the rank. The
/// consumer loads that there, and the `to` image is a ring of a few parts. With care, that holds what stays as well, at
/// its start; and all parts, so that the consumer may store where messages left.
class streamed_geometry {
 public:
  streamed_geometry(const exchange_problem& problem, care wanted, bool between_nodes)
      : problem_(problem),
        care_(wanted),
        all_(problem),
        cut_(problem, between_nodes),
        axis_(cut_.axis()),
        bounds_(cut_.bounds(problem.rank)),
        ring_(std::max(ring_parts, between_nodes ? static_cast<int>(bounds_.size()) - 1 : 0)) {}

  geometry describe() {
    result_.arrives_later = true;
    result_.lingers = care_ < care::late;
    result_.following.axis = static_cast<int>(axis_);
    result_.following.positions.assign(bounds_.begin() + 1, bounds_.end() - 1);
    describe_stores();
    describe_loads();
    order_sends(result_.sends, problem_.rank);
    std::ranges::stable_sort(result_.receives, {}, &parcel::when);
    divide_between_nodes(result_, problem_);
    count_traffic(result_, all_, problem_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] integer bytes(integer elements) const {
    return elements * static_cast<integer>(problem_.element_bytes);
  }

  /// Calls visit(number, part) for what `m` brings of its receiver's parts.
  template <class Visit>
  void each_part(const message& m, const std::vector<integer>& bounds, Visit visit) const {
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
      const message part = part_of(m, axis_, bounds[k], bounds[k + 1]);
      if (part.count > 0) visit(static_cast<int>(k), part);
    }
  }

  [[nodiscard]] message_box box_of(const message& part, int receiver, bool sending, integer offset) const {
    message_box box = packed_box(part, sending, 0, -1, offset, problem_.element_bytes);
    box.where.strides = cut_.strides(part.box, receiver);
    return box;
  }

  void describe_stores() {
    std::vector<message_box> stores;
    for (const auto& m : all_.out) {
      if (m.peer == problem_.rank) {
        own_bytes_ = bytes(m.count);
        continue;
      }
      // Rows of a single piece that lie in the order of the parts are one box.
      const bool one_box =
          m.axes[axis_].size() == 1 && cut_.strides(m.box, m.peer)[axis_] * m.box[axis_] == bytes(m.count);
      if (one_box) stores.push_back(box_of(m, m.peer, true, own_offset_));
      each_part(m, cut_.bounds(m.peer), [&](int k, const message& part) {
        if (!one_box) stores.push_back(box_of(part, m.peer, true, own_offset_));
        result_.sends.push_back({k, -1, m.peer, own_offset_, part.count});
        own_offset_ += bytes(part.count);
      });
    }
    const bool straight = care_ == care::apart || care_ == care::late;
    for (const auto& m : all_.out) {
      if (m.peer != problem_.rank) continue;
      stores.push_back(packed_box(m, true, straight ? 1 : 0, -1, straight ? 0 : own_offset_, problem_.element_bytes));
    }
    result_.keeps_own = straight && own_bytes_ > 0;
    result_.from_bytes = own_offset_ + (straight ? 0 : own_bytes_);
    if (care_ == care::held) result_.held = {own_offset_, 0, own_bytes_};
    result_.sink = image_of(problem_, problem_.from, stores);
  }

  void describe_loads() {
    // Everything that arrives, at its offset inside its part; then the parts in the `to` image.
    std::vector<integer> part_bytes(bounds_.size() - 1, 0);
    std::vector<message_box> loads;
    for (const auto& m : all_.in) {
      if (m.peer == problem_.rank) continue;
      each_part(m, bounds_, [&](int k, const message& part) {
        integer& end = part_bytes[static_cast<std::size_t>(k)];
        loads.push_back(box_of(part, problem_.rank, false, end));
        result_.receives.push_back({k, -1, m.peer, end, part.count});
        end += bytes(part.count);
      });
    }
    const auto starts = place_parts(part_bytes);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const integer start = starts[static_cast<std::size_t>(result_.receives[i].when)];
      loads[i].offset += start;
      result_.receives[i].offset += start;
    }
    for (const auto& m : all_.in) {
      if (m.peer == problem_.rank) loads.push_back(own_box(m));
    }
    result_.source = image_of(problem_, problem_.to, loads, result_.following);
  }

  /// Where each part begins in the `to` image.
  std::vector<integer> place_parts(const std::vector<integer>& part_bytes) {
    std::vector<integer> starts;
    integer& end = result_.to_bytes = care_ == care::none ? 0 : own_bytes_;
    if (result_.lingers) {
      const integer slot = *std::ranges::max_element(part_bytes);
      for (std::size_t k = 0; k < part_bytes.size(); ++k) {
        starts.push_back(end + static_cast<integer>(k % static_cast<std::size_t>(ring_)) * slot);
      }
      end += std::min<integer>(std::ssize(part_bytes), ring_) * slot;
      result_.room = ring_;
    } else {
      for (const integer size : part_bytes) {
        starts.push_back(end);
        end += size;
      }
      result_.room = static_cast<int>(part_bytes.size());
    }
    return starts;
  }

  /// What stays, as the consumer sees it: in pieces that no part ends inside.
  [[nodiscard]] message_box own_box(const message& m) const {
    const bool here = care_ == care::none;
    message_box box = packed_box(m, false, here ? 1 : 0, -1, here ? own_offset_ : 0, problem_.element_bytes);
    box.axes[axis_].clear();
    for (const auto& o : m.axes[axis_]) {
      for (std::size_t k = 0; k + 1 < bounds_.size(); ++k) {
        const slice terms = terms_between(o.to, bounds_[k], bounds_[k + 1]);
        if (!terms.empty()) box.axes[axis_].push_back({o.to.at(terms), o.start + terms.first});
      }
    }
    return box;
  }

  const exchange_problem& problem_;
  care care_;
  mailing all_;
  cutting cut_;
  std::size_t axis_;
  std::vector<integer> bounds_;             // of this rank's parts
  int ring_;                                // parts that there is room for
  integer own_offset_ = 0, own_bytes_ = 0;  // of what stays: at the end of the `from` image or the start of `to`
  geometry result_;
};

std::vector<int> ways(const exchange_problem& /*problem*/) {
  return {0, static_cast<int>(care::apart), static_cast<int>(care::late), static_cast<int>(care::held)};
}

std::vector<integer> facts(const exchange_problem& problem) { return {leaves_node(problem)}; }

geometry describe(const exchange_problem& problem, int way, std::span<const integer> agreed) {
  return streamed_geometry(problem, static_cast<care>(way), agreed[0] > 0).describe();
}

}  // namespace

constexpr engine streamed_engine{.name = "streamed",
                                 .lingers = true,
                                 .in_pieces = true,
                                 .facts = facts,
                                 .ways = ways,
                                 .describe = describe,
                                 .groups = nullptr,
                                 .open = open_as<streamed_channel>};

}  // namespace weft::exchange
