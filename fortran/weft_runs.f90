! SPDX-License-Identifier: BSD-3-Clause
! Transforms that are started, and done while others are under way.
module weft_runs
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_null_ptr, c_associated, c_loc
  use weft_support
  use weft_arrays
  use weft_plans
  implicit none
  private

  ! What is done until %wait returns or %test says so; the arrays must stay until then, and be left alone. All ranks start,
  ! wait for and destroy their runs in the same order.
  type, public :: weft_started
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: forward => start_forward
    procedure :: backward => start_backward
    procedure :: forward_in_place => start_forward_in_place
    procedure :: backward_in_place => start_backward_in_place
    procedure :: forward_arrays => start_forward_arrays
    procedure :: backward_arrays => start_backward_arrays
    procedure :: test
    procedure :: wait => wait_for_run
    procedure :: destroy => destroy_run
  end type

  interface
    ! Of arrays without gaps; a copy of another would be gone before the run is done.
    function bytes_of(array) bind(c, name="weft_f_gapless_bytes") result(bytes)
      import :: c_int64_t
      type(*), intent(in), asynchronous :: array(..)
      integer(c_int64_t) :: bytes
    end function
    function weft_f_plan_start(of, backward, in, in_bytes, out, out_bytes, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, in, out
      integer(c_int), value :: backward
      integer(c_int64_t), value :: in_bytes, out_bytes
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function weft_f_plan_start_arrays(of, backward, in, out, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, in, out
      integer(c_int), value :: backward
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    function weft_started_test(of, done) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), intent(inout) :: done
      integer(c_int) :: code
    end function
    function weft_started_wait(of) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int) :: code
    end function
    subroutine weft_started_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
  end interface

contains

  ! Arrays that are asynchronous, contiguous, and of the plan's types and sizes, of any rank; collective.
  subroutine start_forward(self, plan, in, out, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), asynchronous, target :: in(..)
    type(*), intent(inout), asynchronous, target :: out(..)
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start(plan%handle, 0_c_int, c_loc(in), bytes_of(in), c_loc(out), bytes_of(out), self%handle), ierr)
  end subroutine

  subroutine start_backward(self, plan, in, out, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), asynchronous, target :: in(..)
    type(*), intent(inout), asynchronous, target :: out(..)
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start(plan%handle, 1_c_int, c_loc(in), bytes_of(in), c_loc(out), bytes_of(out), self%handle), ierr)
  end subroutine

  subroutine start_forward_in_place(self, plan, x, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    type(*), intent(inout), asynchronous, target :: x(..)
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start(plan%handle, 0_c_int, c_loc(x), bytes_of(x), c_loc(x), bytes_of(x), self%handle), ierr)
  end subroutine

  subroutine start_backward_in_place(self, plan, x, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    type(*), intent(inout), asynchronous, target :: x(..)
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start(plan%handle, 1_c_int, c_loc(x), bytes_of(x), c_loc(x), bytes_of(x), self%handle), ierr)
  end subroutine

  ! Arrays that the plan made; in place, both are views of one memory.
  subroutine start_forward_arrays(self, plan, in, out, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    class(weft_array), intent(in) :: in, out
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start_arrays(plan%handle, 0_c_int, in%handle, out%handle, self%handle), ierr)
  end subroutine

  subroutine start_backward_arrays(self, plan, in, out, ierr)
    class(weft_started), intent(inout) :: self
    class(weft_plan), intent(in) :: plan
    class(weft_array), intent(in) :: in, out
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_start_arrays(plan%handle, 1_c_int, in%handle, out%handle, self%handle), ierr)
  end subroutine

  ! Goes on as far as that is possible without waiting for other ranks, and tells whether all is done.
  function test(self, ierr) result(done)
    class(weft_started), intent(in) :: self
    integer, intent(out), optional :: ierr
    logical :: done
    integer(c_int) :: answer
    answer = 1 ! nothing was started, or it failed: nothing is left to wait for
    if (c_associated(self%handle)) then
      call settle(weft_started_test(self%handle, answer), ierr)
    else if (present(ierr)) then
      ierr = weft_ok
    end if
    done = answer /= 0
  end function

  subroutine wait_for_run(self, ierr)
    class(weft_started), intent(inout) :: self
    integer, intent(out), optional :: ierr
    if (present(ierr)) ierr = weft_ok
    if (c_associated(self%handle)) call settle(weft_started_wait(self%handle), ierr)
    call self%destroy()
  end subroutine

  ! Waits, if that was not done.
  subroutine destroy_run(self)
    class(weft_started), intent(inout) :: self
    call weft_started_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
