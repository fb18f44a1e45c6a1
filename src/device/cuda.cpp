// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "device/device.hpp"
#include "device/kernels/gpu_kernels.hpp"
#include "device/kernels/task.hpp"
#include "device/launch_queues.hpp"
#include "device/runtime_kernels.hpp"
#include "device/vendor.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

void check(vendor::status s, const char* call) {
  if (s == vendor::success) return;
  (void)vendor::last_error();  // what is not sticky is forgotten, so that the next call starts anew
  throw device_error(std::string("CUDA: ") + call + " failed: " + vendor::text_of(s));
}

/// Blocks that other processes open are whole pages of the device's: nothing else is in them.
constexpr std::size_t page = std::size_t{2} << 20;

class cuda_device final : public device {
 public:
  explicit cuda_device(int number) : number_(number), space_(*this) {
    use();
    check(vendor::get_properties(&properties_, number), "cudaGetDeviceProperties");
    check(vendor::most_block_memory(&shared_, number), "cudaDeviceGetAttribute");
    check(vendor::make_stream(&stream_), "cudaStreamCreate");
    for (auto& s : beside_) check(vendor::make_stream(&s), "cudaStreamCreate");
  }

  [[nodiscard]] std::string_view kind() const override { return "cuda"; }
  [[nodiscard]] std::string name() const override {
    return std::string(properties_.name) + ", " + std::to_string(properties_.totalGlobalMem >> 30U) + " GiB";
  }
  [[nodiscard]] int number() const override { return number_; }
  [[nodiscard]] std::int64_t free_bytes() const override {
    use();
    std::size_t free = 0, total = 0;
    check(vendor::free_bytes(&free, &total), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free);
  }
  [[nodiscard]] base::memory_space& space() const override { return space_; }

  [[nodiscard]] memory pinned(std::size_t bytes) const override {
    use();
    void* block = nullptr;
    if (vendor::allocate_host(&block, std::max<std::size_t>(bytes, 1)) != vendor::success) {
      (void)vendor::last_error();
      throw buffer_error("no room for " + std::to_string(bytes) +
                         " bytes of pinned memory; use more ranks or a smaller problem");
    }
    return {{static_cast<std::byte*>(block), [](std::byte* p) { (void)vendor::release_host(p); }}, bytes};
  }

  [[nodiscard]] bool reaches(const void* address) const override {
    vendor::pointer_attributes found{};
    if (vendor::attributes_of(&found, address) != vendor::success) {
      (void)vendor::last_error();
      return false;
    }
    return vendor::is_on_device(found);
  }

  void copy(void* to, const void* from, std::size_t bytes) const override {
    use();
    if (bytes > 0) check(vendor::copy(to, from, bytes, stream()), "cudaMemcpyAsync");
  }
  void clear(void* what, std::size_t bytes) const override {
    use();
    if (bytes > 0) check(vendor::clear(what, bytes, stream()), "cudaMemsetAsync");
  }
  void synchronize() const override {
    use();
    check(vendor::wait_for(stream()), "a kernel or a copy");
  }

  [[nodiscard]] void* native_stream() const override {
    use();
    return stream();
  }

  void launch(const sweep& s, const launch_shape& how) const override {
    if (how.kernel == kernel_kind::fixed) {
      chained_sweeps alone{};
      alone.first = s;
      return launch(alone, how);
    }
    const kernel_table table = kernels_of(s.element);
    sweep all = s;
    start(how.kernel == kernel_kind::copied ? table.copied : table.looped, &all,
          how.blocks > 0 ? how.blocks : how.groups, how);
  }
  void launch(const chained_sweeps& both, const launch_shape& how) const override {
    if (both.order.chunks == 0) return launch_with(both, how, how.groups);
    const std::lock_guard guard(queues_lock_);
    auto& queues = queues_for(both.order);
    chained_sweeps queued = both;
    queues.give(queued.order);
    launch_with(queued, how, tickets_of(both.order));
    queues.launched(both.order);
  }
  void prepare(const chained_sweeps& both, const launch_shape& how) const override {
    const straight_sweeps straight = straight_of(both);
    if (how.kernel == kernel_kind::fixed && straight.first.lines > 0) {
      (void)straight_kernel(straight, both.first.element, how);
    }
    if (both.order.chunks == 0) return;
    const std::lock_guard guard(queues_lock_);
    (void)queues_for(both.order);
  }

  void stamp(std::size_t number) const override { stamp_in(stamps_, number, stream()); }
  [[nodiscard]] double seconds_between(std::size_t first, std::size_t second) const override {
    return seconds_in(stamps_, first, second);
  }

  void note_moment(std::shared_ptr<void>& moment) const override {
    use();
    if (!moment) {
      vendor::event e{};
      check(vendor::make_event(&e), "cudaEventCreate");
      moment = {e, [](void* made) { (void)vendor::release_event(static_cast<vendor::event>(made)); }};
    }
    check(vendor::record(static_cast<vendor::event>(moment.get()), stream()), "cudaEventRecord");
  }
  void follow_moment(const std::shared_ptr<void>& moment) const override {
    use();
    check(vendor::let_wait(stream(), static_cast<vendor::event>(moment.get())), "cudaStreamWaitEvent");
  }

  void copy_beside(int lane, void* to, const void* from, std::size_t bytes) const override {
    use();
    if (bytes > 0) check(vendor::copy(to, from, bytes, beside_[at(lane)]), "cudaMemcpyAsync");
  }
  void mark(int lane, std::size_t number) const override {
    use();
    auto& events = events_[at(lane)];
    while (events.size() <= number) {
      vendor::event e{};
      check(vendor::make_event(&e), "cudaEventCreate");
      events.push_back(e);
    }
    check(vendor::record(events[number], beside_[at(lane)]), "cudaEventRecord");
  }
  [[nodiscard]] bool passed(int lane, std::size_t number) const override {
    return vendor::query(events_[at(lane)][number]) == vendor::success;
  }
  void synchronize_lane(int lane) const override {
    use();
    check(vendor::wait_for(beside_[at(lane)]), "a copy");
  }
  void stamp_lane(int lane, std::size_t number) const override {
    stamp_in(lane_stamps_[at(lane)], number, beside_[at(lane)]);
  }
  [[nodiscard]] double seconds_in_lane(int lane, std::size_t first, std::size_t second) const override {
    return seconds_in(lane_stamps_[at(lane)], first, second);
  }

  [[nodiscard]] memory_handle handle_of(const std::byte* block) const override {
    use();
    vendor::ipc_handle handle{};
    static_assert(sizeof handle <= memory_handle::most_bytes);
    check(vendor::get_handle(&handle, const_cast<std::byte*>(block)), "cudaIpcGetMemHandle");
    memory_handle result;
    std::memcpy(result.bytes, &handle, sizeof handle);
    return result;
  }
  [[nodiscard]] std::byte* opened(const memory_handle& handle) const override {
    use();
    vendor::ipc_handle from{};
    std::memcpy(&from, handle.bytes, sizeof from);
    void* block = nullptr;
    check(vendor::open_handle(&block, from), "cudaIpcOpenMemHandle");
    return static_cast<std::byte*>(block);
  }
  void close(std::byte* block) const override {
    (void)vendor::set_device(number_);
    (void)vendor::close_handle(block);
  }
  [[nodiscard]] bool has_handles() const override { return true; }

  [[nodiscard]] bool makes_kernels(const block_plan& /*by*/, int /*real_bytes*/) const override {
    static const std::string reason = why_no_compiler(architecture());
    return reason.empty();
  }
  [[nodiscard]] bool goes_straight(const block_plan& /*by*/, int /*real_bytes*/) const override { return true; }
  [[nodiscard]] std::int64_t longest_line() const override { return longest_planned; }
  [[nodiscard]] std::int64_t longest_row(int real_bytes) const override {
    return weft::device::longest_row(real_bytes);
  }
  [[nodiscard]] std::int64_t most_shared() const override { return shared_ - 1024; }
  [[nodiscard]] std::int64_t most_blocks() const override { return 4 * std::int64_t{properties_.multiProcessorCount}; }
  [[nodiscard]] int usual_threads() const override { return 256; }
  /// More would leave the cache before the second sweep comes. Measured, see docs/gpu.md.
  [[nodiscard]] std::int64_t cached_bytes() const override {
    return std::max<std::int64_t>(std::int64_t{1} << 20, properties_.l2CacheSize / 5);
  }

 private:
  class device_space final : public base::memory_space {
   public:
    explicit device_space(const cuda_device& of) : of_(of) {}
    [[nodiscard]] memory allocate(std::size_t bytes) override {
      of_.use();
      void* block = nullptr;
      const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
      // Small tables of plans are many: only what may be shared takes whole pages.
      if (vendor::allocate(&block, bytes < page / 8 ? std::max<std::size_t>(bytes, 256) : rounded) != vendor::success) {
        (void)vendor::last_error();
        std::size_t free = 0, total = 0;
        (void)vendor::free_bytes(&free, &total);
        throw buffer_error("no room for " + std::to_string(bytes) + " bytes of the device's memory, of which " +
                           std::to_string(free) + " are free; use more devices or a smaller problem");
      }
      return {{static_cast<std::byte*>(block), [](std::byte* p) { (void)vendor::release(p); }}, bytes, {}, true};
    }

   private:
    const cuda_device& of_;
  };

  static std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
  void stamp_in(std::vector<vendor::event>& stamps, std::size_t number, vendor::stream where) const {
    use();
    while (stamps.size() <= number) {
      vendor::event e{};
      check(vendor::make_timed_event(&e), "cudaEventCreate");
      stamps.push_back(e);
    }
    check(vendor::record(stamps[number], where), "cudaEventRecord");
  }
  [[nodiscard]] static double seconds_in(const std::vector<vendor::event>& stamps, std::size_t first,
                                         std::size_t second) {
    float milliseconds = 0;
    check(vendor::milliseconds_between(&milliseconds, stamps[first], stamps[second]), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }
  /// A thread has a device of its own.
  void use() const {
    thread_local int used = -1;
    int now = -1;
    if (used == number_ && vendor::get_device(&now) == vendor::success && now == number_) return;
    check(vendor::set_device(number_), "cudaSetDevice");
    used = number_;
  }
  [[nodiscard]] vendor::stream stream() const {
    void* const given = stream_scope::current();
    return given != nullptr ? static_cast<vendor::stream>(given) : stream_;
  }

  void launch_with(chained_sweeps all, const launch_shape& how, std::int64_t blocks) const {
    const int element = all.first.element;
    if (straight_sweeps straight = straight_of(all); straight.first.lines > 0) {
      return start(straight_kernel(straight, element, how), &straight, blocks, how);
    }
    const void* const kernel = kernels_of(element).fixed(how.by);
    start(kernel != nullptr ? kernel : made(fixed_kernel_name(how.by, element)), &all, blocks, how);
  }
  void start(const void* kernel, void* argument, std::int64_t blocks, const launch_shape& how) const {
    use();
    if (kernel == nullptr) throw internal_error("no kernel for this length");
    if (blocks > 0x7fffffff) throw applicability_error("more than 2^31 groups of lines in one pass");
    allow(kernel, how.shared);
    void* arguments[] = {argument};
    check(vendor::launch(kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(how.threads), arguments,
                         static_cast<std::size_t>(how.shared), stream()),
          "a kernel's launch");
  }
  /// Those of this stream: its launches follow each other, and those of other streams have queues of their own.
  [[nodiscard]] launch_queues& queues_for(const sweep_order& order) const {
    use();
    unsigned long long number = 0;
    check(vendor::number_of(stream(), &number), "cudaStreamGetId");
    if (!queues_.contains(number) && queues_.size() >= most_queues) {
      check(vendor::wait_for_all(), "a kernel or a copy");
      queues_.clear();
    }
    auto& found = queues_[number];
    if (found.room() >= counts_of(order)) return found;
    if (found.room() > 0) check(vendor::wait_for(stream()), "a kernel or a copy");
    found.renew(2 * counts_of(order), [&](std::size_t bytes) {
      memory zeros = space_.allocate(bytes);
      check(vendor::clear(zeros.data(), bytes, stream()), "cudaMemsetAsync");
      return zeros;
    });
    return found;
  }
  [[nodiscard]] static kernel_table kernels_of(int real_bytes) {
    return real_bytes == 4 ? kernels_f32() : kernels_f64();
  }
  [[nodiscard]] int architecture() const { return 10 * properties_.major + properties_.minor; }
  [[nodiscard]] const void* straight_kernel(const straight_sweeps& c, int real_bytes, const launch_shape& how) const {
    const void* const kernel = kernels_of(real_bytes).straight(how.by, c);
    return kernel != nullptr ? kernel : made(straight_kernel_name(how.by, real_bytes, c));
  }
  /// The kernel of that name, compiled when it is first asked for.
  [[nodiscard]] const void* made(const std::string& name) const {
    const std::lock_guard guard(lock_);
    auto& kernel = made_[name];
    if (kernel != nullptr) return kernel;
    const compiled_kernel code = compile_kernel(name, architecture());
    use();
    vendor::library from{};
    check(vendor::load_library(&from, code.code.data()), "cudaLibraryLoadData");
    check(vendor::kernel_of(&kernel, from, code.symbol.c_str()), "cudaLibraryGetKernel");
    return kernel;
  }
  /// Once for each kernel, with all that a block may have.
  void allow(const void* kernel, std::int64_t bytes) const {
    if (bytes <= (47 << 10)) return;  // of 48 KiB, kernels have a few bytes themselves
    const std::lock_guard guard(lock_);
    if (!allowed_.insert(kernel).second) return;
    check(vendor::allow_shared(kernel, static_cast<int>(most_shared())), "cudaFuncSetAttribute");
  }

  int number_;
  vendor::properties properties_{};
  int shared_ = 0;
  vendor::stream stream_{};
  std::array<vendor::stream, lanes> beside_{};
  mutable std::array<std::vector<vendor::event>, lanes> events_;
  mutable std::vector<vendor::event> stamps_;
  mutable std::array<std::vector<vendor::event>, lanes> lane_stamps_;
  mutable device_space space_;
  mutable std::mutex lock_;
  mutable std::set<const void*> allowed_;
  mutable std::map<std::string, const void*> made_;
  static constexpr std::size_t most_queues = 64;  // then all begin anew: streams of the past have some, too
  mutable std::mutex queues_lock_;
  mutable std::map<unsigned long long, launch_queues> queues_;  // by the number of the stream
};

/// One for each card, made when it is first asked for; they live as long as the process, as plans may.
struct cards {
  std::mutex lock;
  std::vector<cuda_device*> all;
  std::atomic<const device*> used = nullptr;  // one of them; every call of a plan asks
};

cards& all_cards() {
  static cards known;
  return known;
}

}  // namespace

const device* any_used() { return all_cards().used.load(std::memory_order_acquire); }

bool is_known_device_address(const void* address) {
  const auto* const used = any_used();
  return used != nullptr && used->reaches(address);
}

const device* cuda(int number, int local_rank, std::string& why_not) {
  auto& [lock, all, used] = all_cards();
  const std::lock_guard guard(lock);
  if (all.empty()) {
    int count = 0;
    const vendor::status s = vendor::device_count(&count);
    if (s != vendor::success || count == 0) {
      (void)vendor::last_error();
      why_not = s != vendor::success ? vendor::text_of(s) : "the driver knows of no device";
      return nullptr;
    }
    all.assign(static_cast<std::size_t>(count), nullptr);
  }
  if (number >= static_cast<int>(all.size())) {
    why_not = "the driver knows of " + std::to_string(all.size()) + ", from number 0 on";
    return nullptr;
  }
  const auto which = static_cast<std::size_t>(number >= 0 ? number : local_rank) % all.size();
  try {
    if (all[which] == nullptr) all[which] = new cuda_device(static_cast<int>(which));  // NOLINT
  } catch (const error& e) {
    why_not = e.what();
    return nullptr;
  }
  used.store(all[which], std::memory_order_release);
  return all[which];
}

}  // namespace weft::device
