! SPDX-License-Identifier: BSD-3-Clause
! What modes mean, and convolutions.
module weft_spectra
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_funptr, c_null_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: int64, real64
#ifdef WEFT_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use weft_c_fields
  use weft_support
  use weft_values
  use weft_arrays
  use weft_plans, only: weft_plan
  implicit none
  private

  ! The modes with about the same |k|: its mean, their part of the mean square, and how many they are.
  type, bind(c), public :: weft_shell
    real(c_double) :: wavenumber, power, modes
  end type

  ! Of a plan's output side; it may outlive the plan.
  type, public :: weft_spectral
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: axes = 0
    integer(int64), allocatable, private :: local(:)
  contains
    procedure :: create => create_spectral
    procedure :: wavenumber
    procedure :: odd_wavenumber
    procedure :: wavenumbers
    procedure :: odd_wavenumbers
    procedure :: weights
    procedure :: mean_squares
    procedure :: spectrum
    procedure :: derivative
    procedure :: gradient
    procedure :: divergence
    procedure :: curl
    procedure :: laplacian
    procedure :: poisson
    procedure :: destroy => destroy_spectral
  end type

  type, public :: weft_convolution
    type(c_ptr) :: handle = c_null_ptr
    integer, private :: axes = 0
  contains
    procedure, private :: create_convolution
#ifdef WEFT_MPI_F08
    procedure, private :: create_convolution_f08
    generic :: create => create_convolution, create_convolution_f08
#else
    generic :: create => create_convolution
#endif
    procedure :: plan => plan_of
    procedure :: kernel_in_space
    procedure :: kernel_in_modes
    procedure :: kernel_function
    procedure :: convolve
    procedure :: correlate
    procedure :: product => product_of
    procedure :: destroy => destroy_convolution
  end type

contains

  ! lengths: the period along each axis; without them 2 pi each, so that wavenumbers are integers.
  subroutine create_spectral(self, plan, lengths, ierr)
    class(weft_spectral), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    real(real64), intent(in), optional :: lengths(:)
    integer, intent(out), optional :: ierr
    real(c_double), allocatable, target :: ours(:)
    type(c_ptr) :: periods
    type(weft_distribution) :: how
    integer(c_int) :: code
    integer(int64) :: axes
    call self%destroy()
    axes = plan%number("axes", code)
    if (code /= weft_ok) axes = 0 ! which is said below
    self%axes = int(axes)
    periods = c_null_ptr
    if (present(lengths)) then
      allocate (ours(self%axes), source=-1d0) ! one of another length is as wrong as a negative one, to all ranks
      if (size(lengths) == self%axes) ours = lengths(self%axes:1:-1)
      periods = c_loc(ours)
    end if
    code = weft_spectral_create(plan%handle, periods, self%handle)
    call settle(code, ierr)
    if (code /= weft_ok) return
    how = plan%distribution(weft_output)
    self%local = how%local_shape(int(plan%number("rank")))
    call how%destroy()
  end subroutine

  subroutine destroy_spectral(self)
    class(weft_spectral), intent(inout) :: self
    call weft_spectral_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! Of the mode with this global index along an axis; the odd one, for odd derivatives, is zero at n/2.
  function wavenumber(self, axis, index, ierr) result(k)
    class(weft_spectral), intent(in) :: self
    integer, intent(in) :: axis, index
    integer, intent(out), optional :: ierr
    real(real64) :: k
    k = 0
    call settle(weft_spectral_wavenumber(self%handle, self%axes - axis, int(index - 1, c_int64_t), k), ierr)
  end function

  function odd_wavenumber(self, axis, index, ierr) result(k)
    class(weft_spectral), intent(in) :: self
    integer, intent(in) :: axis, index
    integer, intent(out), optional :: ierr
    real(real64) :: k
    k = 0
    call settle(weft_spectral_odd_wavenumber(self%handle, self%axes - axis, int(index - 1, c_int64_t), k), ierr)
  end function

  ! Those of this rank's modes, by local position.
  function wavenumbers(self, axis) result(k)
    class(weft_spectral), intent(in) :: self
    integer, intent(in) :: axis
    real(real64), allocatable :: k(:)
    allocate (k(self%local(axis)))
    call settle(weft_spectral_wavenumbers(self%handle, self%axes - axis, k))
  end function

  function odd_wavenumbers(self, axis) result(k)
    class(weft_spectral), intent(in) :: self
    integer, intent(in) :: axis
    real(real64), allocatable :: k(:)
    allocate (k(self%local(axis)))
    call settle(weft_spectral_odd_wavenumbers(self%handle, self%axes - axis, k))
  end function

  ! How many modes of the field each of this rank's stands for, by local position.
  function weights(self, axis) result(w)
    class(weft_spectral), intent(in) :: self
    integer, intent(in) :: axis
    real(real64), allocatable :: w(:)
    allocate (w(self%local(axis)))
    call settle(weft_spectral_weights(self%handle, self%axes - axis, w))
  end function

  ! The mean of |f|^2 over the grid, of each array of the batch; collective, as all below.
  function mean_squares(self, modes, ierr) result(squares)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: modes
    integer, intent(out), optional :: ierr
    real(real64), allocatable :: squares(:)
    allocate (squares(modes%number("batch")))
    squares = 0
    call settle(weft_spectral_mean_squares(self%handle, modes%handle, squares), ierr)
  end function

  ! Its parts: shells(s + 1) has |k| from (s - 1/2) width to (s + 1/2) width; without one, the smallest |k| is the width.
  subroutine spectrum(self, modes, shells, width, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: modes
    type(weft_shell), allocatable, target, intent(out) :: shells(:)
    real(real64), intent(in), optional :: width
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    integer(c_int) :: code
    real(c_double) :: step
    step = 0
    if (present(width)) step = width
    code = weft_spectral_spectrum(self%handle, modes%handle, step, 0_c_int64_t, c_null_ptr, count)
    if (code == weft_ok) then
      allocate (shells(count))
      code = weft_spectral_spectrum(self%handle, modes%handle, step, count, c_loc(shells), count)
    end if
    call settle(code, ierr)
  end subroutine

  subroutine derivative(self, f, result, axis, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(in) :: axis
    integer, intent(out), optional :: ierr
    call settle(weft_spectral_derivative(self%handle, f%handle, result%handle, self%axes - axis), ierr)
  end subroutine

  ! Vectors are batches with one array for each transformed axis, in Fortran's order of axes.
  subroutine gradient(self, f, result, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(out), optional :: ierr
    call settle(weft_f_spectral_gradient(self%handle, f%handle, result%handle), ierr)
  end subroutine

  subroutine divergence(self, f, result, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(out), optional :: ierr
    call settle(weft_f_spectral_divergence(self%handle, f%handle, result%handle), ierr)
  end subroutine

  subroutine curl(self, f, result, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(out), optional :: ierr
    call settle(weft_f_spectral_curl(self%handle, f%handle, result%handle), ierr)
  end subroutine

  subroutine laplacian(self, f, result, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(out), optional :: ierr
    call settle(weft_spectral_laplacian(self%handle, f%handle, result%handle), ierr)
  end subroutine

  ! The result whose laplacian is f, without the zero mode.
  subroutine poisson(self, f, result, ierr)
    class(weft_spectral), intent(in) :: self
    class(weft_array), intent(in) :: f, result
    integer, intent(out), optional :: ierr
    call settle(weft_spectral_poisson(self%handle, f%handle, result%handle), ierr)
  end subroutine

  ! ---- convolutions ----

  subroutine create_convolution(self, shape, transform, precision, comm, options, ierr)
    class(weft_convolution), intent(inout) :: self
    integer, intent(in) :: shape(:), transform, precision, comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    type(c_ptr) :: given
    call self%destroy()
    self%axes = size(shape)
    given = c_null_ptr
    if (present(options)) given = options%handle
    call settle(weft_f_convolution_create(size(shape), int(shape(size(shape):1:-1), int64), transform, precision, &
                                          int(comm, c_int), given, self%handle), ierr)
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine create_convolution_f08(self, shape, transform, precision, comm, options, ierr)
    class(weft_convolution), intent(inout) :: self
    integer, intent(in) :: shape(:), transform, precision
    type(MPI_Comm), intent(in) :: comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_convolution(shape, transform, precision, comm%MPI_VAL, options, ierr)
  end subroutine
#endif

  subroutine destroy_convolution(self)
    class(weft_convolution), intent(inout) :: self
    call weft_convolution_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! The plan that does the transforms, to make arrays with; destroy it.
  function plan_of(self) result(plan)
    class(weft_convolution), intent(in) :: self
    type(weft_plan) :: plan
    call settle(weft_convolution_plan(self%handle, plan%handle))
  end function

  subroutine kernel_in_space(self, kernel, ierr)
    class(weft_convolution), intent(in) :: self
    class(weft_array), intent(in) :: kernel
    integer, intent(out), optional :: ierr
    call settle(weft_convolution_kernel_in_space(self%handle, kernel%handle), ierr)
  end subroutine

  subroutine kernel_in_modes(self, kernel, ierr)
    class(weft_convolution), intent(in) :: self
    class(weft_array), intent(in) :: kernel
    integer, intent(out), optional :: ierr
    call settle(weft_convolution_kernel_in_modes(self%handle, kernel%handle), ierr)
  end subroutine

  ! c_funloc of a procedure as weft_visit in weft.h, which sets the mode to what it is multiplied by.
  subroutine kernel_function(self, function, user, ierr)
    class(weft_convolution), intent(in) :: self
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: user
    integer, intent(out), optional :: ierr
    call settle(weft_f_convolution_kernel_function(self%handle, self%axes, function, user), ierr)
  end subroutine

  subroutine convolve(self, x, result, ierr)
    class(weft_convolution), intent(in) :: self
    class(weft_array), intent(in) :: x, result
    integer, intent(out), optional :: ierr
    call settle(weft_convolution_convolve(self%handle, x%handle, result%handle), ierr)
  end subroutine

  subroutine correlate(self, x, result, ierr)
    class(weft_convolution), intent(in) :: self
    class(weft_array), intent(in) :: x, result
    integer, intent(out), optional :: ierr
    call settle(weft_convolution_correlate(self%handle, x%handle, result%handle), ierr)
  end subroutine

  subroutine product_of(self, a, b, result, ierr)
    class(weft_convolution), intent(in) :: self
    class(weft_array), intent(in) :: a, b, result
    integer, intent(out), optional :: ierr
    call settle(weft_convolution_product(self%handle, a%handle, b%handle, result%handle), ierr)
  end subroutine
end module
