! SPDX-License-Identifier: BSD-3-Clause
! Weft for Fortran: docs/fortran.md describes every call.
!
! Arrays are as Fortran has them: the first axis runs fastest. Shapes, distributions and lists of axes are in that order;
! axes and indices count from 1, ranks and the numbers of arrays' batches as MPI's do. Every procedure has an optional last
! argument ierr; without it, an error ends the program with its text.
module weft
  use weft_resources
  use weft_plans
  use weft_runs
  use weft_fields
  use weft_spectra
  use weft_waves
  implicit none
  public
end module
