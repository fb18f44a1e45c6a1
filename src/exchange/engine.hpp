// What an exchange is: it moves an array from one distribution to another, and tells its neighbours
// where to store (`sink`) and where to load (`source`).
//
// The producer stores its array through sink() into the `from` image (buffer 0) and, for what stays on
// the rank, into the `to` image (buffer 1); the consumer loads it through source() from the `to` image
// (buffer 0). An image is a plain array or a send or receive buffer: only the engine knows. What stays may
// instead be held in the `from` image until the exchange starts.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "exchange/messages.hpp"
#include "index/access_map.hpp"
#include "local/pass.hpp"
#include "mpi/communicator.hpp"
#include "weft/distribution.hpp"

namespace weft::exchange {

class loopback_hub;

/// Where a plain image's elements lie, in bytes.
struct plain_image {
  extents strides;
  integer offset = 0;
  integer bytes = 0;  ///< from the buffer's start to past the last element
};

/// One image in memory: this rank's and, where the memory is shared, its node peers' (itself among
/// them) by their rank on the node.
struct image {
  std::byte* mine = nullptr;
  std::span<std::byte* const> peers = {};
};

struct exchange_problem {
  distribution from;
  distribution to;
  int rank = 0;
  std::size_t element_bytes = 0;
  /// For engines that leave arrays as they are; the others make images of their own.
  plain_image from_image;
  plain_image to_image;
  const mpi::communicator* communicator = nullptr;  ///< null for loopback
  loopback_hub* hub = nullptr;                      ///< only for loopback
  integer count_limit = 0;                          ///< largest count handed to MPI as an int
  distribution home;                                ///< shared memory only: what its image is, see engine::shared()
  int ranks_per_node = 0;                           ///< at most; 0: as many as share memory
  int parts = 0;                                    ///< most that a message is cut into; 0: the engine's choice
  /// Axes of the array that the producer, and the consumer, can run through slowest; the same on all ranks.
  std::vector<int> producer_axes, consumer_axes;
};

/// How an exchange treats its images.
enum class care : char {
  none,   ///< as is fastest
  apart,  ///< where the consumer would load what stays on the rank from the `from` image, that is in the `to` image
  late,   ///< the `from` image is free for the consumer; until start(), only what stays is stored in the `to` image
  held    ///< not even that: what stays is held in the `from` image, and start() copies it
};

/// One exchange, ready to run any number of times. Constructing is collective; start() is too.
class exchange : public local::arrivals, public local::departures {
 public:
  [[nodiscard]] const access_map& sink() const { return sink_; }
  [[nodiscard]] const access_map& source() const { return source_; }
  [[nodiscard]] integer from_bytes() const { return from_bytes_; }
  [[nodiscard]] integer to_bytes() const { return to_bytes_; }
  /// Whether sink() also stores into the `to` image.
  [[nodiscard]] bool keeps_own() const { return keeps_own_; }
  /// Messages sent, and bytes that end up on other ranks, each time.
  [[nodiscard]] integer messages_sent() const { return messages_sent_; }
  [[nodiscard]] integer bytes_sent() const { return bytes_sent_; }

  /// Engines with send and receive buffers can need less of the `to` image before start(): see `care`. Changes
  /// the maps and sizes above.
  virtual void take_care(care /*wanted*/) {}

  /// The buffers that the placements of sink() and source() number.
  [[nodiscard]] virtual local::buffer_list sink_buffers(const image& from, const image& to);
  [[nodiscard]] virtual local::buffer_list source_buffers(const image& from, const image& to);

  /// Whether prepare() must be called before the producer runs. From then on messages may arrive in the
  /// `to` image, so that nobody else may use it.
  [[nodiscard]] virtual bool starts_early() const { return false; }
  /// What the producer should tell.
  [[nodiscard]] const local::milestones& telling() const { return telling_; }
  void stored(integer /*end*/) override {}

  /// Returns when the producer may store. Collective, as is start().
  virtual void prepare(const image& /*from*/, const image& /*to*/) {}
  /// Begins to move the `from` image into the `to` image.
  virtual void start(const image& from, const image& to) = 0;
  /// Returns when the `from` image may be overwritten.
  virtual void release() {}
  /// Returns when all is done.
  virtual void finish() {}
  /// Whether the consumer may run between start() and finish(), and must then ask with need() or
  /// next() before it loads.
  [[nodiscard]] virtual bool arrives_later() const { return false; }
  void need(int /*message*/) override {}
  int next() override { return -1; }
  /// Whether the `from` image is needed until finish(), so that the consumer must not store there.
  [[nodiscard]] virtual bool lingers() const { return false; }
  /// The parts of the array that the consumer must reach() one by one.
  [[nodiscard]] const local::milestones& following() const { return following_; }

 protected:
  explicit exchange(const exchange_problem& problem);

  std::vector<message> out_, in_;  // by ascending peer, own rank included
  int rank_;
  std::size_t element_bytes_;
  extents from_shape_, to_shape_;  // local
  access_map sink_, source_;
  integer from_bytes_ = 0, to_bytes_ = 0;
  bool keeps_own_ = false;
  std::vector<std::byte*> buffers_;  // what the two functions above point to
  integer messages_sent_ = 0;
  local::milestones telling_, following_;

 private:
  integer bytes_sent_ = 0;
};

class engine {
 public:
  virtual ~engine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether the images are the arrays themselves, with the layouts of the problem.
  [[nodiscard]] virtual bool plain() const = 0;
  /// Whether the two images are one, in memory shared by the node: compact, row-major arrays in the distribution
  /// `home`. If that is `from`, each producer stores into its own rank's; if it is `to`, each consumer loads its own.
  [[nodiscard]] virtual bool shared() const { return false; }
  /// Whether messages may arrive before start(), unless its exchanges take care.
  [[nodiscard]] virtual bool starts_early() const { return false; }
  /// Whether the `from` image is needed until the consumer is done, unless its exchanges take care.
  [[nodiscard]] virtual bool lingers() const { return false; }
  [[nodiscard]] virtual std::unique_ptr<exchange> make(const exchange_problem& problem) const = 0;
};

/// The engines of this build that need only MPI, best for messages first; a new one is one line in
/// exchange.cpp.
[[nodiscard]] std::span<const engine* const> engines();
/// Throws name_error for an unknown name; "auto" is the first.
[[nodiscard]] const engine& engine_named(std::string_view name);

/// The ranks among which `problem` moves data, as a communicator, and where peers stand in it.
struct peer_group {
  mpi::communicator communicator;
  std::vector<int> members;  ///< their ranks in the whole communicator, ascending
  [[nodiscard]] int position(int rank) const;
};
[[nodiscard]] peer_group group_of(const exchange_problem& problem);

}  // namespace weft::exchange
