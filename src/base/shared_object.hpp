// SPDX-License-Identifier: BSD-3-Clause
// Shared memory whose name nobody can guess and which soon has none: other users of the machine can neither be there
// first nor look inside, and a process that is killed leaves nothing behind.
#pragma once

#include <cstddef>
#include <string>

namespace weft::base {

class shared_object {
 public:
  shared_object() = default;
  /// A new, empty object under a name of 128 random bits, for this user alone. Throws buffer_error.
  [[nodiscard]] static shared_object created();
  /// One that another process of this user has just created. Throws buffer_error, also if it is anything else.
  [[nodiscard]] static shared_object opened(const std::string& name);
  shared_object(shared_object&& other) noexcept { swap(other); }
  shared_object& operator=(shared_object&& other) noexcept {
    swap(other);
    return *this;
  }
  shared_object(const shared_object&) = delete;
  shared_object& operator=(const shared_object&) = delete;
  ~shared_object();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int file() const { return file_; }

  /// Gives it so many bytes, whose pages exist: touching them cannot fail. Throws buffer_error where there is no room.
  void allocate(std::size_t bytes) const;
  /// Its bytes in this process; may be mapped before they are allocated, but not touched. The mapping outlives this.
  [[nodiscard]] std::byte* mapped(std::size_t bytes) const;
  /// Removes the name of one that was created here; those who opened it keep it. Its end does that, too.
  void forget_name() noexcept;

 private:
  void swap(shared_object& other) noexcept;

  std::string name_;
  int file_ = -1;
  bool named_ = false;  // by this process
};

}  // namespace weft::base
