// SPDX-License-Identifier: BSD-3-Clause
// An exchange that was opened, for one execution at a time.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "exchange/engine.hpp"
#include "mpi/board.hpp"
#include "mpi/communicator.hpp"

namespace weft::device {
class device;
}

namespace weft::exchange {

class loopback_hub;

/// One image in memory: this rank's and, where the memory is shared, its node peers' (itself among
/// them) by their rank on the node.
struct image {
  std::byte* mine = nullptr;
  std::span<std::byte* const> peers = {};
};

struct joined_group {
  rank_group who;
  mpi::communicator on;
  std::shared_ptr<mpi::board::sheet> sheet = nullptr;  ///< for barriers; null: they are made of messages
};

/// Who takes part.
struct company {
  const mpi::communicator* all = nullptr;  ///< null for loopback
  std::vector<joined_group> groups;        ///< those that the engine asks for
  std::vector<integer> agreed;             ///< the largest of the engine's facts
  int tag = 0;                             ///< of this channel's messages, and of no other's
  /// Other exchanges run meanwhile: no call but settle(), release() and finish() may wait, and collective calls are
  /// made on groups that are this channel's alone.
  bool overlapping = false;
  loopback_hub* hub = nullptr;         ///< only for loopback
  const device::device* on = nullptr;  ///< whose memory the images are in; null: the host's
};

/// A copy between a device's memory and the host's that ran beside an exchange.
struct device_copy {
  bool to_host = false;
  std::chrono::steady_clock::time_point begin, end;
};

/// start() and what else may wait for other ranks is collective.
class channel : public local::arrivals, public local::departures {
 public:
  /// Returns when the producer may store.
  virtual void prepare(const image& /*from*/, const image& /*to*/) {}
  /// Begins to move the `from` image into the `to` image.
  virtual void start(const image& from, const image& to) = 0;
  /// Returns when the `from` image may be overwritten.
  virtual void release() {}
  /// Returns when all is done.
  virtual void finish() {}

  /// Whether to look at the clock for copies that a device makes from now on; and those of the last start().
  virtual void watch_copies(bool /*on*/) {}
  [[nodiscard]] virtual std::span<const device_copy> copies() const { return {}; }

  // Of channels that overlap with others:
  /// Whether who goes on after the last call, be it to store or to load, need not wait; MPI works meanwhile.
  [[nodiscard]] virtual bool arrived() { return true; }
  /// Whether release() and finish() need not wait.
  [[nodiscard]] virtual bool left() { return true; }
  /// Waits for what nobody else asks for before going on.
  virtual void settle() {}
  /// Whether other ranks hear of nothing before start().
  [[nodiscard]] virtual bool quiet() const { return false; }

  void stored(integer /*end*/) override {}
  void need(int /*message*/) override {}
  int next() override { return -1; }
};

/// What an engine's row has for its class of channels.
template <class Channel>
std::unique_ptr<channel> open_as(const exchange_problem& problem, const geometry& g, const company& with) {
  return std::make_unique<Channel>(problem, g, with);
}

/// Copies what is held, by the device that the images are in or, if there is none, by the host: part of start().
void copy_held(const held_copy& held, const image& from, const image& to, const device::device* on);

}  // namespace weft::exchange
