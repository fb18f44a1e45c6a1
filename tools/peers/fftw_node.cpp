// FFTW in one process: with as many threads as the node's ranks have cores, and serial.
#include "peers/fftw.hpp"

namespace weft::tool::peers {

peer fftw_threads();
peer fftw_serial();

namespace {

struct whole {
  std::vector<int> shape;
  integer outer = 1;  // product of all extents but the last
  integer last = 1, half = 1;
};

whole whole_of(const problem& what) {
  whole w;
  for (const integer n : what.shape) w.shape.push_back(static_cast<int>(n));
  for (std::size_t l = 0; l + 1 < what.shape.size(); ++l) w.outer *= what.shape[l];
  w.last = what.shape.back();
  w.half = what.kind == transform_kind::r2c ? w.last / 2 + 1 : w.last;
  return w;
}

/// Real rows are padded in place only.
fftw_side input_side(const whole& w, bool real, bool in_place) {
  if (!real) return {2 * w.outer * w.last, always_once};
  if (!in_place) return {w.outer * w.last, always_once};
  return {2 * w.outer * w.half, [n = w.last, stride = 2 * w.half](integer i) { return i % stride < n ? 1.0 : 0.0; }};
}

fftw_side output_side(const whole& w, bool real) {
  const integer reals = 2 * w.outer * w.half;
  if (!real) return {reals, always_once};
  return {reals, [n = w.last, half = w.half](integer i) { return times_in_spectrum(i / 2 % half, n); }};
}

/// On the root only.
template <class Real>
fftw_parts<Real> plan_whole(const problem& what, const bench_setup& on, int threads, bool in_place) {
  using complex = typename fftw_api<Real>::complex;
  const bool real = what.kind == transform_kind::r2c;
  const whole w = whole_of(what);
  const int axes = static_cast<int>(w.shape.size());
  fftw_parts<Real> parts;
  parts.in_side = input_side(w, real, in_place);
  parts.out_side = output_side(w, real);
  const auto bytes = [](const fftw_side& side) { return sizeof(Real) * static_cast<std::size_t>(side.reals); };
  parts.in = on.wholes.input(std::max(bytes(parts.in_side), in_place ? bytes(parts.out_side) : 0));
  parts.out = in_place ? parts.in : on.wholes.output(bytes(parts.out_side));
  if (!parts.in || !parts.out) return parts;
  const planning_threads<Real> use(threads);
  auto* const in = reinterpret_cast<complex*>(parts.in.get());
  auto* const out = reinterpret_cast<complex*>(parts.out.get());
  parts.plan.reset(real ? fftw_api<Real>::plan_r2c(axes, w.shape.data(), reinterpret_cast<Real*>(in), out, FFTW_MEASURE)
                        : fftw_api<Real>::plan_c2c(axes, w.shape.data(), in, out, FFTW_FORWARD, FFTW_MEASURE),
                   fftw_api<Real>::destroy);
  return parts;
}

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, const std::string& library, int threads,
                 bool in_place) {
  contender_label label{.library = library, .keeps_distribution = true, .in_place = in_place, .on_root_only = true};
  label.variant = (threads == 1 ? "1 thread" : std::to_string(threads) + " threads") + (in_place ? ", in place" : "");
  fftw_parts<Real> parts;
  if (on.all.is_root()) parts = plan_whole<Real>(what, on, threads, in_place);
  quiet_barrier(on.all);  // the root measures its plans
  if (!on.all.from_root(parts.plan != nullptr)) {
    made.notes.push_back(library + " " + label.variant + ": left out: it made no plan, or has no memory for it");
    return;
  }
  made.all.push_back(std::make_unique<fftw_contender<Real>>(std::move(label), std::move(parts), on.all.rank()));
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
