// SPDX-License-Identifier: BSD-3-Clause
// Where ranks that share memory tell each other that they have come, and a few bits: a fraction of what a message
// takes.
//
// A board has sheets. Those who meet at a sheet sign it, in rounds: each rank posts, and then looks for what ranks at
// certain distances posted, as many as `radix` powers it takes to hear of all (dissemination; bits that are united may
// be heard of twice). What a rank posts alternates between two slots, as a peer may still be reading the last round
// when the next one begins; it cannot be two rounds behind.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/shared_memory.hpp"

namespace weft::mpi {

class board {
 public:
  static constexpr std::size_t sheets = 256;

  /// Of ranks that share memory; open() comes before all else. `names`: what each is called where not all do,
  /// ascending; empty: its number. `radix`: at least how many ranks, itself included, a rank hears of at once: more
  /// would be more cache lines to look at, fewer more rounds.
  explicit board(const communicator& on, std::vector<int> names = {}, std::size_t radix = 8);
  /// Collective. Throws buffer_error on all ranks if there is no room.
  void open(const communicator& on);

  /// One rank's hold on a sheet, which nobody else of this rank has meanwhile.
  class sheet {
   public:
    sheet() = default;
    sheet(const sheet&) = delete;
    sheet& operator=(const sheet&) = delete;
    ~sheet();
    /// Waits until all of `members` have come, ranks of the board of whom this is one; each must pass the same. If one
    /// does not come within so many seconds (0: waits for ever), returns which, and from then on always: who gave up
    /// is no longer in the same round as others. MPI works meanwhile, through `among`.
    [[nodiscard]] std::optional<int> sign(const communicator& among, std::span<const int> members, double patience);
    /// Ranks of the board by their names, and back.
    [[nodiscard]] std::vector<int> ranks_of(std::span<const int> names) const;
    [[nodiscard]] int name_of(int rank) const;

   private:
    friend class board;
    std::shared_ptr<board> of_;
    std::size_t number_ = 0;
    std::optional<int> missing_;
  };

  /// Sheets of the board of on.near() that are free on all its ranks; null where there are no more or no board, on all
  /// of these alike. Collective over `on`.
  [[nodiscard]] static std::vector<std::shared_ptr<sheet>> take(const communicator& on, std::size_t count);

  /// The bits that any rank has set. Nobody returns before all have come.
  [[nodiscard]] std::uint64_t unite(const communicator& on, std::uint64_t mine);

 private:
  static constexpr std::size_t stages = 2;
  struct slot {
    std::uint64_t round;
    std::uint64_t bits;
  };
  /// A cache line of each rank: what it posts in a round, by whether that is odd, and by distance.
  struct alignas(64) line {
    std::array<std::array<slot, stages>, 2> posted;
  };

  [[nodiscard]] slot& at(int rank, std::size_t number, std::uint64_t round, std::size_t stage) const;
  [[nodiscard]] std::optional<int> sign(const communicator& among, std::size_t number, std::span<const int> members,
                                        double patience, std::uint64_t& bits);
  [[nodiscard]] bool comes(const communicator& among, slot& whose, std::uint64_t round, double patience) const;

  shared_memory memory_;
  int rank_;
  std::size_t radix_;
  std::vector<int> all_, names_;
  bool crowded_;  // more ranks than cores
  std::array<std::uint64_t, sheets> rounds_{};
  std::array<std::atomic<bool>, sheets> held_{};  // plans may die while other threads make some
};

}  // namespace weft::mpi
