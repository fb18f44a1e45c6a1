// SPDX-License-Identifier: BSD-3-Clause
// The pass without transforms: packs, unpacks, or copies a plain array.
#pragma once

#include <vector>

#include "local/copy.hpp"
#include "local/pass.hpp"

namespace weft::local {

class copy_pass final : public pass {
 public:
  explicit copy_pass(const pass_problem& problem);
  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* leaving) const override;
  [[nodiscard]] std::size_t scratch_bytes() const override { return 0; }

 private:
  struct region {
    box_copy box;
    int message;      // of the source, -1 for none
    int stage;        // number of the first milestone beyond it, or of the part it is in
    int from_buffer;  // -1: zeros
    int to_buffer;
    integer from_offset;
    integer to_offset;
  };
  /// Regions begin .. end-1, by all threads.
  void copy_regions(std::size_t begin, std::size_t end, buffer_list source, buffer_list sink) const;

  std::size_t bytes_;
  int threads_;
  std::vector<region> regions_;             // by message, then by stage
  bool stream_;                             // past the caches
  std::vector<std::size_t> message_begin_;  // first region of message m at m + 1; message -1 comes first
  milestones telling_;                      // none if the source decides the order: messages, or parts to follow
  int parts_ = 1;                           // of a source that is followed
};

}  // namespace weft::local
