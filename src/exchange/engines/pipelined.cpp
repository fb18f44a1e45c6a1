#include <algorithm>
#include <tuple>

#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

/// Messages are cut into at most this many parts, unless told otherwise, and none below this size: smaller
/// ones cost more than the time they save.
constexpr integer usual_parts = 8;
constexpr integer least_part_bytes = integer{64} << 10;

integer most_parts(const exchange_problem& problem) { return problem.parts > 0 ? problem.parts : usual_parts; }

/// Which axis to cut messages along. All ranks must choose alike, so it is the one that suits rank 0:
/// long, and with all of it in every message, so that every part goes to all peers. -1: none.
int axis_to_cut(const exchange_problem& problem) {
  constexpr int somebody = 0;
  const auto shape = problem.from.local_shape(somebody);
  const auto messages = outgoing(problem.from, problem.to, somebody);
  int best = -1;
  std::pair<bool, integer> merit;
  for (const int axis : problem.producer_axes) {
    const auto l = static_cast<std::size_t>(axis);
    const bool whole = std::all_of(messages.begin(), messages.end(),
                                   [&](const message& m) { return m.axes[l].size() == 1 && m.box[l] == shape[l]; });
    const std::pair<bool, integer> here{whole, std::min(shape[l], most_parts(problem))};
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

/// A part is a dense box of its own. Along the first axis the parts of a message are one after the other in
/// what would be the dense box of the whole, so producer and consumer see the whole, which is simpler; the
/// consumer sees parts there only where it can begin with some before the others have come.
class pipelined_exchange final : public packed_exchange {
 public:
  explicit pipelined_exchange(const exchange_problem& problem) : pipelined_exchange(problem, axis_to_cut(problem)) {}

  [[nodiscard]] bool starts_early() const override { return early_; }
  /// Without receives posted early, nothing is sent early either.
  void take_care(care wanted) override {
    packed_exchange::take_care(wanted);
    early_ = wanted == care::none;
    telling_.positions = early_ ? milestones_ : std::vector<integer>();
  }
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
  void start(const image& from, const image& to) override {
    if (!early_) prepare(from, to);
    send_up_to(sends_.size());
    copy_held(from, to);
  }
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
      : packed_exchange(problem),
        // Tests lower the count limit to meet what large messages meet: let them meet parts too.
        least_part_(
            std::clamp(least_part_bytes / static_cast<integer>(element_bytes_), integer{1}, problem.count_limit)),
        most_parts_(most_parts(problem)),
        cuts_(axis >= 0),
        axis_(static_cast<std::size_t>(std::max(axis, 0))),
        sends_(problem, true),
        receives_(problem, false) {
    const auto out_parts = show_parts(out_, [&](const message& /*m*/) { return axis_ > 0; });
    const auto in_parts =
        show_parts(in_, [&](const message& m) { return axis_ > 0 || m.box[axis_] == to_shape_[axis_]; });
    place_densely();
    add_sends(out_parts);
    add_receives(in_parts);
    messages_sent_ = static_cast<integer>(sends_.size());
  }

  /// Into how many parts a message is cut: something that sender and receiver both know.
  [[nodiscard]] integer parts_in(const message& m) const {
    if (!cuts_ || m.peer == rank_ || m.axes[axis_].size() > 1) return 1;
    return std::clamp(m.count / least_part_, integer{1}, std::min(most_parts_, m.box[axis_]));
  }

  /// Calls visit(first row, rows) for `parts` parts of a message.
  template <class Visit>
  void each_part(const message& m, integer parts, Visit visit) const {
    const integer rows = m.box[axis_];
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
        now.push_back(rows_of(m, axis_, begin, rows));
        parts_now.push_back(1);
      });
    }
    messages = std::move(now);
    return parts_now;
  }

  void add_sends(const std::vector<integer>& parts) {
    struct part {
      integer leaves_at;
      bool wraps;  // each rank begins with the peer after itself, so that not all send to rank 0 first
      int peer;
      integer offset, count;
    };
    std::vector<part> all;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const message& m = out_[i];
      if (m.peer == rank_) continue;
      const integer row = m.count / m.box[axis_];
      each_part(m, parts[i], [&](integer begin, integer rows) {
        // A message that is not cut may have several pieces.
        integer leaves_at = 0;
        for (const auto& o : m.axes[axis_]) {
          leaves_at = std::max(leaves_at, o.from[std::min(begin + rows - o.start, o.from.count) - 1] + 1);
        }
        all.push_back({leaves_at, m.peer < rank_, m.peer, out_offsets_[i] + begin * row, rows * row});
      });
    }
    // The parts for one peer stay in order, which is how they meet the receives there.
    std::sort(all.begin(), all.end(), [](const part& a, const part& b) {
      return std::tie(a.leaves_at, a.wraps, a.peer) < std::tie(b.leaves_at, b.wraps, b.peer);
    });
    telling_.axis = static_cast<int>(axis_);
    for (const auto& p : all) {
      sends_.add(p.peer, p.offset, p.count);
      leaves_at_.push_back(p.leaves_at);
      // At the end of the pass comes start().
      if (!cuts_ || p.leaves_at == from_shape_[axis_]) continue;
      if (milestones_.empty() || milestones_.back() != p.leaves_at) milestones_.push_back(p.leaves_at);
    }
    telling_.positions = milestones_;
  }

  void add_receives(const std::vector<integer>& parts) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const message& m = in_[i];
      if (m.peer == rank_) continue;
      first_part_.push_back(receives_.size());
      parts_of_number_.push_back(parts[i]);
      const integer row = m.count / m.box[axis_];
      each_part(m, parts[i], [&](integer begin, integer rows) {
        receives_.add(m.peer, in_offsets_[i] + begin * row, rows * row);
        number_of_part_.push_back(static_cast<int>(first_part_.size()) - 1);
      });
    }
    missing_ = parts_of_number_;
  }

  void send_up_to(std::size_t end) {
    sends_.start(sent_, end);
    sent_ = end;
  }

  integer least_part_;  // elements
  integer most_parts_;
  bool cuts_;
  std::size_t axis_;
  standing_messages sends_, receives_;
  bool early_ = true;
  std::vector<integer> milestones_;
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
  [[nodiscard]] bool starts_early() const override { return true; }
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
