// SPDX-License-Identifier: BSD-3-Clause
// Schedules as text, and back.
#include <algorithm>

#include "base/among.hpp"
#include "base/text.hpp"
#include "index/chain.hpp"
#include "schedule/schedule.hpp"
#include "weft/error.hpp"

namespace weft::core {

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

namespace {

/// Reads one schedule; what is wrong is said with all of its text.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  schedule read() {
    const auto colon = text_.find(':');
    if (colon == std::string_view::npos) throw failure("no ':' after the shape");
    read_head(base::split_text(text_.substr(0, colon), ' '));
    name_cut_axes();
    const auto steps = base::split_text(text_.substr(colon + 1), '|');
    if (steps.empty()) throw failure("no input distribution");
    after_ = modes_shape(s_);
    s_.input = distribution::parse(steps[0], s_.way == direction::forward ? given_shape(s_) : after_, grid({1}));
    for (std::size_t i = 1; i < steps.size(); ++i) s_.stages.push_back(read_stage(steps[i]));
    const auto transformed = transformed_axes(s_);
    for (std::size_t l = 0; l < s_.kinds.size(); ++l) {
      if (s_.kinds[l] != line_kind::none && !base::among(static_cast<int>(l), transformed)) {
        throw failure("axis " + std::to_string(l) + " has a kind, but no stage transforms it");
      }
    }
    return std::move(s_);
  }

 private:
  [[nodiscard]] argument_error failure(const std::string& why) const {
    return argument_error("schedule '" + std::string(text_) + "': " + why);
  }

  /// Direction, shape, modes, boxes and kinds.
  void read_head(std::vector<std::string_view> head) {
    if (head.size() > 3 && head[2] == "modes") {
      s_.modes = parse_extents(head[3]);
      head.erase(head.begin() + 2, head.begin() + 4);
    }
    const auto take_box = [&](std::string_view name, box& part) {
      if (head.size() < 5 || head[2] != name) return;
      part = {parse_extents(head[3]), parse_extents(head[4])};
      head.erase(head.begin() + 2, head.begin() + 5);
    };
    take_box("given", s_.input_box);
    take_box("wanted", s_.output_box);
    if (head.size() != 2 && !(head.size() == 4 && (head[2] == "half" || head[2] == "kinds"))) {
      throw failure("the head is not 'forward SHAPE'");
    }
    if (head[0] != "forward" && head[0] != "backward") throw failure("the direction must be forward or backward");
    s_.way = head[0] == "forward" ? direction::forward : direction::backward;
    s_.shape = parse_extents(head[1]);
    s_.kinds.assign(s_.shape.size(), line_kind::none);
    if (head.size() == 4 && head[2] == "half") {
      s_.kinds[static_cast<std::size_t>(axis_number(head[3], s_.shape.size()))] = line_kind::r2c;
    } else if (head.size() == 4) {
      s_.kinds = parse_kinds(head[3]);
      if (s_.kinds.size() != s_.shape.size()) throw failure("there must be one kind for each axis");
    }
  }

  /// Kinds of axes that are not named are c2c, where modes or elements are dropped.
  void name_cut_axes() {
    const auto cut = [&](std::size_t l) {
      if (s_.kinds[l] == line_kind::none) s_.kinds[l] = line_kind::c2c_forward;
    };
    if (!s_.modes.empty() && s_.modes.size() != s_.shape.size()) throw failure("there must be modes for each axis");
    for (std::size_t l = 0; l < s_.modes.size(); ++l) {
      if (s_.modes[l] < s_.shape[l]) cut(l);
    }
    for (const box* part : {&s_.input_box, &s_.output_box}) {
      if (part->low.size() != part->high.size() || (!part->low.empty() && part->low.size() != s_.shape.size())) {
        throw failure("a box must have two numbers for each axis");
      }
      for (std::size_t l = 0; l < part->low.size(); ++l) {
        if (part->low[l] < 0 || part->low[l] > part->high[l] || part->high[l] > s_.shape[l]) {
          throw failure("a box is outside");
        }
        if (part->high[l] - part->low[l] < s_.shape[l]) cut(l);
      }
    }
  }

  stage read_stage(std::string_view step) {
    const station here = stations_of(s_).back();
    if ((step.starts_with("T(") || step.starts_with("W(")) && step.ends_with(")")) {
      std::vector<int> axes;
      for (const auto word : base::split_text(step.substr(2, step.size() - 3), ',')) {
        axes.push_back(axis_number(word, here.at.shape().size()));
      }
      if (step.front() == 'W') return twiddle_stage{std::move(axes)};
      for (const int axis : axes) {
        line_kind& kind = s_.kinds[static_cast<std::size_t>(place_of_digit(here.digits, axis).axis)];
        if (kind == line_kind::none) kind = line_kind::c2c_forward;
      }
      return transform_stage{std::move(axes)};
    }
    if (step.starts_with("R")) {
      return redistribute_stage{distribution::parse(step.substr(1), here.at.shape(), grid({1}))};
    }
    if (step.starts_with("V")) return read_view(step, here);
    throw failure("unknown stage '" + std::string(step) + "'");
  }

  [[nodiscard]] view_stage read_view(std::string_view step, const station& here) const {
    const auto close = step.starts_with("V(") ? step.find(')') : 0;
    if (close == std::string_view::npos) throw failure("a view's digits have no end");
    digit_list digits = close == 0 ? digit_list{} : parse_digits(step.substr(2, close - 2));
    const auto is_digit = [](const extents& of) { return !of.empty() && (of.size() == 1 || std::ranges::min(of) > 0); };
    if (!digits.empty() && (digits.size() != s_.shape.size() || !std::ranges::all_of(digits, is_digit))) {
      throw failure("a view has digits for " + std::to_string(digits.size()) + " axes, some without extent or too few");
    }
    extents shape = shape_of(digits);
    if (digits.empty()) shape = here.element == element_before(s_.kinds) ? s_.shape : after_;
    return {std::move(digits), distribution::parse(step.substr(close + 1), std::move(shape), grid({1}))};
  }

  [[nodiscard]] int axis_number(std::string_view word, std::size_t axes) const {
    const integer axis = base::parse_integer(word, "axis");
    if (axis < 0 || axis >= static_cast<integer>(axes)) {
      throw failure("axis " + std::string(word) + " is not one of the array's");
    }
    return static_cast<int>(axis);
  }

  std::string_view text_;
  schedule s_;
  extents after_;
};

}  // namespace

schedule parse_schedule(std::string_view text) { return reader(text).read(); }

}  // namespace weft::core
