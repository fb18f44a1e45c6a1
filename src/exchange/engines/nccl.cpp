// SPDX-License-Identifier: BSD-3-Clause
#include "device/nccl.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "device/device.hpp"
#include "exchange/channel.hpp"
#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/agreement.hpp"
#include "mpi/call.hpp"

namespace weft::exchange {

namespace {

/// Channels of one communicator share what joining takes long to make. They hold the communicator, so that no other has
/// its handle meanwhile. Collective the first time.
std::shared_ptr<device::nccl_ranks> joined(const mpi::communicator& all, const device::device& on) {
  static std::mutex lock;
  static std::map<MPI_Comm, std::weak_ptr<device::nccl_ranks>> known;
  const std::lock_guard guard(lock);
  auto& here = known[all.get()];
  if (auto found = here.lock()) return found;
  device::nccl_ranks::name name{};
  mpi::agree(all, [&] {
    if (all.rank() == 0) name = device::nccl_ranks::new_name();
  });
  mpi::check(MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_BYTE, 0, all.get()), "MPI_Bcast");
  std::shared_ptr<device::nccl_ranks> formed;
  mpi::agree(all, [&] { formed = std::make_shared<device::nccl_ranks>(on, name, all.rank(), all.size()); });
  here = formed;
  return formed;
}

/// Messages follow the passes in the device's order.
class nccl_channel final : public channel {
 public:
  nccl_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : held_(g.held),
        on_(*with.on),
        all_(*with.all),
        element_bytes_(problem.element_bytes),
        sends_(g.sends),
        receives_(g.receives) {}

  void start(const image& from, const image& to) override {
    if (!ranks_) ranks_ = joined(all_, on_);
    copy_held(held_, from, to, &on_);
    ranks_->exchange(messages(sends_, from.mine), messages(receives_, to.mine));
  }

 private:
  [[nodiscard]] std::vector<device::nccl_ranks::message> messages(const std::vector<parcel>& parcels,
                                                                  std::byte* image) const {
    std::vector<device::nccl_ranks::message> all;
    for (const auto& p : parcels) {
      all.push_back({p.peer, image + p.offset, static_cast<std::size_t>(p.count) * element_bytes_});
    }
    return all;
  }

  held_copy held_;
  const device::device& on_;
  mpi::communicator all_;
  std::size_t element_bytes_;
  std::vector<parcel> sends_, receives_;
  std::shared_ptr<device::nccl_ranks> ranks_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  return dense_geometry(problem, way);
}

std::string missing() {
  std::string why_not;
  (void)device::nccl_name(why_not);
  return why_not;
}

}  // namespace

constexpr engine nccl_engine{.name = "nccl",
                             .on_device = true,
                             .own_card = true,
                             .missing = missing,
                             .facts = nullptr,
                             .ways = packed_ways,
                             .describe = describe,
                             .groups = nullptr,
                             .open = open_as<nccl_channel>};

}  // namespace weft::exchange
