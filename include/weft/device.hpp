// SPDX-License-Identifier: BSD-3-Clause
// Functions of your own on arrays in a device's memory, which know the global index of every element. For CUDA's
// compiler; other compilers run them on arrays of the host and of the device that it plays.
#pragma once

#include <type_traits>

#include "weft/array.hpp"
#include "weft/error.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define WEFT_FOR_KERNELS __host__ __device__
#else
#define WEFT_FOR_KERNELS
#endif

namespace [[gnu::visibility("default")]] weft {

/// The elements of an array by number, and where they belong: a value that kernels take as an argument. It does not
/// own the array.
template <class T>
class element_view {
 public:
  static constexpr int most_runs = 48;

  /// Throws argument_error if this rank's indices fall into more than `most_runs` progressions.
  explicit element_view(array<T>& of) : data_(of.data()), axes_(static_cast<int>(of.local_shape().size())) {
    batch_ = of.batch();
    size_ = of.size();
    data_ += of.local_layout().offset;
    for (int l = 0, runs = 0; l < axes_; ++l) {
      shape_[l] = of.local_shape()[static_cast<std::size_t>(l)];
      strides_[l] = of.local_layout().strides[static_cast<std::size_t>(l) + (batch_ > 1 ? 1 : 0)];
      first_run_[l] = runs;
      add_runs(of.indices(l), runs);
      first_run_[l + 1] = runs;
    }
    if (batch_ > 1) batch_stride_ = of.local_layout().strides[0];
  }

  /// Of all arrays of a batch.
  [[nodiscard]] WEFT_FOR_KERNELS integer size() const { return size_; }
  [[nodiscard]] WEFT_FOR_KERNELS int axes() const { return axes_; }
  /// Element number n, in any order; `index` gets its global index, one integer per axis, and `component` the number of
  /// the array in a batch.
  [[nodiscard]] WEFT_FOR_KERNELS T& at(integer n, integer* index, integer& component) const {
    T* place = data_;
    for (int l = axes_; l-- > 0;) {
      const integer position = n % shape_[l];
      n /= shape_[l];
      place += position * strides_[l];
      index[l] = index_at(l, position);
    }
    component = n;
    return place[component * batch_stride_];
  }

 private:
  /// Neighbouring positions with indices in equal steps.
  struct run {
    integer position = 0, index = 0, step = 0;
  };

  void add_runs(const extents& indices, int& runs) {
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const bool starts = k == 0 || (runs_[runs - 1].position + 1 < static_cast<integer>(k) &&
                                     indices[k] != indices[k - 1] + runs_[runs - 1].step);
      if (starts) {
        if (runs == most_runs) {
          throw argument_error("this rank's indices are more than " + std::to_string(most_runs) +
                               " progressions; use a distribution with fewer");
        }
        runs_[runs++] = {static_cast<integer>(k), indices[k], 1};
      } else if (runs_[runs - 1].position + 1 == static_cast<integer>(k)) {
        runs_[runs - 1].step = indices[k] - indices[k - 1];
      }
    }
  }
  [[nodiscard]] WEFT_FOR_KERNELS integer index_at(int axis, integer position) const {
    int r = first_run_[axis + 1] - 1;
    while (r > first_run_[axis] && runs_[r].position > position) --r;
    return runs_[r].index + (position - runs_[r].position) * runs_[r].step;
  }

  T* data_;
  int axes_;
  integer batch_ = 1, size_ = 0, batch_stride_ = 0;
  integer shape_[max_axes] = {}, strides_[max_axes] = {};
  int first_run_[max_axes + 1] = {};
  run runs_[most_runs] = {};
};

namespace detail {

template <class T, class Function>
WEFT_FOR_KERNELS void call_on_element(const element_view<T>& all, const Function& function, integer n) {
  integer index[max_axes];
  integer component = 0;
  T& value = all.at(n, index, component);
  if constexpr (std::is_invocable_v<const Function&, const integer*, T&>) {
    function(static_cast<const integer*>(index), value);
  } else {
    function(static_cast<const integer*>(index), value, component);
  }
}

#if defined(__CUDACC__) || defined(__HIPCC__)
template <class T, class Function>
__global__ void call_on_elements(element_view<T> all, Function function) {
  const integer step = static_cast<integer>(gridDim.x) * blockDim.x;
  for (integer n = static_cast<integer>(blockIdx.x) * blockDim.x + threadIdx.x; n < all.size(); n += step) {
    call_on_element(all, function, n);
  }
}
#endif

}  // namespace detail

/// Calls function(global index, value) or function(global index, value, number of the array in a batch) for every
/// element, where it lies and in any order, many at the same time. The index is a pointer to one integer per axis. On a
/// device the function is compiled for it (a functor, or a lambda marked __device__), and the call only puts it into
/// `stream`; without one, it waits. Not collective.
template <class T, class Function>
void for_each_on_device(array<T>& x, const Function& function, [[maybe_unused]] void* stream = nullptr) {
  const element_view<T> all(x);
  if (!x.block().on_device()) {
    for (integer n = 0; n < all.size(); ++n) detail::call_on_element(all, function, n);
    return;
  }
#if defined(__CUDACC__)
  if (all.size() == 0) return;
  constexpr int threads = 256;
  const integer blocks = (all.size() + threads - 1) / threads;
  auto* const in = static_cast<cudaStream_t>(stream);
  detail::call_on_elements<<<static_cast<unsigned>(blocks < 65536 ? blocks : 65536), threads, 0, in>>>(all, function);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess && stream == nullptr) status = cudaStreamSynchronize(in);
  if (status != cudaSuccess) throw device_error(std::string("a function on a device: ") + cudaGetErrorString(status));
#else
  throw argument_error("the array is in a device's memory; compile this with CUDA's compiler");
#endif
}

}  // namespace weft
