// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/kernels/chain.hpp"
#include "device/kernels/fixed_plans.hpp"
#include "device/kernels/host_block.hpp"
#include "device/kernels/straight_lines.hpp"
#include "device/measured_plans.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

/// The lengths whose straight kernels the host plays, too, and those that it plays by plans that were searched for. The
/// stages are those of other kernels, which it plays of all lengths; around them a few lengths have the same lines of
/// code as all, which take minutes to compile: with one stage more, with lanes that share a warp unevenly.
#if defined(WEFT_FEW_PLAYED_LENGTHS)
using straight_lengths = std::integer_sequence<int, 16, 32, 300>;
using searched_lengths = std::integer_sequence<int, 30>;
#else
using straight_lengths = std::integer_sequence<int, 16, 32, 128, 300, 320>;
using searched_lengths = std::integer_sequence<int, 2, 6, 30, 60, 81, 100, 143>;
#endif

/// Calls visit.template operator()<fixed_block>() if the plan is that of one of `Length`, or of those that are searched
/// for; says whether.
template <class Real, class Visit, int... Length>
bool with_played(const block_plan& by, const Visit& visit, std::integer_sequence<int, Length...> measured) {
  bool found = false;
  const auto try_one = [&]<class Fixed>() {
    if (found || numbers_of<Fixed>() != by) return;
    found = true;
    visit.template operator()<Fixed>();
  };
  const auto try_measured = [&]<int N>() {
    try_one.template operator()<fixed_length<Real, N>>();
    try_one.template operator()<across_length<Real, N>>();
  };
  const auto try_searched = [&]<int N>() {
    try_one.template operator()<typename best_known<Real, N, plan_use::chain>::type>();
    try_one.template operator()<typename best_known<Real, N, plan_use::across>::type>();
  };
  with_fixed_length(by.length(), try_measured, measured);
  with_fixed_length(by.length(), try_searched, searched_lengths{});
  return found;
}

template <class Real>
void run_group(const sweep& s, const launch_shape& how, std::int64_t line, std::int64_t end, std::byte* work) {
  host_block block(how.threads);
  switch (how.kernel) {
    case kernel_kind::copied: return copied_lines<host_block, Real>(block, s, work).run(line, end);
    case kernel_kind::looped: return looped_lines<host_block, Real>(block, s, work).run(line, end);
    case kernel_kind::fixed: break;
  }
  const auto run = [&]<class Fixed>() {
    fixed_lines<host_block, Real, typename Fixed::plan, Fixed::lanes>(block, s, work).run(line, end);
  };
  if (!with_played<Real>(how.by, run, fixed_lengths{})) {
    throw internal_error("no kernel for lines of length " + std::to_string(s.length));
  }
}

template <class Lengths>
bool plays(const block_plan& by, int real_bytes, Lengths lengths) {
  const auto nothing = []<class>() {};
  return real_bytes == 4 ? with_played<float>(by, nothing, lengths) : with_played<double>(by, nothing, lengths);
}

struct group_lines {
  std::int64_t line, end, base;
};

template <class Real, straight_kind Kind>
void run_straight(const straight_sweep& s, const block_plan& by, const group_lines& of, std::byte* work) {
  const auto run = [&]<class Fixed>() {
    host_block block(Fixed::threads);
    straight_lines<host_block, Real, Fixed, Kind>(block, s, work)
        .run(static_cast<unsigned>(of.line), static_cast<unsigned>(of.end), static_cast<unsigned>(of.base));
  };
  with_played<Real>(by, run, straight_lengths{});
}

template <class Real>
void run_straight_of(const straight_sweeps& c, bool second, const block_plan& by, const group_lines& of,
                     std::byte* work) {
  with_straight_kinds(
      c, [&]<straight_kind First, straight_kind... Second>() {
        if (!second) {
          run_straight<Real, First>(c.first, by, of, work);
        } else {
          (run_straight<Real, Second>(c.second, by, of, work), ...);
        }
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

std::atomic<std::int64_t>& waits_of_it() {
  static std::atomic<std::int64_t> count = 0;
  return count;
}

std::atomic<std::int64_t>& longest_line_of_it() {
  static std::atomic<std::int64_t> length = usual_emulated_line;
  return length;
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
    const straight_sweeps straight = how.kernel == kernel_kind::fixed && goes_straight(how.by, both.first.element)
                                         ? straight_of(both)
                                         : straight_sweeps{};
    std::vector<std::int64_t> done(static_cast<std::size_t>(counts_of(order)), 0);
    const bool chained = order.chunks > 0;
    for (std::int64_t n = 0; n < (chained ? tickets_of(order) : how.groups); ++n) {
      const chain_ticket t = chained ? ticket_of(order, n) : chain_ticket{false, 0, n};
      if (chained && t.waits(order) && done[static_cast<std::size_t>(t.awaited(order))] != t.awaited_groups(order)) {
        throw internal_error("a ticket waits for one behind it");
      }
      const sweep& s = t.second ? both.second : both.first;
      const std::int64_t line = t.line(order, width_of(s)), end = t.end(order, s.box.lines);
      if (straight.first.lines > 0) {
        const group_lines of{line, end, t.base(order)};
        s.element == 4 ? run_straight_of<float>(straight, t.second, how.by, of, work.data())
                       : run_straight_of<double>(straight, t.second, how.by, of, work.data());
      } else {
        run_group_of(s, how, line, end, s.work_in_scratch != 0 ? s.scratch : work.data());
      }
      if (chained && t.is_awaited(order)) ++done[static_cast<std::size_t>(t.counted(order))];
    }
  }
  void prepare(const chained_sweeps& /*both*/, const launch_shape& /*how*/) const override {}
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
  /// All is done at once: only who waits for whom is kept.
  void note_moment(std::shared_ptr<void>& moment) const override {
    moment = std::make_shared<void*>(stream_scope::current());
  }
  void follow_moment(const std::shared_ptr<void>& moment) const override {
    if (*static_cast<void**>(moment.get()) != stream_scope::current()) ++waits_of_it();
  }
  void copy_beside(int /*lane*/, void* to, const void* from, std::size_t bytes) const override {
    copy(to, from, bytes);
  }
  void mark(int /*lane*/, std::size_t /*number*/) const override {}
  [[nodiscard]] bool passed(int /*lane*/, std::size_t /*number*/) const override { return true; }
  void synchronize_lane(int /*lane*/) const override {}
  void stamp_lane(int lane, std::size_t number) const override { stamp(lane_stamp(lane, number)); }
  [[nodiscard]] double seconds_in_lane(int lane, std::size_t first, std::size_t second) const override {
    return seconds_between(lane_stamp(lane, first), lane_stamp(lane, second));
  }
  [[nodiscard]] memory_handle handle_of(const std::byte* /*block*/) const override { return {}; }
  [[nodiscard]] std::byte* opened(const memory_handle& /*handle*/) const override { return nullptr; }
  void close(std::byte* /*block*/) const override {}
  [[nodiscard]] bool has_handles() const override { return false; }
  [[nodiscard]] bool makes_kernels(const block_plan& by, int real_bytes) const override {
    return plays(by, real_bytes, std::integer_sequence<int>{});
  }
  [[nodiscard]] bool goes_straight(const block_plan& by, int real_bytes) const override {
    return plays(by, real_bytes, straight_lengths{});
  }
  /// Small, so that tests see what large lines and many pieces do on devices.
  [[nodiscard]] std::int64_t longest_line() const override { return longest_line_of_it(); }
  [[nodiscard]] std::int64_t longest_row(int /*real_bytes*/) const override { return longest_line() * 5 / 4; }
  [[nodiscard]] std::int64_t most_shared() const override { return 100 << 10; }
  [[nodiscard]] std::int64_t most_blocks() const override { return 1; }
  [[nodiscard]] int usual_threads() const override { return 16; }
  [[nodiscard]] std::int64_t cached_bytes() const override { return 16 << 10; }

 private:
  using clock = std::chrono::steady_clock;
  /// Far behind those of the stream.
  static std::size_t lane_stamp(int lane, std::size_t number) {
    return 4096 + static_cast<std::size_t>(lanes) * number + static_cast<std::size_t>(lane);
  }
  static std::vector<clock::time_point>& stamps() {
    thread_local std::vector<clock::time_point> all;
    return all;
  }
};

}  // namespace

void limit_emulated(std::int64_t bytes) { its_memory().limit(bytes); }
void limit_emulated_lines(std::int64_t longest) { longest_line_of_it() = longest; }
std::int64_t emulated_waits() { return waits_of_it(); }

const device& emulated() {
  static const emulated_device the_only_one;
  return the_only_one;
}

}  // namespace weft::device
