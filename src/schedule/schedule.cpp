// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>

#include "base/among.hpp"
#include "base/text.hpp"
#include "index/chain.hpp"
#include "weft/error.hpp"

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
  if (digit > 0) kind = row_of(kind).later_digits;
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

integer length_at(const schedule& s, const station& here, int axis) {
  if (axis != real_axis_at(s, here)) {
    const int whole = place_of_digit(here.digits, axis).axis;
    return kept_of(s, whole).all() && given_of(s, whole).all() ? here.at.shape()[static_cast<std::size_t>(axis)]
                                                               : s.shape[static_cast<std::size_t>(whole)];
  }
  const auto whole = static_cast<std::size_t>(real_axis(s));
  integer length = s.shape[whole];
  if (here.digits.empty()) return length;
  const extents& sizes = here.digits[whole];
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
  return t;
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
  const int halved = real_axis(s);
  if (halved < 0 || here.digits.empty() || here.element == element_type::real) return std::nullopt;
  const extents& sizes = here.digits[static_cast<std::size_t>(halved)];
  if (sizes.size() < 2) return std::nullopt;
  const int k = real_axis_at(s, here);
  fold f;
  f.axis = halved;
  f.length = length_at(s, here, k);
  f.points = sizes[1];
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

namespace {

std::string axes_text(char letter, const std::vector<int>& numbers) {
  std::vector<std::string> axes;
  for (const int axis : numbers) axes.push_back(std::to_string(axis));
  return letter + ("(" + base::join(axes, ",") + ")");
}

}  // namespace

std::string to_text(const stage& s) {
  if (const auto* move = std::get_if<redistribute_stage>(&s)) return "R" + move->to.text();
  if (const auto* w = std::get_if<twiddle_stage>(&s)) return axes_text('W', w->axes);
  if (const auto* view = std::get_if<view_stage>(&s)) {
    return "V" + (view->digits.empty() ? "" : "(" + to_text(view->digits) + ")") + view->to.text();
  }
  return axes_text('T', std::get<transform_stage>(s).axes);
}

std::string to_text(const schedule& s) {
  std::string text = s.way == direction::forward ? "forward " : "backward ";
  text += to_text(s.shape);
  if (!s.modes.empty()) text += " modes " + to_text(s.modes);
  if (!s.input_box.low.empty()) text += " given " + to_text(s.input_box.low) + " " + to_text(s.input_box.high);
  if (!s.output_box.low.empty()) text += " wanted " + to_text(s.output_box.low) + " " + to_text(s.output_box.high);
  if (std::ranges::any_of(s.kinds, is_trigonometric)) {
    text += " kinds " + to_text(s.kinds);
  } else if (const int halved = real_axis(s); halved >= 0) {
    text += " half " + std::to_string(halved);
  }
  // Bricks use ':' themselves, so the head ends with the first one.
  text += ": ";
  text += s.input.text();
  for (const auto& g : s.stages) {
    text += " | ";
    text += to_text(g);
  }
  return text;
}

schedule parse_schedule(std::string_view text) {
  const auto fail = [&](const std::string& why) {
    return argument_error("schedule '" + std::string(text) + "': " + why);
  };
  schedule s;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) throw fail("no ':' after the shape");
  auto head = base::split_text(text.substr(0, colon), ' ');
  if (head.size() > 3 && head[2] == "modes") {
    s.modes = parse_extents(head[3]);
    head.erase(head.begin() + 2, head.begin() + 4);
  }
  const auto take_box = [&](std::string_view name, box& part) {
    if (head.size() < 5 || head[2] != name) return;
    part = {parse_extents(head[3]), parse_extents(head[4])};
    head.erase(head.begin() + 2, head.begin() + 5);
  };
  take_box("given", s.input_box);
  take_box("wanted", s.output_box);
  if (head.size() != 2 && !(head.size() == 4 && (head[2] == "half" || head[2] == "kinds"))) {
    throw fail("the head is not 'forward SHAPE'");
  }
  if (head[0] != "forward" && head[0] != "backward") throw fail("the direction must be forward or backward");
  s.way = head[0] == "forward" ? direction::forward : direction::backward;
  s.shape = parse_extents(head[1]);
  const auto axis_number = [&](std::string_view word, std::size_t axes) {
    const integer axis = base::parse_integer(word, "axis");
    if (axis < 0 || axis >= static_cast<integer>(axes)) {
      throw fail("axis " + std::string(word) + " is not one of the array's");
    }
    return static_cast<int>(axis);
  };
  s.kinds.assign(s.shape.size(), line_kind::none);
  if (head.size() == 4 && head[2] == "half") {
    s.kinds[static_cast<std::size_t>(axis_number(head[3], s.shape.size()))] = line_kind::r2c;
  } else if (head.size() == 4) {
    s.kinds = parse_kinds(head[3]);
    if (s.kinds.size() != s.shape.size()) throw fail("there must be one kind for each axis");
  }
  if (!s.modes.empty() && s.modes.size() != s.shape.size()) throw fail("there must be modes for each axis");
  for (const box* part : {&s.input_box, &s.output_box}) {
    if (part->low.size() != part->high.size() || (!part->low.empty() && part->low.size() != s.shape.size())) {
      throw fail("a box must have two numbers for each axis");
    }
    for (std::size_t l = 0; l < part->low.size(); ++l) {
      if (part->low[l] < 0 || part->low[l] > part->high[l] || part->high[l] > s.shape[l])
        throw fail("a box is outside");
      const bool cuts = part->high[l] - part->low[l] < s.shape[l];
      if (cuts && s.kinds[l] == line_kind::none) s.kinds[l] = line_kind::c2c_forward;
    }
  }
  // Kinds of axes that are not named yet are c2c, where modes are dropped.
  for (std::size_t l = 0; l < s.modes.size(); ++l) {
    if (s.modes[l] < s.shape[l] && s.kinds[l] == line_kind::none) s.kinds[l] = line_kind::c2c_forward;
  }
  const extents after = modes_shape(s);

  std::vector<bool> transformed(s.shape.size(), false);
  const auto steps = base::split_text(text.substr(colon + 1), '|');
  if (steps.empty()) throw fail("no input distribution");
  s.input = distribution::parse(steps[0], s.way == direction::forward ? given_shape(s) : after, grid({1}));
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto step = steps[i];
    const station here = stations_of(s).back();
    if ((step.starts_with("T(") || step.starts_with("W(")) && step.ends_with(")")) {
      std::vector<int> axes;
      for (const auto word : base::split_text(step.substr(2, step.size() - 3), ',')) {
        axes.push_back(axis_number(word, here.at.shape().size()));
      }
      if (step.front() == 'T') {
        for (const int axis : axes) {
          const auto whole = static_cast<std::size_t>(place_of_digit(here.digits, axis).axis);
          transformed[whole] = true;
          line_kind& kind = s.kinds[whole];
          if (kind == line_kind::none) kind = line_kind::c2c_forward;
        }
        s.stages.emplace_back(transform_stage{std::move(axes)});
      } else {
        s.stages.emplace_back(twiddle_stage{std::move(axes)});
      }
    } else if (step.starts_with("R")) {
      s.stages.emplace_back(redistribute_stage{distribution::parse(step.substr(1), here.at.shape(), grid({1}))});
    } else if (step.starts_with("V")) {
      const auto close = step.starts_with("V(") ? step.find(')') : 0;
      if (close == std::string_view::npos) throw fail("a view's digits have no end");
      digit_list digits = close == 0 ? digit_list{} : parse_digits(step.substr(2, close - 2));
      const auto is_digit = [](const extents& of) {
        return !of.empty() && (of.size() == 1 || std::ranges::min(of) > 0);
      };
      if (!digits.empty() && (digits.size() != s.shape.size() || !std::ranges::all_of(digits, is_digit))) {
        throw fail("a view has digits for " + std::to_string(digits.size()) + " axes, some without extent or too few");
      }
      extents shape = shape_of(digits);
      if (digits.empty()) shape = here.element == element_before(s.kinds) ? s.shape : after;
      s.stages.emplace_back(
          view_stage{std::move(digits), distribution::parse(step.substr(close + 1), std::move(shape), grid({1}))});
    } else {
      throw fail("unknown stage '" + std::string(step) + "'");
    }
  }
  for (std::size_t l = 0; l < transformed.size(); ++l) {
    if (s.kinds[l] != line_kind::none && !transformed[l]) {
      throw fail("axis " + std::to_string(l) + " has a kind, but no stage transforms it");
    }
  }
  return s;
}

}  // namespace weft::core
