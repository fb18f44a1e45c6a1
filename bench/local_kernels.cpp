// SPDX-License-Identifier: BSD-3-Clause
// In-cache rates of the native engine and of FFTW (many-plans, MEASURE) on the same bundles.
//
//   local_kernels [f64|f32] [rows|lines] [c2c|r2c|c2r] [lengths...]
//   local_kernels passes [f64|f32] [c2c|r2c|c2r] [lengths...]
//
// The second form times whole passes of the native engine over the axes of a cube, in ns per element.
// Rounds alternate between the two and the least time of each counts, so that a noisy machine disturbs
// both alike. GFlop/s by the convention 5 n log2 n per complex line, half of that per real one.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "index/access_map.hpp"
#include "local/engines/fftw_api.hpp"
#include "local/engines/weft.hpp"
#include "local/line_engine.hpp"

namespace {

using weft::integer;
using weft::core::line_kind;
using weft::local::run;

struct settings {
  weft::precision element = weft::precision::f64;
  bool rows = true;
  line_kind kind = line_kind::c2c_forward;
};

std::unique_ptr<std::byte, decltype(&std::free)> allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
  std::fill_n(memory, bytes, std::byte{0});
  return {memory, &std::free};
}

double seconds_of(int repetitions, const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repetitions;
}

struct rates {
  double weft;
  double fftw;
};

rates race(const std::function<void()>& weft_call, const std::function<void()>& fftw_call, double flops) {
  const int repetitions = std::max(1, static_cast<int>(2e-4 / std::max(1e-8, seconds_of(3, weft_call))));
  double weft_best = 1e9;
  double fftw_best = 1e9;
  for (int round = 0; round < 100; ++round) {
    weft_best = std::min(weft_best, seconds_of(repetitions, weft_call));
    fftw_best = std::min(fftw_best, seconds_of(repetitions, fftw_call));
  }
  return {flops / weft_best * 1e-9, flops / fftw_best * 1e-9};
}

template <class T>
rates measure(const settings& how, integer n) {
  const weft::local::line_engine& engine = weft::local::weft_engine();
  const int lanes = engine.lanes(how.kind, n, how.element);
  const bool real_in = how.kind == line_kind::r2c;
  const bool real_out = how.kind == line_kind::c2r;
  const integer in_count = real_out ? n / 2 + 1 : n;
  const integer out_count = real_in ? n / 2 + 1 : n;
  const auto side = [&](std::byte* memory, integer count, bool real) {
    const integer bytes = static_cast<integer>(sizeof(T)) * (real ? 1 : 2);
    return std::vector<run>{{memory, 0, 1, count, how.rows ? bytes * lanes : bytes, how.rows ? bytes : bytes * count}};
  };
  const auto size = static_cast<std::size_t>((n + 2) * lanes) * 2 * sizeof(T);
  const auto in = allocate(size);
  const auto out = allocate(size);
  const auto kernel = engine.make_kernel({how.kind, n, how.element, lanes, !how.rows});
  const auto scratch = allocate(kernel->scratch_bytes());
  const auto from = side(in.get(), in_count, real_in);
  const auto to = side(out.get(), out_count, real_out);

  using api = weft::local::fftw_api<T>;
  using complex = typename api::complex;
  const int length = static_cast<int>(n);
  const int stride = how.rows ? lanes : 1;
  const int in_distance = how.rows ? 1 : static_cast<int>(in_count);
  const int out_distance = how.rows ? 1 : static_cast<int>(out_count);
  auto* x = in.get();
  auto* y = out.get();
  typename api::plan plan{};
  if (real_in) {
    plan = api::plan_many_r2c(1, &length, lanes, reinterpret_cast<T*>(x), nullptr, stride, in_distance,
                              reinterpret_cast<complex*>(y), nullptr, stride, out_distance, FFTW_MEASURE);
  } else if (real_out) {
    plan = api::plan_many_c2r(1, &length, lanes, reinterpret_cast<complex*>(x), nullptr, stride, in_distance,
                              reinterpret_cast<T*>(y), nullptr, stride, out_distance, FFTW_MEASURE);
  } else {
    plan = api::plan_many_c2c(1, &length, lanes, reinterpret_cast<complex*>(x), nullptr, stride, in_distance,
                              reinterpret_cast<complex*>(y), nullptr, stride, out_distance, FFTW_FORWARD, FFTW_MEASURE);
  }
  std::fill_n(in.get(), size, std::byte{0});
  const double real_factor = real_in || real_out ? 0.5 : 1;
  const double flops =
      real_factor * lanes * 5 * static_cast<double>(n) * std::log2(std::max<double>(2, static_cast<double>(n)));
  const rates result = race(
      [&] {
        kernel->transform({from, lanes}, {to, lanes}, scratch.get());
      },
      [&] { api::execute(plan); }, flops);
  api::destroy(plan);
  return result;
}

/// Least seconds of one pass over `axes` (in this order) of a dense n^3 array into another. The last axis
/// is the real one.
double seconds_of_pass(const settings& how, integer n, std::vector<int> axes) {
  const auto dense = [&](bool real) {
    const auto bytes = static_cast<integer>(weft::complex_bytes(how.element)) / (real ? 2 : 1);
    const integer last = how.kind == line_kind::c2c_forward || real ? n : n / 2 + 1;
    return weft::core::plain_map({n, n, last}, {n * last * bytes, last * bytes, bytes});
  };
  const bool has_last = std::find(axes.begin(), axes.end(), 2) != axes.end();
  const bool real_in = has_last && how.kind == line_kind::r2c;
  const bool real_out = has_last && how.kind == line_kind::c2r;
  if (how.kind == line_kind::c2r) std::reverse(axes.begin(), axes.end());
  weft::local::pass_problem problem{dense(real_in), dense(real_out), {}, how.element};
  problem.source_bytes = weft::complex_bytes(how.element) / (real_in ? 2 : 1);
  problem.sink_bytes = weft::complex_bytes(how.element) / (real_out ? 2 : 1);
  for (const int axis : axes) {
    problem.transforms.push_back({axis, axis == 2 ? how.kind : line_kind::c2c_forward, n});
  }
  const auto pass = weft::local::weft_engine().make_pass(problem);
  const auto bytes = static_cast<std::size_t>(n * n * (n + 2)) * weft::complex_bytes(how.element);
  const auto in = allocate(bytes);
  const auto out = allocate(bytes);
  const auto scratch = allocate(pass->scratch_bytes());
  std::byte* const source[] = {in.get()};
  std::byte* const sink[] = {out.get()};
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    best = std::min(best, seconds_of(1, [&] { pass->execute(source, sink, scratch.get(), nullptr, nullptr); }));
  }
  return best;
}

void print_passes(const settings& how, std::vector<integer> lengths) {
  if (lengths.empty()) lengths = {32, 64, 128};
  std::printf("%6s %8s %8s %8s %8s\n", "n", "axis 2", "axis 1", "axis 0", "axes 2,1");
  for (const integer n : lengths) {
    const double scale = 1e9 / static_cast<double>(n * n * n);
    std::printf("%6lld %8.3f %8.3f %8.3f %8.3f\n", static_cast<long long>(n), scale * seconds_of_pass(how, n, {2}),
                scale * seconds_of_pass(how, n, {1}), scale * seconds_of_pass(how, n, {0}),
                scale * seconds_of_pass(how, n, {2, 1}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings how;
  bool passes = false;
  std::vector<integer> lengths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "passes")
      passes = true;
    else if (word == "f32")
      how.element = weft::precision::f32;
    else if (word == "lines")
      how.rows = false;
    else if (word == "r2c")
      how.kind = line_kind::r2c;
    else if (word == "c2r")
      how.kind = line_kind::c2r;
    else if (word != "f64" && word != "rows" && word != "c2c")
      lengths.push_back(std::atoll(word.c_str()));
  }
  if (passes) {
    print_passes(how, lengths);
    return 0;
  }
  if (lengths.empty()) {
    lengths = {8,   16,  32,  48,  50,  64,  96,  100, 120, 128, 144, 192, 200,  240,  256,  300,  320, 360,
               384, 400, 480, 500, 512, 600, 640, 700, 720, 768, 900, 960, 1000, 1024, 1536, 2048, 4096};
  }
  std::printf("%6s %8s %8s %6s\n", "n", "weft", "fftw", "ratio");
  for (const integer n : lengths) {
    const rates r = how.element == weft::precision::f32 ? measure<float>(how, n) : measure<double>(how, n);
    std::printf("%6lld %8.2f %8.2f %6.2f\n", static_cast<long long>(n), r.weft, r.fftw, r.weft / r.fftw);
  }
  return 0;
}
