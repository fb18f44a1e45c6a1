// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI: slabs along the first axis; transposed out leaves the array distributed along the second.
#include <fftw3-mpi.h>

#include "peers/fftw.hpp"
#include "transform_name.hpp"

namespace weft::tool::peers {

peer fftw_mpi();

namespace {

template <class Real>
struct mpi_calls;
template <>
struct mpi_calls<double> {
  static constexpr auto local_size = fftw_mpi_local_size_transposed;
  static constexpr auto local_line = fftw_mpi_local_size_1d;
  static constexpr auto plan_line = fftw_mpi_plan_dft_1d;
  static constexpr auto plan_c2c = fftw_mpi_plan_dft;
  static constexpr auto plan_r2c = fftw_mpi_plan_dft_r2c;
  static constexpr auto plan_r2r = fftw_mpi_plan_r2r;
};
template <>
struct mpi_calls<float> {
  static constexpr auto local_size = fftwf_mpi_local_size_transposed;
  static constexpr auto local_line = fftwf_mpi_local_size_1d;
  static constexpr auto plan_line = fftwf_mpi_plan_dft_1d;
  static constexpr auto plan_c2c = fftwf_mpi_plan_dft;
  static constexpr auto plan_r2c = fftwf_mpi_plan_dft_r2c;
  static constexpr auto plan_r2r = fftwf_mpi_plan_r2r;
};

using sizes = std::vector<std::ptrdiff_t>;

struct slabs {
  sizes shape, stored;      // stored: with the last axis halved for r2c
  std::ptrdiff_t room = 0;  // complex numbers to allocate
  std::ptrdiff_t rows = 0, first = 0, rows_out = 0, first_out = 0;
};

template <class Real>
slabs slabs_of(const problem& what, MPI_Comm on) {
  slabs s;
  s.shape.assign(what.shape.begin(), what.shape.end());
  s.stored = s.shape;
  if (what.kind == transform_kind::r2c) s.stored.back() = s.shape.back() / 2 + 1;
  s.room = mpi_calls<Real>::local_size(static_cast<int>(s.stored.size()), s.stored.data(), on, &s.rows, &s.first,
                                       &s.rows_out, &s.first_out);
  return s;
}

integer product(const sizes& n, std::size_t from) {
  integer result = 1;
  for (std::size_t l = from; l < n.size(); ++l) result *= n[l];
  return result;
}

/// Real input rows are padded to the length of the halved complex ones, out of place too.
peer_array input_array(const slabs& s, bool real) {
  peer_array in{.reals = 2 * s.rows * product(s.stored, 1)};
  const integer n = s.shape.back(), stride = 2 * s.stored.back();
  if (real) in.weight = [=](integer i) { return i % stride < n ? 1.0 : 0.0; };
  return in;
}

peer_array output_array(const slabs& s, bool real, bool transposed) {
  peer_array out;
  out.reals = transposed ? 2 * s.rows_out * s.shape.front() * product(s.stored, 2) : 2 * s.rows * product(s.stored, 1);
  if (!real) return out;
  const integer n = s.shape.back(), half = s.stored.back(), first = s.first_out, columns = s.shape.front();
  if (transposed && s.shape.size() == 2) {  // the halved axis became the rows
    out.weight = [=](integer i) { return times_in_spectrum(first + i / 2 / columns, n); };
  } else {
    out.weight = [=](integer i) { return times_in_spectrum(i / 2 % half, n); };
  }
  return out;
}

fftw_r2r_kind r2r_kind(line_kind kind) {
  switch (kind) {
    case line_kind::dct1: return FFTW_REDFT00;
    case line_kind::dct2: return FFTW_REDFT10;
    case line_kind::dct3: return FFTW_REDFT01;
    case line_kind::dct4: return FFTW_REDFT11;
    case line_kind::dst1: return FFTW_RODFT00;
    case line_kind::dst2: return FFTW_RODFT10;
    case line_kind::dst3: return FFTW_RODFT01;
    default: return FFTW_RODFT11;
  }
}

/// One side of a cosine or sine transform: real numbers, in the order of the array or with its first two axes
/// exchanged.
peer_array real_array(const slabs& s, const problem& what, side which, bool transposed) {
  const integer rest = product(s.shape, 2), rows = s.shape[0], columns = s.shape[1];
  const integer first = transposed ? s.first_out : s.first;
  peer_array array{.reals = (transposed ? s.rows_out * rows : s.rows * columns) * rest};
  array.weight = [=, kinds = kinds_of(what)](integer i) {
    const integer outer = first + i / rest / (transposed ? rows : columns);
    const integer inner = i / rest % (transposed ? rows : columns);
    const integer flat = (transposed ? inner * columns + outer : outer * columns + inner) * rest + i % rest;
    return weight_of(what, kinds, which, flat);
  };
  return array;
}

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, bool transposed, bool in_place) {
  using complex = typename fftw_api<Real>::complex;
  const bool real = what.kind == transform_kind::r2c, r2r = what.kind == transform_kind::r2r;
  const slabs s = slabs_of<Real>(what, on.all.communicator());
  const int axes = static_cast<int>(s.shape.size());
  const std::size_t bytes = sizeof(complex) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, s.room));
  contender_label label{.library = "fftw-mpi", .keeps_distribution = !transposed, .in_place = in_place};
  label.variant = std::string(transposed ? "transposed" : "default") + (in_place ? ", in place" : "");
  peer_transform t{input_array(s, real), output_array(s, real, transposed), {}};
  if (r2r) t = {real_array(s, what, side::input, false), real_array(s, what, side::output, transposed), {}};
  t.in.memory = on.parts.input(bytes);
  t.out.memory = in_place ? t.in.memory : on.parts.output(bytes);
  bool cut_short = false;
  if (on.all.all(t.in.memory && t.out.memory)) {
    const planning<Real> limits(on.threads);
    const unsigned flags = FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    auto* const in = reinterpret_cast<complex*>(t.in.memory.data());
    auto* const out = reinterpret_cast<complex*>(t.out.memory.data());
    std::vector<fftw_r2r_kind> kinds;
    for (const line_kind kind : kinds_of(what)) kinds.push_back(r2r_kind(kind));
    t.forward = executing<Real>(
        r2r ? mpi_calls<Real>::plan_r2r(axes, s.shape.data(), reinterpret_cast<Real*>(in), reinterpret_cast<Real*>(out),
                                        on.all.communicator(), kinds.data(), flags)
        : real ? mpi_calls<Real>::plan_r2c(axes, s.shape.data(), reinterpret_cast<Real*>(in), out,
                                           on.all.communicator(), flags)
               : mpi_calls<Real>::plan_c2c(axes, s.shape.data(), in, out, on.all.communicator(), FFTW_FORWARD, flags));
    cut_short = limits.was_cut_short();
  }
  if (!on.all.all(t.forward != nullptr)) {
    made.notes.push_back("fftw-mpi " + label.variant + ": left out: it made no plan");
    return;
  }
  if (!on.all.all(!cut_short)) made.notes.push_back(cut_short_note("fftw-mpi " + label.variant));
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

/// One axis: its plans are of another kind. Scrambled out leaves the digits of the indices in another order.
template <class Real>
void add_line(contenders& made, const problem& what, const bench_setup& on, bool scrambled, bool in_place) {
  using complex = typename fftw_api<Real>::complex;
  const auto comm = on.all.communicator();
  const unsigned flags = FFTW_MEASURE | (scrambled ? FFTW_MPI_SCRAMBLED_OUT : 0U);
  std::ptrdiff_t ins = 0, outs = 0, first_in = 0, first_out = 0;
  const std::ptrdiff_t room =
      mpi_calls<Real>::local_line(what.shape[0], comm, FFTW_FORWARD, flags, &ins, &first_in, &outs, &first_out);
  const std::size_t bytes = sizeof(complex) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, room));
  contender_label label{.library = "fftw-mpi", .keeps_distribution = !scrambled, .in_place = in_place};
  label.variant = std::string(scrambled ? "scrambled" : "default") + (in_place ? ", in place" : "");
  peer_transform t{{.reals = 2 * ins}, {.reals = 2 * outs}, {}};
  t.in.memory = on.parts.input(bytes);
  t.out.memory = in_place ? t.in.memory : on.parts.output(bytes);
  bool cut_short = false;
  if (on.all.all(t.in.memory && t.out.memory)) {
    const planning<Real> limits(on.threads);
    t.forward = executing<Real>(
        mpi_calls<Real>::plan_line(what.shape[0], reinterpret_cast<complex*>(t.in.memory.data()),
                                   reinterpret_cast<complex*>(t.out.memory.data()), comm, FFTW_FORWARD, flags));
    cut_short = limits.was_cut_short();
  }
  if (!on.all.all(t.forward != nullptr)) {
    made.notes.push_back("fftw-mpi " + label.variant + ": left out: it made no plan");
    return;
  }
  if (!on.all.all(!cut_short)) made.notes.push_back(cut_short_note("fftw-mpi " + label.variant));
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  const bool line = what.shape.size() < 2;
  if (line && what.kind != transform_kind::c2c) {
    made.notes.emplace_back("fftw-mpi: left out: of one axis it has c2c transforms only");
    return made;
  }
  const auto add = [&]<class Real>(Real, bool transposed, bool in_place) {
    line ? add_line<Real>(made, what, on, transposed, in_place)
         : add_variant<Real>(made, what, on, transposed, in_place);
  };
  for (const bool transposed : {false, true}) {
    for (const bool in_place : {false, true}) {
      what.element == precision::f32 ? add(float{}, transposed, in_place) : add(double{}, transposed, in_place);
    }
  }
  return made;
}

void start() {
  start_fftw();  // before fftw_mpi_init, as FFTW asks
  fftw_mpi_init();
  fftwf_mpi_init();
}

}  // namespace

peer fftw_mpi() { return {"fftw-mpi", "FFTW-MPI, measured plans", start, make, true}; }

}  // namespace weft::tool::peers
