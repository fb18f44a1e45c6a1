// SPDX-License-Identifier: BSD-3-Clause
// Images that hold one message after the other. What stays on the rank takes no part in the
// communication: it is stored straight into the `to` image, or held behind the other messages in the
// `from` image and copied.
#pragma once

#include <vector>

#include "exchange/geometry.hpp"

namespace weft::exchange {

/// How an engine with send and receive buffers treats them; numbers of ways.
enum class care : char {
  none,   ///< as is fastest
  apart,  ///< where the consumer would load what stays on the rank from the `from` image, that is in the `to` image
  late,   ///< the `from` image is free for the consumer; until start(), only what stays is stored in the `to` image
  held    ///< not even that: what stays is held in the `from` image, and start() copies it
};

/// A rank's messages, by ascending peer, itself included.
struct mailing {
  explicit mailing(const exchange_problem& problem);
  std::vector<message> out, in;
};

/// Where the messages of a mailing lie, in elements. The own message's entry in `out`, possibly past `from_elements`,
/// is where it may be held.
struct message_places {
  std::vector<integer> out, in;
  integer from_elements = 0, to_elements = 0;
};
/// One after the other, in peer order. In the `to` image the own message comes first: where the array returns to a
/// distribution, it is then at the same place in both `to` images.
[[nodiscard]] message_places dense_places(const mailing& all, int rank);

/// A message whose elements lie densely, `offset` bytes into `buffer`; `number` is what the consumer
/// asks for, -1 for nothing.
[[nodiscard]] message_box packed_box(const message& m, bool sending, int buffer, int number, integer offset,
                                     std::size_t element_bytes);

/// The map of this rank's array in `at`, whose elements lie in `boxes`.
[[nodiscard]] image_map image_of(const exchange_problem& problem, const distribution& at,
                                 const std::vector<message_box>& boxes, const local::milestones& parts = {});

/// With one parcel for each message.
[[nodiscard]] geometry packed_geometry(const exchange_problem& problem, const mailing& all,
                                       const message_places& places, bool held);

/// The same of messages that lie one after the other; `way` is a care.
[[nodiscard]] geometry dense_geometry(const exchange_problem& problem, int way);

/// Counts what goes to other ranks.
void count_traffic(geometry& g, const mailing& all, const exchange_problem& problem);

/// Each rank begins with the peer after itself, so that not all send to rank 0 first; the parcels for one peer stay in
/// order, which is how they meet the receives there.
void order_sends(std::vector<parcel>& sends, int rank);

/// The ways of engines with send and receive buffers: as is fastest, or with what stays held.
[[nodiscard]] std::vector<int> packed_ways(const exchange_problem& problem);

}  // namespace weft::exchange
