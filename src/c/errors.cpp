// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "c/handles.hpp"

namespace weft::c {

namespace {

thread_local std::string last_error;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Never destroyed: programs give handles back while they end.
struct handle_list {
  std::shared_mutex lock;
  std::unordered_map<const void*, const void*> types;
};
handle_list& known_handles() {
  static auto* const known = new handle_list;
  return *known;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

}  // namespace

void enter_handle(const void* mark, const void* type) {
  auto& known = known_handles();
  const std::unique_lock only(known.lock);
  known.types[mark] = type;
}

bool leave_handle(const void* mark, const void* type) noexcept {
  auto& known = known_handles();
  const std::unique_lock only(known.lock);
  const auto found = known.types.find(mark);
  if (found == known.types.end() || found->second != type) return false;
  known.types.erase(found);
  return true;
}

bool is_handle(const void* mark, const void* type) {
  auto& known = known_handles();
  const std::shared_lock others_may_look(known.lock);
  const auto found = known.types.find(mark);
  return found != known.types.end() && found->second == type;
}

int failed(int code, const char* text) noexcept {
  try {
    last_error = text;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return code;
}

void give(char** to, const std::string& text) {
  char*& target = existing(to, "the place for the text");
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  target = copy;
}

extents extents_from(int axes, const int64_t* numbers, const char* name) {
  // Lists of strides have one more, of a batch. More are not read: nobody has them.
  if (axes < 0 || axes > max_axes + 1) {
    throw argument_error(std::string("the number of axes of ") + name + " is " + std::to_string(axes) +
                         "; there are at most " + std::to_string(max_axes));
  }
  if (axes > 0) (void)existing(numbers, name);
  return {numbers, numbers + axes};
}

void copy_to(int64_t* to, const extents& numbers, const char* name) {
  if (!numbers.empty()) (void)existing(to, name);
  std::copy(numbers.begin(), numbers.end(), to);
}

void require_element(int precision, int parts) {
  if ((precision == WEFT_F32 || precision == WEFT_F64) && (parts == 1 || parts == 2)) return;
  throw argument_error("elements of precision " + std::to_string(precision) + " with " + std::to_string(parts) +
                       " parts are not known; use WEFT_F32 or WEFT_F64, and 1 or 2");
}

}  // namespace weft::c

using namespace weft::c;

const char* weft_last_error(void) { return last_error.c_str(); }

const char* weft_version(void) {
  static const std::string text = weft::version();
  return text.c_str();
}

void weft_free(void* text) { std::free(text); }

int weft_names(const char* what, char** names) {
  return guarded([&] {
    const std::string asked = &existing(what, "what");
    if (asked == "algorithms") return give(names, joined(weft::algorithm_names()));
    if (asked == "exchanges") return give(names, joined(weft::exchange_names()));
    if (asked == "locals") return give(names, joined(weft::local_names()));
    if (asked == "options") return give(names, joined(option_names()));
    throw weft::name_error("no list of names is called '" + asked +
                           "'; there are algorithms, exchanges, locals and options");
  });
}
