// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo.hpp"

#include <algorithm>

#include "facade/call.hpp"
#include "mpi/agreement.hpp"
#include "mpi/collective.hpp"
#include "planner/limits.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

using detail::shared_cells;

/// What a rank owns, which must have no gaps.
box box_of(const distribution& how, int rank) {
  box mine;
  for (int axis = 0; axis < how.axes(); ++axis) {
    const auto part = how.part(rank, axis);
    const integer n = count(part);
    const integer low = n == 0 ? 0 : index_at(part, 0);
    if (n > 0 && index_at(part, n - 1) != low + n - 1) {
      throw distribution_error("ghost cells need a box on every rank, and " + how.text() + " gives rank " +
                               std::to_string(rank) + " indices with gaps along axis " + std::to_string(axis) +
                               "; use blocks (b) or bricks");
    }
    mine.low.push_back(low);
    mine.high.push_back(low + n);
  }
  return mine;
}

integer floor_division(integer a, integer b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// The cells around one box that stand for elements of another, for every image of the periodic array in turn: calls
/// visit(low, high) with global indices, which may be outside the array, and with the image's shift.
template <class Visit>
void each_meeting(const box& with_ghosts, const box& owner, const extents& shape, bool of_itself, const Visit& visit) {
  const std::size_t d = shape.size();
  extents first(d), last(d), image(d), low(d), high(d), shift(d);
  for (std::size_t l = 0; l < d; ++l) {
    first[l] = floor_division(with_ghosts.low[l], shape[l]);
    last[l] = floor_division(with_ghosts.high[l] - 1, shape[l]);
  }
  for (image = first;;) {
    bool meet = true, home = true;
    for (std::size_t l = 0; l < d; ++l) {
      shift[l] = image[l] * shape[l];
      low[l] = std::max(with_ghosts.low[l], owner.low[l] + shift[l]);
      high[l] = std::min(with_ghosts.high[l], owner.high[l] + shift[l]);
      meet = meet && low[l] < high[l];
      home = home && image[l] == 0;
    }
    if (meet && !(of_itself && home)) visit(low, high, shift);
    std::size_t l = d;
    while (l > 0 && image[l - 1] == last[l - 1]) {
      image[l - 1] = first[l - 1];
      --l;
    }
    if (l == 0) return;
    ++image[l - 1];
  }
}

box widened(box b, const extents& before, const extents& after) {
  for (std::size_t l = 0; l < b.low.size(); ++l) {
    b.low[l] -= before[l];
    b.high[l] += after[l];
  }
  return b;
}

extents minus(const extents& a, const extents& b) {
  extents c(a.size());
  std::ranges::transform(a, b, c.begin(), std::minus<>());
  return c;
}

integer total(const std::vector<shared_cells>& all) {
  integer sum = 0;
  for (const auto& part : all) sum += volume(part.shape);
  return sum;
}

/// One block for each rank, in elements of a batch.
std::vector<mpi::block> blocks_of(const std::vector<shared_cells>& all, int ranks, integer batch) {
  std::vector<mpi::block> blocks(static_cast<std::size_t>(ranks));
  for (const auto& part : all) blocks[static_cast<std::size_t>(part.peer)].count += volume(part.shape) * batch;
  integer offset = 0;
  for (auto& b : blocks) b.offset = std::exchange(offset, offset + b.count);
  return blocks;
}

}  // namespace

namespace detail {

struct ghost_exchange::state {
  mpi::communicator on;
  distribution how;
  integer batch;
  layout where;
  integer cells = 0;
  std::vector<shared_cells> owned, ghosts;
  std::unique_ptr<mpi::alltoallv_call> to_ghosts, to_owners;

  state(const distribution& h, const extents& before, const extents& after, integer b, std::size_t element_bytes,
        MPI_Comm comm)
      : on(comm), how(h), batch(b) {
    mpi::require_same(on, {{"shape", to_text(how.shape())},
                           {"distribution", how.text()},
                           {"ghost cells before", to_text(before)},
                           {"ghost cells after", to_text(after)},
                           {"batch", std::to_string(batch)},
                           {"element size", std::to_string(element_bytes)}});
    std::vector<mpi::block> outward, inward;
    mpi::agree(on, [&] {
      check(before, after);
      find(before, after);
      outward = blocks_of(owned, on.size(), batch);
      inward = blocks_of(ghosts, on.size(), batch);
    });
    const integer limit = planner::limits().count;
    const bool small = mpi::largest(on, std::max(total(owned), total(ghosts)) * batch) <= limit;
    mpi::agree(on, [&] {
      to_ghosts = std::make_unique<mpi::alltoallv_call>(on, element_bytes, outward, inward, small, limit);
      to_owners = std::make_unique<mpi::alltoallv_call>(on, element_bytes, inward, outward, small, limit);
    });
  }

  void check(const extents& before, const extents& after) const {
    const auto d = static_cast<std::size_t>(how.axes());
    if (before.size() != d || after.size() != d) {
      throw argument_error("ghost cells are given for " + std::to_string(before.size()) + " and " +
                           std::to_string(after.size()) + " axes, the array has " + std::to_string(d));
    }
    for (const auto* some : {&before, &after}) {
      if (std::ranges::any_of(*some, [](integer n) { return n < 0; })) {
        throw argument_error("a number of ghost cells is negative: " + to_text(*some));
      }
    }
    if (batch < 1) throw argument_error("batch " + std::to_string(batch) + " is less than 1");
    if (how.ranks() > on.size()) {
      throw distribution_error("distribution " + how.chains_text() + " needs " + std::to_string(how.ranks()) +
                               " ranks, the communicator has " + std::to_string(on.size()));
    }
  }

  void find(const extents& before, const extents& after) {
    std::vector<box> boxes;
    for (int r = 0; r < on.size(); ++r) boxes.push_back(box_of(how, r));
    const box& mine = boxes[static_cast<std::size_t>(on.rank())];
    const box around = widened(mine, before, after);
    where = ghosted(how.local_shape(on.rank()), before, after);
    cells = mine.empty() ? 0 : volume(minus(around.high, around.low));
    if (batch > 1) where.strides.insert(where.strides.begin(), std::max<integer>(1, cells));
    cells *= batch;
    for (int r = 0; r < on.size(); ++r) {
      const box& theirs = boxes[static_cast<std::size_t>(r)];
      if (mine.empty() || theirs.empty()) continue;
      const bool myself = r == on.rank();
      each_meeting(around, theirs, how.shape(), myself, [&](const extents& low, const extents& high, const extents&) {
        ghosts.push_back({r, minus(low, around.low), minus(high, low)});
      });
      each_meeting(widened(theirs, before, after), mine, how.shape(), myself,
                   [&](const extents& low, const extents& high, const extents& shift) {
                     owned.push_back({r, minus(minus(low, shift), around.low), minus(high, low)});
                   });
    }
  }
};

ghost_exchange::ghost_exchange(const distribution& how, const extents& before, const extents& after, integer batch,
                               std::size_t element_bytes, MPI_Comm on)
    : state_(std::make_unique<state>(how, before, after, batch, element_bytes, on)) {}
ghost_exchange::ghost_exchange(ghost_exchange&&) noexcept = default;
ghost_exchange& ghost_exchange::operator=(ghost_exchange&&) noexcept = default;
ghost_exchange::~ghost_exchange() = default;

const distribution& ghost_exchange::how() const { return state_->how; }
int ghost_exchange::rank() const { return state_->on.rank(); }
integer ghost_exchange::batch() const { return state_->batch; }
const layout& ghost_exchange::where() const { return state_->where; }
integer ghost_exchange::cells() const { return state_->cells; }
const std::vector<shared_cells>& ghost_exchange::owned() const { return state_->owned; }
const std::vector<shared_cells>& ghost_exchange::ghosts() const { return state_->ghosts; }
std::size_t ghost_exchange::owned_count() const {
  return static_cast<std::size_t>(total(state_->owned) * state_->batch);
}
std::size_t ghost_exchange::ghost_count() const {
  return static_cast<std::size_t>(total(state_->ghosts) * state_->batch);
}

void ghost_exchange::check(std::size_t count, const array_terms* terms) const {
  const auto& s = *state_;
  const auto look = [&] {
    if (terms != nullptr && (terms->how != s.how || terms->rank != s.on.rank() || terms->batch != s.batch ||
                             !same_addresses(terms->where, resolved(s.where, s.how.local_shape(s.on.rank()), s.batch),
                                             terms->local_shape))) {
      throw buffer_error("the array is distributed as " + terms->how.text() + " with " + to_text(terms->where) +
                         ", its ghost cells are those of " + s.how.text() + " with " + to_text(s.where) +
                         "; make it with halo::make()");
    }
    if (count < static_cast<std::size_t>(s.cells)) {
      throw buffer_error("the array has room for " + std::to_string(count) + " cells on rank " +
                         std::to_string(s.on.rank()) + ", with all ghost cells there are " + std::to_string(s.cells) +
                         "; make it with halo::make()");
    }
  };
  (void)facade::agree_on_call(s.on, look);
}

void ghost_exchange::to_ghosts(const void* owned, void* ghosts) const { (*state_->to_ghosts)(owned, ghosts); }
void ghost_exchange::to_owners(const void* ghosts, void* owned) const { (*state_->to_owners)(ghosts, owned); }

}  // namespace detail

distribution bricks_of(const extents& shape, const box& mine, MPI_Comm on) {
  const mpi::communicator all(on);
  mpi::require_same(all, {{"shape", to_text(shape)}});
  const std::size_t d = shape.size();
  std::vector<long long> ends;
  mpi::agree(all, [&] {
    if (mine.low.size() != d || mine.high.size() != d) {
      throw argument_error("the box of rank " + std::to_string(all.rank()) + " has " + std::to_string(mine.low.size()) +
                           " and " + std::to_string(mine.high.size()) + " ends, the array has " + std::to_string(d) +
                           " axes");
    }
    ends.assign(2 * d * static_cast<std::size_t>(all.size()), 0);
    const auto here = ends.begin() + static_cast<std::ptrdiff_t>(2 * d) * all.rank();
    std::ranges::copy(mine.high, std::ranges::copy(mine.low, here).out);
  });
  mpi::sum(all, ends);  // each rank's entries are zero on all others
  distribution found;
  mpi::agree(all, [&] {
    std::vector<box> boxes;
    for (auto at = ends.begin(); at != ends.end(); at += static_cast<std::ptrdiff_t>(2 * d)) {
      const auto middle = at + static_cast<std::ptrdiff_t>(d);
      boxes.push_back({extents(at, middle), extents(middle, middle + static_cast<std::ptrdiff_t>(d))});
    }
    found = distribution::bricks(shape, std::move(boxes));
  });
  return found;
}

}  // namespace weft
