! SPDX-License-Identifier: BSD-3-Clause
! Whole arrays: gathered on one rank, scattered from it, summed up, in files.
module weft_fields
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
#ifdef WEFT_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use weft_c_fields
  use weft_support
  use weft_arrays
  implicit none
  private
  public :: weft_gather, weft_scatter, weft_sum, weft_can_store, weft_write, weft_read, weft_look_into

  ! What a file has; parts: 1 of real, 2 of complex elements. The distribution is that of the array that was written.
  type, public :: weft_stored
    integer(int64), allocatable :: shape(:)
    integer(int64) :: batch = 1
    integer :: precision = 0, parts = 1
    character(:), allocatable :: distribution
  end type

  interface weft_gather
    module procedure gather
#ifdef WEFT_MPI_F08
    module procedure gather_f08
#endif
  end interface
  interface weft_scatter
    module procedure scatter
#ifdef WEFT_MPI_F08
    module procedure scatter_f08
#endif
  end interface
  interface weft_sum
    module procedure sum_of
#ifdef WEFT_MPI_F08
    module procedure sum_of_f08
#endif
  end interface
  interface weft_write
    module procedure write_to
#ifdef WEFT_MPI_F08
    module procedure write_to_f08
#endif
  end interface
  interface weft_read
    module procedure read_from
#ifdef WEFT_MPI_F08
    module procedure read_from_f08
#endif
  end interface
  interface weft_look_into
    module procedure look_into
#ifdef WEFT_MPI_F08
    module procedure look_into_f08
#endif
  end interface

contains

  ! The whole array on rank `root`, those of a batch one after the other. There, `all` is c_loc of memory with room for it,
  ! which is not checked; elsewhere it may be c_null_ptr.
  subroutine gather(x, comm, root, all, ierr)
    class(weft_array), intent(in) :: x
    integer, intent(in) :: comm, root
    type(c_ptr), intent(in) :: all
    integer, intent(out), optional :: ierr
    call settle(weft_f_gather(x%handle, int(comm, c_int), root, all), ierr)
  end subroutine

  subroutine scatter(all, x, comm, root, ierr)
    type(c_ptr), intent(in) :: all
    class(weft_array), intent(in) :: x
    integer, intent(in) :: comm, root
    integer, intent(out), optional :: ierr
    call settle(weft_f_scatter(all, x%handle, int(comm, c_int), root), ierr)
  end subroutine

  ! Of all elements, on all ranks.
  function sum_of(x, precision, parts, comm, ierr) result(total)
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts, comm
    integer, intent(out), optional :: ierr
    complex(real64) :: total
    real(c_double) :: both(2)
    both = 0
    call settle(weft_f_sum(x%handle, precision, parts, int(comm, c_int), both), ierr)
    total = cmplx(both(1), both(2), real64)
  end function

  ! Whether this build reads and writes HDF5 files.
  function weft_can_store() result(can)
    logical :: can
    can = c_can_store() /= 0
  end function

  subroutine write_to(file, dataset, x, precision, parts, comm, ierr)
    character(*), intent(in) :: file, dataset
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts, comm
    integer, intent(out), optional :: ierr
    call settle(weft_f_write(c_text(file), c_text(dataset), x%handle, precision, parts, int(comm, c_int)), ierr)
  end subroutine

  subroutine read_from(file, dataset, x, precision, parts, comm, ierr)
    character(*), intent(in) :: file, dataset
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts, comm
    integer, intent(out), optional :: ierr
    call settle(weft_f_read(c_text(file), c_text(dataset), x%handle, precision, parts, int(comm, c_int)), ierr)
  end subroutine

  subroutine look_into(file, dataset, comm, found, ierr)
    character(*), intent(in) :: file, dataset
    integer, intent(in) :: comm
    type(weft_stored), intent(out) :: found
    integer, intent(out), optional :: ierr
    type(stored_c) :: stored
    type(c_ptr) :: text
    integer(c_int) :: code
    code = weft_f_look_into(c_text(file), c_text(dataset), int(comm, c_int), stored, text)
    found%distribution = taken(code, text, ierr)
    if (code /= weft_ok) return
    found%shape = stored%shape(:stored%axes)
    found%batch = stored%batch
    found%precision = stored%precision
    found%parts = stored%parts
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine gather_f08(x, comm, root, all, ierr)
    class(weft_array), intent(in) :: x
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: root
    type(c_ptr), intent(in) :: all
    integer, intent(out), optional :: ierr
    call gather(x, comm%MPI_VAL, root, all, ierr)
  end subroutine

  subroutine scatter_f08(all, x, comm, root, ierr)
    type(c_ptr), intent(in) :: all
    class(weft_array), intent(in) :: x
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: root
    integer, intent(out), optional :: ierr
    call scatter(all, x, comm%MPI_VAL, root, ierr)
  end subroutine

  function sum_of_f08(x, precision, parts, comm, ierr) result(total)
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr
    complex(real64) :: total
    total = sum_of(x, precision, parts, comm%MPI_VAL, ierr)
  end function

  subroutine write_to_f08(file, dataset, x, precision, parts, comm, ierr)
    character(*), intent(in) :: file, dataset
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr
    call write_to(file, dataset, x, precision, parts, comm%MPI_VAL, ierr)
  end subroutine

  subroutine read_from_f08(file, dataset, x, precision, parts, comm, ierr)
    character(*), intent(in) :: file, dataset
    class(weft_array), intent(in) :: x
    integer, intent(in) :: precision, parts
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr
    call read_from(file, dataset, x, precision, parts, comm%MPI_VAL, ierr)
  end subroutine

  subroutine look_into_f08(file, dataset, comm, found, ierr)
    character(*), intent(in) :: file, dataset
    type(MPI_Comm), intent(in) :: comm
    type(weft_stored), intent(out) :: found
    integer, intent(out), optional :: ierr
    call look_into(file, dataset, comm%MPI_VAL, found, ierr)
  end subroutine
#endif
end module
