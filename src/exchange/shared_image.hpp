// Exchanges whose two images are one, in memory that the ranks of a node share. With pull, the image
// is the array in its old distribution and the consumer loads from its peers' parts of it; with push,
// it is the array in its new distribution and the producer stores into its peers' parts. No copy is
// made and nothing is sent on the node; messages to other nodes are packed behind the array.
#pragma once

#include "exchange/engine.hpp"

namespace weft::exchange {

class shared_exchange : public exchange {
 public:
  [[nodiscard]] local::buffer_list sink_buffers(const image& from, const image& to) override;
  [[nodiscard]] local::buffer_list source_buffers(const image& from, const image& to) override;

 protected:
  /// `node` lists the ranks, in the whole communicator, that share memory; ascending.
  shared_exchange(const exchange_problem& problem, std::vector<int> node);

  struct remote {
    int peer;
    integer offset;  // bytes from the image's start
    integer count;
  };
  std::vector<remote> sends_, receives_;  // to and from other nodes; only with pull
  bool push_;
  std::vector<int> node_;  // ranks that share memory, ascending

 private:
  [[nodiscard]] int node_rank(int rank) const;  // -1: on another node
  void map_pull(const exchange_problem& problem);
  void map_push(const exchange_problem& problem);
};

}  // namespace weft::exchange
