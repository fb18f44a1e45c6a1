// What a machine can do, as numbers of one rank while all ranks work.
#pragma once

#include <string>
#include <string_view>

namespace weft::planner {

/// Moving data between ranks at one level of the machine.
struct level {
  double message_seconds = 0;  ///< per message
  double byte_seconds = 0;     ///< per byte sent or received

  friend bool operator==(const level&, const level&) = default;
};

struct machine {
  std::string name = "guess";
  int ranks_per_node = 1 << 30;  ///< ranks 0 .. this-1 share the first node, and so on
  /// Between ranks of a node: memory is shared, and the passes around an exchange read and write it anyway.
  level node{5e-7, 1 / 4e10};
  level network{2e-6, 1 / 2e9};         ///< between nodes
  double pass_byte_seconds = 1 / 1e10;  ///< per byte of a pass over memory, read or written
  double flop_seconds = 1 / 1.2e10;     ///< in cache
  double tile_bytes = 4 << 20;          ///< of cache that a pass over several axes may fill

  friend bool operator==(const machine&, const machine&) = default;
};

/// Lines "key value", in any order, # begins a comment; keys that are missing keep their defaults.
[[nodiscard]] std::string to_text(const machine& m);
/// Throws argument_error, naming the line, for what it cannot read.
[[nodiscard]] machine parse_machine(std::string_view text);

}  // namespace weft::planner
