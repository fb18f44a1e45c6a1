// SPDX-License-Identifier: BSD-3-Clause
// What was learned by measuring, to be kept in a file: readable text, merged rather than overwritten.
//
//   weft wisdom 1
//   plan
//     shape 64x64x64
//     ...
//   gives
//     algorithm slab
//     ...
//   end
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weft {

class wisdom {
 public:
  /// Names and values; a name has no blanks, a value no line breaks, neither is empty.
  using fields = std::vector<std::pair<std::string, std::string>>;
  /// What was asked ("plan": a problem on ranks of a machine; "model": figures of the machine) and what was found.
  struct entry {
    std::string kind;
    fields question;
    fields answer;

    friend bool operator==(const entry&, const entry&) = default;
  };

  /// Throws file_error, naming the line, for what is not wisdom of this version.
  [[nodiscard]] static wisdom parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  /// Reads a file; one that does not exist is empty. Throws file_error.
  [[nodiscard]] static wisdom load(const std::string& file);
  /// Merges this into the file, in one step for whoever reads it meanwhile; comments are lost. `replace`: what the
  /// file says to the same questions does not count. Leaves an empty FILE.lock. Throws file_error.
  void save_into(const std::string& file, bool replace = false) const;

  /// Of two answers to a question the one of the greater effort stays, or else the faster one.
  /// Throws argument_error for fields that no file could hold.
  void add(entry learned);
  void merge(const wisdom& other);

  /// The answer to a question, null if there is none.
  [[nodiscard]] const fields* find(std::string_view kind, const fields& question) const;
  /// Why find() found nothing: what differs in the entry that comes nearest.
  [[nodiscard]] std::string why_not(std::string_view kind, const fields& question) const;

  [[nodiscard]] const std::vector<entry>& entries() const { return entries_; }

 private:
  /// Takes the answer away, for another to come.
  void forget(const entry& like);

  std::vector<entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;  // in entries_, by question
};

/// The value of a field, empty if there is none of that name.
[[nodiscard]] std::string_view value_of(const wisdom::fields& of, std::string_view name);

}  // namespace weft
