// SPDX-License-Identifier: BSD-3-Clause
// Values of options: names, lists, boxes. What cannot be read is a CLI::ValidationError that says what can.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "weft/index.hpp"

namespace weft::tool {

template <class Value>
using names = std::vector<std::pair<std::string, Value>>;

[[nodiscard]] std::string join(const std::vector<std::string>& words, const char* between);
[[nodiscard]] std::vector<std::string> words_of(const std::string& list);
/// A whole number of at least `least`; CLI11's own checks print the largest double in their errors.
[[nodiscard]] CLI::Validator at_least(integer least);
[[nodiscard]] std::vector<extents> parse_shapes(const std::string& list, const std::string& option);
/// Whole numbers from 1 on.
[[nodiscard]] std::vector<int> parse_rank_counts(const std::string& list);
[[nodiscard]] std::vector<int> parse_axes(const std::string& text);
/// "0:8,4:12" for the corners 0x4 and 8x12.
[[nodiscard]] box parse_box(const std::string& text);
/// "8", for all three axes, or "8,8,6.5".
[[nodiscard]] std::vector<double> parse_radii(const std::string& text);

/// CLI11's own enumerations print numbers in help and errors; these options stay names.
template <class Value>
void add_choice(CLI::App& app, const std::string& option, Value& value, const names<Value>& known,
                const std::string& help) {
  std::vector<std::string> words;
  std::string chosen;
  for (const auto& [word, meaning] : known) {
    words.push_back(word);
    if (meaning == value) chosen = word;
  }
  const auto convert = [&value, &known, option, words](const std::string& word) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == word; });
    if (found == known.end()) {
      throw CLI::ValidationError(option + " is one of " + join(words, ", ") + ", not '" + word + "'");
    }
    value = found->second;
  };
  app.add_option_function<std::string>(option, convert, help + ": " + join(words, " | ") + " [" + chosen + "]")
      ->type_name("NAME");
}

/// A list of names without doubles.
template <class Value>
void add_choices(CLI::App& app, const std::string& option, std::vector<Value>& values, const names<Value>& known,
                 const std::string& help) {
  std::vector<std::string> words;
  for (const auto& entry : known) words.push_back(entry.first);
  const auto convert = [&values, &known, option, words](const std::string& list) {
    values.clear();
    for (const auto& [word, meaning] : known) {
      const auto given = words_of(list);
      if (std::find(given.begin(), given.end(), word) != given.end()) values.push_back(meaning);
    }
    if (values.empty() || values.size() != words_of(list).size()) {
      throw CLI::ValidationError(option + " is a list of names out of " + join(words, ", ") + ", not '" + list + "'");
    }
  };
  app.add_option_function<std::string>(option, convert, help + ": list of " + join(words, " | ") + " [all]")
      ->type_name("LIST");
}

}  // namespace weft::tool
