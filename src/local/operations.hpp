// SPDX-License-Identifier: BSD-3-Clause
// What a pass does to elements besides moving and transforming them: values in two lists, one for elements that were
// loaded and one for elements that are about to be stored, each applied in order.
//
// Kernels fuse the ones that they know, which are all but `pointwise`. These are multiplications, which commute with
// the transforms of other axes, and conjugations, which do not: so a kernel does what stands along its own axis.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "index/digits.hpp"
#include "weft/index.hpp"
#include "weft/types.hpp"

namespace weft::local {

/// Multiplies every element.
struct scaling {
  double factor = 1;
  friend bool operator==(const scaling&, const scaling&) = default;
};

/// Multiplies the element at position k along `axis` by exp(-2 pi i (first + k shift)/period), or backward by its
/// conjugate. The shift may differ from line to line: by `step` for each position along the axis `across`. Only digits
/// of cosines have a `first`, and their kernels do that part.
struct turning {
  int axis = 0;
  rotation by = {};
  direction way = direction::forward;
  int across = -1;  ///< -1: it is the same for all lines
  integer step = 0;
  integer first = 0;
  friend bool operator==(const turning&, const turning&) = default;
};

/// Conjugates what stands at position `from` and beyond along `axis`.
struct conjugation {
  int axis = 0;
  integer from = 0;
  friend bool operator==(const conjugation&, const conjugation&) = default;
};

/// Elements in cache along `axis`, and where they belong in the global array.
struct element_line {
  std::byte* first = nullptr;
  integer step = 0;  ///< bytes from one to the next
  integer count = 0;
  int axis = 0;
  std::span<const integer> along;  ///< the global index along `axis` of each
  std::span<const integer> index;  ///< the global index of the first, one per axis
};

/// Anything that is done to each element by itself. Threads call it at the same time with lines of their own.
using pointwise = std::function<void(const element_line&)>;

using element_operation = std::variant<scaling, turning, conjugation, pointwise>;
using operation_list = std::vector<element_operation>;

/// The axis along which it stands, null if it is the same everywhere. To be renumbered where axes are.
template <class Operation>
[[nodiscard]] auto axis_of(Operation& o) -> decltype(&std::get_if<turning>(&o)->axis) {
  if (auto* t = std::get_if<turning>(&o)) return &t->axis;
  if (auto* c = std::get_if<conjugation>(&o)) return &c->axis;
  return nullptr;
}

/// Whether it turns lines each in its own way, which passes do rather than kernels.
[[nodiscard]] inline bool turns_lines_apart(const element_operation& o) {
  const auto* const t = std::get_if<turning>(&o);
  return t != nullptr && t->across >= 0;
}

[[nodiscard]] inline bool is_pointwise(const element_operation& o) { return std::holds_alternative<pointwise>(o); }

/// Whether it must know where elements stand along other axes than its own: these must then stay what they are.
[[nodiscard]] inline bool asks_for_positions(const element_operation& o) {
  return is_pointwise(o) || turns_lines_apart(o);
}

}  // namespace weft::local
