// SPDX-License-Identifier: BSD-3-Clause
#include "planner/knowledge.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "mpi/agreement.hpp"
#include "planner/arguments.hpp"
#include "planner/topology.hpp"
#include "weft/error.hpp"
#include "weft/version.hpp"

namespace weft::planner {

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

/// Lines "name value". A field's name is one word and comes once, so a length goes into it.
wisdom::fields fields_of(const std::string& text) {
  wisdom::fields fields;
  for (const auto line : base::split_text(text, '\n')) {
    const auto space = line.starts_with("line_seconds ") ? line.rfind(' ') : line.find(' ');
    if (space == std::string_view::npos) continue;
    fields.emplace_back(one_word(std::string(line.substr(0, space))), base::trim(line.substr(space)));
  }
  return fields;
}

/// Throws unless `s` is a schedule for `task`.
void require_fits(const schedule& s, const algorithm::task& task) {
  const auto refuse = [](const std::string& reason) { throw argument_error("its schedule " + reason); };
  if (s.way != direction::forward || s.shape != task.shape || s.kinds != task.kinds || s.modes != task.modes ||
      s.input_box != task.input_box || s.output_box != task.output_box) {
    refuse("is for another transform");
  }
  validate(s, task.axes);
  for (const auto& stop : stations_of(s)) {
    if (stop.at.ranks() > task.ranks) refuse("needs more ranks");
  }
  const auto out = output_of(s);
  for (const auto* d : {&s.input, &out}) {
    if (task.batch_axis >= 0 && !d->is_local(task.batch_axis)) refuse("splits the batch");
  }
  const auto differ = [&](const distribution& a, const distribution& b) { return !same_ownership(a, b, task.ranks); };
  if (task.in && differ(s.input, *task.in)) refuse("starts from another distribution");
  if (task.out && differ(out, *task.out)) refuse("ends in another distribution");
  // A real transform that chose its input itself may also end in modes folded over the ranks.
  if (task.out_same && (task.in || task.real_axis() < 0) && differ(out, s.input.with_shape(out.shape()))) {
    refuse("ends in another distribution");
  }
}

/// "0x4 4x4": four ranks of the node whose first rank is 0, then four of the one whose first is 4.
std::string placement(const exchange::node_map& nodes) {
  std::string runs;
  int run = 0;
  for (int r = 0; r < nodes.ranks(); ++r) {
    ++run;
    if (r + 1 < nodes.ranks() && nodes.first_of(r + 1) == nodes.first_of(r)) continue;
    runs += (runs.empty() ? "" : " ") + std::to_string(nodes.first_of(r)) + "x" + std::to_string(run);
    run = 0;
  }
  return runs;
}

/// Throws unless `s` is among what was left open.
void require_open(const strategy& s, const freedom& open) {
  const auto refuse = [](const std::string& what) {
    throw argument_error("its " + what + " is not what was asked for");
  };
  if (open.algorithm != "auto" && s.algorithm != open.algorithm) refuse("algorithm");
  if (open.local != "auto" && s.local != open.local) refuse("local engine");
  const auto count = static_cast<int>(s.exchanges.size());
  if (open.exchange != "auto" && s.exchanges != parse_exchanges(open.exchange, count)) refuse("exchange engine");
  const auto shares = [](const std::string& name) { return exchange::engine_named(name).shares; };
  if (open.messages_only && std::ranges::any_of(s.exchanges, shares)) refuse("exchange engine");
  if (open.threads > 0 ? s.threads != open.threads : s.threads > open.cores) refuse("number of threads");
}

effort effort_named(std::string_view name) {
  if (name == "patient") return effort::patient;
  if (name == "measure" || name == "partial") return effort::measure;
  throw argument_error("its effort is '" + std::string(name) + "'");
}

}  // namespace

knowledge knowledge_in(const std::string& file, const crew& on) {
  knowledge known;
  known.where.weft = one_line(version());
  known.where.mpi = one_line(mpi_version());
  known.where.processor = mpi::broadcast(on.all, one_line(processor_name()), 0);
  known.where.devices = one_line(on.devices);
  known.where.ranks = std::to_string(on.all.size()) + ", nodes " + placement(*on.nodes);
  mpi::agree(on.all, [&] {
    if (on.all.rank() == 0) known.entries = wisdom::load(file);
  });
  return known;
}

wisdom::fields question_of(const site& where) {
  return {{"weft", where.weft}, {"mpi", where.mpi}, {"processor", where.processor}, {"ranks", where.ranks}};
}

wisdom::fields question_of(const site& where, const problem& what, const options& how, int cores, bool strided) {
  auto question = question_of(where);
  if (how.device != "cpu") question.emplace_back("devices", where.devices);
  if (how.threads == 0) question.emplace_back("cores", std::to_string(cores));
  for (const auto& a : deciding_arguments(what, how)) question.emplace_back(one_word(a.name), one_line(a.value));
  question.emplace_back("layouts", strided ? "strided" : "compact");
  return question;
}

wisdom::fields answer_of(const known& found) {
  auto answer = fields_of(to_text(found.how));
  answer.emplace_back("effort", found.partial ? "partial" : found.found_by == effort::patient ? "patient" : "measure");
  answer.emplace_back("seconds", number(found.seconds));
  return answer;
}

known known_from(const wisdom::fields& answer, const algorithm::task& task, const freedom& open) {
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
  found.how = parse_strategy(text);
  require_fits(found.how.forward, task);
  require_open(found.how, open);
  return found;
}

wisdom::fields answer_of(const machine& measured) { return fields_of(to_text(measured)); }

std::string model_text(const wisdom::fields& answer) {
  std::string text;
  for (const auto& [name, value] : answer) {
    const bool by_length = name.starts_with("line_seconds_");
    text += (by_length ? "line_seconds " + name.substr(13) : name) + " " + value + "\n";
  }
  return text;
}

std::string model_in(const knowledge& known, const mpi::communicator& on) {
  std::string text;
  mpi::agree(on, [&] {
    const auto* const model = known.entries.find("model", question_of(known.where));
    if (model == nullptr) return;
    try {
      text = to_text(parse_machine(model_text(*model)));
    } catch (const argument_error&) {
      text.clear();  // to be measured anew
    }
  });
  return mpi::broadcast(on, text, 0);
}

}  // namespace weft::planner
