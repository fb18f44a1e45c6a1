#include "weft/plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "exchange/engine.hpp"
#include "facade/engine_choice.hpp"
#include "facade/resolve.hpp"
#include "local/engine.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/choose.hpp"
#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

std::vector<mpi::argument> arguments_of(const problem& what, const options& how) {
  std::vector<std::string> axes;
  for (const int axis : what.axes) axes.push_back(std::to_string(axis));
  const auto number = [](auto value) { return std::to_string(static_cast<long long>(value)); };
  return {{"shape", to_text(what.shape)},
          {"transform", what.kind == transform_kind::c2c ? "c2c" : "r2c"},
          {"precision", what.element == precision::f32 ? "f32" : "f64"},
          {"axes", base::join(axes, ",")},
          {"real axis", number(what.real_axis)},
          {"batch", number(what.batch)},
          {"input distribution", what.in.full_text()},
          {"output distribution", what.out.full_text()},
          {"algorithm", how.algorithm},
          {"exchange engine", how.exchange},
          {"local engine", how.local},
          {"grid", how.grid},
          {"machine model", how.machine},
          {"normalisation", number(how.scaling)},
          {"in-place option", number(how.in_place)},
          {"destroy-input option", number(how.destroy_input)},
          {"shared-arrays option", number(how.shared_arrays)},
          {"count limit", number(how.count_limit)}};
}

/// The factor of one direction for N transformed elements.
double scale_of(normalization scaling, direction way, double n) {
  if (n <= 0) return 1;
  if (scaling == normalization::ortho) return 1 / std::sqrt(n);
  const bool applies =
      way == direction::forward ? scaling == normalization::forward : scaling == normalization::backward;
  return applies ? 1 / n : 1;
}

}  // namespace

struct plan::state {
  problem what;
  options how;
  mpi::communicator on;
  algorithm::task task;
  std::string algorithm_name;
  schedule forward_schedule;
  distribution input, output;  // without the batch axis
  layout input_layout, output_layout;
  integer input_elements = 0, output_elements = 0;
  std::size_t input_bytes = 0, output_bytes = 0;  // per element
  std::optional<run::program> forward, backward;
  run::stopwatch forward_times, backward_times;
  plan_report report;
  bool shared_arrays = false;
  mutable std::vector<std::weak_ptr<mpi::shared_memory>> arrays;  // made by array_memory

  state(const problem& w, MPI_Comm comm, const options& o) : what(w), how(o), on(comm) {
    mpi::require_same(on, arguments_of(what, how));
    mpi::agree(on, [&] { task = facade::resolve(what, how, on.size()); });
    choose_schedule();
    describe_arrays();
    bind();
    fill_report();
  }

  /// Rank 0 decides; the others read its schedule.
  void choose_schedule() {
    std::string text;
    mpi::agree(on, [&] {
      (void)exchange::engine_named(how.exchange);
      (void)local::engine_named(how.local);
      if (how.threads < 1) throw argument_error("threads = " + std::to_string(how.threads) + "; use 1 or more");
      if (on.rank() != 0) return;
      const auto chosen = planner::choose(task, how.algorithm, what.element, planner::parse_machine(how.machine));
      text = std::string(chosen.algorithm) + "\n" + to_text(chosen.made);
    });
    text = mpi::broadcast(on, text, 0);
    const auto line = text.find('\n');
    algorithm_name = text.substr(0, line);
    forward_schedule = parse_schedule(std::string_view(text).substr(line + 1));
  }

  void describe_arrays() {
    input = facade::without_batch(forward_schedule.input, what.batch);
    // A schedule may end in another way of writing the distribution that was asked for.
    output = facade::without_batch(task.out ? *task.out : output_of(forward_schedule), what.batch);
    output_bytes = complex_bytes(what.element);
    input_bytes = what.kind == transform_kind::r2c ? real_bytes(what.element) : output_bytes;
    mpi::agree(on, [&] {
      const auto elements = [&](const layout& l, const distribution& d, layout& full) {
        full = facade::with_batch(l, d.local_shape(on.rank()), what.batch);
        const auto shape = facade::with_batch(d, what.batch).local_shape(on.rank());
        return span_of(resolved(full, shape), shape);
      };
      input_elements = elements(how.input_layout, input, input_layout);
      output_elements = elements(how.output_layout, output, output_layout);
    });
  }

  void bind() {
    const bool moved = exchanges_of(forward_schedule) > 0;
    const auto& engine = facade::bind_with(
        how.exchange, on, how.ranks_per_node, moved,
        [&](const exchange::engine& e, const std::shared_ptr<run::workspace>& memory) { bind(e, moved, memory); });
    report.exchange = std::string(engine.name());
    forward_times = run::stopwatch(forward->stages().size());
    backward_times = run::stopwatch(backward->stages().size());
  }

  /// Peers find their way in arrays that all ranks of the node, which must be all there are, lay out alike.
  [[nodiscard]] bool can_share_arrays() const {
    const auto compact = [&](const layout& l, const distribution& d) {
      const auto shape = facade::with_batch(d, what.batch).local_shape(on.rank());
      return resolved(l, shape) == row_major(shape);
    };
    return mpi::node_of(on, how.ranks_per_node).size() == on.size() && compact(input_layout, input) &&
           compact(output_layout, output);
  }

  void bind(const exchange::engine& engine, bool moved, const std::shared_ptr<run::workspace>& memory) {
    double n = 1;
    for (const int axis : task.axes) n *= static_cast<double>(task.shape[static_cast<std::size_t>(axis)]);
    shared_arrays = how.shared_arrays && moved && engine.shared() && mpi::largest(on, !can_share_arrays()) == 0;
    run::binding b;
    b.rank = on.rank();
    b.element = what.element;
    b.in_place = how.in_place;
    b.destroy_input = how.destroy_input;
    b.local = &local::engine_named(how.local);
    b.exchange = &engine;
    b.communicator = &on;
    b.count_limit = how.count_limit;
    b.ranks_per_node = how.ranks_per_node;
    b.shared_arrays = shared_arrays;
    b.threads = how.threads;
    b.input_layout = input_layout;
    b.output_layout = output_layout;
    b.scale = scale_of(how.scaling, direction::forward, n);
    mpi::agree(on, [&] { forward.emplace(forward_schedule, b, memory); });
    std::swap(b.input_layout, b.output_layout);
    b.scale = scale_of(how.scaling, direction::backward, n);
    mpi::agree(on, [&] { backward.emplace(inverse(forward_schedule), b, memory); });
    report.workspace_bytes = memory->bytes();
  }

  void fill_report() {
    report.algorithm = algorithm_name;
    report.local = std::string(local::engine_named(how.local).name());
    report.schedule = to_text(forward_schedule);
    report.exchanges = exchanges_of(forward_schedule);
    report.messages = forward->messages();
    report.bytes = forward->bytes_sent();
  }

  void check_pointers(const void* in, const void* out) const {
    if (std::max(input_elements, output_elements) == 0) return;
    if ((in == out) != how.in_place) {
      throw buffer_error(how.in_place
                             ? "the plan is in place, but input and output are different memory; pass the same "
                               "pointer or plan with in_place = false"
                             : "input and output are the same memory; pass different pointers or plan with "
                               "in_place = true");
    }
  }

  /// The memory behind a pointer: with shared arrays, the peers' too.
  [[nodiscard]] exchange::image image_of(const void* pointer) const {
    auto* const mine = static_cast<std::byte*>(const_cast<void*>(pointer));
    if (!shared_arrays) return {mine, {}};
    for (const auto& a : arrays) {
      const auto alive = a.lock();
      if (alive && alive->mine() == mine) return {mine, alive->peers()};
    }
    throw buffer_error(
        "the plan was made with shared_arrays, but an array was not made by its make_input() or "
        "make_output(); make it so or plan with shared_arrays = false");
  }

  void check_sizes(std::span<const std::byte> in, std::size_t in_needed, std::span<std::byte> out,
                   std::size_t out_needed) const {
    mpi::agree(on, [&] {
      check_pointers(in.data(), out.data());
      const std::size_t larger = std::max(in_needed, out_needed);
      const auto check = [&](std::size_t has, std::size_t needs, const char* which) {
        if (has < needs) {
          throw buffer_error(std::string(which) + " has " + std::to_string(has) + " bytes on rank " +
                             std::to_string(on.rank()) + ", needs " + std::to_string(needs) +
                             "; see input_elements() and output_elements()");
        }
      };
      check(in.size(), how.in_place ? larger : in_needed, "the input");
      check(out.size(), how.in_place ? larger : out_needed, "the output");
    });
  }
};

plan::plan(const problem& what, MPI_Comm on, const options& how) : state_(std::make_unique<state>(what, on, how)) {}
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;
plan::~plan() = default;

void plan::forward(const void* in, void* out) {
  state_->check_pointers(in, out);
  state_->forward->execute(state_->image_of(in), state_->image_of(out), &state_->forward_times);
}

void plan::backward(const void* in, void* out) {
  state_->check_pointers(in, out);
  state_->backward->execute(state_->image_of(in), state_->image_of(out), &state_->backward_times);
}

void plan::forward(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& s = *state_;
  s.check_sizes(in, static_cast<std::size_t>(s.input_elements) * s.input_bytes, out,
                static_cast<std::size_t>(s.output_elements) * s.output_bytes);
  forward(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
}

void plan::backward(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& s = *state_;
  s.check_sizes(in, static_cast<std::size_t>(s.output_elements) * s.output_bytes, out,
                static_cast<std::size_t>(s.input_elements) * s.input_bytes);
  backward(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
}

std::shared_ptr<std::byte> plan::array_memory(integer bytes) const {
  if (!state_->shared_arrays) return nullptr;
  const auto node = mpi::node_of(state_->on, state_->how.ranks_per_node);
  auto memory = std::make_shared<mpi::shared_memory>(node, bytes);
  std::erase_if(state_->arrays, [](const auto& a) { return a.expired(); });
  state_->arrays.push_back(memory);
  return {memory, memory->mine()};
}

const distribution& plan::input() const { return state_->input; }
const distribution& plan::output() const { return state_->output; }
int plan::rank() const { return state_->on.rank(); }
integer plan::batch() const { return state_->what.batch; }
integer plan::input_elements() const { return state_->input_elements; }
integer plan::output_elements() const { return state_->output_elements; }
const problem& plan::what() const { return state_->what; }
const plan_report& plan::report() const { return state_->report; }

std::vector<stage_time> plan::stage_times() const {
  std::vector<stage_time> times;
  const auto& names = state_->forward->stages();
  for (std::size_t i = 0; i < names.size(); ++i) times.push_back({names[i], state_->forward_times.seconds()[i]});
  return times;
}

void plan::reset_stage_times() { state_->forward_times.reset_seconds(); }

void plan::record_timeline(bool on) {
  state_->forward_times.record(on);
  state_->backward_times.record(on);
}

std::vector<timeline_entry> plan::timeline() const {
  std::vector<timeline_entry> all;
  const auto add = [&](direction way, const run::program& ran, const run::stopwatch& times) {
    for (const auto& i : times.recorded()) {
      all.push_back({way, i.call, static_cast<int>(i.stage), ran.stages()[i.stage], i.kind, i.begin, i.end});
    }
  };
  add(direction::forward, *state_->forward, state_->forward_times);
  add(direction::backward, *state_->backward, state_->backward_times);
  std::ranges::stable_sort(all, {}, &timeline_entry::begin);
  return all;
}

namespace detail {

void check_array(const distribution& got, integer got_batch, const distribution& expected, integer batch,
                 const char* which) {
  if (got != expected || got_batch != batch) {
    throw buffer_error(std::string(which) + " array is distributed as " + got.text() + " of " + to_text(got.shape()) +
                       " (batch " + std::to_string(got_batch) + "), the plan needs " + expected.text() + " of " +
                       to_text(expected.shape()) + " (batch " + std::to_string(batch) +
                       "); make it with make_input() or make_output()");
  }
}

}  // namespace detail

}  // namespace weft
