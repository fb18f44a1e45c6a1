// What a local engine is: something that makes kernels, and a kernel transforms one bundle of lines.
//
// A kernel loads `lanes` lines through `from`, transforms them in cache, scales them and stores them
// through `to`. Loads of the whole bundle are complete before the first store, so `from` and `to` may
// be the same memory. `to` may have fewer lanes than `from`: the last ones are then not wanted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "index/digits.hpp"
#include "index/line_kind.hpp"
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
  integer length = 0;  ///< logical length: r2c reads `length` reals and writes length/2+1 complex
  precision element = precision::f64;
  int lanes = 1;  ///< most lanes of one call
  /// A hint: elements of a line are usually adjacent. Any lines must do, and get the same bits however they
  /// lie; the order of operations may depend on this hint alone.
  bool lines_contiguous = false;
  /// Of the complex side of every line, after a forward transform; its conjugate before a backward one.
  rotation turn = {};
  /// c2c, if not 0: elements from this one on are stored (forward) or loaded (backward) conjugated.
  integer conjugate_from = 0;

  friend auto operator<=>(const line_problem&, const line_problem&) = default;
};

/// Immutable and shared: any number of threads may call it, each with scratch of its own.
class kernel {
 public:
  virtual ~kernel() = default;
  /// Bytes of 64-byte aligned scratch that a call needs.
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;
  virtual void transform(const bundle& from, const bundle& to, double scale, std::byte* scratch) const = 0;
};

class engine {
 public:
  virtual ~engine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// How many lanes suit lines of this length.
  [[nodiscard]] virtual int lanes(line_kind kind, integer length, precision element) const = 0;
  [[nodiscard]] virtual std::unique_ptr<kernel> make_kernel(const line_problem& problem) const = 0;
  /// Whether it could be the fastest for something, so that a planner should try it.
  [[nodiscard]] virtual bool for_speed() const { return true; }
};

/// The engines of this build, best first; a new engine is one line in table.cpp.
[[nodiscard]] std::span<const engine* const> engines();
/// Throws name_error for an unknown name; "auto" is the first engine.
[[nodiscard]] const engine& engine_named(std::string_view name);

}  // namespace weft::local
