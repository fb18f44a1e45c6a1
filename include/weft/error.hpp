// SPDX-License-Identifier: BSD-3-Clause
// What Weft throws. Every rank of a communicator throws the same error with the same text.
#pragma once

#include <stdexcept>
#include <string>

namespace [[gnu::visibility("default")]] weft {

/// The kind of an error, also the return code of the C interface.
enum class error_code : int {
  bad_argument = 1,      ///< a value outside its limits
  bad_distribution = 2,  ///< a distribution that does not fit its array, or boxes that do not tile
  bad_buffer = 3,        ///< memory that is too small, or aliases where it must not
  mismatch = 4,          ///< ranks passed different arguments
  unknown_name = 5,      ///< no algorithm, engine or option of that name
  not_applicable = 6,    ///< the named algorithm or engine cannot do this problem
  mpi_failure = 7,       ///< an MPI call failed
  internal = 8,          ///< a defect in Weft
  bad_file = 9,          ///< a file that cannot be read, written or understood
  device_failure = 10    ///< no such device, or a call of its driver failed
};

/// Base of everything Weft throws.
class error : public std::runtime_error {
 public:
  error(error_code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] error_code code() const noexcept { return code_; }

 private:
  error_code code_;
};

/// One type per kind, so that a caller can catch just what it can mend.
template <error_code Code>
class error_of : public error {
 public:
  explicit error_of(const std::string& text) : error(Code, text) {}
};

using argument_error = error_of<error_code::bad_argument>;
using distribution_error = error_of<error_code::bad_distribution>;
using buffer_error = error_of<error_code::bad_buffer>;
using mismatch_error = error_of<error_code::mismatch>;
using name_error = error_of<error_code::unknown_name>;
using applicability_error = error_of<error_code::not_applicable>;
using mpi_error = error_of<error_code::mpi_failure>;
using internal_error = error_of<error_code::internal>;
using file_error = error_of<error_code::bad_file>;
using device_error = error_of<error_code::device_failure>;

}  // namespace weft
