// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "base/names.hpp"
#include "device/cufft.hpp"
#include "local/device_engines.hpp"
#include "local/engines/cufft.hpp"
#include "local/engines/fftw.hpp"
#include "local/engines/gpu.hpp"
#include "local/engines/reference.hpp"
#include "local/engines/weft.hpp"

namespace weft::local {

std::span<const engine* const> engines() {
  static const auto table = [] {
    std::vector<const engine*> all{&weft_engine(), fftw_engine(), &reference_engine(), &gpu_engine()};
    std::erase(all, nullptr);
    return all;
  }();
  return table;
}

std::span<const std::string_view> device_engine_names() {
  static constexpr std::array<std::string_view, 2> names{"gpu", "cufft"};
  return names;
}

std::string why_no_device_engine(std::string_view name) {
  std::string why_not;
  if (name == "cufft") (void)device::cufft_name(why_not);
  return why_not;
}

std::string_view usual_device_engine(std::span<const line_sort> lines, precision element) {
  const bool slow = std::ranges::any_of(lines, [&](const line_sort& l) { return has_long_way(l, element); });
  const bool only_fourier =
      std::ranges::all_of(lines, [](const line_sort& l) { return l.kind == line_kind::none || is_fourier(l.kind); });
  return slow && only_fourier ? "cufft" : "gpu";
}

const engine& engine_on(std::string_view name, const device::device& where) {
  return name == "cufft" ? cufft_engine_on(where) : gpu_engine_on(where);
}

const engine& engine_named(std::string_view name) {
  if (name == "cufft") return cufft_engine_on(device::emulated());
  const bool absent = name == "fftw" && fftw_engine() == nullptr;
  return base::named(engines(), name, "local engine",
                     absent ? "this build is without FFTW, install it and configure with -DWEFT_FFTW=ON" : "");
}

}  // namespace weft::local
