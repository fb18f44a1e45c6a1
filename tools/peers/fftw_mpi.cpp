// FFTW-MPI: slabs along the first axis; transposed out leaves the array distributed along the second.
#include <fftw3-mpi.h>

#include "peers/fftw.hpp"

namespace weft::tool::peers {

peer fftw_mpi();

namespace {

template <class Real>
struct mpi_calls;
template <>
struct mpi_calls<double> {
  static constexpr auto local_size = fftw_mpi_local_size_transposed;
  static constexpr auto plan_c2c = fftw_mpi_plan_dft;
  static constexpr auto plan_r2c = fftw_mpi_plan_dft_r2c;
};
template <>
struct mpi_calls<float> {
  static constexpr auto local_size = fftwf_mpi_local_size_transposed;
  static constexpr auto plan_c2c = fftwf_mpi_plan_dft;
  static constexpr auto plan_r2c = fftwf_mpi_plan_dft_r2c;
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

template <class Real>
void add_variant(contenders& made, const problem& what, const bench_setup& on, bool transposed, bool in_place) {
  using complex = typename fftw_api<Real>::complex;
  const bool real = what.kind == transform_kind::r2c;
  const slabs s = slabs_of<Real>(what, on.all.communicator());
  const int axes = static_cast<int>(s.shape.size());
  const std::size_t bytes = sizeof(complex) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, s.room));
  contender_label label{.library = "fftw-mpi", .keeps_distribution = !transposed, .in_place = in_place};
  label.variant = std::string(transposed ? "transposed" : "default") + (in_place ? ", in place" : "");
  peer_transform t{input_array(s, real), output_array(s, real, transposed), {}};
  t.in.memory = on.parts.input(bytes);
  t.out.memory = in_place ? t.in.memory : on.parts.output(bytes);
  if (on.all.all(t.in.memory && t.out.memory)) {
    const planning_threads<Real> threads(on.threads);
    const unsigned flags = FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    auto* const in = reinterpret_cast<complex*>(t.in.memory.data());
    auto* const out = reinterpret_cast<complex*>(t.out.memory.data());
    t.forward = executing<Real>(
        real ? mpi_calls<Real>::plan_r2c(axes, s.shape.data(), reinterpret_cast<Real*>(in), out, on.all.communicator(),
                                         flags)
             : mpi_calls<Real>::plan_c2c(axes, s.shape.data(), in, out, on.all.communicator(), FFTW_FORWARD, flags));
  }
  if (!on.all.all(t.forward != nullptr)) {
    made.notes.push_back("fftw-mpi " + label.variant + ": left out: it made no plan");
    return;
  }
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
}

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (what.shape.size() < 2) {
    made.notes.emplace_back("fftw-mpi: left out: its plans of one axis are of another kind");
    return made;
  }
  for (const bool transposed : {false, true}) {
    for (const bool in_place : {false, true}) {
      if (what.element == precision::f32) {
        add_variant<float>(made, what, on, transposed, in_place);
      } else {
        add_variant<double>(made, what, on, transposed, in_place);
      }
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

peer fftw_mpi() { return {"fftw-mpi", "FFTW-MPI, measured plans", start, make}; }

}  // namespace weft::tool::peers
