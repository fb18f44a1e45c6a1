// SPDX-License-Identifier: BSD-3-Clause
// Work for several threads, whose exceptions reach the caller.
#pragma once

#include <exception>

namespace weft::local {

/// body(t) for each t below `threads`, all at once; afterwards throws what the first of them threw, if one did.
template <class Body>
void on_threads(int threads, const Body& body) {
  if (threads == 1) return body(0);
  std::exception_ptr thrown;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    try {
      body(t);
    } catch (...) {
#pragma omp critical
      if (!thrown) thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace weft::local
