#include "weft/machine.hpp"

#include "facade/knowledge.hpp"
#include "mpi/agreement.hpp"
#include "planner/survey.hpp"

namespace weft {

std::string measure_machine(MPI_Comm on, const std::string& wisdom_file) {
  const mpi::communicator all(on);
  mpi::require_same(all, {{"wisdom file", wisdom_file}});
  if (!wisdom_file.empty()) {
    const std::string known = facade::model_in(wisdom_file, all, 0);
    if (!known.empty()) return known;
  }
  const auto measured = planner::survey(all, 0);
  if (!wisdom_file.empty()) {
    const auto question = facade::question_of(facade::site_of(all, 0));
    if (all.rank() == 0) {
      wisdom learned;
      learned.add({"model", question, facade::answer_of(measured)});
      try {
        learned.save_into(wisdom_file, true);
      } catch (const std::exception&) {
        // It was measured; that it must be measured again next time is no reason to lose it.
      }
    }
  }
  return planner::to_text(measured);
}

}  // namespace weft
