#include <algorithm>

#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/agreement.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

/// One slot of the largest message per rank of the group. The own message has a slot behind the
/// others in the `to` image: MPI_Alltoall would overwrite the regular one.
class alltoall_exchange final : public packed_exchange {
 public:
  explicit alltoall_exchange(const exchange_problem& problem) : packed_exchange(problem), call_(plan(problem)) {}
  void start(const image& from, const image& to) override { call_(from.mine, to.mine); }

 private:
  mpi::alltoall_call plan(const exchange_problem& problem) {
    const peer_group group = group_of(problem);
    integer most = 0, own = 0;
    for (const auto* list : {&out_, &in_}) {
      for (const auto& m : *list) (m.peer == rank_ ? own : most) = std::max(m.peer == rank_ ? own : most, m.count);
    }
    const integer slot = mpi::largest(group.communicator, most);
    const auto slots = static_cast<integer>(group.members.size());
    const auto offsets = [&](const std::vector<message>& messages) {
      std::vector<integer> made;
      for (const auto& m : messages) made.push_back(slot * (m.peer == rank_ ? slots : group.position(m.peer)));
      return made;
    };
    place(offsets(out_), slot * slots, offsets(in_), slot * slots + own);
    return {group.communicator, element_bytes_, slot, problem.count_limit};
  }

  mpi::alltoall_call call_;
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
