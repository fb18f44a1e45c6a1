// SPDX-License-Identifier: BSD-3-Clause
// Counts of what a program makes: allocations through operator new, communicators, datatypes, persistent
// requests. And makes an allocation fail.
#pragma once

namespace weft::testing::counters {

struct values {
  long allocations = 0;
  long communicators = 0;
  long datatypes = 0;
  long requests = 0;
};
[[nodiscard]] values now();

/// The n-th allocation from now on, counted from 1, fails once; 0: none does.
void fail_allocation(long n);

}  // namespace weft::testing::counters
