#include "facade/knowledge.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "facade/arguments.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/topology.hpp"
#include "weft/error.hpp"
#include "weft/version.hpp"

namespace weft::facade {

namespace {

/// As a file can hold it.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text = std::string(base::trim(text));
  return text.empty() ? "-" : text;
}

std::string one_word(std::string text) {
  std::ranges::replace(text, ' ', '_');
  return text;
}

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Throws unless `s` is a schedule for `task`.
void require_fits(const schedule& s, const algorithm::task& task) {
  const auto refuse = [](const std::string& reason) { throw argument_error("its schedule " + reason); };
  if (s.way != direction::forward || s.shape != task.shape || s.real_axis != task.real_axis) {
    refuse("is for another transform");
  }
  validate(s, task.axes);
  for (const auto& stop : stations_of(s)) {
    if (stop.at.ranks() > task.ranks) refuse("needs more ranks");
  }
  const auto out = output_of(s);
  const auto differ = [&](const distribution& a, const distribution& b) { return !same_ownership(a, b, task.ranks); };
  if (task.in && differ(s.input, *task.in)) refuse("starts from another distribution");
  if (task.out && differ(out, *task.out)) refuse("ends in another distribution");
  // A real transform that chose its input itself may also end in modes folded over the ranks.
  if (task.out_same && (task.in || task.real_axis < 0) && differ(out, s.input.with_shape(out.shape()))) {
    refuse("ends in another distribution");
  }
}

effort effort_named(std::string_view name) {
  if (name == "patient") return effort::patient;
  if (name == "measure" || name == "partial") return effort::measure;
  throw argument_error("its effort is '" + std::string(name) + "'");
}

}  // namespace

site site_of(const mpi::communicator& on, int ranks_per_node) {
  site where;
  where.ranks_per_node = static_cast<int>(mpi::largest(on, mpi::node_of(on, ranks_per_node).size()));
  where.weft = one_line(version());
  where.mpi = one_line(mpi_version());
  where.processor = one_line(planner::processor_name());
  where.ranks = std::to_string(on.size()) + ", at most " + std::to_string(where.ranks_per_node) + " on a node";
  return where;
}

wisdom::fields question_of(const site& where) {
  return {{"weft", where.weft}, {"mpi", where.mpi}, {"processor", where.processor}, {"ranks", where.ranks}};
}

wisdom::fields question_of(const site& where, const problem& what, const options& how, bool strided) {
  auto question = question_of(where);
  for (const auto& a : deciding_arguments(what, how)) question.emplace_back(one_word(a.name), one_line(a.value));
  question.emplace_back("layouts", strided ? "strided" : "compact");
  return question;
}

wisdom::fields answer_of(const known& found) {
  wisdom::fields answer;
  const std::string text = planner::to_text(found.how);
  for (const auto line : base::split_text(text, '\n')) {
    const auto space = line.find(' ');
    if (space != std::string_view::npos) answer.emplace_back(line.substr(0, space), base::trim(line.substr(space)));
  }
  answer.emplace_back("effort", found.partial ? "partial" : found.found_by == effort::patient ? "patient" : "measure");
  answer.emplace_back("seconds", number(found.seconds));
  return answer;
}

known known_from(const wisdom::fields& answer, const algorithm::task& task) {
  known found;
  std::string text;
  for (const auto& [name, value] : answer) {
    if (name == "effort") {
      found.found_by = effort_named(value);
      found.partial = value == "partial";
    } else if (name == "seconds") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found.seconds);
      if (error != std::errc{} || !(found.seconds >= 0)) throw argument_error("its seconds are '" + value + "'");
    } else {
      text += name + " " + value + "\n";
    }
  }
  found.how = planner::parse_strategy(text);
  require_fits(found.how.forward, task);
  return found;
}

wisdom::fields answer_of(const planner::machine& measured) {
  wisdom::fields answer;
  const std::string text = planner::to_text(measured);
  for (const auto line : base::split_text(text, '\n')) {
    // A field's name is one word and comes once, so a length goes into it.
    const auto space = line.starts_with("line_seconds ") ? line.rfind(' ') : line.find(' ');
    if (space == std::string_view::npos) continue;
    answer.emplace_back(one_word(std::string(line.substr(0, space))), base::trim(line.substr(space)));
  }
  return answer;
}

std::string model_text(const wisdom::fields& answer) {
  std::string text;
  for (const auto& [name, value] : answer) {
    const bool by_length = name.starts_with("line_seconds_");
    text += (by_length ? "line_seconds " + name.substr(13) : name) + " " + value + "\n";
  }
  return text;
}

std::string model_in(const std::string& file, const mpi::communicator& on, int ranks_per_node) {
  const auto question = question_of(site_of(on, ranks_per_node));
  std::string text;
  mpi::agree(on, [&] {
    if (on.rank() != 0) return;
    const wisdom all = wisdom::load(file);
    if (const auto* const model = all.find("model", question)) text = model_text(*model);
    (void)planner::parse_machine(text);
  });
  return mpi::broadcast(on, text, 0);
}

}  // namespace weft::facade
