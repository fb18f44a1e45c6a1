// SPDX-License-Identifier: BSD-3-Clause
// Options by name: one row each, with how its text is read and written.
#include <algorithm>
#include <charconv>
#include <sstream>

#include "c/handles.hpp"

namespace weft::c {

namespace {

struct row {
  const char* name;
  void (*set)(weft_options& of, const std::string& text);
  std::string (*get)(const weft_options& of);
};

template <class Number>
Number number_from(const std::string& text, const char* name) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    throw argument_error("option " + std::string(name) + ": '" + text + "' is not a number");
  }
  return value;
}

bool truth_from(const std::string& text, const char* name) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw argument_error("option " + std::string(name) + ": '" + text + "' is neither true nor false");
}

std::string text_of(bool value) { return value ? "true" : "false"; }

/// "0,2": what lies between commas.
template <class Value>
std::vector<Value> list_from(const std::string& text, const char* name) {
  std::vector<Value> all;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, comma - from);
    if constexpr (std::is_same_v<Value, std::string>) {
      all.push_back(word);
    } else {
      all.push_back(number_from<Value>(word, name));
    }
    from = comma + 1;
  }
  return all;
}

template <class Value>
std::string text_of(const std::vector<Value>& list) {
  std::string all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) all += ",";
    if constexpr (std::is_same_v<Value, std::string>) {
      all += list[i];
    } else {
      all += std::to_string(list[i]);
    }
  }
  return all;
}

/// "0:8,4:12": low:high for each axis.
box box_from(const std::string& text, const char* name) {
  box part;
  for (const auto& word : list_from<std::string>(text, name)) {
    const auto colon = word.find(':');
    if (colon == std::string::npos) {
      throw argument_error("option " + std::string(name) + ": '" + word + "' is not low:high, such as 0:8");
    }
    part.low.push_back(number_from<integer>(word.substr(0, colon), name));
    part.high.push_back(number_from<integer>(word.substr(colon + 1), name));
  }
  return part;
}

std::string text_of(const box& part) {
  std::vector<std::string> words;
  for (std::size_t l = 0; l < part.low.size(); ++l) {
    words.push_back(std::to_string(part.low[l]) + ":" + std::to_string(part.high[l]));
  }
  return text_of(words);
}

std::string text_of(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

template <class Value>
using choices = std::initializer_list<std::pair<const char*, Value>>;

constexpr choices<effort> efforts{
    {"estimate", effort::estimate}, {"measure", effort::measure}, {"patient", effort::patient}};
constexpr choices<normalization> normalizations{{"none", normalization::none},
                                                {"forward", normalization::forward},
                                                {"backward", normalization::backward},
                                                {"ortho", normalization::ortho}};

template <class Value>
Value chosen_from(const std::string& text, const char* name, const choices<Value>& known) {
  std::string all;
  for (const auto& [word, value] : known) {
    if (text == word) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw name_error("option " + std::string(name) + " is one of " + all + ", not '" + text + "'");
}

template <class Value>
std::string word_of(Value value, const choices<Value>& known) {
  for (const auto& [word, meaning] : known) {
    if (meaning == value) return word;
  }
  return {};
}

#define WEFT_TEXT(name, member)                                                                                       \
  {                                                                                                                   \
    name, [](weft_options& o, const std::string& t) { o.member = t; }, [](const weft_options& o) { return o.member; } \
  }
#define WEFT_TRUTH(name, member)                                                         \
  {                                                                                      \
    name, [](weft_options& o, const std::string& t) { o.member = truth_from(t, name); }, \
        [](const weft_options& o) { return text_of(o.member); }                          \
  }
#define WEFT_NUMBER(name, member)                                                                             \
  {                                                                                                           \
    name, [](weft_options& o, const std::string& t) { o.member = number_from<decltype(o.member)>(t, name); }, \
        [](const weft_options& o) { return std::to_string(o.member); }                                        \
  }
#define WEFT_LIST(name, member)                                                                                       \
  {                                                                                                                   \
    name,                                                                                                             \
        [](weft_options& o, const std::string& t) { o.member = list_from<decltype(o.member)::value_type>(t, name); }, \
        [](const weft_options& o) { return text_of(o.member); }                                                       \
  }
#define WEFT_BOX(name, member)                                                         \
  {                                                                                    \
    name, [](weft_options& o, const std::string& t) { o.member = box_from(t, name); }, \
        [](const weft_options& o) { return text_of(o.member); }                        \
  }
#define WEFT_CHOICE(name, member, known)                                                         \
  {                                                                                              \
    name, [](weft_options& o, const std::string& t) { o.member = chosen_from(t, name, known); }, \
        [](const weft_options& o) { return word_of(o.member, known); }                           \
  }

const row rows[] = {
    {"in", [](weft_options& o, const std::string& t) { o.what.in = t; },
     [](const weft_options& o) { return o.what.in.full_text(); }},
    {"out", [](weft_options& o, const std::string& t) { o.what.out = t; },
     [](const weft_options& o) { return o.what.out.full_text(); }},
    WEFT_LIST("axes", what.axes),
    WEFT_LIST("kinds", what.kinds),
    WEFT_LIST("modes", what.modes),
    WEFT_BOX("input_box", what.input_box),
    WEFT_BOX("output_box", what.output_box),
    WEFT_NUMBER("real_axis", what.real_axis),
    WEFT_NUMBER("batch", what.batch),
    WEFT_TRUTH("interleaved", what.interleaved),
    WEFT_TEXT("algorithm", how.algorithm),
    WEFT_TEXT("exchange", how.exchange),
    WEFT_TEXT("local", how.local),
    WEFT_TEXT("device", how.device),
    WEFT_TEXT("grid", how.grid),
    WEFT_NUMBER("threads", how.threads),
    WEFT_CHOICE("planning", how.planning, efforts),
    {"planning_seconds",
     [](weft_options& o, const std::string& t) { o.how.planning_seconds = number_from<double>(t, "planning_seconds"); },
     [](const weft_options& o) { return text_of(o.how.planning_seconds); }},
    WEFT_TEXT("wisdom", how.wisdom),
    WEFT_TRUTH("deterministic", how.deterministic),
    {"message_tolerance",
     [](weft_options& o, const std::string& t) {
       o.how.message_tolerance = number_from<double>(t, "message_tolerance");
     },
     [](const weft_options& o) { return text_of(o.how.message_tolerance); }},
    WEFT_NUMBER("memory_limit", how.memory_limit),
    {"peer_timeout",
     [](weft_options& o, const std::string& t) { o.how.peer_timeout = number_from<double>(t, "peer_timeout"); },
     [](const weft_options& o) { return text_of(o.how.peer_timeout); }},
    WEFT_TRUTH("idle_ranks", how.idle_ranks),
    WEFT_TEXT("machine", how.machine),
    WEFT_CHOICE("scaling", how.scaling, normalizations),
    WEFT_TRUTH("in_place", how.in_place),
    WEFT_TRUTH("destroy_input", how.destroy_input),
};

#undef WEFT_TEXT
#undef WEFT_TRUTH
#undef WEFT_NUMBER
#undef WEFT_LIST
#undef WEFT_BOX
#undef WEFT_CHOICE

const row& row_named(const char* name) {
  const std::string asked = &existing(name, "the name of the option");
  std::string all;
  for (const auto& r : rows) {
    if (asked == r.name) return r;
    all += (all.empty() ? "" : ", ") + std::string(r.name);
  }
  throw name_error("no option is called '" + asked + "'; there are " + all);
}

/// "in" and "out" name the sides that have layouts and distributions.
bool is_input(const char* name) {
  const std::string asked = &existing(name, "the name of the side");
  if (asked != "in" && asked != "out") throw name_error("a side is \"in\" or \"out\", not '" + asked + "'");
  return asked == "in";
}

layout& layout_of(weft_options* of, const char* name) {
  auto& how = existing(of, "options").how;
  return is_input(name) ? how.input_layout : how.output_layout;
}

}  // namespace

std::vector<std::string> option_names() {
  std::vector<std::string> all;
  for (const auto& r : rows) all.emplace_back(r.name);
  return all;
}

options options_from(const weft_options* with) {
  return with == nullptr ? options{} : existing(with, "the options").how;
}

problem problem_from(int axes, const int64_t* shape, int transform, int precision, const weft_options* with) {
  if (transform != WEFT_C2C && transform != WEFT_R2C && transform != WEFT_R2R) {
    throw argument_error("transform " + std::to_string(transform) + " is none of WEFT_C2C, WEFT_R2C and WEFT_R2R");
  }
  if (precision != WEFT_F32 && precision != WEFT_F64) {
    throw argument_error("precision " + std::to_string(precision) + " is neither WEFT_F32 nor WEFT_F64");
  }
  problem what = with == nullptr ? problem{} : existing(with, "the options").what;
  what.shape = extents_from(axes, shape, "shape");
  what.kind = transform == WEFT_R2C   ? transform_kind::r2c
              : transform == WEFT_R2R ? transform_kind::r2r
                                      : transform_kind::c2c;
  what.element = precision == WEFT_F32 ? weft::precision::f32 : weft::precision::f64;
  return what;
}

}  // namespace weft::c

using namespace weft::c;

int weft_options_create(weft_options** made) {
  return guarded([&] { existing(made, "made") = new weft_options; });
}

void weft_options_destroy(weft_options* of) { destroy(of); }

int weft_options_set(weft_options* of, const char* name, const char* value) {
  return guarded([&] { row_named(name).set(existing(of, "options"), &existing(value, "the value of the option")); });
}

int weft_options_get(const weft_options* of, const char* name, char** value) {
  return guarded([&] { give(value, row_named(name).get(existing(of, "options"))); });
}

int weft_options_set_distribution(weft_options* of, const char* name, const weft_distribution* value) {
  return guarded([&] {
    const auto& how = existing(value, "the distribution").value;
    (is_input(name) ? existing(of, "options").what.in : existing(of, "options").what.out) = how;
  });
}

int weft_options_set_like(weft_options* of, const weft_plan* other) {
  return guarded([&] {
    const auto alike = weft::like(plan_of(other));
    auto& what = existing(of, "options").what;
    what.in = alike.in;
    what.out = alike.out;
  });
}

int weft_options_set_layout(weft_options* of, const char* name, int strides_count, const int64_t* strides,
                            int64_t offset) {
  return guarded([&] {
    weft::layout where;
    where.strides = extents_from(strides_count, strides, "strides");
    where.offset = offset;
    layout_of(of, name) = where;
  });
}

int weft_options_set_ghosts(weft_options* of, const char* name, int axes, const int64_t* local_shape,
                            const int64_t* before, const int64_t* after) {
  return guarded([&] {
    layout_of(of, name) = weft::ghosted(extents_from(axes, local_shape, "local_shape"),
                                        extents_from(axes, before, "before"), extents_from(axes, after, "after"));
  });
}

int weft_options_set_progress(weft_options* of, weft_progress call, void* user) {
  return guarded([&] {
    auto& how = existing(of, "options").how;
    how.on_progress = nullptr;
    if (call == nullptr) return;
    how.on_progress = [call, user](const weft::planning_progress& p) {
      return call(p.done, p.total, p.best_seconds, p.best.c_str(), user) != 0;
    };
  });
}
