// SPDX-License-Identifier: BSD-3-Clause
#include "weft_heffte/engine.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <vector>

#include "weft/weft.hpp"

namespace heffte::on_weft {

namespace {

bool is_empty(const box& b) { return b.high[0] < b.low[0] || b.high[1] < b.low[1] || b.high[2] < b.low[2]; }

weft::integer elements(const box& b) {
  return is_empty(b) ? 0 : (b.high[0] - b.low[0] + 1) * (b.high[1] - b.low[1] + 1) * (b.high[2] - b.low[2] + 1);
}

std::vector<box> gathered(const box& mine, MPI_Comm on) {
  int ranks = 0;
  MPI_Comm_size(on, &ranks);
  std::vector<box> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof(box), MPI_BYTE, all.data(), sizeof(box), MPI_BYTE, on);
  return all;
}

weft::extents world_of(const std::vector<box>& boxes) {
  weft::extents shape(3, 0);
  for (const box& b : boxes) {
    for (std::size_t a = 0; a < 3 && !is_empty(b); ++a) shape[a] = std::max<weft::integer>(shape[a], b.high[a] + 1);
  }
  return shape;
}

weft::distribution bricks_of(const weft::extents& shape, const std::vector<box>& boxes) {
  std::vector<weft::box> all;
  for (const box& b : boxes) {
    weft::box one{{0, 0, 0}, {0, 0, 0}};
    for (std::size_t a = 0; a < 3 && !is_empty(b); ++a) {
      one.low[a] = b.low[a];
      one.high[a] = b.high[a] + 1;
    }
    all.push_back(one);
  }
  return weft::distribution::bricks(shape, all);
}

/// Several arrays lie one behind the other.
weft::layout layout_of(const box& b, weft::integer arrays) {
  weft::layout result;
  result.strides.assign(3, 1);
  weft::integer stride = 1;
  for (const int axis : b.order) {
    const auto a = static_cast<std::size_t>(axis);
    result.strides[a] = stride;
    stride *= is_empty(b) ? 1 : b.high[a] - b.low[a] + 1;
  }
  if (arrays > 1) result.strides.insert(result.strides.begin(), std::max<weft::integer>(1, elements(b)));
  return result;
}

weft::normalization normalized(direction way, scale by) {
  if (by == scale::symmetric) return weft::normalization::ortho;
  if (by == scale::none) return weft::normalization::none;
  return way == direction::forward ? weft::normalization::forward : weft::normalization::backward;
}

/// Whether a plan with this normalization does in one direction what another is asked to.
bool serves(weft::normalization has, weft::normalization wanted, direction way) {
  if (has == wanted) return true;
  const bool has_factor =
      has == (way == direction::forward ? weft::normalization::forward : weft::normalization::backward);
  return wanted == weft::normalization::none && !has_factor && has != weft::normalization::ortho;
}

/// Weft's name; null for Fourier transforms.
const char* name_of(kind_of_transform kind) {
  switch (kind) {
    case kind_of_transform::cosine: return "dct2";
    case kind_of_transform::sine: return "dst2";
    case kind_of_transform::cosine1: return "dct1";
    case kind_of_transform::sine1: return "dst1";
    default: return nullptr;
  }
}

/// What backward after forward multiplies by, for one axis.
double factor_of(kind_of_transform kind, weft::integer n) {
  const auto extent = static_cast<double>(n);
  switch (kind) {
    case kind_of_transform::fourier: return extent;
    case kind_of_transform::cosine1: return 2 * (extent - 1);
    case kind_of_transform::sine1: return 2 * (extent + 1);
    default: return 2 * extent;
  }
}

template <class Real>
void to_complex(const void* from, void* to, std::size_t count) {
  const auto* const x = static_cast<const Real*>(from);
  auto* const y = static_cast<std::complex<Real>*>(to);
  for (std::size_t i = 0; i < count; ++i) y[i] = x[i];
}

template <class Real>
void to_real(const void* from, void* to, std::size_t count) {
  const auto* const x = static_cast<const std::complex<Real>*>(from);
  auto* const y = static_cast<Real*>(to);
  for (std::size_t i = 0; i < count; ++i) y[i] = x[i].real();
}

}  // namespace

struct engine::state {
  box in{}, out{};
  int real_axis = -1;
  kind_of_transform kind = kind_of_transform::fourier;
  MPI_Comm on = MPI_COMM_NULL;
  weft::extents shape;
  weft::distribution from, to;
  bool some_have_nothing = false;
  struct made {
    bool single;
    weft::integer arrays;
    bool in_place;
    weft::normalization scaling;
    weft::plan plan;
  };
  std::vector<made> plans;  // all ranks make the same in the same order

  weft::plan& plan_for(bool single, weft::integer arrays, bool in_place, weft::normalization wanted, direction way) {
    for (auto& p : plans) {
      const bool fits = p.single == single && p.arrays == arrays && p.in_place == in_place;
      if (fits && serves(p.scaling, wanted, way)) return p.plan;
    }
    weft::problem what{.shape = shape};
    what.kind = real_axis >= 0 ? weft::transform_kind::r2c : weft::transform_kind::c2c;
    what.element = single ? weft::precision::f32 : weft::precision::f64;
    what.real_axis = real_axis;
    if (const char* name = name_of(kind)) {
      what.kind = weft::transform_kind::r2r;
      what.kinds.assign(3, name);
    }
    what.batch = arrays;
    what.in = from;
    what.out = to;
    weft::options how;
    how.scaling = wanted;
    how.in_place = in_place;
    how.input_layout = layout_of(in, arrays);
    how.output_layout = layout_of(out, arrays);
    plans.push_back({single, arrays, in_place, wanted, weft::plan(what, on, how)});
    return plans.back().plan;
  }

  /// All ranks must say the same; those without elements have no pointers to tell by.
  [[nodiscard]] bool in_place(const void* a, const void* b) const {
    int same = a == b && (elements(in) > 0 || elements(out) > 0) ? 1 : 0;
    if (some_have_nothing) MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MAX, on);
    return same != 0;
  }
};

engine::engine(const box& in, const box& out, int real_axis, kind_of_transform kind, MPI_Comm comm)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.in = in;
  s.out = out;
  s.real_axis = real_axis;
  s.kind = kind;
  s.on = comm;
  const auto all_in = gathered(in, comm), all_out = gathered(out, comm);
  s.shape = world_of(all_in);
  weft::extents modes = s.shape;
  if (real_axis > 2)
    throw std::invalid_argument("the r2c direction is " + std::to_string(real_axis) + "; use 0, 1 or 2");
  if (real_axis >= 0) modes[static_cast<std::size_t>(real_axis)] = s.shape[static_cast<std::size_t>(real_axis)] / 2 + 1;
  if (world_of(all_out) != modes) {
    throw std::invalid_argument("the output boxes do not have the extents that belong to those of the input boxes");
  }
  s.from = bricks_of(s.shape, all_in);
  s.to = bricks_of(modes, all_out);
  for (std::size_t r = 0; r < all_in.size(); ++r) {
    s.some_have_nothing = s.some_have_nothing || (is_empty(all_in[r]) && is_empty(all_out[r]));
  }
}
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;
engine::~engine() = default;

double engine::scale_factor() const {
  double n = 1;
  for (const auto e : state_->shape) n *= factor_of(state_->kind, e);
  return 1 / n;
}

void engine::run(direction way, element_types of, long long arrays, const void* in, void* out, void* workspace,
                 scale by) const {
  if (arrays < 1) return;
  state& s = *state_;
  // Real data of a transform of complex ones.
  const bool convert = of.real && s.real_axis < 0 && s.kind == kind_of_transform::fourier;
  std::vector<std::complex<double>> own;
  const auto count = static_cast<std::size_t>(elements(s.in) * arrays);
  if (convert && workspace == nullptr) {
    own.resize(of.single ? (count + 1) / 2 : count);
    workspace = own.data();
  }
  const void* read = in;
  void* write = out;
  if (convert && way == direction::forward) {
    of.single ? to_complex<float>(in, workspace, count) : to_complex<double>(in, workspace, count);
    read = workspace;
  }
  if (convert && way == direction::backward) write = workspace;
  const bool in_place = !convert && s.in_place(read, write);
  weft::plan& p = s.plan_for(of.single, arrays, in_place, normalized(way, by), way);
  if (way == direction::forward) {
    p.forward(read, write);
  } else {
    p.backward(read, write);
  }
  if (convert && way == direction::backward) {
    of.single ? to_real<float>(workspace, out, count) : to_real<double>(workspace, out, count);
  }
}

}  // namespace heffte::on_weft
