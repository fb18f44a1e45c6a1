// Counts of what a program makes: allocations through operator new, communicators, datatypes, persistent
// requests.
#pragma once

namespace weft::testing::counters {

struct values {
  long allocations = 0;
  long communicators = 0;
  long datatypes = 0;
  long requests = 0;
};
[[nodiscard]] values now();

}  // namespace weft::testing::counters
