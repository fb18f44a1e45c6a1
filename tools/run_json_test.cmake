# cmake -DMPIEXEC=... -DNUMPROC_FLAG=... -DRANKS=... -DWEFT=... -DEXCHANGES=... -P this -- OPTIONS: runs
# `weft run OPTIONS --check full` and reads from its JSON that the check passed, with that many exchanges.
set(options "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(k RANGE ${last})
  if(after_dashes)
    list(APPEND options "${CMAKE_ARGV${k}}")
  elseif(CMAKE_ARGV${k} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} ${RANKS} ${WEFT} run ${options} --check full --json -
                OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)
foreach(expected "ok;ON" "exchanges;${EXCHANGES}")
  list(GET expected 0 field)
  list(GET expected 1 value)
  string(JSON found GET "${report}" ${field})
  if(NOT found STREQUAL value)
    message(FATAL_ERROR "${field} is ${found} instead of ${value}")
  endif()
endforeach()
