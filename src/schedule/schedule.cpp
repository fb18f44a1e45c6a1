// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>

#include "base/among.hpp"
#include "index/chain.hpp"

namespace weft::core {

namespace {

using base::among;

}  // namespace

int real_axis(const schedule& s) { return real_axis(s.kinds); }

kept_modes kept_of(const schedule& s, int axis) {
  const auto l = static_cast<std::size_t>(axis);
  if (!s.output_box.low.empty()) return kept_of(row_of(s.kinds[l]).out_extent(s.shape[l]), s.output_box, axis);
  return kept_of(s.kinds[l], s.shape[l], s.modes.empty() ? s.shape[l] : s.modes[l], real_axis(s) >= 0);
}

kept_modes given_of(const schedule& s, int axis) {
  return kept_of(s.shape[static_cast<std::size_t>(axis)], s.input_box, axis);
}

extents modes_shape(const schedule& s) { return extents_after(s.shape, s.kinds, s.modes, s.output_box); }
extents given_shape(const schedule& s) { return extents_of(s.shape, s.input_box); }

line_kind kind_at(const schedule& s, const station& here, int axis) {
  // What is seen and what is distributed agree in schedules that are valid, which need not be known yet.
  const std::size_t seen = here.digits.empty() ? s.kinds.size() : shape_of(here.digits).size();
  if (axis < 0 || axis >= std::min(static_cast<int>(seen), here.at.axes())) return line_kind::none;
  const auto [whole, digit] = place_of_digit(here.digits, axis);
  line_kind kind = s.kinds[static_cast<std::size_t>(whole)];
  if (digit > 0) {
    kind = row_of(kind).later_digits;
  } else if (has_later_digit(here.digits, axis)) {
    kind = row_of(kind).first_digit;
  }
  if (s.way == direction::backward) kind = row_of(kind).inverse;
  return here.element == element_type::complex ? row_of(kind).on_complex : kind;
}

std::vector<line_kind> kinds_at(const schedule& s, const station& here, const transform_stage& t) {
  station now = here;
  std::vector<line_kind> kinds;
  for (const int axis : t.axes) {
    kinds.push_back(kind_at(s, now, axis));
    if (kinds.back() != line_kind::none) now.element = row_of(kinds.back()).out;
  }
  return kinds;
}

namespace {

/// What the transforms of `t` leave of the array `here`.
station transformed(const schedule& s, const station& here, const transform_stage& t) {
  station next = here;
  extents shape = here.at.shape();
  for (const int axis : t.axes) {
    const line_row& row = row_of(kind_at(s, here, axis));
    if (row.kind == line_kind::none) continue;
    const auto [whole, digit] = place_of_digit(here.digits, axis);
    const bool forward = s.way == direction::forward;
    const kept_modes kept = kept_of(s, whole), given = given_of(s, whole);
    if (row.in == row.out && kept.all() && given.all()) continue;
    integer& extent = shape[static_cast<std::size_t>(axis)];
    extent = row.out_extent(length_at(s, here, axis));
    if (!kept.all() && forward) extent = kept.extent();
    if (!given.all() && !forward) extent = given.extent();
    if (!next.digits.empty()) next.digits[static_cast<std::size_t>(whole)][static_cast<std::size_t>(digit)] = extent;
    if (row.in != row.out) next.element = row.out;
    next.at = next.at.with_shape(shape);
  }
  return next;
}

}  // namespace

std::vector<station> stations_of(const schedule& s) {
  const bool forward = s.way == direction::forward;
  std::vector<station> stations{{s.input, {}, forward ? element_before(s.kinds) : element_after(s.kinds)}};
  for (const auto& g : s.stages) {
    station next = stations.back();
    if (const auto* move = std::get_if<redistribute_stage>(&g)) {
      next.at = move->to;
    } else if (const auto* view = std::get_if<view_stage>(&g)) {
      next.at = view->to;
      next.digits = view->digits;
    } else if (const auto* t = std::get_if<transform_stage>(&g)) {
      next = transformed(s, next, *t);
    }
    stations.push_back(std::move(next));
  }
  return stations;
}

distribution output_of(const schedule& s) { return stations_of(s).back().at; }

int real_axis_at(const schedule& s, const station& here) {
  const int whole = real_axis(s);
  return whole < 0 ? -1 : first_digit(here.digits, whole);
}

bool digits_ascend(const schedule& s) {
  const bool forward = s.way == direction::forward;
  for (const auto& g : s.stages) {
    const auto* const view = std::get_if<view_stage>(&g);
    for (std::size_t l = 0; view != nullptr && l < view->digits.size(); ++l) {
      const bool backward_ones = !row_of(row_of(s.kinds[l]).first_digit).forward;
      if (view->digits[l].size() > 1 && backward_ones) return !forward;
    }
  }
  return forward;
}

int cosine_axis_at(const schedule& s, const station& here) {
  for (std::size_t l = 0; l < here.digits.size(); ++l) {
    if (here.digits[l].size() > 1 && is_trigonometric(s.kinds[l])) return static_cast<int>(l);
  }
  return -1;
}

bool has_coefficients(const schedule& s, const station& here) {
  const int axis = cosine_axis_at(s, here);
  // Of elements each rank has one value of the second digit.
  return axis >= 0 && here.element == element_type::real && here.at.is_local(first_digit(here.digits, axis) + 1);
}

/// Whether coefficients of the axis `whole` are shared as its elements are.
bool keeps_order(const schedule& s, int whole) {
  const line_kind first = row_of(s.kinds[static_cast<std::size_t>(whole)]).first_digit;
  return first == line_kind::dct4_digit;
}

integer length_at(const schedule& s, const station& here, int axis) {
  const auto [whole, digit] = place_of_digit(here.digits, axis);
  if (whole == cosine_axis_at(s, here)) {
    const integer second = here.digits[static_cast<std::size_t>(whole)][1];
    const integer points = std::max<integer>(1, has_coefficients(s, here) ? second / 2 : second);
    return digit == 0 ? s.shape[static_cast<std::size_t>(whole)] / points : points;
  }
  if (axis != real_axis_at(s, here)) {
    return kept_of(s, whole).all() && given_of(s, whole).all() ? here.at.shape()[static_cast<std::size_t>(axis)]
                                                               : s.shape[static_cast<std::size_t>(whole)];
  }
  integer length = s.shape[static_cast<std::size_t>(whole)];
  if (here.digits.empty()) return length;
  const extents& sizes = here.digits[static_cast<std::size_t>(whole)];
  for (std::size_t i = 1; i < sizes.size(); ++i) length /= sizes[i];
  return length;
}

digit_turn turn_at(const schedule& s, const station& here, int axis, int rank) {
  const auto [whole, digit] = place_of_digit(here.digits, axis);
  const extents& sizes = here.digits[static_cast<std::size_t>(whole)];
  digit_turn t{{0, length_at(s, here, axis)}};
  for (std::size_t i = static_cast<std::size_t>(digit) + 1; i < sizes.size(); ++i) {
    const int later = axis - digit + static_cast<int>(i);
    const axis_part part = here.at.part(rank, later);
    t.by.shift = t.by.shift * sizes[i] + (part.empty() ? 0 : index_at(part, 0));
    t.by.period *= sizes[i];
    t.step *= sizes[i];
    if (count(part) > 1) {
      t.across = later;
      t.step = part.front().indices.step;
    }
  }
  if (whole != cosine_axis_at(s, here)) return t;
  // In the order in which it is a Fourier transform, a cosine transform has its elements at quarters behind whole
  // numbers; of type 4 the coefficients, too.
  const integer quarters = 4 * t.by.shift + 1, period = 4 * t.by.period;
  if (keeps_order(s, whole)) return {{4 * quarters, 2 * period}, t.across, 0, quarters};
  return {{quarters, period}, t.across, 0, 0};
}

std::optional<cosine_order> cosine_order_at(const schedule& s, const station& here, int rank) {
  const int axis = cosine_axis_at(s, here);
  if (axis < 0 || here.element == element_type::complex) return std::nullopt;
  const bool coefficients = has_coefficients(s, here);
  if (coefficients && !keeps_order(s, axis)) return std::nullopt;
  const int digit = first_digit(here.digits, axis);
  const axis_part shared = here.at.part(rank, coefficients ? digit : digit + 1);
  cosine_order order;
  order.axis = axis;
  order.length = length_at(s, here, digit);
  order.point = shared.empty() ? 0 : index_at(shared, 0);
  order.points = length_at(s, here, digit + 1);
  return order;
}

bool can_turn(const distribution& here, const digit_list& digits, int axis) {
  int several = 0;
  while (has_later_digit(digits, axis)) {
    // The first rank has the longest part, and others are dealt likewise.
    const axis_part part = here.part(first_rank(here), ++axis);
    if (count(part) < 2) continue;
    if (part.size() > 1 || here.is_local(axis)) return false;
    ++several;
  }
  return several <= 1;
}

std::optional<fold> fold_at(const schedule& s, const station& here, int rank) {
  const bool cosines = has_coefficients(s, here) && !keeps_order(s, cosine_axis_at(s, here));
  const int halved = cosines ? cosine_axis_at(s, here) : real_axis(s);
  if (halved < 0 || here.digits.empty()) return std::nullopt;
  const extents& sizes = here.digits[static_cast<std::size_t>(halved)];
  if (sizes.size() < 2 || (here.element == element_type::real) != cosines) return std::nullopt;
  const int k = first_digit(here.digits, halved);
  fold f;
  f.axis = halved;
  f.length = length_at(s, here, k);
  f.points = cosines ? sizes[1] / 2 : sizes[1];
  f.in_parts = cosines;
  const axis_part modes = here.at.part(rank, k);
  f.has_zero = !modes.empty() && index_at(modes, 0) == 0;
  f.has_middle = !modes.empty() && index_at(modes, count(modes) - 1) == f.length / 2;
  for (const int l : transformed_axes(s)) {
    // Lines of cosines and sines have no mirror image: their coefficients are real.
    if (l == halved || !is_fourier(s.kinds[static_cast<std::size_t>(l)])) continue;
    bool has_zero = true;
    for (std::size_t i = 0; i < here.digits[static_cast<std::size_t>(l)].size(); ++i) {
      const axis_part part = here.at.part(rank, first_digit(here.digits, l) + static_cast<int>(i));
      has_zero = has_zero && !part.empty() && index_at(part, 0) == 0;
    }
    f.others.push_back({l, has_zero});
  }
  return f;
}

std::vector<int> transformed_axes(const schedule& s) {
  std::vector<int> axes;
  const auto stations = stations_of(s);
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const auto* t = std::get_if<transform_stage>(&s.stages[i]);
    if (t == nullptr) continue;
    for (const int axis : t->axes) {
      const int whole = place_of_digit(stations[i].digits, axis).axis;
      if (!among(whole, axes)) axes.push_back(whole);
    }
  }
  return axes;
}

int exchanges_of(const schedule& s) {
  return static_cast<int>(
      std::ranges::count_if(s.stages, [](const stage& g) { return std::holds_alternative<redistribute_stage>(g); }));
}

bool drops_after_exchange(const schedule& s) {
  if (s.modes.empty() && s.input_box.low.empty() && s.output_box.low.empty()) return false;
  const auto stations = stations_of(s);
  bool moved = false;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    moved = moved || std::holds_alternative<redistribute_stage>(s.stages[i]);
    const auto* const t = std::get_if<transform_stage>(&s.stages[i]);
    if (!moved || t == nullptr) continue;
    for (const int axis : t->axes) {
      const int whole = place_of_digit(stations[i].digits, axis).axis;
      if (!(s.way == direction::forward ? kept_of(s, whole) : given_of(s, whole)).all()) return true;
    }
  }
  return false;
}

bool moves_nothing(const schedule& s, const distribution& from, const distribution& to, int ranks) {
  if (!same_ownership(from, to, ranks)) return false;
  if (s.input_box.low.empty()) return true;
  extents shape = from.shape();
  const extents after = modes_shape(s);
  for (std::size_t l = 0; l < shape.size(); ++l) shape[l] = std::max(shape[l], after[l]);
  return same_ownership(from.with_shape(shape), to.with_shape(shape), ranks);
}

schedule simplified(const schedule& s, int ranks) {
  const auto stations = stations_of(s);
  schedule simple = s;
  simple.stages.clear();
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const auto* const move = std::get_if<redistribute_stage>(&s.stages[i]);
    if (move != nullptr && !simple.stages.empty() && std::holds_alternative<redistribute_stage>(simple.stages.back())) {
      simple.stages.pop_back();
    }
    // As long as nothing was left out the stations are those of `s`.
    const bool unchanged = simple.stages.size() == i;
    if (move != nullptr && moves_nothing(s, unchanged ? stations[i].at : output_of(simple), move->to, ranks)) continue;
    simple.stages.push_back(s.stages[i]);
  }
  return simple;
}

schedule inverse(const schedule& s) {
  const auto stations = stations_of(s);
  schedule back{s.way == direction::forward ? direction::backward : direction::forward,
                s.shape,
                s.kinds,
                stations.back().at,
                {},
                s.modes,
                s.input_box,
                s.output_box};
  for (std::size_t i = s.stages.size(); i-- > 0;) {
    const stage& g = s.stages[i];
    if (const auto* t = std::get_if<transform_stage>(&g)) {
      back.stages.push_back(transform_stage{{t->axes.rbegin(), t->axes.rend()}});
    } else if (const auto* w = std::get_if<twiddle_stage>(&g)) {
      back.stages.push_back(twiddle_stage{{w->axes.rbegin(), w->axes.rend()}});
    } else if (std::holds_alternative<view_stage>(g)) {
      back.stages.push_back(view_stage{stations[i].digits, stations[i].at});
    } else {
      back.stages.push_back(redistribute_stage{stations[i].at});
    }
  }
  return back;
}

}  // namespace weft::core
