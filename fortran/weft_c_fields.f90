! SPDX-License-Identifier: BSD-3-Clause
! What works on whole arrays and modes, in weft.h and beside it, as Fortran sees it.
module weft_c_fields
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_char, c_ptr, c_funptr
  implicit none
  public

  type, bind(c) :: stored_c
    integer(c_int) :: axes
    integer(c_int64_t) :: shape(16), batch
    integer(c_int) :: precision, parts
  end type

  interface
    function weft_f_gather(x, on, root, all) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: x, all
      integer(c_int), value :: on, root
      integer(c_int) :: code
    end function
    function weft_f_scatter(all, x, on, root) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: all, x
      integer(c_int), value :: on, root
      integer(c_int) :: code
    end function
    function weft_f_sum(x, precision, parts, on, sum) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: x
      integer(c_int), value :: precision, parts, on
      real(c_double), intent(inout) :: sum(*)
      integer(c_int) :: code
    end function
    function c_can_store() bind(c, name="weft_can_store") result(can)
      import :: c_int
      integer(c_int) :: can
    end function
    function weft_f_write(file, dataset, x, precision, parts, on) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: file(*), dataset(*)
      type(c_ptr), value :: x
      integer(c_int), value :: precision, parts, on
      integer(c_int) :: code
    end function
    function weft_f_read(file, dataset, x, precision, parts, on) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: file(*), dataset(*)
      type(c_ptr), value :: x
      integer(c_int), value :: precision, parts, on
      integer(c_int) :: code
    end function
    function weft_f_look_into(file, dataset, on, found, distribution) bind(c) result(code)
      import :: c_int, c_char, c_ptr, stored_c
      character(kind=c_char), intent(in) :: file(*), dataset(*)
      integer(c_int), value :: on
      type(stored_c), intent(inout) :: found
      type(c_ptr), intent(out) :: distribution
      integer(c_int) :: code
    end function

    function weft_spectral_create(of, lengths, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, lengths
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_spectral_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_spectral_wavenumber(of, axis, index, k) bind(c) result(code)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: axis
      integer(c_int64_t), value :: index
      real(c_double), intent(inout) :: k
      integer(c_int) :: code
    end function
    function weft_spectral_odd_wavenumber(of, axis, index, k) bind(c) result(code)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: axis
      integer(c_int64_t), value :: index
      real(c_double), intent(inout) :: k
      integer(c_int) :: code
    end function
    function weft_spectral_wavenumbers(of, axis, k) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: axis
      real(c_double), intent(inout) :: k(*)
      integer(c_int) :: code
    end function
    function weft_spectral_odd_wavenumbers(of, axis, k) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: axis
      real(c_double), intent(inout) :: k(*)
      integer(c_int) :: code
    end function
    function weft_spectral_weights(of, axis, weights) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: axis
      real(c_double), intent(inout) :: weights(*)
      integer(c_int) :: code
    end function
    function weft_spectral_mean_squares(of, modes, squares) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: of, modes
      real(c_double), intent(inout) :: squares(*)
      integer(c_int) :: code
    end function
    function weft_spectral_spectrum(of, modes, width, room, shells, count) bind(c) result(code)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: of, modes, shells
      real(c_double), value :: width
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: code
    end function
    function weft_spectral_derivative(of, f, result, axis) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int), value :: axis
      integer(c_int) :: code
    end function
    function weft_f_spectral_gradient(of, f, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int) :: code
    end function
    function weft_f_spectral_divergence(of, f, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int) :: code
    end function
    function weft_f_spectral_curl(of, f, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int) :: code
    end function
    function weft_spectral_laplacian(of, f, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int) :: code
    end function
    function weft_spectral_poisson(of, f, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, f, result
      integer(c_int) :: code
    end function

    function weft_f_convolution_create(axes, shape, transform, precision, on, options, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes, transform, precision, on
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_convolution_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_convolution_plan(of, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_convolution_kernel_in_space(of, kernel) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, kernel
      integer(c_int) :: code
    end function
    function weft_convolution_kernel_in_modes(of, kernel) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, kernel
      integer(c_int) :: code
    end function
    function weft_f_convolution_kernel_function(of, axes, function, user) bind(c) result(code)
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: of, user
      integer(c_int), value :: axes
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function
    function weft_convolution_convolve(of, x, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, x, result
      integer(c_int) :: code
    end function
    function weft_convolution_correlate(of, x, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, x, result
      integer(c_int) :: code
    end function
    function weft_convolution_product(of, a, b, result) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, a, b, result
      integer(c_int) :: code
    end function

    function weft_f_plane_waves_create(shape, radii, bands, precision, on, options, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_double, c_ptr
      integer(c_int64_t), intent(in) :: shape(*)
      real(c_double), intent(in) :: radii(*)
      integer(c_int64_t), value :: bands
      integer(c_int), value :: precision, on
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_plane_waves_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_plane_waves_number(of, what, number) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int64_t), intent(inout) :: number
      integer(c_int) :: code
    end function
    function weft_plane_waves_numbers(of, k) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t), intent(inout) :: k(*)
      integer(c_int) :: code
    end function
    function weft_plane_waves_field(of, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_f_plane_waves_to_field(of, c, bytes, field) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, c, field
      integer(c_int64_t), value :: bytes
      integer(c_int) :: code
    end function
    function weft_f_plane_waves_to_waves(of, field, c, bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, field, c
      integer(c_int64_t), value :: bytes
      integer(c_int) :: code
    end function
  end interface
end module
