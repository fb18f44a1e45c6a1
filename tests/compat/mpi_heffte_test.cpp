// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's classes on Weft against sums over all elements: random boxes, orders, types, scales and numbers of arrays.
#include "heffte.h"

#include <cmath>
#include <numbers>

#include "../dice.hpp"
#include "../mpi_support.hpp"

namespace {

using heffte::box3d;
using heffte::scale;
using weft::testing::dice;
using weft::testing::failed_anywhere;
using weft::testing::world;
using shape = std::array<int, 3>;
using complexes = std::vector<std::complex<double>>;

std::size_t volume(const shape& n) { return static_cast<std::size_t>(n[0]) * n[1] * n[2]; }
std::size_t position(const shape& n, int i, int j, int k) {
  return (static_cast<std::size_t>(k) * n[1] + static_cast<std::size_t>(j)) * n[0] + static_cast<std::size_t>(i);
}

/// By its definition, one axis after the other; `sign` -1 is forward.
complexes fourier(complexes x, const shape& n, int sign) {
  const std::array<std::size_t, 3> stride = {1, static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[0]) * n[1]};
  for (std::size_t a = 0; a < 3; ++a) {
    complexes y(x.size());
    for (std::size_t at = 0; at < x.size(); ++at) {
      const auto mode = at / stride[a] % n[a], first = at - mode * stride[a];
      for (std::size_t i = 0; i < static_cast<std::size_t>(n[a]); ++i) {
        const double angle = sign * 2 * std::numbers::pi * static_cast<double>(i * mode % n[a]) / n[a];
        y[at] += x[first + i * stride[a]] * std::polar(1.0, angle);
      }
    }
    x = y;
  }
  return x;
}

/// Boxes for all ranks: a grid's, dealt out in any order, some ranks without; each rank's memory in an order of its
/// own.
std::vector<box3d<>> draw_boxes(dice& d, const shape& n) {
  const int ranks = weft::testing::world_size();
  const box3d<> all({0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1});
  std::array<int, 3> grid{};
  do {
    const int used = d.once_in(4) ? d.small(1, ranks) : ranks;
    const int i = d.small(1, used), j = d.small(1, used / i);
    grid = {i, j, used / (i * j)};
  } while (grid[0] > n[0] || grid[1] > n[1] || grid[2] > n[2]);
  std::vector<box3d<>> cut = heffte::split_world(all, grid);
  while (cut.size() < static_cast<std::size_t>(ranks)) cut.emplace_back(shape{0, 0, 0}, shape{-1, -1, -1});
  std::vector<std::size_t> dealt;
  for (std::size_t r = 0; r < cut.size(); ++r) dealt.push_back(r);
  d.shuffle(dealt);
  std::vector<box3d<>> result;
  for (const std::size_t r : dealt) {
    std::vector<int> order = {0, 1, 2};
    if (d.once_in(2)) d.shuffle(order);
    result.emplace_back(cut[r].low, cut[r].high, std::array<int, 3>{order[0], order[1], order[2]});
  }
  return result;
}

/// Visits a box's elements in the order of memory.
template <class Visit>
void each(const box3d<>& b, Visit visit) {
  if (b.empty()) return;
  shape i{};
  const auto f = b.order;
  for (i[f[2]] = b.low[f[2]]; i[f[2]] <= b.high[f[2]]; ++i[f[2]]) {
    for (i[f[1]] = b.low[f[1]]; i[f[1]] <= b.high[f[1]]; ++i[f[1]]) {
      for (i[f[0]] = b.low[f[0]]; i[f[0]] <= b.high[f[0]]; ++i[f[0]]) visit(i);
    }
  }
}

template <class T>
std::vector<T> part_of(const std::vector<complexes>& global, const shape& n, const box3d<>& b) {
  std::vector<T> local;
  for (const auto& one : global) {
    each(b, [&](const shape& i) {
      const auto v = one[position(n, i[0], i[1], i[2])];
      if constexpr (std::is_floating_point_v<T>) {
        local.push_back(static_cast<T>(v.real()));
      } else {
        local.push_back({static_cast<typename T::value_type>(v.real()), static_cast<typename T::value_type>(v.imag())});
      }
    });
  }
  return local;
}

template <class T>
double distance(const T* a, const std::vector<T>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max<double>(worst, std::abs(a[i] - b[i]));
  return worst;
}

double factor(scale by, double elements) {
  return by == scale::none ? 1 : by == scale::full ? 1 / elements : 1 / std::sqrt(elements);
}

/// Space: the type before, always complex of that precision behind. Real axis: -1 for fft3d.
template <class Space, class Plan>
void there_and_back(dice& d, const Plan& plan, const shape& n, int real_axis, const box3d<>& in, const box3d<>& out) {
  using real = typename heffte::fft3d<heffte::backend::fftw>::real_of<Space>::type;
  using spectral = std::complex<real>;
  const auto elements = static_cast<double>(volume(n));
  const int arrays = d.once_in(2) ? 1 : d.small(1, 3);
  const bool space_is_real = std::is_floating_point_v<Space>;
  std::vector<complexes> before(static_cast<std::size_t>(arrays), complexes(volume(n))), behind;
  for (auto& x : before) {
    for (auto& v : x) v = {d.unit() - 0.5, space_is_real ? 0 : d.unit() - 0.5};
    behind.push_back(fourier(x, n, -1));
  }
  shape modes = n;
  if (real_axis >= 0) {
    modes[real_axis] = n[real_axis] / 2 + 1;
    for (auto& x : behind) {
      complexes half(volume(modes));
      for (int k = 0; k < modes[2]; ++k) {
        for (int j = 0; j < modes[1]; ++j) {
          for (int i = 0; i < modes[0]; ++i) half[position(modes, i, j, k)] = x[position(n, i, j, k)];
        }
      }
      x = half;
    }
  }
  const auto by = d.pick<scale>({scale::none, scale::full, scale::symmetric});
  const auto f = static_cast<real>(factor(by, elements));
  auto x = part_of<Space>(before, n, in);
  auto y = part_of<spectral>(behind, modes, out);
  for (auto& v : y) v *= f;
  const double limit = (sizeof(real) == 4 ? 2e-5 : 3e-14) * elements * std::max<double>(f, 1 / elements);
  const bool in_place = d.once_in(3);
  std::vector<spectral> room(std::max(x.size(), y.size()) + 1),
      workspace(plan.size_workspace() * static_cast<std::size_t>(arrays));
  auto* const as_space = reinterpret_cast<Space*>(room.data());
  if (in_place) {
    std::copy(x.begin(), x.end(), as_space);
    plan.forward(arrays, as_space, room.data(), by);
  } else if (d.once_in(2)) {
    plan.forward(arrays, x.data(), room.data(), workspace.data(), by);
  } else {
    plan.forward(arrays, x.data(), room.data(), by);
  }
  EXPECT_LT(distance(room.data(), y), limit) << "forward, in place " << in_place << ", arrays " << arrays;
  const auto back = d.pick<scale>({scale::none, scale::full, scale::symmetric});
  const auto g = static_cast<real>(factor(back, elements) * elements * f);
  for (auto& v : x) v *= g;
  std::vector<Space> z(x.size() + 1);
  if (in_place) {
    plan.backward(arrays, room.data(), as_space, back);
    std::copy_n(as_space, x.size(), z.begin());
  } else {
    plan.backward(arrays, y.data(), z.data(), workspace.data(), back);
  }
  EXPECT_LT(distance(z.data(), x), (sizeof(real) == 4 ? 2e-5 : 3e-14) * elements * std::max<double>(g, 1e-3))
      << "backward";
}

TEST(heffte_dropin, transforms_any_boxes) {
  for (const auto seed : weft::testing::seeds(16)) {
    SCOPED_TRACE(weft::testing::rerun(seed));
    dice d(seed);
    const shape n = {d.small(1, 9), d.small(1, 9), d.once_in(4) ? 1 : d.small(1, 9)};
    const int real_axis = d.once_in(2) ? -1 : d.small(0, 2);
    shape modes = n;
    if (real_axis >= 0) modes[real_axis] = n[real_axis] / 2 + 1;
    const auto ins = draw_boxes(d, n), outs = draw_boxes(d, modes);
    const auto me = static_cast<std::size_t>(weft::testing::world_rank());
    if (real_axis < 0) {
      const heffte::fft3d<heffte::backend::fftw> plan(ins[me], outs[me], world());
      EXPECT_EQ(plan.size_inbox(), ins[me].count());
      EXPECT_EQ(plan.size_outbox(), outs[me].count());
      there_and_back<std::complex<double>>(d, plan, n, -1, ins[me], outs[me]);
      there_and_back<std::complex<float>>(d, plan, n, -1, ins[me], outs[me]);
      there_and_back<double>(d, plan, n, -1, ins[me], outs[me]);
      there_and_back<float>(d, plan, n, -1, ins[me], outs[me]);
    } else {
      const heffte::fft3d_r2c<heffte::backend::stock> plan(ins[me], outs[me], real_axis, world());
      there_and_back<double>(d, plan, n, real_axis, ins[me], outs[me]);
      there_and_back<float>(d, plan, n, real_axis, ins[me], outs[me]);
    }
    if (failed_anywhere()) return;
  }
}

/// FFTW's definitions, along one axis of an array with so many elements before and behind it.
std::vector<double> along(const std::string& kind, const std::vector<double>& x, int n, int stride) {
  std::vector<double> y(x.size());
  const double pi = std::acos(-1.0);
  const auto term = [&](int j, int k) {
    if (kind == "cos") return 2 * std::cos(pi * (j + 0.5) * k / n);
    if (kind == "sin") return 2 * std::sin(pi * (j + 0.5) * (k + 1) / n);
    if (kind == "cos1") return (j == 0 || j == n - 1 ? 1 : 2) * std::cos(pi * j * k / (n - 1));
    return 2 * std::sin(pi * (j + 1.0) * (k + 1) / (n + 1));
  };
  for (std::size_t at = 0; at < x.size(); ++at) {
    const int k = static_cast<int>(at) / stride % n;
    for (int j = 0; j < n; ++j) y[at] += term(j, k) * x[at + static_cast<std::size_t>((j - k) * stride)];
  }
  return y;
}

template <class Backend, class Real>
void check_rtransform(dice& d, const std::string& kind) {
  const int least = kind == "cos1" ? 2 : 1;
  const shape n = {d.small(least, 7), d.small(least, 7), d.small(least, 7)};
  SCOPED_TRACE(kind + " of " + std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]));
  const auto ins = draw_boxes(d, n), outs = draw_boxes(d, n);
  const auto me = static_cast<std::size_t>(weft::testing::world_rank());
  const heffte::rtransform<Backend> plan(ins[me], outs[me], world());
  std::vector<double> all(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  for (auto& v : all) v = d.unit() - 0.5;
  auto modes = along(kind, along(kind, along(kind, all, n[0], 1), n[1], n[0]), n[2], n[0] * n[1]);
  const auto part = [&](const std::vector<double>& whole, const box3d<>& b) {
    std::vector<Real> mine(static_cast<std::size_t>(b.count()));
    shape size = {b.high[0] - b.low[0] + 1, b.high[1] - b.low[1] + 1, b.high[2] - b.low[2] + 1}, i{};
    for (std::size_t at = 0; at < mine.size(); ++at) {
      int rest = static_cast<int>(at);
      for (const int axis : b.order) {
        const auto a = static_cast<std::size_t>(axis);
        i[a] = rest % size[a] + b.low[a];
        rest /= size[a];
      }
      mine[at] = static_cast<Real>(
          whole[static_cast<std::size_t>((static_cast<std::ptrdiff_t>(i[2]) * n[1] + i[1]) * n[0] + i[0])]);
    }
    return mine;
  };
  const double limit = sizeof(Real) == 4 ? 2e-4 : 1e-12;
  const auto x = part(all, ins[me]);
  auto y = plan.forward(x);
  static_assert(std::is_same_v<decltype(y), std::vector<Real>>);
  EXPECT_LT(distance(y.data(), part(modes, outs[me])), limit) << "forward";
  EXPECT_LT(distance(plan.backward(y, scale::full).data(), x), limit) << "there and back";
  for (auto& v : modes) v *= plan.get_scale_factor(scale::full);
  plan.forward(x.data(), y.data(), scale::full);
  EXPECT_LT(distance(y.data(), part(modes, outs[me])), limit) << "forward with a factor";
}

TEST(heffte_dropin, transforms_by_cosines_and_sines) {
  for (const auto seed : weft::testing::seeds(3)) {
    SCOPED_TRACE(weft::testing::rerun(seed));
    dice d(seed);
    check_rtransform<heffte::backend::fftw_cos, double>(d, "cos");
    check_rtransform<heffte::backend::fftw_sin, float>(d, "sin");
    check_rtransform<heffte::backend::fftw_cos1, float>(d, "cos1");
    check_rtransform<heffte::backend::fftw_sin1, double>(d, "sin1");
    if (failed_anywhere()) return;
  }
}

TEST(heffte_dropin, vectors_and_factors) {
  const int ranks = weft::testing::world_size(), me = weft::testing::world_rank();
  const box3d<> all({0, 0, 0}, {13, 8, 6});
  const auto boxes = heffte::split_world(all, heffte::proc_setup_min_surface(all, ranks));
  const auto plan = heffte::make_fft3d<heffte::backend::mkl>(boxes[me], boxes[me], world());
  std::vector<double> x(static_cast<std::size_t>(plan.size_inbox()), 1.0);
  const auto y = plan.forward(x, scale::full);
  const auto z = plan.backward_real(y);
  static_assert(std::is_same_v<decltype(y), const std::vector<std::complex<double>>>);
  static_assert(std::is_same_v<decltype(z), const std::vector<double>>);
  EXPECT_LT(distance(z.data(), x), 1e-13);
  EXPECT_DOUBLE_EQ(plan.get_scale_factor(scale::full), 1.0 / (14 * 9 * 7));
  EXPECT_DOUBLE_EQ(plan.get_scale_factor(scale::symmetric), std::sqrt(1.0 / (14 * 9 * 7)));
  x.pop_back();
  EXPECT_THROW((void)plan.forward(x), std::invalid_argument);
  // boxes that overlap, or whose extents do not belong together, on all ranks alike
  using plan_type = heffte::fft3d<heffte::backend::fftw>;
  if (ranks > 1) {
    EXPECT_THROW(plan_type(all, all, world()), std::runtime_error);
  }
  EXPECT_THROW(plan_type(boxes[me], box3d<>({0, 0, 0}, {3, 3, 3}), world()), std::invalid_argument);
}

TEST(heffte_dropin, cuts_worlds_as_heffte_does) {
  const box3d<> all({0, 0, 0}, {9, 19, 29});
  EXPECT_EQ(heffte::proc_setup_min_surface(all, 1), (shape{1, 1, 1}));
  EXPECT_EQ(heffte::proc_setup_min_surface(all, 4), (shape{1, 2, 2}));
  EXPECT_EQ(heffte::proc_setup_min_surface(all, 7), (shape{1, 1, 7}));
  EXPECT_EQ(heffte::make_procgrid(12), (std::array<int, 2>{3, 4}));
  const auto boxes = heffte::split_world(all, {2, 1, 3});
  ASSERT_EQ(boxes.size(), 6U);
  EXPECT_EQ(boxes[1], box3d<>({5, 0, 0}, {9, 19, 9}));
  EXPECT_EQ(boxes[2], box3d<>({0, 0, 10}, {4, 19, 19}));
  EXPECT_TRUE(heffte::world_complete(boxes, all));
  EXPECT_EQ(heffte::find_world(boxes), all);
  EXPECT_EQ(all.r2c(0), box3d<>({0, 0, 0}, {5, 19, 29}));
}

}  // namespace
