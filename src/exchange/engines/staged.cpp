// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "device/device.hpp"
#include "exchange/channel.hpp"
#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/call.hpp"

namespace weft::exchange {

namespace {

/// Bytes of a part: long enough for copies and messages to run at full speed, short enough to fill all three of them.
constexpr integer part_bytes = integer{4} << 20;

/// One part of a message.
struct part {
  int peer = 0;
  integer offset = 0;  ///< of the image, and of the host's buffer
  int bytes = 0;
};

/// While one part is copied from the device, another is sent and a third, which has arrived, is copied to the device.
class staged_channel final : public channel {
 public:
  staged_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : held_(g.held),
        on_(*with.on),
        all_(*with.all),
        tag_(with.tag),
        sends_(parts_of(problem, g.sends)),
        receives_(parts_of(problem, g.receives)),
        out_(on_.pinned(end_of(sends_))),
        in_(on_.pinned(end_of(receives_))),
        sent_(sends_.size(), MPI_REQUEST_NULL),
        received_(receives_.size(), MPI_REQUEST_NULL),
        arrived_(receives_.size()) {}

  void start(const image& from, const image& to) override {
    copies_.clear();
    counted_ = {};
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      const part& p = receives_[i];
      mpi::check(MPI_Irecv(in_.data() + p.offset, p.bytes, MPI_BYTE, p.peer, tag_, all_.get(), &received_[i]),
                 "MPI_Irecv");
    }
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      const part& p = sends_[i];
      copy(down, out_.data() + p.offset, from.mine + p.offset, p);
      on_.mark(down, i);
    }
    on_.copy(to.mine + held_.to_offset, from.mine + held_.from_offset, static_cast<std::size_t>(held_.bytes));
    std::size_t begun = 0, here = 0;
    while (begun < sends_.size() || here < receives_.size()) {
      const std::size_t before = begun + here;
      begun = send_what_is_copied(begun);
      here += copy_what_arrived(to);
      if (begun + here == before) std::this_thread::yield();
    }
    mpi::check(MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    on_.synchronize_lane(up);
    for (const int lane : {down, up}) read_clock(lane);
  }

  void watch_copies(bool on) override { watched_ = on; }
  [[nodiscard]] std::span<const device_copy> copies() const override { return copies_; }

 private:
  static constexpr int down = 0, up = 1;  // lanes of copies

  static std::vector<part> parts_of(const exchange_problem& problem, const std::vector<parcel>& parcels) {
    std::vector<part> all;
    for (const auto& p : parcels) {
      const integer bytes = p.count * static_cast<integer>(problem.element_bytes);
      for (integer at = 0; at < bytes; at += part_bytes) {
        all.push_back({p.peer, p.offset + at, static_cast<int>(std::min(part_bytes, bytes - at))});
      }
    }
    return all;
  }
  static std::size_t end_of(const std::vector<part>& parts) {
    integer end = 0;
    for (const auto& p : parts) end = std::max(end, p.offset + p.bytes);
    return static_cast<std::size_t>(end);
  }

  void copy(int lane, std::byte* to, const std::byte* from, const part& p) {
    auto& [count, first] = counted_[static_cast<std::size_t>(lane)];
    if (watched_) {
      if (count == 0) first = std::chrono::steady_clock::now();
      on_.stamp_lane(lane, 2 * count);
    }
    on_.copy_beside(lane, to, from, static_cast<std::size_t>(p.bytes));
    if (watched_) on_.stamp_lane(lane, 2 * count + 1);
    ++count;
  }
  /// Of a lane that has nothing to do any more. Its first stamp was passed when it was asked for, as the lane had
  /// nothing to do before: so it is known when all others were passed.
  void read_clock(int lane) {
    using clock = std::chrono::steady_clock;
    const auto& [count, first] = counted_[static_cast<std::size_t>(lane)];
    for (std::size_t i = 0; watched_ && i < count; ++i) {
      const auto at = [&, start = first](std::size_t stamp) {
        const std::chrono::duration<double> since(on_.seconds_in_lane(lane, 0, stamp));
        return start + std::chrono::duration_cast<clock::duration>(since);
      };
      copies_.push_back({lane == down, at(2 * i), at(2 * i + 1)});
    }
  }

  [[nodiscard]] std::size_t send_what_is_copied(std::size_t begun) {
    for (; begun < sends_.size() && on_.passed(down, begun); ++begun) {
      const part& p = sends_[begun];
      mpi::check(MPI_Isend(out_.data() + p.offset, p.bytes, MPI_BYTE, p.peer, tag_, all_.get(), &sent_[begun]),
                 "MPI_Isend");
    }
    return begun;
  }
  [[nodiscard]] std::size_t copy_what_arrived(const image& to) {
    if (received_.empty()) return 0;
    int count = 0;
    mpi::check(MPI_Testsome(static_cast<int>(received_.size()), received_.data(), &count, arrived_.data(),
                            MPI_STATUSES_IGNORE),
               "MPI_Testsome");
    if (count == MPI_UNDEFINED) return 0;
    for (int i = 0; i < count; ++i) {
      const part& p = receives_[static_cast<std::size_t>(arrived_[static_cast<std::size_t>(i)])];
      copy(up, to.mine + p.offset, in_.data() + p.offset, p);
    }
    return static_cast<std::size_t>(count);
  }

  held_copy held_;
  const device::device& on_;
  mpi::communicator all_;
  int tag_;
  std::vector<part> sends_, receives_;
  memory out_, in_;
  std::vector<MPI_Request> sent_, received_;
  std::vector<int> arrived_;
  struct counted_copies {
    std::size_t count = 0;
    std::chrono::steady_clock::time_point first;  // when it was asked for
  };
  std::array<counted_copies, device::device::lanes> counted_;
  bool watched_ = false;
  std::vector<device_copy> copies_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  return dense_geometry(problem, way);
}

}  // namespace

constexpr engine staged_engine{.name = "staged",
                               .on_device = true,
                               .by_way_of_host = true,
                               .facts = nullptr,
                               .ways = packed_ways,
                               .describe = describe,
                               .groups = nullptr,
                               .open = open_as<staged_channel>};

}  // namespace weft::exchange
