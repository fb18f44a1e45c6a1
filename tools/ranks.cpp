#include "ranks.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace weft::tool {

namespace {

constexpr std::size_t name_length = 256;

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

void ranks::broadcast_from_root(std::span<std::complex<double>> values) const {
  constexpr std::size_t chunk = std::size_t{1} << 24;  // far below what an int count can say
  for (std::size_t first = 0; first < values.size(); first += chunk) {
    const std::size_t count = std::min(chunk, values.size() - first);
    MPI_Bcast(values.data() + first, static_cast<int>(2 * count), MPI_DOUBLE, 0, on_);
  }
}

std::vector<std::string> ranks::gather_to_root(const std::string& mine) const {
  std::array<char, name_length> name{};
  std::copy_n(mine.begin(), std::min(mine.size(), name_length - 1), name.begin());
  std::vector<char> all(is_root() ? name_length * static_cast<std::size_t>(size_) : 0);
  MPI_Gather(name.data(), name_length, MPI_CHAR, all.data(), name_length, MPI_CHAR, 0, on_);
  std::vector<std::string> texts;
  for (std::size_t first = 0; first < all.size(); first += name_length) texts.emplace_back(all.data() + first);
  return texts;
}

node_ranks::node_ranks(const ranks& all) : ranks(split_by_node(all)) {}

node_ranks::~node_ranks() {
  MPI_Comm node = communicator();
  MPI_Comm_free(&node);
}

}  // namespace weft::tool
