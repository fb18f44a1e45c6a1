// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/weft.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "local/long_kernel.hpp"
#include "local/simd/native.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

class native_engine final : public line_engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "weft"; }
  [[nodiscard]] bool has(line_kind kind) const override { return kind != line_kind::none; }

  /// One vector of lines, and at least two cache lines of adjacent lanes: strided access wastes less.
  [[nodiscard]] int lanes(line_kind kind, integer length, precision element) const override {
    if (is_long_line(kind, length, element)) return lanes_of_long_lines(element);
    const int width = element == precision::f32 ? native_width_f32() : native_width_f64();
    const line_row& row = row_of(kind);
    return std::max(width, static_cast<int>(128 / std::max(bytes_of(row.in, element), bytes_of(row.out, element))));
  }

  [[nodiscard]] std::unique_ptr<kernel> make_kernel(const line_problem& problem) const override {
    if (problem.length < 1 || problem.lanes < 1) {
      throw argument_error("engine weft: a kernel needs a length and lanes of at least 1, not " +
                           std::to_string(problem.length) + " and " + std::to_string(problem.lanes));
    }
    if (const line_row& row = row_of(problem.kind); problem.length < row.least_length) {
      throw argument_error("engine weft: " + std::string(row.name) + " needs lines of at least " +
                           std::to_string(row.least_length) + " elements, not " + std::to_string(problem.length));
    }
    if (is_long_line(problem.kind, problem.length, problem.element)) return make_long_kernel(problem, *this);
    return problem.element == precision::f32 ? make_native_kernel_f32(problem) : make_native_kernel_f64(problem);
  }
};

}  // namespace

const line_engine& weft_engine() {
  static const native_engine the_engine;
  return the_engine;
}

}  // namespace weft::local
