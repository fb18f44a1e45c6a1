#include "schedule/schedule.hpp"

#include <algorithm>
#include <ranges>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

bool among(int axis, const std::vector<int>& axes) { return std::ranges::find(axes, axis) != axes.end(); }

[[noreturn]] void reject(const schedule& s, const std::string& why) {
  throw internal_error("schedule '" + to_text(s) + "': " + why);
}

}  // namespace

extents halved(const extents& shape, int real_axis) {
  extents half = shape;
  if (real_axis >= 0) {
    auto& n = half[static_cast<std::size_t>(real_axis)];
    if (n > 0) n = n / 2 + 1;
  }
  return half;
}

std::vector<distribution> stations_of(const schedule& s) {
  std::vector<distribution> stations{s.input};
  for (const auto& g : s.stages) {
    if (const auto* move = std::get_if<redistribute_stage>(&g)) {
      stations.push_back(move->to);
    } else if (s.real_axis >= 0 && among(s.real_axis, std::get<transform_stage>(g).axes)) {
      const bool forward = s.way == direction::forward;
      stations.push_back(stations.back().with_shape(forward ? halved(s.shape, s.real_axis) : s.shape));
    } else {
      stations.push_back(stations.back());
    }
  }
  return stations;
}

distribution output_of(const schedule& s) { return stations_of(s).back(); }

int exchanges_of(const schedule& s) {
  return static_cast<int>(
      std::ranges::count_if(s.stages, [](const stage& g) { return std::holds_alternative<redistribute_stage>(g); }));
}

schedule simplified(const schedule& s, int ranks) {
  schedule simple = s;
  simple.stages.clear();
  for (const auto& g : s.stages) {
    const bool moves = std::holds_alternative<redistribute_stage>(g);
    if (moves && !simple.stages.empty() && std::holds_alternative<redistribute_stage>(simple.stages.back())) {
      simple.stages.pop_back();
    }
    if (moves && same_ownership(output_of(simple), std::get<redistribute_stage>(g).to, ranks)) continue;
    simple.stages.push_back(g);
  }
  return simple;
}

schedule inverse(const schedule& s) {
  const auto stations = stations_of(s);
  schedule back{s.way == direction::forward ? direction::backward : direction::forward,
                s.shape,
                s.real_axis,
                stations.back(),
                {}};
  for (std::size_t i = s.stages.size(); i-- > 0;) {
    if (const auto* t = std::get_if<transform_stage>(&s.stages[i])) {
      back.stages.push_back(transform_stage{{t->axes.rbegin(), t->axes.rend()}});
    } else {
      back.stages.push_back(redistribute_stage{stations[i]});
    }
  }
  return back;
}

void validate(const schedule& s, const std::vector<int>& axes) {
  const auto stations = stations_of(s);
  std::vector<int> done;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const auto* t = std::get_if<transform_stage>(&s.stages[i]);
    if (t == nullptr) {
      if (stations[i + 1].shape() != stations[i].shape()) reject(s, "a redistribution changes the shape");
      continue;
    }
    for (const int axis : t->axes) {
      if (!among(axis, axes)) reject(s, "axis " + std::to_string(axis) + " was not asked for");
      if (among(axis, done)) reject(s, "axis " + std::to_string(axis) + " is transformed twice");
      if (!stations[i].is_local(axis)) reject(s, "axis " + std::to_string(axis) + " is not whole on the ranks");
      done.push_back(axis);
    }
  }
  if (done.size() != axes.size()) reject(s, "not every axis is transformed");
  if (s.real_axis >= 0 && (s.way == direction::forward ? done.front() : done.back()) != s.real_axis) {
    reject(s, "the real axis must be transformed first forward and last backward");
  }
}

std::string to_text(const stage& s) {
  if (const auto* move = std::get_if<redistribute_stage>(&s)) return "R" + move->to.text();
  std::vector<std::string> axes;
  for (const int axis : std::get<transform_stage>(s).axes) axes.push_back(std::to_string(axis));
  return "T(" + base::join(axes, ",") + ")";
}

std::string to_text(const schedule& s) {
  std::string text = s.way == direction::forward ? "forward " : "backward ";
  text += to_text(s.shape);
  if (s.real_axis >= 0) text += " half " + std::to_string(s.real_axis);
  // Bricks use ':' themselves, so the head ends with the first one.
  text += ": " + s.input.text();
  for (const auto& g : s.stages) text += " | " + to_text(g);
  return text;
}

schedule parse_schedule(std::string_view text) {
  const auto fail = [&](const std::string& why) {
    return argument_error("schedule '" + std::string(text) + "': " + why);
  };
  schedule s;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) throw fail("no ':' after the shape");
  const auto head = base::split_text(text.substr(0, colon), ' ');
  if (head.size() != 2 && !(head.size() == 4 && head[2] == "half")) throw fail("the head is not 'forward SHAPE'");
  if (head[0] != "forward" && head[0] != "backward") throw fail("the direction must be forward or backward");
  s.way = head[0] == "forward" ? direction::forward : direction::backward;
  s.shape = parse_extents(head[1]);
  const auto d = static_cast<int>(s.shape.size());
  const auto axis_number = [&](std::string_view word) {
    const integer axis = base::parse_integer(word, "axis");
    if (axis < 0 || axis >= d) throw fail("axis " + std::string(word) + " is not one of the array's");
    return static_cast<int>(axis);
  };
  if (head.size() == 4) s.real_axis = axis_number(head[3]);

  const auto steps = base::split_text(text.substr(colon + 1), '|');
  if (steps.empty()) throw fail("no input distribution");
  bool real_side = s.way == direction::forward;
  const auto here = [&] { return real_side ? s.shape : halved(s.shape, s.real_axis); };
  s.input = distribution::parse(steps[0], here(), grid({1}));
  for (const auto step : steps | std::views::drop(1)) {
    if (step.starts_with("T(") && step.ends_with(")")) {
      transform_stage t;
      for (const auto word : base::split_text(step.substr(2, step.size() - 3), ','))
        t.axes.push_back(axis_number(word));
      if (among(s.real_axis, t.axes)) real_side = s.way == direction::backward;
      s.stages.emplace_back(std::move(t));
    } else if (step.starts_with("R")) {
      s.stages.emplace_back(redistribute_stage{distribution::parse(step.substr(1), here(), grid({1}))});
    } else {
      throw fail("unknown stage '" + std::string(step) + "'");
    }
  }
  return s;
}

}  // namespace weft
