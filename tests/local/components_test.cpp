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

access_map dense(const extents& shape) {
  extents strides(shape.size());
  integer stride = 16;
  for (std::size_t l = shape.size(); l-- > 0; stride *= shape[l]) strides[l] = stride;
  return plain_map(shape, strides);
}

using memory = std::vector<double>;

memory run(const pass_problem& problem, const char* engine, memory from, bool in_place) {
  const auto made = local::engine_named(engine).make_pass(problem);
  memory apart(from.size(), 7);
  memory& to = in_place ? from : apart;
  const auto scratch = host_memory(made->scratch_bytes());
  auto* source = reinterpret_cast<std::byte*>(from.data());
  auto* sink = reinterpret_cast<std::byte*>(to.data());
  made->execute({&source, 1}, {&sink, 1}, scratch.data(), nullptr, nullptr);
  return to;
}

double distance(const memory& a, const memory& b) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    all += b[i] * b[i];
  }
  return std::sqrt(sum / all);
}

TEST(components, of_any_number_are_transformed_once) {
  dice d(15);
  for (const integer components : {1, 7, 9, 12, 15, 16, 33}) {
    // Lengths of one step, of several, and of several that are no power of two.
    const extents shape{2, d.once_in(2) ? 36 : 32, d.once_in(2) ? 40 : 5, components};
    memory x(at(volume(shape)) * 2);
    for (auto& v : x) v = d.unit();
    for (const std::vector<int>& axes : {std::vector<int>{2, 1}, {1}, {2}, {0, 1}, {2, 1, 0}}) {
      for (const auto kind : {line_kind::c2c_forward, line_kind::c2c_backward}) {
        pass_problem p;
        p.source = p.sink = dense(shape);
        p.source_bytes = p.sink_bytes = 16;
        for (const int a : axes) p.transforms.push_back({a, kind, shape[at(a)]});
        const memory wanted = run(p, "reference", x, false);
        const bool large = d.once_in(3);  // for the caches: tiles are copied to the sink, or stored past the caches
        if (large) p.cached_bytes = 1024;
        p.threads = d.once_in(2) ? 2 : 1;
        SCOPED_TRACE(::testing::PrintToString(shape) + " axes " + ::testing::PrintToString(axes) +
                     (large ? " large" : "") + ", threads " + std::to_string(p.threads));
        for (const bool in_place : {false, true}) EXPECT_LT(distance(run(p, "weft", x, in_place), wanted), 1e-14);
      }
    }
  }
}

TEST(components, are_seen_once_by_functions) {
  for (const integer components : {9, 15, 17}) {
    for (const std::vector<int>& axes : {std::vector<int>{1, 0}, {1}, {0}}) {
      pass_problem p;
      p.source = p.sink = dense({32, 40, components});
      p.source_bytes = p.sink_bytes = 16;
      for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, p.sink.shape[at(a)]});
      integer loaded = 0, stored = 0;
      const auto count = [](integer& all) {
        return local::pointwise([&all](const element_line& line) { all += line.count; });
      };
      p.loading.emplace_back(count(loaded));
      p.storing.emplace_back(count(stored));
      (void)run(p, "weft", memory(at(volume(p.sink.shape)) * 2, 1), false);
      EXPECT_EQ(loaded, volume(p.source.shape));
      EXPECT_EQ(stored, volume(p.source.shape));
    }
  }
}

}  // namespace
}  // namespace weft::testing
