// SPDX-License-Identifier: BSD-3-Clause
#include "index/fold.hpp"

#include <algorithm>

#include "weft/error.hpp"

namespace weft::core {

namespace {

/// Pieces that single out some positions of 0 .. extent-1.
std::vector<slice> cut_at(integer extent, std::vector<integer> ends) {
  ends.push_back(0);
  ends.push_back(extent);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<slice> pieces;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) pieces.push_back({ends[i], 1, ends[i + 1] - ends[i]});
  return pieces;
}

class fold_mapper {
 public:
  fold_mapper(const access_map& whole, const digit_list& digits, const extents& seen, const fold& f, fold_use use)
      : whole_(whole), digits_(digits), f_(f), use_(use), strides_(whole.placements.front().strides) {
    if (whole.cells.size() != 1) throw internal_error("folded modes in pieces");
    map_.shape = seen;
    map_.pieces.resize(seen.size());
  }

  access_map make() {
    placement direct = whole_.placements.front(), mirrored = direct;
    direct.strides.clear();
    mirrored.strides.clear();
    for (int l = 0; l < static_cast<int>(digits_.size()); ++l) {
      const auto count = static_cast<int>(digits_[at(l)].size());
      for (int i = 0; i < count; ++i) {
        const int axis = first_digit(digits_, l) + i;
        direct.strides.push_back(weight(l, i) * strides_[at(l)]);
        mirrored.strides.push_back((is_negated(l) ? -1 : 1) * direct.strides.back());
        map_.pieces[at(axis)] = pieces_of(l, i);
      }
    }
    map_.placements = {direct, mirrored};
    std::vector<std::size_t> chosen(map_.shape.size(), 0);
    add_cells(0, chosen);
    return std::move(map_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] integer extent(int axis) const { return map_.shape[at(axis)]; }
  [[nodiscard]] const fold::other_axis* other(int l) const {
    const auto found = std::ranges::find(f_.others, l, &fold::other_axis::axis);
    return found == f_.others.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_negated(int l) const { return l == f_.axis || other(l) != nullptr; }

  /// Positions of the whole axis between neighbours of digit `i`: the last digit leads.
  [[nodiscard]] integer weight(int l, int i) const {
    if (l == f_.axis) return i == 0 ? 1 : f_.length / f_.points;
    integer product = 1;
    for (int j = 0; j < i; ++j) product *= extent(first_digit(digits_, l) + j);
    return product;
  }

  [[nodiscard]] std::vector<slice> pieces_of(int l, int i) const {
    const integer n = extent(first_digit(digits_, l) + i);
    if (l == f_.axis && i == 0) {
      std::vector<integer> ends;
      if (f_.has_zero) ends.push_back(std::min<integer>(1, n));
      if (f_.has_middle) ends.push_back(n - 1);
      return cut_at(n, ends);
    }
    // The first mirrored digit is a piece of its own where it may have no mirror image, or not where the others have.
    if (l == f_.axis)
      return cut_at(n, {f_.rows(), std::min(f_.rows() + (f_.in_parts || f_.points % 2 == 0 ? 1 : 0), n)});
    const auto* o = other(l);
    return o != nullptr && o->has_zero ? cut_at(n, {1}) : cut_at(n, {});
  }

  void add_cells(std::size_t axis, std::vector<std::size_t>& chosen) {
    if (axis == chosen.size()) {
      map_.cells.push_back(cell_of(chosen));
      return;
    }
    for (chosen[axis] = 0; chosen[axis] < map_.pieces[axis].size(); ++chosen[axis]) add_cells(axis + 1, chosen);
  }

  [[nodiscard]] cell cell_of(const std::vector<std::size_t>& chosen) const {
    const auto first = [&](int axis) { return map_.pieces[at(axis)][chosen[at(axis)]].first; };
    const int k = first_digit(digits_, f_.axis);
    const bool mirrored = first(k + 1) >= f_.rows();
    if (mirrored && use_ == fold_use::store && comes_twice(first(k), first(k + 1))) return {};
    if (f_.has_zero && !f_.has(first(k), first(k + 1))) return {};
    integer offset = whole_.cells.front().offset;
    for (int l = 0; l < static_cast<int>(digits_.size()); ++l) {
      integer position = 0;
      for (int i = 0; i < static_cast<int>(digits_[at(l)].size()); ++i) {
        position += first(first_digit(digits_, l) + i) * weight(l, i);
      }
      if (l == f_.axis) {
        position = f_.position(first(k), first(k + 1));
      } else if (const auto* o = other(l); mirrored && o != nullptr) {
        const integer count = whole_.shape[at(l)];
        if (!o->has_zero) {
          position = count - 1 - position;
        } else if (position != 0) {
          position = count - position;
        }
      }
      offset += position * strides_[at(l)];
    }
    return {mirrored ? 1 : 0, offset};
  }

  /// Whether the mirror image of position k, digit t is stored by a digit that stands for itself. The mode
  /// n/2 of a halved axis is nobody else's.
  [[nodiscard]] bool comes_twice(integer k, integer t) const {
    const integer n = extent(first_digit(digits_, f_.axis));
    if (f_.has_middle && k == n - 1) return true;
    return f_.has_zero && k == 0 && (f_.in_parts || 2 * t != f_.points);
  }

  const access_map& whole_;
  const digit_list& digits_;
  const fold& f_;
  fold_use use_;
  const extents& strides_;
  access_map map_;
};

}  // namespace

access_map folded_map(const access_map& whole, const digit_list& digits, const extents& seen, const fold& folded,
                      fold_use use) {
  if (std::ranges::find(seen, 0) != seen.end()) return plain_map(seen, extents(seen.size(), 0));
  return fold_mapper(whole, digits, seen, folded, use).make();
}

}  // namespace weft::core
