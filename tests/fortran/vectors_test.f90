! SPDX-License-Identifier: BSD-3-Clause
! The test vectors of tests/vectors through the module: fortran_vectors_test FILE..., on 1 to as many ranks as it was
! started on, with communicators of mpi_f08.
program vectors_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use support
  use weft
  implicit none

  type :: vector
    integer :: axes = 0, transform = 0, halved = 0, modes = 0, batch = 1
    logical :: backward = .false.
    integer(int64) :: factor = 1 ! of backward after forward; 0: modes are lost
    character(64) :: kinds = ""
    integer, allocatable :: shape(:), mode_shape(:), transformed(:), kept(:)
    real(real64) :: energy = 0
    complex(real64), allocatable :: expected(:)
  end type

  type(vector) :: v
  character(4096) :: file
  integer :: runs = 0, k, size_of_team, variant
  type(MPI_Comm) :: team

  call begin()
  do k = 1, command_argument_count()
    call get_command_argument(k, file)
    about = trim(file)
    call read_vector(trim(file), v)
    do size_of_team = 1, ranks
      call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, rank < size_of_team), rank, team)
      if (team == MPI_COMM_NULL) cycle
      do variant = 0, 3
        call run_vector(v, variant, team)
        runs = runs + 1
      end do
      call MPI_Comm_free(team)
    end do
  end do
  call check(command_argument_count() > 10, "vectors to read")
  write (file, "(i0, a, i0, a)") command_argument_count(), " vectors, ", runs, " runs"
  call finish(trim(file))

contains

  subroutine read_vector(name, c)
    character(*), intent(in) :: name
    type(vector), intent(out) :: c
    integer :: unit, version, line, component, l
    character(16) :: key, word
    integer, allocatable :: index(:)
    character(8), allocatable :: kinds(:)
    real(real64) :: re, im
    integer(int64) :: at
    open (newunit=unit, file=name, action="read", status="old")
    read (unit, *) key, version
    read (unit, *) key, word
    c%transform = merge(weft_r2c, merge(weft_r2r, weft_c2c, word == "r2r"), word == "r2c")
    read (unit, *) key, word
    c%backward = word == "backward"
    read (unit, *) key, c%axes
    allocate (c%shape(c%axes), c%transformed(c%axes), index(c%axes))
    read (unit, *) key, c%shape
    read (unit, *) key, c%transformed
    read (unit, *) key, c%halved
    read (unit, *) key, c%batch
    c%factor = product(int(pack(c%shape, c%transformed == 1), int64))
    c%mode_shape = c%shape
    if (version == 2) then ! what each axis becomes, and how many modes of it are kept
      allocate (kinds(c%axes))
      read (unit, *) key, kinds
      write (c%kinds, "(*(a, :, ','))") (trim(kinds(l)), l=c%axes, 1, -1)
      read (unit, *) key, c%mode_shape
      read (unit, *) key, c%factor
    end if
    read (unit, *) key, c%modes
    read (unit, *) key, c%energy
    c%shape = c%shape(c%axes:1:-1) ! the file has the slowest axis first
    c%transformed = c%transformed(c%axes:1:-1)
    c%halved = merge(c%axes - c%halved, 0, c%halved >= 0)
    c%mode_shape = c%mode_shape(c%axes:1:-1)
    c%kept = c%mode_shape
    if (c%halved > 0) c%mode_shape(c%halved) = c%kept(c%halved)/2 + 1
    allocate (c%expected(c%modes))
    do line = 1, c%modes
      read (unit, *) component, index, re, im
      at = component
      do l = 1, c%axes ! slowest first
        at = at*c%mode_shape(c%axes - l + 1) + index(l)
      end do
      c%expected(at + 1) = cmplx(re, im, real64)
    end do
    close (unit)
  end subroutine

  elemental function input_part(k, square, linear, constant) result(x)
    integer(int64), intent(in) :: k
    integer, intent(in) :: square, linear, constant
    real(real64) :: x
    x = real(mod(square*k*k + linear*k + constant, 65537_int64) - 32768, real64)/32768
  end function

  elemental function input_at(k) result(x)
    integer(int64), intent(in) :: k
    complex(real64) :: x
    x = cmplx(input_part(k, 31, 7919, 12345), input_part(k, 17, 104729, 54321), real64)
  end function

  ! The global linear index, from 0, of every element of this rank in the order of memory.
  function global_numbers(how, shape, batch, me) result(all)
    type(weft_distribution), intent(in) :: how
    integer, intent(in) :: shape(:), batch, me
    integer(int64), allocatable :: all(:), more(:), indices(:)
    integer(int64) :: step
    integer :: l, i
    all = [0_int64]
    step = 1
    do l = 1, size(shape)
      indices = how%indices(me, l) - 1
      more = [integer(int64) ::]
      do i = 1, size(indices)
        more = [more, all + indices(i)*step]
      end do
      all = more
      step = step*shape(l)
    end do
    more = [integer(int64) ::]
    do i = 0, batch - 1
      more = [more, all + i*step]
    end do
    all = more
  end function

  subroutine run_vector(c, variant, comm)
    type(vector), intent(in) :: c
    integer, intent(in) :: variant
    type(MPI_Comm), intent(in) :: comm
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_array) :: a, b
    type(weft_distribution) :: from, to
    integer :: me, first, second, seen, l
    integer(int64), allocatable :: here(:), there(:)
    complex(real64), allocatable :: x(:), y(:)
    real(real64) :: limit
    call MPI_Comm_rank(comm, me)
    if (c%kinds == "") then
      call options%set("axes", pack([(l, l=1, c%axes)], c%transformed == 1))
      call options%set("real_axis", c%halved)
    else
      call options%set("kinds", c%kinds)
      call options%set("modes", c%kept)
    end if
    call options%set("batch", c%batch)
    if (variant == 1) call options%set("out", "same")
    if (variant == 2) call options%set("in_place", .true.)
    if (variant == 3 .and. c%axes == 3) call options%set("in", "[* c0 *]")
    call plan%create(c%shape, c%transform, weft_f64, comm, options)
    first = merge(weft_output, weft_input, c%backward)
    second = merge(weft_input, weft_output, c%backward)
    from = plan%distribution(first)
    to = plan%distribution(second)
    if (variant == 3 .and. c%axes == 3 .and. .not. c%backward) call check(index(from%text(), "[* c0 *]") == 1, "text")
    here = global_numbers(from, c%shape, c%batch, me)
    there = global_numbers(to, c%mode_shape, c%batch, me)
    call plan%make(first, a)
    if (variant == 2) then
      call plan%make_over(second, a, b)
    else
      call plan%make(second, b)
    end if
    x = input_at(here)
    if (c%transform /= weft_c2c) x = cmplx(real(x), 0, real64)
    call put(a, x, c%transform /= weft_c2c, c%axes + merge(1, 0, c%batch > 1), from, me)
    call transform(plan, c%backward, a, b)
    y = got(b, c%transform == weft_r2r, c%axes + merge(1, 0, c%batch > 1))
    limit = 1e-13_real64*sqrt(c%energy)
    call check(size(y) == size(there), "the number of modes on this rank")
    call check(all(abs(y - c%expected(there + 1)) <= limit), "a mode")
    seen = size(y)
    call MPI_Allreduce(MPI_IN_PLACE, seen, 1, MPI_INTEGER, MPI_SUM, comm)
    call check(seen == c%modes, "the number of modes")
    call transform(plan, .not. c%backward, b, a)
    y = got(a, c%transform /= weft_c2c, c%axes + merge(1, 0, c%batch > 1))
    if (c%factor > 0) call check(all(abs(y - c%factor*x) <= limit*c%factor), "an element after going back")
    call a%destroy()
    call b%destroy()
    call from%destroy()
    call to%destroy()
    call plan%destroy()
    call options%destroy()
  end subroutine

  ! One place that knows ranks: 1 to 5.
  subroutine put(a, values, is_real, dims, how, me)
    type(weft_array), intent(in) :: a
    complex(real64), intent(in) :: values(:)
    logical, intent(in) :: is_real
    integer, intent(in) :: dims, me
    type(weft_distribution), intent(in) :: how
    complex(real64), pointer :: c1(:), c2(:, :), c3(:, :, :), c4(:, :, :, :), c5(:, :, :, :, :)
    real(real64), pointer :: r1(:), r2(:, :), r3(:, :, :), r4(:, :, :, :)
    integer(int64) :: lower(3), upper(3)
    logical :: is_box, no_gaps
    integer :: r
    if (is_real) then
      select case (dims)
      case (1)
        call a%pointer(r1)
        r1 = real(values)
      case (2)
        call a%pointer(r2)
        r2 = reshape(real(values), shape(r2))
      case (3)
        call a%pointer(r3)
        r3 = reshape(real(values), shape(r3))
      case (4)
        call a%pointer(r4)
        r4 = reshape(real(values), shape(r4))
      end select
    else
      select case (dims)
      case (1)
        call a%pointer(c1)
        c1 = values
      case (2)
        call a%pointer(c2)
        c2 = reshape(values, shape(c2))
      case (3)
        call a%pointer(c3)
        c3 = reshape(values, shape(c3))
        if (how%axes() == 3 .and. size(c3) > 0) then
          is_box = .true.
          do r = 0, how%ranks() - 1
            call how%box(r, lower, upper, no_gaps)
            is_box = is_box .and. no_gaps
          end do
          call how%box(me, lower, upper, no_gaps)
          if (.not. is_box) lower = 1
          call check(all(lbound(c3) == lower), "a lower bound")
          if (is_box) call check(all(ubound(c3) == upper), "an upper bound")
          call a%pointer(c3, origin=0)
          if (is_box) call check(all(lbound(c3) == lower - 1), "a lower bound from 0")
        end if
      case (4)
        call a%pointer(c4)
        c4 = reshape(values, shape(c4))
      case (5)
        call a%pointer(c5)
        c5 = reshape(values, shape(c5))
      end select
    end if
  end subroutine

  function got(a, is_real, dims) result(values)
    type(weft_array), intent(in) :: a
    logical, intent(in) :: is_real
    integer, intent(in) :: dims
    complex(real64), allocatable :: values(:)
    complex(real64), pointer :: c1(:), c2(:, :), c3(:, :, :), c4(:, :, :, :), c5(:, :, :, :, :)
    real(real64), pointer :: r1(:), r2(:, :), r3(:, :, :), r4(:, :, :, :)
    if (is_real) then
      select case (dims)
      case (1)
        call a%pointer(r1)
        values = cmplx(r1, 0, real64)
      case (2)
        call a%pointer(r2)
        values = cmplx(reshape(r2, [size(r2)]), 0, real64)
      case (3)
        call a%pointer(r3)
        values = cmplx(reshape(r3, [size(r3)]), 0, real64)
      case (4)
        call a%pointer(r4)
        values = cmplx(reshape(r4, [size(r4)]), 0, real64)
      end select
    else
      select case (dims)
      case (1)
        call a%pointer(c1)
        values = c1
      case (2)
        call a%pointer(c2)
        values = reshape(c2, [size(c2)])
      case (3)
        call a%pointer(c3)
        values = reshape(c3, [size(c3)])
      case (4)
        call a%pointer(c4)
        values = reshape(c4, [size(c4)])
      case (5)
        call a%pointer(c5)
        values = reshape(c5, [size(c5)])
      end select
    end if
  end function

  subroutine transform(plan, backward, from, to)
    type(weft_plan), intent(in) :: plan
    logical, intent(in) :: backward
    type(weft_array), intent(in) :: from, to
    integer :: ierr
    if (backward) then
      call plan%backward_arrays(from, to, ierr)
    else
      call plan%forward_arrays(from, to, ierr)
    end if
    call check(ierr == weft_ok, "a transform: "//weft_error_text())
  end subroutine
end program
