# SPDX-License-Identifier: BSD-3-Clause
# Writes the headers of kernels as text into a source file (OUTPUT), for compiling them when a program runs. HEADERS are
# names inside SOURCE_DIR, separated by commas.
string(REPLACE "," ";" headers "${HEADERS}")
set(entries "")
foreach(name ${headers})
  # Brackets and semicolons mean something to CMake's lists, so that texts are never in one.
  file(READ ${SOURCE_DIR}/${name} text)
  string(LENGTH "${text}" length)
  if(length GREATER 60000)
    message(FATAL_ERROR "${name} is longer than a string may be")
  endif()
  string(APPEND entries "    {\"${name}\", R\"weft(${text})weft\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/KernelSources.cmake.
#include \"device/kernel_sources.hpp\"

namespace weft::device {

static constexpr kernel_source all[] = {
${entries}};

std::span<const kernel_source> kernel_sources() { return all; }

}  // namespace weft::device
")
