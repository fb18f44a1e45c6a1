// SPDX-License-Identifier: BSD-3-Clause
// A plan of ours that FFTW takes for its own. FFTW's fftw_execute*, fftw_destroy_plan and fftw_print_plan come to
// a plan through pointers in it, and these lead here. So it does not matter which library a program was linked with
// first, and serial plans stay FFTW's business alone.
#pragma once

#include <memory>
#include <string>

#include "precision.hpp"

namespace weft::fftw {

/// What a plan does. Whatever it throws ends the program: FFTW's interface has no way to say so.
class transform {
 public:
  transform() = default;
  transform(const transform&) = delete;
  transform& operator=(const transform&) = delete;
  virtual ~transform() = default;
  virtual void run(void* in, void* out) = 0;
  [[nodiscard]] virtual std::string text() const = 0;
};

/// What the arguments of a plan are, as FFTW's execute functions pass them.
enum class signature : char { complex, real_to_complex, complex_to_real, real_only };

/// Null if there is no memory.
[[nodiscard]] plan_pointer make_plan(std::unique_ptr<transform> does, signature with, void* in, void* out);
/// Null unless make_plan made it.
[[nodiscard]] transform* transform_of(plan_pointer plan);
/// does->run, and ends the program if that throws.
void run_or_abort(transform& does, void* in, void* out) noexcept;

}  // namespace weft::fftw
