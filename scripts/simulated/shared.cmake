# SPDX-License-Identifier: BSD-3-Clause
# SMPI loads a program as a shared library, once for each rank, so that executables are compiled as one.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
