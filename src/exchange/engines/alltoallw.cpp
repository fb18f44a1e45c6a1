#include "exchange/engines/all.hpp"
#include "exchange/plain.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

class alltoallw_exchange final : public plain_exchange {
 public:
  explicit alltoallw_exchange(const exchange_problem& problem) : plain_exchange(problem), call_(plan(problem)) {}

  void start(const image& from, const image& to) override {
    copy_own(from.mine, to.mine);
    call_(from.mine, to.mine);
  }

 private:
  [[nodiscard]] mpi::alltoallw_call plan(const exchange_problem& problem) const {
    const peer_group group = group_of(problem);
    const mpi::datatype element = mpi::element_type(element_bytes_);
    const auto types = [&](const std::vector<message>& messages, slice overlap::*side, const plain_image& image) {
      std::vector<mpi::alltoallw_call::part> made;
      for (const auto& m : messages) {
        if (m.peer == rank_) continue;
        std::vector<std::vector<mpi::strided_run>> axes;
        for (std::size_t l = 0; l < m.axes.size(); ++l) {
          auto& runs = axes.emplace_back();
          for (const auto& o : m.axes[l]) {
            const slice& s = o.*side;
            runs.push_back({s.first * image.strides[l], s.count, s.step * image.strides[l]});
          }
        }
        if (!axes.empty() && image.offset != 0) {
          for (auto& run : axes.front()) run.offset += image.offset;
        }
        made.push_back({group.position(m.peer), mpi::strided_type(element, element_bytes_, axes, problem.count_limit)});
      }
      return made;
    };
    return {group.communicator, types(out_, &overlap::from, from_image_), types(in_, &overlap::to, to_image_)};
  }

  mpi::alltoallw_call call_;
};

class alltoallw final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "alltoallw"; }
  [[nodiscard]] bool plain() const override { return true; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<alltoallw_exchange>(problem);
  }
};

}  // namespace

const engine& alltoallw_engine() {
  static const alltoallw instance;
  return instance;
}

}  // namespace weft::exchange
