// Counts of what a program makes: allocations through operator new, communicators, datatypes.
#pragma once

namespace weft::testing::counters {

struct values {
  long allocations = 0;
  long communicators = 0;
  long datatypes = 0;
};
[[nodiscard]] values now();

}  // namespace weft::testing::counters
