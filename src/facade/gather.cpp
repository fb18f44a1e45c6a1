// SPDX-License-Identifier: BSD-3-Clause
#include "weft/gather.hpp"

#include <algorithm>

#include "mpi/agreement.hpp"
#include "weft/error.hpp"
#include "weft/redistribution.hpp"

namespace weft::detail {

namespace {

/// Everything on one rank.
distribution whole_on(int root, const extents& shape, int ranks) {
  std::vector<box> boxes(static_cast<std::size_t>(ranks), {extents(shape.size(), 0), extents(shape.size(), 0)});
  boxes[static_cast<std::size_t>(root)].high = shape;
  return distribution::bricks(shape, std::move(boxes));
}

void check(const any_array& x, const mpi::communicator& ranks) {
  if (x.terms.rank != ranks.rank()) {
    throw argument_error("the array is the part of rank " + std::to_string(x.terms.rank) + ", passed by rank " +
                         std::to_string(ranks.rank()));
  }
  if (x.terms.how.ranks() > ranks.size()) {
    throw distribution_error("distribution " + x.terms.how.chains_text() + " needs " +
                             std::to_string(x.terms.how.ranks()) + " ranks, the communicator has " +
                             std::to_string(ranks.size()));
  }
}

/// One array of a batch.
layout single(const array_terms& of) {
  layout one = of.where;
  if (of.batch > 1) one.strides.erase(one.strides.begin());
  return one;
}

/// Moves each array of the batch, one after the other.
class mover {
 public:
  /// Asks the root for its whole array: `all` is called there with the number of bytes.
  template <class All>
  mover(const any_array& part, int root, MPI_Comm on, const All& all) : part_(part), on_(on) {
    const mpi::communicator ranks(on);
    require_one_array(part, on);
    mpi::require_same(ranks, {{"root", std::to_string(root)}});
    mpi::agree(ranks, [&] {
      require_below("root", root, ranks.size());
      whole_ = whole_on(root, part.terms.how.shape(), ranks.size());
      if (ranks.rank() != root) return;
      array_bytes_ = static_cast<std::size_t>(volume(part.terms.how.shape())) * part.element_bytes;
      all(array_bytes_ * static_cast<std::size_t>(part.terms.batch));
    });
  }

  /// Calls move(part of array b, all of array b).
  template <class Move>
  void each(const Move& move) const {
    const auto stride = part_.terms.batch > 1 ? part_.terms.where.strides.front() : 0;
    for (integer b = 0; b < part_.terms.batch; ++b) {
      move(b * stride * static_cast<integer>(part_.element_bytes), static_cast<std::size_t>(b) * array_bytes_);
    }
  }

  void gather(std::span<std::byte> all) const {
    redistribution_options how;
    how.input_layout = single(part_.terms);
    redistribution move(part_.terms.how, whole_, part_.element_bytes, on_, how);
    each([&](integer from, std::size_t to) {
      move(static_cast<const void*>(part_.data + from), static_cast<void*>(all.data() + to));
    });
  }

  void scatter(std::span<const std::byte> all) const {
    redistribution_options how;
    how.output_layout = single(part_.terms);
    redistribution move(whole_, part_.terms.how, part_.element_bytes, on_, how);
    // The caller's array is not const, see gather.hpp.
    each([&](integer to, std::size_t from) {
      move(static_cast<const void*>(all.data() + from), static_cast<void*>(const_cast<std::byte*>(part_.data) + to));
    });
  }

 private:
  const any_array& part_;
  MPI_Comm on_;
  std::size_t array_bytes_ = 0;
  distribution whole_;
};

}  // namespace

void require_one_array(const any_array& x, MPI_Comm on) {
  const mpi::communicator ranks(on);
  mpi::require_same(ranks, {{"shape", to_text(x.terms.how.shape())},
                            {"distribution", x.terms.how.text()},
                            {"batch", std::to_string(x.terms.batch)},
                            {"element size", std::to_string(x.element_bytes)}});
  mpi::agree(ranks, [&] { check(x, ranks); });
}

void gather(const any_array& from, const allocation& allocate, int root, MPI_Comm on) {
  std::span<std::byte> all;
  const mover move(from, root, on, [&](std::size_t bytes) { all = allocate(bytes); });
  move.gather(all);
}

void scatter(std::span<const std::byte> all, const any_array& to, int root, MPI_Comm on) {
  const mover move(to, root, on, [&](std::size_t bytes) {
    if (all.size() == bytes) return;
    throw buffer_error("the whole array on rank " + std::to_string(root) + " has " + std::to_string(all.size()) +
                       " bytes, needs " + std::to_string(bytes));
  });
  move.scatter(all);
}

void sum_over_ranks(std::span<double> values, MPI_Comm on) { mpi::sum(mpi::communicator(on), values); }
void sum_over_ranks(std::span<long long> values, MPI_Comm on) { mpi::sum(mpi::communicator(on), values); }

}  // namespace weft::detail
