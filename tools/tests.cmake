# SPDX-License-Identifier: BSD-3-Clause
# The program as users start it: results within rounding of a serial transform, and exit codes.
include(${PROJECT_SOURCE_DIR}/cmake/MpiTest.cmake)

weft_add_mpi_test(cli.ragged 7 weft-cli run --shape 30x21x14 --check full)
weft_add_mpi_test(cli.many_options 3 weft-cli run --shape 7x8x9 --axes 2,0 --transform r2c --real-axis 0 --precision f32
                  --batch 3 --in-place --normalization ortho --reps 2 --warmup 0 --seed 5 --check full)
weft_add_mpi_test(cli.kinds 4 weft-cli run --shape 24x25x26 --transform dct2,c2c,none --check full)
weft_add_mpi_test(cli.device 3 weft-cli run --shape 12x10x9 --device emulated --transform dct2,r2c,c2c --modes 12x8x7
                  --check full --reps 1 --warmup 0)
weft_add_mpi_test(cli.info 2 weft-cli info --json -)
weft_add_mpi_test(cli.help 2 weft-cli run --help)
weft_add_mpi_test(cli.sweep 2 weft-cli plan --sweep --shapes 8x9x10,64x64 --rank-counts 1,5,8 --transform r2c)

get_test_property(cli.help.np2 ENVIRONMENT test_environment)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME cli.run_json.np2
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/run_json_test.py ${MPIEXEC_EXECUTABLE}
                 ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:weft-cli>)
set_tests_properties(cli.run_json.np2 PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${test_environment}")

add_test(NAME cli.trace.np3
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/trace_test.py 3 ${MPIEXEC_EXECUTABLE}
                 ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:weft-cli>)
set_tests_properties(cli.trace.np3 PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${test_environment}")

add_test(NAME cli.tune.np2
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tune_test.py ${MPIEXEC_EXECUTABLE}
                 ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:weft-cli>)
set_tests_properties(cli.tune.np2 PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${test_environment}")

# What the bench writes parses and has its fields; no test looks at times.
add_test(NAME cli.bench_json.np2
         COMMAND ${CMAKE_COMMAND} -DMPIEXEC=${MPIEXEC_EXECUTABLE} -DNUMPROC_FLAG=${MPIEXEC_NUMPROC_FLAG}
                 -DWEFT=$<TARGET_FILE:weft-cli> -P ${CMAKE_CURRENT_SOURCE_DIR}/bench_json_test.cmake)
set_tests_properties(cli.bench_json.np2 PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${test_environment}")

# Wrong usage ends every rank with code 2 and never hangs.
function(weft_add_usage_test name)
  add_test(NAME cli.usage.${name}
           COMMAND sh -c "test \"$(\"$@\" >&2 && echo 0 || echo $?)\" -eq 2" sh ${MPIEXEC_EXECUTABLE}
                   ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:weft-cli> ${ARGN})
  set_tests_properties(cli.usage.${name} PROPERTIES TIMEOUT 60 ENVIRONMENT "${test_environment}")
endfunction()
weft_add_usage_test(unknown_option run --shape 8x8 --bogus 3)
weft_add_usage_test(unknown_kind run --shape 8x8 --transform dct2,dct5)
weft_add_usage_test(wide_sphere run --shape 8x8x8 --sphere 4)
weft_add_usage_test(no_folder run --shape 8x8 --json /no/such/folder/report.json)

# Another MPI library and sanitizers matter to the library, which has its own tests: each command once is enough there.
if(WEFT_SANITIZE OR MPIEXEC_EXECUTABLE MATCHES "mpich")
  return()
endif()

weft_add_mpi_test(cli.pencil 6 weft-cli run --shape 42x127x256 --grid 3x2 --in "[b0 b1 *]" --out "[* b0 b1]" --check
                  full --reps 1)
weft_add_mpi_test(cli.real 8 weft-cli run --shape 16x17x18x19 --grid 2x2x2 --in "[b0 b1 b2 *]" --transform r2c --check
                  full)
weft_add_mpi_test(cli.sines 3 weft-cli run --shape 15x16x17 --transform dst1,dct4,dct3 --check full)
weft_add_mpi_test(cli.real_kinds 4 weft-cli run --shape 24x20x18 --transform dct1,dst2,r2c --check full)
weft_add_mpi_test(cli.one_kind 2 weft-cli run --shape 12x1x14 --transform dst3 --axes 0,1 --precision f32 --check full)
# Past the caches, where zeros that stand for no mode are copied with their rows.
weft_add_mpi_test(cli.modes_past_caches 2 weft-cli run --shape 128x96x96 --modes 64x64x64 --transform r2c --in "[b0 * *]"
                  --out "[* b0 *]" --check full --reps 1 --warmup 0)
weft_add_mpi_test(cli.modes 6 weft-cli run --shape 48x48x48 --modes 32x32x32 --transform r2c --check full)
weft_add_mpi_test(cli.boxes 3 weft-cli run --shape 12x10x9 --input-box 0:12,2:10,0:9 --output-box 1:12,0:5,0:4 --transform
                  dct2,c2c,r2c --device emulated --check full --reps 1 --warmup 0)
weft_add_mpi_test(cli.sphere 3 weft-cli run --shape 12x10x9 --sphere 4,3.5,3 --batch 2 --check full --reps 1)
weft_add_mpi_test(cli.few_elements 5 weft-cli run --shape 3x1x2 --check full)
weft_add_mpi_test(cli.bricks 4 weft-cli run --shape 64x48x40 --in brick --out brick --engine p2p --check full)
weft_add_mpi_test(cli.mixed 4 weft-cli run --shape 8x9x10 --in "[c0 b1 *]" --grid 2x2 --out "[z0 * c1/2]" --check full)
weft_add_mpi_test(cli.nothing 2 weft-cli run --shape 0x8 --check full)
weft_add_mpi_test(cli.plan 2 weft-cli plan --shape 256x256x256 --ranks 384 --out same)

# The winners that docs/phase-diagrams.md tells of.
add_test(NAME cli.phase_diagrams
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/phase_diagrams_test.py ${PROJECT_SOURCE_DIR}/machines
                 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 1 $<TARGET_FILE:weft-cli>)
set_tests_properties(cli.phase_diagrams PROPERTIES TIMEOUT 300 ENVIRONMENT "${test_environment}")

# Parallel inside an axis, from and to the same cyclic distribution, with as few exchanges as promised.
function(weft_add_exchanges_test name ranks exchanges)
  add_test(NAME cli.${name}.np${ranks}
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/exchanges_test.py ${exchanges} ${MPIEXEC_EXECUTABLE}
                   ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:weft-cli> run ${ARGN} --out same --reps 1 --warmup 0
                   --check full --json -)
  set_tests_properties(cli.${name}.np${ranks} PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${test_environment}")
endfunction()
weft_add_exchanges_test(cyclic 4 1 --shape 64x64x64 --grid 2x2x1 --in "[c0 c1 *]" --algorithm cyclic)
weft_add_exchanges_test(cyclic_5d 8 1 --shape 16x16x16x16x16 --grid 2x2x2x1x1 --in "[c0 c1 c2 * *]")
weft_add_exchanges_test(cyclic_1d 4 1 --shape 65536 --in "[c0]" --algorithm cyclic)
weft_add_mpi_test(cli.cyclic_long 4 weft-cli run --shape 262144x16 --grid 4x1 --in "[c0 *]" --out same --check full
                  --reps 1 --warmup 0)
weft_add_mpi_test(cli.cyclic_beside_ragged 6 weft-cli run --shape 45x50x49 --grid 3x2 --in "[c0 c1 *]" --out same
                  --check full --reps 1 --warmup 0)
foreach(n 64 32) # 8 ranks are the root of 64 and more than that of 32
  weft_add_mpi_test(cli.cyclic_${n} 8 weft-cli run --shape ${n} --in "[c0]" --out same --check full --reps 1 --warmup 0)
endforeach()

weft_add_mpi_test(cli.device_bench 2 weft-cli bench --shapes 12x10x8 --rounds 2 --device emulated)
weft_add_mpi_test(cli.device_plan 1 weft-cli plan --shape 64x64x64 --ranks 8 --device cuda)

weft_add_usage_test(no_device run --shape 8x8 --device abacus)
weft_add_usage_test(peer_of_the_host bench --shapes 8x8 --device emulated --peers fftw-serial)
weft_add_usage_test(no_command)
weft_add_usage_test(unknown_engine run --shape 8x8 --engine post)
weft_add_usage_test(bad_shape run --shape 8xa)
weft_add_usage_test(too_large run --shape 1000000x1000000x1000)
weft_add_usage_test(grid_of_other_size run --shape 8x8 --grid 2x2)
weft_add_usage_test(distribution_of_other_shape run --shape 8x8 --in "[b0 * *]")
weft_add_usage_test(unknown_peer bench --peers nobody)
weft_add_usage_test(nothing_to_bench bench --shapes 8x0)
weft_add_usage_test(plan_of_nothing plan --ranks 4)
weft_add_usage_test(sweep_of_one_shape plan --sweep --shape 8x8)
weft_add_usage_test(sweep_without_ranks plan --sweep --rank-counts 4,0)
weft_add_usage_test(plot_of_one_plan plan --shape 8x8 --plot plan.svg)
weft_add_usage_test(measure_for_others plan --shape 8x8 --ranks 100 --effort measure)
weft_add_usage_test(wisdom_that_is_none run --shape 8x8 --wisdom ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
weft_add_usage_test(no_machine_file plan --shape 8x8 --machine /no/such/machine)
weft_add_usage_test(trace_is_no_picture run --shape 8x8 --trace chart.svg)
