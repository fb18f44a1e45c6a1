! SPDX-License-Identifier: BSD-3-Clause
! Whole arrays, files, modes, convolutions and kinds of axes through the module: indices and components are Fortran's.
module functions_of_modes
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_ptr, c_int64_t, c_f_pointer
  implicit none
  real(c_double), parameter :: pi = acos(-1d0)
  integer, parameter :: n(3) = [8, 6, 10]
contains
  subroutine weigh(index, mode, component, user) bind(c)
    integer(c_int64_t), intent(in) :: index(3)
    complex(c_double_complex), intent(inout) :: mode
    integer(c_int64_t), value :: component
    type(c_ptr), value :: user
    real(c_double), pointer :: factor
    call c_f_pointer(user, factor)
    mode = mode*factor*real(index(1) + 10*index(2) + 100*index(3) + 1000*component, c_double)
  end subroutine

  ! Moves by one along the first axis.
  subroutine shift_in_modes(index, mode, component, user) bind(c)
    integer(c_int64_t), intent(in) :: index(3)
    complex(c_double_complex), intent(inout) :: mode
    integer(c_int64_t), value :: component
    type(c_ptr), value :: user
    mode = exp(cmplx(0, -2*pi*(index(1) - 1)/n(1), c_double))*merge(1, 0, component == 0)
  end subroutine
end module

program fields_test
  use, intrinsic :: iso_c_binding, only: c_double, c_null_ptr, c_loc, c_funloc
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use support
  use weft
  use functions_of_modes
  implicit none

  call begin()
  call test_gather()
  call test_files()
  call test_functions()
  call test_spectral()
  call test_convolution()
  call test_kinds()
  call finish()

contains

  elemental function value_at(i, j, k) result(x)
    integer, intent(in) :: i, j, k
    real(real64) :: x
    x = i + 20*j + 400*k
  end function

  subroutine fill(x)
    real(c_double), pointer, intent(in) :: x(:, :, :)
    integer :: i, j, k
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          x(i, j, k) = value_at(i, j, k)
        end do
      end do
    end do
  end subroutine

  ! The largest difference from values whose first index is moved.
  function distance(x, moved) result(worst)
    real(c_double), pointer, intent(in) :: x(:, :, :)
    integer, intent(in) :: moved
    real(real64) :: worst
    integer :: i, j, k
    worst = 0
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          worst = max(worst, abs(x(i, j, k) - value_at(modulo(i - 1 - moved, n(1)) + 1, j, k)))
        end do
      end do
    end do
  end function

  subroutine test_gather()
    type(weft_distribution) :: how
    type(weft_array) :: a, b, c
    real(c_double), pointer :: x(:, :, :), z(:, :, :)
    real(c_double), allocatable, target :: y(:, :, :), all(:, :, :)
    integer(int64) :: local(3)
    integer :: i, code
    call how%parse("[* b0 *]", n, ranks)
    call a%create(how, rank, 1, 8)
    call a%pointer(x)
    call fill(x)
    allocate (all(n(1), n(2), merge(n(3), 0, rank == ranks - 1)))
    call weft_gather(a, MPI_COMM_WORLD, ranks - 1, c_loc(all))
    if (rank == ranks - 1) call check(all(3, 5, 7) == value_at(3, 5, 7), "an element that was gathered")
    local = how%local_shape(rank)
    allocate (y(0:n(1) + 1, local(2), n(3))) ! a cell before and after each line
    y = -1
    call b%over(how, rank, 1, 8, c_loc(y), size(y, kind=int64), [1_int64, n(1) + 2_int64, (n(1) + 2)*local(2)], 1_int64)
    call weft_scatter(c_loc(all), b, MPI_COMM_WORLD, ranks - 1)
    call check(all_equal(y(1:n(1), :, :), x), "what was scattered")
    if (size(y) > 0) call check(all_are(y(0, :, :), -1d0) .and. all_are(y(n(1) + 1, :, :), -1d0), "cells around it")
    call check(abs(weft_sum(b, weft_f64, 1, MPI_COMM_WORLD) - sum([(real(i, real64), i=1, n(1))])*n(2)*n(3) &
                   - 20*sum([(real(i, real64), i=1, n(2))])*n(1)*n(3) - 400*sum([(real(i, real64), i=1, n(3))])*n(1)*n(2)) &
               < 1d-9, "a sum")
    call a%to_host(c)
    call c%pointer(z)
    call check(all_equal(z, x), "a copy")
    z = 5
    call c%copy_to(a)
    call check(all_are(reshape(x, [n(1), size(x)/n(1)]), 5d0), "a copy back")
    call a%copy_to(b, code)
    call check(code == weft_bad_argument, "a copy to another layout")
    call a%destroy()
    call b%destroy()
    call c%destroy()
    call how%destroy()
  end subroutine

  pure function all_equal(a, b)
    real(real64), intent(in) :: a(:, :, :), b(:, :, :)
    logical :: all_equal
    all_equal = all(a == b)
  end function

  pure function all_are(a, b)
    real(real64), intent(in) :: a(:, :), b
    logical :: all_are
    all_are = all(a == b)
  end function

  subroutine test_files()
    type(weft_distribution) :: how, other
    type(weft_array) :: a, b
    type(weft_stored) :: found
    real(c_double), pointer :: x(:, :, :), y(:, :, :)
    character(*), parameter :: file = "fortran_fields_test.h5"
    integer :: unit, code
    call how%parse("[* * b0]", n, ranks)
    call other%parse("[b0 * *]", n, ranks)
    call a%create(how, rank, 1, 8)
    call b%create(other, rank, 1, 8)
    call a%pointer(x)
    call b%pointer(y)
    call fill(x)
    call weft_write(file//repeat("x", ranks), "field", a, weft_f64, 1, MPI_COMM_WORLD, code)
    if (.not. weft_can_store()) then
      call check(code == weft_bad_file, "a build without files")
    else
      call check(code == weft_ok, "a file")
      call weft_read(file//repeat("x", ranks), "field", b, weft_f64, 1, MPI_COMM_WORLD)
      call check(distance(y, 0) == 0, "what was read")
      call weft_look_into(file//repeat("x", ranks), "field", MPI_COMM_WORLD, found)
      call check(all(found%shape == n) .and. found%batch == 1 .and. found%precision == weft_f64 .and. found%parts == 1, &
                 "what is in the file")
      call check(index(found%distribution, "[* * b0]") > 0, "how it was distributed")
      call weft_look_into(file//repeat("x", ranks), "nothing", MPI_COMM_WORLD, found, code)
      call check(code == weft_bad_file, "a dataset that is not there")
      call MPI_Barrier(MPI_COMM_WORLD)
      if (rank == 0) then
        open (newunit=unit, file=file//repeat("x", ranks))
        close (unit, status="delete")
      end if
    end if
    call a%destroy()
    call b%destroy()
    call how%destroy()
    call other%destroy()
  end subroutine

  ! All modes of a single impulse at (1, 1, 1) are 1, so that the function alone is seen.
  subroutine test_functions()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_array) :: a, b, c
    complex(c_double), pointer :: x(:, :, :, :), modes(:, :, :, :), back(:, :, :, :)
    real(c_double), target :: factor
    integer :: i, j, k, m, code
    call options%set("batch", 2)
    call options%set("in", "[* * b0]")
    call options%set("out", "[* b0 *]")
    call plan%create(n, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call plan%make(weft_input, a)
    call plan%make(weft_output, b)
    call plan%make(weft_input, c)
    call a%pointer(x)
    call b%pointer(modes)
    call c%pointer(back)
    if (size(x) > 0 .and. lbound(x, 3) == 1) x(1, 1, 1, :) = 1
    factor = 0.5
    call plan%forward_with(x, modes, c_funloc(weigh), c_loc(factor))
    do m = 1, 2
      do k = lbound(modes, 3), ubound(modes, 3)
        do j = lbound(modes, 2), ubound(modes, 2)
          do i = 1, n(1)
            call check(abs(modes(i, j, k, m) - 0.5*(i + 10*j + 100*k + 1000*(m - 1))) < 1d-9, "a function of modes")
          end do
        end do
      end do
    end do
    modes = modes - modes + 1
    factor = 2
    call plan%backward_with(modes, back, c_funloc(weigh), c_loc(factor))
    ! The element (1, 1, 1) is the sum over all modes.
    if (size(back) > 0 .and. lbound(back, 3) == 1) then
      call check(abs(back(1, 1, 1, 1) - 2*480*(4.5 + 35 + 550)) < 1d-6, "a function of modes, backward")
      call check(abs(back(1, 1, 1, 2) - 2*480*(4.5 + 35 + 550 + 1000)) < 1d-6, "a function of modes of the second array")
    end if
    call plan%forward_on(a, b, c_null_ptr, code)
    call check(code == weft_ok, "no stream")
    call a%destroy()
    call b%destroy()
    call c%destroy()
    call options%destroy()
    call plan%destroy()
  end subroutine

  ! u = (sin y, sin z, sin x): curl u = (-cos z, -cos x, -cos y); f = sin x cos 3z
  subroutine test_spectral()
    type(weft_plan) :: plan, vectors
    type(weft_options) :: options
    type(weft_spectral) :: of
    type(weft_array) :: f, fm, gm, u, um, vm
    type(weft_shell), allocatable :: shells(:)
    real(c_double), pointer :: x(:, :, :), v(:, :, :, :)
    real(real64), allocatable :: squares(:), k1(:), w(:)
    integer :: i, j, k, code
    real(real64) :: t(3), worst
    call options%set("scaling", "forward")
    call plan%create(n, weft_r2c, weft_f64, MPI_COMM_WORLD, options)
    call plan%set_like(options)
    call options%set("batch", 3)
    call vectors%create(n, weft_r2c, weft_f64, MPI_COMM_WORLD, options)
    call plan%make(weft_input, f)
    call plan%make(weft_output, fm)
    call plan%make(weft_output, gm)
    call vectors%make(weft_input, u)
    call vectors%make(weft_output, um)
    call vectors%make(weft_output, vm)
    call f%pointer(x)
    call u%pointer(v)
    call of%create(plan)
    call check(of%wavenumber(2, n(2)) == -1 .and. of%wavenumber(3, 2) == 1, "a wavenumber")
    call check(of%wavenumber(2, n(2)/2 + 1) == 3 .and. of%odd_wavenumber(2, n(2)/2 + 1) == 0, "the middle")
    k1 = of%wavenumbers(1)
    w = of%weights(1)
    call check(all(k1 >= 0) .and. size(k1) == size(w), "wavenumbers of the halved axis")
    call check(all(merge(w == 1, w == 2, k1 == 0 .or. k1 == n(1)/2)), "weights of the halved axis")
    k1 = of%odd_wavenumbers(2)
    call check(all(abs(k1) < 3), "odd wavenumbers")

    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          t = 2*pi*([i, j, k] - 1)/n
          x(i, j, k) = sin(t(1))*cos(3*t(3))
          v(i, j, k, :) = [sin(t(2)), sin(t(3)), sin(t(1))]
        end do
      end do
    end do
    call plan%forward_arrays(f, fm)
    call vectors%forward_arrays(u, um)
    squares = of%mean_squares(um)
    call check(all(abs(squares - 0.5) < 1d-13), "mean squares")
    call of%spectrum(fm, shells)
    call check(abs(shells(4)%power - 0.25) < 1d-13, "a spectrum")
    call of%curl(um, vm)
    call vectors%backward_arrays(vm, u)
    worst = 0
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          t = 2*pi*([i, j, k] - 1)/n
          worst = max(worst, maxval(abs(v(i, j, k, :) + [cos(t(3)), cos(t(1)), cos(t(2))])))
        end do
      end do
    end do
    call check(worst < 1d-12, "a curl")
    call of%gradient(fm, um)
    call vectors%backward_arrays(um, u)
    worst = 0
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          t = 2*pi*([i, j, k] - 1)/n
          worst = max(worst, maxval(abs(v(i, j, k, :) - [cos(t(1))*cos(3*t(3)), 0d0, -3*sin(t(1))*sin(3*t(3))])))
        end do
      end do
    end do
    call check(worst < 1d-12, "a gradient")
    call vectors%forward_arrays(u, um)
    call of%divergence(um, gm)
    call of%poisson(gm, gm)
    call of%laplacian(gm, gm)
    call of%poisson(gm, gm)
    call plan%backward_arrays(gm, f)
    call of%derivative(fm, gm, 2)
    squares = of%mean_squares(gm)
    call check(squares(1) < 1d-24, "a derivative along the second axis")
    call of%derivative(fm, gm, 1)
    squares = of%mean_squares(gm)
    call check(abs(squares(1) - 0.25) < 1d-13, "a derivative along the first axis")
    worst = 0
    do k = lbound(x, 3), ubound(x, 3)
      do i = lbound(x, 1), ubound(x, 1)
        t = 2*pi*([i, 1, k] - 1)/n
        if (size(x) > 0) worst = max(worst, maxval(abs(x(i, :, k) - sin(t(1))*cos(3*t(3)))))
      end do
    end do
    call check(worst < 1d-12, "what has that divergence of its gradient")
    call of%gradient(fm, gm, code) ! has no room for three components
    call check(code /= weft_ok, "a gradient in a scalar")
    call of%create(plan, [1d0, -1d0, 1d0], code)
    call check(code == weft_bad_argument, "a negative length")
    call of%destroy()
    call f%destroy()
    call fm%destroy()
    call gm%destroy()
    call u%destroy()
    call um%destroy()
    call vm%destroy()
    call options%destroy()
    call plan%destroy()
    call vectors%destroy()
  end subroutine

  subroutine test_convolution()
    type(weft_convolution) :: by
    type(weft_plan) :: plan
    type(weft_array) :: a, b, kernel, am, bm
    real(c_double), pointer :: x(:, :, :), y(:, :, :), z(:, :, :)
    integer :: code
    call by%create(n, weft_r2c, weft_f64, MPI_COMM_WORLD)
    plan = by%plan()
    call plan%make(weft_input, a)
    call plan%make(weft_input, b)
    call plan%make(weft_input, kernel)
    call plan%make(weft_output, am)
    call plan%make(weft_output, bm)
    call a%pointer(x)
    call b%pointer(y)
    call kernel%pointer(z)
    call fill(x)
    call by%convolve(a, b, ierr=code)
    call check(code == weft_bad_argument, "a convolution without a kernel")
    call by%kernel_function(c_funloc(shift_in_modes), c_null_ptr)
    call by%convolve(a, b)
    call check(distance(y, 1) < 1d-9, "a convolution")
    call by%correlate(a, b)
    call check(distance(y, -1) < 1d-9, "a correlation")
    if (size(z) > 0) then
      if (lbound(z, 1) <= 2 .and. ubound(z, 1) >= 2 .and. lbound(z, 2) == 1 .and. lbound(z, 3) == 1) z(2, 1, 1) = 1
    end if
    call by%kernel_in_space(kernel)
    call by%convolve(a, b)
    call check(distance(y, 1) < 1d-9, "a convolution with a kernel in space")
    call plan%forward_arrays(kernel, am)
    call by%kernel_in_modes(am)
    call by%convolve(b, b)
    call check(distance(y, 2) < 1d-9, "a convolution with a kernel in modes")
    if (size(z) > 0) z = 1
    call plan%forward_arrays(kernel, am)
    call by%product(am, am, bm)
    call plan%backward_arrays(bm, kernel)
    if (size(z) > 0) call check(all(abs(z - product(n)) < 1d-9), "a product")
    call by%convolve(am, b, code)
    call check(code == weft_bad_buffer, "a convolution of modes")
    call by%destroy()
    call a%destroy()
    call b%destroy()
    call kernel%destroy()
    call am%destroy()
    call bm%destroy()
    call plan%destroy()
  end subroutine

  ! Kinds and modes are in Fortran's order of axes: a cosine along the first axis has a single mode.
  subroutine test_kinds()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_distribution) :: how
    type(weft_array) :: a, b
    real(c_double), pointer :: x(:, :, :), modes(:, :, :)
    integer :: i
    call options%set("kinds", "dct2,none,none")
    call options%set("modes", [5, n(2), n(3)])
    call options%set("in", "[* b0 *]")
    call options%set("out", "[* b0 *]")
    call plan%create(n, weft_r2r, weft_f64, MPI_COMM_WORLD, options)
    how = plan%distribution(weft_output)
    call check(all(how%shape() == [5, n(2), n(3)]), "the shape of fewer modes")
    call plan%make(weft_input, a)
    call plan%make(weft_output, b)
    call a%pointer(x)
    call b%pointer(modes)
    do i = 1, n(1)
      x(i, :, :) = cos(pi*(i - 0.5d0)*3/n(1))
    end do
    call plan%forward_arrays(a, b)
    if (size(modes) > 0) then
      call check(all(abs(modes(4, :, :) - n(1)) < 1d-12), "the mode of a cosine")
      modes(4, :, :) = 0
      call check(all(abs(modes) < 1d-12), "other modes")
    end if
    call a%destroy()
    call b%destroy()
    call how%destroy()
    call options%destroy()
    call plan%destroy()
  end subroutine
end program
