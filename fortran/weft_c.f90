! SPDX-License-Identifier: BSD-3-Clause
! The functions of weft.h, and those that only this module calls, as Fortran sees them.
module weft_c
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_double, c_char, c_ptr, c_funptr
  implicit none
  public

  interface
    function weft_last_error() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function weft_version() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    subroutine weft_free(text) bind(c)
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine
    function weft_names(what, names) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: what(*)
      type(c_ptr), intent(out) :: names
      integer(c_int) :: code
    end function

    function weft_f_distribution_parse(text, axes, shape, ranks, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: axes, ranks
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_distribution_bricks(axes, shape, ranks, low, high, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes, ranks
      integer(c_int64_t), intent(in) :: shape(*), low(*), high(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_f_distribution_bricks_of(axes, shape, low, high, on, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes, on
      integer(c_int64_t), intent(in) :: shape(*), low(*), high(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_distribution_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_f_distribution_text(of, text) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
    function weft_distribution_axes(of, axes) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), intent(out) :: axes
      integer(c_int) :: code
    end function
    function weft_distribution_shape(of, shape) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t), intent(out) :: shape(*)
      integer(c_int) :: code
    end function
    function weft_distribution_ranks(of, ranks) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), intent(out) :: ranks
      integer(c_int) :: code
    end function
    function weft_distribution_local_shape(of, rank, shape) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: shape(*)
      integer(c_int) :: code
    end function
    function weft_distribution_indices(of, rank, axis, indices) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: rank, axis
      integer(c_int64_t), intent(inout) :: indices(*)
      integer(c_int) :: code
    end function
    function weft_distribution_box(of, rank, low, high, is_box) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: rank
      integer(c_int64_t), intent(inout) :: low(*), high(*)
      integer(c_int), intent(out) :: is_box
      integer(c_int) :: code
    end function
    function weft_distribution_owner(of, index, rank) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function weft_distribution_same(a, b, ranks, same) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
      integer(c_int), value :: ranks
      integer(c_int), intent(out) :: same
      integer(c_int) :: code
    end function

    function weft_options_create(made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_options_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_options_set(of, name, text) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_int) :: code
    end function
    function weft_options_get(of, name, text) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
    function weft_options_set_distribution(of, name, how) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: of, how
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: code
    end function
    function weft_options_set_like(of, other) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, other
      integer(c_int) :: code
    end function
    function weft_arena_create(made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_arena_over(memory, bytes, made) bind(c) result(code)
      import :: c_int, c_size_t, c_ptr
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_arena_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_arena_bytes(of, bytes) bind(c) result(code)
      import :: c_int, c_size_t, c_ptr
      type(c_ptr), value :: of
      integer(c_size_t), intent(out) :: bytes
      integer(c_int) :: code
    end function
    function weft_options_set_workspace(of, where) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, where
      integer(c_int) :: code
    end function
    function weft_options_set_layout(of, name, strides_count, strides, offset) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: strides_count
      integer(c_int64_t), intent(in) :: strides(*)
      integer(c_int64_t), value :: offset
      integer(c_int) :: code
    end function
    function weft_options_set_progress(of, call, user) bind(c) result(code)
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: of, user
      type(c_funptr), value :: call
      integer(c_int) :: code
    end function

    function weft_f_plan_create(axes, shape, transform, precision, on, options, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes, transform, precision
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int), value :: on ! MPI_Fint
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_plan_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_f_complain(text) bind(c) result(code)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: code
    end function
    function weft_f_bytes(of) bind(c) result(bytes)
      import :: c_int64_t
      type(*), intent(in) :: of(..)
      integer(c_int64_t) :: bytes
    end function
    function weft_f_gapless(of) bind(c) result(first)
      import :: c_ptr
      type(*), intent(in), target :: of(..)
      type(c_ptr) :: first
    end function
    subroutine weft_f_give_back(of, first, changed) bind(c)
      import :: c_int, c_ptr
      type(*), intent(in), target :: of(..)
      type(c_ptr), value :: first
      integer(c_int), value :: changed
    end subroutine
    function weft_f_plan_run(of, backward, in, in_bytes, out, out_bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, in, out
      integer(c_int), value :: backward
      integer(c_int64_t), value :: in_bytes, out_bytes
      integer(c_int) :: code
    end function
    function weft_f_plan_arrays(of, backward, in, out, stream) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, in, out, stream
      integer(c_int), value :: backward
      integer(c_int) :: code
    end function
    function weft_f_plan_with(of, backward, in, in_bytes, out, out_bytes, call, user) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr, c_funptr
      type(c_ptr), value :: of, in, out, user
      integer(c_int), value :: backward
      integer(c_int64_t), value :: in_bytes, out_bytes
      type(c_funptr), value :: call
      integer(c_int) :: code
    end function
    function weft_plan_distribution(of, side, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: side
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_plan_elements(of, side, elements, element_bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_size_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: side
      integer(c_int64_t), intent(out) :: elements
      integer(c_size_t), intent(out) :: element_bytes
      integer(c_int) :: code
    end function
    function weft_plan_number(of, what, number) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int64_t), intent(out) :: number
      integer(c_int) :: code
    end function
    function weft_plan_text(of, what, text) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: what(*)
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
    function weft_plan_stages(of, count) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), intent(out) :: count
      integer(c_int) :: code
    end function
    function weft_plan_stage(of, number, name, seconds) bind(c) result(code)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: number
      type(c_ptr), intent(out) :: name
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function
    function weft_plan_reset_stages(of) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int) :: code
    end function
    function weft_plan_record_timeline(of, on) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: on
      integer(c_int) :: code
    end function
    function weft_plan_timeline(of, room, entries, count) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, entries
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: code
    end function
    function weft_f_explain(axes, shape, transform, precision, options, ranks, text) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes, transform, precision, ranks
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function

    function weft_array_create(of, side, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      integer(c_int), value :: side
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_array_over(of, side, memory, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of, memory
      integer(c_int), value :: side
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_array_create_as(how, rank, batch, element_bytes, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_size_t, c_ptr
      type(c_ptr), value :: how
      integer(c_int), value :: rank
      integer(c_int64_t), value :: batch
      integer(c_size_t), value :: element_bytes
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_array_create_in(how, rank, batch, element_bytes, strides_count, strides, offset, memory, bytes, made) &
      bind(c) result(code)
      import :: c_int, c_int64_t, c_size_t, c_ptr
      type(c_ptr), value :: how, memory
      integer(c_int), value :: rank, strides_count
      integer(c_int64_t), value :: batch, offset
      integer(c_size_t), value :: element_bytes, bytes
      integer(c_int64_t), intent(in) :: strides(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_array_copy(from, to) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: from, to
      integer(c_int) :: code
    end function
    function weft_array_to_host(of, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_array_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_array_data(of) bind(c) result(address)
      import :: c_ptr
      type(c_ptr), value :: of
      type(c_ptr) :: address
    end function
    function weft_array_size(of) bind(c) result(elements)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t) :: elements
    end function
    function weft_array_number(of, what, number) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int64_t), intent(out) :: number
      integer(c_int) :: code
    end function
    function weft_array_distribution(of, made) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_array_layout(of, strides, offset) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t), intent(out) :: strides(*), offset
      integer(c_int) :: code
    end function

    function weft_f_halo_create(how, before, after, batch, precision, parts, on, made) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: how
      integer(c_int64_t), intent(in) :: before(*), after(*)
      integer(c_int64_t), value :: batch
      integer(c_int), value :: precision, parts, on
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_halo_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_f_halo_run(of, accumulate, cells, bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, cells
      integer(c_int), value :: accumulate
      integer(c_int64_t), value :: bytes
      integer(c_int) :: code
    end function

    function weft_f_redistribution_create(from, to, element_bytes, on, options, made) bind(c) result(code)
      import :: c_int, c_size_t, c_ptr
      type(c_ptr), value :: from, to, options
      integer(c_size_t), value :: element_bytes
      integer(c_int), value :: on
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_redistribution_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_f_redistribution_run(of, in, in_bytes, out, out_bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of, in, out
      integer(c_int64_t), value :: in_bytes, out_bytes
      integer(c_int) :: code
    end function
    function weft_redistribution_number(of, what, number) bind(c) result(code)
      import :: c_int, c_int64_t, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: what(*)
      integer(c_int64_t), intent(out) :: number
      integer(c_int) :: code
    end function

    function weft_wisdom_load(file, made) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    function weft_wisdom_parse(text, made) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: made
      integer(c_int) :: code
    end function
    subroutine weft_wisdom_destroy(of) bind(c)
      import :: c_ptr
      type(c_ptr), value :: of
    end subroutine
    function weft_wisdom_text(of, text) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: of
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
    function weft_wisdom_entries(of, count) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: of
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: code
    end function
    function weft_wisdom_merge(into, other) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: into, other
      integer(c_int) :: code
    end function
    function weft_wisdom_save_into(of, file, replace) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: of
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: replace
      integer(c_int) :: code
    end function
    function weft_f_measure_machine(on, wisdom_file, text) bind(c) result(code)
      import :: c_int, c_char, c_ptr
      integer(c_int), value :: on
      character(kind=c_char), intent(in) :: wisdom_file(*)
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
  end interface
end module
