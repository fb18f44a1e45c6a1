// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/board.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "mpi/agreement.hpp"
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::mpi {

namespace {

/// Looks before MPI may work, some nanoseconds each; then looks, some tenths of a microsecond each, before others may
/// have the core, unless they need it more than this rank does.
constexpr unsigned quick_looks = 200, patient_looks = 100;
constexpr unsigned looks_between_clocks = 16;

constexpr std::size_t for_all = 0;  // the sheet that all ranks sign for unite()

using atomic_word = std::atomic_ref<std::uint64_t>;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Of a dissemination in at most `stages` rounds.
std::size_t radix_for(std::size_t ranks, std::size_t radix) {
  while (radix * radix < ranks) ++radix;
  return radix;
}

}  // namespace

board::board(const communicator& on, std::vector<int> names, std::size_t radix)
    : rank_(on.rank()),
      radix_(radix),
      all_(static_cast<std::size_t>(on.size())),
      names_(std::move(names)),
      crowded_(on.size() > sysconf(_SC_NPROCESSORS_ONLN)) {
  std::iota(all_.begin(), all_.end(), 0);
  if (names_.empty()) names_ = all_;
  held_[for_all] = true;
}

void board::open(const communicator& on) { memory_ = shared_memory(on, sizeof(line) * sheets); }

/// New memory is zeros, and rounds begin with 1.
board::slot& board::at(int rank, std::size_t number, std::uint64_t round, std::size_t stage) const {
  auto* const lines = reinterpret_cast<line*>(memory_.peers()[static_cast<std::size_t>(rank)]);
  return lines[number].posted[round % 2][stage];
}

/// While a rank waits here its peers may wait for messages that it began to send, so MPI must be called.
bool board::comes(const communicator& among, slot& whose, std::uint64_t round, double patience) const {
  const atomic_word posted(whose.round);
  const auto is_there = [&] { return posted.load(std::memory_order_acquire) == round; };
  for (unsigned looks = 0; looks < quick_looks; ++looks) {
    if (is_there()) return true;
    relax();
  }
  using clock = std::chrono::steady_clock;
  const auto begun = clock::now();
  for (std::uint64_t looks = crowded_ ? patient_looks : 0;; ++looks) {
    progress(among);
    if (is_there()) return true;
    if (looks >= patient_looks) sched_yield();
    if (patience > 0 && looks % looks_between_clocks == 0 &&
        std::chrono::duration<double>(clock::now() - begun).count() > patience) {
      return false;
    }
  }
}

std::optional<int> board::sign(const communicator& among, std::size_t number, std::span<const int> members,
                               double patience, std::uint64_t& bits) {
  const std::size_t ranks = members.size(), radix = radix_for(ranks, radix_);
  const auto me = static_cast<std::size_t>(std::ranges::lower_bound(members, rank_) - members.begin());
  const std::uint64_t round = ++rounds_[number];
  for (std::size_t distance = 1, stage = 0; distance < ranks; distance *= radix, ++stage) {
    slot& mine = at(rank_, number, round, stage);
    atomic_word(mine.bits).store(bits, std::memory_order_relaxed);
    atomic_word(mine.round).store(round, std::memory_order_release);
    for (std::size_t far = distance; far < ranks && far < radix * distance; far += distance) {
      const int whom = members[(me + ranks - far) % ranks];
      slot& theirs = at(whom, number, round, stage);
      if (!comes(among, theirs, round, patience)) return whom;
      bits |= atomic_word(theirs.bits).load(std::memory_order_relaxed);
    }
  }
  return std::nullopt;
}

std::uint64_t board::unite(const communicator& on, std::uint64_t mine) {
  (void)sign(on, for_all, all_, 0, mine);
  return mine;
}

std::optional<int> board::sheet::sign(const communicator& among, std::span<const int> members, double patience) {
  std::uint64_t bits = 0;
  if (missing_) return missing_;
  missing_ = of_->rank_;  // stays so if MPI fails meanwhile: this rank is then in another round than its peers
  return missing_ = of_->sign(among, number_, members, patience, bits);
}

std::vector<int> board::sheet::ranks_of(std::span<const int> names) const {
  std::vector<int> ranks;
  for (const int name : names) {
    ranks.push_back(static_cast<int>(std::ranges::lower_bound(of_->names_, name) - of_->names_.begin()));
  }
  return ranks;
}

int board::sheet::name_of(int rank) const { return of_->names_[static_cast<std::size_t>(rank)]; }

/// One that somebody gave up is not used again.
board::sheet::~sheet() {
  if (of_ && !missing_) of_->held_[number_] = false;
}

std::vector<std::shared_ptr<board::sheet>> board::take(const communicator& on, std::size_t count) {
  const auto& from = on.near().board();
  std::vector<std::shared_ptr<sheet>> taken;
  std::vector<long long> last;  // rounds of each sheet; -1: not free
  agree(on, [&] {
    taken.resize(count);
    if (!from || count == 0) return;
    for (auto& s : taken) s = std::make_shared<sheet>();
    last.resize(sheets);
  });
  if (last.empty()) return taken;
  // Who still has a sheet, and the last round of any rank: those who failed may have come to different ones.
  constexpr long long busy = 1LL << 62;
  for (std::size_t i = 0; i < sheets; ++i) {
    last[i] = from->held_[i] ? busy : static_cast<long long>(from->rounds_[i]);
  }
  largest(on.near(), last);
  std::size_t number = 0;
  for (auto& s : taken) {
    while (number < sheets && last[number] == busy) ++number;
    if (number == sheets) {
      s = nullptr;
      continue;
    }
    from->rounds_[number] = static_cast<std::uint64_t>(last[number]);
    from->held_[number] = true;
    s->number_ = number++;
    s->of_ = from;
  }
  return taken;
}

}  // namespace weft::mpi
