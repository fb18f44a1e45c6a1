// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "option_values.hpp"
#include "peers/peer.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "transform_name.hpp"
#include "weft/error.hpp"
#include "weft/version.hpp"
#include "wisdom_file.hpp"

namespace weft::tool {

namespace {

const names<precision> precision_names{{"f32", precision::f32}, {"f64", precision::f64}};
const names<normalization> normalization_names{{"none", normalization::none},
                                               {"forward", normalization::forward},
                                               {"backward", normalization::backward},
                                               {"ortho", normalization::ortho}};
const names<effort> effort_names{
    {"estimate", effort::estimate}, {"measure", effort::measure}, {"patient", effort::patient}};
const names<check_kind> check_names{
    {"none", check_kind::none}, {"roundtrip", check_kind::roundtrip}, {"full", check_kind::full}};

std::string auto_or(const std::vector<std::string>& known) { return "auto | " + join(known, " | "); }

void add_shape_option(CLI::App& app, problem& what) {
  app.add_option_function<std::string>(
         "--shape", [&what](const std::string& text) { what.shape = parse_extents(text); },
         "global extents, e.g. 256x256x256 (of the real side for r2c)")
      ->required()
      ->type_name("EXTENTS");
}

/// All but the shape.
void add_problem_options(CLI::App& app, problem& what) {
  app.add_option_function<std::string>(
         "--transform", [&what](const std::string& text) { set_transform(what, text); },
         "kind of transform: " + join(transform_names(), " | ") + ", or a list with one for each axis or none [c2c]")
      ->type_name("LIST");
  app.add_option_function<std::string>(
         "--axes", [&what](const std::string& text) { what.axes = parse_axes(text); },
         "axes to transform, e.g. 0,2 [all]")
      ->type_name("LIST");
  app.add_option_function<std::string>(
         "--modes", [&what](const std::string& text) { what.modes = parse_extents(text); },
         "modes to keep of each axis, e.g. 32x32x32; forward drops the others, backward pads [all]")
      ->type_name("EXTENTS");
  const auto box_option = [&app](const char* name, box& part, const char* help) {
    app.add_option_function<std::string>(
           name, [&part](const std::string& text) { part = parse_box(text); }, help)
        ->type_name("BOX");
  };
  box_option("--input-box", what.input_box, "elements of the input that are not zero, e.g. 0:8,4:12,0:16 [all]");
  box_option("--output-box", what.output_box, "elements of the output that are wanted, likewise [all]");
  app.add_option("--real-axis", what.real_axis, "r2c: the axis that is halved [the last of the transformed]")
      ->check(at_least(0))
      ->type_name("AXIS");
  add_choice(app, "--precision", what.element, precision_names, "working precision");
  app.add_option("--batch", what.batch, "arrays transformed together [1]")->check(at_least(1))->type_name("COUNT");
  app.add_flag("--interleaved", what.interleaved, "the arrays of a batch lie element by element side by side");
  const auto distribution_option = [&app](const char* name, wanted& where, const char* help) {
    app.add_option_function<std::string>(
           name, [&where](const std::string& text) { where = wanted(text); }, help)
        ->type_name("DISTRIBUTION");
  };
  distribution_option("--in", what.in, "input distribution: text such as \"[b0 b1 *]\" | brick | any [any]");
  distribution_option("--out", what.out, "output distribution: text | brick | any | same [any]");
}

void add_device_option(CLI::App& app, std::string& device) {
  app.add_option("--device", device, "where arrays lie and transforms run: cpu | cuda | emulated [cpu]")
      ->type_name("NAME");
}

void add_method_options(CLI::App& app, options& how) {
  add_device_option(app, how.device);
  app.add_option("--grid", how.grid, "process grid: auto | 2x3 | ... [auto]")->type_name("GRID");
  app.add_option("--algorithm", how.algorithm, auto_or(algorithm_names()) + " [auto]")->type_name("NAME");
  app.add_option("--engine", how.exchange, "exchange engine: " + auto_or(exchange_names()) + " [auto]")
      ->type_name("NAME");
  app.add_option("--local", how.local, "local engine: " + auto_or(local_names()) + " [auto]")->type_name("NAME");
  add_choice(app, "--normalization", how.scaling, normalization_names, "where the factor 1/N goes");
  app.add_option("--threads", how.threads, "of each rank; 0: the planner chooses [1]")
      ->check(at_least(0))
      ->type_name("COUNT");
  app.add_option("--memory-limit", how.memory_limit, "bytes of workspace on a rank; 0: any [0]")
      ->check(at_least(0))
      ->type_name("BYTES");
  app.add_option("--peer-timeout", how.peer_timeout, "seconds that engine window waits for a rank; 0: for ever [600]")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  app.add_option("--message-tolerance", how.message_tolerance,
                 "relative error that elements sent with half their bytes may cause [0]")
      ->check(CLI::NonNegativeNumber)
      ->type_name("ERROR");
  app.add_flag("!--all-ranks", how.idle_ranks, "every rank gets data, even where fewer ranks are faster");
  app.add_flag("--deterministic", how.deterministic, "the same bits whatever was tuned");
  app.add_flag("--in-place", how.in_place, "input and output are the same memory");
}

void add_wisdom_option(CLI::App& app, std::string& wisdom) {
  app.add_option_function<std::string>(
         "--wisdom", [&wisdom](const std::string& file) { wisdom = file == "none" ? "" : file; },
         "file of what was learned; none: no file [$WEFT_WISDOM or one in the user's cache]")
      ->type_name("FILE");
}

void add_effort_options(CLI::App& app, options& how) {
  add_choice(app, "--effort", how.planning, effort_names, "how hard to look for the fastest way");
  add_wisdom_option(app, how.wisdom);
}

void add_json_option(CLI::App& app, std::string& json) {
  app.add_option("--json", json, "write the report as JSON to this file; '-': to standard output, and nothing else")
      ->type_name("FILE");
}

CLI::Option* add_plot_option(CLI::App& app, std::string& plot, const std::string& what) {
  const auto convert = [&plot](const std::string& file) {
    if (!file.ends_with(".svg"))
      throw CLI::ValidationError("--plot takes a file that ends in .svg, not '" + file + "'");
    plot = file;
  };
  return app
      .add_option_function<std::string>("--plot", convert, "draw " + what + " to this SVG file, and to a PNG beside it")
      ->type_name("FILE");
}

void add_machine_option(CLI::App& app, std::string& file) {
  app.add_option("--machine", file, "file that describes the machine; measured: this one [built-in figures]")
      ->type_name("FILE");
}

void add_run(CLI::App& app, run_settings& run) {
  add_shape_option(app, run.what);
  add_problem_options(app, run.what);
  add_method_options(app, run.how);
  add_effort_options(app, run.how);
  app.add_flag(
      "--shared-arrays,!--private-arrays", run.shared_arrays,
      "arrays as the plan makes them, shared by the node's ranks where that is of use [on]; or memory of a rank");
  app.add_flag("!--no-floor", run.floor, "does not measure what the machine could not do without");
  add_machine_option(app, run.machine_file);
  app.add_option("--reps", run.reps, "timed repetitions [10]")->check(at_least(1))->type_name("COUNT");
  app.add_option("--warmup", run.warmup, "untimed repetitions before [2]")->check(at_least(0))->type_name("COUNT");
  app.add_option("--seed", run.seed, "of the random input [1]")->check(at_least(0))->type_name("NUMBER");
  add_choice(app, "--check", run.check, check_names, "compare with the input again / an independent serial transform");
  add_json_option(app, run.json);
  CLI::Option* const sphere =
      app.add_option_function<std::string>(
             "--sphere", [&run](const std::string& text) { run.sphere = parse_radii(text); },
             "transform sums of plane waves with |k| up to this radius, or in an ellipsoid with these, e.g. 8,8,6.5")
          ->type_name("LIST");
  for (const char* const name : {"--axes", "--modes", "--input-box", "--output-box", "--real-axis", "--interleaved",
                                 "--in", "--out", "--grid", "--normalization", "--in-place", "--shared-arrays"}) {
    sphere->excludes(app.get_option(name));
  }
  const auto trace = [&run](const std::string& file) {
    if (file == "-" || file.ends_with(".svg") || file.ends_with(".png")) {
      throw CLI::ValidationError("--trace takes a file for JSON such as trace.json, not '" + file +
                                 "'; its chart is drawn beside it");
    }
    run.trace = file;
  };
  app.add_option_function<std::string>(
         "--trace", trace,
         "record one more repetition: what each rank did when, as a Chrome trace (for Perfetto) and, beside it, as SVG")
      ->type_name("FILE")
      ->excludes(sphere);
}

void add_plan(CLI::App& app, plan_settings& plan) {
  add_shape_option(app, plan.what);
  add_problem_options(app, plan.what);
  add_method_options(app, plan.how);
  add_effort_options(app, plan.how);
  app.add_option("--ranks", plan.ranks, "to plan for, by the model alone [those it was started with]")
      ->check(at_least(1))
      ->type_name("COUNT");
  add_machine_option(app, plan.machine_file);
  add_json_option(app, plan.json);
  CLI::Option* const sweep =
      app.add_flag("--sweep", plan.sweep, "plan many shapes on many numbers of ranks: which algorithm wins where");
  // One shape, or several.
  app.get_option("--shape")->required(false)->excludes(sweep);
  app.get_option("--ranks")->excludes(sweep);
  app.add_option_function<std::string>(
         "--shapes", [&plan](const std::string& list) { plan.shapes = parse_shapes(list, "--shapes"); },
         "to sweep over [cubes of 64 to 2048]")
      ->type_name("LIST")
      ->needs(sweep);
  app.add_option_function<std::string>(
         "--rank-counts", [&plan](const std::string& list) { plan.rank_counts = parse_rank_counts(list); },
         "to sweep over [powers of two from 2 to 4096]")
      ->type_name("LIST")
      ->needs(sweep);
  add_plot_option(app, plan.plot, "the winners")->needs(sweep);
}

void add_tune(CLI::App& app, tune_settings& tune) {
  app.add_option_function<std::string>(
         "--shape", [&tune](const std::string& list) { tune.shapes = parse_shapes(list, "--shape"); },
         "global extents, or a list of them: 64x64x64,128x128x128")
      ->required()
      ->type_name("LIST");
  add_problem_options(app, tune.what);
  add_method_options(app, tune.how);
  tune.how.planning = effort::patient;
  add_effort_options(app, tune.how);
  app.add_option("--budget", tune.budget, "seconds for all shapes [60]")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  app.add_option_function<std::string>(
         "--import", [&tune](const std::string& list) { tune.imports = words_of(list); },
         "wisdom files whose contents to take in first")
      ->type_name("LIST");
  add_json_option(app, tune.json);
}

void choose_peers(const std::string& list, bench_settings& bench) {
  std::vector<std::string> known;
  for (const peer& p : built_peers()) known.push_back(p.name);
  bench.all_peers = list == "all";
  bench.peers = bench.all_peers || list == "none" ? std::vector<std::string>{} : words_of(list);
  for (const auto& word : bench.peers) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw CLI::ValidationError("--peers is all, none or a list out of those of this build (" +
                                 (known.empty() ? "it has none" : join(known, ", ")) + "), not '" + word + "'");
    }
  }
}

void add_bench(CLI::App& app, bench_settings& bench) {
  app.add_option_function<std::string>(
         "--shapes", [&bench](const std::string& list) { bench.shapes = parse_shapes(list, "--shapes"); },
         "global extents [64x64x64,128x128x128]")
      ->type_name("LIST");
  app.add_option_function<std::string>(
         "--transforms",
         [&bench](const std::string& list) {
           bench.transforms = words_of(list);
           for (const auto& word : bench.transforms) (void)core::kind_named(word);
         },
         "kinds of transform: list of " + join(transform_names(), " | ") + " [c2c,r2c]")
      ->type_name("LIST");
  app.add_option_function<std::string>(
         "--modes", [&bench](const std::string& text) { bench.modes = parse_extents(text); },
         "modes to keep of each axis; Weft's own transform that keeps all is then what to compare with [all]")
      ->type_name("EXTENTS");
  add_choices(app, "--precisions", bench.precisions, precision_names, "working precisions");
  app.add_option("--rounds", bench.rounds, "in each, every contender transforms once [20]")
      ->check(at_least(1))
      ->type_name("COUNT");
  app.add_option_function<std::string>(
         "--peers", [&bench](const std::string& list) { choose_peers(list, bench); },
         "libraries to compare with: all | none | list of names [all]")
      ->type_name("LIST");
  add_device_option(app, bench.device);
  app.add_option("--threads", bench.threads, "of each rank [1]")->check(at_least(1))->type_name("COUNT");
  add_json_option(app, bench.json);
  add_plot_option(app, bench.plot, "bars");
}

void check_consistency(problem& what) {
  if (!what.kinds.empty() && what.real_axis >= 0) {
    throw usage_error("--real-axis is for --transform r2c; name r2c in the list of --transform");
  }
  if (what.kinds.size() > 1 && !what.axes.empty()) {
    throw usage_error("--axes is for a single --transform; name none in its list for axes to leave alone");
  }
  complete_transform(what);
  if (what.kinds.empty() && what.kind == transform_kind::c2c && what.real_axis >= 0) {
    throw usage_error("--real-axis needs a real transform; add --transform r2c or leave it out");
  }
}

/// What a parser did not understand, in the order of the command line.
void refuse_extras(const std::vector<std::string>& extras) {
  if (extras.empty()) return;
  const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.rfind('-', 0) == 0; });
  if (option != extras.end()) throw CLI::ExtrasError("unknown option '" + *option + "'", CLI::ExitCodes::ExtrasError);
  throw CLI::ExtrasError("unexpected argument '" + extras.front() + "'", CLI::ExitCodes::ExtrasError);
}

/// One line, whatever the parser made of it.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv) {
  command_line result;
  result.run.how.wisdom = result.plan.how.wisdom = result.tune.how.wisdom = result.info.wisdom = usual_wisdom;
  CLI::App app{"Distributed multidimensional Fourier transforms. Start it alone or under mpirun.", "weft"};
  app.set_version_flag("--version", version() + (has_fftw() ? ", with FFTW" : ", without FFTW"));
  app.require_subcommand(0, 1);
  CLI::App* const run = app.add_subcommand("run", "transform random data, check the result, time it");
  add_run(*run, result.run);
  CLI::App* const plan = app.add_subcommand("plan", "price the candidate schedules and explain the choice");
  add_plan(*plan, result.plan);
  CLI::App* const tune = app.add_subcommand("tune", "time the ways of doing a transform and remember the fastest");
  add_tune(*tune, result.tune);
  CLI::App* const bench = app.add_subcommand("bench", "compare with other libraries, in interleaved rounds");
  add_bench(*bench, result.bench);
  CLI::App* const info =
      app.add_subcommand("info", "versions, MPI, engines, processor, node topology, what the machine can do");
  add_wisdom_option(*info, result.info.wisdom);
  add_json_option(*info, result.info.json);
  for (CLI::App* const each : {&app, run, plan, tune, bench, info}) each->allow_extras();
  try {
    app.parse(argc, argv);
    refuse_extras(app.remaining(true));
    if (app.get_subcommands().empty()) throw CLI::RequiredError("a command (run, plan, tune, bench or info)");
    check_consistency(result.run.what);
    check_consistency(result.plan.what);
    check_consistency(result.tune.what);
    if (plan->parsed() && !result.plan.sweep && result.plan.what.shape.empty()) {
      throw CLI::RequiredError("--shape, or --sweep,");
    }
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    if (app.exit(e, out, err) == 0) {
      result.text = out.str();
      return result;
    }
    std::string where = "weft ";
    for (const CLI::App* const used : app.get_subcommands()) where += used->get_name() + " ";
    throw usage_error(one_line(e.what()) + "; see '" + where + "--help'");
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  result.command = run->parsed()     ? command_kind::run
                   : plan->parsed()  ? command_kind::plan
                   : tune->parsed()  ? command_kind::tune
                   : bench->parsed() ? command_kind::bench
                                     : command_kind::info;
  return result;
}

}  // namespace weft::tool
