// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/node_image.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "exchange/packed.hpp"
#include "exchange/parts.hpp"
#include "exchange/shared_image.hpp"

namespace weft::exchange {

namespace {

/// A part has at least so many bytes, so that what it costs to tell of it is little beside them.
constexpr integer least_bundle_bytes = integer{256} << 10;
constexpr integer most_bundles = 8;

/// The nodes, and who of each handles which bundle.
class node_list {
 public:
  explicit node_list(const node_map& nodes) {
    std::map<int, std::size_t> numbers;
    for (int r = 0; r < nodes.ranks(); ++r) {
      const auto [place, added] = numbers.try_emplace(nodes.first_of(r), members_.size());
      if (added) members_.emplace_back();
      members_[place->second].push_back(r);
      number_.push_back(place->second);
    }
  }

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::size_t of(int rank) const { return number_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<int>& members(std::size_t node) const { return members_[node]; }
  /// Who on `node` sends part `part` of what `other` gets, and who receives it: all take turns. Pairs of ranks that
  /// talk one way are not those that talk the other way, if nodes have several ranks: MPI's own words about a message,
  /// which go against it, would have to queue behind what else is sent there.
  [[nodiscard]] int sender(std::size_t node, std::size_t other, integer part) const {
    return turn(node, other + static_cast<std::size_t>(part));
  }
  [[nodiscard]] int receiver(std::size_t node, std::size_t other, integer part) const {
    return turn(node, other + static_cast<std::size_t>(part) + (other < node ? 0 : 1));
  }

 private:
  [[nodiscard]] int turn(std::size_t node, std::size_t number) const {
    const auto& all = members_[node];
    return all[number % all.size()];
  }

  std::vector<std::vector<int>> members_;
  std::vector<std::size_t> number_;  // of each rank's node
};

/// What one message has in one bundle.
struct share {
  std::size_t other = 0;  ///< the other node
  integer part = 0;
  int from = 0, to = 0;
  integer begin = 0, rows = 0;  ///< along the axis of parts; no rows: all of the message
  integer count = 0;            ///< elements
  integer leaves_at = 0;        ///< position of the producer by which it is stored
  integer offset = 0;           ///< elements, in the bundle

  [[nodiscard]] auto bundle() const { return std::tuple(other, part); }
};

struct bundle {
  std::size_t other = 0;
  integer part = 0;
  int handler = 0, far_handler = 0;
  integer offset = 0;  ///< bytes, in its handler's image
  integer count = 0;   ///< elements
};

class node_describer {
 public:
  explicit node_describer(const exchange_problem& problem)
      : problem_(problem),
        bytes_(static_cast<integer>(problem.element_bytes)),
        nodes_(*problem.nodes),
        mine_(nodes_.of(problem.rank)),
        parts_(problem.parts > 0 ? problem.parts : most_bundles) {
    axis_ = axis_of_parts(problem, parts_);
    parts_ = axis_ < 0 ? 1 : std::min(parts_, usual_parts());
    for (const int r : nodes_.members(mine_)) ends_[r] = end_of_array(problem, problem.from, r);
  }

  geometry describe() {
    far_mail far;
    auto out = shares(true), in = shares(false);
    const auto sent = bundles(out, true), received = bundles(in, false);
    place_boxes(out, sent, true, far.stores);
    place_boxes(in, received, false, far.loads);
    place_parcels(sent, far.sends);
    place_parcels(received, far.receives);
    for (auto& p : far.receives) p.when = 0;
    far.end = ends_[problem_.rank];
    geometry result = shared_geometry(problem_, std::move(far));
    result.before = preparation::posting;
    add_words(result, out);
    return result;
  }

 private:
  /// The same on every rank: by the mean of all pairs of nodes.
  [[nodiscard]] integer usual_parts() const {
    const auto nodes = static_cast<integer>(nodes_.size());
    const integer mean = volume(problem_.from.shape()) / (nodes * nodes);
    // Tests lower the count limit to meet what large messages meet: let them meet parts too.
    return std::max(bundles_of(mean * bytes_), std::min(mean / problem_.count_limit, most_bundles));
  }

  /// What the messages of the whole node have in bundles, in the order in which they lie there: by sender and receiver.
  [[nodiscard]] std::vector<share> shares(bool sending) const {
    std::vector<share> all;
    for (const int r : nodes_.members(mine_)) {
      const auto messages = sending ? outgoing(problem_.from, problem_.to, r) : incoming(problem_.from, problem_.to, r);
      for (const auto& m : messages) {
        if (nodes_.of(m.peer) == mine_) continue;
        share s;
        s.other = nodes_.of(m.peer);
        s.from = sending ? r : m.peer;
        s.to = sending ? m.peer : r;
        add_parts(all, s, m);
      }
    }
    std::ranges::sort(all, {}, [](const share& s) { return std::tuple(s.bundle(), s.from, s.to); });
    return all;
  }

  void add_parts(std::vector<share>& all, share s, const message& m) const {
    const auto axis = static_cast<std::size_t>(std::max(axis_, 0));
    if (parts_ == 1 || m.axes[axis].size() > 1) {
      s.part = parts_ - 1;  // which leaves when all is stored
      s.count = m.count;
      all.push_back(s);
      return;
    }
    const integer rows = m.box[axis];
    for (s.part = 0; s.part < parts_; ++s.part) {
      s.begin = rows * s.part / parts_;
      s.rows = rows * (s.part + 1) / parts_ - s.begin;
      s.count = m.count / rows * s.rows;
      if (s.rows == 0) continue;
      s.leaves_at = m.axes[axis].front().from[s.begin + s.rows - 1] + 1;
      all.push_back(s);
    }
  }

  /// Gives shares their places in bundles, and bundles theirs behind the arrays.
  std::vector<bundle> bundles(std::vector<share>& shares, bool sending) {
    std::vector<bundle> all;
    for (auto& s : shares) {
      if (all.empty() || std::tuple(all.back().other, all.back().part) != s.bundle()) {
        const int sender = sending ? nodes_.sender(mine_, s.other, s.part) : nodes_.sender(s.other, mine_, s.part);
        const int receiver =
            sending ? nodes_.receiver(s.other, mine_, s.part) : nodes_.receiver(mine_, s.other, s.part);
        all.push_back({s.other, s.part, sending ? sender : receiver, sending ? receiver : sender, 0, 0});
      }
      s.offset = all.back().count;
      all.back().count += s.count;
    }
    for (auto& b : all) {
      integer& end = ends_[b.handler];
      b.offset = to_cache_line(end);
      end = b.offset + b.count * bytes_;
    }
    return all;
  }

  /// This rank's shares, as its passes see them.
  void place_boxes(const std::vector<share>& shares, const std::vector<bundle>& all, bool sending,
                   std::vector<message_box>& boxes) const {
    const auto messages = sending ? outgoing(problem_.from, problem_.to, problem_.rank)
                                  : incoming(problem_.from, problem_.to, problem_.rank);
    std::map<int, const message*> with;
    for (const auto& m : messages) with[m.peer] = &m;
    auto in = all.begin();
    for (const auto& s : shares) {
      while (std::tuple(in->other, in->part) != s.bundle()) ++in;
      if ((sending ? s.from : s.to) != problem_.rank) continue;
      const message& whole = *with.at(sending ? s.to : s.from);
      const message m = s.rows == 0 ? whole : rows_of(whole, static_cast<std::size_t>(axis_), s.begin, s.rows);
      boxes.push_back(packed_box(m, sending, buffer_of(in->handler), sending ? -1 : 0, in->offset + s.offset * bytes_,
                                 problem_.element_bytes));
    }
  }

  /// As passes number images.
  [[nodiscard]] int buffer_of(int rank) const {
    if (rank == problem_.rank) return 0;
    const auto& all = nodes_.members(mine_);
    return static_cast<int>(std::ranges::lower_bound(all, rank) - all.begin()) + 1;
  }

  void place_parcels(const std::vector<bundle>& all, std::vector<parcel>& parcels) const {
    for (const auto& b : all) {
      if (b.handler == problem_.rank) parcels.push_back({b.part, -1, b.far_handler, b.offset, b.count});
    }
  }

  /// Who has stored what of a part tells those who send it, once for each of them.
  void add_words(geometry& g, const std::vector<share>& shares) const {
    std::map<std::tuple<integer, int, int>, integer> words;  // part, who stores, who sends: when
    for (const auto& s : shares) {
      if (s.part + 1 == parts_) continue;
      integer& when = words[{s.part, s.from, nodes_.sender(mine_, s.other, s.part)}];
      when = std::max(when, s.leaves_at);
    }
    const auto axis = static_cast<std::size_t>(std::max(axis_, 0));
    const integer end = problem_.from.local_shape(problem_.rank)[axis];
    g.telling.axis = static_cast<int>(axis);
    for (const auto& [word, when] : words) {
      const auto& [part, who, to] = word;
      if (who == problem_.rank) g.tells.push_back({when, static_cast<int>(part), to, 0, 0});
      if (to == problem_.rank && who != problem_.rank) g.hears.push_back({part, -1, who, 0, 0});
      if (who == problem_.rank && when < end) g.telling.positions.push_back(when);
    }
    std::ranges::stable_sort(g.tells, {}, &parcel::when);
    auto& positions = g.telling.positions;
    std::ranges::sort(positions);
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  }

  const exchange_problem& problem_;
  integer bytes_;
  node_list nodes_;
  std::size_t mine_;
  integer parts_;
  int axis_ = -1;
  std::map<int, integer> ends_;  // of the images of the node's ranks
};

}  // namespace

integer far_elements(const exchange_problem& problem) {
  const mailing all(problem);
  const auto sum = [&](const std::vector<message>& messages) {
    return std::accumulate(messages.begin(), messages.end(), integer{0}, [&](integer so_far, const message& m) {
      return so_far + (problem.nodes->first_of(m.peer) == problem.nodes->first_of(problem.rank) ? 0 : m.count);
    });
  };
  return std::max(sum(all.out), sum(all.in));
}

geometry node_geometry(const exchange_problem& problem) { return node_describer(problem).describe(); }

integer bundles_of(integer bytes) { return std::clamp(bytes / least_bundle_bytes, integer{1}, most_bundles); }

}  // namespace weft::exchange
