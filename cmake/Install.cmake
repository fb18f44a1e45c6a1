# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: both libraries, the headers, the program, and what lets CMake, pkg-config, man and the shell find them.
# Everything may be moved afterwards: nothing names the prefix.
include(CMakePackageConfigHelpers)

# Components are the binary packages: see Packages.cmake.
install(TARGETS weft_shared EXPORT weftTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS weft EXPORT weftStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

if(TARGET weft_fortran)
  # Modules are of one compiler; with the sources another one can make its own.
  install(TARGETS weft_fortran EXPORT weftFortranTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
  get_target_property(modules weft_fortran Fortran_MODULE_DIRECTORY)
  install(DIRECTORY ${modules}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/fortran COMPONENT dev
          FILES_MATCHING PATTERN *.mod)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/fortran/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/fortran COMPONENT dev
          FILES_MATCHING PATTERN *.f90 PATTERN *.F90 PATTERN *.inc PATTERN *.c)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION ${package_dir} COMPONENT dev)
if(TARGET weft_fortran)
  install(EXPORT weftFortranTargets NAMESPACE weft:: DESTINATION ${package_dir} COMPONENT dev)
endif()
install(EXPORT weftStaticTargets NAMESPACE weft:: DESTINATION ${package_dir} COMPONENT dev)
# Users must take the same MPI; the wrapper's name, without its folder, is the hint.
get_filename_component(WEFT_MPI_C_COMPILER "${MPI_C_COMPILER}" NAME)
get_filename_component(WEFT_MPI_Fortran_COMPILER "${MPI_Fortran_COMPILER}" NAME)
set(WEFT_WITH_FFTW OFF)
if(TARGET weft_fftw)
  set(WEFT_WITH_FFTW ON)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weftConfig.cmake.in ${PROJECT_BINARY_DIR}/weftConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

file(RELATIVE_PATH WEFT_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" WEFT_PC_TO_PREFIX ${WEFT_PC_TO_PREFIX})
list(JOIN MPI_C_INCLUDE_DIRS " -I" WEFT_MPI_CFLAGS)
list(JOIN MPI_C_LIBRARIES " " WEFT_MPI_LIBS)
set(WEFT_PC_PRIVATE "libhwy hwloc")
if(WEFT_NVCC)
  set(WEFT_PC_CUDA " ${CUDA_cudart_static_LIBRARY} -ldl -lrt")
endif()
if(WEFT_WITH_FFTW)
  string(APPEND WEFT_PC_PRIVATE " fftw3 fftw3f")
endif()
if(WEFT_HDF5_MODULE)
  string(APPEND WEFT_PC_PRIVATE " ${WEFT_HDF5_MODULE}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(TARGET weft-cli)
  install(TARGETS weft-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/weft COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/weft.bash-completion RENAME weft
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_Interpreter_FOUND AND NOT CMAKE_CROSSCOMPILING AND NOT WEFT_SANITIZE)
    set(man_page ${PROJECT_BINARY_DIR}/weft.1)
    add_custom_command(
      OUTPUT ${man_page}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/man_page.py $<TARGET_FILE:weft-cli> ${PROJECT_VERSION}
              ${man_page}
      DEPENDS weft-cli ${PROJECT_SOURCE_DIR}/tools/man_page.py)
    add_custom_target(weft-man ALL DEPENDS ${man_page})
    install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  else()
    message(STATUS "Without the man page: it needs Python, and the program to run where it is built")
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/Packages.cmake)
