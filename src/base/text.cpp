// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <charconv>

#include "weft/error.hpp"

namespace weft::base {

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  if (trim(text).empty()) return pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

integer parse_integer(std::string_view text, std::string_view what) {
  integer value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (text.empty() || status != std::errc{} || stop != end) {
    throw argument_error(std::string(what) + " '" + std::string(text) +
                         "' is not a whole number below 2^63; write digits only");
  }
  return value;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace weft::base
