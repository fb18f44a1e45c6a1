// SPDX-License-Identifier: BSD-3-Clause
// The engines that work on a processor's cores: they have kernels for bundles of lines, and share what makes passes of
// these, tile by tile.
#pragma once

#include "local/engine.hpp"
#include "local/kernel.hpp"

namespace weft::local {

class line_engine : public engine {
 public:
  /// How many lanes suit lines of this length.
  [[nodiscard]] virtual int lanes(line_kind kind, integer length, precision element) const = 0;
  [[nodiscard]] virtual std::unique_ptr<kernel> make_kernel(const line_problem& problem) const = 0;

  [[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem) const final;
  /// As few passes as keep their tiles in cache. Of such divisions one where the innermost lines go with as many
  /// others as can be: what they load and store runs on, and their tile needs few lanes beside it, or none. But lines
  /// whose elements meet in one set of a cache do not go first alone.
  [[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& shape,
                                                   precision element) const final;
  [[nodiscard]] const line_engine* for_lines() const final { return this; }

 private:
  /// As many as keep their tile in cache.
  [[nodiscard]] std::size_t most_in_one_pass(std::span<const axis_transform> transforms, const extents& shape,
                                             precision element) const;
};

}  // namespace weft::local
