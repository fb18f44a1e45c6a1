// SPDX-License-Identifier: BSD-3-Clause
// heFFTe with one of its backends: slabs along the first axis to slabs along the second, or back to where they were. It
// has no planner that measures, so the fastest of all its plan options is taken here.
//
// A `Use` has the backend as `backend`, the peer's name, finish(), which returns when what was called is done, and
// adapt(), which tells plan options what the machine can do.
#pragma once

#include <heffte.h>

#include <array>
#include <limits>

#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

using box = ::heffte::box3d<>;
using plan_options = ::heffte::plan_options;

struct choice {
  plan_options options;
  std::string text;
};

inline std::vector<choice> choices() {
  using ::heffte::reshape_algorithm;
  const std::pair<reshape_algorithm, const char*> algorithms[] = {{reshape_algorithm::alltoallv, "alltoallv"},
                                                                  {reshape_algorithm::alltoall, "alltoall"},
                                                                  {reshape_algorithm::p2p_plined, "p2p_plined"},
                                                                  {reshape_algorithm::p2p, "p2p"}};
  std::vector<choice> all;
  for (const auto& [algorithm, name] : algorithms) {
    for (const bool pencils : {false, true}) {
      for (const bool reorder : {true, false}) {
        all.push_back({plan_options(reorder, algorithm, pencils),
                       std::string(name) + (pencils ? ", pencils" : ", slabs") + (reorder ? ", reorder" : "")});
      }
    }
  }
  return all;
}

/// The extents in heFFTe's order: its axis 0 is contiguous, as is Weft's last.
inline std::array<int, 3> extents_of(const problem& what, bool halved) {
  std::array<int, 3> n{1, 1, 1};
  const std::size_t axes = what.shape.size();
  for (std::size_t l = 0; l < axes; ++l) n[axes - 1 - l] = static_cast<int>(what.shape[l]);
  if (halved) n[0] = n[0] / 2 + 1;
  return n;
}

/// This rank's balanced part of heFFTe's axis `along`; its bounds include the last index.
inline box slab_of(const std::array<int, 3>& n, std::size_t along, const ranks& all) {
  std::array<int, 3> low{0, 0, 0}, high{n[0] - 1, n[1] - 1, n[2] - 1};
  const auto start = [&](int rank) { return static_cast<int>(integer{n[along]} * rank / all.size()); };
  low[along] = start(all.rank());
  high[along] = start(all.rank() + 1) - 1;
  return {low, high};
}

/// A plan and its workspace; several contenders may share it.
template <class Real, class Plan>
struct tuned {
  Plan plan;
  typename Plan::template buffer_container<std::complex<Real>> workspace = {};
  std::string text;
};

template <class Use, class Real, class Plan, class In>
std::function<void()> forward_of(const std::shared_ptr<tuned<Real, Plan>>& with, const peer_array& in,
                                 const peer_array& out) {
  const auto* const from = reinterpret_cast<const In*>(in.memory.data());
  auto* const to = reinterpret_cast<std::complex<Real>*>(out.memory.data());
  return [with, from, to] {
    with->plan.forward(from, to, with->workspace.data());
    Use::finish();
  };
}

/// Collective. The fastest of all options, each tried for a moment.
template <class Use, class Real, class Plan, class In, class Make>
std::shared_ptr<tuned<Real, Plan>> tune(const Make& make, const peer_array& in, const peer_array& out,
                                        const ranks& all) {
  std::shared_ptr<tuned<Real, Plan>> best;
  double least = std::numeric_limits<double>::infinity();
  for (choice& one : choices()) {
    Use::adapt(one.options);
    auto candidate = std::make_shared<tuned<Real, Plan>>(tuned<Real, Plan>{make(one.options), {}, one.text});
    candidate->workspace = decltype(candidate->workspace)(candidate->plan.size_workspace());
    const auto forward = forward_of<Use, Real, Plan, In>(candidate, in, out);
    forward();  // it plans the lines only now
    double seconds = time_of(all, forward);
    for (double spent = seconds; spent < 0.01;) {  // a single short one says little
      const double again = time_of(all, forward);
      seconds = std::min(seconds, again);
      spent += again;
    }
    if (seconds >= least) continue;
    least = seconds;
    best = std::move(candidate);
  }
  return best;
}

/// `In`: what it transforms, real or complex.
template <class Use, class Real, class Plan, class In, class Make>
void add_variants(contenders& made, const problem& what, const bench_setup& on, bool keep, const Make& make) {
  constexpr bool real = std::is_same_v<In, Real>;
  const std::size_t first = what.shape.size() - 1;  // Weft's first axis in heFFTe's order
  const box from = slab_of(extents_of(what, false), first, on.all);
  const box to = slab_of(extents_of(what, real), keep ? first : first - 1, on.all);
  peer_array in{.reals = from.count() * (real ? 1 : 2)}, out{.reals = 2 * to.count()};
  if (real) {
    out.weight = [=, n = what.shape.back()](integer i) { return times_in_spectrum(to.low[0] + i / 2 % to.size[0], n); };
  }
  const auto bytes = static_cast<std::size_t>(std::max(in.reals, out.reals)) * sizeof(Real);
  in.memory = on.parts.input(bytes);
  out.memory = on.parts.output(bytes);
  contender_label label{.library = Use::name, .keeps_distribution = keep};
  if (!on.all.all(in.memory && out.memory)) {
    made.notes.push_back(std::string(Use::name) + ": left out: not enough memory");
    return;
  }
  const auto best =
      tune<Use, Real, Plan, In>([&](const plan_options& how) { return make(from, to, how); }, in, out, on.all);
  for (const bool in_place : {false, true}) {
    if (in_place && real) continue;  // it has none
    label.in_place = in_place;
    label.variant = best->text + (in_place ? ", in place" : "");
    const peer_array& target = in_place ? in : out;
    peer_transform t{in, {target.memory, out.reals, out.weight}, forward_of<Use, Real, Plan, In>(best, in, target)};
    made.all.push_back(std::make_unique<peer_contender>(label, what.element, std::move(t), on.all.rank()));
  }
}

template <class Use, class Real>
void add_all(contenders& made, const problem& what, const bench_setup& on) {
  using backend = typename Use::backend;
  const MPI_Comm comm = on.all.communicator();
  for (const bool keep : {true, false}) {
    if (on.all.size() == 1 && !keep) continue;  // everything is in one place
    if (what.kind == transform_kind::r2c) {
      using plan = ::heffte::fft3d_r2c<backend>;
      add_variants<Use, Real, plan, Real>(
          made, what, on, keep,
          [=](const box& from, const box& to, const plan_options& how) { return plan(from, to, 0, comm, how); });
    } else {
      using plan = ::heffte::fft3d<backend>;
      add_variants<Use, Real, plan, std::complex<Real>>(
          made, what, on, keep,
          [=](const box& from, const box& to, const plan_options& how) { return plan(from, to, comm, how); });
    }
  }
}

inline bool fills_all_ranks(const problem& what, int ranks) {
  const auto n = extents_of(what, what.kind == transform_kind::r2c);
  const std::size_t first = what.shape.size() - 1;
  return n[first] >= ranks && n[first - 1] >= ranks;
}

template <class Use>
contenders heffte_contenders(const problem& what, const bench_setup& on) {
  contenders made;
  const std::string name = Use::name;
  if (what.shape.size() != 2 && what.shape.size() != 3) {
    made.notes.push_back(name + ": left out: it transforms two or three axes");
  } else if (!fills_all_ranks(what, on.all.size())) {
    made.notes.push_back(name + ": left out: it needs a part of the array on every rank");
  } else if (what.element == precision::f32) {
    add_all<Use, float>(made, what, on);
  } else {
    add_all<Use, double>(made, what, on);
  }
  return made;
}

}  // namespace weft::tool::peers
