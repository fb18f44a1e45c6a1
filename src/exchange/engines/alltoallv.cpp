#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

class alltoallv_exchange final : public packed_exchange {
 public:
  explicit alltoallv_exchange(const exchange_problem& problem) : packed_exchange(problem), call_(plan(problem)) {}
  void start(const image& from, const image& to) override {
    copy_held(from, to);
    call_(from.mine, to.mine);
  }

 private:
  mpi::alltoallv_call plan(const exchange_problem& problem) {
    place_densely();
    const peer_group group = group_of(problem);
    const auto blocks = [&](const std::vector<message>& messages, const std::vector<integer>& offsets) {
      std::vector<mpi::block> made(group.members.size());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].peer == rank_) continue;
        made[static_cast<std::size_t>(group.position(messages[i].peer))] = {offsets[i], messages[i].count};
      }
      return made;
    };
    return {group.communicator, element_bytes_, blocks(out_, out_offsets_), blocks(in_, in_offsets_),
            problem.count_limit};
  }

  mpi::alltoallv_call call_;
};

class alltoallv final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "alltoallv"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<alltoallv_exchange>(problem);
  }
};

}  // namespace

const engine& alltoallv_engine() {
  static const alltoallv instance;
  return instance;
}

}  // namespace weft::exchange
