// SPDX-License-Identifier: BSD-3-Clause
// How much Weft did. With $WEFT_FFTW_REPORT=1 the first process says so when it ends, with "all" every process.
#pragma once

#include <string>

namespace weft::fftw {

void count_plan();
void count_run();
/// A plan that FFTW's library made instead, or nobody, and why.
void count_passed_on(const std::string& reason);
void count_run_of_stock();

}  // namespace weft::fftw
