! SPDX-License-Identifier: BSD-3-Clause
! Plans, ghost cells, redistribution and the machine.
module weft_plans
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_double, c_ptr, c_funptr, c_null_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
#ifdef WEFT_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use weft_c
  use weft_support
  use weft_values
  use weft_arrays
  implicit none
  private
  public :: weft_distribution, weft_options, weft_array
  public :: weft_ok, weft_bad_argument, weft_bad_distribution, weft_bad_buffer, weft_mismatch, weft_unknown_name
  public :: weft_not_applicable, weft_mpi_failure, weft_internal, weft_bad_file
  public :: weft_c2c, weft_r2c, weft_r2r, weft_f32, weft_f64, weft_input, weft_output, weft_forward, weft_backward
  public :: weft_error_text, weft_version_text, weft_list, weft_explain, weft_measure_machine

  type, bind(c), public :: weft_timeline_entry
    integer(c_int) :: direction, call, position, activity
    real(c_double) :: begin, end
  end type

  type, public :: weft_plan
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_i32, create_i64
#ifdef WEFT_MPI_F08
    procedure, private :: create_f08_i32, create_f08_i64
    generic :: create => create_i32, create_i64, create_f08_i32, create_f08_i64
#else
    generic :: create => create_i32, create_i64
#endif
    procedure :: destroy => destroy_plan
    procedure :: forward
    procedure :: backward
    procedure :: forward_in_place
    procedure :: backward_in_place
    procedure :: forward_with
    procedure :: backward_with
    procedure :: forward_arrays
    procedure :: backward_arrays
    procedure :: forward_on
    procedure :: backward_on
    procedure :: make
    procedure :: make_over
    procedure :: distribution => distribution_of_plan
    procedure :: elements
    procedure :: number => number_of_plan
    procedure :: text => text_of_plan
    procedure :: stages
    procedure :: stage
    procedure :: reset_stages
    procedure :: set_like
    procedure :: record_timeline
    procedure :: timeline
  end type

  type, public :: weft_halo
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_halo
#ifdef WEFT_MPI_F08
    procedure, private :: create_halo_f08
    generic :: create => create_halo, create_halo_f08
#else
    generic :: create => create_halo
#endif
    procedure :: fill
    procedure :: accumulate
    procedure :: destroy => destroy_halo
  end type

  type, public :: weft_redistribution
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_move
#ifdef WEFT_MPI_F08
    procedure, private :: create_move_f08
    generic :: create => create_move, create_move_f08
#else
    generic :: create => create_move
#endif
    procedure :: destroy => destroy_move
    procedure :: run
    procedure :: number => number_of_move
  end type

  interface weft_measure_machine
    module procedure measure_machine
#ifdef WEFT_MPI_F08
    module procedure measure_machine_f08
#endif
  end interface

  interface weft_explain
    module procedure explain_i32, explain_i64
  end interface

contains

  function weft_error_text() result(text)
    character(:), allocatable :: text
    text = error_text()
  end function

  function weft_version_text() result(text)
    character(:), allocatable :: text
    text = borrowed(weft_version())
  end function

  ! "algorithms", "exchanges", "locals" or "options", with commas between them.
  function weft_list(what, ierr) result(text)
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_names(c_text(what), given)
    text = taken(code, given, ierr)
  end function

  ! ---- plans ----

  subroutine create_i64(self, shape, transform, precision, comm, options, ierr)
    class(weft_plan), intent(inout) :: self
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision, comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_plan_create(size(shape), shape(size(shape):1:-1), transform, precision, int(comm, c_int), &
                                   handle_of(options), self%handle), ierr)
  end subroutine

  subroutine create_i32(self, shape, transform, precision, comm, options, ierr)
    class(weft_plan), intent(inout) :: self
    integer(int32), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision, comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_i64(int(shape, int64), transform, precision, comm, options, ierr)
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine create_f08_i64(self, shape, transform, precision, comm, options, ierr)
    class(weft_plan), intent(inout) :: self
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision
    type(MPI_Comm), intent(in) :: comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_i64(shape, transform, precision, comm%MPI_VAL, options, ierr)
  end subroutine

  subroutine create_f08_i32(self, shape, transform, precision, comm, options, ierr)
    class(weft_plan), intent(inout) :: self
    integer(int32), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision
    type(MPI_Comm), intent(in) :: comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_i64(int(shape, int64), transform, precision, comm%MPI_VAL, options, ierr)
  end subroutine
#endif

  function handle_of(options) result(handle)
    class(weft_options), intent(in), optional :: options
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(options)) handle = options%handle
  end function

  subroutine destroy_plan(self)
    class(weft_plan), intent(inout) :: self
    call weft_plan_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  subroutine run_plan(self, direction, in, out, ierr)
    class(weft_plan), intent(in) :: self
    integer(c_int), intent(in) :: direction
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: from, to
    integer(c_int) :: code
    from = weft_f_gapless(in)
    to = weft_f_gapless(out)
    code = weft_f_plan_run(self%handle, direction, from, weft_f_bytes(in), to, weft_f_bytes(out))
    call weft_f_give_back(in, from, 0_c_int)
    call weft_f_give_back(out, to, 1_c_int)
    call settle(code, ierr)
  end subroutine

  subroutine run_plan_in_place(self, direction, x, ierr)
    class(weft_plan), intent(in) :: self
    integer(c_int), intent(in) :: direction
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first
    integer(c_int) :: code
    first = weft_f_gapless(x)
    code = weft_f_plan_run(self%handle, direction, first, weft_f_bytes(x), first, weft_f_bytes(x))
    call weft_f_give_back(x, first, 1_c_int)
    call settle(code, ierr)
  end subroutine

  subroutine run_plan_with(self, direction, in, out, function, user, ierr)
    class(weft_plan), intent(in) :: self
    integer(c_int), intent(in) :: direction
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: user
    integer, intent(out), optional :: ierr
    type(c_ptr) :: from, to
    integer(c_int) :: code
    from = weft_f_gapless(in)
    to = weft_f_gapless(out)
    code = weft_f_plan_with(self%handle, direction, from, weft_f_bytes(in), to, weft_f_bytes(out), function, user)
    call weft_f_give_back(in, from, 0_c_int)
    call weft_f_give_back(out, to, 1_c_int)
    call settle(code, ierr)
  end subroutine

  ! Any arrays of the plan's types, of any rank; collective. Sizes are checked, but for those of an array that begins with
  ! the element that was passed. Arrays with gaps are copied.
  subroutine forward(self, in, out, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    call run_plan(self, 0_c_int, in, out, ierr)
  end subroutine

  subroutine backward(self, in, out, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    call run_plan(self, 1_c_int, in, out, ierr)
  end subroutine

  subroutine forward_in_place(self, x, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call run_plan_in_place(self, 0_c_int, x, ierr)
  end subroutine

  subroutine backward_in_place(self, x, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call run_plan_in_place(self, 1_c_int, x, ierr)
  end subroutine

  ! With a function done to every mode where forward stores it or backward loads it: c_funloc of a procedure as weft_visit
  ! in weft.h, whose index counts from 1 in Fortran's order of axes.
  subroutine forward_with(self, in, out, function, user, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: user
    integer, intent(out), optional :: ierr
    call run_plan_with(self, 0_c_int, in, out, function, user, ierr)
  end subroutine

  subroutine backward_with(self, in, out, function, user, ierr)
    class(weft_plan), intent(in) :: self
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: user
    integer, intent(out), optional :: ierr
    call run_plan_with(self, 1_c_int, in, out, function, user, ierr)
  end subroutine

  ! Arrays that the plan made; in place, both are views of one memory.
  subroutine forward_arrays(self, in, out, ierr)
    class(weft_plan), intent(in) :: self
    class(weft_array), intent(in) :: in, out
    integer, intent(out), optional :: ierr
    call self%forward_on(in, out, c_null_ptr, ierr)
  end subroutine

  subroutine backward_arrays(self, in, out, ierr)
    class(weft_plan), intent(in) :: self
    class(weft_array), intent(in) :: in, out
    integer, intent(out), optional :: ierr
    call self%backward_on(in, out, c_null_ptr, ierr)
  end subroutine

  ! The same in a device's memory, in the order of a stream of it.
  subroutine forward_on(self, in, out, stream, ierr)
    class(weft_plan), intent(in) :: self
    class(weft_array), intent(in) :: in, out
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: ierr
    call settle(weft_f_plan_arrays(self%handle, 0_c_int, in%handle, out%handle, stream), ierr)
  end subroutine

  subroutine backward_on(self, in, out, stream, ierr)
    class(weft_plan), intent(in) :: self
    class(weft_array), intent(in) :: in, out
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: ierr
    call settle(weft_f_plan_arrays(self%handle, 1_c_int, in%handle, out%handle, stream), ierr)
  end subroutine

  ! Zeros for the side weft_input or weft_output; collective.
  subroutine make(self, side, array, ierr)
    class(weft_plan), intent(in) :: self
    integer, intent(in) :: side
    class(weft_array), intent(inout) :: array
    integer, intent(out), optional :: ierr
    call array%destroy()
    call settle(weft_array_create(self%handle, side, array%handle), ierr)
  end subroutine

  ! In place: the side's view of the memory of an array of the other side.
  subroutine make_over(self, side, memory, array, ierr)
    class(weft_plan), intent(in) :: self
    integer, intent(in) :: side
    class(weft_array), intent(in) :: memory
    class(weft_array), intent(inout) :: array
    integer, intent(out), optional :: ierr
    call array%destroy()
    call settle(weft_array_over(self%handle, side, memory%handle, array%handle), ierr)
  end subroutine

  ! Lets a plan that is made with these options lie as this one does, whatever its type, precision or batch.
  subroutine set_like(self, options, ierr)
    class(weft_plan), intent(in) :: self
    class(weft_options), intent(inout) :: options
    integer, intent(out), optional :: ierr
    call options%set("out", "any") ! makes the options, if nothing has yet
    call settle(weft_options_set_like(options%handle, self%handle), ierr)
  end subroutine

  function distribution_of_plan(self, side) result(how)
    class(weft_plan), intent(in) :: self
    integer, intent(in) :: side
    type(weft_distribution) :: how
    call settle(weft_plan_distribution(self%handle, side, how%handle))
  end function

  ! That an array of this rank must have, layout and batch included.
  function elements(self, side) result(count)
    class(weft_plan), intent(in) :: self
    integer, intent(in) :: side
    integer(int64) :: count
    integer(c_size_t) :: bytes
    call settle(weft_plan_elements(self%handle, side, count, bytes))
  end function

  function number_of_plan(self, what, ierr) result(number)
    class(weft_plan), intent(in) :: self
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    integer(int64) :: number
    call settle(weft_plan_number(self%handle, c_text(what), number), ierr)
  end function

  function text_of_plan(self, what, ierr) result(text)
    class(weft_plan), intent(in) :: self
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_plan_text(self%handle, c_text(what), given)
    text = taken(code, given, ierr)
  end function

  function stages(self) result(count)
    class(weft_plan), intent(in) :: self
    integer :: count
    call settle(weft_plan_stages(self%handle, count))
  end function

  ! Stages count from 1.
  subroutine stage(self, number, name, seconds, ierr)
    class(weft_plan), intent(in) :: self
    integer, intent(in) :: number
    character(:), allocatable, intent(out) :: name
    real(real64), intent(out) :: seconds
    integer, intent(out), optional :: ierr
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_plan_stage(self%handle, number - 1, given, seconds)
    name = taken(code, given, ierr)
  end subroutine

  subroutine reset_stages(self)
    class(weft_plan), intent(in) :: self
    call settle(weft_plan_reset_stages(self%handle))
  end subroutine

  subroutine record_timeline(self, on)
    class(weft_plan), intent(in) :: self
    logical, intent(in) :: on
    call settle(weft_plan_record_timeline(self%handle, merge(1_c_int, 0_c_int, on)))
  end subroutine

  subroutine timeline(self, entries)
    class(weft_plan), intent(in) :: self
    type(weft_timeline_entry), allocatable, target, intent(out) :: entries(:)
    integer(c_int64_t) :: count
    call settle(weft_plan_timeline(self%handle, 0_c_int64_t, c_null_ptr, count))
    allocate (entries(count))
    if (count > 0) call settle(weft_plan_timeline(self%handle, count, c_loc(entries), count))
  end subroutine

  function explain_i64(shape, transform, precision, ranks, options, ierr) result(text)
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision, ranks
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_f_explain(size(shape), shape(size(shape):1:-1), transform, precision, handle_of(options), ranks, given)
    text = taken(code, given, ierr)
  end function

  function explain_i32(shape, transform, precision, ranks, options, ierr) result(text)
    integer(int32), intent(in) :: shape(:)
    integer, intent(in) :: transform, precision, ranks
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    text = weft_explain(int(shape, int64), transform, precision, ranks, options, ierr)
  end function

  ! ---- ghost cells of boxes, in a periodic array ----

  ! before(k) and after(k) cells on each side of every rank's box along axis k; parts: 1 of real, 2 of complex elements.
  subroutine create_halo(self, how, before, after, batch, precision, parts, comm, ierr)
    class(weft_halo), intent(inout) :: self
    class(weft_distribution), intent(in) :: how
    integer, intent(in) :: before(:), after(:), batch, precision, parts, comm
    integer, intent(out), optional :: ierr
    integer(int64), allocatable :: low(:), high(:)
    integer :: axes
    call self%destroy()
    axes = axes_of(how)
    low = fitted(int(before, int64), axes)
    high = fitted(int(after, int64), axes)
    call settle(weft_f_halo_create(how%handle, low(axes:1:-1), high(axes:1:-1), int(batch, int64), precision, parts, &
                                   int(comm, c_int), self%handle), ierr)
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine create_halo_f08(self, how, before, after, batch, precision, parts, comm, ierr)
    class(weft_halo), intent(inout) :: self
    class(weft_distribution), intent(in) :: how
    integer, intent(in) :: before(:), after(:), batch, precision, parts
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr
    call self%create_halo(how, before, after, batch, precision, parts, comm%MPI_VAL, ierr)
  end subroutine
#endif

  subroutine run_halo(self, direction, x, ierr)
    class(weft_halo), intent(in) :: self
    integer(c_int), intent(in) :: direction
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first
    integer(c_int) :: code
    first = weft_f_gapless(x)
    code = weft_f_halo_run(self%handle, direction, first, weft_f_bytes(x))
    call weft_f_give_back(x, first, 1_c_int)
    call settle(code, ierr)
  end subroutine

  ! x(1-before(1):n(1)+after(1), ...), contiguous: every ghost cell becomes the element that it stands for.
  subroutine fill(self, x, ierr)
    class(weft_halo), intent(in) :: self
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call run_halo(self, 0_c_int, x, ierr)
  end subroutine

  ! Every ghost cell is added to the element that it stands for, and is zero afterwards.
  subroutine accumulate(self, x, ierr)
    class(weft_halo), intent(in) :: self
    type(*), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call run_halo(self, 1_c_int, x, ierr)
  end subroutine

  subroutine destroy_halo(self)
    class(weft_halo), intent(inout) :: self
    call weft_halo_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! ---- redistribution, and the machine ----

  subroutine create_move(self, from, to, element_bytes, comm, options, ierr)
    class(weft_redistribution), intent(inout) :: self
    class(weft_distribution), intent(in) :: from, to
    integer, intent(in) :: element_bytes, comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%destroy()
    call settle(weft_f_redistribution_create(from%handle, to%handle, int(element_bytes, c_size_t), int(comm, c_int), &
                                             handle_of(options), self%handle), ierr)
  end subroutine

#ifdef WEFT_MPI_F08
  subroutine create_move_f08(self, from, to, element_bytes, comm, options, ierr)
    class(weft_redistribution), intent(inout) :: self
    class(weft_distribution), intent(in) :: from, to
    integer, intent(in) :: element_bytes
    type(MPI_Comm), intent(in) :: comm
    class(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call self%create_move(from, to, element_bytes, comm%MPI_VAL, options, ierr)
  end subroutine
#endif

  subroutine destroy_move(self)
    class(weft_redistribution), intent(inout) :: self
    call weft_redistribution_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  subroutine run(self, in, out, ierr)
    class(weft_redistribution), intent(in) :: self
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: from, to
    integer(c_int) :: code
    from = weft_f_gapless(in)
    to = weft_f_gapless(out)
    code = weft_f_redistribution_run(self%handle, from, weft_f_bytes(in), to, weft_f_bytes(out))
    call weft_f_give_back(in, from, 0_c_int)
    call weft_f_give_back(out, to, 1_c_int)
    call settle(code, ierr)
  end subroutine

  function number_of_move(self, what, ierr) result(number)
    class(weft_redistribution), intent(in) :: self
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    integer(int64) :: number
    call settle(weft_redistribution_number(self%handle, c_text(what), number), ierr)
  end function

  ! Figures of the machine, for the option "machine"; wisdom_file may be "".
  function measure_machine(comm, wisdom_file, ierr) result(text)
    integer, intent(in) :: comm
    character(*), intent(in) :: wisdom_file
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    type(c_ptr) :: given
    integer(c_int) :: code
    code = weft_f_measure_machine(int(comm, c_int), c_text(wisdom_file), given)
    text = taken(code, given, ierr)
  end function

#ifdef WEFT_MPI_F08
  function measure_machine_f08(comm, wisdom_file, ierr) result(text)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: wisdom_file
    integer, intent(out), optional :: ierr
    character(:), allocatable :: text
    text = measure_machine(comm%MPI_VAL, wisdom_file, ierr)
  end function
#endif
end module
