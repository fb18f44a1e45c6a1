// SPDX-License-Identifier: BSD-3-Clause
// A device that transforms lines in memory of its own: one of a vendor's, or one that the host plays so that all but
// the vendor's calls is tested where there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "device/block_plan.hpp"

namespace weft::device {

struct sweep;
struct chained_sweeps;

/// How a sweep is launched.
enum class kernel_kind : char {
  copied,  ///< nothing is transformed
  looped,  ///< any length
  fixed    ///< a length that has a kernel of its own, by a plan
};
struct launch_shape {
  kernel_kind kernel = kernel_kind::looped;
  int threads = 0;          ///< of a block
  std::int64_t groups = 0;  ///< of lines
  std::int64_t blocks = 0;  ///< at most so many, each of which takes several groups; 0: one for each group
  std::int64_t shared = 0;  ///< bytes of a block's fast memory
  block_plan by = {};       ///< of a fixed kernel
};

/// What makes memory of one process known to another of the same node.
struct memory_handle {
  static constexpr std::size_t most_bytes = 64;
  std::byte bytes[most_bytes] = {};
};

class device {
 public:
  device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  /// As in options::device.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// For people.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Among those of its kind on the node.
  [[nodiscard]] virtual int number() const = 0;
  /// Of its memory, whoever uses the rest.
  [[nodiscard]] virtual std::int64_t free_bytes() const = 0;
  /// Its memory.
  [[nodiscard]] virtual base::memory_space& space() const = 0;
  /// Memory of the host that it copies from and to without detours.
  [[nodiscard]] virtual memory pinned(std::size_t bytes) const = 0;
  /// Whether it can use what is there.
  [[nodiscard]] virtual bool reaches(const void* address) const = 0;

  // In the order of one stream, this thread's: see stream_scope. Only synchronize() waits.
  virtual void copy(void* to, const void* from, std::size_t bytes) const = 0;
  virtual void clear(void* what, std::size_t bytes) const = 0;
  virtual void launch(const sweep& s, const launch_shape& how) const = 0;
  /// `how` is that of both: a fixed kernel, of as many threads.
  virtual void launch(const chained_sweeps& both, const launch_shape& how) const = 0;
  /// Sees to it that launching them will find its kernel; otherwise the first launch does.
  virtual void prepare(const chained_sweeps& both, const launch_shape& how) const = 0;
  virtual void synchronize() const = 0;
  /// That stream, as the vendor's libraries know it.
  [[nodiscard]] virtual void* native_stream() const = 0;

  /// Points in the stream's order, by numbers that the caller chooses, and the seconds from one to another, once the
  /// stream has come past both.
  virtual void stamp(std::size_t number) const = 0;
  [[nodiscard]] virtual double seconds_between(std::size_t first, std::size_t second) const = 0;

  /// A point in the stream's order that other streams can be made to wait for, in `moment`, which may have one that is
  /// past; and this thread's stream made to wait for it.
  virtual void note_moment(std::shared_ptr<void>& moment) const = 0;
  virtual void follow_moment(const std::shared_ptr<void>& moment) const = 0;

  /// Copies beside the stream, in `lane`, each in an order of its own. A mark is passed when all before it is done.
  virtual void copy_beside(int lane, void* to, const void* from, std::size_t bytes) const = 0;
  virtual void mark(int lane, std::size_t number) const = 0;
  [[nodiscard]] virtual bool passed(int lane, std::size_t number) const = 0;
  virtual void synchronize_lane(int lane) const = 0;
  /// As those of the stream.
  virtual void stamp_lane(int lane, std::size_t number) const = 0;
  [[nodiscard]] virtual double seconds_in_lane(int lane, std::size_t first, std::size_t second) const = 0;
  static constexpr int lanes = 2;

  /// Of memory from its space that other processes may open, here and there.
  [[nodiscard]] virtual memory_handle handle_of(const std::byte* block) const = 0;
  [[nodiscard]] virtual std::byte* opened(const memory_handle& handle) const = 0;
  virtual void close(std::byte* block) const = 0;
  /// Whether it has handles; else it shares memory as the host does.
  [[nodiscard]] virtual bool has_handles() const = 0;

  // For who plans launches.
  /// Whether it can make the straight kernels of a plan that none are compiled for with the library.
  [[nodiscard]] virtual bool makes_kernels(const block_plan& by, int real_bytes) const = 0;
  /// Whether it goes by straight kernels of a plan wherever sweeps are such.
  [[nodiscard]] virtual bool goes_straight(const block_plan& by, int real_bytes) const = 0;
  [[nodiscard]] virtual std::int64_t longest_line() const = 0;               ///< that is not better taken as two digits
  [[nodiscard]] virtual std::int64_t longest_row(int real_bytes) const = 0;  ///< the same, if it has a straight kernel
  [[nodiscard]] virtual std::int64_t most_shared() const = 0;                ///< bytes of a block's fast memory
  [[nodiscard]] virtual std::int64_t most_blocks() const = 0;                ///< that are of use at the same time
  [[nodiscard]] virtual int usual_threads() const = 0;                       ///< of a block
  [[nodiscard]] virtual std::int64_t cached_bytes() const = 0;               ///< that may lie between chained sweeps
};

/// What options::device says: a kind, "cpu", "cuda" or "emulated", and which of several, "cuda:1"; -1 if it does not.
struct choice {
  std::string kind;
  int number = -1;
};
/// Throws name_error.
[[nodiscard]] choice parse_choice(std::string_view text);

/// The device that is asked for, not "cpu"; `local_rank` chooses among several where no number does. Throws
/// device_error, with the reason, if there is none.
[[nodiscard]] const device& device_named(std::string_view text, int local_rank);
/// Why there is none; empty if there is one, and its name then in `name`.
[[nodiscard]] std::string why_no_device(std::string_view text, std::string& name);

/// The device that the host plays.
[[nodiscard]] const device& emulated();
/// For tests: how many bytes of memory it has, and its longest lines.
void limit_emulated(std::int64_t bytes);
inline constexpr std::int64_t usual_emulated_line = 1024;
void limit_emulated_lines(std::int64_t longest);
/// For tests: how often one of its streams was made to wait for another.
[[nodiscard]] std::int64_t emulated_waits();
/// Of a vendor; null, with the reason, if there is none. The build picks cuda.cpp or cuda_absent.cpp.
[[nodiscard]] const device* cuda(int number, int local_rank, std::string& why_not);

/// Whether an address is in the memory of a device that this process has used through Weft.
[[nodiscard]] bool is_known_device_address(const void* address);
/// One of a vendor's that this process has used, any of which knows the addresses of all; null if it has used none.
[[nodiscard]] const device* any_used();

/// From here on this thread's work for devices goes to a stream of the user's.
class stream_scope {
 public:
  explicit stream_scope(void* stream) : before_(current()) { current() = stream; }
  ~stream_scope() { current() = before_; }
  stream_scope(const stream_scope&) = delete;
  stream_scope& operator=(const stream_scope&) = delete;
  /// Null: the device's own.
  [[nodiscard]] static void*& current();

 private:
  void* before_;
};

}  // namespace weft::device
