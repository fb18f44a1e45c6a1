// SPDX-License-Identifier: BSD-3-Clause
// Replaces operator new, and stands between the library and MPI through the profiling interface.
#include "counters.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0}, communicators{0}, datatypes{0}, requests{0};

std::atomic<long> until_failure{0};

/// Counts an allocation; whether it is the one to fail.
bool fails() {
  ++allocations;
  return until_failure.load() > 0 && --until_failure == 0;
}

/// Null if there is no room.
void* counted(std::size_t bytes, std::size_t alignment) {
  if (fails()) return nullptr;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(bytes == 0 ? 1 : bytes)
                                                : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

void* needed(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::size_t number(std::align_val_t a) { return static_cast<std::size_t>(a); }

}  // namespace

void* operator new(std::size_t bytes) { return needed(counted(bytes, 1)); }
void* operator new[](std::size_t bytes) { return needed(counted(bytes, 1)); }
void* operator new(std::size_t bytes, std::align_val_t a) { return needed(counted(bytes, number(a))); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return needed(counted(bytes, number(a))); }
// std::stable_sort asks this one for its buffer.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(bytes, number(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(bytes, number(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++communicators;
  return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  ++communicators;
  return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  ++communicators;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}
int MPI_Type_commit(MPI_Datatype* type) {
  ++datatypes;
  return PMPI_Type_commit(type);
}
int MPI_Send_init(const void* at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* made) {
  ++requests;
  return PMPI_Send_init(at, count, type, peer, tag, comm, made);
}
int MPI_Recv_init(void* at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* made) {
  ++requests;
  return PMPI_Recv_init(at, count, type, peer, tag, comm, made);
}
}

weft::testing::counters::values weft::testing::counters::now() {
  return {allocations.load(), communicators.load(), datatypes.load(), requests.load()};
}

void weft::testing::counters::fail_allocation(long n) { until_failure = n; }
