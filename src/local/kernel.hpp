// SPDX-License-Identifier: BSD-3-Clause
// What a line engine makes: a kernel, which transforms one bundle of lines.
//
// A kernel loads `lanes` lines through `from`, transforms them in cache and stores them through `to`. Loads of the
// whole bundle are complete before the first store, so `from` and `to` may be the same memory. `to` may have fewer
// lanes than `from`: the last ones are then not wanted.
#pragma once

#include <cstddef>
#include <span>

#include "index/line_kind.hpp"
#include "local/operations.hpp"
#include "weft/error.hpp"
#include "weft/index.hpp"
#include "weft/types.hpp"

namespace weft::local {

/// Elements first, first + step, ... (`count` of them) of every line of a bundle. Element j of these
/// of lane l lies at address + j * stride + l * lane_stride (bytes). A null address stands for zeros
/// when loaded and for nothing when stored.
struct run {
  std::byte* address = nullptr;
  integer first = 0;
  integer step = 1;
  integer count = 0;
  integer stride = 0;
  integer lane_stride = 0;
};

/// Some lines of an array seen through an access map: the runs cover every element of a line once.
struct bundle {
  std::span<const run> runs;
  int lanes = 0;
  /// A hint when loading: the runs of the next bundle (as many lanes), to be fetched into cache meanwhile.
  std::span<const run> next = {};
  /// A hint when storing: the memory will not be read soon, so store past the caches where addresses
  /// allow. Such stores are weakly ordered; the caller fences before it tells anyone.
  bool stream = false;
};

struct line_problem {
  line_kind kind = line_kind::c2c_forward;
  integer length = 0;  ///< logical: the table tells how many elements are read and written
  precision element = precision::f64;
  int lanes = 1;  ///< most lanes of one call
  /// A hint: elements of a line are usually adjacent. Any lines must do, and get the same bits however they
  /// lie; the order of operations may depend on this hint alone.
  bool lines_contiguous = false;
  /// A promise: all lines are one run of adjacent positions on either side.
  bool one_run = false;
  int threads = 1;  ///< that a call may use
  /// To be fused: no pointwise ones, and all along the line, whatever number its axis has.
  operation_list loading = {}, storing = {};
};

/// Many lines alike, one run each on either side: bundles in loops, without a list of runs for each.
struct line_grid {
  struct side {
    std::byte* address = nullptr;
    integer stride = 0;       ///< between elements of a line
    integer lane_stride = 0;  ///< between lines side by side
  };
  /// Lines again, `count` times, so far away on either side.
  struct loop {
    integer count = 1;
    integer from = 0;
    integer to = 0;
  };
  side from, to;
  integer lanes = 0;
  std::span<const loop> loops = {};
  bool fetch = false;   ///< a hint: what is loaded is not in cache
  bool stream = false;  ///< a hint, as a bundle's
  bool ahead = false;   ///< a hint: what is loaded next is worth fetching
  bool apart = false;   ///< a promise: no line is stored where one is loaded from
};

/// Calls body(from, to) for each of the places where a grid has its lanes.
template <class Body>
void for_each_place(std::span<const line_grid::loop> loops, std::byte* from, std::byte* to, const Body& body) {
  if (loops.empty()) return body(from, to);
  const line_grid::loop& l = loops.front();
  for (integer i = 0; i < l.count; ++i) for_each_place(loops.subspan(1), from + i * l.from, to + i * l.to, body);
}

/// Immutable and shared: any number of threads may call it, each with scratch of its own.
class kernel {
 public:
  virtual ~kernel() = default;
  /// Bytes of 64-byte aligned scratch that a call needs.
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;
  virtual void transform(const bundle& from, const bundle& to, std::byte* scratch) const = 0;
  /// Whether it can transform grids with these strides, wherever they are.
  [[nodiscard]] virtual bool takes(const line_grid& /*lines*/) const { return false; }
  /// All lines of a grid. A line is stored where it was loaded from, or where no line is loaded from.
  virtual void transform(const line_grid& lines, std::byte* scratch) const;
  /// Whether a call spreads over several threads by itself.
  [[nodiscard]] virtual bool spreads() const { return false; }
};

inline void kernel::transform(const line_grid& /*lines*/, std::byte* /*scratch*/) const {
  throw internal_error("a grid of lines for a kernel that takes none");
}

}  // namespace weft::local
