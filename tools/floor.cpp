// SPDX-License-Identifier: BSD-3-Clause
#include "floor.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "index/modes.hpp"
#include "local/line_engine.hpp"
#include "local/speed.hpp"
#include "planner/topology.hpp"
#include "transform_name.hpp"
#include "weft/memory.hpp"

namespace weft::tool {

using namespace core;

namespace {

constexpr std::size_t cache_line = 64;
constexpr double block_seconds = 1e-3;  // far above what a barrier and a clock cost
// So much of blocks, of which the fastest counts; where they are longer, a few of them, but not for ever.
constexpr double measure_seconds = 1e-2, longest_measure = 1e-1;
constexpr int few_blocks = 5;

/// Seconds of one body(thread) on all threads of all ranks at once: many of them between two barriers, the least of
/// several such blocks. The second barrier lets ranks that share a core wait for one another. Every rank gets the same
/// answer, so all stop together.
template <class Body>
double fastest(const ranks& all, int threads, const Body& body) {
  const auto repeat = [&](int times) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < times; ++i) body(omp_get_thread_num());
  };
  repeat(1);  // touches pages, wakes threads
  const double once = std::max(all.max(seconds_of([&] { repeat(1); })), 1e-9);
  const int times = static_cast<int>(std::clamp(block_seconds / once, 1.0, 1e6));
  double best = 0, spent = 0;
  for (int blocks = 0; spent < (blocks < few_blocks ? longest_measure : measure_seconds); ++blocks) {
    const double block = time_of(all, [&] {
      repeat(times);
      all.barrier();
    });
    best = spent == 0 ? block : std::min(best, block);
    spent += block;
  }
  return best / times;
}

/// Bytes of one of the two arrays each thread copies: its part of the problem's array, or where that is larger what no
/// cache of the node holds.
std::size_t copied_bytes(double array_bytes, int threads, const ranks& all) {
  const node_ranks node(all);
  double cache = 16e6;
  for (const auto& level : planner::this_node().caches) {
    cache = std::max(cache, static_cast<double>(level.bytes) * level.count);
  }
  const double most = 2 * cache / (node.size() * threads);
  const auto bytes = static_cast<std::size_t>(std::min(array_bytes / (all.size() * threads), most));
  return static_cast<std::size_t>(all.max(static_cast<integer>((bytes / cache_line + 1) * cache_line)));
}

/// The better of plain and streaming stores: the first win in cache, the second beyond.
double copy_bandwidth(double array_bytes, int threads, const ranks& all) {
  const std::size_t bytes = copied_bytes(array_bytes, threads, all);
  const std::size_t whole = bytes * static_cast<std::size_t>(threads);
  const auto from = host_memory(whole), to = host_memory(whole);
  const auto part = [&](const memory& of, int thread) { return of.data() + bytes * static_cast<std::size_t>(thread); };
#pragma omp parallel num_threads(threads)
  std::memset(part(from, omp_get_thread_num()), 1, bytes);  // so that its pages are near its thread, and not all one
  const auto seconds_with = [&](const auto& copy) {
    return fastest(all, threads, [&](int thread) { copy(part(from, thread), part(to, thread), bytes); });
  };
  const double plain = seconds_with([](const std::byte* a, std::byte* b, std::size_t n) { std::memcpy(b, a, n); });
  const double streamed = seconds_with(local::stream_copy);
  return 2 * static_cast<double>(whole) * all.size() / std::min(plain, streamed);
}

double seconds_per_line(const local::line_problem& line, const local::line_engine& engine, int threads,
                        const ranks& all) {
  std::vector<local::bundle_in_cache> bundles;
  bundles.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) bundles.emplace_back(line, engine);
  return fastest(all, threads, [&](int t) { bundles[static_cast<std::size_t>(t)].transform(); }) /
         bundles.front().lanes();
}

std::vector<local::axis_transform> transforms_of(const problem& what) {
  const auto kinds = kinds_of(what);
  std::vector<local::axis_transform> transforms;
  for (const int axis : transformed_axes(what)) {
    line_kind kind = kinds[static_cast<std::size_t>(axis)];
    if (is_complex(what, side::input)) kind = row_of(kind).on_complex;
    transforms.push_back({axis, kind, what.shape[static_cast<std::size_t>(axis)]});
  }
  return transforms;
}

/// Seconds to transform all lines of all axes on all cores, as the slowest does it: the halved axis first, then the
/// last.
double arithmetic_seconds(const problem& what, const extents& after, const local::line_engine& engine, int threads,
                          const ranks& all) {
  std::map<std::tuple<line_kind, integer, bool>, double> known;  // seconds by kind, length, contiguous
  auto transforms = transforms_of(what);
  std::ranges::reverse(transforms);
  std::stable_partition(transforms.begin(), transforms.end(),
                        [&](const auto& t) { return t.axis == halved_axis(what); });
  extents shape = what.shape;
  double seconds = 0;
  for (const auto& t : transforms) {
    const auto axis = static_cast<std::size_t>(t.axis);
    const double lines = static_cast<double>(volume(shape) * what.batch) / static_cast<double>(shape[axis]);
    shape[axis] = after[axis];
    if (t.length < 2) continue;
    const bool contiguous = t.axis + 1 == static_cast<int>(what.shape.size());
    const auto [line, is_new] = known.try_emplace({t.kind, t.length, contiguous});
    if (is_new) line->second = seconds_per_line({t.kind, t.length, what.element, 1, contiguous}, engine, threads, all);
    seconds += lines * line->second;
  }
  return seconds / (static_cast<double>(all.size()) * threads);
}

/// One where every rank can have whole transforms to itself and one of them fits in cache. Otherwise what was done
/// along some axes must be stored, and loaded again for the others.
int least_passes(const problem& what, const extents& complex_shape, const local::engine& engine, int ranks) {
  const auto transforms = transforms_of(what);
  const double whole = static_cast<double>(volume(what.shape) * what.batch) / transform_length(what);
  const bool fits = engine.transforms_in_one_pass(transforms, complex_shape, what.element) == transforms.size();
  return fits && whole >= ranks ? 1 : 2;
}

/// Not where time is simulated and computing takes none of it.
bool time_passes(const ranks& all) {
  volatile int counter = 0;
  const double spent = seconds_of([&] {
    for (int i = 0; i < 10000; ++i) counter = counter + 1;
  });
  return all.max(spent) > 0;
}

}  // namespace

std::optional<time_floor> measure_floor(const problem& what, const std::string& engine_name, int threads,
                                        const ranks& all) {
  const local::line_engine* const lines = local::engine_named(engine_name).for_lines();
  if (volume(what.shape) == 0 || lines == nullptr || !time_passes(all)) return std::nullopt;
  const auto kinds = kinds_of(what);
  const extents complex_shape = extents_after(what.shape, kinds, what.modes, what.output_box);
  const auto batch = static_cast<double>(what.batch);
  const double points = static_cast<double>(volume(what.shape)) * batch;
  const double in = points * static_cast<double>(bytes_of(element_before(kinds), what.element));
  const double out = static_cast<double>(volume(complex_shape)) * batch *
                     static_cast<double>(bytes_of(element_after(kinds), what.element));
  time_floor found;
  found.passes = least_passes(what, complex_shape, *lines, all.size());
  found.bytes = in + out + (found.passes - 1) * 2 * out;
  found.bandwidth = copy_bandwidth(found.bytes / (2 * found.passes), threads, all);
  found.flops =
      (element_before(kinds) == core::element_type::real ? 2.5 : 5) * points * std::log2(transform_length(what));
  if (found.flops > 0) found.rate = found.flops / arithmetic_seconds(what, complex_shape, *lines, threads, all);
  return found;
}

}  // namespace weft::tool
