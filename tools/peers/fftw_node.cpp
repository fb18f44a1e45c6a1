// SPDX-License-Identifier: BSD-3-Clause
// FFTW in one process: with as many threads as the node's ranks have cores, and serial.
#include "peers/fftw.hpp"
#include "peers/whole.hpp"

namespace weft::tool::peers {

peer fftw_threads();
peer fftw_serial();

namespace {

/// On the root only.
template <class Real>
peer_transform plan_whole(const problem& what, const bench_setup& on, int threads, bool in_place, bool& cut_short) {
  using complex = typename fftw_api<Real>::complex;
  const bool real = what.kind == transform_kind::r2c;
  const whole w = whole_of(what);
  const int axes = static_cast<int>(w.shape.size());
  peer_transform t{input_array(w, real, in_place), output_array(w, real), {}};
  const auto bytes = [](const peer_array& of) { return sizeof(Real) * static_cast<std::size_t>(of.reals); };
  t.in.memory = on.wholes.input(std::max(bytes(t.in), in_place ? bytes(t.out) : 0));
  t.out.memory = in_place ? t.in.memory : on.wholes.output(bytes(t.out));
  if (!t.in.memory || !t.out.memory) return t;
  const planning<Real> limits(threads);
  auto* const in = reinterpret_cast<complex*>(t.in.memory.data());
  auto* const out = reinterpret_cast<complex*>(t.out.memory.data());
  t.forward = executing<Real>(
      real ? fftw_api<Real>::plan_r2c(axes, w.shape.data(), reinterpret_cast<Real*>(in), out, FFTW_MEASURE)
           : fftw_api<Real>::plan_c2c(axes, w.shape.data(), in, out, FFTW_FORWARD, FFTW_MEASURE));
  cut_short = limits.was_cut_short();
  return t;
}

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, const std::string& library, int threads,
                 bool in_place) {
  contender_label label{.library = library, .keeps_distribution = true, .in_place = in_place, .on_root_only = true};
  label.variant = (threads == 1 ? "1 thread" : std::to_string(threads) + " threads") + (in_place ? ", in place" : "");
  peer_transform t;
  bool cut_short = false;
  if (on.all.is_root()) t = plan_whole<Real>(what, on, threads, in_place, cut_short);
  quiet_barrier(on.all);  // the root measures its plans
  if (!on.all.from_root(t.forward != nullptr)) {
    made.notes.push_back(library + " " + label.variant + ": left out: it made no plan, or has no memory for it");
    return;
  }
  if (on.all.from_root(cut_short)) made.notes.push_back(cut_short_note(library + " " + label.variant));
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on, const std::string& library, int threads) {
  contenders made;
  for (const bool in_place : {false, true}) {
    if (what.element == precision::f32) {
      add_variant<float>(made, what, on, library, threads, in_place);
    } else {
      add_variant<double>(made, what, on, library, threads, in_place);
    }
  }
  return made;
}

contenders make_threads(const problem& what, const bench_setup& on) {
  const int threads = static_cast<int>(on.all.max(integer{on.all.is_root() ? on.usable.of_ranks : 0}));
  const int allowed = static_cast<int>(on.all.max(integer{on.all.is_root() ? on.usable.mine : 0}));
  contenders made = make(what, on, "fftw-threads", threads);
  if (allowed < threads) {
    made.notes.push_back("fftw-threads: its process is bound to " + std::to_string(allowed) + " of the " +
                         std::to_string(threads) + " cores and slow for that; start with mpirun --bind-to none");
  }
  return made;
}

contenders make_serial(const problem& what, const bench_setup& on) {
  if (on.all.size() > 1) return {};  // it is no measure for several ranks
  return make(what, on, "fftw-serial", 1);
}

}  // namespace

peer fftw_threads() {
  return {"fftw-threads", "FFTW in one process on all cores of the node's ranks", start_fftw, make_threads};
}

peer fftw_serial() { return {"fftw-serial", "FFTW with one thread, where there is one rank", start_fftw, make_serial}; }

}  // namespace weft::tool::peers
