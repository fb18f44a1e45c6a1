// SPDX-License-Identifier: BSD-3-Clause
// Functions of modes that a plan applies while it stores or loads them: how a user's function of one mode becomes one
// of a line of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/index.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace detail {

/// Done to `count` elements in cache along `axis`, `step` bytes from one to the next. `along` has the global index
/// along that axis of each, `index` that of the first along all axes. Threads call it at the same time with lines of
/// their own.
using line_function = std::function<void(std::byte* first, integer step, integer count, int axis,
                                         std::span<const integer> along, std::span<const integer> index)>;

/// function(global index, element), or function(global index, element, number of the array in a batch), of each
/// element. `batch_axis`: the number, the first or the last, of the axis of lines that is the batch; -1: none is.
template <class T, class Function>
line_function on_lines(Function function, int batch_axis) {
  return [function = std::move(function), batch_axis](std::byte* first, integer step, integer count, int axis,
                                                      std::span<const integer> along,
                                                      std::span<const integer> index_of_first) {
    std::array<integer, max_axes> all{};
    std::copy(index_of_first.begin(), index_of_first.end(), all.begin());
    const std::span<const integer> index(all.data() + (batch_axis == 0 ? 1 : 0),
                                         index_of_first.size() - (batch_axis >= 0 ? 1 : 0));
    for (integer k = 0; k < count; ++k) {
      all[static_cast<std::size_t>(axis)] = along[static_cast<std::size_t>(k)];
      T& element = *reinterpret_cast<T*>(first + k * step);
      if constexpr (std::is_invocable_v<const Function&, std::span<const integer>, T&>) {
        function(index, element);
      } else {
        function(index, element, batch_axis < 0 ? integer{0} : all[static_cast<std::size_t>(batch_axis)]);
      }
    }
  };
}

}  // namespace detail
}  // namespace weft
