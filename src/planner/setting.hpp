// SPDX-License-Identifier: BSD-3-Clause
// What a plan may choose from, and what the machine is taken to be.
#pragma once

#include <string>

#include "planner/choose.hpp"
#include "planner/crew.hpp"
#include "planner/knowledge.hpp"

namespace weft::planner {

/// What a plan may choose, and the machine it is priced by. Collective; reads the wisdom file, if there is one, into
/// `known`.
struct setting {
  freedom open;
  machine on;
  std::string network;  ///< what is known of it, in words; empty on one node
};
[[nodiscard]] setting setting_of(const options& how, const crew& on, knowledge& known);

}  // namespace weft::planner
