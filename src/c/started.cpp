// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

using namespace weft::c;

namespace {

/// A handle that cannot be told is an error on all ranks, as is all else that a run cannot be started with.
int start(weft_plan* of, weft::direction way, const void* in, void* out, weft_started** made) {
  return guarded([&] {
    auto& plan = *existing(of, "the plan").value;
    if (made == nullptr) plan.refuse(weft::argument_error("made is a null pointer"), weft::plan::instead_of::start);
    auto run = std::make_unique<weft_started>();
    run->value = way == weft::direction::forward ? plan.start_forward(in, out) : plan.start_backward(in, out);
    *made = run.release();
  });
}

}  // namespace

int weft_plan_start_forward(weft_plan* of, const void* in, void* out, weft_started** made) {
  return start(of, weft::direction::forward, in, out, made);
}

int weft_plan_start_backward(weft_plan* of, const void* in, void* out, weft_started** made) {
  return start(of, weft::direction::backward, in, out, made);
}

int weft_started_test(weft_started* of, int* done) {
  return guarded([&] {
    auto& answer = existing(done, "done");
    answer = existing(of, "the run").value.test() ? 1 : 0;
  });
}

int weft_started_wait(weft_started* of) {
  return guarded([&] { existing(of, "the run").value.wait(); });
}

void weft_started_destroy(weft_started* of) { destroy(of); }
