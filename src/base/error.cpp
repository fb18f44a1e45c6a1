// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

namespace weft::base {

void raise(error_code code, const std::string& text) {
  switch (code) {
    case error_code::bad_argument: throw argument_error(text);
    case error_code::bad_distribution: throw distribution_error(text);
    case error_code::bad_buffer: throw buffer_error(text);
    case error_code::mismatch: throw mismatch_error(text);
    case error_code::unknown_name: throw name_error(text);
    case error_code::not_applicable: throw applicability_error(text);
    case error_code::mpi_failure: throw mpi_error(text);
    case error_code::bad_file: throw file_error(text);
    case error_code::device_failure: throw device_error(text);
    case error_code::internal: break;
  }
  throw internal_error(text);
}

}  // namespace weft::base
