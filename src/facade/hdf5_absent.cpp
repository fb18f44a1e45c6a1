// SPDX-License-Identifier: BSD-3-Clause
#include "facade/hdf5.hpp"
#include "weft/error.hpp"

namespace weft::facade {

bool has_hdf5() { return false; }
std::string write_part(const mpi::communicator& /*on*/, const file_part& /*part*/, const each_array& /*fill*/) {
  throw internal_error("files without HDF5");
}
std::string read_part(const mpi::communicator& /*on*/, const file_part& /*part*/, const each_array& /*take*/) {
  throw internal_error("files without HDF5");
}
stored_array describe_file(const std::string& /*file*/, const std::string& /*dataset*/) {
  throw internal_error("files without HDF5");
}

}  // namespace weft::facade
