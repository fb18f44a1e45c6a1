// SPDX-License-Identifier: BSD-3-Clause
// Process meshes for peers that want a Cartesian communicator of their own.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace weft::tool::peers {

struct mesh {
  std::vector<int> shape;
  std::string text;
  std::shared_ptr<MPI_Comm> cart = {};  ///< lives as long as the plans that hold it
};

/// All ranks in a row, and where their number is not prime as square as can be as well; without communicators.
inline std::vector<mesh> mesh_shapes(int ranks) {
  std::vector<mesh> shapes{{{ranks, 1}, "slabs"}};
  int rows = 1;
  for (int r = 2; r * r <= ranks; ++r) {
    if (ranks % r == 0) rows = r;
  }
  if (rows > 1) shapes.push_back({{rows, ranks / rows}, "pencils"});
  return shapes;
}

inline std::shared_ptr<MPI_Comm> owned(MPI_Comm made) {
  const auto release = [](MPI_Comm* old) {
    MPI_Comm_free(old);
    delete old;
  };
  return {new MPI_Comm(made), release};
}

}  // namespace weft::tool::peers
