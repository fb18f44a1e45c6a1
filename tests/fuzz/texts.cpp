// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/texts.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text.hpp"
#include "planner/knowledge.hpp"
#include "planner/machine.hpp"
#include "planner/resolve.hpp"
#include "planner/strategy.hpp"
#include "schedule/schedule.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/weft.h"
#include "weft/wisdom.hpp"

namespace weft::testing {

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Calls `read`; errors of Weft's but for defects are as good as success.
template <class Read>
void refused_or(const Read& read) {
  try {
    read();
  } catch (const error& e) {
    if (e.code() == error_code::internal) std::fprintf(stderr, "%s\n", e.what());
    require(e.code() != error_code::internal, "no defect is found");
  }
}

/// Up to the next line break, which is taken off.
std::string_view line_of(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void take_grid(std::string_view text) {
  refused_or([&] {
    const auto on = grid::parse(text);
    require(grid::parse(on.text()).text() == on.text(), "a grid comes back");
    if (on.size() > 0) require(on.coordinates(on.size() - 1).size() == static_cast<std::size_t>(on.axes()), "corners");
  });
  refused_or([&] {
    const auto shape = parse_extents(text);
    require(parse_extents(to_text(shape)) == shape, "extents come back");
  });
}

/// A shape, a grid and a distribution, each on a line.
void take_distribution(std::string_view text) {
  refused_or([&] {
    const auto shape = parse_extents(line_of(text));
    const auto on = grid::parse(line_of(text));
    const auto how = distribution::parse(text, shape, on);
    require(distribution::parse(how.text(), shape, on) == how, "a distribution comes back");
    const int last = how.ranks() - 1;
    for (const int rank : {0, last / 2, last, last + 1}) {
      integer all = 1;
      for (const auto n : how.local_shape(rank)) all *= n;
      require(how.local_size(rank) == all && all >= 0, "sizes agree");
    }
  });
}

void take_schedule(std::string_view text) {
  refused_or([&] {
    const auto s = parse_schedule(text);
    require(parse_schedule(to_text(s)) == s, "a schedule comes back");
    try {
      validate(s, transformed_axes(s));
    } catch (const internal_error&) {
      return;  // how it says that the stages do not fit
    }
    (void)exchanges_of(s);
    require(inverse(inverse(s)) == s, "there and back");
  });
}

void take_wisdom(std::string_view text) {
  refused_or([&] {
    const auto all = wisdom::parse(text);
    require(wisdom::parse(all.text()).entries() == all.entries(), "wisdom comes back");
    (void)all.why_not("plan", {{"shape", "8x8"}});
  });
}

void take_machine(std::string_view text) {
  refused_or([&] {
    const auto m = planner::parse_machine(text);
    require(planner::parse_machine(planner::to_text(m)) == m, "a machine comes back");
  });
}

void take_strategy(std::string_view text) {
  refused_or([&] {
    const auto s = planner::parse_strategy(text);
    require(planner::parse_strategy(planner::to_text(s)) == s, "a strategy comes back");
  });
}

/// What a wisdom file says to a question, in lines.
void take_answer(std::string_view text) {
  static const auto task = planner::resolve({.shape = {30, 21, 14}}, {}, 7);
  try {
    wisdom::fields answer;
    for (const auto line : base::split_text(text, '\n')) {
      const auto space = line.find(' ');
      if (space != std::string_view::npos) answer.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
    const auto got = planner::known_from(answer, task, {.threads = 2});
    validate(got.how.forward, task.axes);
    require(got.how.forward.shape == task.shape && output_of(got.how.forward).ranks() <= task.ranks, "it fits");
  } catch (const error&) {  // of any kind: validate() has its own
  }
}

/// "name value" in lines, as the C interface and with it Fortran take options; then a distribution.
void take_c_texts(std::string_view text) {
  weft_options* options = nullptr;
  require(weft_options_create(&options) == 0, "options are made");
  const auto know = [](int code) { require(code != static_cast<int>(error_code::internal), weft_last_error()); };
  for (const auto line : base::split_text(text, '\n')) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string name(line.substr(0, space)), value(line.substr(std::min(space + 1, line.size())));
    const int code = weft_options_set(options, name.c_str(), value.c_str());
    know(code);
    char* now = nullptr;
    if (code == 0) {
      require(weft_options_get(options, name.c_str(), &now) == 0, "an option can be asked for");
      require(weft_options_set(options, name.c_str(), now) == 0, "and set to what it is");
      char* again = nullptr;
      require(weft_options_get(options, name.c_str(), &again) == 0, "an option can be asked for");
      require(std::string_view(now) == again, "an option comes back");
      weft_free(again);
    }
    weft_free(now);
    const std::array<int64_t, 3> shape{12, 10, 7};
    weft_distribution* how = nullptr;
    const int made = weft_distribution_parse(value.c_str(), 3, shape.data(), 4, &how);
    know(made);
    if (made == 0) {
      char* written = nullptr;
      require(weft_distribution_text(how, &written) == 0, "a distribution has a text");
      weft_free(written);
    }
    weft_distribution_destroy(how);
    weft_wisdom* known = nullptr;
    know(weft_wisdom_parse(value.c_str(), &known));
    weft_wisdom_destroy(known);
  }
  weft_options_destroy(options);
}

constexpr std::array<reader_of_texts, 8> all{{{"grid", take_grid},
                                              {"distribution", take_distribution},
                                              {"schedule", take_schedule},
                                              {"wisdom", take_wisdom},
                                              {"machine", take_machine},
                                              {"strategy", take_strategy},
                                              {"answer", take_answer},
                                              {"c", take_c_texts}}};

}  // namespace

std::span<const reader_of_texts> readers_of_texts() { return all; }

}  // namespace weft::testing
