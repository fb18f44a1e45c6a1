// SPDX-License-Identifier: BSD-3-Clause
// What a local engine is: something that makes passes over a rank's array.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "local/pass.hpp"

namespace weft::local {

class line_engine;

class engine {
 public:
  virtual ~engine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether it transforms lines of this kind; copies are for every engine.
  [[nodiscard]] virtual bool has(line_kind kind) const = 0;
  /// Throws applicability_error for a kind that it has not.
  [[nodiscard]] virtual std::unique_ptr<pass> make_pass(const pass_problem& problem) const = 0;
  /// How many of the leading transforms one pass should do, at least one. `shape` is the local shape between them.
  [[nodiscard]] virtual std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms,
                                                           const extents& shape, precision element) const = 0;
  /// Whether it could be the fastest for something, so that a planner should try it.
  [[nodiscard]] virtual bool for_speed() const { return true; }
  /// Whether it times alternatives to choose its operations: two plans of one problem may then differ in bits.
  [[nodiscard]] virtual bool measures() const { return false; }
  /// Its kernels for lines in cache; null if it works in another way.
  [[nodiscard]] virtual const line_engine* for_lines() const { return nullptr; }
};

/// The engines of this build, best first; a new engine is one line in table.cpp.
[[nodiscard]] std::span<const engine* const> engines();
/// Throws name_error for an unknown name; "auto" is the first engine.
[[nodiscard]] const engine& engine_named(std::string_view name);

}  // namespace weft::local
