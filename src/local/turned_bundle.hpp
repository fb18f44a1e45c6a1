// SPDX-License-Identifier: BSD-3-Clause
// Turning lines that differ in their shifts (operations.hpp), bundle by bundle: rows of adjacent elements, one of each
// line, are multiplied on their way between memory and the dense buffer of a pass.
#pragma once

#include <cstddef>
#include <memory>

#include "local/cursor.hpp"
#include "local/operations.hpp"

namespace weft::local {

class bundle_turner {
 public:
  virtual ~bundle_turner() = default;
  /// Bytes of 64-byte aligned tables.
  [[nodiscard]] virtual std::size_t table_bytes() const = 0;
  /// Fills the tables for the lines at these positions.
  virtual void prepare(const positions& at, int lane_axis, const lane_group& lanes, std::byte* tables) const = 0;
  /// Turns `lanes` lines where they lie, one dense run.
  virtual void turn(const run& dense, int lanes, const std::byte* tables) const = 0;
  /// The same on the way, where has_rows().
  virtual void load_turned(const bundle& from, const run& dense, const std::byte* tables) const = 0;
  virtual void store_turned(const run& dense, const bundle& to, const std::byte* tables) const = 0;
  /// Whether elements of a bundle's lines lie side by side.
  [[nodiscard]] virtual bool has_rows(const bundle& lines) const = 0;
};

/// Of lines of `length` elements along `line_axis`, at most `lanes` at a time.
[[nodiscard]] std::unique_ptr<bundle_turner> make_bundle_turner(const turning& what, int line_axis, integer length,
                                                                int lanes, precision element);

}  // namespace weft::local
