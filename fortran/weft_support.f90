! SPDX-License-Identifier: BSD-3-Clause
! Errors, and texts in both directions.
module weft_support
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_ptr, c_null_char, c_size_t, c_associated, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use weft_c
  implicit none
  private
  public :: settle, error_text, c_text, taken, borrowed, fitted

  integer, parameter, public :: weft_ok = 0
  integer, parameter, public :: weft_bad_argument = 1
  integer, parameter, public :: weft_bad_distribution = 2
  integer, parameter, public :: weft_bad_buffer = 3
  integer, parameter, public :: weft_mismatch = 4
  integer, parameter, public :: weft_unknown_name = 5
  integer, parameter, public :: weft_not_applicable = 6
  integer, parameter, public :: weft_mpi_failure = 7
  integer, parameter, public :: weft_internal = 8
  integer, parameter, public :: weft_bad_file = 9

  integer, parameter, public :: weft_c2c = 0, weft_r2c = 1, weft_r2r = 2
  integer, parameter, public :: weft_f32 = 0, weft_f64 = 1
  integer, parameter, public :: weft_input = 0, weft_output = 1
  integer, parameter, public :: weft_forward = 0, weft_backward = 1

  interface
    function strlen(text) bind(c) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! Gives the code to whoever wants it; without, an error ends the program with its text.
  subroutine settle(code, ierr)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = code
    else if (code /= weft_ok) then
      write (error_unit, "(2a)") "weft: ", error_text()
      error stop 1
    end if
  end subroutine

  ! Of the last error. Weft names axes as C has them, and so this says it where one is named.
  function error_text() result(text)
    character(:), allocatable :: text
    text = borrowed(weft_last_error())
    if (index(text, "axis ") > 0) text = text//" (axes are numbered from 0 here, the slowest first)"
  end function

  ! A list of another length than it must have becomes one of that length which no call accepts: on one rank alone, too, it
  ! is then an error of all.
  pure function fitted(list, length) result(right)
    integer(int64), intent(in) :: list(:)
    integer, intent(in) :: length
    integer(int64) :: right(length)
    right = -1
    if (size(list) == length) right = list
  end function

  pure function c_text(text) result(copy)
    character(*), intent(in) :: text
    character(len=len_trim(text) + 1, kind=c_char) :: copy
    copy = trim(text)//c_null_char
  end function

  function borrowed(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: all(:)
    integer :: k
    if (.not. c_associated(text)) then
      copy = ""
      return
    end if
    call c_f_pointer(text, all, [strlen(text)])
    allocate (character(size(all)) :: copy)
    do k = 1, size(all)
      copy(k:k) = all(k)
    end do
  end function

  ! A text that is ours now, and given back.
  function taken(code, text, ierr) result(copy)
    integer(c_int), intent(in) :: code
    type(c_ptr), intent(in) :: text
    integer, intent(out), optional :: ierr
    character(:), allocatable :: copy
    call settle(code, ierr)
    copy = ""
    if (code /= weft_ok) return
    copy = borrowed(text)
    call weft_free(text)
  end function
end module
