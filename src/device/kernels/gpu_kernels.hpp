// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a vendor's device, and a table of them. Included by one file for each precision; and, where
// WEFT_ONE_KERNEL is defined, by what is compiled when a program runs, which names the one that it wants.
#pragma once

#include "device/kernels/chain.hpp"
#include "device/kernels/fixed_lines.hpp"
#include "device/kernels/straight_lines.hpp"
#include "device/kernels/vendor_code.hpp"
#if !defined(WEFT_ONE_KERNEL)
#include "device/kernels/fixed_plans.hpp"
#include "device/plan_search.hpp"
#endif

namespace weft::device {

struct block_plan;

/// Addresses of kernels, as the vendor's library launches them. Kernels take one sweep, those
/// for lengths alone one chained_sweeps, and the straight ones one straight_sweeps.
struct kernel_table {
  const void* copied;
  const void* looped;
  /// Null: no such kernel was compiled.
  const void* (*fixed)(const block_plan& by);
  const void* (*straight)(const block_plan& by, const straight_sweeps& c);
};
[[nodiscard]] kernel_table kernels_f32();
[[nodiscard]] kernel_table kernels_f64();

#if defined(__CUDACC__) || defined(__HIPCC__)

/// Loads go past the first cache, which does not know what other multiprocessors have just stored; what is loaded or
/// stored once leaves the second one early.
class gpu_block {
 public:
  [[nodiscard]] __device__ __forceinline__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ void barrier() const { __syncthreads(); }
  __device__ __forceinline__ void warp_barrier() const { vendor::warp_barrier(); }

  template <class State>
  class per_thread {
   public:
    __device__ __forceinline__ explicit per_thread(const gpu_block& /*block*/) {}
    template <class Each>
    __device__ __forceinline__ void each(const Each& visit) {
      visit(static_cast<int>(threadIdx.x), mine_);
    }

   private:
    State mine_;
  };

  // A complex number is loaded in one instruction, which wants it where a multiple of its size is: plans see to that.
#if defined(__HIPCC__)
  template <class T>
  static __device__ __forceinline__ T load(const std::byte* p) {
    return *reinterpret_cast<const T*>(p);
  }
  template <class T, bool Row>
  static __device__ __forceinline__ T load_once(const std::byte* p) {
    return *reinterpret_cast<const T*>(p);
  }
  template <class T>
  static __device__ __forceinline__ T constant(const T* p) {
    return *p;
  }
  template <class T>
  static __device__ __forceinline__ void store(std::byte* p, T value, int /*reused*/) {
    *reinterpret_cast<T*>(p) = value;
  }
#else
  template <class T>
  static __device__ __forceinline__ T load(const std::byte* p) {
    return of(__ldcg(as<T>(p)));
  }
  /// Across lines, what lies beside it is soon loaded by another block: memory likes to give both at once.
  template <class T, bool Row>
  static __device__ __forceinline__ T load_once(const std::byte* p) {
    if constexpr (Row) {
      return of(__ldcs(as<T>(p)));
    } else {
      T v;
      if constexpr (sizeof(T) == sizeof(complex<double>)) {
        asm volatile("ld.global.cs.L2::256B.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "l"(p));
      } else {
        asm volatile("ld.global.cs.L2::256B.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(p));
      }
      return v;
    }
  }
  template <class T>
  static __device__ __forceinline__ T constant(const T* p) {
    return of(__ldg(as<T>(reinterpret_cast<const std::byte*>(p))));
  }
  template <class T>
  static __device__ __forceinline__ void store(std::byte* p, T value, int reused) {
    auto* const q = const_cast<vector_of<T>*>(as<T>(p));
    if (reused != 0) {
      *q = vector(value);
    } else {
      __stcs(q, vector(value));
    }
  }

 private:
  /// The vendor's types for what is loaded in one instruction.
  static __device__ __forceinline__ double2 vector(complex<double> v) { return {v.x, v.y}; }
  static __device__ __forceinline__ float2 vector(complex<float> v) { return {v.x, v.y}; }
  static __device__ __forceinline__ double vector(double v) { return v; }
  static __device__ __forceinline__ float vector(float v) { return v; }
  static __device__ __forceinline__ complex<double> of(double2 v) { return {v.x, v.y}; }
  static __device__ __forceinline__ complex<float> of(float2 v) { return {v.x, v.y}; }
  static __device__ __forceinline__ double of(double v) { return v; }
  static __device__ __forceinline__ float of(float v) { return v; }
  template <class T>
  using vector_of = decltype(vector(T{}));
  template <class T>
  static __device__ __forceinline__ const vector_of<T>* as(const std::byte* p) {
    return reinterpret_cast<const vector_of<T>*>(p);
  }
#endif
};

extern __shared__ double2 block_memory[];

template <class Lines>
__device__ __forceinline__ void each_group(const sweep& s) {
  gpu_block block;
  const std::int64_t width = width_of(s);
  std::byte* work = reinterpret_cast<std::byte*>(block_memory);
  if (s.work_in_scratch != 0) work = s.scratch + s.block_scratch * blockIdx.x;
  for (std::int64_t line = blockIdx.x * width; line < s.box.lines; line += gridDim.x * width) {
    Lines(block, s, work).run(line, s.box.lines);
  }
}

template <class Real>
__global__ void __launch_bounds__(256) copied_kernel(const WEFT_GRID_CONSTANT sweep s) {
  each_group<copied_lines<gpu_block, Real>>(s);
}

template <class Real>
__global__ void __launch_bounds__(256) looped_kernel(const WEFT_GRID_CONSTANT sweep s) {
  each_group<looped_lines<gpu_block, Real>>(s);
}

/// What a block does of a single sweep, or of two from a queue. (A block that took one ticket after the other would
/// save the wait for each; but then the compiler keeps so much across the loop that registers do not suffice.)
__device__ __forceinline__ chain_ticket next_ticket(const sweep_order& order) {
  if (order.chunks == 0) return {false, 0, static_cast<std::int64_t>(blockIdx.x)};
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicAdd(order.queue, 1U);
  __syncthreads();
  if (blockIdx.x == 0) {
    for (auto i = static_cast<int>(threadIdx.x); i < order.next_counts; i += static_cast<int>(blockDim.x)) {
      order.next_queue[i] = 0;
    }
  }
  const chain_ticket t = ticket_of(order, vendor::same_for_all(number));
  if (t.waits(order)) {
    if (threadIdx.x == 0) {
      const volatile unsigned* const done = order.queue + t.awaited(order);
      const auto enough = static_cast<unsigned>(t.awaited_groups(order));
      while (*done < enough) vendor::pause();
      __threadfence();
    }
    __syncthreads();
  }
  return t;
}
__device__ __forceinline__ void finish(const sweep_order& order, const chain_ticket& t) {
  if (order.chunks == 0 || !t.is_awaited(order)) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(order.queue + t.counted(order), 1U);
}

// (Kernels have the whole plan as one parameter, as some compilers take no commas in their bounds.)
template <class Fixed, class Real>
__global__ void __launch_bounds__(Fixed::threads, Fixed::blocks)
    fixed_kernel(const WEFT_GRID_CONSTANT chained_sweeps c) {
  gpu_block block;
  const chain_ticket t = next_ticket(c.order);
  const sweep& s = t.second ? c.second : c.first;
  fixed_lines<gpu_block, Real, typename Fixed::plan, Fixed::lanes>(block, s, reinterpret_cast<std::byte*>(block_memory))
      .run(t.line(c.order, width_of(s)), t.end(c.order, s.box.lines));
  finish(c.order, t);
}

template <class Fixed, class Real, straight_kind Kind>
__device__ __forceinline__ void run_straight(const straight_sweep& s, const sweep_order& order, const chain_ticket& t) {
  gpu_block block;
  straight_lines<gpu_block, Real, Fixed, Kind>(block, s, reinterpret_cast<std::byte*>(block_memory))
      .run(static_cast<unsigned>(t.line(order, Fixed::lanes * lines_of_lane(Kind))),
           static_cast<unsigned>(t.end(order, s.lines)), static_cast<unsigned>(t.base(order)));
}

template <class Fixed, class Real, straight_kind Kind>
__global__ void __launch_bounds__(Fixed::threads, Fixed::blocks)
    straight_kernel(const WEFT_GRID_CONSTANT straight_sweeps c) {
  run_straight<Fixed, Real, Kind>(c.first, c.order, {false, 0, static_cast<std::int64_t>(blockIdx.x)});
}

template <class Fixed, class Real, straight_kind First, straight_kind Second>
__global__ void __launch_bounds__(Fixed::threads, Fixed::blocks)
    straight_chain(const WEFT_GRID_CONSTANT straight_sweeps c) {
  const chain_ticket t = next_ticket(c.order);
  if (t.second) {
    run_straight<Fixed, Real, Second>(c.second, c.order, t);
  } else {
    run_straight<Fixed, Real, First>(c.first, c.order, t);
  }
  finish(c.order, t);
}

#if !defined(WEFT_ONE_KERNEL)

template <class Real>
const void* fixed_kernel_of(const block_plan& by) {
  const void* found = nullptr;
  with_fixed(by.length(), [&]<int Length>() {
    using fixed = fixed_length<Real, Length>;
    if (numbers_of<fixed>() == by) found = reinterpret_cast<const void*>(&fixed_kernel<fixed, Real>);
  });
  return found;
}

template <class Real>
const void* straight_kernel_of(const block_plan& by, const straight_sweeps& c) {
  const void* found = nullptr;
  with_fixed(by.length(), [&]<int Length>() {
    using fixed = fixed_length<Real, Length>;
    using across = across_length<Real, Length>;
    with_straight_kinds(
        c, [&]<straight_kind First, straight_kind... Second>() {
          if constexpr (sizeof...(Second) > 0) {
            if (numbers_of<fixed>() == by) {
              found = reinterpret_cast<const void*>(&straight_chain<fixed, Real, First, Second...>);
            }
          } else if constexpr ((First & is_row) == 0) {
            if (numbers_of<across>() == by)
              found = reinterpret_cast<const void*>(&straight_kernel<across, Real, First>);
          }
          if constexpr (sizeof...(Second) == 0) {
            if (numbers_of<fixed>() == by) found = reinterpret_cast<const void*>(&straight_kernel<fixed, Real, First>);
          }
        });
  });
  return found;
}

template <class Real>
kernel_table kernels() {
  return {reinterpret_cast<const void*>(&copied_kernel<Real>), reinterpret_cast<const void*>(&looped_kernel<Real>),
          &fixed_kernel_of<Real>, &straight_kernel_of<Real>};
}

#endif
#endif

}  // namespace weft::device
