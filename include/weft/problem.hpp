// SPDX-License-Identifier: BSD-3-Clause
// What to transform, and how: plain values, the same on every rank.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/arena.hpp"
#include "weft/distribution.hpp"
#include "weft/layout.hpp"
#include "weft/types.hpp"

namespace [[gnu::visibility("default")]] weft {

/// A distribution as a user asks for it: "any" (the planner chooses), "same" (output only: as the
/// input), "brick" (balanced boxes), a text such as "[b0 b1 *]", or an exact distribution.
class wanted {
 public:
  wanted() = default;
  wanted(const char* text) : text_(text) {}                 // NOLINT(google-explicit-constructor)
  wanted(std::string text) : text_(std::move(text)) {}      // NOLINT(google-explicit-constructor)
  wanted(distribution exact) : exact_(std::move(exact)) {}  // NOLINT(google-explicit-constructor)

  /// The grid and chains, or the boxes, of a distribution, for whatever shape the problem has there.
  [[nodiscard]] static wanted like(distribution other) {
    wanted w(std::move(other));
    w.any_shape_ = true;
    return w;
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::optional<distribution>& exact() const { return exact_; }
  [[nodiscard]] bool any_shape() const { return any_shape_; }
  /// For comparing across ranks.
  [[nodiscard]] std::string full_text() const { return exact_ ? exact_->text() : text_; }

 private:
  std::string text_ = "any";
  std::optional<distribution> exact_;
  bool any_shape_ = false;
};

struct problem {
  extents shape = {};                         ///< global; of the real side for r2c
  transform_kind kind = transform_kind::c2c;  ///< of arrays; c2c<T>, r2c<T> and r2r<T> set it
  /// What the lines along each axis become, one name per axis: "none", "c2c", "r2c" (once at most), "dct1" to "dct4",
  /// "dst1" to "dst4". Empty: Fourier transforms, which `kind`, `axes` and `real_axis` describe. Cosine and sine
  /// transforms take complex elements, too: real and imaginary parts each.
  std::vector<std::string> kinds = {};
  precision element = precision::f64;
  std::vector<int> axes = {};  ///< to transform; empty: all
  /// Modes to keep of each axis, at most its extent: forward drops the others, backward takes them as zeros. Empty:
  /// all.
  extents modes = {};
  /// Elements of the input that are there: forward takes the others as zeros, backward leaves them out. The input array
  /// has the extents of the box, whose first corner is its element 0. Whole along axes that are not transformed.
  /// Without corners: all.
  box input_box = {};
  /// Elements of the output that are wanted, likewise: backward takes the others as zeros. Not together with `modes`.
  box output_box = {};
  int real_axis = -1;        ///< r2c: the axis that is halved; -1: the highest of `axes`
  integer batch = 1;         ///< arrays transformed together; a rank holds its part of each, one after the other
  bool interleaved = false;  ///< the arrays of a batch lie element by element side by side: u[x][y][z][batch]
  wanted in = {};
  wanted out = {};
};

/// How hard a plan looks for the fastest way.
enum class effort : char {
  estimate,  ///< takes what the machine model finds cheapest
  measure,   ///< times the most promising ways
  patient    ///< times all
};

/// How far a plan that measures has come.
struct planning_progress {
  integer done = 0, total = 0;  ///< ways timed, and to be timed as far as is known
  double best_seconds = 0;      ///< of the fastest so far, one forward transform
  std::string best;             ///< and what it is, in a few words
};

struct options {
  std::string algorithm = "auto";
  std::string exchange = "auto";  ///< an engine for all exchanges, or a list with one for each: "window,p2p"
  std::string local = "auto";
  /// Where arrays lie and transforms run: "cpu"; "cuda", a card, or "cuda:1", that one; "emulated", for tests.
  std::string device = "cpu";
  std::string grid = "auto";  ///< "auto" or e.g. "2x3": for texts without @grid and where the planner chooses
  int threads = 1;            ///< of each rank; 0: the planner chooses
  effort planning = effort::estimate;
  double planning_seconds = 0;  ///< stop measuring after so long; 0: 5 s for measure, no limit for patient
  /// Called on rank 0 after each way that was timed; false stops measuring, and the best so far is taken.
  std::function<bool(const planning_progress&)> on_progress = {};
  /// A file of wisdom: what it knows is not measured again, what is measured is added. Empty: none.
  std::string wisdom = {};
  /// The same bits for the same problem, grid and version, whatever was measured: only what cannot change the
  /// result's rounding is then tuned. Local engines that choose their operations by timing them are refused.
  bool deterministic = false;
  /// The relative error, root mean square, that a transform may get from messages whose elements have half the bytes:
  /// f64 travels as f32, f32 as bf16, where all exchanges together stay below. 0: elements travel as they are.
  double message_tolerance = 0;
  integer memory_limit = 0;  ///< bytes of workspace on a rank, 0: any
  /// Seconds that a rank waits for others in the middle of an exchange through shared memory, before it throws
  /// mpi_error because one of them must have died; 0: for ever.
  double peer_timeout = 600;
  arena workspace = {};  ///< to share with plans that never run at the same time, or over memory that is given
  /// Where the planner chooses the input's distribution, ranks that would only slow the others down get no data.
  bool idle_ranks = true;
  std::string machine = {};  ///< text of a machine model to plan by; empty: wisdom's, or built-in figures
  normalization scaling = normalization::none;
  bool in_place = false;       ///< input and output are the same memory
  bool destroy_input = false;  ///< the input may be overwritten, which can save workspace
  /// Of this rank's local arrays; may differ between ranks. With a batch, one stride more, in front, is
  /// the distance between its arrays; without it each starts right behind the last element of the one
  /// before, or, if the problem is `interleaved`, the layout counts cells that have an element of each.
  layout input_layout = {};
  layout output_layout = {};
};

}  // namespace weft
