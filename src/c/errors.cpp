// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "c/handles.hpp"

namespace weft::c {

namespace {

thread_local std::string last_error;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Where marks are. Never destroyed: programs give handles back while they end.
struct marks {
  std::mutex lock;
  std::unordered_set<const mark*> all;
};
marks& known_marks() {
  static auto* const known = new marks;
  return *known;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

}  // namespace

void mark::set() {
  auto& known = known_marks();
  const std::scoped_lock only(known.lock);
  known.all.insert(this);
}

mark::~mark() {
  auto& known = known_marks();
  const std::scoped_lock only(known.lock);
  known.all.erase(this);
}

bool mark::is_set(const mark* here) {
  auto& known = known_marks();
  const std::scoped_lock only(known.lock);
  return known.all.contains(here);
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
  if (axes < 0) throw argument_error(std::string("the number of axes of ") + name + " is " + std::to_string(axes));
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
