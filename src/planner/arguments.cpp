#include "planner/arguments.hpp"

#include "base/text.hpp"

namespace weft::planner {

namespace {

template <class Value>
std::string number(Value value) {
  return std::to_string(static_cast<long long>(value));
}

}  // namespace

std::vector<mpi::argument> deciding_arguments(const problem& what, const options& how) {
  std::vector<std::string> axes;
  for (const int axis : what.axes) axes.push_back(std::to_string(axis));
  return {{"shape", to_text(what.shape)},
          {"transform", what.kind == transform_kind::c2c ? "c2c" : "r2c"},
          {"precision", what.element == precision::f32 ? "f32" : "f64"},
          {"axes", axes.empty() ? "all" : base::join(axes, ",")},
          {"real axis", number(what.real_axis)},
          {"batch", number(what.batch)},
          {"input distribution", what.in.full_text()},
          {"output distribution", what.out.full_text()},
          {"algorithm", how.algorithm},
          {"exchange engine", how.exchange},
          {"local engine", how.local},
          {"grid", how.grid},
          {"threads", number(how.threads)},
          {"in-place option", number(how.in_place)},
          {"destroy-input option", number(how.destroy_input)},
          {"deterministic option", number(how.deterministic)},
          {"memory limit", number(how.memory_limit)},
          {"idle-ranks option", number(how.idle_ranks)}};
}

std::vector<mpi::argument> arguments_of(const problem& what, const options& how) {
  auto all = deciding_arguments(what, how);
  all.insert(all.end(), {{"effort", number(how.planning)},
                         {"planning time", std::to_string(how.planning_seconds)},
                         {"wisdom file", how.wisdom},
                         {"machine model", how.machine},
                         {"normalisation", number(how.scaling)}});
  return all;
}

}  // namespace weft::planner
