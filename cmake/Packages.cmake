# SPDX-License-Identifier: BSD-3-Clause
# cpack -G DEB: one Debian package for each component. `cmake --preset package` has the paths that Debian wants.
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "the Weft project")
set(CPACK_PACKAGE_CONTACT "the Weft project <weft@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Fourier transforms of arrays that are spread over MPI processes")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/fortran
                                                ${PROJECT_BINARY_DIR}/compat)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A library's package has the name of its interface, so that two of them can be installed side by side.
get_target_property(interface weft_shared SOVERSION)
set(library_package libweft${interface})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries for C++, C and Fortran.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libweft-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), mpi-default-dev | libopenmpi-dev | libmpich-dev, libhwy-dev, libhwloc-dev")
if(TARGET weft_fftw)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libfftw3-dev")
endif()
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, Fortran modules, static library, CMake package.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME weft)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The program weft: transforms, plans, tunes, compares.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-weft)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), python3, python3-numpy, python3-mpi4py")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package weft.")

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${library_package}
        COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libweft-dev COMPONENT dev)
if(TARGET weft-cli)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weft COMPONENT tools)
endif()
include(CPack)
