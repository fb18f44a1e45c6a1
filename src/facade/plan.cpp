#include "weft/plan.hpp"

#include <algorithm>
#include <utility>

#include "facade/explain.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/arguments.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft {

struct plan::state {
  problem what;
  options how;
  mpi::communicator on;
  algorithm::task task;
  planner::setting given;
  planner::decision decided;
  run::stopwatch forward_times, backward_times;
  plan_report report;
  layout input_layout, output_layout;                             // with all strides
  mutable std::vector<std::weak_ptr<mpi::shared_memory>> arrays;  // made by allocate

  state(const problem& w, MPI_Comm comm, const options& o) : what(w), how(o), on(comm) {
    mpi::require_same(on, planner::arguments_of(what, how));
    mpi::agree(on, [&] { task = planner::resolve(what, how, on.size()); });
    planner::knowledge known;
    given = planner::setting_of(how, on, known);
    decided = planner::decide(what, how, task, given, known, on);
    forward_times = run::stopwatch(made().forward->stages().size());
    backward_times = run::stopwatch(made().backward->stages().size());
    input_layout = resolved(how.input_layout, made().input.local_shape(on.rank()), what.batch);
    output_layout = resolved(how.output_layout, made().output.local_shape(on.rank()), what.batch);
    fill_report();
  }

  [[nodiscard]] planner::bound& made() const { return *decided.made; }

  void fill_report() {
    const auto& chosen = made().chosen;
    report.algorithm = chosen.algorithm;
    report.exchange = planner::exchanges_text(chosen.exchanges);
    report.local = chosen.local;
    report.threads = chosen.threads;
    report.ranks = std::max(made().input.ranks(), made().output.ranks());
    report.schedule = to_text(chosen.forward);
    report.shared_arrays = made().shared_arrays;
    report.exchanges = exchanges_of(chosen.forward);
    report.messages = made().forward->messages();
    report.bytes = made().forward->bytes_sent();
    report.workspace_bytes = made().workspace_bytes;
    report.wisdom = decided.wisdom;
    report.kept = decided.kept;
    report.timed = static_cast<int>(decided.trials.size());
  }

  void check_pointers(const void* in, const void* out) const {
    if (std::max(made().input_elements, made().output_elements) == 0) return;
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
    if (!made().shared_arrays) return {mine, {}};
    for (const auto& a : arrays) {
      const auto alive = a.lock();
      if (alive && alive->mine() == mine) return {mine, alive->peers()};
    }
    throw buffer_error(
        "the plan was made with shared_arrays, but an array was not made by its make_input(), make_output() or "
        "allocate(); make it so or plan with shared_arrays = false");
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
  state_->made().forward->execute(state_->image_of(in), state_->image_of(out), &state_->forward_times);
}

void plan::backward(const void* in, void* out) {
  state_->check_pointers(in, out);
  state_->made().backward->execute(state_->image_of(in), state_->image_of(out), &state_->backward_times);
}

void plan::forward(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& made = state_->made();
  state_->check_sizes(in, static_cast<std::size_t>(made.input_elements) * made.input_bytes, out,
                      static_cast<std::size_t>(made.output_elements) * made.output_bytes);
  forward(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
}

void plan::backward(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& made = state_->made();
  state_->check_sizes(in, static_cast<std::size_t>(made.output_elements) * made.output_bytes, out,
                      static_cast<std::size_t>(made.input_elements) * made.input_bytes);
  backward(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
}

memory plan::allocate(side which) const {
  const integer bytes = state_->made().array_bytes(which == side::input, state_->how.in_place);
  if (!state_->made().shared_arrays) return host_memory(static_cast<std::size_t>(bytes));
  const auto node = mpi::node_of(state_->on, state_->how.ranks_per_node);
  auto block = std::make_shared<mpi::shared_memory>(node, bytes);
  std::erase_if(state_->arrays, [](const auto& a) { return a.expired(); });
  state_->arrays.push_back(block);
  return {{block, block->mine()}, static_cast<std::size_t>(bytes)};
}

const distribution& plan::input() const { return state_->made().input; }
const distribution& plan::output() const { return state_->made().output; }
int plan::rank() const { return state_->on.rank(); }
integer plan::batch() const { return state_->what.batch; }
integer plan::input_elements() const { return state_->made().input_elements; }
integer plan::output_elements() const { return state_->made().output_elements; }
const layout& plan::input_layout() const { return state_->input_layout; }
const layout& plan::output_layout() const { return state_->output_layout; }
const problem& plan::what() const { return state_->what; }
const plan_report& plan::report() const { return state_->report; }

explanation plan::explain() const {
  const auto& s = *state_;
  const auto all = planner::compare(s.task, s.given.open, s.what.element, s.given.on);
  auto made = facade::explanation_of(all, s.what, s.given.on, &s.made().chosen, s.decided.trials);
  made.ranks = s.on.size();
  made.wisdom = s.decided.wisdom;
  return made;
}

std::vector<stage_time> plan::stage_times() const {
  std::vector<stage_time> times;
  const auto& names = state_->made().forward->stages();
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
  add(direction::forward, *state_->made().forward, state_->forward_times);
  add(direction::backward, *state_->made().backward, state_->backward_times);
  std::ranges::stable_sort(all, {}, &timeline_entry::begin);
  return all;
}

namespace detail {

void check_array(const array_terms& got, const extents& local_shape, const array_terms& expected, const char* which) {
  constexpr const char* advice = "; make it with make_input() or make_output()";
  if (got.how != expected.how || got.batch != expected.batch) {
    throw buffer_error(std::string(which) + " array is distributed as " + got.how.text() + " of " +
                       to_text(got.how.shape()) + " (batch " + std::to_string(got.batch) + "), the plan needs " +
                       expected.how.text() + " of " + to_text(expected.how.shape()) + " (batch " +
                       std::to_string(expected.batch) + ")" + advice);
  }
  if (got.rank != expected.rank || !same_addresses(got.where, expected.where, local_shape)) {
    const auto text = [](const array_terms& t) {
      return "rank " + std::to_string(t.rank) + " with " + to_text(t.where);
    };
    throw buffer_error(std::string(which) + " array is for " + text(got) + ", the plan needs " + text(expected) +
                       advice);
  }
}

}  // namespace detail

}  // namespace weft
