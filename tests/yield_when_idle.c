/* SPDX-License-Identifier: BSD-3-Clause */
// Preloaded into tests with MPICH: Debian's spins inside UCX while it waits, so that with more ranks than cores every
// message costs a time slice. OpenMPI has an option for it (mpi_yield_when_idle), MPICH 4.0 has none.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  if (!progress) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  // Where MPI came with a module of Python's, what it is linked with is not among those that are searched.
  if (!progress) *(void**)&progress = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
  const unsigned done = progress(worker);
  if (!done) sched_yield();
  return done;
}
