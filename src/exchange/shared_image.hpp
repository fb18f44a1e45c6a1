// Exchanges whose two images are one, in memory that the ranks of a node share: the array in a distribution of
// its own, its home. The producer stores its elements where they are at home, on whatever rank, and the consumer
// loads them from there. At home in its old distribution, the array is pulled by the consumer, in its new one
// pushed by the producer; and where neighbouring exchanges have one home, the pass between stores every element
// where it loaded it. No copy is made and nothing is sent on the node; messages to other nodes, which only an
// array in its old distribution can have, are packed behind it.
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
  std::vector<remote> sends_, receives_;  // to and from other nodes
  std::vector<int> node_;                 // ranks that share memory, ascending
  bool stores_away_, loads_away_;         // whether producers, consumers reach into their peers' images

 private:
  [[nodiscard]] int node_rank(int rank) const;  // -1: on another node
  /// Where the elements of a local array are at home, but for those in `far`, messages to or from other nodes.
  [[nodiscard]] access_map map_of(const distribution& local, const distribution& home,
                                  std::vector<message_box> far) const;
  /// This rank's image, then those of the node's ranks.
  [[nodiscard]] local::buffer_list buffers_at(const image& where);
};

}  // namespace weft::exchange
