// SPDX-License-Identifier: BSD-3-Clause
// heFFTe with its FFTW backend.
#include "peers/heffte_with.hpp"

namespace weft::tool::peers {

peer heffte();

namespace {

struct with_fftw {
  using backend = ::heffte::backend::fftw;
  static constexpr const char* name = "heffte";
  static void finish() {}
  static void adapt(plan_options& /*of*/) {}
};

void start() {}

}  // namespace

peer heffte() {
  return {"heffte", "heFFTe with FFTW, the fastest of its plan options", start, heffte_contenders<with_fftw>};
}

}  // namespace weft::tool::peers
