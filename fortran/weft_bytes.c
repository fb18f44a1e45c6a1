/* SPDX-License-Identifier: BSD-3-Clause */
/* What Fortran's descriptors of arrays know and Fortran does not tell: the size of an element of any type. */
#include <ISO_Fortran_binding.h>
#include <stdint.h>

int64_t weft_f_bytes(const CFI_cdesc_t* of);
int64_t weft_f_gapless_bytes(const CFI_cdesc_t* of);

/* The most there can be where nobody knows: of an element, behind which others may lie, and of assumed-size arrays. */
int64_t weft_f_bytes(const CFI_cdesc_t* of) {
  if (of->rank == 0) return INT64_MAX;
  int64_t bytes = (int64_t)of->elem_len;
  for (int k = 0; k < of->rank; ++k) {
    if (of->dim[k].extent < 0) return INT64_MAX;
    bytes *= (int64_t)of->dim[k].extent;
  }
  return bytes;
}

/* The same, or -1 for an array with gaps. Where there is one index, or none, strides say nothing, which compilers'
   is_contiguous may not know. */
int64_t weft_f_gapless_bytes(const CFI_cdesc_t* of) {
  const int64_t bytes = weft_f_bytes(of);
  CFI_index_t next = (CFI_index_t)of->elem_len;
  if (bytes == 0 || bytes == INT64_MAX) return bytes;
  for (int k = 0; k < of->rank; ++k) {
    if (of->dim[k].extent > 1 && of->dim[k].sm != next) return -1;
    next *= of->dim[k].extent;
  }
  return bytes;
}
