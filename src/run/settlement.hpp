// SPDX-License-Identifier: BSD-3-Clause
// Binds a schedule: chooses, in rounds of question and answer, what all ranks do alike, and makes this rank's program.
// A question is numbers of this rank; the answer is the largest of each over all ranks, so that every decision follows
// from what everybody knows. Nothing here communicates: who asks the ranks is somebody else's business, be it MPI
// (bind.hpp), a test with all ranks in one process, or a planner that asks a few ranks of thousands.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/drafter.hpp"

namespace weft::run {

class settlement {
 public:
  /// `existing`: memory that there is anyway, on this rank.
  settlement(const schedule& s, const binding& how, const memory_needs& existing = {});
  settlement(const settlement&) = delete;
  settlement& operator=(const settlement&) = delete;

  [[nodiscard]] bool settled() const { return asking_ == subject::nothing; }
  /// As many numbers on every rank.
  [[nodiscard]] std::vector<long long> question();
  /// Throws the same error on every rank: buffer_error if the memory limit is too low.
  void answer(std::span<const long long> largest);
  /// Of this rank, when all is settled.
  [[nodiscard]] program result();

 private:
  /// What the next question is about: what engines must know, a variant's memory, or whether it keeps to the limit.
  enum class subject : char { facts, variant, limit, nothing };

  struct found {
    draft_list drafts;
    buffer_plan plan;
    integer areas = 0;  ///< bytes on the rank with most, what exists included
  };

  void list_variants();
  [[nodiscard]] variant most_careful() const;
  void consider_variant(std::span<const long long> largest);
  void next_variant(bool enough);
  void consider_limit(integer total);
  [[nodiscard]] integer small_ring(const buffer_problem& agreed, integer array) const;
  void make_passes();
  [[nodiscard]] integer scratch() const;

  const schedule& schedule_;
  binding how_;
  memory_needs existing_;
  drafter drafter_;
  subject asking_ = subject::facts;
  bool final_copy_ = false;
  std::vector<variant> variants_;
  std::size_t considered_ = 0;
  draft_list drafts_;  // of the variant asked about
  std::optional<found> best_;
  std::optional<integer> least_;  // bytes that a limit would have to allow
};

/// All of them in one process.
void settle(std::span<const std::unique_ptr<settlement>> ranks);

}  // namespace weft::run
