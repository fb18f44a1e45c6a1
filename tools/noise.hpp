// SPDX-License-Identifier: BSD-3-Clause
// How much of the processor others took while we measured.
#pragma once

#include "ranks.hpp"

namespace weft::tool {

/// Shares of all CPU time of the worst node, 0 to 1.
struct noise {
  double foreign = 0;  ///< other processes
  double steal = 0;    ///< the hypervisor
  double seconds = 0;  ///< how long we watched; the kernel counts in hundredths of a second
};

/// Watches from construction to stop(). Where /proc/stat does not exist it sees no noise.
class noise_watch {
 public:
  /// Collective, as is stop().
  explicit noise_watch(const ranks& all);
  [[nodiscard]] noise stop() const;

 private:
  struct counters {
    double total = 0, busy = 0, steal = 0;  // seconds of CPU time, all cores together
    double own = 0;                         // of this process
    double clock = 0;                       // seconds
  };
  static counters read_counters();

  const ranks* all_;
  node_ranks node_;
  counters start_;
};

}  // namespace weft::tool
