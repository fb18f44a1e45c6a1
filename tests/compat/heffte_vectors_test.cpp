// SPDX-License-Identifier: BSD-3-Clause
// The test vectors through heFFTe's classes. Its axes are the last three, the fastest first.
#include "../mpi_support.hpp"
#include "heffte.h"
#include "vectors.hpp"

namespace {

using heffte::box3d;
using weft::testing::read_vectors;
using weft::testing::vector_case;
using weft::testing::world;
using shape = std::array<int, 3>;

/// In heFFTe's order of axes; those that are missing have one element.
shape turned(const std::vector<std::int64_t>& n) {
  shape result = {1, 1, 1};
  for (std::size_t a = 0; a < n.size(); ++a) result[n.size() - 1 - a] = static_cast<int>(n[a]);
  return result;
}

/// This rank's part of a world that is cut another way for each `turn`.
box3d<> box_of(const shape& n, int turn) {
  const box3d<> all({0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1});
  const auto flat = heffte::make_procgrid(weft::testing::world_size());
  const std::array<shape, 3> grids = {shape{1, flat[0], flat[1]}, shape{flat[1], 1, flat[0]},
                                      shape{flat[0] * flat[1], 1, 1}};
  // Cuts that would leave ranks without elements go to fewer ranks: the rest get empty boxes.
  shape grid = grids[static_cast<std::size_t>(turn) % grids.size()];
  for (std::size_t a = 0; a < 3; ++a) grid[a] = std::min(grid[a], n[a]);
  const auto boxes = heffte::split_world(all, grid);
  const auto me = static_cast<std::size_t>(weft::testing::world_rank());
  return me < boxes.size() ? boxes[me] : box3d<>({0, 0, 0}, {-1, -1, -1});
}

/// visit(place in memory, row-major number) for each element of a box, in all arrays of a batch.
template <class Visit>
void each(const box3d<>& b, const std::vector<std::int64_t>& n, std::int64_t batch, Visit visit) {
  std::size_t at = 0;
  const auto size = turned(n);
  for (std::int64_t component = 0; component < batch; ++component) {
    for (int k = b.low[2]; k <= b.high[2]; ++k) {
      for (int j = b.low[1]; j <= b.high[1]; ++j) {
        for (int i = b.low[0]; i <= b.high[0]; ++i) {
          visit(at++, ((component * size[2] + k) * size[1] + j) * size[0] + i);
        }
      }
    }
  }
}

template <class T>
T as(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real());
  } else {
    return T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
  }
}

template <class Real, class In, class Out, class There, class Back>
void run(const vector_case& c, const box3d<>& in, const box3d<>& out, const There& there, const Back& back) {
  const auto count = [&](const box3d<>& b) {
    return static_cast<std::size_t>(b.empty() ? 0 : b.count()) * static_cast<std::size_t>(c.batch);
  };
  std::vector<In> x(count(in) + 1);
  std::vector<Out> y(count(out) + 1);
  each(in, c.shape, c.batch, [&](std::size_t at, std::int64_t k) { x[at] = as<In>(c.input(k)); });
  there(x.data(), y.data());
  double worst = 0, seen = 0;
  each(out, c.modes_shape, c.batch, [&](std::size_t at, std::int64_t k) {
    worst = std::max(worst, std::abs(std::complex<double>(y[at]) - c.expected[static_cast<std::size_t>(k)]));
    ++seen;
  });
  const double limit = (sizeof(Real) == 4 ? 2e-5 : 1e-13) * std::sqrt(c.energy);
  EXPECT_LE(worst, limit);
  EXPECT_EQ(weft::testing::sum_of(seen), static_cast<double>(c.expected.size()));
  worst = 0;
  back(y.data(), x.data());
  each(in, c.shape, c.batch, [&](std::size_t at, std::int64_t k) {
    worst = std::max(worst, std::abs(std::complex<double>(x[at]) - c.factor * c.input(k)));
  });
  EXPECT_LE(worst, limit * c.factor);
}

/// Forward from space to modes with any of heFFTe's classes, or for vectors of backward the other way.
template <class Real, class In, class Out, class Plan>
void run_with(const vector_case& c, const Plan& plan, const box3d<>& in, const box3d<>& out) {
  const auto arrays = static_cast<int>(c.batch);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.backward) {
      run<Real, In, Out>(
          c, in, out, [&](const In* a, Out* b) { plan.backward(arrays, a, b); },
          [&](const Out* a, In* b) { plan.forward(arrays, a, b); });
      return;
    }
  }
  run<Real, In, Out>(
      c, in, out, [&](const In* a, Out* b) { plan.forward(arrays, a, b); },
      [&](const Out* a, In* b) { plan.backward(arrays, a, b); });
}

template <class Real>
bool run_vector(const vector_case& c, int turn) {
  using complex = std::complex<Real>;
  if (c.axes() > 3 || !c.is_whole()) return false;
  const auto in = box_of(turned(c.shape), turn), out = box_of(turned(c.modes_shape), turn + 1);
  const std::vector<std::string> cosines(c.kinds.size(), "dct2");
  if (c.kinds.empty() && c.transform == "c2c") {
    // The classes transform from the first box to the second, or back.
    const heffte::fft3d<heffte::backend::fftw> plan(c.backward ? out : in, c.backward ? in : out, world());
    run_with<Real, complex, complex>(c, plan, in, out);
  } else if (c.kinds.empty() && c.transform == "r2c") {
    const heffte::fft3d_r2c<heffte::backend::fftw> plan(in, out, c.axes() - 1 - c.halved, world());
    run_with<Real, Real, complex>(c, plan, in, out);
  } else if (c.kinds == cosines && c.axes() == 3) {
    const heffte::rtransform<heffte::backend::fftw_cos> plan(in, out, world());
    run_with<Real, Real, Real>(c, plan, in, out);
  } else {
    return false;
  }
  return true;
}

TEST(heffte_dropin, gives_the_test_vectors) {
  int turn = weft::testing::world_size(), runs = 0, skipped = 0;
  for (const auto& c : read_vectors()) {
    SCOPED_TRACE(c.name);
    const bool ran = turn % 2 == 0 ? run_vector<double>(c, turn) : run_vector<float>(c, turn);
    ++(ran ? runs : skipped);
    if (ran) (void)(turn % 2 == 0 ? run_vector<float>(c, turn + 1) : run_vector<double>(c, turn + 1));
    ++turn;
    if (weft::testing::failed_anywhere()) return;
  }
  // heFFTe has neither four axes, nor some axes only, nor fewer modes, nor different kinds.
  EXPECT_GE(runs, 15);
  EXPECT_LE(skipped, 11);
}

}  // namespace
