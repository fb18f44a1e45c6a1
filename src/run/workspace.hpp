// SPDX-License-Identifier: BSD-3-Clause
// Memory that the programs of a plan share, as long as they do not run at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/memory.hpp"
#include "exchange/channel.hpp"
#include "run/binding.hpp"

namespace weft::run {

class workspace {
 public:
  /// With work areas in `space`, the process's own unless said; scratch is in memory of the device's, if there is one.
  explicit workspace(std::shared_ptr<base::memory_space> space = nullptr, const device::device* on = nullptr);
  /// All of it in memory that somebody else owns. Where that is too small, require() throws buffer_error.
  explicit workspace(std::span<std::byte> given) : own_(base::host()), given_(given) {}

  /// Makes everything at least so large; the contents of what grows are lost. Collective where the space is.
  void require(const memory_needs& needs);

  [[nodiscard]] exchange::image at(area a) const;
  [[nodiscard]] std::byte* scratch() const { return scratch_.data(); }
  /// Before and after a run that `on` does: what it puts into the thread's stream is done after what runs that used
  /// this workspace before put into others, and is known to those that come.
  void begin_run(const device::device& on);
  void end_run(const device::device& on);
  /// What there is.
  [[nodiscard]] memory_needs size() const;

 private:
  void divide(std::span<std::byte> given, const memory_needs& needs);

  std::shared_ptr<base::memory_space> space_;
  base::memory_space& own_;
  std::optional<std::span<std::byte>> given_;
  std::array<memory, area_count> areas_;
  memory scratch_;
  std::shared_ptr<void> last_moment_;  // of the last run, if nobody waited for its end
};

}  // namespace weft::run
