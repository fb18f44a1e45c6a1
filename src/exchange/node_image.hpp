// SPDX-License-Identifier: BSD-3-Clause
// Shared images in which the ranks of a node gather what goes to another node. All messages from one node to another,
// or one part of each, are a bundle: one rank of the node has room for it behind its array, the others store their
// messages there, and it leaves as one message. On the other node one rank receives it, and the others load from there.
#pragma once

#include "exchange/geometry.hpp"

namespace weft::exchange {

/// Elements that this rank has for, or gets from, other nodes.
[[nodiscard]] integer far_elements(const exchange_problem& problem);

/// At home where the array comes from. Everything from other nodes has the number 0 for its consumers. Parcels to send
/// leave when part `when` is complete: all parts but the last one are told of.
[[nodiscard]] geometry node_geometry(const exchange_problem& problem);

/// Into how many parts the messages of one node for another are cut, if they have so many bytes and may be cut.
[[nodiscard]] integer bundles_of(integer bytes);

}  // namespace weft::exchange
