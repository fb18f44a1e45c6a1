// SPDX-License-Identifier: BSD-3-Clause
// One pass over a rank's local array: every element is loaded once and stored once, and between the
// two any number of axes are transformed in cache. A pass without transforms is a copy.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "index/absent.hpp"
#include "index/access_map.hpp"
#include "index/line_kind.hpp"
#include "local/operations.hpp"

namespace weft::local {

/// What a consuming pass asks of the exchange it loads from.
class arrivals {
 public:
  virtual ~arrivals() = default;
  /// Returns once `message` has arrived.
  virtual void need(int message) = 0;
  /// The next message to consume, in order of arrival; -1 after the last.
  virtual int next() = 0;
  /// Returns once the pass may load part `number` of what it follows; it has loaded the parts before for the last
  /// time.
  virtual void reach(int /*number*/) {}
};

/// What a producing pass tells the exchange it stores for.
class departures {
 public:
  virtual ~departures() = default;
  /// Everything at positions below `end` along the axis of the pass's milestones has been stored.
  virtual void stored(integer end) = 0;
  /// Called now and then by the thread that runs the pass, for what else is to be done meanwhile.
  virtual void pause() {}
};

/// A pass runs through `axis` slowest, where it can, and tells when all below each of `positions` is
/// stored. It may leave some out: whoever listens learns from the end of the pass that all is stored.
struct milestones {
  int axis = 0;
  std::vector<integer> positions;  ///< ascending; empty: nobody listens
};

struct axis_transform {
  int axis = 0;
  line_kind kind = line_kind::c2c_forward;
  integer length = 0;             ///< logical, see line_row
  bool lines_contiguous = false;  ///< whoever makes the pass finds out
  /// Positions that the source and the sink have nothing for: they are zero when loaded, and dropped. Lines along other
  /// axes of the pass that lie there are not transformed.
  absent_positions absent_in = {}, absent_out = {};
  bool clears = false;  ///< the sink has room for the first of absent_out, which is cleared

  friend bool operator==(const axis_transform&, const axis_transform&) = default;
};

/// Transforms of one pass leave one type of elements between them: whether it is the one that is stored, and the array
/// then has the shape of the sink. Otherwise it is the one that is loaded.
[[nodiscard]] bool tile_is_like_sink(const std::vector<axis_transform>& transforms);

/// Stores of a local array beyond this size go past the caches, unless it is known that they hold more: by the time it
/// is read again, it would have left them anyway, and a store into a line that is not there would first read it.
inline constexpr integer usual_cached_bytes = integer{4} << 20;

struct pass_problem {
  access_map source;
  access_map sink;
  std::vector<axis_transform> transforms;  ///< only the first or the last may change the type of elements
  precision element = precision::f64;      ///< of the transforms
  std::size_t source_bytes = 0;            ///< bytes of an element loaded
  std::size_t sink_bytes = 0;              ///< bytes of an element stored
  /// Pointwise ones stand before all others on load and behind all others on store: the others go with transforms.
  operation_list loading = {}, storing = {};
  int threads = 1;
  integer cached_bytes = usual_cached_bytes;
  bool streams_in_place = false;  ///< past the caches also where a line was loaded, if its elements are pages apart
  milestones telling = {};
  /// Where parts of the source begin, the first one apart. The pass must run through this axis, which it does
  /// not transform, slowest, and no piece of the source reaches over one of the positions.
  milestones following = {};
  /// Parts of the sink that are cleared before anything is stored; what else is stored there lies elsewhere than what
  /// is loaded.
  std::vector<access_map> cleared = {};
  /// If there are any, the sink together with them: they are at the first dropped position of their axes.
  access_map filled_sink = {};
  /// For pointwise operations, the global indices of what is loaded and stored along each axis, by position of the map.
  /// Elements where one is -1 are left alone. Empty: the array is the whole one.
  std::vector<extents> source_indices = {}, sink_indices = {};
  /// Elements there are narrow, see narrow.hpp: they have half the bytes of those of the transforms.
  bool narrow_source = false, narrow_sink = false;
};

/// The buffers that the placements of a map number.
using buffer_list = std::span<std::byte* const>;

class pass {
 public:
  virtual ~pass() = default;
  /// `waiting` is null when everything to load is there already, `leaving` when nobody listens.
  virtual void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                       departures* leaving) const = 0;
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;
};

/// Whether source and sink may be the same memory: each bundle is stored where it was loaded.
[[nodiscard]] bool safe_in_place(const pass_problem& problem);

/// Whether what goes to `buffer` of the sink is stored where it was loaded, at the same distances from the start
/// of the source's buffer 0: these two may then be the same memory.
[[nodiscard]] bool keeps_place(const pass_problem& problem, int buffer);

/// Those of `operations` that stand along axes of `transforms`.
[[nodiscard]] operation_list along(std::span<const axis_transform> transforms, const operation_list& operations);

}  // namespace weft::local
