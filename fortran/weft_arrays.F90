! SPDX-License-Identifier: BSD-3-Clause
! Arrays that know their global indices, as pointers of the right rank with global bounds.
module weft_arrays
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_float, c_double, c_ptr, c_null_ptr, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int64
  use weft_c
  use weft_support
  use weft_values
  implicit none
  private

  type, public :: weft_array
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_array
    procedure :: over
    procedure :: copy_to
    procedure :: to_host
    procedure :: destroy => destroy_array
    procedure :: size => size_of_array
    procedure :: distribution => distribution_of_array
    procedure :: number => number_of_array
    procedure, private :: &
      c64_1, c64_2, c64_3, c64_4, c64_5, c64_6, c64_7, &
      c32_1, c32_2, c32_3, c32_4, c32_5, c32_6, c32_7, &
      r64_1, r64_2, r64_3, r64_4, r64_5, r64_6, r64_7, &
      r32_1, r32_2, r32_3, r32_4, r32_5, r32_6, r32_7
    generic :: pointer => &
      c64_1, c64_2, c64_3, c64_4, c64_5, c64_6, c64_7, &
      c32_1, c32_2, c32_3, c32_4, c32_5, c32_6, c32_7, &
      r64_1, r64_2, r64_3, r64_4, r64_5, r64_6, r64_7, &
      r32_1, r32_2, r32_3, r32_4, r32_5, r32_6, r32_7
  end type

contains

  ! Zeros of element_bytes each in any distribution; plans make their own.
  subroutine create_array(self, how, rank, batch, element_bytes, ierr)
    class(weft_array), intent(inout) :: self
    class(weft_distribution), intent(in) :: how
    integer, intent(in) :: rank, batch, element_bytes
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_array_create_as(how%handle, rank, int(batch, c_int64_t), int(element_bytes, c_size_t), &
                                     self%handle), ierr)
  end subroutine

  ! Memory of the caller's, c_loc(x), of so many elements, which stays his: for what takes arrays. Strides, in elements, one
  ! per axis, that of a batch last; without them, x is compact.
  subroutine over(self, how, rank, batch, element_bytes, memory, elements, strides, offset, ierr)
    class(weft_array), intent(inout) :: self
    class(weft_distribution), intent(in) :: how
    integer, intent(in) :: rank, batch, element_bytes
    type(c_ptr), intent(in) :: memory
    integer(int64), intent(in) :: elements
    integer(int64), intent(in), optional :: strides(:), offset
    integer, intent(out), optional :: ierr
    integer(int64), allocatable :: ours(:)
    integer(int64) :: first
    call self%destroy()
    ours = [integer(int64) ::]
    first = 0
    if (present(strides)) ours = strides(size(strides):1:-1)
    if (present(offset)) first = offset
    call settle(weft_array_create_in(how%handle, rank, int(batch, c_int64_t), int(element_bytes, c_size_t), size(ours), &
                                     ours, first, memory, int(elements*element_bytes, c_size_t), self%handle), ierr)
  end subroutine

  ! The elements of this one in another of the same distribution and layout, in the host's memory or a device's.
  subroutine copy_to(self, other, ierr)
    class(weft_array), intent(in) :: self, other
    integer, intent(out), optional :: ierr
    call settle(weft_array_copy(self%handle, other%handle), ierr)
  end subroutine

  ! A copy in the host's memory.
  subroutine to_host(self, copy, ierr)
    class(weft_array), intent(in) :: self
    class(weft_array), intent(inout) :: copy
    integer, intent(out), optional :: ierr
    call copy%destroy()
    call settle(weft_array_to_host(self%handle, copy%handle), ierr)
  end subroutine

  subroutine destroy_array(self)
    class(weft_array), intent(inout) :: self
    call weft_array_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! Elements of this rank, those of a batch together.
  function size_of_array(self) result(elements)
    class(weft_array), intent(in) :: self
    integer(int64) :: elements
    elements = weft_array_size(self%handle)
  end function

  function distribution_of_array(self) result(how)
    class(weft_array), intent(in) :: self
    type(weft_distribution) :: how
    call settle(weft_array_distribution(self%handle, how%handle))
  end function

  function number_of_array(self, what, ierr) result(number)
    class(weft_array), intent(in) :: self
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    integer(int64) :: number
    call settle(weft_array_number(self%handle, c_text(what), number), ierr)
  end function

  ! Bounds and extents of a pointer to all elements, that of a batch of more than one the last, or the first if its arrays
  ! are interleaved. The lower bound along an axis is the global index, counted from `origin` (1), or 1 in distributions
  ! that leave gaps on some rank.
  subroutine describe(self, element_bytes, parts, lower, extent, origin, code)
    class(weft_array), intent(in) :: self
    integer, intent(in) :: element_bytes, parts
    integer(int64), intent(out) :: lower(:), extent(:)
    integer, intent(in), optional :: origin
    integer(c_int), intent(out) :: code
    type(weft_distribution) :: how
    integer(int64) :: strides(17), offset, batch, bytes, its_parts, rank  ! one stride more of a batch
    integer(int64), allocatable :: low(:), high(:), n(:), s(:), l(:)
    integer :: d, r
    logical :: is_box, all_boxes
    character(200) :: text
    code = weft_array_number(self%handle, c_text("element_bytes"), bytes)
    if (code == weft_ok) code = weft_array_number(self%handle, c_text("parts"), its_parts)
    if (code == weft_ok) code = weft_array_number(self%handle, c_text("batch"), batch)
    if (code == weft_ok) code = weft_array_number(self%handle, c_text("rank"), rank)
    if (code == weft_ok) code = weft_array_layout(self%handle, strides, offset)
    if (code == weft_ok) code = weft_array_distribution(self%handle, how%handle)
    if (code /= weft_ok) return
    d = how%axes()
    allocate (low(d), high(d))
    all_boxes = .true.
    do r = 0, how%ranks() - 1
      call how%box(r, low, high, is_box)
      all_boxes = all_boxes .and. is_box
    end do
    call how%box(int(rank), low, high, is_box)
    n = how%local_shape(int(rank))
    call how%destroy()
    if (.not. all_boxes) then
      l = 0*n + 1
    else if (present(origin)) then
      l = low - 1 + origin
    else
      l = low
    end if
    if (batch > 1) then
      s = [strides(d + 1:2:-1), strides(1)]
      n = [n, batch]
      l = [l, 1_int64]
      if (strides(1) == 1) then ! interleaved, if that makes it compact
        if (.not. compact(s, n)) then
          s = cshift(s, -1)
          n = cshift(n, -1)
          l = cshift(l, -1)
        end if
      end if
    else
      s = strides(d:1:-1)
    end if
    if (size(n) /= size(extent) .or. bytes /= element_bytes) then
      write (text, "(3(a, i0), a, i0)") "the pointer has ", size(extent), " axes and elements of ", element_bytes, &
        " bytes, the array ", size(n), " axes, its batch among them, and elements of ", bytes
      code = weft_f_complain(c_text(trim(text)))
      return
    else if (its_parts /= 0 .and. its_parts /= parts) then
      code = weft_f_complain(c_text("the pointer is "//trim(merge("real   ", "complex", parts == 1))// &
                                    ", the array's elements of the same size are not"))
      return
    else if (product(n) > 0 .and. (offset /= 0 .or. .not. compact(s, n))) then
      code = weft_f_complain(c_text("the array has gaps, or its axes in another order: no pointer is like that"))
      return
    end if
    lower = l
    extent = n
    code = weft_ok
  end subroutine

  ! Whether elements with these strides lie one after the other.
  pure function compact(strides, extents)
    integer(int64), intent(in) :: strides(:), extents(:)
    logical :: compact
    integer(int64) :: expected
    integer :: k
    compact = .true.
    expected = 1
    do k = 1, size(strides)
      if (extents(k) > 1 .and. strides(k) /= expected) compact = .false.
      expected = expected*extents(k)
    end do
  end function

#define POINTER_RANK 1
#define POINTER_SHAPE :
#define POINTER_BOUNDS l(1):
#define POINTER_NAME c64_1
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_1
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_1
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_1
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 2
#define POINTER_SHAPE :, :
#define POINTER_BOUNDS l(1):, l(2):
#define POINTER_NAME c64_2
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_2
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_2
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_2
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 3
#define POINTER_SHAPE :, :, :
#define POINTER_BOUNDS l(1):, l(2):, l(3):
#define POINTER_NAME c64_3
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_3
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_3
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_3
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 4
#define POINTER_SHAPE :, :, :, :
#define POINTER_BOUNDS l(1):, l(2):, l(3):, l(4):
#define POINTER_NAME c64_4
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_4
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_4
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_4
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 5
#define POINTER_SHAPE :, :, :, :, :
#define POINTER_BOUNDS l(1):, l(2):, l(3):, l(4):, l(5):
#define POINTER_NAME c64_5
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_5
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_5
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_5
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 6
#define POINTER_SHAPE :, :, :, :, :, :
#define POINTER_BOUNDS l(1):, l(2):, l(3):, l(4):, l(5):, l(6):
#define POINTER_NAME c64_6
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_6
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_6
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_6
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS

#define POINTER_RANK 7
#define POINTER_SHAPE :, :, :, :, :, :, :
#define POINTER_BOUNDS l(1):, l(2):, l(3):, l(4):, l(5):, l(6):, l(7):
#define POINTER_NAME c64_7
#define POINTER_TYPE complex(c_double)
#define POINTER_BYTES 16
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME c32_7
#define POINTER_TYPE complex(c_float)
#define POINTER_BYTES 8
#define POINTER_PARTS 2
#include "weft_pointer.inc"
#define POINTER_NAME r64_7
#define POINTER_TYPE real(c_double)
#define POINTER_BYTES 8
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#define POINTER_NAME r32_7
#define POINTER_TYPE real(c_float)
#define POINTER_BYTES 4
#define POINTER_PARTS 1
#include "weft_pointer.inc"
#undef POINTER_RANK
#undef POINTER_SHAPE
#undef POINTER_BOUNDS
end module
