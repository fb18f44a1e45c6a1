// SPDX-License-Identifier: BSD-3-Clause
// The passes of a transform on one card against cuFFT and against a copy of the array, interleaved; medians.
//
//   gpu_cubes [BATCH*]SHAPE[:c2c|r2c[:f64|f32]]...
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "local/engines/gpu.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using namespace core;

void check(int status, const char* what) {
  if (status != 0) throw error(error_code::device_failure, std::string(what) + ": " + std::to_string(status));
}

extents strides_of(const extents& shape, integer element) {
  extents strides(shape.size());
  for (std::size_t l = shape.size(); l-- > 0; element *= shape[l]) strides[l] = element;
  return strides;
}

/// Milliseconds by the device's clock.
class stopwatch {
 public:
  explicit stopwatch(cudaStream_t in) : in_(in) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  float time(const std::function<void()>& what) {
    check(cudaEventRecord(begin_, in_), "cudaEventRecord");
    what();
    check(cudaEventRecord(end_, in_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaStream_t in_;
  cudaEvent_t begin_{}, end_{};
};

float median(std::vector<float> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void race(const std::string& text) {
  const auto star = text.find('*');  // before it, how many arrays
  const std::size_t outer = star == std::string::npos ? 0 : 1, from = outer == 0 ? 0 : star + 1;
  extents shape = parse_extents(text.substr(from, text.find(':') - from));
  if (outer > 0) shape.insert(shape.begin(), std::stoll(text));
  const bool real = text.find("r2c") != std::string::npos;
  const precision p = text.find("f32") != std::string::npos ? precision::f32 : precision::f64;
  const auto& on = device::device_named("cuda", 0);
  const auto& engine = local::gpu_engine_on(on);
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const device::stream_scope scope(stream);
  extents modes = shape;
  if (real) modes.back() = modes.back() / 2 + 1;
  const auto in_bytes = static_cast<integer>(real ? real_bytes(p) : complex_bytes(p)),
             out_bytes = static_cast<integer>(complex_bytes(p));
  const memory x = on.space().allocate(static_cast<std::size_t>(volume(shape) * in_bytes)),
               y = on.space().allocate(static_cast<std::size_t>(volume(modes) * out_bytes)),
               z = on.space().allocate(static_cast<std::size_t>(volume(modes) * out_bytes));
  std::vector<double> chunk(1 << 20);
  for (auto& v : chunk) v = std::rand() / static_cast<double>(RAND_MAX) - 0.5;
  std::vector<float> narrow(chunk.begin(), chunk.end());
  const std::size_t chunk_bytes = chunk.size() * real_bytes(p);
  for (std::size_t at = 0; at < x.bytes(); at += chunk_bytes) {
    on.copy(x.data() + at, p == precision::f64 ? static_cast<void*>(chunk.data()) : narrow.data(),
            std::min(chunk_bytes, x.bytes() - at));
  }
  on.synchronize();

  std::vector<local::axis_transform> all;
  for (int l = static_cast<int>(shape.size()) - 1; l >= static_cast<int>(outer); --l) {
    all.push_back({l, real && l + 1 == static_cast<int>(shape.size()) ? line_kind::r2c : line_kind::c2c_forward,
                   shape[static_cast<std::size_t>(l)]});
  }
  const auto source = plain_map(shape, strides_of(shape, in_bytes)),
             sink = plain_map(modes, strides_of(modes, out_bytes));
  std::vector<std::unique_ptr<local::pass>> passes, singles;
  memory scratch = on.space().allocate(1 << 20);
  const auto add = [&](std::span<const local::axis_transform> some, bool first, auto& list) {
    local::pass_problem problem;
    problem.source = first ? source : sink;
    problem.sink = sink;
    problem.transforms.assign(some.begin(), some.end());
    problem.element = p;
    problem.source_bytes = static_cast<std::size_t>(first ? in_bytes : out_bytes);
    problem.sink_bytes = static_cast<std::size_t>(out_bytes);
    list.push_back(engine.make_pass(problem));
    if (list.back()->scratch_bytes() > scratch.bytes()) scratch = on.space().allocate(list.back()->scratch_bytes());
  };
  for (std::span<const local::axis_transform> rest = all; !rest.empty();) {
    const std::size_t n = engine.transforms_in_one_pass(rest, modes, p);
    add(rest.first(n), rest.size() == all.size(), passes);
    rest = rest.subspan(n);
  }
  for (std::size_t i = 0; i < all.size(); ++i) add(std::span(all).subspan(i, 1), i == 0, singles);
  const auto execute = [&](const local::pass& w, bool first) {
    std::byte* source_of[] = {first ? x.data() : y.data()};
    std::byte* to[] = {y.data()};
    w.execute(source_of, to, scratch.data(), nullptr, nullptr);
  };
  const auto transform = [&](const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) execute(*list[i], i == 0);
  };
  cufftHandle plan{};
  std::vector<int> n(shape.begin() + static_cast<std::ptrdiff_t>(outer), shape.end());
  const bool f64 = p == precision::f64;
  check(cufftPlanMany(&plan, static_cast<int>(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0,
                      real ? (f64 ? CUFFT_D2Z : CUFFT_R2C) : (f64 ? CUFFT_Z2Z : CUFFT_C2C),
                      outer > 0 ? static_cast<int>(shape[0]) : 1),
        "cufftPlanMany");
  check(cufftSetStream(plan, stream), "cufftSetStream");
  const auto cufft = [&] {
    int status = 0;
    if (real) {
      status =
          f64 ? cufftExecD2Z(plan, reinterpret_cast<double*>(x.data()), reinterpret_cast<cufftDoubleComplex*>(z.data()))
              : cufftExecR2C(plan, reinterpret_cast<float*>(x.data()), reinterpret_cast<cufftComplex*>(z.data()));
    } else {
      status = f64 ? cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(x.data()),
                                  reinterpret_cast<cufftDoubleComplex*>(z.data()), CUFFT_FORWARD)
                   : cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(x.data()),
                                  reinterpret_cast<cufftComplex*>(z.data()), CUFFT_FORWARD);
    }
    check(status, "cufftExec");
  };
  stopwatch watch(stream);
  std::vector<float> ours, apart, theirs, copies;
  std::vector<std::vector<float>> each(singles.size());
  const int rounds = volume(shape) > 300000000 ? 7 : 15;
  for (int r = -2; r < rounds; ++r) {
    const float a = watch.time([&] { transform(passes); }), b = watch.time(cufft),
                c = watch.time([&] { on.copy(z.data(), y.data(), z.bytes()); }),
                e = watch.time([&] { transform(singles); });
    if (r < 0) continue;
    ours.push_back(a);
    theirs.push_back(b);
    copies.push_back(c);
    apart.push_back(e);
    for (std::size_t i = 0; i < singles.size(); ++i)
      each[i].push_back(watch.time([&] { execute(*singles[i], i == 0); }));
  }
  transform(passes);
  cufft();
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  const std::size_t some = std::min<std::size_t>(y.bytes(), std::size_t{256} << 20);
  std::vector<std::byte> a(some), b(some);
  on.copy(a.data(), y.data(), some);
  on.copy(b.data(), z.data(), some);
  on.synchronize();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < some / real_bytes(p); ++i) {
    const double u = f64 ? reinterpret_cast<double*>(a.data())[i] : reinterpret_cast<float*>(a.data())[i],
                 v = f64 ? reinterpret_cast<double*>(b.data())[i] : reinterpret_cast<float*>(b.data())[i];
    difference += (u - v) * (u - v);
    size += v * v;
  }
  std::string axes;
  for (const auto& e : each) axes += (axes.empty() ? "" : " ") + std::to_string(median(e)).substr(0, 6);
  std::printf("%-22s copy %7.3f | cuFFT %8.3f | weft %8.3f ratio %.2f | apart %8.3f (%s) ratio %.2f | error %.1e\n",
              text.c_str(), median(copies), median(theirs), median(ours), median(theirs) / median(ours), median(apart),
              axes.c_str(), median(theirs) / median(apart), std::sqrt(difference / size));
  std::fflush(stdout);
  cufftDestroy(plan);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      weft::race(argv[i]);
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", argv[i], e.what());
    }
  }
}
