// SPDX-License-Identifier: BSD-3-Clause
// 2DECOMP&FFT: three axes, slabs along the first axis to slabs along the second, in the one precision it was built for.
// It numbers axes from the contiguous one, and knows one shape at a time; one in all here, because to end it is to
// clean up FFTW for everybody in the process.
#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

extern "C" {  // decomp2d_calls.f90
void weft_decomp2d_start(int x, int y, int z, int ranks, int comm, int* in_size, int* out_size, int* half_size);
void weft_decomp2d_forward_c2c(void* from, const int* in_size, void* to, const int* out_size);
void weft_decomp2d_forward_r2c(void* from, const int* in_size, void* to, const int* out_size);
int weft_decomp2d_real_bytes();
}

namespace weft::tool::peers {

peer decomp2d();

namespace {

/// Sizes of this rank's arrays.
struct local_sizes {
  int in[3] = {}, out[3] = {}, half[3] = {};
};

/// Starts with the first shape that is asked for. None for any other.
const local_sizes* sizes_of(const extents& shape, const ranks& all) {
  static local_sizes sizes;
  static extents started;
  if (started.empty()) {
    weft_decomp2d_start(static_cast<int>(shape[2]), static_cast<int>(shape[1]), static_cast<int>(shape[0]), all.size(),
                        MPI_Comm_c2f(all.communicator()), sizes.in, sizes.out, sizes.half);
    started = shape;
  }
  return started == shape ? &sizes : nullptr;
}

integer product(const int (&n)[3]) { return integer{n[0]} * n[1] * n[2]; }

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (what.shape.size() != 3 || static_cast<int>(real_bytes(what.element)) != weft_decomp2d_real_bytes()) {
    made.notes.emplace_back("decomp2d: left out: it takes three axes, in the one precision it was built for");
    return made;
  }
  if (what.shape[0] < on.all.size() || what.shape[1] < on.all.size()) {
    made.notes.emplace_back("decomp2d: left out: it needs a part of the array on every rank");
    return made;
  }
  const local_sizes* const sizes = sizes_of(what.shape, on.all);
  if (sizes == nullptr) {
    made.notes.emplace_back("decomp2d: left out: it takes one shape in a run, and had one; name this one alone");
    return made;
  }
  const bool real = what.kind == transform_kind::r2c;
  const auto& out_size = real ? sizes->half : sizes->out;
  peer_transform t{{.reals = (real ? 1 : 2) * product(sizes->in)}, {.reals = 2 * product(out_size)}, {}};
  if (real) {
    t.out.weight = [n = what.shape[2]](integer i) { return times_in_spectrum(i / 2 % (n / 2 + 1), n); };
  }
  t.in.memory = on.parts.input(real_bytes(what.element) * static_cast<std::size_t>(t.in.reals));
  t.out.memory = on.parts.output(real_bytes(what.element) * static_cast<std::size_t>(t.out.reals));
  if (!on.all.all(t.in.memory && t.out.memory)) {
    made.notes.emplace_back("decomp2d: left out: not enough memory");
    return made;
  }
  const auto forward = real ? weft_decomp2d_forward_r2c : weft_decomp2d_forward_c2c;
  t.forward = [forward, from = t.in.memory.data(), in = sizes->in, to = t.out.memory.data(), out = &out_size[0]] {
    forward(from, in, to, out);
  };
  contender_label label{.library = "decomp2d", .variant = "slabs", .keeps_distribution = on.all.size() == 1};
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
  return made;
}

void start() {}

}  // namespace

peer decomp2d() { return {"decomp2d", "2DECOMP&FFT", start, make}; }

}  // namespace weft::tool::peers
