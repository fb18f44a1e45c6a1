// SPDX-License-Identifier: BSD-3-Clause
// A text file that is read whole and replaced in one step, in a folder where others may write, too: no link of theirs
// is followed, nothing but this file is written to, and who reads meanwhile sees the old text or the new one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::base {

/// An open file or folder, closed at the end.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  descriptor& operator=(descriptor&& other) noexcept;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor();
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

class replaced_file {
 public:
  /// `kind` is what errors call it. Past symbolic links, so that they stay; throws file_error for one that somebody
  /// else put into a folder that others may write to.
  replaced_file(std::string kind, std::string name);

  /// Empty if there is no such file. Throws file_error, also for what is no file or larger than `most_bytes`.
  [[nodiscard]] std::string contents(std::size_t most_bytes) const;

  /// Waits for others who replace the same file, but not for ever: then the last one wins. A file of its own,
  /// NAME.lock, because network file systems lock only what is open for writing, and because this one is replaced.
  [[nodiscard]] descriptor lock() const;
  /// It keeps its mode. Throws file_error, and nothing has changed then.
  void replace(std::string_view text) const;

 private:
  void follow_link();
  void enter(int from, const std::string& folder);
  void remove_old_drafts() const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string kind_, asked_;
  descriptor folder_;  // so that nobody puts another in its place
  int why_not_ = 0;    // it could not be opened
  std::string name_;   // in it
};

}  // namespace weft::base
