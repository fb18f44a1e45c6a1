! SPDX-License-Identifier: BSD-3-Clause
! What the tests in Fortran share: a program calls begin, checks, and finish, which fails on all ranks if one check did.
module support
  use mpi, only: MPI_COMM_WORLD, MPI_INTEGER, MPI_SUM, MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize
  use weft, only: weft_error_text
  implicit none
  private
  public :: begin, check, finish
  integer, protected, public :: rank = 0, ranks = 1
  character(:), allocatable, public :: about ! what is being checked, if several things are
  integer :: wrong = 0
  external :: MPI_Allreduce

contains

  subroutine begin()
    integer :: ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  end subroutine

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    wrong = wrong + 1
    if (wrong > 10) return
    if (allocated(about)) print "(2a)", "in ", about
    print "(3a, i0, 2a)", "wrong: ", what, " on rank ", rank, ": ", weft_error_text()
  end subroutine

  subroutine finish(what)
    character(*), intent(in), optional :: what ! besides the number of ranks
    integer :: ierr, mine(1), all(1)
    mine(1) = wrong
    call MPI_Allreduce(mine, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0 .and. present(what)) print "(2a)", what, ":"
    if (rank == 0) print "(i0, a, i0, a)", ranks, " ranks: ", all(1), " wrong"
    call MPI_Finalize(ierr)
    if (all(1) /= 0) error stop 1
  end subroutine
end module
