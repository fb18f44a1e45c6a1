#include <algorithm>
#include <tuple>

#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

/// Messages are cut into at most this many parts, none below this size: smaller ones cost more than the
/// time they save.
constexpr integer most_parts = 8;
constexpr integer least_part_bytes = integer{64} << 10;

/// Which axis to cut messages along. All ranks must choose alike, so it is the one that suits rank 0:
/// long, and with all of it in every message, so that every part goes to all peers. The last axis would
/// take their contiguous runs from the messages. -1: none.
int axis_to_cut(const exchange_problem& problem) {
  constexpr int somebody = 0;
  const auto shape = problem.from.local_shape(somebody);
  const auto messages = outgoing(problem.from, problem.to, somebody);
  int best = -1;
  std::pair<bool, integer> merit;
  for (const int axis : problem.slow_axes) {
    const auto l = static_cast<std::size_t>(axis);
    if (l + 1 == shape.size()) continue;
    const bool whole = std::all_of(messages.begin(), messages.end(),
                                   [&](const message& m) { return m.axes[l].size() == 1 && m.box[l] == shape[l]; });
    const std::pair<bool, integer> here{whole, std::min(shape[l], most_parts)};
    if (best >= 0 && here <= merit) continue;
    best = axis;
    merit = here;
  }
  return best;
}

/// The rows begin .. begin+count-1 of a message along an axis on which it has one piece.
message rows_of(message m, std::size_t axis, integer begin, integer count) {
  overlap& o = m.axes[axis].front();
  const slice rows{begin, 1, count};
  o.from = o.from.at(rows);
  o.to = o.to.at(rows);
  m.count = m.count / m.box[axis] * count;
  m.box[axis] = count;
  return m;
}

/// Messages between fixed places of a buffer, made once and started many times.
class standing_messages {
 public:
  standing_messages(const exchange_problem& problem, bool sends)
      : calls_(*problem.communicator, problem.element_bytes, problem.count_limit),
        element_bytes_(static_cast<integer>(problem.element_bytes)),
        sends_(sends) {}
  standing_messages(const standing_messages&) = delete;
  standing_messages& operator=(const standing_messages&) = delete;
  ~standing_messages() {
    if (mpi::alive()) free();
  }

  /// Offset and count in elements.
  void add(int peer, integer offset, integer count) {
    places_.push_back({peer, offset, count});
    requests_.push_back(MPI_REQUEST_NULL);
    calls_.prepare(count);
  }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  /// Requests know their memory, so they are made again when it is other memory than the last time: that
  /// of a user who changes arrays.
  void attach(std::byte* buffer) {
    if (buffer == buffer_) return;
    free();
    buffer_ = buffer;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      std::byte* const at = buffer + places_[i].offset * element_bytes_;
      if (sends_) {
        calls_.make_send(at, places_[i].count, places_[i].peer, requests_[i]);
      } else {
        calls_.make_receive(at, places_[i].count, places_[i].peer, requests_[i]);
      }
    }
  }
  void start(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    mpi::check(MPI_Startall(static_cast<int>(end - begin), requests_.data() + begin), "MPI_Startall");
  }
  /// Messages that were not started, or waited for before, count as complete.
  void wait(std::size_t begin, std::size_t end) {
    mpi::check(MPI_Waitall(static_cast<int>(end - begin), requests_.data() + begin, MPI_STATUSES_IGNORE),
               "MPI_Waitall");
  }
  /// The next message to complete, -1 after the last.
  int wait_any() {
    int done = MPI_UNDEFINED;
    mpi::check(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUS_IGNORE),
               "MPI_Waitany");
    return done == MPI_UNDEFINED ? -1 : done;
  }
  /// Lets MPI work on messages under way, and completes none.
  void progress() const {
    int done = 0;
    if (requests_.empty()) return;
    mpi::check(MPI_Request_get_status(requests_.back(), &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  }

 private:
  struct place {
    int peer;
    integer offset, count;
  };
  void free() {
    for (auto& r : requests_) {
      if (r != MPI_REQUEST_NULL) MPI_Request_free(&r);
    }
  }

  mpi::message_calls calls_;
  integer element_bytes_;
  bool sends_;
  std::byte* buffer_ = nullptr;
  std::vector<place> places_;
  std::vector<MPI_Request> requests_;
};

/// A message lies in the images with the cut axis slowest, so that its parts are one after the other in
/// it, and neither producer nor consumer need know of them: the consumer sees them only where it can
/// begin with some before the others are there.
class pipelined_exchange final : public packed_exchange {
 public:
  explicit pipelined_exchange(const exchange_problem& problem) : pipelined_exchange(problem, axis_to_cut(problem)) {}

  [[nodiscard]] bool starts_early() const override { return true; }
  void prepare(const image& from, const image& to) override {
    sends_.attach(from.mine);
    receives_.attach(to.mine);
    sent_ = 0;
    missing_ = parts_of_number_;
    receives_.start(0, receives_.size());
  }
  void stored(integer end) override {
    std::size_t ready = sent_;
    while (ready < leaves_at_.size() && leaves_at_[ready] <= end) ++ready;
    send_up_to(ready);
    receives_.progress();
  }
  void start(const image& /*from*/, const image& /*to*/) override { send_up_to(sends_.size()); }
  void release() override { sends_.wait(0, sends_.size()); }
  void finish() override {
    receives_.wait(0, receives_.size());
    release();
  }
  [[nodiscard]] bool arrives_later() const override { return true; }
  void need(int number) override {
    auto& missing = missing_[static_cast<std::size_t>(number)];
    if (missing == 0) return;
    missing = 0;
    const std::size_t first = first_part_[static_cast<std::size_t>(number)];
    receives_.wait(first, first + static_cast<std::size_t>(parts_of_number_[static_cast<std::size_t>(number)]));
  }
  int next() override {
    for (int part = receives_.wait_any(); part >= 0; part = receives_.wait_any()) {
      const int number = number_of_part_[static_cast<std::size_t>(part)];
      if (--missing_[static_cast<std::size_t>(number)] == 0) return number;
    }
    return -1;
  }

 private:
  pipelined_exchange(const exchange_problem& problem, int axis)
      : packed_exchange(problem, std::max(axis, 0)),
        // Tests lower the count limit to meet what large messages meet: let them meet parts too.
        least_part_(
            std::clamp(least_part_bytes / static_cast<integer>(element_bytes_), integer{1}, problem.count_limit)),
        cuts_(axis >= 0),
        sends_(problem, true),
        receives_(problem, false) {
    const auto parts_here = show_parts();
    place_densely();
    add_sends();
    add_receives(parts_here);
    messages_sent_ = static_cast<integer>(sends_.size());
  }

  [[nodiscard]] std::size_t axis() const { return static_cast<std::size_t>(slowest_); }

  /// Into how many parts a message is cut: something that sender and receiver both know.
  [[nodiscard]] integer parts_in(const message& m) const {
    if (!cuts_ || m.peer == rank_ || m.axes[axis()].size() > 1) return 1;
    return std::clamp(m.count / least_part_, integer{1}, std::min(most_parts, m.box[axis()]));
  }

  /// Where a message has all of this rank's positions along the axis, the consumer may take its parts one
  /// by one: they take the message's place in in_. Elsewhere it would only see its lines in more pieces.
  /// Returns how many parts each message of in_ has then.
  std::vector<integer> show_parts() {
    std::vector<message> shown;
    std::vector<integer> parts_here;
    for (auto& m : in_) {
      const integer parts = parts_in(m);
      if (parts == 1 || m.box[axis()] != to_shape_[axis()]) {
        shown.push_back(std::move(m));
        parts_here.push_back(parts);
        continue;
      }
      const integer rows = m.box[axis()];
      for (integer c = 0; c < parts; ++c) {
        const integer begin = rows * c / parts;
        shown.push_back(rows_of(m, axis(), begin, rows * (c + 1) / parts - begin));
        parts_here.push_back(1);
      }
    }
    in_ = std::move(shown);
    return parts_here;
  }

  void add_sends() {
    struct part {
      integer leaves_at;
      int turn;  // each rank begins with the peer after itself, so that not all send to rank 0 first
      int peer;
      integer offset, count;
    };
    std::vector<part> parts;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const message& m = out_[i];
      if (m.peer == rank_) continue;
      const integer rows = m.box[axis()], row = m.count / rows, cuts = parts_in(m);
      for (integer c = 0; c < cuts; ++c) {
        const integer begin = rows * c / cuts, end = rows * (c + 1) / cuts;
        // A message that is not cut may have several pieces.
        integer leaves_at = 0;
        for (const auto& o : m.axes[axis()]) {
          leaves_at = std::max(leaves_at, o.from[std::min(end - o.start, o.from.count) - 1] + 1);
        }
        const int turn = m.peer > rank_ ? 0 : 1;
        parts.push_back({leaves_at, turn, m.peer, out_offsets_[i] + begin * row, (end - begin) * row});
      }
    }
    // The parts for one peer stay in order, which is how they meet the receives there.
    std::sort(parts.begin(), parts.end(), [](const part& a, const part& b) {
      return std::tie(a.leaves_at, a.turn, a.peer) < std::tie(b.leaves_at, b.turn, b.peer);
    });
    telling_.axis = slowest_;
    for (const auto& p : parts) {
      sends_.add(p.peer, p.offset, p.count);
      leaves_at_.push_back(p.leaves_at);
      // At the end of the pass comes start().
      if (!cuts_ || p.leaves_at == from_shape_[axis()]) continue;
      if (telling_.positions.empty() || telling_.positions.back() != p.leaves_at) {
        telling_.positions.push_back(p.leaves_at);
      }
    }
  }

  void add_receives(const std::vector<integer>& parts_here) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const message& m = in_[i];
      if (m.peer == rank_) continue;
      first_part_.push_back(receives_.size());
      parts_of_number_.push_back(parts_here[i]);
      const integer rows = m.box[axis()], row = m.count / rows, cuts = parts_here[i];
      for (integer c = 0; c < cuts; ++c) {
        const integer begin = rows * c / cuts, end = rows * (c + 1) / cuts;
        receives_.add(m.peer, in_offsets_[i] + begin * row, (end - begin) * row);
        number_of_part_.push_back(static_cast<int>(first_part_.size()) - 1);
      }
    }
    missing_ = parts_of_number_;
  }

  void send_up_to(std::size_t end) {
    sends_.start(sent_, end);
    sent_ = end;
  }

  integer least_part_;  // elements
  bool cuts_;
  standing_messages sends_, receives_;
  std::vector<integer> leaves_at_;  // by send: the milestone from which on it may go
  std::size_t sent_ = 0;
  std::vector<std::size_t> first_part_;   // by the consumer's numbers: the first receive
  std::vector<integer> parts_of_number_;  // how many
  std::vector<integer> missing_;          // how many are still to come
  std::vector<int> number_of_part_;       // by receive
};

class pipelined final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "pipelined"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<pipelined_exchange>(problem);
  }
};

}  // namespace

const engine& pipelined_engine() {
  static const pipelined instance;
  return instance;
}

}  // namespace weft::exchange
