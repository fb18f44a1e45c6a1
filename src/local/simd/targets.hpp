// SPDX-License-Identifier: BSD-3-Clause
// Which instruction sets the kernels are compiled for. Include before any Highway header.
//
// Three on x86: SSE4 (every 64-bit server of the last fifteen years, so it is the baseline), AVX2 and
// AVX-512. Others would only add compile time: SSSE3 serves no machine that matters, and AVX3_DL adds
// integer instructions. Scalable vectors (SVE, RVV) are left out because the kernels keep vectors in
// arrays and structs, which sizeless types forbid; such machines run the NEON or the emulated kernels.
#pragma once

#ifndef HWY_WANT_SSE4
#define HWY_WANT_SSE4 1
#endif
#ifdef __SANITIZE_ADDRESS__  // slow to compile and to run: the narrowest and the widest vectors will do
#define WEFT_SKIPPED_TARGETS HWY_AVX2
#else
#define WEFT_SKIPPED_TARGETS 0
#endif
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | WEFT_SKIPPED_TARGETS)
#endif
