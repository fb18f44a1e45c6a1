/* SPDX-License-Identifier: BSD-3-Clause */
/* To preload into programs on MPICH 4.0 across hosts. MPI_Finalize of its UCX device waits, endpoint by endpoint, for peers that
   may already wait for all others in a barrier of the launcher, where nothing moves any more: half of all programs then never
   end, with or without Weft. This takes every endpoint for closed. */
#include <stddef.h>

void *ucp_disconnect_nb(void *endpoint);
void *ucp_disconnect_nb(void *endpoint) {
  (void)endpoint;
  return NULL; /* done */
}
