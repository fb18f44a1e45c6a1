/* SPDX-License-Identifier: BSD-3-Clause */
/* What Fortran's descriptors of arrays know and Fortran does not tell: the size of an element of any type, and whether
   there are gaps. Compilers that are told `contiguous` may copy arrays without gaps, too: GCC 12 does so with all
   pointers. */
#include <ISO_Fortran_binding.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int64_t weft_f_bytes(const CFI_cdesc_t* of);
int64_t weft_f_gapless_bytes(const CFI_cdesc_t* of);
void* weft_f_gapless(const CFI_cdesc_t* of);
void weft_f_give_back(const CFI_cdesc_t* of, void* first, int changed);

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

/* From the array to its copy or back, the axes up to the given one; returns where the copy goes on. */
static char* copied(const CFI_cdesc_t* of, int axis, char* at, char* copy, int back) {
  const size_t row = axis < 0 ? of->elem_len : of->elem_len * (size_t)of->dim[0].extent;
  if (axis < 0 || (axis == 0 && of->dim[0].sm == (CFI_index_t)of->elem_len)) {
    memcpy(back ? at : copy, back ? copy : at, row);
    return copy + row;
  }
  for (CFI_index_t k = 0; k < of->dim[axis].extent; ++k)
    copy = copied(of, axis - 1, at + k * of->dim[axis].sm, copy, back);
  return copy;
}

/* The first element of an array, or of a copy of it if it has gaps; null if there is no memory for one. */
void* weft_f_gapless(const CFI_cdesc_t* of) {
  if (weft_f_gapless_bytes(of) >= 0) return of->base_addr;
  char* const copy = malloc((size_t)weft_f_bytes(of));
  if (copy != NULL) copied(of, of->rank - 1, of->base_addr, copy, 0);
  return copy;
}

/* What was got there; a copy that was changed is written to its array. */
void weft_f_give_back(const CFI_cdesc_t* of, void* first, int changed) {
  if (first == of->base_addr || first == NULL) return;
  if (changed) copied(of, of->rank - 1, of->base_addr, first, 1);
  free(first);
}
