// SPDX-License-Identifier: BSD-3-Clause
// P3DFFT: real input of three axes in double precision, slabs along the first axis to slabs along the second. It knows
// one problem at a time, and numbers axes from the contiguous one.
#include <fcntl.h>
#include <p3dfft.h>
#include <unistd.h>

#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

peer p3dfft();

namespace {

struct local_part {
  int first[3] = {}, last[3] = {}, size[3] = {};  // counted from 1

  explicit local_part(int side) { Cp3dfft_get_dims(first, last, size, side); }
  [[nodiscard]] integer elements() const { return integer{size[0]} * size[1] * size[2]; }
};

/// P3DFFT greets on standard output, which may be for the report alone.
class silence {
 public:
  silence() : kept_(dup(STDOUT_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~silence() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  int kept_;
};

/// P3DFFT's one problem.
struct setup {
  setup(const problem& what, const ranks& all) {
    int mesh[2] = {1, all.size()};
    const int x = static_cast<int>(what.shape[2]), y = static_cast<int>(what.shape[1]),
              z = static_cast<int>(what.shape[0]);
    int room[3] = {};
    const silence during;
    Cp3dfft_setup(mesh, x, y, z, MPI_Comm_c2f(all.communicator()), x, y, z, 1, room);
  }
  ~setup() { Cp3dfft_clean(); }
  setup(const setup&) = delete;
  setup& operator=(const setup&) = delete;
};

contenders make(const problem& what, const bench_setup& on) {
  contenders made;
  if (what.kind != transform_kind::r2c || what.element != precision::f64 || what.shape.size() != 3) {
    made.notes.emplace_back(
        "p3dfft: left out: it takes real input of three axes, in the precision it was built for: f64");
    return made;
  }
  if (what.shape[0] < on.all.size() || what.shape[1] < on.all.size()) {
    made.notes.emplace_back("p3dfft: left out: it needs a part of the array on every rank");
    return made;
  }
  const auto started = std::make_shared<setup>(what, on.all);
  const local_part in(1), out(2);
  peer_transform t{{.reals = in.elements()}, {.reals = 2 * out.elements()}, {}};
  const integer n = what.shape[2], half = n / 2 + 1;
  // Built with stride1, it leaves the axis that was distributed first contiguous, and the halved one last.
  const bool halved_last = out.size[0] != half && out.size[2] == half;
  const integer stride = halved_last ? integer{out.size[0]} * out.size[1] : 1;
  t.out.weight = [=](integer i) { return times_in_spectrum(i / 2 / stride % half, n); };
  t.in.memory = on.parts.input(sizeof(double) * static_cast<std::size_t>(t.in.reals));
  t.out.memory = on.parts.output(sizeof(double) * static_cast<std::size_t>(t.out.reals));
  if (!on.all.all(t.in.memory && t.out.memory)) {
    made.notes.emplace_back("p3dfft: left out: not enough memory");
    return made;
  }
  auto* const from = reinterpret_cast<double*>(t.in.memory.data());
  auto* const to = reinterpret_cast<double*>(t.out.memory.data());
  t.forward = [started, from, to] {
    unsigned char transforms[] = "fft";
    Cp3dfft_ftran_r2c(from, to, transforms);
  };
  contender_label label{.library = "p3dfft", .variant = "slabs", .keeps_distribution = on.all.size() == 1};
  made.all.push_back(std::make_unique<peer_contender>(std::move(label), what.element, std::move(t), on.all.rank()));
  return made;
}

void start() {}

}  // namespace

peer p3dfft() { return {"p3dfft", "P3DFFT, real input in f64", start, make}; }

}  // namespace weft::tool::peers
