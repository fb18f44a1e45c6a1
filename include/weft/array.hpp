// A rank's part of a distributed array, which knows the global indices of its elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/distribution.hpp"
#include "weft/layout.hpp"

namespace weft {

/// Local, row-major unless made with another layout. With a batch, `batch` such arrays follow each
/// other.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Zeros, in `memory` if given, which must have room for the rank's part.
  array(distribution how, int rank, integer batch = 1, std::shared_ptr<std::byte> memory = nullptr)
      : how_(std::move(how)), rank_(rank), batch_(batch), shape_(how_.local_shape(rank)), memory_(std::move(memory)) {
    size_ = batch_;
    for (const integer n : shape_) size_ *= n;
    for (int l = 0; l < how_.axes(); ++l) {
      auto& indices = indices_.emplace_back(static_cast<std::size_t>(shape_[static_cast<std::size_t>(l)]));
      for (const auto& s : how_.part(rank, l)) {
        for (integer k = 0; k < s.indices.count; ++k) indices[static_cast<std::size_t>(s.positions[k])] = s.indices[k];
      }
    }
    if (!memory_) memory_ = private_memory(static_cast<std::size_t>(size_) * sizeof(T));
    std::fill_n(data(), size_, T{});
  }
  array(array&&) noexcept = default;
  array& operator=(array&&) noexcept = default;
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_.get()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_.get()); }
  [[nodiscard]] integer size() const { return size_; }
  [[nodiscard]] std::span<T> span() { return {data(), static_cast<std::size_t>(size_)}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), static_cast<std::size_t>(size_)}; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  T& operator[](integer flat) { return data()[flat]; }
  const T& operator[](integer flat) const { return data()[flat]; }

  [[nodiscard]] const distribution& how() const { return how_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] integer batch() const { return batch_; }
  [[nodiscard]] const extents& local_shape() const { return shape_; }
  /// Global indices along `axis`, by local position.
  [[nodiscard]] const extents& indices(int axis) const { return indices_[static_cast<std::size_t>(axis)]; }

  /// Calls visit(global index, element) for every local element; the index is a span of one integer
  /// per axis. With a batch, every array of it is visited.
  template <class Visit>
  void for_each(Visit visit) {
    T* element = data();
    for (integer b = 0; b < batch_; ++b) visit_axis(visit, element);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    const T* element = data();
    for (integer b = 0; b < batch_; ++b) visit_axis(visit, element);
  }

 private:
  template <class Visit, class Pointer>
  void visit_axis(Visit& visit, Pointer& element) const {
    if (std::find(shape_.begin(), shape_.end(), 0) != shape_.end()) return;
    const std::size_t d = shape_.size();
    std::array<integer, max_axes> position{}, global{};
    for (std::size_t l = 0; l < d; ++l) global[l] = indices_[l][0];
    for (;;) {
      visit(std::span<const integer>(global.data(), d), *element++);
      std::size_t l = d;
      for (; l > 0; --l) {
        auto& p = position[l - 1];
        p = p + 1 < shape_[l - 1] ? p + 1 : 0;
        global[l - 1] = indices_[l - 1][static_cast<std::size_t>(p)];
        if (p != 0) break;
      }
      if (l == 0) return;
    }
  }

  static std::shared_ptr<std::byte> private_memory(std::size_t bytes) {
    auto* const made = static_cast<std::byte*>(::operator new (std::max<std::size_t>(1, bytes), std::align_val_t{64}));
    return {made, [](std::byte* p) { ::operator delete (p, std::align_val_t{64}); }};
  }

  distribution how_;
  int rank_;
  integer batch_;
  extents shape_;
  integer size_ = 0;
  std::vector<extents> indices_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace weft
