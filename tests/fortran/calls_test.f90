! SPDX-License-Identifier: BSD-3-Clause
! Every call of the module apart from what vectors_test.f90 does, with communicators of the module mpi.
module progress
  use, intrinsic :: iso_c_binding, only: c_double, c_ptr, c_int, c_int64_t
  implicit none
  integer :: progress_calls = 0
contains
  function stop_at_once(done, total, best_seconds, best, user) result(go_on) bind(c)
    integer(c_int64_t), value :: done, total
    real(c_double), value :: best_seconds
    type(c_ptr), value :: best, user
    integer(c_int) :: go_on
    progress_calls = progress_calls + 1
    go_on = 0
  end function
end module

program calls_test
  use, intrinsic :: iso_c_binding, only: c_float, c_double, c_null_ptr, c_funloc
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use support
  use weft
  use progress
  implicit none
  integer, parameter :: shape3(3) = [4, 5, 6]

  call begin()
  call test_options()
  call test_distributions()
  call test_redistribution()
  call test_own_arrays()
  call test_ghosts()
  call test_halo()
  call test_like()
  call test_plan()
  call test_started()
  call test_errors()
  call test_planning()
  call finish()

contains

  subroutine test_options()
    type(weft_options) :: options
    integer :: code
    call options%set("threads", 3)
    call check(options%get("threads") == "3", "an integer option")
    call options%set("memory_limit", 5000000000_int64)
    call check(options%get("memory_limit") == "5000000000", "a large integer option")
    call options%set("in_place", .true.)
    call check(options%get("in_place") == "true", "a logical option")
    call options%set("planning_seconds", 0.25_real64)
    call check(options%get("planning_seconds") == "0.25", "a real option")
    call check(options%get("peer_timeout") == "600", "patience with peers")
    call options%set("peer_timeout", 2.5_real64)
    call check(options%get("peer_timeout") == "2.5", "less of it")
    call options%set("axes", [1, 3])
    call check(options%get("axes") == "1,3", "a list of axes")
    call options%set("exchange", "window")
    call check(options%get("exchange") == "window", "a text option")
    call options%set("thread", 3, code)
    call check(code == weft_unknown_name, "an unknown option")
    call check(index(weft_error_text(), "threads") > 0, "the text of an error")
    call options%set("threads", "three", code)
    call check(code == weft_bad_argument, "a bad value")
    call options%destroy()
    call check(index(weft_list("algorithms"), "slab") > 0, "names of algorithms")
    call check(index(weft_version_text(), ".") > 0, "the version")
  end subroutine

  subroutine test_distributions()
    type(weft_distribution) :: how, boxes
    integer(int64) :: lower(3), upper(3), index3(3)
    integer :: low(3, 2), high(3, 2), code
    logical :: is_box
    call how%parse("[* c1 b0]@3x2", shape3, 2)
    call check(how%axes() == 3 .and. all(how%shape() == shape3) .and. how%ranks() == 6, "axes, shape and ranks")
    call check(all(how%local_shape(1) == [4, 2, 2]), "a local shape")
    call check(all(how%indices(1, 2) == [2, 4]), "cyclic indices")
    call check(all(how%indices(2, 3) == [3, 4]), "indices of blocks")
    index3 = [1, 4, 3]
    call check(how%owner(index3) == 3, "an owner")
    call check(how%text() == "[* c1 b0]@3x2", "a text")
    index3(1) = 5
    if (how%owner(index3, code) == 0 .or. .true.) call check(code == weft_bad_argument, "an index outside")
    low(:, 1) = [1, 1, 1]
    high(:, 1) = [4, 2, 6]
    low(:, 2) = [1, 3, 1]
    high(:, 2) = [4, 5, 6]
    call boxes%bricks(shape3, low, high)
    call boxes%box(1, lower, upper, is_box)
    call check(is_box .and. all(lower == [1, 3, 1]) .and. all(upper == shape3), "a box")
    call check(boxes%text() == "bricks{0:4,0:2,0:6; 0:4,2:5,0:6}", "a text of boxes")
    call how%parse(boxes%text(), shape3, 2)
    call check(boxes%same(how, 2), "the same boxes")
    high(2, 1) = 1
    call boxes%bricks(shape3, low, high, code)
    call check(code == weft_bad_distribution, "boxes with a gap")
    call how%destroy()
    call boxes%destroy()
  end subroutine

  subroutine test_redistribution()
    type(weft_distribution) :: from, to
    type(weft_array) :: a, b
    type(weft_redistribution) :: move
    real(c_double), pointer :: x(:, :, :), y(:, :, :)
    integer(int64), allocatable :: second(:)
    integer :: i, j, k
    call from%parse("[* * b0]", shape3, ranks)
    call to%parse("[* c0 *]", shape3, ranks)
    call a%create(from, rank, 1, 8)
    call b%create(to, rank, 1, 8)
    call a%pointer(x)
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          x(i, j, k) = i + 10*j + 100*k ! global indices
        end do
      end do
    end do
    call move%create(from, to, 8, MPI_COMM_WORLD)
    call b%pointer(y)
    call move%run(x, y)
    second = to%indices(rank, 2)
    call check(size(second) == size(y, 2) .and. lbound(y, 2) == 1, "the bounds of a cyclic axis")
    do k = 1, size(y, 3)
      do j = 1, size(y, 2)
        do i = 1, size(y, 1)
          call check(abs(y(i, j, k) - (i + 10*second(j) + 100*k)) < 1e-12_real64, "an element that was moved")
        end do
      end do
    end do
    call check(move%number("bytes") >= 0, "the bytes moved")
    call move%destroy()
    call a%destroy()
    call b%destroy()
    call from%destroy()
    call to%destroy()
  end subroutine

  ! Arrays of one's own, single precision, real, in a given distribution: a cosine has two modes.
  subroutine test_own_arrays()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_distribution) :: how, modes
    real(c_float), allocatable :: x(:, :, :)
    complex(c_float), allocatable :: y(:, :, :)
    integer(int64) :: lower(3), upper(3), l2(3), u2(3)
    logical :: is_box
    real(real64) :: wanted
    integer :: i, j, k
    call options%set("in", "[* * b0]")
    call options%set("out", "[* b0 *]")
    call plan%create(shape3, weft_r2c, weft_f32, MPI_COMM_WORLD, options)
    how = plan%distribution(weft_input)
    modes = plan%distribution(weft_output)
    call check(all(modes%shape() == [3, 5, 6]), "the first axis is halved")
    call how%box(rank, lower, upper, is_box)
    call modes%box(rank, l2, u2, is_box)
    allocate (x(lower(1):upper(1), lower(2):upper(2), lower(3):upper(3)))
    allocate (y(l2(1):u2(1), l2(2):u2(2), l2(3):u2(3)))
    do k = lbound(x, 3), ubound(x, 3)
      do j = lbound(x, 2), ubound(x, 2)
        do i = lbound(x, 1), ubound(x, 1)
          x(i, j, k) = real(cos(2*acos(-1d0)*((i - 1)/4d0 + 2*(j - 1)/5d0)), c_float)
        end do
      end do
    end do
    call check(plan%elements(weft_input) == size(x) .and. plan%elements(weft_output) == size(y), "sizes")
    call plan%forward(x, y)
    do k = lbound(y, 3), ubound(y, 3)
      do j = lbound(y, 2), ubound(y, 2)
        do i = lbound(y, 1), ubound(y, 1)
          wanted = merge(60, 0, i == 2 .and. j == 3 .and. k == 1)
          call check(abs(y(i, j, k) - wanted) < 1e-3, "a mode")
        end do
      end do
    end do
    call plan%backward(y, x)
    if (size(x) > 0 .and. all(lower == 1)) call check(abs(x(1, 1, 1) - 120) < 1e-2, "there and back")
    call how%destroy()
    call modes%destroy()
    call plan%destroy()
    call options%destroy()
  end subroutine

  ! One's own array with ghost cells, which stay as they are, in place.
  subroutine test_ghosts()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_distribution) :: how
    complex(c_double), allocatable :: x(:, :, :)
    integer(int64) :: n(3)
    call how%parse("[* * b0]", shape3, ranks)
    n = how%local_shape(rank)
    call options%set("in", how)
    call options%set("out", "same")
    call options%set("in_place", .true.)
    call options%set("scaling", "forward")
    call options%set_ghosts("in", n, [1, 2, 1], [2, 1, 1])
    call options%set_ghosts("out", n, [1, 2, 1], [2, 1, 1])
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    allocate (x(0:n(1) + 2, -1:n(2) + 1, 0:n(3) + 1))
    x = 7
    x(1:n(1), 1:n(2), 1:n(3)) = 1
    call plan%forward_in_place(x)
    call check(count(abs(x - 7) < 1e-14) == size(x) - product(n), "ghost cells")
    if (rank == 0) call check(abs(x(1, 1, 1) - 1) < 1e-13 .and. abs(x(2, 3, 1)) < 1e-13, "the mean")
    call plan%backward_in_place(x)
    call check(all(abs(x(1:n(1), 1:n(2), 1:n(3)) - 1) < 1e-13), "there and back in place")
    call plan%destroy()
    call options%destroy()
    call how%destroy()
  end subroutine

  ! Boxes of which each rank knows its own, in a periodic array.
  subroutine test_halo()
    type(weft_distribution) :: how
    type(weft_halo) :: around
    real(c_double), allocatable :: x(:, :, :)
    integer :: first, last, i, j, k
    first = 6*rank/ranks + 1
    last = 6*(rank + 1)/ranks
    call how%bricks_of(int(shape3, int64), int([1, 1, first], int64), int([4, 5, last], int64), MPI_COMM_WORLD)
    call around%create(how, [1, 0, 2], [0, 0, 1], 1, weft_f64, 1, MPI_COMM_WORLD)
    if (last < first) then
      allocate (x(0, 0, 0))
    else
      allocate (x(0:4, 1:5, first - 2:last + 1))
    end if
    do k = first, last
      do j = 1, 5
        do i = 1, 4
          x(i, j, k) = i + 10*j + 100*k
        end do
      end do
    end do
    call around%fill(x)
    if (size(x) > 0) then
      do k = lbound(x, 3), ubound(x, 3)
        do j = 1, 5
          do i = 0, 4
            call check(abs(x(i, j, k) - (modulo(i - 1, 4) + 1 + 10*j + 100*(modulo(k - 1, 6) + 1))) < 1e-12, "a ghost")
          end do
        end do
      end do
      x = 1
    end if
    call around%accumulate(x)
    if (size(x) > 0) then
      call check(all(abs(x(4, :, first:last)) > 1.5) .and. all(x(0, :, :) == 0), "an element with its ghosts")
    end if
    call around%destroy()
    call how%destroy()
  end subroutine

  subroutine test_like()
    type(weft_plan) :: one, other
    type(weft_options) :: options
    type(weft_distribution) :: a, b
    call options%set("in", "[* c0 *]")
    call one%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call one%set_like(options)
    call options%set("batch", 2)
    call other%create(shape3, weft_r2c, weft_f32, MPI_COMM_WORLD, options)
    a = one%distribution(weft_input)
    b = other%distribution(weft_input)
    call check(a%same(b, ranks), "a plan like another")
    call a%destroy()
    call b%destroy()
    call one%destroy()
    call other%destroy()
    call options%destroy()
  end subroutine

  subroutine test_plan()
    type(weft_plan) :: plan
    type(weft_array) :: a, b
    type(weft_timeline_entry), allocatable :: entries(:)
    character(:), allocatable :: name
    complex(c_double), pointer :: x(:, :, :)
    real(c_double), pointer :: wrong_type(:, :, :)
    complex(c_double), pointer :: wrong_rank(:, :)
    real(real64) :: seconds
    integer :: code
    call plan%create(int(shape3, int64), weft_c2c, weft_f64, MPI_COMM_WORLD)
    call plan%make(weft_input, a)
    call plan%make(weft_output, b)
    call a%pointer(x)
    x = 1
    call a%pointer(wrong_type, ierr=code)
    call check(code == weft_bad_argument .and. .not. associated(wrong_type), "a pointer of another type")
    call a%pointer(wrong_rank, ierr=code)
    call check(code == weft_bad_argument .and. .not. associated(wrong_rank), "a pointer of another rank")
    call check(a%size() == size(x) .and. a%number("batch") == 1, "the size of an array")
    call plan%record_timeline(.true.)
    call plan%forward_arrays(a, b)
    call plan%record_timeline(.false.)
    call plan%timeline(entries)
    call check(a%size() == 0 .or. size(entries) > 0, "a timeline")
    if (size(entries) > 0) call check(entries(1)%direction == weft_forward, "the timeline's direction")
    call plan%stage(plan%stages(), name, seconds)
    call check(len(name) > 0 .and. seconds >= 0, "a stage")
    call plan%reset_stages()
    call plan%stage(plan%stages() + 1, name, seconds, code)
    call check(code == weft_bad_argument, "a stage that is not there")
    call check(plan%number("axes") == 3 .and. plan%number("rank") == rank, "numbers of a plan")
    call check(index(plan%text("schedule"), "forward 6x5x4") == 1, "a schedule")
    call check(index(plan%text("explanation"), "chosen") > 0, "an explanation")
    call a%destroy()
    call b%destroy()
    call plan%destroy()
  end subroutine

  ! Two runs at a time, and one in place.
  subroutine test_started()
    type(weft_plan) :: plan, over
    type(weft_options) :: options
    type(weft_array) :: a, b, c, d
    type(weft_started) :: first, second
    complex(c_double), pointer :: x(:, :, :), y(:, :, :), modes(:, :, :), others(:, :, :)
    integer :: code
    call options%set("scaling", "backward")
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call plan%make(weft_input, a)
    call plan%make(weft_output, b)
    call plan%make(weft_input, c)
    call plan%make(weft_output, d)
    call a%pointer(x)
    call b%pointer(modes)
    call c%pointer(y)
    call d%pointer(others)
    x = 1
    y = (0, 2)
    call check(first%test(), "what was never started is done")
    call first%wait()
    call first%forward(plan, x, modes)
    call second%forward_arrays(plan, c, d)
    call second%wait()
    do while (.not. first%test())
    end do
    call first%wait(code)
    call check(code == weft_ok, "waiting for what is done")
    if (size(modes) > 0) then
      if (all(lbound(modes) == 1)) call check(abs(modes(1, 1, 1) - 120) + abs(others(1, 1, 1) - (0, 240)) < 1d-12, "modes")
    end if
    x = 0
    y = 0
    call first%backward(plan, modes, x)
    call second%backward_arrays(plan, d, c)
    call first%forward_arrays(plan, a, b) ! waits for what was under way
    call second%destroy()
    call first%wait()
    call check(all(abs(x - 1) < 1d-12) .and. all(abs(y - (0, 2)) < 1d-12), "there and back")
    call first%forward_arrays(plan, a, a, code)
    call check(code == weft_bad_buffer .and. first%test(), "in place with a plan that is not")

    call options%set("in_place", .true.)
    call over%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call over%make(weft_input, a)
    call a%pointer(x)
    x = 3
    call first%forward_in_place(over, x)
    call first%backward_in_place(over, x)
    call over%destroy()
    call first%wait()
    call check(all(abs(x - 3) < 1d-12), "there and back in place")
    call a%destroy()
    call b%destroy()
    call c%destroy()
    call d%destroy()
    call plan%destroy()
    call options%destroy()
  end subroutine

  subroutine test_errors()
    type(weft_plan) :: plan
    type(weft_options) :: options
    integer :: code
    call options%set("algorithm", "slap")
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_unknown_name, "an unknown algorithm")
    call options%destroy()
    call options%set("axes", [4])
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_bad_argument, "an axis that is not there")
    call options%destroy()
    call options%set("real_axis", 4)
    call plan%create(shape3, weft_r2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_bad_argument, "a real axis that is not there")
    call options%destroy()
    call test_lengths()
    call plan%create(shape3, weft_c2c, merge(9, weft_f64, rank == ranks - 1), MPI_COMM_WORLD, ierr=code)
    call check(code == weft_bad_argument, "one rank wrong, all told")
  end subroutine

  ! Lists that are too short or too long, on one rank or all, and objects that are nothing.
  subroutine test_lengths()
    type(weft_plan) :: plan, none
    type(weft_options) :: options
    type(weft_distribution) :: how, other
    type(weft_halo) :: halo
    type(weft_spectral) :: modes
    type(weft_array) :: array
    integer :: code, owner, axes
    axes = merge(1, 3, rank == ranks - 1)
    call how%parse("[* * b0]", shape3, ranks)
    owner = how%owner([1_int64], code)
    call check(code == weft_bad_argument, "an index of another length")
    call other%bricks(shape3, reshape([1, 1], [2, 1]), reshape([4, 5], [2, 1]), code)
    call check(code /= weft_ok, "boxes of another length")
    call halo%create(how, spread(1, 1, axes), [1, 1, 1], 1, weft_f64, 1, MPI_COMM_WORLD, code)
    call check(code /= weft_ok, "ghost cells of another length")
    call halo%create(other, [1], [1], 1, weft_f64, 1, MPI_COMM_WORLD, code)
    call check(code == weft_bad_argument, "ghost cells of nothing")
    call options%set_ghosts("in", how%local_shape(rank), [1], [1])
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options, code)
    call check(code == weft_bad_argument, "a layout with ghost cells of another length")
    call options%destroy()
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD)
    call modes%create(plan, spread(1d0, 1, axes), code)
    call check(code /= weft_ok, "periods of another length")
    call modes%create(none, ierr=code)
    call check(code == weft_bad_argument, "modes of nothing")
    call plan%make(merge(7, weft_output, rank == ranks - 1), array, code)
    call check(code == weft_bad_argument, "a side that is not there, on one rank")
    call plan%destroy()
    call how%destroy()
  end subroutine

  subroutine test_planning()
    type(weft_plan) :: plan
    type(weft_options) :: options
    type(weft_wisdom) :: wisdom, other
    integer :: code
    call check(index(weft_explain([512_int64, 512_int64, 512_int64], weft_r2c, weft_f64, 64), "chosen") > 0, "explain")
    call check(index(weft_explain([512, 512, 512], weft_c2c, weft_f64, 64), "chosen") > 0, "explain a shape of integers")
    call wisdom%load("/no/such/file")
    call check(wisdom%entries() == 0, "empty wisdom")
    call other%parse("weft wisdom 1"//new_line("a"))
    call wisdom%merge(other)
    call check(index(wisdom%text(), "weft wisdom 1") == 1, "wisdom as text")
    call wisdom%save_into("/no/such/folder/file", ierr=code)
    call check(code == weft_bad_file, "a file that cannot be")
    call wisdom%destroy()
    call other%destroy()
    call options%set("planning", "measure")
    call options%set_progress(c_funloc(stop_at_once), c_null_ptr)
    call plan%create(shape3, weft_c2c, weft_f64, MPI_COMM_WORLD, options)
    call check(plan%number("timed") >= 1 .and. progress_calls == merge(1, 0, rank == 0), "measuring")
    call plan%destroy()
    call options%destroy()
    if (ranks == 2) call check(index(weft_measure_machine(MPI_COMM_WORLD, ""), "message_seconds") > 0, "the machine")
  end subroutine
end program
