// SPDX-License-Identifier: BSD-3-Clause
// What a machine can do, as numbers of one rank while all ranks work.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "weft/index.hpp"
#include "weft/types.hpp"

namespace weft::planner {

/// Moving data between ranks at one level of the machine.
struct level {
  double message_seconds = 0;  ///< per message
  double byte_seconds = 0;     ///< per byte sent or received

  friend bool operator==(const level&, const level&) = default;
};

/// Between nodes, while all ranks of a node share its link.
struct network_level : level {
  double latency_seconds = 0;  ///< per exchange that leaves the node
  double both_ways = 2;        ///< what bytes both ways take over the same one way: 1 if they do not hinder each other
  double contention = 1;       ///< how much slower bytes are if all nodes talk across the middle of the network
  double overlap = 0;          ///< the part of the time of bytes in which a rank can compute
  double lone_byte_seconds = 0;  ///< per byte of a rank while the others of its node move none

  friend bool operator==(const network_level&, const network_level&) = default;
};

/// What a device can do, as numbers of one card. Those of an NVIDIA H200, as far as they were seen.
struct device_figures {
  double byte_seconds = 1 / 3.5e12;     ///< per byte of a pass over its memory, read or written
  double flop_seconds = 1 / 2e13;       ///< in its fast memory
  double pass_seconds = 6e-6;           ///< per pass, however little it does
  double turn_seconds = 2.2e-4;         ///< per exchange and further rank of the card: they take turns on it
  double wait_seconds = 2e-5;           ///< per exchange: the host waits for the device, and it then for the host
  double card_byte_seconds = 1 / 6e12;  ///< per byte of another rank's on the same card, besides the pass
  double link_byte_seconds = 1 / 2e11;  ///< per byte of another card's of the node, likewise
  double copy_byte_seconds = 1 / 4e10;  ///< per byte to or from the host's pinned memory

  friend bool operator==(const device_figures&, const device_figures&) = default;
};

struct machine {
  std::string name = "guess";
  int ranks_per_node = 1 << 30;            ///< ranks 0 .. this-1 share the first node, and so on
  level node{1e-6, 1 / 8e9};               ///< messages between ranks of a node
  network_level network{{2e-6, 1 / 2e9}};  ///< messages between nodes
  /// Per byte that a rank loads from or stores to a neighbour's memory, besides the pass that does it.
  double shared_byte_seconds = 1 / 4e10;
  double barrier_seconds = 1e-6;   ///< among the ranks of a node, for each doubling of them
  double exchange_seconds = 2e-6;  ///< per exchange, whatever it moves: waiting for the last rank
  double run_seconds = 4e-8;       ///< per run of adjacent elements that an exchange moves
  double bundle_seconds = 1e-7;    ///< per bundle of lines that an exchange's image is loaded or stored by
  double page_seconds = 1.5e-9;    ///< per element of lines that visit a page for each of theirs, in cache
  /// Passes over what arrives that messages of a node save which are consumed in cache.
  double ring_passes = 1.7;
  double pass_byte_seconds = 1 / 1e10;     ///< per byte of a pass over memory, read or written
  double cached_byte_seconds = 1 / 3e10;   ///< the same where the rank's array stays in its caches
  double cache_bytes = 1 << 20;            ///< of a rank, for that
  double flop_seconds = 1 / 2.4e10;        ///< in cache, for lengths that line_seconds says nothing of
  double tile_bytes = 4 << 20;             ///< of cache that a pass over several axes may fill
  double pass_seconds = 0;                 ///< per pass, however little it does
  double copied_byte_seconds = 0;          ///< per byte of messages that go by way of the host
  level direct;                            ///< messages of the node that do not, where arrays are not the host's
  double of_devices = 0;                   ///< not 0: all the figures above are of ranks with devices
  device_figures device;                   ///< from which these follow
  std::map<integer, double> line_seconds;  ///< per element of a line, by its length; in cache, double precision

  friend bool operator==(const machine&, const machine&) = default;
};

/// The machine as ranks see it whose arrays and passes are on devices, so many of them on each; as it is, if its
/// figures are those of such ranks. `led`: one of them runs the passes of all, so that they take no turns.
[[nodiscard]] machine with_devices(machine m, int ranks_of_device, bool led);

/// Seconds per element of a line of length `n`, in cache: of the nearest length measured that has factors alike.
[[nodiscard]] double element_seconds(const machine& m, integer n, precision element);

/// Lines "key value", in any order, # begins a comment; keys that are missing keep their defaults.
[[nodiscard]] std::string to_text(const machine& m);
/// Throws argument_error, naming the line, for what it cannot read.
[[nodiscard]] machine parse_machine(std::string_view text);

}  // namespace weft::planner
