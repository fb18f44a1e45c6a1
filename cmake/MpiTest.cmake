# SPDX-License-Identifier: BSD-3-Clause
# weft_add_mpi_test(name ranks target args...): runs `target` on `ranks` ranks under the build's MPI.
function(weft_add_mpi_test name ranks target)
  add_test(NAME ${name}.np${ranks}
           COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
                   $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${ARGN})
  weft_mpi_test_properties(${name}.np${ranks})
endfunction()

# Tests may have more ranks than the machine has cores, so ranks that wait give theirs away; and containers run as root.
# Leaks are not counted because MPI libraries keep memory until the process ends.
function(weft_mpi_test_properties test)
  set(yield_when_idle "OMPI_MCA_mpi_yield_when_idle=1")
  if(MPIEXEC_EXECUTABLE MATCHES "mpich")
    if(NOT TARGET weft_yield_when_idle)
      add_library(weft_yield_when_idle MODULE ${PROJECT_SOURCE_DIR}/tests/yield_when_idle.c)
      target_link_libraries(weft_yield_when_idle PRIVATE ${CMAKE_DL_LIBS})
    endif()
    set(yield_when_idle "LD_PRELOAD=$<TARGET_FILE:weft_yield_when_idle>")
  endif()
  set_tests_properties(${test} PROPERTIES
    TIMEOUT 300
    PROCESSORS 2
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;${yield_when_idle};OMPI_MCA_hwloc_base_binding_policy=none;ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1;WEFT_WISDOM=none")
endfunction()
