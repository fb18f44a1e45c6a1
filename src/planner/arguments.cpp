// SPDX-License-Identifier: BSD-3-Clause
#include "planner/arguments.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"
#include "device/device.hpp"

namespace weft::planner {

namespace {

std::string number(integer value) { return std::to_string(value); }

std::string exact_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

const char* word(bool value) { return value ? "true" : "false"; }

const char* name_of(effort value) {
  switch (value) {
    case effort::estimate: return "estimate";
    case effort::measure: return "measure";
    case effort::patient: return "patient";
  }
  return "unknown";
}

const char* name_of(transform_kind value) {
  switch (value) {
    case transform_kind::c2c: return "c2c";
    case transform_kind::r2c: return "r2c";
    case transform_kind::r2r: return "r2r";
  }
  return "unknown";
}

const char* name_of(normalization value) {
  switch (value) {
    case normalization::none: return "none";
    case normalization::forward: return "forward";
    case normalization::backward: return "backward";
    case normalization::ortho: return "ortho";
  }
  return "unknown";
}

std::string box_text(const box& part) {
  return part.low.empty() && part.high.empty() ? "all" : to_text(part.low) + " to " + to_text(part.high);
}

}  // namespace

std::vector<mpi::argument> deciding_arguments(const problem& what, const options& how) {
  std::vector<std::string> axes;
  for (const int axis : what.axes) axes.push_back(std::to_string(axis));
  return {{"shape", to_text(what.shape)},
          {"transform", name_of(what.kind)},
          {"kinds", what.kinds.empty() ? "default" : base::join(what.kinds, ",")},
          {"modes", what.modes.empty() ? "all" : to_text(what.modes)},
          {"input box", box_text(what.input_box)},
          {"output box", box_text(what.output_box)},
          {"precision", what.element == precision::f32 ? "f32" : "f64"},
          {"axes", axes.empty() ? "all" : base::join(axes, ",")},
          {"real axis", what.real_axis < 0 ? "default" : number(what.real_axis)},
          {"batch", number(what.batch) + (what.batch > 1 && what.interleaved ? " interleaved" : "")},
          {"input distribution", what.in.full_text()},
          {"output distribution", what.out.full_text()},
          {"algorithm", how.algorithm},
          {"exchange engine", how.exchange},
          {"local engine", how.local},
          {"grid", how.grid},
          {"device", device::parse_choice(how.device).kind},  // ranks may have cards of other numbers
          {"threads", number(how.threads)},
          {"in-place option", word(how.in_place)},
          {"destroy-input option", word(how.destroy_input)},
          {"deterministic option", word(how.deterministic)},
          {"message tolerance", exact_text(how.message_tolerance)},
          {"memory limit", number(how.memory_limit)},
          {"idle-ranks option", word(how.idle_ranks)}};
}

std::vector<mpi::argument> arguments_of(const problem& what, const options& how) {
  auto all = deciding_arguments(what, how);
  all.insert(all.end(), {{"effort", name_of(how.planning)},
                         {"planning time", std::to_string(how.planning_seconds)},
                         {"wisdom file", how.wisdom},
                         {"machine model", how.machine},
                         {"peer timeout", exact_text(how.peer_timeout)},
                         {"normalisation", name_of(how.scaling)},
                         {"workspace", !how.workspace             ? "own"
                                       : how.workspace.is_given() ? "given memory"
                                                                  : "a growing arena"}});
  return all;
}

}  // namespace weft::planner
