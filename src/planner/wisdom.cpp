// SPDX-License-Identifier: BSD-3-Clause
#include "weft/wisdom.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/replaced_file.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

constexpr std::string_view head = "weft wisdom 1";
// More than a century of tuning; a larger file is something else.
constexpr std::size_t most_bytes = std::size_t{1} << 28U;

[[noreturn]] void refuse(int line, const std::string& reason) {
  throw file_error("line " + std::to_string(line) + ": " + reason);
}

std::string shortened(std::string_view text) {
  return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : "");
}

/// Reads entry after entry.
class reader {
 public:
  explicit reader(std::string_view text) : rest_(text) {}

  std::vector<wisdom::entry> read() {
    if (next() != head) refuse(line_, "expected '" + std::string(head) + "'; this is not wisdom of this version");
    std::vector<wisdom::entry> all;
    for (auto kind = next(); !done_; kind = next()) {
      if (kind != "plan" && kind != "model" && kind != "network")
        refuse(line_, "expected 'plan', 'model' or 'network', found '" + shortened(kind) + "'");
      wisdom::entry e;
      e.kind = kind;
      e.question = fields_until("gives");
      e.answer = fields_until("end");
      all.push_back(std::move(e));
    }
    return all;
  }

 private:
  /// The next line that says something.
  std::string_view next() {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      const auto line = base::trim(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.find('\0') != std::string_view::npos) refuse(line_, "has a zero byte; this is no text");
      if (!line.empty() && line.front() != '#') return line;
    }
    done_ = true;
    return {};
  }

  wisdom::fields fields_until(std::string_view last) {
    wisdom::fields found;
    for (auto line = next();; line = next()) {
      if (done_) refuse(line_, "ends before '" + std::string(last) + "'");
      if (line == last) break;
      const auto space = line.find_first_of(" \t");
      if (space == std::string_view::npos) refuse(line_, "'" + shortened(line) + "' has no value");
      const auto name = line.substr(0, space);
      if (!value_of(found, name).empty()) refuse(line_, "'" + shortened(name) + "' comes twice");
      found.emplace_back(name, base::trim(line.substr(space)));
    }
    if (found.empty()) refuse(line_, "nothing before '" + std::string(last) + "'");
    return found;
  }

  std::string_view rest_;
  int line_ = 0;
  bool done_ = false;
};

/// How much was tried; 0 for what is no effort.
int rank_of(std::string_view effort) {
  return effort == "patient" ? 3 : effort == "measure" ? 2 : effort == "partial" ? 1 : 0;
}

double seconds_of(const wisdom::fields& answer) {
  double seconds = 0;
  const auto text = value_of(answer, "seconds");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return error == std::errc{} && seconds >= 0 ? seconds : std::numeric_limits<double>::infinity();
}

bool better(const wisdom::fields& a, const wisdom::fields& b) {
  const int more = rank_of(value_of(a, "effort")) - rank_of(value_of(b, "effort"));
  return more != 0 ? more > 0 : seconds_of(a) < seconds_of(b);
}

std::string key_of(std::string_view kind, const wisdom::fields& question) {
  std::string key(kind);
  for (const auto& [name, value] : question) key += "\n" + name + " " + value;
  return key;
}

void check_fields(const wisdom::fields& of) {
  for (const auto& [name, value] : of) {
    const bool good = !name.empty() && name.find_first_of(" \t\r\n") == std::string::npos && name.front() != '#' &&
                      !value.empty() && value == base::trim(value) && value.find('\n') == std::string::npos;
    if (!good) {
      throw argument_error("a field of wisdom is '" + shortened(name) + "' with the value '" + shortened(value) +
                           "'; names have no blanks, values are one line, neither is empty");
    }
  }
}

/// Of the file that a user named so.
wisdom read_from(const base::replaced_file& file, const std::string& name) {
  const std::string text = file.contents(most_bytes);
  if (text.empty()) return {};
  try {
    return wisdom::parse(text);
  } catch (const file_error& e) {
    throw file_error("wisdom file '" + name + "', " + e.what() + "; it is left as it is: name another or mend it");
  }
}

}  // namespace

std::string_view value_of(const wisdom::fields& of, std::string_view name) {
  for (const auto& [key, value] : of) {
    if (key == name) return value;
  }
  return {};
}

wisdom wisdom::parse(std::string_view text) {
  wisdom result;
  for (auto& e : reader(text).read()) result.add(std::move(e));
  return result;
}

std::string wisdom::text() const {
  std::string all = std::string(head) + "\n";
  for (const auto& e : entries_) {
    all += e.kind + "\n";
    for (const auto& [name, value] : e.question) all += "  " + name + " " + value + "\n";
    all += "gives\n";
    for (const auto& [name, value] : e.answer) all += "  " + name + " " + value + "\n";
    all += "end\n";
  }
  return all;
}

wisdom wisdom::load(const std::string& file) { return read_from(base::replaced_file("wisdom file", file), file); }

void wisdom::save_into(const std::string& file, bool replace) const {
  const base::replaced_file there("wisdom file", file);
  const auto held = there.lock();
  wisdom all = read_from(there, file);
  if (replace) {
    for (const auto& e : entries_) all.forget(e);
  }
  all.merge(*this);
  there.replace(all.text());
}

void wisdom::forget(const entry& like) {
  const auto at = places_.find(key_of(like.kind, like.question));
  if (at != places_.end()) entries_[at->second].answer.clear();
}

void wisdom::add(entry learned) {
  check_fields(learned.question);
  check_fields(learned.answer);
  const auto [at, is_new] = places_.try_emplace(key_of(learned.kind, learned.question), entries_.size());
  if (is_new) {
    entries_.push_back(std::move(learned));
  } else if (entries_[at->second].answer.empty() || better(learned.answer, entries_[at->second].answer)) {
    entries_[at->second] = std::move(learned);
  }
}

void wisdom::merge(const wisdom& other) {
  for (const auto& e : other.entries_) add(e);
}

const wisdom::fields* wisdom::find(std::string_view kind, const fields& question) const {
  const auto at = places_.find(key_of(kind, question));
  return at == places_.end() ? nullptr : &entries_[at->second].answer;
}

std::string wisdom::why_not(std::string_view kind, const fields& question) const {
  std::string nearest;
  auto fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& e : entries_) {
    if (e.kind != kind) continue;
    std::vector<std::string> differ;
    for (const auto& [name, value] : question) {
      const auto theirs = value_of(e.question, name);
      if (theirs != value) differ.push_back(name + " is " + value + " here, " + std::string(theirs) + " there");
    }
    if (differ.size() >= fewest) continue;
    fewest = differ.size();
    nearest = base::join(differ, "; ");
  }
  if (nearest.empty()) return "it has no " + std::string(kind) + " of this form";
  return "in the nearest entry " + nearest;
}

}  // namespace weft
