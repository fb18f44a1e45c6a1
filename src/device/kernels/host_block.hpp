// SPDX-License-Identifier: BSD-3-Clause
// A block of threads that one thread of the host plays, one after the other from barrier to barrier.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "device/kernels/complex.hpp"

namespace weft::device {

class host_block {
 public:
  explicit host_block(int threads) : threads_(threads) {}
  [[nodiscard]] int threads() const { return threads_; }
  void barrier() {}
  void warp_barrier() {}

  template <class State>
  class per_thread {
   public:
    explicit per_thread(const host_block& block) : states_(static_cast<std::size_t>(block.threads())) {}
    template <class Each>
    void each(const Each& visit) {
      for (std::size_t i = 0; i < states_.size(); ++i) visit(static_cast<int>(i), states_[i]);
    }

   private:
    std::vector<State> states_;
  };

  /// Of users' arrays, which the host takes wherever they are.
  template <class T>
  static T load(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof(T));
    return value;
  }
  template <class T, bool Row>
  static T load_once(const std::byte* p) {
    return load<T>(p);
  }
  template <class T>
  static T constant(const T* p) {
    return *p;
  }
  template <class T>
  static void store(std::byte* p, T value, int /*reused*/) {
    std::memcpy(p, &value, sizeof(T));
  }

 private:
  int threads_;
};

}  // namespace weft::device
