! SPDX-License-Identifier: BSD-3-Clause
! Plane waves and arenas through the module: numbers of waves and indices are in Fortran's order of axes.
program waves_test
  use, intrinsic :: iso_c_binding, only: c_double, c_loc, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use support
  use weft
  implicit none
  integer, parameter :: n(3) = [8, 5, 6]
  real(real64), parameter :: radii(3) = [3d0, 2d0, 2d0], pi = acos(-1d0)

  call begin()
  call test_plane_waves()
  call test_arenas()
  call finish()

contains

  pure function coefficient(k) result(c)
    integer(int64), intent(in) :: k(3)
    complex(real64) :: c
    c = cmplx(k(1) + 2*k(2) - k(3), k(1)*k(3) - k(2), real64)
  end function

  ! At a place counted from 1, by adding up all waves of the ellipsoid.
  pure function sum_at(x) result(total)
    integer, intent(in) :: x(3)
    complex(real64) :: total
    integer :: a, b, c
    total = 0
    do a = -3, 3
      do b = -2, 2
        do c = -2, 2
          if (sum((real([a, b, c], real64)/radii)**2) > 1 + 1d-9) cycle
          total = total + coefficient(int([a, b, c], int64))* &
                  exp(cmplx(0, 2*pi*sum(real([a, b, c]*(x - 1), real64)/n), real64))
        end do
      end do
    end do
  end function

  subroutine test_plane_waves()
    type(weft_plane_waves) :: waves
    type(weft_array) :: field
    complex(real64), allocatable :: c(:)
    complex(c_double), pointer :: x(:, :, :)
    integer(int64), allocatable :: k(:, :)
    integer :: i, j, l, code
    call waves%create(n, radii, 1, weft_f64, MPI_COMM_WORLD)
    k = waves%numbers()
    call check(size(k, 2) == waves%number("waves") .and. waves%number("columns") == 13, "the number of waves")
    allocate (c(size(k, 2) + 1)) ! one more: a rank may have none
    do i = 1, size(k, 2)
      c(i) = coefficient(k(:, i))
    end do
    call waves%field(field)
    call waves%to_field(c, field)
    call field%pointer(x)
    do l = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          call check(abs(x(i, j, l) - sum_at([i, j, l])) < 1d-10, "a sum of plane waves")
        end do
      end do
    end do
    c = 0
    call waves%to_waves(field, c)
    do i = 1, size(k, 2)
      call check(abs(c(i) - coefficient(k(:, i))) < 1d-12, "a coefficient")
    end do
    call waves%create(n, [30d0, 2d0, 2d0], 1, weft_f64, MPI_COMM_WORLD%MPI_VAL, ierr=code)
    call check(code == weft_bad_argument, "a radius that is too large")
    i = int(waves%number("waves", code))
    call check(code /= weft_ok, "waves that were not made")
    call waves%destroy()
    call field%destroy()
  end subroutine

  subroutine test_arenas()
    type(weft_arena) :: arena
    type(weft_options) :: options
    type(weft_plan) :: first, second
    real(real64), allocatable, target :: memory(:)
    integer(int64) :: bytes
    integer :: code
    call arena%create()
    call options%set("exchange", "p2p")
    call options%set("out", "same")
    call options%set("idle_ranks", .false.)
    call options%set_workspace(arena)
    call first%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call second%create(2*n, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    bytes = arena%bytes()
    call check(bytes == max(first%number("workspace_bytes"), second%number("workspace_bytes")), "what two plans share")
    call first%destroy()
    call second%destroy()
    call MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD)
    bytes = bytes + 64 ! memory that is given may begin anywhere
    allocate (memory(bytes/8))
    call arena%over(c_loc(memory), bytes)
    call options%set_workspace(arena)
    call first%create(2*n, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_ok, "a plan in memory that is given")
    if (ranks > 1) then
      call arena%over(c_loc(memory), merge(0_int64, bytes, rank == 0))
      call options%set_workspace(arena)
      call second%create(2*n, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
      call check(code == weft_bad_buffer, "memory that is too small")
    end if
    call arena%over(c_null_ptr, 8_int64, code)
    call check(code == weft_bad_argument, "an arena without memory")
    call first%destroy()
    call second%destroy()
    call options%destroy()
    call arena%destroy()
  end subroutine
end program
