! SPDX-License-Identifier: BSD-3-Clause
! Transforms ones, and is told of an error.
program main
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use weft
  implicit none
  type(weft_plan) :: plan, none
  type(weft_options) :: options
  type(weft_array) :: a, b
  complex(c_double), pointer :: x(:, :) => null(), modes(:, :) => null()
  integer :: ierr, code, rank, wrong

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  wrong = 0
  call plan%create([10, 12], weft_c2c, weft_f64, MPI_COMM_WORLD)
  call plan%make(weft_input, a)
  call plan%make(weft_output, b)
  call a%pointer(x)
  call b%pointer(modes)
  x = 1
  call plan%forward(x, modes)
  if (rank == 0 .and. size(modes) > 0) wrong = merge(0, 1, abs(modes(1, 1) - 120) < 1d-10)
  call options%set("algorithm", "slap")
  call none%create([10, 12], weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
  if (code /= weft_unknown_name) wrong = wrong + 1
  call a%destroy()
  call b%destroy()
  call plan%destroy()
  call options%destroy()
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print "(3a)", trim(merge("ok   ", "wrong", wrong == 0)), ", version ", weft_version_text()
  call MPI_Finalize(ierr)
  if (wrong /= 0) error stop 1
end program
