// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "mpi/agreement.hpp"
#include "mpi/board.hpp"
#include "mpi/call.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

/// Every MPI has tags up to here; a few are left to others.
constexpr int first_tag = 100, last_tag = 32767;

}  // namespace

struct communicator::context {
  context() = default;
  explicit context(MPI_Comm owned) { take(owned); }
  void take(MPI_Comm owned) {
    comm = owned;
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() {
    if (comm != MPI_COMM_NULL && alive()) MPI_Comm_free(&comm);
  }

  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  int next_tag = first_tag;
  std::vector<std::weak_ptr<const int>> lanes;  // that are held
  std::map<std::string, std::shared_ptr<context>> parts;
  std::shared_ptr<mpi::board> on_board;
  bool asked_for_board = false;
};

namespace {

/// The attribute holds a reference; plans hold others, so a user may free the communicator first.
int drop_reference(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  delete static_cast<std::shared_ptr<void>*>(value);
  return MPI_SUCCESS;
}

int attribute_key() {
  static std::once_flag once;
  static int key = MPI_KEYVAL_INVALID;
  std::call_once(once, [] {
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_reference, &key, nullptr), "MPI_Comm_create_keyval");
  });
  return key;
}

void check_usable(MPI_Comm user) {
  if (!alive()) throw argument_error("MPI is not running; call MPI_Init before making a plan");
  if (user == MPI_COMM_NULL) throw argument_error("the communicator is MPI_COMM_NULL; pass a valid one");
  // One that was freed has no number any more, or another's. MPIs that number all of them notice themselves.
  if (MPI_Comm_f2c(MPI_Comm_c2f(user)) != user) throw argument_error("the communicator was freed; pass a valid one");
  int inter = 0;
  check(MPI_Comm_test_inter(user, &inter), "MPI_Comm_test_inter");
  if (inter != 0) throw argument_error("the communicator is an intercommunicator; merge it first");
}

}  // namespace

communicator::communicator(MPI_Comm user) {
  check_usable(user);
  void* found = nullptr;
  int present = 0;
  check(MPI_Comm_get_attr(user, attribute_key(), &found, &present), "MPI_Comm_get_attr");
  if (present != 0) {
    shared_ = std::static_pointer_cast<context>(*static_cast<std::shared_ptr<void>*>(found));
    return;
  }
  MPI_Comm duplicate = MPI_COMM_NULL;
  check(MPI_Comm_dup(user, &duplicate), "MPI_Comm_dup");
  shared_ = std::make_shared<context>(duplicate);
  auto reference = std::make_unique<std::shared_ptr<void>>(shared_);
  check(MPI_Comm_set_attr(user, attribute_key(), reference.get()), "MPI_Comm_set_attr");
  (void)reference.release();
}

MPI_Comm communicator::get() const { return shared_->comm; }
int communicator::rank() const { return shared_->rank; }
int communicator::size() const { return shared_->size; }

void communicator::prepare_split(const std::string& key) const {
  auto& part = shared_->parts[key];
  if (!part) part = std::make_shared<context>();
}

communicator communicator::split(const std::string& key, int color) const {
  prepare_split(key);
  auto& part = shared_->parts.find(key)->second;
  if (part->comm == MPI_COMM_NULL) {
    MPI_Comm formed = MPI_COMM_NULL;
    check(MPI_Comm_split(shared_->comm, color, shared_->rank, &formed), "MPI_Comm_split");
    part->take(formed);
  }
  return communicator(part);
}

communicator communicator::split_by_memory() const {
  static const std::string key = "shared memory";
  prepare_split(key);
  auto& part = shared_->parts.find(key)->second;
  if (part->comm == MPI_COMM_NULL) {
    MPI_Comm formed = MPI_COMM_NULL;
    check(MPI_Comm_split_type(shared_->comm, MPI_COMM_TYPE_SHARED, shared_->rank, MPI_INFO_NULL, &formed),
          "MPI_Comm_split_type");
    part->take(formed);
  }
  return communicator(part);
}

communicator communicator::with_board(std::vector<int> names) const {
  if (size() > 1 && !shared_->asked_for_board) {
    std::shared_ptr<mpi::board> made;
    try {
      agree(*this, [&] { made = std::make_shared<mpi::board>(*this, std::move(names)); });
      made->open(*this);
      shared_->on_board = std::move(made);
    } catch (const buffer_error&) {  // messages do it, too
    }
    shared_->asked_for_board = true;
  }
  communicator same(shared_);
  same.board_ = shared_->on_board;
  return same;
}

communicator communicator::with_near(communicator near) const {
  communicator same(*this);
  same.near_ = std::make_shared<const communicator>(std::move(near));
  return same;
}

int communicator::fresh_tag() const {
  const int tag = shared_->next_tag;
  shared_->next_tag = tag == last_tag ? first_tag : tag + 1;
  return tag;
}

int communicator::free_lane(int from) const {
  const auto is_held = [&](int number) {
    return std::ranges::any_of(shared_->lanes, [&](const auto& held) {
      const auto lane = held.lock();
      return lane && *lane == number;
    });
  };
  while (is_held(from)) ++from;
  return from;
}

std::shared_ptr<const int> communicator::hold_lane(int number) const {
  auto holder = std::make_shared<const int>(number);
  std::erase_if(shared_->lanes, [](const auto& held) { return held.expired(); });
  shared_->lanes.push_back(holder);
  return holder;
}

std::vector<int> communicator::members_of(const communicator& part) const {
  std::vector<int> members(static_cast<std::size_t>(part.size()));
  check(MPI_Allgather(&shared_->rank, 1, MPI_INT, members.data(), 1, MPI_INT, part.get()), "MPI_Allgather");
  return members;
}

}  // namespace weft::mpi
