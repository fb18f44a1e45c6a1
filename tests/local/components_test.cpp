// SPDX-License-Identifier: BSD-3-Clause
// Passes over arrays whose elements have several components, as many as fill a vector of lanes and as do not.
#include <gtest/gtest.h>

#include <cmath>

#include "base/memory.hpp"
#include "brute.hpp"
#include "local/line_engine.hpp"

namespace weft::testing {
namespace {

using local::element_line;
using local::pass_problem;

access_map dense(const extents& shape, integer bytes) {
  extents strides(shape.size());
  integer stride = bytes;
  for (std::size_t l = shape.size(); l-- > 0; stride *= shape[l]) strides[l] = stride;
  return plain_map(shape, strides);
}

template <class Real>
std::vector<Real> run(const pass_problem& problem, const char* engine, std::vector<Real> from, bool in_place) {
  const auto made = local::engine_named(engine).make_pass(problem);
  std::vector<Real> apart(at(volume(problem.sink.shape)) * problem.sink_bytes / sizeof(Real), 7);
  std::vector<Real>& to = in_place ? from : apart;
  const auto scratch = host_memory(made->scratch_bytes());
  auto* source = reinterpret_cast<std::byte*>(from.data());
  auto* sink = reinterpret_cast<std::byte*>(to.data());
  made->execute({&source, 1}, {&sink, 1}, scratch.data(), nullptr, nullptr);
  return to;
}

template <class Real>
double distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double is = a[i], wanted = b[i];
    sum += (is - wanted) * (is - wanted);
    all += wanted * wanted;
  }
  return std::sqrt(sum / all);
}

/// Transforms of `axes` in one pass; of `kind` the one that reaches real elements, if it does, others complex ones.
template <class Real>
void compare(dice& d, extents shape, const std::vector<int>& axes, line_kind kind) {
  const line_row& row = row_of(kind);
  const auto real_at = at(row.in == element_type::real ? axes.front() : axes.back());
  pass_problem p;
  p.element = sizeof(Real) == 4 ? precision::f32 : precision::f64;
  p.source_bytes = bytes_of(row.in, p.element);
  p.sink_bytes = bytes_of(row.out, p.element);
  extents from = shape, to = shape;
  from[real_at] = row.in_extent(shape[real_at]);
  to[real_at] = row.out_extent(shape[real_at]);
  p.source = dense(from, static_cast<integer>(p.source_bytes));
  p.sink = dense(to, static_cast<integer>(p.sink_bytes));
  for (const int a : axes) {
    const bool other = row.in != row.out && at(a) != real_at;
    p.transforms.push_back({a, other ? line_kind::c2c_forward : kind, shape[at(a)]});
  }
  std::vector<Real> x(at(volume(from)) * p.source_bytes / sizeof(Real));
  for (auto& v : x) v = static_cast<Real>(d.unit());
  const auto wanted = run(p, "reference", x, false);
  const bool large = d.once_in(3);  // for the caches: tiles are copied to the sink, or stored past the caches
  if (large) p.cached_bytes = 1024;
  p.threads = d.once_in(2) ? 2 : 1;
  SCOPED_TRACE(::testing::PrintToString(shape) + " axes " + ::testing::PrintToString(axes) + " kind " +
               std::to_string(static_cast<int>(kind)) + " bytes " + std::to_string(sizeof(Real)) +
               (large ? " large" : "") + ", threads " + std::to_string(p.threads));
  const double limit = sizeof(Real) == 4 ? 1e-6 : 1e-14;
  EXPECT_LT(distance(run(p, "weft", x, false), wanted), limit);
  if (row.in == row.out) {
    EXPECT_LT(distance(run(p, "weft", x, true), wanted), limit);
  }
}

TEST(components, of_any_number_are_transformed_once) {
  dice d(15);
  for (const integer components : {1, 2, 3, 4, 6, 7, 9, 12, 15, 16, 33}) {
    // Lengths of one step, of several, and of several that are no power of two.
    const extents shape{2, d.once_in(2) ? 36 : 32, d.once_in(2) ? 40 : 5, components};
    for (const std::vector<int>& axes : {std::vector<int>{2, 1}, {1}, {2}, {0, 1}, {2, 1, 0}, {0, 1, 2}}) {
      for (const auto kind : {line_kind::c2c_forward, line_kind::c2c_backward, line_kind::r2c, line_kind::c2r}) {
        compare<double>(d, shape, axes, kind);
        compare<float>(d, shape, axes, kind);
      }
    }
  }
}

TEST(components, are_seen_once_by_functions) {
  for (const integer components : {9, 15, 17}) {
    for (const std::vector<int>& axes : {std::vector<int>{1, 0}, {1}, {0}}) {
      pass_problem p;
      p.source = p.sink = dense({32, 40, components}, 16);
      p.source_bytes = p.sink_bytes = 16;
      for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, p.sink.shape[at(a)]});
      integer loaded = 0, stored = 0;
      const auto count = [](integer& all) {
        return local::pointwise([&all](const element_line& line) { all += line.count; });
      };
      p.loading.emplace_back(count(loaded));
      p.storing.emplace_back(count(stored));
      (void)run(p, "weft", std::vector<double>(at(volume(p.sink.shape)) * 2, 1), false);
      EXPECT_EQ(loaded, volume(p.source.shape));
      EXPECT_EQ(stored, volume(p.source.shape));
    }
  }
}

}  // namespace
}  // namespace weft::testing
