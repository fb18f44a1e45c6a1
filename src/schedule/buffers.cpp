// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/buffers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace weft::core {

integer buffer_plan::workspace() const {
  integer sum = 0;
  for (const integer b : bytes) sum += b;
  return sum;
}

namespace {

class assignment_search {
 public:
  explicit assignment_search(const buffer_problem& problem) : problem_(problem) {
    const std::size_t n = problem.arrays.size();
    current_.arrays.resize(n);
    current_.arrays.front() = problem.same_memory ? area::output : area::input;
    current_.arrays.back() = area::output;
  }

  std::optional<buffer_plan> best() {
    extend(1);
    if (least_ == std::numeric_limits<integer>::max()) return std::nullopt;
    sort_work_areas();
    return best_;
  }

 private:
  /// Largest first, so that programs that share their work areas need the same ones large.
  void sort_work_areas() {
    constexpr auto first = static_cast<std::size_t>(area::work0);
    std::array<std::size_t, area_count> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin() + first, order.end(),
                     [&](std::size_t a, std::size_t b) { return best_.bytes[a] > best_.bytes[b]; });
    std::array<area, area_count> renamed{};
    auto sorted = best_.bytes;
    for (std::size_t to = 0; to < order.size(); ++to) {
      renamed[order[to]] = static_cast<area>(to);
      sorted[to] = best_.bytes[order[to]];
    }
    best_.bytes = sorted;
    for (auto& where : best_.arrays) where = renamed[static_cast<std::size_t>(where)];
  }

  [[nodiscard]] bool fits(area where, const buffer_need& need) const {
    switch (where) {
      case area::input: return !problem_.same_memory && need.fits_input;
      case area::output: return need.fits_output;
      default: return true;
    }
  }

  /// Whether one of the arrays before `i` lies there.
  [[nodiscard]] bool in_use(area where, std::size_t i) const {
    return std::find(current_.arrays.begin(), current_.arrays.begin() + static_cast<std::ptrdiff_t>(i), where) !=
           current_.arrays.begin() + static_cast<std::ptrdiff_t>(i);
  }

  /// Whether the steps that write array `i` may do so, given the arrays before it.
  [[nodiscard]] bool allowed(std::size_t i) const {
    const auto& where = current_.arrays;
    const buffer_step& last = problem_.steps[i - 1];
    if (last.stays) return where[i] == where[i - 1];
    if (where[i] == where[i - 1] && !last.in_place) return false;
    if (i >= 2 && problem_.steps[i - 2].lingers && where[i] == where[i - 2]) return false;
    // The step before the last one, if it wrote this array already while reading and writing others.
    if (i < 2 || !problem_.steps[i - 2].writes_two) return true;
    if (i >= 3 && problem_.steps[i - 3].lingers && where[i] == where[i - 3]) return false;
    return where[i] != where[i - 1] && (where[i] != where[i - 2] || problem_.steps[i - 2].keeps_place);
  }

  void extend(std::size_t i) {
    const std::size_t last = problem_.arrays.size() - 1;
    if (i == last) {
      if (allowed(i) && current_.workspace() < least_) {
        least_ = current_.workspace();
        best_ = current_;
      }
      return;
    }
    // Work areas differ by their names only: the first unused one stands for all of them.
    int used = static_cast<int>(area::work0);
    while (used < area_count && in_use(static_cast<area>(used), i)) ++used;
    for (int a = 0; a <= used && a < area_count; ++a) {
      const auto where = static_cast<area>(a);
      const integer bytes = problem_.arrays[i].bytes;
      // An array that stays is where it was, so whether it fits was asked before.
      if (!problem_.steps[i - 1].stays && !fits(where, problem_.arrays[i])) continue;
      current_.arrays[i] = where;
      if (!allowed(i)) continue;
      const auto before = current_.bytes;
      if (where != area::input && where != area::output) {
        auto& size = current_.bytes[static_cast<std::size_t>(a)];
        size = std::max(size, bytes);
      }
      if (current_.workspace() < least_) extend(i + 1);
      current_.bytes = before;
    }
  }

  const buffer_problem& problem_;
  buffer_plan current_, best_;
  integer least_ = std::numeric_limits<integer>::max();
};

}  // namespace

std::optional<buffer_plan> assign_buffers(const buffer_problem& problem) { return assignment_search(problem).best(); }

}  // namespace weft::core
