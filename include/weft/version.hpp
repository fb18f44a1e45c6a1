// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weft {

[[nodiscard]] std::string version();
/// The MPI library this build talks to, as MPI names itself.
[[nodiscard]] std::string mpi_version();

[[nodiscard]] std::vector<std::string> algorithm_names();
[[nodiscard]] std::vector<std::string> exchange_names();
[[nodiscard]] std::vector<std::string> local_names();

}  // namespace weft
