// SPDX-License-Identifier: BSD-3-Clause
// A plan's questions to a file of wisdom.
#pragma once

#include <optional>
#include <string>

#include "algorithm/algorithm.hpp"
#include "mpi/communicator.hpp"
#include "planner/choose.hpp"
#include "planner/crew.hpp"
#include "planner/machine.hpp"
#include "weft/problem.hpp"
#include "weft/wisdom.hpp"

namespace weft::planner {

/// Where ranks run: what figures and choices hold for.
struct site {
  std::string weft, mpi, processor;
  std::string ranks;    ///< how many, and which share a node
  std::string devices;  ///< what arrays are on; empty: the host
};

/// What a file knows, read once, and where we are. Collective; throws file_error.
struct knowledge {
  site where;      ///< the same on every rank
  wisdom entries;  ///< on rank 0
};
[[nodiscard]] knowledge knowledge_in(const std::string& file, const crew& on);

[[nodiscard]] wisdom::fields question_of(const site& where);

/// What a plan asks for, with all that its answer depends on. `cores`: that a rank has; `strided`: some rank's layout
/// is not compact.
[[nodiscard]] wisdom::fields question_of(const site& where, const problem& what, const options& how, int cores,
                                         bool strided);

/// An answer, and how it was found.
struct known {
  strategy how;
  effort found_by = effort::measure;
  bool partial = false;  ///< measuring was stopped
  double seconds = 0;
};
[[nodiscard]] wisdom::fields answer_of(const known& found);
/// Throws a weft::error, with the reason, for an answer that is not one to this task, or not as was asked.
[[nodiscard]] known known_from(const wisdom::fields& answer, const algorithm::task& task, const freedom& open);

/// A machine model as an answer, and back: each figure a field, of lines those by length together.
[[nodiscard]] wisdom::fields answer_of(const machine& measured);
[[nodiscard]] std::string model_text(const wisdom::fields& answer);
/// The model that the file has for these ranks, as text; empty if it has none that can be read. Collective.
[[nodiscard]] std::string model_in(const knowledge& known, const mpi::communicator& on);

}  // namespace weft::planner
