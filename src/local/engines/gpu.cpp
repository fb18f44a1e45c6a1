// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/gpu.hpp"

#include <algorithm>
#include <string>

#include "local/engines/device_pass.hpp"
#include "local/joined_axes.hpp"
#include "local/sweep_pass.hpp"
#include "local/sweeps.hpp"
#include "local/widened_maps.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

class gpu final : public engine {
 public:
  explicit gpu(const device::device& on) : on_(on) {}
  [[nodiscard]] std::string_view name() const override { return "gpu"; }
  [[nodiscard]] bool has(line_kind kind) const override { return !is_trigonometric_digit(kind); }
  [[nodiscard]] bool for_speed() const override { return on_.kind() != "emulated"; }

  [[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem) const override {
    if (problem.narrow_source || problem.narrow_sink) {
      throw applicability_error("local engine 'gpu' moves whole elements only; use message tolerance 0");
    }
    pass_problem known = problem;
    if (known.transforms.empty()) {
      if (known.loading.empty() && known.storing.empty()) see_units(known);
      int axis = -1;
      for (int l = 0; l < static_cast<int>(known.sink.shape.size()); ++l) {
        if (!known.following.positions.empty() && known.following.axis == l) continue;
        if (axis < 0 || known.sink.shape[static_cast<std::size_t>(l)] > 1) axis = l;
      }
      known.transforms.push_back({axis, line_kind::none, known.sink.shape[static_cast<std::size_t>(axis)]});
    }
    // Fewer axes are better, if they are no longer than devices take.
    auto joined = with_joined_axes(known);
    if (std::ranges::any_of(joined.sink.shape, [](integer n) { return n > longest_on_device; }))
      joined = std::move(known);
    return make_sweep_pass(joined, on_);
  }

  /// Two where they can be chained and a multiprocessor has room for several blocks, which overlap: told from lengths
  /// alone, so that all ranks tell the same.
  [[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& /*shape*/,
                                                   precision element) const override {
    if (transforms.size() < 2 || transforms[0].length != transforms[1].length) return 1;
    if (transforms[0].length > device::longest_chained) return 1;
    if (!is_fourier(transforms[0].kind) || !is_fourier(transforms[1].kind)) return 1;
    if (row_of(transforms[1].kind).in != row_of(transforms[1].kind).out) return 1;
    const auto by = device::plan_of(static_cast<int>(transforms[0].length), static_cast<int>(real_bytes(element)),
                                    device::plan_use::chain);
    return by.blocks > 1 ? 2 : 1;
  }

 private:
  /// Elements of any size that is a multiple of 4 are moved in units that kernels have.
  static void see_units(pass_problem& copied) {
    const std::size_t bytes = copied.sink_bytes;
    const std::size_t unit = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
    if (bytes % 4 != 0) {
      throw applicability_error("devices move elements whose size is a multiple of 4 bytes, not of " +
                                std::to_string(bytes));
    }
    copied.element = unit == 4 ? precision::f32 : precision::f64;
    copied.source_bytes = copied.sink_bytes = unit;
    if (unit == bytes) return;
    const auto count = static_cast<integer>(bytes / unit);
    copied.source = in_units(std::move(copied.source), count, static_cast<integer>(unit));
    copied.sink = in_units(std::move(copied.sink), count, static_cast<integer>(unit));
  }

  const device::device& on_;
};

}  // namespace

const engine& gpu_engine_on(const device::device& where) { return one_of_device<gpu>(where); }

const engine& gpu_engine() { return gpu_engine_on(device::emulated()); }

}  // namespace weft::local
