// SPDX-License-Identifier: BSD-3-Clause
// A strategy made to run on the arrays that a user describes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

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
  /// One for a run that may be under way while others are: free on all ranks, with a workspace of its own.
  struct lent {
    run::execution* execution = nullptr;
    array_memory lying = array_memory::own;
    std::size_t number = 0;
  };
  // Runs have numbers, in the order in which all ranks start them. When run n begins, each rank says which executions
  // are busy there; the others learn it later, in the order of runs. So all ranks know the same ones to be free, though
  // not at the same moment.
  static constexpr int most_under_way = 64;
  [[nodiscard]] std::uint64_t busy() const { return busy_[0] | busy_[1] << most_lent; }
  void learn(std::uint64_t busy_on_any, long long run);
  [[nodiscard]] bool knows_free(array_memory lying) const { return !free_[static_cast<std::size_t>(lying)].empty(); }
  /// The first that is known to be free; else opens another, which is collective and throws the same error on every
  /// rank if too many are under way.
  [[nodiscard]] lent lend(direction way, array_memory lying, long long run);
  void give_back(const lent& what) { busy_[static_cast<std::size_t>(what.lying)] &= ~(1ULL << what.number); }
  /// Names of the engines that executions have: the chosen ones, or messages where there was no room to share.
  [[nodiscard]] std::vector<std::string> exchanges(array_memory lying, bool with_function) const;
  [[nodiscard]] integer workspace_bytes() const;
  /// Whether one rank runs the passes of all, see run::bind_programs(): all ranks share one device, and such arrays on
  /// it. Each must then wait for its own stream before it meets the others.
  [[nodiscard]] bool is_led(array_memory lying) const;

 private:
  struct both_ways {
    std::unique_ptr<run::execution> forward, backward;
    std::shared_ptr<run::workspace> memory;
    std::shared_ptr<const int> lane;  // of those that overlap
    bool by_messages = false;         // where there was no room for work areas that are shared
    long long last_run = -1;          // of those that overlap: whom it was lent to
  };
  static constexpr int most_lent = most_under_way / 2;  // of either kind of memory
  void open_another(array_memory lying);
  /// Programs with a function of modes are others, as operations on elements have their price.
  [[nodiscard]] both_ways& at(array_memory lying, bool with_function) {
    return ways_[2 * static_cast<std::size_t>(lying) + (with_function ? 1 : 0)];
  }
  [[nodiscard]] const both_ways& at(array_memory lying, bool with_function) const {
    return ways_[2 * static_cast<std::size_t>(lying) + (with_function ? 1 : 0)];
  }
  void bind(array_memory lying, bool with_function);
  void bind_in(both_ways& ways, const std::shared_ptr<run::workspace>& memory, const run::binding& forward,
               const run::binding& backward);

  crew on_;
  std::unique_ptr<outline> outline_;
  std::shared_ptr<run::workspace> memory_;
  std::array<both_ways, 4> ways_;                           // see at()
  std::shared_ptr<const detail::line_function*> on_modes_;  // of the call under way
  // Those for runs that overlap, by array_memory: the same number on all ranks; which are lent here, as bits; and which
  // are known to be free on all ranks.
  std::array<std::vector<both_ways>, 2> spare_;
  std::array<std::uint64_t, 2> busy_{};
  std::array<std::vector<std::size_t>, 2> free_;
};

}  // namespace weft::planner
