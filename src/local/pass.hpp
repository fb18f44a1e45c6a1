// One pass over a rank's local array: every element is loaded once and stored once, and between the
// two any number of axes are transformed in cache. A pass without transforms is a copy.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "index/access_map.hpp"
#include "local/copy.hpp"
#include "local/engine.hpp"

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
  integer length = 0;
  rotation turn = {};  ///< this and what follows: see line_problem
  integer conjugate_from = 0;
  bool lines_contiguous = false;  ///< make_pass() finds out

  friend bool operator==(const axis_transform&, const axis_transform&) = default;
};

/// Stores of a local array beyond this size go past the caches: by the time it is read again, it would
/// have left them anyway, and a store into a line that is not there would first read it.
inline constexpr integer usual_cached_bytes = integer{4} << 20;

struct pass_problem {
  access_map source;
  access_map sink;
  std::vector<axis_transform> transforms;  ///< r2c first, c2r last
  precision element = precision::f64;      ///< of the transforms
  std::size_t source_bytes = 0;            ///< bytes of an element loaded
  std::size_t sink_bytes = 0;              ///< bytes of an element stored
  double scale = 1;
  int threads = 1;
  integer cached_bytes = usual_cached_bytes;
  milestones telling = {};
  /// Where parts of the source begin, the first one apart. The pass must run through this axis, which it does
  /// not transform, slowest, and no piece of the source reaches over one of the positions.
  milestones following = {};
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

[[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem, const engine& local);

/// Whether source and sink may be the same memory: each bundle is stored where it was loaded.
[[nodiscard]] bool safe_in_place(const pass_problem& problem);

/// Whether what goes to `buffer` of the sink is stored where it was loaded, at the same distances from the start
/// of the source's buffer 0: these two may then be the same memory.
[[nodiscard]] bool keeps_place(const pass_problem& problem, int buffer);

/// How many of the leading transforms one pass should do: as many as keep its tile in cache, at least
/// one. `shape` is the local shape on the complex side.
[[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& shape,
                                                 precision element, const engine& local);

}  // namespace weft::local
