// SPDX-License-Identifier: BSD-3-Clause
#include "base/replaced_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "weft/error.hpp"

namespace weft::base {

namespace {

constexpr int most_links = 40;
constexpr long long old_seconds = 600;  // nobody writes for so long

/// "." for names without a folder.
std::pair<std::string, std::string> folder_and_name(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::string random_suffix() {
  std::array<unsigned char, 8> bits{};
  if (getentropy(bits.data(), bits.size()) != 0) return {};
  std::string text = ".new-";
  for (const unsigned b : bits) text += "0123456789abcdef"[b >> 4U], text += "0123456789abcdef"[b & 15U];
  return text;
}

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

descriptor::~descriptor() {
  if (number_ >= 0) close(number_);
}

replaced_file::replaced_file(std::string kind, std::string name) : kind_(std::move(kind)), asked_(std::move(name)) {
  std::string folder;
  std::tie(folder, name_) = folder_and_name(asked_);
  enter(AT_FDCWD, folder);
  struct stat facts {};
  for (int k = 0;; ++k) {
    if (name_.empty() || name_ == "." || name_ == "..") refuse("is a folder");
    if (folder_.get() < 0 || fstatat(folder_.get(), name_.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISLNK(facts.st_mode)) return;
    if (k == most_links) refuse("is a link to a link to a link and so on");
    struct stat around {};
    if (fstat(folder_.get(), &around) != 0) fail("cannot be reached");
    const bool shared = (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool trusted = facts.st_uid == geteuid() || facts.st_uid == around.st_uid || facts.st_uid == 0;
    if (shared && !trusted) refuse("is a link that somebody else put into a folder that others may write to");
    follow_link();
  }
}

void replaced_file::follow_link() {
  std::array<char, 4096> target{};
  const auto length = readlinkat(folder_.get(), name_.c_str(), target.data(), target.size());
  if (length < 0) fail("cannot be reached");
  std::string folder;
  std::tie(folder, name_) = folder_and_name(std::string(target.data(), static_cast<std::size_t>(length)));
  enter(folder_.get(), folder);
}

void replaced_file::enter(int from, const std::string& folder) {
  folder_ = descriptor(openat(from, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  why_not_ = folder_.get() < 0 ? errno : 0;
}

std::string replaced_file::contents(std::size_t most_bytes) const {
  const descriptor in(openat(folder_.get(), name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (in.get() < 0) {
    if (why_not_ == ENOENT || (why_not_ == 0 && errno == ENOENT)) return {};
    fail("cannot be read");
  }
  struct stat facts {};
  if (fstat(in.get(), &facts) != 0) fail("cannot be read");
  if (!S_ISREG(facts.st_mode) || static_cast<std::size_t>(facts.st_size) > most_bytes) {
    refuse("is not a file of at most " + std::to_string(most_bytes >> 20U) + " MiB");
  }
  std::string all(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t have = 0;
  while (have < all.size()) {
    const auto got = ::read(in.get(), all.data() + have, all.size() - have);
    if (got < 0 && errno != EINTR) fail("cannot be read");
    if (got == 0) break;
    have += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  all.resize(have);
  return all;
}

descriptor replaced_file::lock() const {
  const std::string name = name_ + ".lock";
  descriptor held(openat(folder_.get(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (held.get() < 0) {
    if (errno == ELOOP) refuse("has a lock file, '" + name + "', that is a link");
    fail("cannot be written");
  }
  for (int k = 0; k < 100 && flock(held.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++k) usleep(50000);
  return held;
}

void replaced_file::replace(std::string_view text) const {
  remove_old_drafts();
  const std::string draft = name_ + random_suffix();
  const descriptor out(
      openat(folder_.get(), draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (out.get() < 0) fail("cannot be written");
  try {
    struct stat facts {};
    if (fstatat(folder_.get(), name_.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
      (void)fchmod(out.get(), facts.st_mode & 0777U);
    }
    while (!text.empty()) {
      const auto put = ::write(out.get(), text.data(), text.size());
      if (put < 0 && errno != EINTR) fail("cannot be written");
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
    }
    if (fsync(out.get()) != 0) fail("cannot be written");
    if (renameat(folder_.get(), draft.c_str(), folder_.get(), name_.c_str()) != 0) fail("cannot be written");
  } catch (...) {
    (void)unlinkat(folder_.get(), draft.c_str(), 0);
    throw;
  }
}

/// Of processes that were killed while they wrote.
void replaced_file::remove_old_drafts() const {
  const int listed = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> all(listed < 0 ? nullptr : fdopendir(listed), closedir);
  if (all == nullptr) return;
  while (const dirent* const one = readdir(all.get())) {
    struct stat facts {};
    if (!std::string_view(one->d_name).starts_with(name_ + ".new")) continue;
    if (fstatat(folder_.get(), one->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (std::time(nullptr) - facts.st_mtime > old_seconds) (void)unlinkat(folder_.get(), one->d_name, 0);
  }
}

void replaced_file::fail(const std::string& what) const {
  throw file_error(kind_ + " '" + asked_ + "' " + what + ": " + std::strerror(why_not_ != 0 ? why_not_ : errno) +
                   "; name another file or mend this one");
}

void replaced_file::refuse(const std::string& what) const {
  throw file_error(kind_ + " '" + asked_ + "' " + what + "; name another");
}

}  // namespace weft::base
