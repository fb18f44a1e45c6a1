// SPDX-License-Identifier: BSD-3-Clause
// One line on the root's terminal that is written over; nothing elsewhere.
#pragma once

#include <string>

#include "ranks.hpp"

namespace weft::tool {

class progress_line {
 public:
  explicit progress_line(const ranks& all);
  ~progress_line() { say(""); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void say(const std::string& text) const;

 private:
  bool shown_;
};

/// "[#####---------------]"
[[nodiscard]] std::string bar_of(integer done, integer total);

}  // namespace weft::tool
