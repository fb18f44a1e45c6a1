// SPDX-License-Identifier: BSD-3-Clause
// A shared library that a program can do without.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace weft::device {

class loaded_library {
 public:
  /// The first of these that is found; it stays loaded.
  explicit loaded_library(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (handle_ != nullptr || *name == '\0') continue;
      handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle_ == nullptr && why_not_.empty()) why_not_ = dlerror();
    }
    if (handle_ != nullptr) why_not_.clear();
  }
  /// Leaves `to` null, and says so, if there is no such function.
  template <class Function>
  void find(Function*& to, const char* name) {
    if (handle_ == nullptr) return;
    to = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (to == nullptr) why_not_ = std::string("it has no ") + name;
  }
  /// Empty if all was found.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  void* handle_ = nullptr;
  std::string why_not_;
};

}  // namespace weft::device
