! SPDX-License-Identifier: BSD-3-Clause
! What no program should do, by class: arrays that are too short, that have gaps, that are another plan's or overlap, and
! objects that were destroyed. Each is an error on all ranks, and Weft works afterwards.
program misuse_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use support
  use weft
  implicit none
  integer, parameter :: n(3) = [10, 12, 16]

  call begin()
  call test_sizes()
  call test_what_is_taken()
  call test_arrays_of_others()
  call test_destroyed()
  call finish()

contains

  logical function on_last()
    on_last = rank == ranks - 1
  end function

  ! A short array on one rank is an error of all.
  subroutine test_sizes()
    type(weft_plan) :: plan
    type(weft_started) :: run
    type(weft_options) :: options
    type(weft_distribution) :: how
    type(weft_halo) :: halo
    type(weft_plane_waves) :: waves
    type(weft_array) :: field
    complex(real64), allocatable, asynchronous :: x(:), y(:), short(:), wide(:, :), room(:, :, :)
    integer :: code
    call options%set("idle_ranks", .false.)
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    allocate (x(plan%elements(weft_input)), y(plan%elements(weft_output)), source=(1d0, 0d0))
    allocate (short(size(y) - merge(1, 0, on_last())), wide(2, size(y)), source=(0d0, 0d0))
    call plan%forward(x, short, code)
    call check(code == weft_bad_buffer, "an output that is too short on one rank")
    call plan%backward(short, x, code)
    call check(code == weft_bad_buffer, "an input that is too short on one rank")
    call plan%forward(real(x), y, code)
    call check(code == weft_bad_buffer, "an input of another type, which is too short")
    call run%forward(plan, x, short, code)
    call check(code == weft_bad_buffer, "a run with an output that is too short on one rank")
    call run%forward(plan, x, wide(1, :), code)
    call check(code == weft_bad_buffer, "a run with an output that has gaps")
    call plan%forward(x, x, code)
    call check(code == weft_bad_buffer, "one array for both sides")
    call plan%forward_in_place(x, code)
    call check(code == weft_bad_buffer, "in place with a plan that is not")
    call plan%forward(x, y, code)
    call check(code == weft_ok, "arrays that are right")
    allocate (room(max(1, size(y)), 2, 2), source=(0d0, 0d0))
    call run%forward(plan, x, room(:size(y), 2:2, 1:1), code)
    call check(code == weft_ok, "a run with a section of one column")
    call run%wait()
    call check(all(abs(room(:size(y), 2, 1) - y) < 1d-12), "what a run leaves in a section")
    call plan%destroy()
    call options%destroy()

    call how%parse("[* * b0]", n, ranks)
    call halo%create(how, [1, 1, 1], [1, 1, 1], 1, weft_f64, 2, MPI_COMM_WORLD)
    call halo%fill(x(:1), code)
    call check(code == weft_bad_buffer, "ghost cells of an array that is too short")
    call halo%destroy()
    call how%destroy()
    call waves%create(n, [2d0, 2d0, 2d0], 1, weft_f64, MPI_COMM_WORLD)
    call waves%field(field)
    call waves%to_field(short(:0), field, code)
    call check(code == weft_bad_buffer, "no coefficients")
    call field%destroy()
    call waves%destroy()
  end subroutine

  ! Of other ranks than the array, as sections, by their first element, or as numbers of half the size.
  subroutine test_what_is_taken()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_distribution) :: from, to
    type(weft_redistribution) :: move
    type(weft_started) :: run
    complex(real64), asynchronous :: few(1, 1, 1)
    integer, allocatable, target :: numbers(:)
    integer, pointer :: left(:), right(:) ! of which compilers need not know that they have no gaps
    complex(real64), allocatable :: x(:, :), y(:)
    real(real64), allocatable :: parts(:, :)
    integer :: code
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD)
    allocate (x(2, plan%elements(weft_input)), y(plan%elements(weft_output)), parts(2, plan%elements(weft_output)))
    x(1, :) = 1
    x(2, :) = 7
    call plan%forward(x(1, :), y, code)
    call check(code == weft_ok, "a section with gaps, which is copied")
    call plan%backward(y, x(1, :), code)
    call check(code == weft_ok .and. all(abs(x(1, :) - product(n)) < 1d-9) .and. all(abs(x(2, :) - 7) < 1d-12), &
               "an output with gaps")
    x(1, :) = 1
    call plan%forward(x(1, :), parts, code)
    call check(code == weft_ok .and. all(abs(cmplx(parts(1, :), parts(2, :), real64) - y) < 1d-12), "pairs of numbers")
    if (size(y) > 0) then
      call plan%backward(y(1), x(1, 1), code)
    else
      call plan%backward(y, x, code)
    end if
    call check(code == weft_ok, "arrays by their first elements")
    call plan%destroy()
    call plan%create(n, weft_r2c, weft_f64, MPI_COMM_WORLD)
    block
      type pair
        real(real64) :: first, second
      end type
      type(pair), allocatable :: pairs(:)
      complex(real64), allocatable :: modes(:, :)
      allocate (pairs(plan%elements(weft_input)), modes(plan%elements(weft_output), 2))
      pairs = pair(3, 4)
      call plan%forward(pairs%second, modes(:, 1), code)
      call check(code == weft_ok, "components")
      call plan%backward(modes(:, 1), pairs%first, code)
      call check(code == weft_ok .and. all(abs(pairs%first - 4*product(n)) < 1d-9) .and. all(abs(pairs%second - 4) < 1d-12), &
                 "components as output")
    end block
    call plan%destroy()

    ! One element on one rank, and none on the others, in memory for one.
    call plan%create([1, 1, 1], weft_c2c, weft_f64, MPI_COMM_WORLD)
    few = 5
    block
      integer :: k
      k = int(plan%elements(weft_input))
      deallocate (y)
      allocate (y(1))
      call run%forward(plan, few(:k, :k, :k), y(:k), code)
      call check(code == weft_ok, "a run with sections of nothing")
      call run%wait()
      if (k == 1) call check(abs(y(1) - 5) < 1d-12, "a run of one element")
    end block
    call run%destroy()
    call plan%destroy()

    ! In place, the two sides are views of one memory, one of them shorter.
    call from%parse("[c0/7]", [10], ranks)
    call to%parse("[b0]", [10], ranks)
    call options%set("in_place", .true.)
    call move%create(from, to, 4, MPI_COMM_WORLD, options)
    allocate (numbers(10), source=rank)
    left => numbers(:product(from%local_shape(rank)))
    right => numbers(:product(to%local_shape(rank)))
    call move%run(left, right, code)
    call check(code == weft_ok, "views of both sides of one memory")
    call move%destroy()
    call options%destroy()
    call from%destroy()
    call to%destroy()
  end subroutine

  subroutine test_arrays_of_others()
    type(weft_plan) :: plan, smaller
    type(weft_started) :: run
    type(weft_options) :: options
    type(weft_plan) :: real_plan
    type(weft_spectral) :: modes
    type(weft_array) :: x, y, small, never_made, reals
    complex(real64), pointer :: flat(:)
    real(real64), pointer :: real_ones(:, :, :)
    integer :: code
    call options%set("in", "[* * b0]")
    call options%set("out", "[* * b0]")
    call plan%create(n, weft_c2c, weft_f32, MPI_COMM_WORLD, options)
    call plan%make(weft_input, x)
    ! Elements of as many bytes, but real ones.
    call real_plan%create(n, weft_r2c, weft_f64, MPI_COMM_WORLD, options)
    call real_plan%make(weft_input, reals)
    call plan%make(weft_output, y)
    call plan%forward_arrays(reals, y, code)
    call check(code == weft_bad_buffer, "real elements of the size of complex ones")
    call modes%create(plan, ierr=code)
    call check(code == weft_ok, "spectral operations")
    call modes%gradient(reals, y, code)
    call check(code == weft_bad_buffer .and. index(weft_error_text(), "has real elements") > 0, &
               "a gradient of real elements of the size of complex ones")
    call modes%destroy()
    call reals%destroy()
    call y%destroy()
    call real_plan%destroy()
    call options%destroy()
    call x%pointer(real_ones, ierr=code)
    call check(code == weft_bad_argument .and. index(weft_error_text(), "the pointer is real") > 0, &
               "a real pointer to complex elements of the same size")
    call x%destroy()
    call plan%destroy()
    call options%set("modes", [10, 12, 17])
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_bad_argument .and. index(weft_error_text(), "numbered from 0") > 0, &
               "how axes are numbered where an error names one")
    call options%destroy()
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD)
    call smaller%create(n/2, weft_c2c, weft_f64, MPI_COMM_WORLD)
    call plan%make(weft_input, x)
    call plan%make(weft_output, y)
    call smaller%make(weft_output, small)
    call plan%forward_arrays(x, small, code)
    call check(code == weft_bad_buffer, "the array of a smaller plan")
    call run%forward_arrays(plan, x, small, code)
    call check(code == weft_bad_buffer, "a run with the array of a smaller plan")
    call x%pointer(flat, ierr=code)
    call check(code == weft_bad_argument .and. index(weft_error_text(), "the pointer has 1 axes") > 0, "a pointer of another rank")
    call plan%forward_arrays(x, never_made, code)
    call check(code == weft_bad_argument, "an array that was never made")
    call plan%forward_arrays(x, y, code)
    call check(code == weft_ok, "the plan's own")
    call x%destroy()
    call y%destroy()
    call small%destroy()
    call plan%destroy()
    call smaller%destroy()
  end subroutine

  ! Copies of an object do not know that it was destroyed.
  subroutine test_destroyed()
    type(weft_plan) :: plan, copy
    type(weft_options) :: options, same
    type(weft_array) :: x, again
    complex(real64) :: none(0)
    integer :: code
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD)
    call plan%make(weft_input, x)
    copy = plan
    again = x
    call plan%destroy()
    call copy%forward(none, none, code)
    call check(code == weft_bad_argument, "a plan that was destroyed")
    call copy%destroy()
    call x%destroy()
    call check(again%size() == 0, "an array that was destroyed")
    call again%destroy()
    call options%set("threads", 1)
    same = options
    call options%destroy()
    if (on_last()) then
      call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, same, code)
    else
      call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, ierr=code)
    end if
    call check(code == weft_bad_argument, "options that were destroyed, on one rank")
    call same%destroy()
  end subroutine
end program
