// SPDX-License-Identifier: BSD-3-Clause
#include "planner/resolve.hpp"

#include <algorithm>

#include "index/chain.hpp"
#include "local/engine.hpp"
#include "planner/choose.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

void check_shape(const problem& what) {
  if (what.shape.empty()) throw argument_error("the shape names no axis; give at least one extent");
  const int most = max_axes - 1;
  if (static_cast<int>(what.shape.size()) > most) {
    throw argument_error("shape " + weft::to_text(what.shape) + " has " + std::to_string(what.shape.size()) +
                         " axes; the most is " + std::to_string(most));
  }
  for (const integer n : what.shape) {
    if (n < 0)
      throw argument_error("shape " + weft::to_text(what.shape) + " has the extent " + std::to_string(n) +
                           "; use 0 or more");
  }
  if (what.batch < 1) throw argument_error("batch " + std::to_string(what.batch) + " is less than 1");
  integer bytes = 0;
  if (__builtin_mul_overflow(volume(what.shape), what.batch, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<integer>(complex_bytes(what.element)), &bytes)) {
    throw argument_error("shape " + weft::to_text(what.shape) +
                         (what.batch > 1 ? " with batch " + std::to_string(what.batch) : "") +
                         " takes more than 2^63 bytes; use less");
  }
}

std::vector<int> checked_axes(const problem& what) {
  const auto d = static_cast<int>(what.shape.size());
  std::vector<int> axes = what.axes;
  if (axes.empty()) {
    for (int l = 0; l < d; ++l) axes.push_back(l);
  }
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= d) {
      throw argument_error("axis " + std::to_string(axes[i]) + " is not one of 0 to " + std::to_string(d - 1));
    }
    if (i > 0 && axes[i] == axes[i - 1]) throw argument_error("axis " + std::to_string(axes[i]) + " is named twice");
  }
  return axes;
}

/// The kinds that a problem names, and what they make of the arrays.
std::vector<line_kind> named_kinds(const problem& what) {
  std::vector<line_kind> kinds;
  for (const auto& name : what.kinds) kinds.push_back(kind_named(name));
  const std::string text = to_text(kinds);
  if (kinds.size() != what.shape.size()) {
    throw argument_error("kinds " + text + " are " + std::to_string(kinds.size()) + ", the shape " +
                         weft::to_text(what.shape) + " has " + std::to_string(what.shape.size()) +
                         " axes; name one for each");
  }
  if (!what.axes.empty() || what.real_axis >= 0) {
    throw argument_error("kinds " + text + " were given together with axes or a real axis, which they say already");
  }
  if (std::ranges::count(kinds, line_kind::r2c) > 1) {
    throw argument_error("kinds " + text + " have r2c more than once; real values become complex only once, use c2c");
  }
  if (std::ranges::all_of(kinds, [](line_kind k) { return k == line_kind::none; })) {
    throw argument_error("kinds " + text + " transform no axis; name one, or use weft::redistribution");
  }
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    const line_row& row = row_of(kinds[l]);
    if (what.shape[l] > 0 && what.shape[l] < row.least_length) {
      throw argument_error(std::string(row.name) + " needs an extent of at least " + std::to_string(row.least_length) +
                           ", axis " + std::to_string(l) + " has " + std::to_string(what.shape[l]));
    }
  }
  return kinds;
}

std::string_view name_of(transform_kind kind) {
  return kind == transform_kind::c2c ? "c2c" : kind == transform_kind::r2c ? "r2c" : "r2r";
}

/// Empty if all are kept.
extents checked_modes(const problem& what, const std::vector<line_kind>& kinds) {
  if (what.modes.empty() || what.modes == what.shape) return {};
  const std::string text = "modes " + weft::to_text(what.modes);
  if (what.modes.size() != what.shape.size()) {
    throw argument_error(text + " are for " + std::to_string(what.modes.size()) + " axes, the shape " +
                         weft::to_text(what.shape) + " has " + std::to_string(what.shape.size()) +
                         "; give a number for each");
  }
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    if (what.modes[l] == what.shape[l]) continue;
    const std::string axis = ", axis " + std::to_string(l);
    if (kinds[l] == line_kind::none) {
      throw argument_error(text + axis + " is not transformed and has no modes to drop; give its extent " +
                           std::to_string(what.shape[l]));
    }
    if (what.modes[l] < 1 || what.modes[l] > what.shape[l]) {
      throw argument_error(text + axis + " has " + std::to_string(what.shape[l]) + " elements; keep from 1 to " +
                           std::to_string(what.shape[l]) + " modes of it");
    }
  }
  return what.modes;
}

/// Without corners if it has all elements of an array of `shape`.
box checked_box(const box& part, const extents& shape, const std::vector<line_kind>& kinds, const std::string& which) {
  if (part.low.empty() && part.high.empty()) return {};
  const std::string text = which + " box from " + weft::to_text(part.low) + " to " + weft::to_text(part.high);
  if (part.low.size() != shape.size() || part.high.size() != shape.size()) {
    throw argument_error(text + " is not one of " + std::to_string(shape.size()) +
                         " axes; give both corners a number for each");
  }
  bool cuts = false;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    const bool whole = part.low[l] == 0 && part.high[l] == shape[l];
    const std::string axis = ", axis " + std::to_string(l);
    if (!whole && kinds[l] == line_kind::none) {
      throw argument_error(text + axis + " is not transformed and stays whole; give 0 and " + std::to_string(shape[l]));
    }
    if (!whole && (part.low[l] < 0 || part.low[l] >= part.high[l] || part.high[l] > shape[l])) {
      throw argument_error(text + axis + " needs 0 <= low < high <= " + std::to_string(shape[l]));
    }
    cuts = cuts || !whole;
  }
  return cuts ? part : box{};
}

void add_batch(box& part, int axis, integer batch) {
  if (part.low.empty()) return;
  part.low.insert(part.low.begin() + axis, 0);
  part.high.insert(part.high.begin() + axis, batch);
}

int checked_real_axis(const problem& what, const std::vector<int>& axes) {
  if (what.kind == transform_kind::r2r) {
    throw argument_error("an r2r transform needs kinds, one for each axis, such as dct2,dst1,none");
  }
  if (what.kind == transform_kind::c2c) {
    if (what.real_axis >= 0) {
      throw argument_error("real axis " + std::to_string(what.real_axis) + " was given for a c2c transform; use r2c");
    }
    return -1;
  }
  const int axis = what.real_axis >= 0 ? what.real_axis : axes.back();
  if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
    throw argument_error("the real axis " + std::to_string(axis) + " is not among the transformed axes");
  }
  return axis;
}

/// Grid axes that the splits in a distribution text name.
int named_grid_axes(const std::vector<chain>& chains) {
  int most = 0;
  for (const auto& c : chains) {
    for (const auto& s : c) most = std::max(most, s.grid_axis);
  }
  return most + 1;
}

std::vector<chain> every_axis(std::size_t axes) {
  std::vector<chain> chains;
  for (std::size_t l = 0; l < axes; ++l) chains.push_back({{split::kind::block, static_cast<int>(l), 1}});
  return chains;
}

void check_fits(const distribution& d, int ranks, const char* which) {
  if (d.ranks() > ranks) {
    throw distribution_error(std::string(which) + " distribution " + d.chains_text() + " needs " +
                             std::to_string(d.ranks()) + " ranks, the communicator has " + std::to_string(ranks) +
                             "; use a smaller grid or more ranks");
  }
}

/// Zig-zag is there to have an index and its mirror image n-j, or n-1-j, on one rank. `shape` is the real side's: the
/// n/2+1 modes of a halved axis are those of n.
void check_mirrors(const distribution& d, const extents& shape, const char* which) {
  for (std::size_t l = 0; l < d.chains().size(); ++l) {
    integer outer = 1;
    for (const auto& s : d.chains()[l]) {
      const integer points = d.on()[s.grid_axis], n = shape[l];
      const bool half = s.how == split::kind::half_zigzag;
      if ((half || s.how == split::kind::zigzag) && points > 1 && (n % outer != 0 || n / outer % (2 * points) != 0)) {
        const std::string letter = (half ? "h" : "z") + std::to_string(s.grid_axis);
        throw distribution_error(
            std::string(which) + " distribution " + d.chains_text() + ": " + letter + " deals " +
            (outer == 1 ? "the n = " + std::to_string(n)
                        : "a part in " + std::to_string(outer) + " of the n = " + std::to_string(n)) +
            " elements of axis " + std::to_string(l) + " to p = " + std::to_string(points) + " ranks, but 2p = " +
            std::to_string(2 * points) + " does not divide them, so that j and n-" + (half ? "1-j" : "j") +
            " would lie apart; use c" + std::to_string(s.grid_axis) + ", another extent or a smaller grid axis");
      }
      outer *= points;
    }
  }
}

struct resolver {
  std::optional<grid> chosen;  // by the user
  int ranks;
  extents real_shape;  // of the side: modes of a halved axis count whole

  /// `preferred`: a grid to share with the other side where the text fits it.
  [[nodiscard]] std::optional<distribution> side(const wanted& w, const extents& shape, const char* which,
                                                 const std::optional<grid>& preferred) const {
    std::optional<distribution> result;
    if (w.exact()) {
      const bool adapts = w.any_shape() && w.exact()->shape().size() == shape.size();
      if (w.exact()->shape() != shape && !adapts) {
        throw distribution_error(std::string(which) + " distribution is for the shape " +
                                 weft::to_text(w.exact()->shape()) + ", the problem has " + weft::to_text(shape) +
                                 " there");
      }
      result = w.exact()->with_shape(shape);
    } else if (w.text() == "any") {
      return std::nullopt;
    } else if (w.text() == "brick") {
      const auto axes = static_cast<int>(shape.size());
      const bool fits = chosen && chosen->axes() == axes;
      result =
          distribution::bricks(shape, fits ? *chosen : balanced_grid(shape, every_axis(shape.size()), axes, ranks));
    } else {
      result = parsed(w.text(), shape, preferred);
    }
    check_fits(*result, ranks, which);
    // What another plan has, this one takes: "same" may have left zig-zags on extents that they do not suit.
    if (!w.any_shape()) check_mirrors(*result, real_shape, which);
    return result;
  }

  [[nodiscard]] distribution parsed(const std::string& text, const extents& shape,
                                    const std::optional<grid>& preferred) const {
    if (text.find('@') != std::string::npos || text.starts_with("bricks{")) {
      return distribution::parse(text, shape, grid({1}));
    }
    const auto chains = parse_chains(text, shape);
    const int axes = named_grid_axes(chains);
    if (chosen) return distribution::parse(text, shape, *chosen);
    if (preferred && can_name(*preferred, chains)) return distribution::parse(text, shape, *preferred);
    return distribution::parse(text, shape, balanced_grid(shape, chains, axes, ranks));
  }
};

std::optional<grid> chosen_grid(const options& how, int ranks) {
  if (how.grid == "auto") return std::nullopt;
  grid result = grid::parse(how.grid);
  if (result.size() != ranks) {
    throw argument_error("grid " + result.text() + " has " + std::to_string(result.size()) +
                         " points, the communicator has " + std::to_string(ranks) +
                         " ranks; the product must equal the number of ranks, or use auto");
  }
  return result;
}

}  // namespace

transform_kind arrays_of(const std::vector<line_kind>& kinds) {
  if (element_before(kinds) == element_type::complex) return transform_kind::c2c;
  return element_after(kinds) == element_type::complex ? transform_kind::r2c : transform_kind::r2r;
}

std::vector<line_kind> kinds_of(const problem& what) {
  if (what.kinds.empty()) {
    const auto axes = checked_axes(what);
    return fourier_kinds(what.shape.size(), axes, checked_real_axis(what, axes));
  }
  auto kinds = named_kinds(what);
  const transform_kind arrays = arrays_of(kinds);
  if (arrays != what.kind) {
    throw argument_error("kinds " + to_text(kinds) + " are for " + std::string(name_of(arrays)) +
                         " arrays, the problem is " + std::string(name_of(what.kind)) +
                         "; use weft::" + std::string(name_of(arrays)) + ", or set problem::kind");
  }
  return kinds;
}

distribution with_batch(const distribution& d, const stacking& how) {
  if (how.batch == 1) return d;
  const auto stacked = [&](const auto& axes, const auto& batch) {
    auto all = axes;
    all.insert(how.interleaved ? all.end() : all.begin(), batch);
    return all;
  };
  extents shape = stacked(d.shape(), how.batch);
  if (!d.is_bricks()) return {std::move(shape), d.on(), stacked(d.chains(), chain{})};
  auto boxes = d.boxes();
  for (auto& b : boxes) b = {stacked(b.low, 0), stacked(b.high, how.batch)};
  return distribution::bricks(std::move(shape), std::move(boxes));
}

distribution without_batch(const distribution& d, const stacking& how) {
  if (how.batch == 1) return d;
  const auto single = [&](const auto& axes) {
    auto one = axes;
    one.erase(how.interleaved ? one.end() - 1 : one.begin());
    return one;
  };
  if (!d.is_bricks()) return {single(d.shape()), d.on(), single(d.chains())};
  auto boxes = d.boxes();
  for (auto& b : boxes) b = {single(b.low), single(b.high)};
  return distribution::bricks(single(d.shape()), std::move(boxes));
}

layout with_batch(const layout& l, const extents& local_shape, const stacking& how) {
  layout full = resolved(l, local_shape, how.batch, how.interleaved);
  if (how.batch > 1 && how.interleaved) std::rotate(full.strides.begin(), full.strides.begin() + 1, full.strides.end());
  return full;
}

algorithm::task resolve(const problem& what, const options& how, int ranks) {
  check_shape(what);
  algorithm::task task;
  task.kinds = kinds_of(what);
  for (std::size_t l = 0; l < task.kinds.size(); ++l) {
    if (task.kinds[l] != line_kind::none) task.axes.push_back(static_cast<int>(l));
  }
  task.shape = what.shape;
  task.modes = checked_modes(what, task.kinds);
  task.input_box = checked_box(what.input_box, what.shape, task.kinds, "input");
  const extents all_modes = extents_after(what.shape, task.kinds, {});
  task.output_box = checked_box(what.output_box, all_modes, task.kinds, "output");
  if (!task.modes.empty() && !what.output_box.low.empty()) {
    throw argument_error("modes " + weft::to_text(what.modes) +
                         " were given together with an output box; use one of them");
  }
  task.ranks = ranks;
  task.for_lines = how.device == "cpu" && local::engine_named(how.local).for_lines() != nullptr;
  task.on = chosen_grid(how, ranks);

  const extents given = task.before();
  resolver resolver{task.on, ranks, given};
  if (!what.in.exact() && what.in.text() == "same") {
    throw argument_error("the input distribution cannot be 'same'; use any, brick or a text such as [b0 *]");
  }
  auto in = resolver.side(what.in, given, "input", std::nullopt);
  const auto d = static_cast<int>(what.shape.size());
  if (!in && task.on && task.on->axes() > d) {
    throw argument_error("grid " + task.on->text() + " has more axes than the array " + weft::to_text(what.shape) +
                         "; use at most " + std::to_string(d));
  }
  if (!in && task.on && task.on->axes() == d) in = distribution(given, *task.on, every_axis(given.size()));
  const bool same = !what.out.exact() && what.out.text() == "same";
  std::optional<grid> shared;
  if (in && !in->is_bricks()) shared = in->on();
  std::optional<distribution> out;
  task.out_same = same;
  resolver.real_shape = !task.modes.empty() ? task.modes : extents_of(what.shape, task.output_box);
  if (!same) out = resolver.side(what.out, task.after(), "output", shared);
  if (in) task.in = with_batch(*in, stacking_of(what));
  if (out) task.out = with_batch(*out, stacking_of(what));
  if (what.batch > 1) {
    task.batch_axis = what.interleaved ? d : 0;
    task.shape.insert(task.shape.begin() + task.batch_axis, what.batch);
    task.kinds.insert(task.kinds.begin() + task.batch_axis, line_kind::none);
    if (!task.modes.empty()) task.modes.insert(task.modes.begin() + task.batch_axis, what.batch);
    add_batch(task.input_box, task.batch_axis, what.batch);
    add_batch(task.output_box, task.batch_axis, what.batch);
    for (auto& axis : task.axes) axis += axis >= task.batch_axis ? 1 : 0;
  }
  return task;
}

}  // namespace weft::planner
