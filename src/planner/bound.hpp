// A strategy made to run on the arrays that a user describes.
#pragma once

#include <memory>
#include <optional>

#include "algorithm/algorithm.hpp"
#include "mpi/communicator.hpp"
#include "planner/strategy.hpp"
#include "run/program.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

struct bound {
  /// Collective. Throws the same error on every rank: buffer_error where memory does not suffice.
  bound(const problem& what, const options& how, const algorithm::task& task, const mpi::communicator& on,
        strategy chosen);

  strategy chosen;
  distribution input, output;  ///< without the batch axis
  layout input_layout, output_layout;
  integer input_elements = 0, output_elements = 0;  ///< from the user's pointer to past the last
  std::size_t input_bytes = 0, output_bytes = 0;    ///< of an element
  bool shared_arrays = false;
  integer workspace_bytes = 0;
  std::optional<run::program> forward, backward;

  /// Bytes that an array of the user's must have; in place, one serves both sides.
  [[nodiscard]] integer array_bytes(bool of_input, bool in_place) const;
};

}  // namespace weft::planner
