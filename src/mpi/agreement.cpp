// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agreement.hpp"

#include <algorithm>
#include <new>

#include "base/error.hpp"
#include "mpi/board.hpp"
#include "mpi/call.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

std::string shortened(const std::string& text) { return text.size() <= 200 ? text : text.substr(0, 197) + "..."; }

}  // namespace

void require_alive() {
  if (!alive()) throw mpi_error("MPI is not running: MPI_Finalize was called before");
}

complaint complaint_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {error_code::bad_buffer, "out of memory; use more ranks or a smaller problem"};
  } catch (const std::exception& e) {
    return {error_code::internal, e.what()};
  } catch (...) {
    return {error_code::internal, "something that is not an exception was thrown"};
  }
}

void share_complaint(const communicator& on, const std::exception_ptr& thrown) {
  require_alive();
  int speaker = thrown ? on.rank() : on.size();
  check(MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, on.get()), "MPI_Allreduce");
  if (speaker == on.size()) return;
  const auto mine = thrown ? complaint_of(thrown) : complaint{};
  int code = static_cast<int>(mine.code);
  check(MPI_Bcast(&code, 1, MPI_INT, speaker, on.get()), "MPI_Bcast");
  const std::string text = broadcast(on, mine.text, speaker);
  base::raise(static_cast<error_code>(code), text);
}

std::string broadcast(const communicator& on, std::string text, int root) {
  auto length = static_cast<long long>(text.size());
  check(MPI_Bcast(&length, 1, MPI_LONG_LONG, root, on.get()), "MPI_Bcast");
  agree(on, [&] { text.resize(static_cast<std::size_t>(length)); });
  check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, on.get()), "MPI_Bcast");
  return text;
}

void require_same(const communicator& on, const std::vector<argument>& arguments) {
  // One broadcast for all; no name or value contains a zero byte.
  std::string joined, told;
  agree(on, [&] {
    for (const auto& a : arguments) joined += a.value + '\0';
    told = joined;
  });
  const std::string first = broadcast(on, std::move(told), 0);
  agree(on, [&] {
    if (joined == first) return;
    std::size_t at = 0;
    for (const auto& a : arguments) {
      const auto end = std::min(first.find('\0', at), first.size());
      const std::string theirs = first.substr(at, end - at);
      if (theirs != a.value) {
        throw mismatch_error("ranks disagree on the " + a.name + ": rank 0 passed '" + shortened(theirs) + "', rank " +
                             std::to_string(on.rank()) + " passed '" + shortened(a.value) +
                             "'; pass the same on every rank");
      }
      at = end + 1;
    }
  });
}

long long united_bits(const communicator& on, long long mine) {
  require_alive();
  if (on.board()) return static_cast<long long>(on.board()->unite(on, static_cast<std::uint64_t>(mine)));
  check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_LONG_LONG, MPI_BOR, on.get()), "MPI_Allreduce");
  return mine;
}

long long largest(const communicator& on, long long value) {
  largest(on, std::span(&value, 1));
  return value;
}

void largest(const communicator& on, std::span<long long> values) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_LONG_LONG, MPI_MAX, on.get()),
        "MPI_Allreduce");
}

void sum(const communicator& on, std::span<double> values) {
  const auto count = static_cast<int>(values.size());
  // Not one reduction to all, whose results may differ between ranks by rounding.
  check(
      MPI_Reduce(on.rank() == 0 ? MPI_IN_PLACE : values.data(), values.data(), count, MPI_DOUBLE, MPI_SUM, 0, on.get()),
      "MPI_Reduce");
  check(MPI_Bcast(values.data(), count, MPI_DOUBLE, 0, on.get()), "MPI_Bcast");
}

void sum(const communicator& on, std::span<long long> values) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_LONG_LONG, MPI_SUM, on.get()),
        "MPI_Allreduce");
}

}  // namespace weft::mpi
