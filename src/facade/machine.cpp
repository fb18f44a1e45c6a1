// SPDX-License-Identifier: BSD-3-Clause
#include "weft/machine.hpp"

#include "mpi/agreement.hpp"
#include "planner/knowledge.hpp"
#include "planner/survey.hpp"

namespace weft {

std::string measure_machine(MPI_Comm on, const std::string& wisdom_file) {
  const mpi::communicator all(on);
  mpi::require_same(all, {{"wisdom file", wisdom_file}});
  if (wisdom_file.empty()) return planner::to_text(planner::survey(all));
  const auto known = planner::knowledge_in(wisdom_file, planner::crew(all));
  std::string model = planner::model_in(known, all);
  if (!model.empty()) return model;
  const auto measured = planner::survey(all);
  if (all.rank() == 0) {
    wisdom learned;
    learned.add({"model", planner::question_of(known.where), planner::answer_of(measured)});
    try {
      learned.save_into(wisdom_file, true);
    } catch (const std::exception&) {
      // It was measured; that it must be measured again next time is no reason to lose it.
    }
  }
  return planner::to_text(measured);
}

}  // namespace weft
