// SPDX-License-Identifier: BSD-3-Clause
// One generator of random problems, for ranks in one process and for real ranks.
//
// Names of algorithms and engines come from the library's own tables: a new one is drawn as soon as it
// is there.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "brute.hpp"
#include "planner/limits.hpp"
#include "weft/problem.hpp"
#include "weft/version.hpp"

namespace weft::testing {

/// A problem, its options without layouts, and what else a test needs to know of the draw.
struct drawn {
  problem what;
  options how;
  int ranks = 1;
  std::uint64_t seed = 0;
  planner::test_limits limits;
  bool shared_arrays = false;  ///< made by the plan, rather than memory of the test's own
  bool strided = false;        ///< the arrays get random layouts
  bool padded_real = false;    ///< those of an in-place real transform share the starts of their lines
};

inline bool real_input(const problem& p) { return p.kind != transform_kind::c2c; }
inline bool real_output(const problem& p) { return p.kind == transform_kind::r2r; }

inline int real_axis_of(const problem& p) {
  if (!p.kinds.empty()) {
    const auto found = std::ranges::find(p.kinds, "r2c");
    return found == p.kinds.end() ? -1 : static_cast<int>(found - p.kinds.begin());
  }
  if (p.kind == transform_kind::c2c) return -1;
  if (p.real_axis >= 0) return p.real_axis;
  return p.axes.empty() ? static_cast<int>(p.shape.size()) - 1 : *std::max_element(p.axes.begin(), p.axes.end());
}

inline std::vector<int> axes_of(const problem& p) {
  std::vector<int> axes = p.axes;
  if (axes.empty()) {
    for (int l = 0; l < static_cast<int>(p.shape.size()); ++l) {
      if (p.kinds.empty() || p.kinds[at(l)] != "none") axes.push_back(l);
    }
  }
  return axes;
}

/// What backward after forward multiplies by.
inline double size_of(const problem& p) {
  double size = 1;
  for (const int a : axes_of(p)) {
    const auto n = static_cast<double>(p.shape[at(a)]);
    const std::string kind = p.kinds.empty() ? "c2c" : p.kinds[at(a)];
    if (kind == "c2c" || kind == "r2c" || n == 0) {
      size *= n;
    } else {
      size *= kind == "dct1" ? 2 * (n - 1) : kind == "dst1" ? 2 * (n + 1) : 2 * n;
    }
  }
  return size;
}

inline const extents& modes_of(const problem& p) { return p.modes.empty() ? p.shape : p.modes; }

/// Whether an element of the output is a mode: where a real transform keeps fewer modes than there are, and an even
/// number, the one at half of them is none.
inline bool is_mode(const problem& p, std::span<const integer> i) {
  if (real_axis_of(p) < 0) return true;
  for (const int a : axes_of(p)) {
    const bool fourier = p.kinds.empty() || p.kinds[at(a)] == "c2c" || p.kinds[at(a)] == "r2c";
    if (fourier && modes_of(p)[at(a)] < p.shape[at(a)] && 2 * i[at(a)] == modes_of(p)[at(a)]) return false;
  }
  return true;
}

inline extents inside(const extents& shape, const box& part) {
  extents result = shape;
  for (std::size_t l = 0; l < part.low.size(); ++l) result[l] = part.high[l] - part.low[l];
  return result;
}

/// Of the array before transforms, and after them.
inline extents given_shape(const problem& p) { return inside(p.shape, p.input_box); }
inline extents half_shape(const problem& p) {
  if (!p.output_box.low.empty()) return inside(p.shape, p.output_box);
  extents half = modes_of(p);
  const int axis = real_axis_of(p);
  if (axis >= 0 && half[at(axis)] > 0) half[at(axis)] = half[at(axis)] / 2 + 1;
  return half;
}

/// Any kind for each axis, but r2c once at most; then the arrays are what these make of them.
inline void draw_kinds(dice& d, problem& p) {
  const std::vector<std::string> cosines{"dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  const bool all_real = d.once_in(2);
  bool has_r2c = false, has_c2c = false, any = false;
  for (std::size_t l = 0; l < p.shape.size(); ++l) {
    std::string kind = d.pick(cosines);
    if (d.once_in(5)) {
      kind = "none";
    } else if (!all_real && d.once_in(2)) {
      kind = !has_r2c && d.once_in(2) ? "r2c" : "c2c";
    }
    has_r2c = has_r2c || kind == "r2c";
    has_c2c = has_c2c || kind == "c2c";
    any = any || kind != "none";
    p.kinds.push_back(kind);
  }
  if (!any) p.kinds.back() = "dst2";
  p.kind = has_r2c ? transform_kind::r2c : has_c2c ? transform_kind::c2c : transform_kind::r2r;
}

/// Fewer modes along some of the transformed axes.
inline void draw_modes(dice& d, problem& p) {
  p.modes = p.shape;
  for (const int a : axes_of(p)) {
    if (p.shape[at(a)] > 0 && !d.once_in(3)) p.modes[at(a)] = d.between(1, p.shape[at(a)]);
  }
}

/// One or two modes of some axes, and one or two elements of some.
inline void draw_few(dice& d, problem& p) {
  p.input_box = {extents(p.shape.size(), 0), p.shape};
  for (const int a : axes_of(p)) {
    if (p.shape[at(a)] == 0) continue;
    const integer count = std::min<integer>(p.shape[at(a)], d.small(1, 2));
    if (d.once_in(2)) p.modes[at(a)] = std::min<integer>(p.shape[at(a)], d.small(1, 4));
    if (d.once_in(2)) continue;
    p.input_box.low[at(a)] = d.once_in(2) ? 0 : d.between(0, p.shape[at(a)] - count);
    p.input_box.high[at(a)] = p.input_box.low[at(a)] + count;
  }
}

/// Part of `shape` along some of the transformed axes.
inline box draw_box(dice& d, const problem& p, const extents& shape) {
  box part{extents(shape.size(), 0), shape};
  for (const int a : axes_of(p)) {
    if (shape[at(a)] == 0 || d.once_in(4)) continue;
    part.low[at(a)] = d.once_in(3) ? 0 : d.between(0, shape[at(a)] - 1);
    part.high[at(a)] = d.once_in(3) ? shape[at(a)] : d.between(part.low[at(a)] + 1, shape[at(a)]);
  }
  return part;
}

/// The grid for texts without one must use every rank.
inline std::string full_grid(dice& d, int ranks, int axes) {
  std::vector<int> shape(at(d.between(1, axes)), 1);
  for (int left = ranks, f = 2; left > 1; ++f) {
    for (; left % f == 0; left /= f) shape[at(d.between(0, static_cast<integer>(shape.size()) - 1))] *= f;
  }
  return grid(shape).text();
}

/// A plan takes a zig-zag split of either kind only where twice its points divide what it deals; others become cyclic.
/// `n` is the extent of the real side.
inline chain plannable(chain splits, integer n, const grid& on) {
  for (auto& s : splits) {
    const integer points = on[s.grid_axis];
    const bool mirrors = s.how == split::kind::zigzag || s.how == split::kind::half_zigzag;
    if (mirrors && (n < 0 || n % (2 * points) != 0)) s.how = split::kind::cyclic;
    n = n % points == 0 ? n / points : -1;
  }
  return splits;
}

inline distribution plannable(const distribution& how, const extents& real_shape) {
  if (how.is_bricks()) return how;
  auto chains = how.chains();
  for (std::size_t l = 0; l < chains.size(); ++l) chains[l] = plannable(std::move(chains[l]), real_shape[l], how.on());
  return {how.shape(), how.on(), std::move(chains)};
}

/// `real_shape`: with the axis that is halved, if it is, as it was before.
inline wanted random_wanted(dice& d, const drawn& so_far, const extents& shape, const extents& real_shape) {
  switch (d.small(0, 5)) {
    case 0: return "brick";
    case 1: return plannable(random_distribution(d, shape, so_far.ranks), real_shape).text();
    case 2:
      if (so_far.how.grid != "auto") {
        const grid on = grid::parse(so_far.how.grid);
        return plannable({shape, on, random_chains(d, shape.size(), on)}, real_shape).chains_text();
      }
      // Just the chains: the library finds a grid. A small one here keeps the numbers of its axes small.
      return [&] {
        const grid on = random_grid(d, so_far.ranks, 3);
        const extents unknown(shape.size(), -1);  // which points a split will have
        auto chains = random_chains(d, shape.size(), on);
        for (auto& splits : chains) {
          for (auto& s : splits) s.first = 0;
        }
        return plannable({shape, on, std::move(chains)}, unknown).chains_text();
      }();
    case 3: return random_bricks(d, shape, so_far.ranks);
    case 4: return plannable(random_distribution(d, shape, so_far.ranks), real_shape);
    default: return "any";
  }
}

/// A real array with one axis of cosines dealt to several ranks so that it can be transformed by them, by chance from
/// or to other distributions. Other axes have any kind that takes real elements.
inline void draw_split_cosines(dice& d, problem& p, int ranks, integer most_elements) {
  const std::vector<std::string> others{"none", "none", "dct1", "dct2", "dct3", "dst2", "dst4"};
  const auto axis = at(d.between(0, static_cast<integer>(p.shape.size()) - 1));
  const int points = d.small(2, std::min(ranks, 8));
  p.axes.clear();
  p.real_axis = -1;
  p.kind = transform_kind::r2r;
  p.kinds.clear();
  p.shape[axis] = 1;
  const integer n = integer{2} * points * points * d.between(1, 3);
  for (std::size_t l = 0; l < p.shape.size(); ++l) {
    if (n * volume(p.shape) * p.batch > 4 * most_elements) p.shape[l] = 1;
    p.kinds.push_back(p.shape[l] == 1 ? "dct4" : d.pick(others));
  }
  p.shape[axis] = n;
  p.kinds[axis] = d.pick<std::string>({"dct2", "dct3", "dct4"});
  std::vector<chain> in(p.shape.size()), out(p.shape.size());
  std::vector<int> shape{points};
  in[axis] = {{split::kind::half_zigzag, 0, 1}};
  draw_first(d, in[axis].back(), points);
  out[axis] = in[axis];
  if (p.kinds[axis] != "dct4") out[axis].back().how = split::kind::zigzag;
  const auto other = at(d.between(0, static_cast<integer>(p.shape.size()) - 1));
  if (p.kinds[other] == "none" && 2 * points <= ranks && d.once_in(2)) {
    in[other] = out[other] = {random_split(d, 1)};
    shape.push_back(ranks / points);
  }
  if (p.kinds[axis] == "dct3") std::swap(in, out);
  const distribution from(p.shape, grid(shape), std::move(in)), to(p.shape, grid(shape), std::move(out));
  p.in = d.once_in(4) ? wanted("any") : plannable(from, p.shape);
  switch (d.small(0, 3)) {
    case 0: p.out = "any"; break;
    case 1: p.out = plannable(random_distribution(d, p.shape, ranks), p.shape); break;
    default: p.out = plannable(to, p.shape);
  }
  if (d.once_in(6)) p.in = plannable(random_distribution(d, p.shape, ranks), p.shape);
}

/// Algorithms that are parallel inside an axis. They want extents that few draws have by chance.
inline std::vector<std::string> inside_axis_names() { return {"cyclic", "volumetric", "mixed", "groupcyclic"}; }

/// What a draw is about: anything, axes that are transformed by several ranks, few axes with long lines, arrays of so
/// few elements, mostly real and in place, that ranks own nothing or very little, boxes whose faces do not line up, or
/// few modes of few elements, where passes have hardly anything to load and store zeros.
enum class topic : char { anything, inside_axes, long_lines, tiny, ragged, cut };

/// Which kinds axes may have: any, and fewer modes too, or Fourier transforms of all modes.
enum class drawn_kinds : char { any, fourier };

inline drawn draw_problem(std::uint64_t seed, int ranks, integer most_elements, topic about = topic::anything,
                          drawn_kinds kinds = drawn_kinds::any) {
  dice d(seed);
  drawn made;
  made.ranks = ranks;
  made.seed = seed;
  problem& p = made.what;
  options& o = made.how;
  const bool ragged = about == topic::ragged;
  const int axes = ragged ? d.small(2, 4) : d.small(1, about == topic::long_lines ? 3 : 6);
  p.batch = d.once_in(4) ? d.between(2, 3) : 1;
  // More components than a vector has lanes, and not twice as many.
  if (dice many(seed ^ 0xc0c0a); !ragged && many.once_in(16)) p.batch = many.between(9, 17);
  p.interleaved = dice(seed ^ 0x1ea7eaf).once_in(2);
  if (about == topic::tiny) most_elements = p.batch * d.between(1, 6 * ranks);
  p.shape = about == topic::long_lines ? long_shape(d, axes, most_elements / p.batch)
                                       : random_shape(d, axes, most_elements / p.batch);
  const bool tiny = about == topic::tiny;
  p.kind = (tiny ? !d.once_in(4) : d.once_in(2)) ? transform_kind::r2c : transform_kind::c2c;
  p.element = d.once_in(2) ? precision::f32 : precision::f64;
  if (kinds == drawn_kinds::any && d.once_in(about == topic::inside_axes ? 8 : 3)) {
    draw_kinds(d, p);
  } else if (d.once_in(3)) {
    p.axes = axes_of(p);
    d.shuffle(p.axes);
    p.axes.resize(at(d.between(1, axes)));
  }
  if (p.kind == transform_kind::r2c && p.kinds.empty() && !d.once_in(3)) p.real_axis = d.pick(axes_of(p));
  const bool few = about == topic::cut;
  const bool may_cut = kinds == drawn_kinds::any && about != topic::inside_axes && !few;
  dice boxes(seed ^ 0x626F786573U);
  if (few) {
    p.modes = p.shape;
    draw_few(boxes, p);
  }
  if (may_cut && boxes.once_in(5)) p.input_box = draw_box(boxes, p, p.shape);
  const extents given = given_shape(p);
  const bool cyclic = p.input_box.low.empty() && !ragged && (about == topic::inside_axes || d.once_in(5));
  if (cyclic) {
    p.in = random_cyclic(d, p.shape, ranks, most_elements / p.batch);
  } else if (ragged) {
    p.in = random_bricks(d, given, ranks);
  } else {
    if (d.once_in(4)) o.grid = full_grid(d, ranks, axes);
    p.in = random_wanted(d, made, given, given);
  }
  for (std::size_t l = 0; l < p.kinds.size(); ++l) {
    if (p.kinds[l] == "dct1" && p.shape[l] == 1) p.kinds[l] = "dct2";
  }
  const extents all_modes = half_shape(p);
  if (may_cut && d.once_in(4)) {
    draw_modes(d, p);
  } else if (may_cut && boxes.once_in(5)) {
    p.output_box = draw_box(boxes, p, all_modes);
  }
  // A box of all modes is as good as none: the halved axis counts as a whole then.
  const bool whole = p.output_box.low.empty() || half_shape(p) == all_modes;
  const extents counted = whole ? modes_of(p) : inside(modes_of(p), p.output_box);
  p.out = d.once_in(cyclic ? 2 : 4) ? wanted("same") : random_wanted(d, made, half_shape(p), counted);

  const auto name_from = [&](const std::vector<std::string>& names) { return d.once_in(4) ? "auto" : d.pick(names); };
  o.algorithm = d.once_in(2) ? "auto" : d.pick(about == topic::inside_axes ? inside_axis_names() : algorithm_names());
  o.exchange = name_from(exchange_names());
  o.local = name_from(local_names());
  o.scaling = static_cast<normalization>(d.small(0, 3));
  o.in_place = tiny ? !d.once_in(3) : d.once_in(3);
  o.destroy_input = d.once_in(3);
  if (d.once_in(3)) made.limits.count = d.between(2, 9);
  if (ragged || d.once_in(3)) made.limits.cells_per_box = 1;
  if (d.once_in(4)) o.threads = d.small(2, 3);
  if (d.once_in(2)) made.limits.ranks_per_node = d.small(1, 3);
  made.strided = d.once_in(3);
  made.padded_real = made.strided && o.in_place && p.kind == transform_kind::r2c && d.once_in(2);
  // For builds that look for races: several threads in every draw.
  if (const char* most = std::getenv("WEFT_THREADS")) o.threads = 2 + static_cast<int>(seed % (std::stoull(most) - 1));
  if (dice cosines(seed ^ 0x636F73U);
      about == topic::inside_axes && kinds == drawn_kinds::any && ranks > 1 && cosines.once_in(7)) {
    draw_split_cosines(cosines, p, ranks, most_elements);
    o.grid = "auto";
    if (o.local == "gpu") o.local = "auto";  // devices have no digits of cosines
    made.padded_real = false;
  }
  // Random problems are small: ranks would be idle most of the time.
  o.idle_ranks = d.once_in(6);
  made.shared_arrays = d.once_in(3);
  if (made.shared_arrays && !d.once_in(4)) {  // mostly where they are of use
    o.exchange = d.once_in(2) ? "window" : "auto";
    o.in_place = d.once_in(2);
    made.limits.ranks_per_node = 0;
    made.strided = made.padded_real = false;
  }
  return made;
}

/// Some draws tolerate messages of half the bytes on any way, some too little for that: for tests that compare values
/// rather than bits.
inline void draw_tolerance(drawn& t) {
  dice d(t.seed ^ 0x746F6C6572U);
  if (d.once_in(3)) t.how.peer_timeout = 0;           // waits in another way
  if (!d.once_in(4) || t.how.local == "gpu") return;  // which moves whole elements only
  t.how.message_tolerance = d.once_in(4) ? 1e-12 : t.what.element == precision::f64 ? 1e-6 : 0.03;
}

/// Everything about a draw, to print when it fails.
inline std::string describe(const drawn& t) {
  const auto yes = [](bool b, const char* word) { return b ? std::string(" ") + word : std::string(); };
  std::string axes;
  for (const int a : t.what.axes) axes += (axes.empty() ? "" : ",") + std::to_string(a);
  std::string kinds;
  for (const auto& name : t.what.kinds) kinds += (kinds.empty() ? "" : ",") + name;
  if (kinds.empty()) kinds = t.what.kind == transform_kind::r2c ? "r2c" : "c2c";
  return kinds + " " + (t.what.element == precision::f32 ? "f32 " : "f64 ") + to_text(t.what.shape) + " modes " +
         to_text(t.what.modes) + " boxes " + to_text(t.what.input_box.low) + " to " + to_text(t.what.input_box.high) +
         ", " + to_text(t.what.output_box.low) + " to " + to_text(t.what.output_box.high) + " axes (" + axes +
         ") real axis " + std::to_string(t.what.real_axis) + " batch " + std::to_string(t.what.batch) +
         (t.what.interleaved ? " interleaved in " : " in ") + t.what.in.full_text() + " out " + t.what.out.full_text() +
         " grid " + t.how.grid + " ranks " + std::to_string(t.ranks) + " algorithm " + t.how.algorithm + " exchange " +
         t.how.exchange + " local " + t.how.local + " scaling " + std::to_string(static_cast<int>(t.how.scaling)) +
         " count limit " + std::to_string(t.limits.count) + " cells per box " + std::to_string(t.limits.cells_per_box) +
         " threads " + std::to_string(t.how.threads) + " ranks per node " + std::to_string(t.limits.ranks_per_node) +
         (t.limits.own_devices ? " own devices" : "") + " message tolerance " +
         std::to_string(t.how.message_tolerance) + yes(t.how.in_place, "in_place") +
         yes(t.how.destroy_input, "destroy_input") + yes(t.shared_arrays, "shared_arrays") +
         yes(t.how.idle_ranks, "idle_ranks") + yes(t.how.planning == effort::measure, "measured") +
         yes(t.strided, "strided") + yes(t.padded_real, "padded_real") + "; " + rerun(t.seed);
}

// ---- layouts

/// Strides of a local array whose axes lie in the order `order` (outermost first) with gaps between.
inline layout gapped(dice& d, const extents& shape, const std::vector<int>& order) {
  layout l{extents(shape.size(), 1), d.between(0, 3)};
  integer stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    l.strides[at(order[i])] = stride;
    stride = stride * std::max<integer>(1, shape[at(order[i])]) + (d.once_in(2) ? d.between(0, 3) : 0);
  }
  return l;
}

/// A layout of one rank's local array, the batch axis (if any) in front.
inline layout random_layout(dice& d, const extents& shape) {
  if (d.once_in(4)) return {};
  if (d.once_in(2)) {
    extents before, after;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      before.push_back(d.between(0, 2));
      after.push_back(d.between(0, 2));
    }
    return ghosted(shape, before, after);
  }
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (d.once_in(2)) d.shuffle(order);
  return gapped(d, shape, order);
}

struct layout_pair {
  layout in, out;
};

/// `in_shape` and `out_shape` are one rank's, the batch axis in front if there is one.
inline layout_pair random_layouts(const drawn& t, int rank, const extents& in_shape, const extents& out_shape) {
  dice d(t.seed * 1000003 + static_cast<std::uint64_t>(rank));
  if (!t.strided) return {};
  if (!t.padded_real) {
    layout_pair made{random_layout(d, in_shape), {}};
    made.out = random_layout(d, out_shape);
    return made;
  }
  // Every line of reals begins where its complex line does: the classic in-place layout, with gaps.
  const auto real = at(real_axis_of(t.what) + (t.what.batch > 1 ? 1 : 0));
  std::vector<int> order;
  for (std::size_t l = 0; l < out_shape.size(); ++l) {
    if (l != real) order.push_back(static_cast<int>(l));
  }
  order.push_back(static_cast<int>(real));
  layout_pair made;
  made.out = gapped(d, out_shape, order);
  made.in = made.out;
  made.in.offset *= 2;
  for (std::size_t l = 0; l < made.in.strides.size(); ++l) made.in.strides[l] *= l == real ? 1 : 2;
  // The two sides may be split differently; then the pair is just two layouts, if it is one at all.
  try {
    (void)resolved(made.in, in_shape);
  } catch (const std::exception&) {
    made.in = {};
  }
  return made;
}

}  // namespace weft::testing
