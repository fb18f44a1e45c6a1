# SPDX-License-Identifier: BSD-3-Clause
# cpack -G DEB: one Debian package for each component. `cmake --preset package` has the paths that Debian wants;
# packaging/debian/try installs, uses, upgrades and removes them on a fresh Debian.
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "the Weft project")
set(CPACK_PACKAGE_CONTACT "the Weft project <weft@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Fourier transforms of arrays that are spread over MPI processes")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/DebianFiles.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/fortran
                                                ${PROJECT_BINARY_DIR}/compat)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A library's package has the name of its interface, so that two of them can be installed side by side.
get_target_property(interface weft_shared SOVERSION)
set(library_package libweft${interface})
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON) # of the same version
foreach(component DEV DROPINS PYTHON)
  set(CPACK_COMPONENT_${component}_DEPENDS library)
endforeach()
set(shlibs "")
foreach(name weft weft_fortran weft_heffte)
  string(APPEND shlibs "lib${name} ${interface} ${library_package} (>= ${PROJECT_VERSION})\n")
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "${shlibs}")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries for C++, C and Fortran.")

# What the static library is made of, and headers of the MPI library that all of it was built with.
string(REGEX MATCH "openmpi|mpich" mpi "${MPI_C_COMPILER} ${MPI_C_LIBRARIES}")
set(mpi_headers mpi-default-dev)
set(mpi_programs mpi-default-bin)
if(mpi)
  set(mpi_headers lib${mpi}-dev)
  string(REPLACE "openmpi" "openmpi-bin" mpi_programs ${mpi})
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libweft-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${mpi_headers}, libhwy-dev, libhwloc-dev")
if(TARGET weft_fftw)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libfftw3-dev")
endif()
if(WEFT_HDF5_MODULE)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", lib${WEFT_HDF5_MODULE}-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "cmake, pkg-config")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, Fortran modules, static library, CMake package.")

set(CPACK_DEBIAN_DROPINS_PACKAGE_NAME weft-dropins)
set(CPACK_COMPONENT_DROPINS_DESCRIPTION
    "Libraries with which programs linked with FFTW-MPI, and LAMMPS, run on Weft.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME weft)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS ${mpi_programs})
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The program weft: transforms, plans, tunes, compares.")

# Compiled modules beside Python's files are neither the package's nor the user's: what makes them also removes them.
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-weft)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${WEFT_PYTHON_DEPENDS}, python3-numpy, python3-mpi4py")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-matplotlib)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst
                                              ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package weft.")

function(weft_install_licence package component)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component})
endfunction()
weft_install_licence(${library_package} library)
weft_install_licence(libweft-dev dev)
if(TARGET weft_lammps)
  weft_install_licence(weft-dropins dropins)
endif()
if(TARGET weft-cli)
  weft_install_licence(weft tools)
endif()
if(TARGET weft_python)
  weft_install_licence(python3-weft python)
endif()
include(CPack)
