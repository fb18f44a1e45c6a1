// SPDX-License-Identifier: BSD-3-Clause
// The part of files that knows HDF5. Builds without it have hdf5_absent.cpp instead.
#pragma once

#include <functional>
#include <string>

#include "mpi/communicator.hpp"
#include "weft/file.hpp"

namespace weft::facade {

/// A dataset, of arrays of a batch one after the other, of which this rank writes or reads a box.
struct file_part {
  std::string file, dataset;
  stored_array what;
  extents first, extent;
  integer rounds = 1;  ///< the same on all ranks: so many calls move the part of one array
};

[[nodiscard]] bool has_hdf5();
/// Called for each array of the batch, by its number. It calls `move` once, with memory: that has the rank's part,
/// row-major, when it is to be written, and has it afterwards when it is read.
using each_array = std::function<void(integer number, const std::function<void(std::byte*)>& move)>;
/// Collective: all ranks create the file, and write. Returns what went wrong on this rank, empty if nothing did.
[[nodiscard]] std::string write_part(const mpi::communicator& on, const file_part& part, const each_array& fill);
/// Collective. The dataset must be what `part` says.
[[nodiscard]] std::string read_part(const mpi::communicator& on, const file_part& part, const each_array& take);
/// By one process for itself. Throws file_error.
[[nodiscard]] stored_array describe_file(const std::string& file, const std::string& dataset);

}  // namespace weft::facade
