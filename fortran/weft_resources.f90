! SPDX-License-Identifier: BSD-3-Clause
! What plans can share: what was learned by measuring, and memory to work in.
module weft_resources
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_ptr, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use weft_c
  use weft_support
  implicit none
  private

  type, public :: weft_wisdom
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: load
    procedure :: parse => parse_wisdom
    procedure :: text => text_of_wisdom
    procedure :: entries
    procedure :: merge => merge_wisdom
    procedure :: save_into
    procedure :: destroy => destroy_wisdom
  end type

  ! The workspace of plans that never run at the same time. It may be destroyed before the plans.
  type, public :: weft_arena
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_arena
    procedure :: over => create_arena_over
    procedure :: bytes => bytes_of_arena
    procedure :: destroy => destroy_arena
  end type

contains

  subroutine load(self, file, ierr)
    class(weft_wisdom), intent(inout) :: self
    character(*), intent(in) :: file
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_wisdom_load(c_text(file), self%handle), ierr)
  end subroutine

  subroutine parse_wisdom(self, text, ierr)
    class(weft_wisdom), intent(inout) :: self
    character(*), intent(in) :: text
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_wisdom_parse(c_text(text), self%handle), ierr)
  end subroutine

  function text_of_wisdom(self, ierr) result(text)
    class(weft_wisdom), intent(in) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_wisdom_text(self%handle, given)
    text = taken(code, given, ierr)
  end function

  function entries(self) result(count)
    class(weft_wisdom), intent(in) :: self
    integer(int64) :: count
    call settle(weft_wisdom_entries(self%handle, count))
  end function

  subroutine merge_wisdom(self, other, ierr)
    class(weft_wisdom), intent(inout) :: self
    class(weft_wisdom), intent(in) :: other
    integer, intent(out), optional :: ierr
    call settle(weft_wisdom_merge(self%handle, other%handle), ierr)
  end subroutine

  subroutine save_into(self, file, replace, ierr)
    class(weft_wisdom), intent(in) :: self
    character(*), intent(in) :: file
    logical, intent(in), optional :: replace
    integer, intent(out), optional :: ierr
    integer(c_int) :: instead
    instead = 0
    if (present(replace)) instead = merge(1, 0, replace)
    call settle(weft_wisdom_save_into(self%handle, c_text(file), instead), ierr)
  end subroutine

  subroutine destroy_wisdom(self)
    class(weft_wisdom), intent(inout) :: self
    call weft_wisdom_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! Grows to what the largest of its plans needs.
  subroutine create_arena(self, ierr)
    class(weft_arena), intent(inout) :: self
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_arena_create(self%handle), ierr)
  end subroutine

  ! memory: c_loc of so many bytes, which must stay as long as the plans.
  subroutine create_arena_over(self, memory, bytes, ierr)
    class(weft_arena), intent(inout) :: self
    type(c_ptr), intent(in) :: memory
    integer(int64), intent(in) :: bytes
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_arena_over(memory, int(max(bytes, 0_int64), c_size_t), self%handle), ierr)
  end subroutine

  ! What it has grown to, or was given.
  function bytes_of_arena(self, ierr) result(bytes)
    class(weft_arena), intent(in) :: self
    integer, intent(out), optional :: ierr
    integer(int64) :: bytes
    integer(c_size_t) :: found
    found = 0
    call settle(weft_arena_bytes(self%handle, found), ierr)
    bytes = int(found, int64)
  end function

  subroutine destroy_arena(self)
    class(weft_arena), intent(inout) :: self
    call weft_arena_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
