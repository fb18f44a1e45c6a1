// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace weft::tool {

namespace {

MPI_Comm split_by_node(const ranks& all) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(all.communicator(), MPI_COMM_TYPE_SHARED, all.rank(), MPI_INFO_NULL, &node);
  return node;
}

}  // namespace

ranks::ranks(MPI_Comm on) : on_(on) {
  MPI_Comm_rank(on_, &rank_);
  MPI_Comm_size(on_, &size_);
}

void ranks::barrier() const { MPI_Barrier(on_); }

double ranks::max(double mine) const {
  double result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, on_);
  return result;
}

integer ranks::max(integer mine) const {
  integer result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, on_);
  return result;
}

double ranks::sum(double mine) const {
  double result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_SUM, on_);
  return result;
}

bool ranks::all(bool mine) const { return max(mine ? integer{0} : integer{1}) == 0; }

bool ranks::same(const std::vector<std::string>& mine) const {
  std::string text;
  for (const auto& word : mine) text += word + '\0';
  const auto hash = static_cast<integer>(std::hash<std::string>{}(text));
  return max(hash) == -max(-hash);
}

bool ranks::from_root(bool roots) const {
  int answer = roots ? 1 : 0;
  MPI_Bcast(&answer, 1, MPI_INT, 0, on_);
  return answer != 0;
}

std::string ranks::from_root(std::string roots) const {
  auto length = static_cast<int>(roots.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, on_);
  roots.resize(static_cast<std::size_t>(length));
  MPI_Bcast(roots.data(), length, MPI_CHAR, 0, on_);
  return roots;
}

void ranks::broadcast_from_root(std::span<std::complex<double>> values) const {
  constexpr std::size_t chunk = std::size_t{1} << 24;  // far below what an int count can say
  for (std::size_t first = 0; first < values.size(); first += chunk) {
    const std::size_t count = std::min(chunk, values.size() - first);
    MPI_Bcast(values.data() + first, static_cast<int>(2 * count), MPI_DOUBLE, 0, on_);
  }
}

std::vector<std::string> ranks::gather_to_root(const std::string& mine) const {
  const auto count = static_cast<std::size_t>(is_root() ? size_ : 0);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(count), starts(count);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, on_);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(is_root() ? static_cast<std::size_t>(starts.back() + lengths.back()) : 0, ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, on_);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < count; ++r) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
  }
  return texts;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

node_ranks::node_ranks(const ranks& all) : ranks(split_by_node(all)) {}

node_ranks::~node_ranks() {
  MPI_Comm node = communicator();
  MPI_Comm_free(&node);
}

}  // namespace weft::tool
