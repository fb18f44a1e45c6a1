// SPDX-License-Identifier: BSD-3-Clause
// Looks engines up by name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::base {

/// The member of `table` called `name`, the first for "auto". Throws name_error, which lists all; `what`
/// says what they are, `remedy` how to get one that is missing.
template <class Engine>
const Engine& named(std::span<const Engine* const> table, std::string_view name, std::string_view what,
                    std::string_view remedy = {}) {
  if (name == "auto") return *table.front();
  std::vector<std::string> known{"auto"};
  for (const Engine* e : table) {
    if (std::invoke(&Engine::name, *e) == name) return *e;
    known.emplace_back(std::invoke(&Engine::name, *e));
  }
  std::string text = "unknown " + std::string(what) + " '" + std::string(name) + "'; known: " + join(known);
  if (!remedy.empty()) text += "; " + std::string(remedy);
  throw name_error(text);
}

}  // namespace weft::base
