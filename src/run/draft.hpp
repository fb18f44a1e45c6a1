// SPDX-License-Identifier: BSD-3-Clause
// The steps of a program before they know their memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "local/block_pass.hpp"
#include "run/program.hpp"

namespace weft::run {

/// A pass, or an exchange as its `start` step.
struct draft {
  step action;
  std::optional<local::block_problem> pass;  ///< made into work when it is known that it will be used
  std::size_t from = 0;                      ///< number of the array read; the next one is written
  buffer_step does;
};

/// All of them, and the arrays that they read and write: input first, output last.
struct draft_list {
  std::vector<draft> steps;
  std::vector<buffer_need> arrays;
  std::vector<std::shared_ptr<const planned_exchange>> exchanges;
};

/// Gives the drafts the areas of `plan`, and exchanges the steps around them that they need.
[[nodiscard]] std::vector<step> steps_of(draft_list& drafts, const buffer_plan& plan);

}  // namespace weft::run
