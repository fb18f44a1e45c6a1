! SPDX-License-Identifier: BSD-3-Clause
! Sums of the plane waves inside an ellipsoid.
module weft_waves
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
#ifdef WEFT_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use weft_c, only: weft_f_bytes, weft_f_gapless, weft_f_give_back
  use weft_c_fields
  use weft_support
  use weft_values
  use weft_arrays
  implicit none
  private

  ! Waves with the same numbers along the second and third axis are a column, and a rank has whole columns; fields lie in
  ! blocks of the first axis.
  type, public :: weft_plane_waves
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_waves
#ifdef WEFT_MPI_F08
    procedure, private :: create_waves_f08
    generic :: create => create_waves, create_waves_f08
#else
    generic :: create => create_waves
#endif
    procedure :: number => number_of_waves
    procedure :: numbers
    procedure :: field
    procedure :: to_field
    procedure :: to_waves
    procedure :: destroy => destroy_waves
  end type

contains

  ! Of a grid with three axes the waves whose numbers k have a sum of (k/radius)**2 of at most 1; collective.
  subroutine create_waves(self, shape, radii, bands, precision, comm, options, ierr)
    class(weft_plane_waves), intent(inout) :: self
    integer, intent(in) :: shape(3), bands, precision, comm
    real(real64), intent(in) :: radii(3)
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    type(c_ptr) :: given
    call self%destroy()
    given = c_null_ptr
    if (present(options)) given = options%handle
    call settle(weft_f_plane_waves_create(int(shape(3:1:-1), c_int64_t), real(radii(3:1:-1), c_double), &
                                          int(bands, c_int64_t), precision, int(comm, c_int), given, self%handle), ierr)
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine create_waves_f08(self, shape, radii, bands, precision, comm, options, ierr)
    class(weft_plane_waves), intent(inout) :: self
    integer, intent(in) :: shape(3), bands, precision
    real(real64), intent(in) :: radii(3)
    type(MPI_Comm), intent(in) :: comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_waves(shape, radii, bands, precision, comm%MPI_VAL, options, ierr)
  end subroutine
#endif

  ! "waves", "coefficients", "messages" or "bytes" of this rank; "columns" of all.
  function number_of_waves(self, what, ierr) result(number)
    class(weft_plane_waves), intent(in) :: self
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    integer(int64) :: number
    number = 0
    call settle(weft_plane_waves_number(self%handle, c_text(what), number), ierr)
  end function

  ! Of this rank's waves, k(:, i) those of wave i. Coefficients have the same order, band after band.
  function numbers(self, ierr) result(k)
    class(weft_plane_waves), intent(in) :: self
    integer, intent(out), optional :: ierr
    integer(int64), allocatable :: k(:, :)
    integer :: code
    allocate (k(3, self%number("waves", code)))
    if (code == weft_ok) code = weft_plane_waves_numbers(self%handle, k)
    k = k(3:1:-1, :)
    call settle(code, ierr)
  end function

  ! Zeros; collective.
  subroutine field(self, array, ierr)
    class(weft_plane_waves), intent(in) :: self
    class(weft_array), intent(inout) :: array
    integer, intent(out), optional :: ierr
    call array%destroy()
    call settle(weft_plane_waves_field(self%handle, array%handle), ierr)
  end subroutine

  ! The sum of the waves, each times its coefficient; collective. c: contiguous and of the field's type.
  subroutine to_field(self, c, array, ierr)
    class(weft_plane_waves), intent(in) :: self
    type(*), intent(in), target :: c(..)
    class(weft_array), intent(in) :: array
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first
    integer(c_int) :: code
    first = weft_f_gapless(c)
    code = weft_f_plane_waves_to_field(self%handle, first, weft_f_bytes(c), array%handle)
    call weft_f_give_back(c, first, 0_c_int)
    call settle(code, ierr)
  end subroutine

  ! The other way; collective.
  subroutine to_waves(self, array, c, ierr)
    class(weft_plane_waves), intent(in) :: self
    class(weft_array), intent(in) :: array
    type(*), intent(inout), target :: c(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first
    integer(c_int) :: code
    first = weft_f_gapless(c)
    code = weft_f_plane_waves_to_waves(self%handle, array%handle, first, weft_f_bytes(c))
    call weft_f_give_back(c, first, 1_c_int)
    call settle(code, ierr)
  end subroutine

  subroutine destroy_waves(self)
    class(weft_plane_waves), intent(inout) :: self
    call weft_plane_waves_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
