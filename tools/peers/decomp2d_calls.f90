! SPDX-License-Identifier: BSD-3-Clause
! The calls of 2DECOMP&FFT that decomp2d.cpp needs: its interface is Fortran's alone.
module weft_decomp2d
  use, intrinsic :: iso_c_binding
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  use decomp_2d_mpi
  implicit none

contains

  ! Slabs: the mesh is 1 x ranks. Sizes are those of this rank, contiguous axis first; of the half spectrum as well.
  subroutine start(x, y, z, ranks, comm, in_size, out_size, half_size) bind(C, name='weft_decomp2d_start')
    integer(c_int), value :: x, y, z, ranks, comm
    integer(c_int), intent(out) :: in_size(3), out_size(3), half_size(3)
    integer :: rows, columns, first(3), last(3)
    rows = 1
    columns = ranks
    decomp_log = D2D_LOG_QUIET
    call decomp_2d_init(x, y, z, rows, columns, comm=comm, complex_pool=.true.)
    call decomp_2d_fft_init(PHYSICAL_IN_X)
    in_size = xsize
    out_size = zsize
    call decomp_2d_fft_get_size(first, last, half_size)
  end subroutine start

  subroutine forward_c2c(from, in_size, to, out_size) bind(C, name='weft_decomp2d_forward_c2c')
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: in_size(3), out_size(3)
    complex(mytype), pointer, contiguous :: in(:, :, :), out(:, :, :)
    call c_f_pointer(from, in, in_size)
    call c_f_pointer(to, out, out_size)
    call decomp_2d_fft_3d(in, out, DECOMP_2D_FFT_FORWARD)
  end subroutine forward_c2c

  subroutine forward_r2c(from, in_size, to, out_size) bind(C, name='weft_decomp2d_forward_r2c')
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: in_size(3), out_size(3)
    real(mytype), pointer, contiguous :: in(:, :, :)
    complex(mytype), pointer, contiguous :: out(:, :, :)
    call c_f_pointer(from, in, in_size)
    call c_f_pointer(to, out, out_size)
    call decomp_2d_fft_3d(in, out)
  end subroutine forward_r2c

  ! Bytes of a real number of the precision it was built for.
  function real_bytes() bind(C, name='weft_decomp2d_real_bytes') result(bytes)
    integer(c_int) :: bytes
    bytes = int(storage_size(1.0_mytype)/8, c_int)
  end function real_bytes

end module weft_decomp2d
