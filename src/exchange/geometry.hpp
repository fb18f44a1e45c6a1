// SPDX-License-Identifier: BSD-3-Clause
// What an exchange does to memory, as values that are made without MPI.
//
// An exchange moves an array from one distribution to another. Its producer stores the array through `sink` into the
// `from` image and, for what stays on the rank, perhaps into the `to` image; its consumer loads the array through
// `source` from the `to` image and, for what stays, perhaps from the `from` image. An image is a plain array, a send
// or receive buffer, or the array in a distribution of its own in memory that a node shares: only the engine knows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/messages.hpp"
#include "exchange/nodes.hpp"
#include "index/image_map.hpp"
#include "local/pass.hpp"
#include "weft/distribution.hpp"

namespace weft::exchange {

/// Where a plain image's elements lie, in bytes.
struct plain_image {
  extents strides;
  integer offset = 0;
  integer bytes = 0;  ///< from the buffer's start to past the last element
};

struct geometry;

struct exchange_problem {
  distribution from;
  distribution to;
  int rank = 0, ranks = 1;
  std::size_t element_bytes = 0;
  /// For engines that leave arrays as they are; the others make images of their own.
  plain_image from_image;
  plain_image to_image;
  std::shared_ptr<const node_map> nodes;        ///< of all ranks; none: nobody shares memory
  integer count_limit = 0;                      ///< largest count handed to MPI as an int
  integer cells_per_box = usual_cells_per_box;  ///< with more of them, boxes that do not line up are gathered in blocks
  int parts = 0;                                ///< most that a message is cut into; 0: the engine's choice
  double patience = 0;                          ///< seconds to wait for peers who share memory; 0: for ever
  /// Axes of the array that the producer, and the consumer, can run through slowest; the same on all ranks.
  std::vector<int> producer_axes, consumer_axes;
  /// Where the array lies in shared memory already and could stay while the producer works on it.
  std::optional<distribution> stays_at;
  bool into_output = false;  ///< the `to` image could be the user's array, if that is shared
};

/// Ranks that talk to each other; all ranks form such groups at once.
struct rank_group {
  std::string key;           ///< the way of forming groups; the same on every rank
  int color = 0;             ///< which of them
  std::vector<int> members;  ///< ascending
  [[nodiscard]] int position(int rank) const;
};
/// The ranks among which this one could exchange something.
[[nodiscard]] rank_group group_of(const exchange_problem& problem);
/// The same as a list, for engines that need one communicator.
[[nodiscard]] std::vector<rank_group> groups_of_one(const exchange_problem& problem, const geometry& g);
/// Those among which it could if the array moved from `from` to `to`, and that share memory with it.
[[nodiscard]] rank_group neighbours_of(const exchange_problem& problem, const distribution& from,
                                       const distribution& to);

/// All that share memory with it.
[[nodiscard]] rank_group node_group(const exchange_problem& problem);

/// A message, or a part of one, that lies densely in its image.
struct parcel {
  integer when = 0;  ///< sent when the producer, or received when the consumer, has come so far
  int message = -1;  ///< received: what the consumer asks for
  int peer = 0;
  integer offset = 0;  ///< bytes from the image's start
  integer count = 0;   ///< elements
};

/// What stays and is held in the `from` image until start() copies it.
struct held_copy {
  integer from_offset = 0, to_offset = 0, bytes = 0;
};

enum class preparation : char {
  none,
  meeting,  ///< waits until the others have come this far
  posting   ///< from then on messages may arrive in the `to` image: nobody else may use it
};

/// How one engine does an exchange. All but maps, sizes and parcels is the same on every rank.
struct geometry {
  image_map sink, source;
  integer from_bytes = 0, to_bytes = 0;
  bool from_is_array = false, to_is_array = false;  ///< the image is the array itself, in the problem's layout
  /// The two images are one, in memory shared by the node: the array, in the distribution `home`. `sink` and `source`
  /// number this rank's image as buffer 0, then those of the node's ranks.
  bool one_image = false;
  distribution home;
  bool keeps_own = false;  ///< the sink stores into the `to` image as well, which it numbers as buffer 1
  preparation before = preparation::none;  ///< what prepare() does before the producer runs
  bool arrives_later = false;   ///< the consumer may run between start() and finish(), and asks before it loads
  bool lingers = false;         ///< the `from` image is needed until finish()
  local::milestones telling;    ///< what the producer should tell
  local::milestones following;  ///< the parts of the array that the consumer must reach() one by one
  integer messages_sent = 0, bytes_sent = 0;  ///< to other ranks
  std::vector<parcel> sends, receives;        ///< in the order in which they are begun
  /// Words without content among ranks that share memory: to a `peer` who sends part `message` of what others store,
  /// once the producer has stored this rank's share of it; and for part `when`, from a `peer` who stores.
  std::vector<parcel> tells, hears;
  held_copy held;
  int room = 0;      ///< parts that the `to` image has room for, where that is a ring
  integer slot = 0;  ///< elements for each peer, where all have as many
};

}  // namespace weft::exchange
