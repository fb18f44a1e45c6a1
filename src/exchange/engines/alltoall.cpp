#include <algorithm>
#include <optional>
#include <utility>

#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/agreement.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

/// One slot of the largest message per rank of the group. The own message has a slot behind the
/// others in the `to` image: MPI_Alltoall would overwrite the regular one. Held, it is in its regular slot,
/// if it fits there, and MPI_Alltoall copies it.
class alltoall_exchange final : public packed_exchange {
 public:
  explicit alltoall_exchange(const exchange_problem& problem)
      : packed_exchange(problem), group_(group_of(problem)), slot_(largest_message()) {
    place_slots(false);
    call_.emplace(group_.communicator, element_bytes_, slot_, problem.count_limit);
  }
  void start(const image& from, const image& to) override { (*call_)(from.mine, to.mine); }
  void take_care(care wanted) override {
    const bool held = wanted == care::held;
    if (held == held_ || own_count_ > slot_) return;
    place_slots(held);
    packed_exchange::take_care(wanted);
  }

 private:
  /// Of all ranks of the group, own messages apart.
  [[nodiscard]] integer largest_message() {
    integer most = 0;
    for (const auto* list : {&out_, &in_}) {
      for (const auto& m : *list)
        (m.peer == rank_ ? own_count_ : most) = std::max(m.peer == rank_ ? own_count_ : most, m.count);
    }
    return mpi::largest(group_.communicator, most);
  }

  void place_slots(bool held) {
    const auto slots = static_cast<integer>(group_.members.size());
    std::vector<integer> outs, ins;
    for (const auto& m : out_) outs.push_back(slot_ * group_.position(m.peer));
    for (const auto& m : in_) ins.push_back(slot_ * (m.peer == rank_ && !held ? slots : group_.position(m.peer)));
    place(std::move(outs), slot_ * slots, std::move(ins), slot_ * slots + (held ? 0 : own_count_));
  }

  peer_group group_;
  integer own_count_ = 0;  // elements of the own message
  integer slot_;
  std::optional<mpi::alltoall_call> call_;
};

class alltoall final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "alltoall"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<alltoall_exchange>(problem);
  }
};

}  // namespace

const engine& alltoall_engine() {
  static const alltoall instance;
  return instance;
}

}  // namespace weft::exchange
