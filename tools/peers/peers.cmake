# Adds an adapter for every peer library that is found to the target weft-cli, and writes the table that lists them.
# An adapter file defines `peer NAME()` in weft::tool::peers for each of its names. It is a library of its own, so that
# the compile options some peers ask for stay with it.
set(WEFT_PEER_DECLARATIONS "")
set(WEFT_PEER_ENTRIES "")
macro(weft_add_peer file names)
  add_library(weft-peer-${file} STATIC peers/${file}.cpp)
  target_include_directories(weft-peer-${file} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(weft-peer-${file} PRIVATE weft::weft weft_warnings ${ARGN})
  target_link_libraries(weft-cli PRIVATE weft-peer-${file})
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
    set(fftw_mpi_libraries ${FFTW3_MPI_LIBRARY} ${FFTW3F_MPI_LIBRARY} ${fftw_libraries})
    weft_add_peer(fftw_mpi "fftw_mpi" ${fftw_mpi_libraries})
  endif()
  weft_add_peer(fftw_node "fftw_threads;fftw_serial" ${fftw_libraries})
  # Here as well, before other peers: heFFTe brings FFTW's OpenMP library, and of two that define the same the first wins.
  target_link_libraries(weft-cli PRIVATE ${fftw_libraries})
endif()

if(TARGET weft_fftw) # its adapter calls FFTW through it
  find_package(Heffte QUIET)
endif()
if(TARGET Heffte::Heffte AND Heffte_FFTW_FOUND)
  get_target_property(heffte_mpi MPI::MPI_CXX INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(own_mpi MPI::MPI_C INTERFACE_INCLUDE_DIRECTORIES)
  if(heffte_mpi STREQUAL own_mpi)
    weft_add_peer(heffte "heffte" Heffte::Heffte)
  else()
    message(STATUS "heFFTe is left out: it was built for another MPI")
  endif()
endif()

# Libraries without a CMake package are looked for where WEFT_PEER_NAME_DIR says, and nowhere else.
set(WEFT_PEER_PFFT_DIR "" CACHE PATH "Where PFFT is installed, for weft bench to compare with")
if(WEFT_PEER_PFFT_DIR)
  if(NOT fftw_mpi_libraries)
    message(FATAL_ERROR "PFFT needs FFTW-MPI in both precisions, which is missing or was built for another MPI")
  endif()
  find_path(PFFT_INCLUDE_DIR pfft.h PATHS ${WEFT_PEER_PFFT_DIR}/include NO_DEFAULT_PATH REQUIRED)
  find_library(PFFT_LIBRARY pfft PATHS ${WEFT_PEER_PFFT_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  find_library(PFFTF_LIBRARY pfftf PATHS ${WEFT_PEER_PFFT_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  weft_add_peer(pfft "pfft" ${PFFT_LIBRARY} ${PFFTF_LIBRARY} ${fftw_mpi_libraries})
  target_include_directories(weft-peer-pfft SYSTEM PRIVATE ${PFFT_INCLUDE_DIR})
endif()

set(WEFT_PEER_ACCFFT_DIR "" CACHE PATH "Where AccFFT is installed, for weft bench to compare with")
if(WEFT_PEER_ACCFFT_DIR)
  if(NOT fftw_libraries)
    message(FATAL_ERROR "AccFFT needs FFTW with threads in both precisions")
  endif()
  find_path(ACCFFT_INCLUDE_DIR accfft.h PATHS ${WEFT_PEER_ACCFFT_DIR}/include NO_DEFAULT_PATH REQUIRED)
  find_library(ACCFFT_LIBRARY accfft PATHS ${WEFT_PEER_ACCFFT_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  weft_add_peer(accfft "accfft" ${ACCFFT_LIBRARY} ${fftw_libraries} OpenMP::OpenMP_CXX)
  target_include_directories(weft-peer-accfft SYSTEM PRIVATE ${ACCFFT_INCLUDE_DIR})
endif()

set(WEFT_PEER_P3DFFT_DIR "" CACHE PATH "Where P3DFFT is installed, for weft bench to compare with")
if(WEFT_PEER_P3DFFT_DIR)
  if(NOT TARGET weft_fftw)
    message(FATAL_ERROR "P3DFFT needs FFTW")
  endif()
  enable_language(Fortran)
  find_package(MPI REQUIRED COMPONENTS Fortran)
  find_path(P3DFFT_INCLUDE_DIR p3dfft.h PATHS ${WEFT_PEER_P3DFFT_DIR}/include NO_DEFAULT_PATH REQUIRED)
  find_library(P3DFFT_LIBRARY p3dfft PATHS ${WEFT_PEER_P3DFFT_DIR}/lib NO_DEFAULT_PATH REQUIRED)
  weft_add_peer(p3dfft "p3dfft" ${P3DFFT_LIBRARY} weft_fftw MPI::MPI_Fortran ${CMAKE_Fortran_IMPLICIT_LINK_LIBRARIES})
  target_include_directories(weft-peer-p3dfft SYSTEM PRIVATE ${P3DFFT_INCLUDE_DIR})
endif()

configure_file(peers/table.cpp.in peers/table.cpp @ONLY)
target_sources(weft-cli PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/peers/table.cpp)
