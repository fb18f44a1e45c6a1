// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/statement.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "mpi/agreement.hpp"
#include "mpi/board.hpp"
#include "mpi/call.hpp"

namespace weft::mpi {

namespace {

/// A datatype and an operation for all statements of the process; MPI ends them.
struct union_of_words {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

}  // namespace

void statement::unite(void* in, void* with, int* count, MPI_Datatype* /*type*/) {
  const auto* const from = static_cast<const words*>(in);
  auto* const to = static_cast<words*>(with);
  for (int i = 0; i < *count; ++i) {
    for (std::size_t w = 0; w < to[i].united.size(); ++w) to[i].united[w] |= from[i].united[w];
    to[i].speaker = std::min(to[i].speaker, from[i].speaker);
  }
}

statement::statement(const communicator& on, int with_tag, const bits& mine, const std::exception_ptr& complaint)
    : on_(on),
      tag_(with_tag),
      complaint_(complaint),
      said_{mine, static_cast<std::uint64_t>(complaint ? on.rank() : on.size())} {
  require_alive();
  if (on.size() == 1) return;
  if (on.board()) {
    for (auto& word : said_.united) word = on.board()->unite(on, word);
    said_.speaker = on.board()->unite(on, complaint ? 1 : 0) != 0 ? 0 : said_.speaker;
    return;
  }
  static_assert(sizeof(words) == 3 * sizeof(std::uint64_t));
  static std::once_flag once;
  static union_of_words all;
  std::call_once(once, [] {
    check(MPI_Type_contiguous(3, MPI_UINT64_T, &all.type), "MPI_Type_contiguous");
    check(MPI_Type_commit(&all.type), "MPI_Type_commit");
    check(MPI_Op_create(unite, 1, &all.op), "MPI_Op_create");
  });
  check(MPI_Iallreduce(MPI_IN_PLACE, &said_, 1, all.type, all.op, on.get(), &request_), "MPI_Iallreduce");
}

statement::~statement() {
  try {
    if (request_ != MPI_REQUEST_NULL && alive()) (void)known(true);
  } catch (...) {  // nobody is left to be told
  }
}

bool statement::done(bool wait) {
  int flag = 1;
  if (wait) {
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  } else {
    check(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
  }
  return flag != 0;
}

bool statement::complains() const { return said_.speaker < static_cast<std::uint64_t>(on_.size()); }

bool statement::known(bool wait) {
  if (known_at_once(on_)) return true;
  if (!done(wait)) return false;
  if (!complains()) return true;
  const auto speaker = static_cast<int>(said_.speaker);
  if (next_ < 0 && on_.rank() == speaker) {
    const auto mine = complaint_of(complaint_);
    told_.code = static_cast<int>(mine.code);
    std::copy_n(mine.text.begin(), std::min<std::size_t>(mine.text.size(), most_text - 1), told_.text.begin());
  }
  if (next_ < 0 && on_.rank() != speaker) {
    check(MPI_Irecv(&told_, sizeof told_, MPI_BYTE, speaker, tag_, on_.get(), &request_), "MPI_Irecv");
  }
  next_ = std::max(next_, 0);
  if (on_.rank() != speaker) return done(wait);
  while (done(wait)) {
    if (next_ == speaker) ++next_;
    if (next_ >= on_.size()) return true;
    check(MPI_Isend(&told_, sizeof told_, MPI_BYTE, next_++, tag_, on_.get(), &request_), "MPI_Isend");
  }
  return false;
}

void statement::rethrow() const {
  if (!complains()) return;
  if (known_at_once(on_)) return share_complaint(on_, complaint_);
  base::raise(static_cast<error_code>(told_.code), told_.text.data());
}

}  // namespace weft::mpi
