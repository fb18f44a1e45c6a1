// SPDX-License-Identifier: BSD-3-Clause
#include "plan_slots.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

namespace weft::fftw {

namespace {

// The beginnings of FFTW's structures (3.3.4 to 3.3.10): api/api.h, kernel/ifftw.h and rdft/rdft.h tell.

struct plan_body;
struct problem_body;
/// Of FFTW: where fftw_print_plan writes.
struct printer {
  void (*print)(printer*, const char* format, ...);
};

struct plan_functions {
  void (*solve)(plan_body*, problem_body*);
  void (*awake)(plan_body*, int);
  void (*print)(const plan_body*, printer*);
  void (*destroy)(plan_body*);
};

struct plan_body {
  const plan_functions* functions;
  double operations[4];
  double cost;
  int awake, could_prune;
  void (*apply)(plan_body*, real*, real*, real*, real*);
  // from here on ours
  transform* does;
  signature with;
  void *in, *out;
};
static_assert(offsetof(plan_body, apply) == 56);

struct problem_functions {
  int kind;  // 0: none that FFTW solves
  void (*hash)(), (*zero)(), (*print)();
  void (*destroy)(problem_body*);
};

/// Looks like a real-to-complex problem, which fftw_execute_dft_r2c asks for the distance of r1 from r0.
struct problem_body {
  const problem_functions* functions;
  void *size, *vector_size;
  real *r0, *r1;
};

/// What a plan_pointer points to.
struct handle {
  plan_body* plan;
  problem_body* problem;
  std::size_t sign;  // an int in FFTW: -1 or +1
};

constexpr std::ptrdiff_t r2c_mark = 2;

void solve(plan_body* p, problem_body* /*problem*/) { run_or_abort(*p->does, p->in, p->out); }

/// fftw_execute_dft passes re, im, re, im, or im, re, im, re, and is called with real data, too (by PETSc); _dft_r2c
/// and _dft_c2r pass the real side, the real side + r2c_mark, re, im; _r2r in and out only.
void apply(plan_body* p, real* a, real* b, real* c, real* d) {
  const auto distance = reinterpret_cast<std::intptr_t>(b) - reinterpret_cast<std::intptr_t>(a);
  constexpr auto one = static_cast<std::intptr_t>(sizeof(real));
  if (p->with != signature::real_only && (distance == one || distance == -one)) {
    run_or_abort(*p->does, distance > 0 ? a : b, distance > 0 ? c : d);
  } else if (p->with == signature::real_to_complex && distance == r2c_mark * one) {
    run_or_abort(*p->does, a, c);
  } else if (p->with == signature::complex_to_real && distance == r2c_mark * one) {
    run_or_abort(*p->does, c, a);
  } else {
    run_or_abort(*p->does, a, b);
  }
}

void awake(plan_body* /*p*/, int /*how*/) {}
void print(const plan_body* p, printer* on) { on->print(on, "(weft %s)", p->does->text().c_str()); }
void destroy_plan(plan_body* p) { delete p->does; }
void destroy_problem(problem_body* p) { WEFT_X(free)(p); }

constexpr plan_functions functions_of_plans = {solve, awake, print, destroy_plan};
constexpr problem_functions functions_of_problems = {0, nullptr, nullptr, nullptr, destroy_problem};

/// FFTW frees them.
template <class T>
T* from_fftw(const T& value) {
  void* const room = WEFT_X(malloc)(sizeof(T));
  return room == nullptr ? nullptr : new (room) T(value);
}

}  // namespace

plan_pointer make_plan(std::unique_ptr<transform> does, signature with, void* in, void* out) {
  auto* const whole = from_fftw<handle>({});
  auto* const problem = from_fftw<problem_body>({&functions_of_problems, nullptr, nullptr, nullptr, nullptr});
  auto* const body = from_fftw<plan_body>({&functions_of_plans, {}, 0, 0, 0, apply, nullptr, with, in, out});
  if (whole == nullptr || problem == nullptr || body == nullptr) {
    WEFT_X(free)(whole);
    WEFT_X(free)(problem);
    WEFT_X(free)(body);
    return nullptr;
  }
  // fftw_execute_dft_r2c asks for r1 - r0 only. NOLINTNEXTLINE(performance-no-int-to-ptr)
  problem->r1 = reinterpret_cast<real*>(r2c_mark * sizeof(real));
  body->does = does.release();
  *whole = {body, problem, static_cast<std::size_t>(-1)};
  return reinterpret_cast<plan_pointer>(whole);
}

transform* transform_of(plan_pointer plan) {
  const auto* const h = reinterpret_cast<const handle*>(plan);
  return h != nullptr && h->plan != nullptr && h->plan->functions == &functions_of_plans ? h->plan->does : nullptr;
}

void run_or_abort(transform& does, void* in, void* out) noexcept {
  try {
    does.run(in, out);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "Weft as %s: %s (%s)\n", mpi_library, e.what(), does.text().c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace weft::fftw
