// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/kernels/chain.hpp"
#include "device/kernels/fixed_plans.hpp"
#include "device/kernels/host_block.hpp"
#include "device/kernels/straight_lines.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

template <class Real>
void run_group(const sweep& s, const launch_shape& how, std::int64_t line, std::int64_t end, std::byte* work) {
  host_block block(how.threads);
  switch (how.kernel) {
    case kernel_kind::copied: return copied_lines<host_block, Real>(block, s, work).run(line, end);
    case kernel_kind::looped: return looped_lines<host_block, Real>(block, s, work).run(line, end);
    case kernel_kind::fixed: break;
  }
  const bool known = with_fixed(s.length, [&]<int Length>() {
    using fixed = fixed_length<Real, Length>;
    fixed_lines<host_block, Real, typename fixed::plan, fixed::lanes>(block, s, work).run(line, end);
  });
  if (!known) throw internal_error("no kernel for lines of length " + std::to_string(s.length));
}

/// The lengths whose straight kernels the host plays, too. All take long to compile with sanitizers, which see the same
/// lines of code in a few: with one stage more, with lanes that share a warp unevenly.
#if defined(WEFT_FEW_STRAIGHT_LENGTHS)
using straight_lengths = std::integer_sequence<int, 16, 32, 300>;
#else
using straight_lengths = fixed_lengths;
#endif

bool plays_straight(int length) {
  return with_fixed_length(
      length, []<int>() {}, straight_lengths{});
}

template <class Real, straight_kind Kind>
void run_straight(const straight_sweep& s, int length, std::int64_t line, std::int64_t end, std::byte* work) {
  const auto run = [&]<int Length>() {
    using fixed = fixed_length<Real, Length>;
    host_block block(fixed::threads);
    straight_lines<host_block, Real, fixed, Kind>(block, s, work)
        .run(static_cast<unsigned>(line), static_cast<unsigned>(end));
  };
  with_fixed_length(length, run, straight_lengths{});
}

/// What is used again is nothing to the host.
template <class Real>
void run_straight_of(const straight_sweep& s, int length, std::int64_t line, std::int64_t end, std::byte* work) {
  with_straight_kinds(
      {s, {}, {}}, [&]<straight_kind Kind, straight_kind... None>() {
        if constexpr (sizeof...(None) == 0) run_straight<Real, Kind>(s, length, line, end, work);
      });
}

void run_group_of(const sweep& s, const launch_shape& how, std::int64_t line, std::int64_t end, std::byte* work) {
  return s.element == 4 ? run_group<float>(s, how, line, end, work) : run_group<double>(s, how, line, end, work);
}

/// The host's memory, of which it knows how much there is left.
class counted_space final : public base::memory_space {
 public:
  [[nodiscard]] memory allocate(std::size_t bytes) override {
    const auto size = static_cast<std::int64_t>(bytes);
    if (size > left()) {
      throw buffer_error("no room for " + std::to_string(bytes) + " bytes of the device's memory, of which " +
                         std::to_string(left()) + " are free; use more devices or a smaller problem");
    }
    const memory block = base::host().allocate(bytes);
    taken_ += size;
    return {{block.data(), [block, size, this](std::byte* /*its own*/) { taken_ -= size; }}, bytes};
  }
  [[nodiscard]] std::int64_t left() const { return limit_ - taken_; }
  void limit(std::int64_t bytes) { limit_ = bytes; }

 private:
  std::atomic<std::int64_t> taken_ = 0, limit_ = std::numeric_limits<std::int64_t>::max();
};

/// Never destroyed: its memory may be given back late.
counted_space& its_memory() {
  static auto* const only = new counted_space;  // NOLINT(cppcoreguidelines-owning-memory)
  return *only;
}

/// Its memory is the host's, and all is done when it is asked for.
class emulated_device final : public device {
 public:
  [[nodiscard]] std::string_view kind() const override { return "emulated"; }
  [[nodiscard]] std::string name() const override { return "a device that the host plays"; }
  [[nodiscard]] int number() const override { return 0; }
  [[nodiscard]] std::int64_t free_bytes() const override { return its_memory().left(); }
  [[nodiscard]] base::memory_space& space() const override { return its_memory(); }
  [[nodiscard]] memory pinned(std::size_t bytes) const override { return base::host().allocate(bytes); }
  [[nodiscard]] bool reaches(const void* /*address*/) const override { return true; }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void clear(void* what, std::size_t bytes) const override {
    if (bytes > 0) std::memset(what, 0, bytes);
  }
  void launch(const sweep& s, const launch_shape& how) const override {
    chained_sweeps alone{};
    alone.first = s;
    launch(alone, how);
  }
  void launch(const chained_sweeps& both, const launch_shape& how) const override {
    const memory work = base::host().allocate(static_cast<std::size_t>(how.shared));
    const sweep_order& order = both.order;
    const straight_sweeps straight =
        how.kernel == kernel_kind::fixed && plays_straight(both.first.length) ? straight_of(both) : straight_sweeps{};
    std::vector<std::int64_t> done(static_cast<std::size_t>(order.chunks), 0);
    const bool chained = order.chunks > 0;
    for (std::int64_t n = 0; n < (chained ? tickets_of(order) : how.groups); ++n) {
      const chain_ticket t = chained ? ticket_of(order, n) : chain_ticket{false, 0, n};
      if (t.second && done[static_cast<std::size_t>(t.chunk)] != order.first_groups) {
        throw internal_error("a ticket waits for one behind it");
      }
      const sweep& s = t.second ? both.second : both.first;
      const std::int64_t line = t.line(order, width_of(s)), end = t.end(order, s.box.lines);
      if (straight.first.lines > 0) {
        const straight_sweep& lines = t.second ? straight.second : straight.first;
        s.element == 4 ? run_straight_of<float>(lines, s.length, line, end, work.data())
                       : run_straight_of<double>(lines, s.length, line, end, work.data());
      } else {
        run_group_of(s, how, line, end, s.work_in_scratch != 0 ? s.scratch : work.data());
      }
      if (chained && !t.second) ++done[static_cast<std::size_t>(t.chunk)];
    }
  }
  void synchronize() const override {}
  [[nodiscard]] void* native_stream() const override { return nullptr; }
  void stamp(std::size_t number) const override {
    auto& all = stamps();
    all.resize(std::max(all.size(), number + 1));
    all[number] = clock::now();
  }
  [[nodiscard]] double seconds_between(std::size_t first, std::size_t second) const override {
    return std::chrono::duration<double>(stamps()[second] - stamps()[first]).count();
  }
  void copy_beside(int /*lane*/, void* to, const void* from, std::size_t bytes) const override {
    copy(to, from, bytes);
  }
  void mark(int /*lane*/, std::size_t /*number*/) const override {}
  [[nodiscard]] bool passed(int /*lane*/, std::size_t /*number*/) const override { return true; }
  void synchronize_lane(int /*lane*/) const override {}
  [[nodiscard]] memory_handle handle_of(const std::byte* /*block*/) const override { return {}; }
  [[nodiscard]] std::byte* opened(const memory_handle& /*handle*/) const override { return nullptr; }
  void close(std::byte* /*block*/) const override {}
  [[nodiscard]] bool has_handles() const override { return false; }
  /// Small, so that tests see what large lines and many pieces do on devices.
  [[nodiscard]] std::int64_t most_shared() const override { return 100 << 10; }
  [[nodiscard]] std::int64_t most_blocks() const override { return 1; }
  [[nodiscard]] int usual_threads() const override { return 16; }
  [[nodiscard]] std::int64_t cached_bytes() const override { return 16 << 10; }

 private:
  using clock = std::chrono::steady_clock;
  static std::vector<clock::time_point>& stamps() {
    thread_local std::vector<clock::time_point> all;
    return all;
  }
};

}  // namespace

void limit_emulated(std::int64_t bytes) { its_memory().limit(bytes); }

const device& emulated() {
  static const emulated_device the_only_one;
  return the_only_one;
}

}  // namespace weft::device
