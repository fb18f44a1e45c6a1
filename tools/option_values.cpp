// SPDX-License-Identifier: BSD-3-Clause
#include "option_values.hpp"

#include <charconv>
#include <sstream>

namespace weft::tool {

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream text(list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

CLI::Validator at_least(integer least) {
  return CLI::Validator(
      [least](const std::string& text) -> std::string {
        integer value = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool good = code == std::errc{} && end == text.data() + text.size() && value >= least;
        return good ? "" : "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
      },
      "");
}

std::vector<extents> parse_shapes(const std::string& list, const std::string& option) {
  std::vector<extents> shapes;
  for (const auto& word : words_of(list)) {
    shapes.push_back(parse_extents(word));
    const extents& shape = shapes.back();
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
      throw CLI::ValidationError(option + ": '" + word + "' has no elements to transform; take extents from 1 on");
    }
  }
  if (shapes.empty()) throw CLI::ValidationError(option + " is a list such as 64x64x64,128x128x128");
  return shapes;
}

std::vector<int> parse_rank_counts(const std::string& list) {
  std::vector<int> counts;
  for (const auto& word : words_of(list)) {
    int count = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (code != std::errc{} || end != word.data() + word.size() || count < 1) {
      throw CLI::ValidationError("--rank-counts is a list of whole numbers from 1 on such as 6,12,24, not '" + list +
                                 "'");
    }
    counts.push_back(count);
  }
  if (counts.empty()) throw CLI::ValidationError("--rank-counts is a list such as 6,12,24");
  return counts;
}

std::vector<int> parse_axes(const std::string& text) {
  std::vector<int> axes;
  std::stringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    int axis = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), axis);
    if (code != std::errc{} || end != word.data() + word.size()) {
      throw CLI::ValidationError("--axes is a list of axis numbers such as 0,2, not '" + text + "'");
    }
    axes.push_back(axis);
  }
  return axes;
}

box parse_box(const std::string& text) {
  box part;
  std::stringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    integer low = 0, high = 0;
    const char* const end = word.data() + word.size();
    const auto first = std::from_chars(word.data(), end, low);
    const bool colon = first.ec == std::errc{} && first.ptr != end && *first.ptr == ':';
    const auto second = colon ? std::from_chars(first.ptr + 1, end, high) : first;
    if (!colon || second.ec != std::errc{} || second.ptr != end) {
      throw CLI::ValidationError("a box is low:high for each axis, such as 0:8,4:12, not '" + text + "'");
    }
    part.low.push_back(low);
    part.high.push_back(high);
  }
  return part;
}

std::vector<double> parse_radii(const std::string& text) {
  std::vector<double> radii;
  for (const auto& word : words_of(text)) {
    double radius = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), radius);
    if (code != std::errc{} || end != word.data() + word.size()) {
      throw CLI::ValidationError("--sphere is a radius, or one for each axis such as 8,8,6.5, not '" + text + "'");
    }
    radii.push_back(radius);
  }
  if (radii.size() == 1) radii.resize(3, radii.front());
  return radii;
}

}  // namespace weft::tool
