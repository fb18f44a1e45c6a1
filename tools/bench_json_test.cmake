# SPDX-License-Identifier: BSD-3-Clause
# cmake -DMPIEXEC=... -DNUMPROC_FLAG=... -DWEFT=... -P: runs `weft bench --json -` on 2 ranks and reads what it writes.
execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 2 ${WEFT} bench --shapes 16x12x10 --rounds 2 --json -
                OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)

function(expect_fields json)
  foreach(field IN LISTS ARGN)
    string(JSON type ERROR_VARIABLE problem TYPE "${json}" ${field})
    if(problem)
      message(FATAL_ERROR "${field}: ${problem}")
    endif()
  endforeach()
endfunction()

expect_fields("${report}" version mpi ranks threads rounds peers cases ok)
string(JSON cases LENGTH "${report}" cases)
if(NOT cases EQUAL 4)
  message(FATAL_ERROR "${cases} cases instead of c2c and r2c in f64 and f32")
endif()
foreach(k RANGE 3)
  string(JSON case GET "${report}" cases ${k})
  expect_fields("${case}" shape transform precision rounds_played rounds_dirty noise contenders ratios message_ratios
                hot_ratios hot_message_ratios peer_ratios notes)
  string(JSON one GET "${case}" contenders 0)
  expect_fields("${one}" library variant keeps_distribution in_place by_messages min median max hot gflops ratio
                parseval_error ok)
  string(JSON hot GET "${one}" hot)
  expect_fields("${hot}" min median max)
  string(JSON ratios GET "${case}" ratios)
  expect_fields("${ratios}" any same)
endforeach()
