// SPDX-License-Identifier: BSD-3-Clause
// Other libraries that `weft bench` compares with. Each has an adapter in this folder; CMake builds those whose library
// it finds and lists them in a table it writes from table.cpp.in.
#pragma once

#include <string>
#include <vector>

#include "contender.hpp"

namespace weft::tool {

struct peer {
  std::string name;   ///< for --peers
  std::string about;  ///< one line for people
  void (*start)();    ///< once, after MPI_Init and before any plan of anybody's
  /// Collective. Empty, with a note, where it cannot do the problem.
  contenders (*make)(const problem& what, const bench_setup& on);
  bool has_r2r = false;    ///< cosine and sine transforms, too
  bool on_device = false;  ///< for arrays in a device's memory, where the others are for the host's
};

/// Those this program was built with.
[[nodiscard]] const std::vector<peer>& built_peers();

}  // namespace weft::tool
