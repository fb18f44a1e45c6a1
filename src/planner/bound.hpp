// SPDX-License-Identifier: BSD-3-Clause
// A strategy made to run on the arrays that a user describes.
#pragma once

#include <array>
#include <memory>

#include "planner/crew.hpp"
#include "planner/outline.hpp"
#include "run/execution.hpp"
#include "weft/pointwise.hpp"

namespace weft::planner {

/// Where the user's arrays lie: in memory of the rank alone, or in memory that the node's ranks share.
enum class array_memory : char { own, shared };

class bound {
 public:
  /// Collective. Throws the same error on every rank: buffer_error where memory does not suffice. Binds for arrays in
  /// shared memory where they can be of use, else for others.
  bound(const problem& what, const options& how, const algorithm::task& task, const crew& on,
        const strategy& what_to_do);

  strategy chosen;
  array_memory arrays = array_memory::own;  ///< those that the plan makes

  [[nodiscard]] const outline& described() const { return *outline_; }
  /// Bytes that an array of the user's must have; in place, one serves both sides.
  [[nodiscard]] integer array_bytes(bool of_input, bool in_place) const;
  /// Collective the first time that it is asked for this kind of memory, `arrays` apart, and the first time with a
  /// function of modes, see below.
  [[nodiscard]] run::execution& execution(direction way, array_memory lying, bool with_function = false);
  /// What executions with a function call from now on; it must live while they run.
  void call_for_modes(const detail::line_function* function) { *on_modes_ = function; }
  [[nodiscard]] const run::program& program(direction way) const;
  [[nodiscard]] integer workspace_bytes() const;

 private:
  struct both_ways {
    std::unique_ptr<run::execution> forward, backward;
    std::shared_ptr<run::workspace> memory;
  };
  /// Programs with a function of modes are others, as operations on elements have their price.
  [[nodiscard]] both_ways& at(array_memory lying, bool with_function) {
    return ways_[2 * static_cast<std::size_t>(lying) + (with_function ? 1 : 0)];
  }
  void bind(array_memory lying, bool with_function);
  void bind_in(both_ways& ways, const std::shared_ptr<run::workspace>& memory);

  crew on_;
  std::unique_ptr<outline> outline_;
  std::shared_ptr<run::workspace> memory_;
  std::array<both_ways, 4> ways_;                           // see at()
  std::shared_ptr<const detail::line_function*> on_modes_;  // of the call under way
};

}  // namespace weft::planner
