// SPDX-License-Identifier: BSD-3-Clause
// The names of a vendor's runtime library that devices call: CUDA's, and for AMD's compiler those of HIP, which has all
// of them under names of its own. Nothing else may call either.
#pragma once

#include <cstddef>

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define WEFT_VENDOR(name) hip##name
#else
#include <cuda_runtime.h>
#define WEFT_VENDOR(name) cuda##name
#endif

namespace weft::device::vendor {

using status = WEFT_VENDOR(Error_t);
using stream = WEFT_VENDOR(Stream_t);
using event = WEFT_VENDOR(Event_t);
#if defined(__HIPCC__)
using properties = hipDeviceProp_t;
using pointer_attributes = hipPointerAttribute_t;
#else
using properties = cudaDeviceProp;
using pointer_attributes = cudaPointerAttributes;
#endif
using ipc_handle = WEFT_VENDOR(IpcMemHandle_t);

inline constexpr status success = WEFT_VENDOR(Success);

inline const char* text_of(status s) { return WEFT_VENDOR(GetErrorString)(s); }
inline status last_error() { return WEFT_VENDOR(GetLastError)(); }
inline status device_count(int* count) { return WEFT_VENDOR(GetDeviceCount)(count); }
inline status set_device(int number) { return WEFT_VENDOR(SetDevice)(number); }
inline status get_device(int* number) { return WEFT_VENDOR(GetDevice)(number); }
inline status get_properties(properties* to, int number) { return WEFT_VENDOR(GetDeviceProperties)(to, number); }
inline status most_block_memory(int* bytes, int number) {
#if defined(__HIPCC__)
  return hipDeviceGetAttribute(bytes, hipDeviceAttributeMaxSharedMemoryPerBlock, number);
#else
  return cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number);
#endif
}
inline status allocate(void** to, std::size_t bytes) { return WEFT_VENDOR(Malloc)(to, bytes); }
inline status release(void* what) { return WEFT_VENDOR(Free)(what); }
#if defined(__HIPCC__)
inline status allocate_host(void** to, std::size_t bytes) { return hipHostMalloc(to, bytes, 0); }
inline status release_host(void* what) { return hipHostFree(what); }
#else
inline status allocate_host(void** to, std::size_t bytes) { return cudaMallocHost(to, bytes); }
inline status release_host(void* what) { return cudaFreeHost(what); }
#endif
inline status free_bytes(std::size_t* free, std::size_t* total) { return WEFT_VENDOR(MemGetInfo)(free, total); }
inline status copy(void* to, const void* from, std::size_t bytes, stream in) {
  return WEFT_VENDOR(MemcpyAsync)(to, from, bytes, WEFT_VENDOR(MemcpyDefault), in);
}
inline status clear(void* what, std::size_t bytes, stream in) { return WEFT_VENDOR(MemsetAsync)(what, 0, bytes, in); }
inline status make_stream(stream* to) {
#if defined(__HIPCC__)
  return hipStreamCreateWithFlags(to, hipStreamNonBlocking);
#else
  return cudaStreamCreateWithFlags(to, cudaStreamNonBlocking);
#endif
}
/// No other stream has had it, or will.
inline status number_of(stream what, unsigned long long* number) {
#if defined(__HIPCC__)
  *number = reinterpret_cast<unsigned long long>(what);  // but for one that has gone
  return success;
#else
  return cudaStreamGetId(what, number);
#endif
}
inline status wait_for_all() { return WEFT_VENDOR(DeviceSynchronize)(); }
inline status let_wait(stream what, event for_this) { return WEFT_VENDOR(StreamWaitEvent)(what, for_this, 0); }
inline status release_event(event what) { return WEFT_VENDOR(EventDestroy)(what); }
inline status wait_for(stream what) { return WEFT_VENDOR(StreamSynchronize)(what); }
inline status make_event(event* to) { return WEFT_VENDOR(EventCreateWithFlags)(to, WEFT_VENDOR(EventDisableTiming)); }
inline status make_timed_event(event* to) { return WEFT_VENDOR(EventCreateWithFlags)(to, WEFT_VENDOR(EventDefault)); }
inline status milliseconds_between(float* to, event first, event second) {
  return WEFT_VENDOR(EventElapsedTime)(to, first, second);
}
inline status record(event what, stream in) { return WEFT_VENDOR(EventRecord)(what, in); }
inline status query(event what) { return WEFT_VENDOR(EventQuery)(what); }
inline status attributes_of(pointer_attributes* to, const void* address) {
  return WEFT_VENDOR(PointerGetAttributes)(to, address);
}
inline bool is_on_device(const pointer_attributes& a) {
#if defined(__HIPCC__)
  return a.memoryType == hipMemoryTypeDevice || a.isManaged != 0;
#else
  return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
#endif
}
inline status get_handle(ipc_handle* to, void* block) { return WEFT_VENDOR(IpcGetMemHandle)(to, block); }
inline status open_handle(void** to, ipc_handle from) {
  return WEFT_VENDOR(IpcOpenMemHandle)(to, from, WEFT_VENDOR(IpcMemLazyEnablePeerAccess));
}
inline status close_handle(void* block) { return WEFT_VENDOR(IpcCloseMemHandle)(block); }
inline status allow_shared(const void* kernel, int bytes) {
  return WEFT_VENDOR(FuncSetAttribute)(kernel, WEFT_VENDOR(FuncAttributeMaxDynamicSharedMemorySize), bytes);
}
inline status launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments, std::size_t shared,
                     stream in) {
  return WEFT_VENDOR(LaunchKernel)(kernel, dim3(blocks), dim3(threads), arguments, shared, in);
}

#if !defined(__HIPCC__)
// Of code that was compiled while the program runs: launched like any other kernel.
using library = cudaLibrary_t;
inline status load_library(library* to, const void* code) {
  return cudaLibraryLoadData(to, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
inline status kernel_of(const void** to, library from, const char* symbol) {
  cudaKernel_t found{};
  const status s = cudaLibraryGetKernel(&found, from, symbol);
  *to = reinterpret_cast<const void*>(found);
  return s;
}
#endif

}  // namespace weft::device::vendor

#undef WEFT_VENDOR
