// SPDX-License-Identifier: BSD-3-Clause
#include "transform_name.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "index/modes.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft::tool {

namespace {

using enum line_kind;

}  // namespace

void set_transform(problem& what, const std::string& text) {
  const auto kinds = core::parse_kinds(text);
  what.kinds.clear();
  what.kind = text == "r2c" ? transform_kind::r2c : transform_kind::c2c;
  if (text == "c2c" || text == "r2c") return;
  for (const line_kind kind : kinds) what.kinds.emplace_back(user_name(kind));
}

void complete_transform(problem& what) {
  const auto d = static_cast<integer>(what.shape.size());
  if (what.kinds.empty() || d == 0) return;
  if (what.kinds.size() == 1) {
    const std::string name = what.kinds.front();
    what.kinds.assign(what.shape.size(), what.axes.empty() ? name : "none");
    for (const int axis : what.axes) {
      if (axis >= d)
        throw argument_error("axis " + std::to_string(axis) + " is not one of 0 to " + std::to_string(d - 1));
      what.kinds[static_cast<std::size_t>(axis)] = name;
    }
    what.axes.clear();
  }
  std::vector<line_kind> kinds;
  for (const auto& name : what.kinds) kinds.push_back(core::kind_named(name));
  what.kind = planner::arrays_of(kinds);
}

std::string transform_name(const problem& what) {
  if (what.kinds.empty()) return what.kind == transform_kind::r2c ? "r2c" : "c2c";
  const bool one = std::ranges::all_of(what.kinds, [&](const auto& name) { return name == what.kinds.front(); });
  return one ? what.kinds.front() : base::join(what.kinds, ",");
}

std::vector<std::string> transform_names() {
  std::vector<std::string> names;
  for (const line_kind kind : {c2c_forward, r2c, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4}) {
    names.emplace_back(user_name(kind));
  }
  return names;
}

std::vector<line_kind> kinds_of(const problem& what) { return planner::kinds_of(what); }

bool is_complex(const problem& what, side which) {
  if (which == side::input) return what.kind == transform_kind::c2c;
  return what.kind != transform_kind::r2r;
}

double input_weight(line_kind kind, integer k, integer n) {
  const bool ends =
      (kind == dct1 && (k == 0 || k + 1 == n)) || (kind == dct3 && k == 0) || (kind == dst3 && k + 1 == n);
  return ends ? 0.5 : 1;
}

double output_weight(line_kind kind, integer k, integer n) {
  const bool ends =
      (kind == dct1 && (k == 0 || k + 1 == n)) || (kind == dct2 && k == 0) || (kind == dst2 && k + 1 == n);
  if (kind == r2c) return k == 0 || 2 * k == n ? 1 : 2;
  return ends ? 0.5 : 1;
}

double weight_of(const problem& what, const std::vector<line_kind>& kinds, side which, integer flat) {
  const extents after = extents_after(what.shape, kinds, what.modes, what.output_box);
  double weight = 1;
  for (std::size_t l = kinds.size(); l-- > 0;) {
    const integer n = what.shape[l];
    const box& part = which == side::input ? what.input_box : what.output_box;
    const integer stored = (which == side::input ? core::extents_of(what.shape, part) : after)[l];
    const integer first = part.low.empty() ? 0 : part.low[l];
    weight *= (which == side::input ? input_weight : output_weight)(kinds[l], first + flat % stored, n);
    flat /= stored;
  }
  return weight;
}

}  // namespace weft::tool
