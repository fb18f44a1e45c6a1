# Adds an adapter for every peer library that is found to the target weft-cli, and writes the table that lists them.
# An adapter file defines `peer NAME()` in weft::tool::peers for each of its names.
set(WEFT_PEER_DECLARATIONS "")
set(WEFT_PEER_ENTRIES "")
macro(weft_add_peer file names)
  target_sources(weft-cli PRIVATE peers/${file})
  target_link_libraries(weft-cli PRIVATE ${ARGN})
  foreach(name IN ITEMS ${names})
    string(APPEND WEFT_PEER_DECLARATIONS "peer ${name}();\n")
    string(APPEND WEFT_PEER_ENTRIES "peers::${name}(), ")
  endforeach()
endmacro()

foreach(library fftw3_threads fftw3f_threads fftw3_mpi fftw3f_mpi)
  string(TOUPPER ${library} variable)
  find_library(${variable}_LIBRARY ${library})
endforeach()
find_path(FFTW3_MPI_INCLUDE_DIR fftw3-mpi.h)

# Debian's FFTW-MPI is built for OpenMPI only.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_c_source_compiles("#include <mpi.h>
#ifndef OPEN_MPI
#error
#endif
int main(void) { return 0; }" WEFT_MPI_IS_OPENMPI)
unset(CMAKE_REQUIRED_LIBRARIES)

if(TARGET weft_fftw AND FFTW3_THREADS_LIBRARY AND FFTW3F_THREADS_LIBRARY)
  set(fftw_libraries ${FFTW3_THREADS_LIBRARY} ${FFTW3F_THREADS_LIBRARY} weft_fftw Threads::Threads)
  if(WEFT_MPI_IS_OPENMPI AND FFTW3_MPI_LIBRARY AND FFTW3F_MPI_LIBRARY AND FFTW3_MPI_INCLUDE_DIR)
    weft_add_peer(fftw_mpi.cpp "fftw_mpi" ${FFTW3_MPI_LIBRARY} ${FFTW3F_MPI_LIBRARY} ${fftw_libraries})
  endif()
  weft_add_peer(fftw_node.cpp "fftw_threads;fftw_serial" ${fftw_libraries})
endif()

# After FFTW's own adapters: heFFTe brings FFTW's OpenMP library, and the first of two that define the same names wins.
find_package(Heffte QUIET)
if(TARGET Heffte::Heffte AND Heffte_FFTW_FOUND)
  get_target_property(heffte_mpi MPI::MPI_CXX INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(own_mpi MPI::MPI_C INTERFACE_INCLUDE_DIRECTORIES)
  if(heffte_mpi STREQUAL own_mpi)
    weft_add_peer(heffte.cpp "heffte" Heffte::Heffte)
  else()
    message(STATUS "heFFTe is left out: it was built for another MPI")
  endif()
endif()

configure_file(peers/table.cpp.in peers/table.cpp @ONLY)
target_sources(weft-cli PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/peers/table.cpp)
