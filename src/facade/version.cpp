// SPDX-License-Identifier: BSD-3-Clause
#include "weft/version.hpp"

#include <mpi.h>

#include <array>

#include "algorithm/algorithm.hpp"
#include "exchange/engine.hpp"
#include "local/engine.hpp"

namespace weft {

std::string version() { return WEFT_VERSION; }

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const auto& e : algorithm::algorithms()) names.emplace_back(e.name);
  return names;
}

std::vector<std::string> exchange_names() {
  std::vector<std::string> names;
  for (const auto* e : exchange::engines()) names.emplace_back(e->name);
  return names;
}

std::vector<std::string> local_names() {
  std::vector<std::string> names;
  for (const auto* e : local::engines()) names.emplace_back(e->name());
  return names;
}

}  // namespace weft
