// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "c/handles.hpp"
#include "mpi/agreement.hpp"

namespace weft::c {

weft::side side_from(int side) {
  if (side != WEFT_INPUT && side != WEFT_OUTPUT) {
    throw argument_error("side " + std::to_string(side) + " is neither WEFT_INPUT nor WEFT_OUTPUT");
  }
  return side == WEFT_INPUT ? weft::side::input : weft::side::output;
}

const weft::plan& plan_of(const weft_plan* of) { return *existing(of, "the plan").value; }

int parts_of(const plan& of, side which) {
  const auto kind = of.what().kind;
  return kind == transform_kind::r2r || (kind == transform_kind::r2c && which == side::input) ? 1 : 2;
}

std::size_t element_bytes_of(const plan& of, side which) {
  return parts_of(of, which) == 1 ? real_bytes(of.what().element) : complex_bytes(of.what().element);
}

}  // namespace weft::c

using namespace weft::c;

namespace {

weft::plan& of_handle(weft_plan* of) { return *existing(of, "the plan").value; }
const weft::plan& of_handle(const weft_plan* of) { return plan_of(of); }

std::span<const std::byte> bytes_at(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}
std::span<std::byte> bytes_at(void* data, std::size_t bytes) { return {static_cast<std::byte*>(data), bytes}; }

/// A function of one mode as one of a line of them, whatever its elements are.
weft::detail::line_function on_lines(const weft::plan& plan, weft_visit function, void* user) {
  const int batch_axis = plan.what().interleaved ? plan.output().axes() : 0;
  return weft::detail::on_lines<std::byte>(
      [function, user](std::span<const weft::integer> index, std::byte& mode, weft::integer component) {
        function(index.data(), &mode, component, user);
      },
      plan.batch() > 1 ? batch_axis : -1);
}

/// What a side's array must have, to take a pointer as it is.
std::size_t bytes_of(const weft::plan& plan, weft::side which) {
  const auto of_input = static_cast<std::size_t>(plan.input_elements()) * element_bytes_of(plan, weft::side::input);
  const auto of_output = static_cast<std::size_t>(plan.output_elements()) * element_bytes_of(plan, weft::side::output);
  if (plan.how().in_place) return std::max(of_input, of_output);
  return which == weft::side::input ? of_input : of_output;
}

double seconds_of(std::chrono::steady_clock::time_point moment) {
  return std::chrono::duration<double>(moment.time_since_epoch()).count();
}

}  // namespace

int weft_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Comm on,
                     const weft_options* options, weft_plan** made) {
  return guarded([&] {
    weft::problem what;
    // What is wrong on one rank is an error on all.
    weft::mpi::agree(weft::mpi::communicator(on), [&] {
      what = problem_from(axes, shape, transform, precision, options);
      (void)existing(made, "made");
    });
    *made = new weft_plan{std::make_shared<weft::plan>(what, on, options_from(options)), weft::mpi::communicator(on)};
  });
}

void weft_plan_destroy(weft_plan* of) { destroy(of); }

int weft_plan_forward(weft_plan* of, const void* in, void* out) {
  return guarded([&] { of_handle(of).forward(in, out); });
}

int weft_plan_backward(weft_plan* of, const void* in, void* out) {
  return guarded([&] { of_handle(of).backward(in, out); });
}

int weft_plan_forward_on(weft_plan* of, const void* in, void* out, void* stream) {
  return guarded([&] { of_handle(of).forward(in, out, stream); });
}

int weft_plan_backward_on(weft_plan* of, const void* in, void* out, void* stream) {
  return guarded([&] { of_handle(of).backward(in, out, stream); });
}

int weft_plan_forward_with(weft_plan* of, const void* in, void* out, weft_visit function, void* user) {
  return guarded([&] {
    auto& plan = of_handle(of);
    const auto on_modes = function == nullptr ? nullptr : on_lines(plan, function, user);
    plan.forward(bytes_at(in, bytes_of(plan, weft::side::input)), bytes_at(out, bytes_of(plan, weft::side::output)),
                 function == nullptr ? nullptr : &on_modes);
  });
}

int weft_plan_backward_with(weft_plan* of, const void* in, void* out, weft_visit function, void* user) {
  return guarded([&] {
    auto& plan = of_handle(of);
    const auto on_modes = function == nullptr ? nullptr : on_lines(plan, function, user);
    plan.backward(bytes_at(in, bytes_of(plan, weft::side::output)), bytes_at(out, bytes_of(plan, weft::side::input)),
                  function == nullptr ? nullptr : &on_modes);
  });
}

int weft_plan_forward_bytes(weft_plan* of, const void* in, size_t in_bytes, void* out, size_t out_bytes) {
  return guarded([&] { of_handle(of).forward(bytes_at(in, in_bytes), bytes_at(out, out_bytes)); });
}

int weft_plan_backward_bytes(weft_plan* of, const void* in, size_t in_bytes, void* out, size_t out_bytes) {
  return guarded([&] { of_handle(of).backward(bytes_at(in, in_bytes), bytes_at(out, out_bytes)); });
}

int weft_plan_distribution(const weft_plan* of, int side, weft_distribution** made) {
  return guarded([&] {
    const auto& how = side_from(side) == weft::side::input ? of_handle(of).input() : of_handle(of).output();
    auto& target = existing(made, "made");
    target = new weft_distribution{how};
  });
}

int weft_plan_elements(const weft_plan* of, int side, int64_t* elements, size_t* element_bytes) {
  return guarded([&] {
    const auto& plan = of_handle(of);
    const auto which = side_from(side);
    const auto all = which == weft::side::input ? plan.input_elements() : plan.output_elements();
    if (elements != nullptr) *elements = all;
    if (element_bytes != nullptr) *element_bytes = element_bytes_of(plan, which);
  });
}

int weft_plan_layout(const weft_plan* of, int side, int64_t* strides, int64_t* offset) {
  return guarded([&] {
    const auto& where =
        side_from(side) == weft::side::input ? of_handle(of).input_layout() : of_handle(of).output_layout();
    copy_to(strides, where.strides, "strides");
    existing(offset, "offset") = where.offset;
  });
}

int weft_plan_number(const weft_plan* of, const char* what, int64_t* number) {
  return guarded([&] {
    const auto& plan = of_handle(of);
    const auto& report = plan.report();
    const std::pair<const char*, int64_t> known[] = {
        {"axes", plan.input().axes()}, {"batch", plan.batch()},       {"rank", plan.rank()},
        {"ranks", report.ranks},       {"threads", report.threads},   {"exchanges", report.exchanges},
        {"messages", report.messages}, {"bytes", report.bytes},       {"workspace_bytes", report.workspace_bytes},
        {"timed", report.timed},       {"kept", report.kept ? 1 : 0}, {"led", report.led ? 1 : 0}};
    existing(number, "number") = found_in(known, what);
  });
}

int weft_plan_text(const weft_plan* of, const char* what, char** text) {
  return guarded([&] {
    const auto& plan = of_handle(of);
    const auto& report = plan.report();
    if (std::string(&existing(what, "what")) == "explanation") return give(text, plan.explain().text());
    const std::pair<const char*, std::string> known[] = {
        {"algorithm", report.algorithm}, {"exchange", report.exchange}, {"travels_as", report.travels_as},
        {"local", report.local},         {"schedule", report.schedule}, {"arrays", report.arrays},
        {"wisdom", report.wisdom},       {"network", report.network},   {"explanation", {}}};
    give(text, found_in(known, what));
  });
}

int weft_plan_stages(const weft_plan* of, int* count) {
  return guarded([&] { existing(count, "count") = static_cast<int>(of_handle(of).stage_times().size()); });
}

int weft_plan_stage(const weft_plan* of, int number, char** name, double* seconds) {
  return guarded([&] {
    const auto all = of_handle(of).stage_times();
    weft::detail::require_below("stage", number, static_cast<weft::integer>(all.size()));
    const auto& stage = all[static_cast<std::size_t>(number)];
    if (seconds != nullptr) *seconds = stage.seconds;
    if (name != nullptr) give(name, stage.stage);
  });
}

int weft_plan_reset_stages(weft_plan* of) {
  return guarded([&] { of_handle(of).reset_stage_times(); });
}

int weft_plan_record_timeline(weft_plan* of, int on) {
  return guarded([&] { of_handle(of).record_timeline(on != 0); });
}

int weft_plan_timeline(const weft_plan* of, int64_t room, weft_timeline_entry* entries, int64_t* count) {
  return guarded([&] {
    const auto all = of_handle(of).timeline();
    existing(count, "count") = static_cast<int64_t>(all.size());
    for (int64_t k = 0; k < std::min<int64_t>(room, *count); ++k) {
      const auto& e = all[static_cast<std::size_t>(k)];
      (&existing(entries, "entries"))[k] = {
          static_cast<int>(e.way), e.call,           e.position, static_cast<int>(e.kind),
          seconds_of(e.begin),     seconds_of(e.end)};
    }
  });
}

int weft_explain(int axes, const int64_t* shape, int transform, int precision, const weft_options* options, int ranks,
                 char** text) {
  return guarded([&] {
    const auto what = problem_from(axes, shape, transform, precision, options);
    give(text, weft::explain(what, options_from(options), ranks).text());
  });
}
