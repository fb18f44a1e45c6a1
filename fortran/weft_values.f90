! SPDX-License-Identifier: BSD-3-Clause
! Distributions and options: what can be made without MPI. Axes, indices and axis lists are in Fortran's order and
! count from 1; ranks count from 0, as MPI's do.
module weft_values
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_funptr, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use weft_c
  use weft_support
  use weft_resources
  implicit none
  private
  public :: axes_of

  type, public :: weft_distribution
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: parse_i32, parse_i64, bricks_i32, bricks_i64, bricks_of_i32, bricks_of_i64, owner_i32, owner_i64
    generic :: bricks_of => bricks_of_i32, bricks_of_i64
    generic :: parse => parse_i32, parse_i64
    generic :: bricks => bricks_i32, bricks_i64
    procedure :: destroy => destroy_distribution
    procedure :: text => text_of_distribution
    procedure :: axes => axes_of_distribution
    procedure :: shape => shape_of_distribution
    procedure :: ranks => ranks_of_distribution
    procedure :: local_shape
    procedure :: indices
    procedure :: box
    generic :: owner => owner_i32, owner_i64
    procedure :: same
  end type

  type, public :: weft_options
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: set_text, set_i32, set_i64, set_logical, set_real, set_list, set_how
    generic :: set => set_text, set_i32, set_i64, set_logical, set_real, set_list, set_how
    procedure :: get
    procedure :: set_layout
    procedure :: set_ghosts
    procedure :: set_progress
    procedure :: set_workspace
    procedure :: destroy => destroy_options
  end type

contains

  ! ---- distributions ----

  subroutine parse_i64(self, text, shape, ranks, ierr)
    class(weft_distribution), intent(inout) :: self
    character(*), intent(in) :: text
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_distribution_parse(c_text(text), size(shape), turned(shape), ranks, self%handle), ierr)
  end subroutine

  subroutine parse_i32(self, text, shape, ranks, ierr)
    class(weft_distribution), intent(inout) :: self
    character(*), intent(in) :: text
    integer(int32), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: ierr
    call self%parse(text, int(shape, int64), ranks, ierr)
  end subroutine

  ! Box r has the indices lower(:, r) to upper(:, r), both included, from 1.
  subroutine bricks_i64(self, shape, lower, upper, ierr)
    class(weft_distribution), intent(inout) :: self
    integer(int64), intent(in) :: shape(:), lower(:, :), upper(:, :)
    integer, intent(out), optional :: ierr
    integer(int64) :: low(size(shape), size(lower, 2)), high(size(shape), size(lower, 2))
    integer :: r
    low = 0
    high = -1
    if (size(lower, 2) == size(upper, 2)) then
      do r = 1, size(lower, 2)
        low(:, r) = turned(fitted(lower(:, r), size(shape))) - 1
        high(:, r) = turned(fitted(upper(:, r), size(shape)))
      end do
    end if
    call self%destroy()
    call settle(weft_distribution_bricks(size(shape), turned(shape), size(lower, 2), low, high, self%handle), ierr)
  end subroutine

  subroutine bricks_i32(self, shape, lower, upper, ierr)
    class(weft_distribution), intent(inout) :: self
    integer(int32), intent(in) :: shape(:), lower(:, :), upper(:, :)
    integer, intent(out), optional :: ierr
    call self%bricks(int(shape, int64), int(lower, int64), int(upper, int64), ierr)
  end subroutine

  ! Collective: the same from each rank's own box. comm: an integer, or MPI_VAL of a communicator of mpi_f08.
  subroutine bricks_of_i64(self, shape, lower, upper, comm, ierr)
    class(weft_distribution), intent(inout) :: self
    integer(int64), intent(in) :: shape(:), lower(:), upper(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_distribution_bricks_of(size(shape), turned(shape), turned(fitted(lower, size(shape))) - 1, &
                                              turned(fitted(upper, size(shape))), int(comm, c_int), self%handle), ierr)
  end subroutine

  subroutine bricks_of_i32(self, shape, lower, upper, comm, ierr)
    class(weft_distribution), intent(inout) :: self
    integer(int32), intent(in) :: shape(:), lower(:), upper(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: ierr
    call self%bricks_of(int(shape, int64), int(lower, int64), int(upper, int64), comm, ierr)
  end subroutine

  subroutine destroy_distribution(self)
    class(weft_distribution), intent(inout) :: self
    call weft_distribution_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  function text_of_distribution(self, ierr) result(text)
    class(weft_distribution), intent(in) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_f_distribution_text(self%handle, given)
    text = taken(code, given, ierr)
  end function

  function axes_of_distribution(self) result(axes)
    class(weft_distribution), intent(in) :: self
    integer :: axes
    call settle(weft_distribution_axes(self%handle, axes))
  end function

  function shape_of_distribution(self) result(shape)
    class(weft_distribution), intent(in) :: self
    integer(int64), allocatable :: shape(:)
    allocate (shape(self%axes()))
    call settle(weft_distribution_shape(self%handle, shape))
    shape = turned(shape)
  end function

  function ranks_of_distribution(self) result(ranks)
    class(weft_distribution), intent(in) :: self
    integer :: ranks
    call settle(weft_distribution_ranks(self%handle, ranks))
  end function

  function local_shape(self, rank) result(shape)
    class(weft_distribution), intent(in) :: self
    integer, intent(in) :: rank
    integer(int64), allocatable :: shape(:)
    allocate (shape(self%axes()))
    call settle(weft_distribution_local_shape(self%handle, rank, shape))
    shape = turned(shape)
  end function

  ! The global index of every local position along an axis.
  function indices(self, rank, axis) result(global)
    class(weft_distribution), intent(in) :: self
    integer, intent(in) :: rank, axis
    integer(int64), allocatable :: global(:), extents(:)
    extents = self%local_shape(rank)
    allocate (global(0))
    if (axis >= 1 .and. axis <= size(extents)) then
      deallocate (global)
      allocate (global(extents(axis)))
    end if
    call settle(weft_distribution_indices(self%handle, rank, size(extents) - axis, global))
    global = global + 1
  end function

  ! The indices that a rank owns, if they have no gaps: lower to upper, both included.
  subroutine box(self, rank, lower, upper, is_box)
    class(weft_distribution), intent(in) :: self
    integer, intent(in) :: rank
    integer(int64), intent(out) :: lower(:), upper(:)
    logical, intent(out) :: is_box
    integer(int64), allocatable :: low(:), high(:)
    integer(c_int) :: found
    allocate (low(axes_of(self)), high(axes_of(self)), source=0_int64)
    call settle(weft_distribution_box(self%handle, rank, low, high, found))
    is_box = found /= 0
    lower = fitted(turned(low) + 1, size(lower))
    upper = fitted(turned(high), size(upper))
  end subroutine

  ! 0 without a handle, of which others complain.
  function axes_of(self) result(axes)
    class(weft_distribution), intent(in) :: self
    integer :: axes
    axes = 0
    if (weft_distribution_axes(self%handle, axes) /= weft_ok) axes = 0
  end function

  function owner_i64(self, index, ierr) result(rank)
    class(weft_distribution), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer, intent(out), optional :: ierr
    integer :: rank
    call settle(weft_distribution_owner(self%handle, turned(fitted(index, axes_of(self))) - 1, rank), ierr)
  end function

  function owner_i32(self, index, ierr) result(rank)
    class(weft_distribution), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer, intent(out), optional :: ierr
    integer :: rank
    rank = self%owner(int(index, int64), ierr)
  end function

  function same(self, other, ranks)
    class(weft_distribution), intent(in) :: self
    class(weft_distribution), intent(in) :: other
    integer, intent(in) :: ranks
    logical :: same
    integer(c_int) :: found
    call settle(weft_distribution_same(self%handle, other%handle, ranks, found))
    same = found /= 0
  end function

  pure function turned(list)
    integer(int64), intent(in) :: list(:)
    integer(int64) :: turned(size(list))
    turned = list(size(list):1:-1)
  end function

  ! ---- options: made by the first call that sets one ----

  subroutine set_text(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    call made(self)
    call settle(weft_options_set(self%handle, c_text(name), c_text(value)), ierr)
  end subroutine

  subroutine set_i64(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(24) :: text
    write (text, "(i0)") value
    call self%set(name, trim(text), ierr)
  end subroutine

  subroutine set_i32(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: ierr
    call self%set(name, int(value, int64), ierr)
  end subroutine

  subroutine set_logical(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: ierr
    call self%set(name, trim(merge("true ", "false", value)), ierr)
  end subroutine

  subroutine set_real(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(32) :: text
    write (text, "(es24.16)") value
    call self%set(name, trim(adjustl(text)), ierr)
  end subroutine

  ! A list of axes.
  subroutine set_list(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    character(12*size(value) + 1) :: text
    write (text, "(*(i0, :, ','))") value
    call self%set(name, trim(text), ierr)
  end subroutine

  ! An exact distribution of "in" or "out".
  subroutine set_how(self, name, value, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    class(weft_distribution), intent(in) :: value
    integer, intent(out), optional :: ierr
    call made(self)
    call settle(weft_options_set_distribution(self%handle, c_text(name), value%handle), ierr)
  end subroutine

  function get(self, name, ierr) result(text)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    call made(self)
    code = weft_options_get(self%handle, c_text(name), given)
    text = taken(code, given, ierr)
  end function

  ! Strides in elements, one per axis, that of a batch last; offset: of the first element.
  subroutine set_layout(self, side, strides, offset, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: side
    integer(int64), intent(in) :: strides(:), offset
    integer, intent(out), optional :: ierr
    call made(self)
    call settle(weft_options_set_layout(self%handle, c_text(side), size(strides), strides, offset), ierr)
  end subroutine

  ! An array with ghost cells: before(k) and after(k) more on each side of axis k.
  subroutine set_ghosts(self, side, local_shape, before, after, ierr)
    class(weft_options), intent(inout) :: self
    character(*), intent(in) :: side
    integer(int64), intent(in) :: local_shape(:)
    integer, intent(in) :: before(:), after(:)
    integer, intent(out), optional :: ierr
    integer(int64), dimension(size(local_shape)) :: strides, low, high
    integer :: k
    low = fitted(int(before, int64), size(local_shape))
    high = fitted(int(after, int64), size(local_shape))
    strides = 1
    do k = 2, size(strides)
      strides(k) = strides(k - 1)*(local_shape(k - 1) + low(k - 1) + high(k - 1))
    end do
    call self%set_layout(side, strides, merge(-1_int64, sum(strides*low), any(low < 0 .or. high < 0)), ierr)
  end subroutine

  ! call: c_funloc of a function as weft_progress in weft.h.
  subroutine set_progress(self, call, user, ierr)
    class(weft_options), intent(inout) :: self
    type(c_funptr), intent(in) :: call
    type(c_ptr), intent(in) :: user
    integer, intent(out), optional :: ierr
    call made(self)
    call settle(weft_options_set_progress(self%handle, call, user), ierr)
  end subroutine

  ! Where plans with these options work: in an arena, with others that never run at the same time.
  subroutine set_workspace(self, arena, ierr)
    class(weft_options), intent(inout) :: self
    class(weft_arena), intent(in) :: arena
    integer, intent(out), optional :: ierr
    call made(self)
    call settle(weft_options_set_workspace(self%handle, arena%handle), ierr)
  end subroutine

  subroutine made(self)
    use, intrinsic :: iso_c_binding, only: c_associated
    class(weft_options), intent(inout) :: self
    if (.not. c_associated(self%handle)) call settle(weft_options_create(self%handle))
  end subroutine

  subroutine destroy_options(self)
    class(weft_options), intent(inout) :: self
    call weft_options_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
