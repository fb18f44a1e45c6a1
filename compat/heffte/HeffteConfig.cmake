# SPDX-License-Identifier: BSD-3-Clause
# find_package(Heffte) with this folder in CMAKE_PREFIX_PATH or Heffte_DIR: heFFTe's interface, run by Weft.
include(CMakeFindDependencyMacro)
find_dependency(weft HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../cmake/weft)
if(NOT TARGET Heffte::Heffte)
  add_library(Heffte::Heffte INTERFACE IMPORTED)
  set_target_properties(Heffte::Heffte PROPERTIES INTERFACE_LINK_LIBRARIES weft::heffte)
endif()
set(Heffte_FFTW_FOUND ON)
