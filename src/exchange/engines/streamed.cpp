#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "exchange/parts.hpp"
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

/// Parts that a rank has room for: one is consumed while the next ones arrive.
constexpr int ring_parts = 3;
/// How many parts a rank sends ahead of the one it consumes itself.
constexpr int lead_parts = 6;

/// Messages one way, begun and waited for part by part.
class parcels {
 public:
  struct parcel {
    int part;
    bool wraps;  // each rank begins with the peer after itself, so that not all send to rank 0 first
    int peer;
    integer offset, count;  // bytes, elements
  };

  void set(std::vector<parcel> all) {
    all_ = std::move(all);
    std::sort(all_.begin(), all_.end(), [](const parcel& a, const parcel& b) {
      return std::tie(a.part, a.wraps, a.peer) < std::tie(b.part, b.wraps, b.peer);
    });
    requests_.assign(all_.size(), MPI_REQUEST_NULL);
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  void restart() { begun_ = 0; }
  /// Calls begin(parcel, request) for what was not begun yet of the parts before `part`.
  template <class Begin>
  void begin_before(int part, Begin begin) {
    for (const std::size_t end = first_of(part); begun_ < end; ++begun_) begin(all_[begun_], requests_[begun_]);
  }
  void wait_for(int part) { wait(first_of(part), first_of(part + 1)); }
  void wait_for_all() { wait(0, begun_); }

 private:
  [[nodiscard]] std::size_t first_of(int part) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(all_, part, {}, &parcel::part) - all_.begin());
  }
  void wait(std::size_t begin, std::size_t end) {
    mpi::check(MPI_Waitall(static_cast<int>(end - begin), requests_.data() + begin, MPI_STATUSES_IGNORE),
               "MPI_Waitall");
  }

  std::vector<parcel> all_;  // by part
  std::vector<MPI_Request> requests_;
  std::size_t begun_ = 0;
};

/// The `from` image holds the parts of one message after those of the other, and then what stays on the rank. The
/// consumer loads that there, and the `to` image is a ring of a few parts. With care, that holds what stays as well, at
/// its start; and all parts, so that the consumer may store where messages left.
class streamed_exchange final : public exchange {
 public:
  explicit streamed_exchange(const exchange_problem& problem)
      : exchange(problem),
        cut_(problem),
        axis_(cut_.axis()),
        bounds_(cut_.bounds(rank_)),
        calls_(*problem.communicator, element_bytes_, problem.count_limit, mpi::message_tag::lingering) {
    plan_sends();
    plan_receives();
    map();
    messages_sent_ = static_cast<integer>(sends_.size());
  }

  void take_care(care wanted) override {
    if (wanted == care_) return;
    care_ = wanted;
    map();
  }
  [[nodiscard]] local::buffer_list source_buffers(const image& from, const image& to) override {
    buffers_[0] = to.mine;
    buffers_[1] = from.mine;
    return buffers_;
  }
  [[nodiscard]] bool lingers() const override { return care_ < care::late; }
  [[nodiscard]] bool arrives_later() const override { return true; }

  void start(const image& from, const image& to) override {
    from_ = from.mine;
    to_ = to.mine;
    receives_.restart();
    sends_.restart();
    receive_before(room());
    send_before(lead_parts);
    if (care_ == care::held && own_bytes_ > 0) {
      std::memcpy(to_, from_ + own_offset_, static_cast<std::size_t>(own_bytes_));
    }
  }
  /// Who consumes the part of the lowest number waits for nobody, because the others have sent it: so all go on.
  void reach(int part) override {
    receive_before(part + room());
    // Others may have more parts than this rank.
    const bool last = part + 1 == parts();
    send_before(last ? std::numeric_limits<int>::max() : part + lead_parts);
    receives_.wait_for(part);
  }
  void release() override {
    send_before(std::numeric_limits<int>::max());
    sends_.wait_for_all();
  }
  void finish() override {
    release();
    receives_.wait_for_all();
  }

 private:
  [[nodiscard]] int parts() const { return static_cast<int>(part_bytes_.size()); }
  /// Parts that the `to` image has room for.
  [[nodiscard]] int room() const { return lingers() ? ring_parts : parts(); }
  [[nodiscard]] integer bytes(integer elements) const { return elements * static_cast<integer>(element_bytes_); }

  /// Everything that leaves, whatever the care.
  void plan_sends() {
    std::vector<parcels::parcel> leaving;
    for (const auto& m : out_) {
      if (m.peer == rank_) {
        own_bytes_ = bytes(m.count);
        continue;
      }
      // Rows of a single piece that lie in the order of the parts are one box.
      const bool one_box =
          m.axes[axis_].size() == 1 && cut_.strides(m.box, m.peer)[axis_] * m.box[axis_] == bytes(m.count);
      if (one_box) stores_.push_back(box_of(m, m.peer, true, own_offset_));
      each_part(m, cut_.bounds(m.peer), [&](int k, const message& part) {
        if (!one_box) stores_.push_back(box_of(part, m.peer, true, own_offset_));
        leaving.push_back({k, m.peer < rank_, m.peer, own_offset_, part.count});
        own_offset_ += bytes(part.count);
      });
    }
    set(sends_, std::move(leaving));
  }

  /// Everything that arrives, at its offset inside its part.
  void plan_receives() {
    following_.axis = static_cast<int>(axis_);
    following_.positions.assign(bounds_.begin() + 1, bounds_.end() - 1);
    part_bytes_.assign(bounds_.size() - 1, 0);
    for (const auto& m : in_) {
      if (m.peer == rank_) continue;
      each_part(m, bounds_, [&](int k, const message& part) {
        integer& end = part_bytes_[static_cast<std::size_t>(k)];
        loads_.push_back(box_of(part, rank_, false, end));
        arriving_.push_back({k, false, m.peer, end, part.count});
        end += bytes(part.count);
      });
    }
  }

  void map() {
    const bool straight = care_ == care::apart || care_ == care::late;
    auto stores = stores_;
    for (const auto& m : out_) {
      if (m.peer != rank_) continue;
      stores.push_back(packed_box(m, true, straight ? 1 : 0, -1, straight ? 0 : own_offset_, element_bytes_));
    }
    keeps_own_ = straight && own_bytes_ > 0;
    from_bytes_ = own_offset_ + (straight ? 0 : own_bytes_);
    sink_ = message_map(from_shape_, stores);

    const auto starts = place_parts();
    auto loads = loads_;
    auto arriving = arriving_;
    for (std::size_t i = 0; i < arriving.size(); ++i) {
      const integer start = starts[static_cast<std::size_t>(arriving[i].part)];
      loads[i].offset += start;
      arriving[i].offset += start;
    }
    for (const auto& m : in_) {
      if (m.peer == rank_) loads.push_back(own_box(m));
    }
    source_ = message_map(to_shape_, loads);
    set(receives_, std::move(arriving));
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
    message_box box = packed_box(part, sending, 0, -1, offset, element_bytes_);
    box.where.strides = cut_.strides(part.box, receiver);
    return box;
  }

  /// Where each part begins in the `to` image.
  std::vector<integer> place_parts() {
    std::vector<integer> starts;
    to_bytes_ = care_ == care::none ? 0 : own_bytes_;
    if (lingers()) {
      const integer slot = *std::ranges::max_element(part_bytes_);
      for (std::size_t k = 0; k < part_bytes_.size(); ++k) {
        starts.push_back(to_bytes_ + static_cast<integer>(k % ring_parts) * slot);
      }
      to_bytes_ += std::min<integer>(std::ssize(part_bytes_), ring_parts) * slot;
    } else {
      for (const integer size : part_bytes_) {
        starts.push_back(to_bytes_);
        to_bytes_ += size;
      }
    }
    return starts;
  }

  /// What stays, as the consumer sees it: in pieces that no part ends inside.
  [[nodiscard]] message_box own_box(const message& m) const {
    const bool here = care_ == care::none;
    message_box box = packed_box(m, false, here ? 1 : 0, -1, here ? own_offset_ : 0, element_bytes_);
    box.axes[axis_].clear();
    for (const auto& o : m.axes[axis_]) {
      for (std::size_t k = 0; k + 1 < bounds_.size(); ++k) {
        const slice terms = terms_between(o.to, bounds_[k], bounds_[k + 1]);
        if (!terms.empty()) box.axes[axis_].push_back({o.to.at(terms), o.start + terms.first});
      }
    }
    return box;
  }

  void set(parcels& list, std::vector<parcels::parcel> all) {
    for (const auto& p : all) calls_.prepare(p.count);
    list.set(std::move(all));
  }
  void receive_before(int part) {
    receives_.begin_before(part, [&](const parcels::parcel& p, MPI_Request& request) {
      calls_.receive(to_ + p.offset, p.count, p.peer, request);
    });
  }
  void send_before(int part) {
    sends_.begin_before(part, [&](const parcels::parcel& p, MPI_Request& request) {
      calls_.send(from_ + p.offset, p.count, p.peer, request);
    });
  }

  cutting cut_;
  std::size_t axis_;
  std::vector<integer> bounds_;  // of this rank's parts
  mpi::message_calls calls_;
  care care_ = care::none;
  integer own_offset_ = 0, own_bytes_ = 0;   // of what stays: at the end of the `from` image or the start of `to`
  std::vector<message_box> stores_, loads_;  // of all messages but the own one
  std::vector<parcels::parcel> arriving_;    // like loads_
  std::vector<integer> part_bytes_;
  parcels sends_, receives_;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
};

class streamed final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "streamed"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] bool lingers() const override { return true; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<streamed_exchange>(problem);
  }
};

}  // namespace

const engine& streamed_engine() {
  static const streamed instance;
  return instance;
}

}  // namespace weft::exchange
