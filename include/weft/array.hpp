// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a distributed array, which knows its layout, its memory and the global indices of its elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/layout.hpp"
#include "weft/memory.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Elements by local position, unchecked. Valid as long as the array that it was taken from.
template <class T>
class local_view {
 public:
  local_view(T* first, std::span<const integer> shape, std::span<const integer> strides)
      : first_(first), shape_(shape), strides_(strides) {}

  /// One position per axis.
  template <class... Positions>
  T& operator()(Positions... positions) const {
    std::size_t axis = 0;
    integer distance = 0;
    ((distance += static_cast<integer>(positions) * strides_[axis++]), ...);
    return first_[distance];
  }
  [[nodiscard]] integer extent(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] integer stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
  /// The element at the origin; none if the array is empty.
  [[nodiscard]] T* data() const { return first_; }

 private:
  T* first_;
  std::span<const integer> shape_, strides_;
};

/// `batch` arrays, compact and row-major, one after the other, unless made with another layout. Cells that a layout
/// leaves between the elements (ghost cells) are the user's: nothing here visits them. Elements have an order:
/// row-major, one array of a batch after the other or, where the layout interleaves them, all arrays' elements at one
/// place first.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Zeros in memory of its own, or over `block` as it is; throws buffer_error if that is too small. `where` is as in
  /// options::input_layout.
  explicit array(distribution how, int rank, integer batch = 1, const layout& where = {}, memory block = {})
      : how_(std::move(how)), rank_(rank), batch_(batch), shape_(how_.local_shape(rank)), memory_(std::move(block)) {
    if (batch_ < 1) throw argument_error("batch " + std::to_string(batch_) + " is less than 1");
    layout_ = resolved(where, shape_, batch_);
    extents all = shape_;
    if (batch_ > 1) all.insert(all.begin(), batch_);
    size_ = volume(all);
    reach_ = span_of(layout_, all);
    interleaved_ = batch_ > 1 && is_shortest(layout_.strides[0]);
    const layout compact = interleaved_ ? resolved({}, shape_, batch_, true) : row_major(all);
    has_gaps_ = size_ > 0 && !same_addresses(layout_, compact, all);
    find_indices();
    take_memory();
  }
  array(array&&) noexcept = default;
  array& operator=(array&&) noexcept = default;
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  /// What plans take; the layout counts from here, its offset included.
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  /// From data() to past the last element, with all that lies between.
  [[nodiscard]] std::span<T> span() { return {data(), static_cast<std::size_t>(reach_)}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), static_cast<std::size_t>(reach_)}; }
  /// The memory that it lies in, to be shared with another array.
  [[nodiscard]] const memory& block() const { return memory_; }

  /// The same array in the host's memory, with all that lies between its elements.
  [[nodiscard]] array to_host() const {
    array result(how_, rank_, batch_, layout_);
    copy(memory_, result.memory_, static_cast<std::size_t>(reach_) * sizeof(T));
    return result;
  }
  /// Takes over the elements of another one, wherever both lie, and all that lies between. Throws argument_error unless
  /// it has the same distribution, batch and layout.
  void assign(const array& other) {
    if (other.how_ != how_ || other.rank_ != rank_ || other.batch_ != batch_ || other.layout_ != layout_) {
      throw argument_error("an array with " + other.how_.text() + " and " + to_text(other.layout_) +
                           " cannot be assigned to one with " + how_.text() + " and " + to_text(layout_));
    }
    copy(other.memory_, memory_, static_cast<std::size_t>(reach_) * sizeof(T));
  }

  /// Elements of this rank, all arrays of a batch together.
  [[nodiscard]] integer size() const { return size_; }
  /// Elements in their order.
  T& operator[](integer number) { return data()[address(number)]; }
  const T& operator[](integer number) const { return data()[address(number)]; }
  /// The same as pointers; throws argument_error if they do not lie one after the other.
  [[nodiscard]] T* begin() { return first_of_all(*this); }
  [[nodiscard]] T* end() { return begin() + size_; }
  [[nodiscard]] const T* begin() const { return first_of_all(*this); }
  [[nodiscard]] const T* end() const { return begin() + size_; }

  [[nodiscard]] const distribution& how() const { return how_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] integer batch() const { return batch_; }
  [[nodiscard]] const extents& local_shape() const { return shape_; }
  /// With all strides; with a batch of more than one, its stride is the first.
  [[nodiscard]] const layout& local_layout() const { return layout_; }
  /// Global indices along `axis`, by local position.
  [[nodiscard]] const extents& indices(int axis) const {
    detail::require_below("axis", axis, how_.axes());
    return indices_[static_cast<std::size_t>(axis)];
  }

  /// Whether the element of a global index is here.
  [[nodiscard]] bool owns(std::span<const integer> index) const {
    if (index.size() != shape_.size()) return false;
    for (std::size_t l = 0; l < index.size(); ++l) {
      if (position_of(l, index[l]) < 0) return false;
    }
    return true;
  }
  [[nodiscard]] bool owns(std::initializer_list<integer> index) const {
    return owns(std::span<const integer>(index.begin(), index.size()));
  }
  /// The element of a global index, of array `component` of a batch. Throws argument_error if it is not here.
  [[nodiscard]] T& at(std::span<const integer> index, integer component = 0) {
    return data()[address_of(index, component)];
  }
  [[nodiscard]] const T& at(std::span<const integer> index, integer component = 0) const {
    return data()[address_of(index, component)];
  }
  [[nodiscard]] T& at(std::initializer_list<integer> index, integer component = 0) {
    return at(std::span<const integer>(index.begin(), index.size()), component);
  }
  [[nodiscard]] const T& at(std::initializer_list<integer> index, integer component = 0) const {
    return at(std::span<const integer>(index.begin(), index.size()), component);
  }

  /// The element at local positions, one per axis; throws argument_error outside local_shape().
  template <class... Positions>
  [[nodiscard]] T& local(Positions... positions) {
    return data()[address_at({static_cast<integer>(positions)...})];
  }
  template <class... Positions>
  [[nodiscard]] const T& local(Positions... positions) const {
    return data()[address_at({static_cast<integer>(positions)...})];
  }
  /// All elements by local positions, of array `component` of a batch; for loops, as it checks nothing.
  [[nodiscard]] local_view<T> view(integer component = 0) { return {data() + start_of(component), shape_, strides()}; }
  [[nodiscard]] local_view<const T> view(integer component = 0) const {
    return {data() + start_of(component), shape_, strides()};
  }

  /// Calls visit(global index, element) or visit(global index, element, number of the array in a batch) for every
  /// element, in their order; the index is a span of one integer per axis.
  template <class Visit>
  void for_each(Visit visit) {
    visit_all(*this, visit);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    visit_all(*this, visit);
  }

 private:
  /// Whether `stride` is below those of all axes along which there are several elements.
  [[nodiscard]] bool is_shortest(integer stride) const {
    for (std::size_t l = 0; l < shape_.size(); ++l) {
      if (shape_[l] > 1 && strides()[l] < stride) return false;
    }
    return true;
  }

  void find_indices() {
    for (int l = 0; l < how_.axes(); ++l) {
      auto& indices = indices_.emplace_back(static_cast<std::size_t>(shape_[static_cast<std::size_t>(l)]));
      for (const auto& s : how_.part(rank_, l)) {
        for (integer k = 0; k < s.indices.count; ++k) indices[static_cast<std::size_t>(s.positions[k])] = s.indices[k];
      }
    }
  }

  void take_memory() {
    const auto elements = static_cast<std::size_t>(reach_);
    if (elements > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw buffer_error("an array of " + std::to_string(reach_) + " elements is larger than any memory");
    }
    const std::size_t bytes = elements * sizeof(T);
    if (!memory_) {
      memory_ = host_memory(bytes);
      std::memset(memory_.data(), 0, bytes);
    } else if (memory_.bytes() < bytes) {
      throw buffer_error("the memory for the array has " + std::to_string(memory_.bytes()) + " bytes, needs " +
                         std::to_string(bytes));
    }
  }

  /// Elements in a device's memory are none for the host to touch.
  void require_host() const {
    if (memory_.on_device()) {
      throw argument_error("the array is in a device's memory; copy it with to_host() and assign()");
    }
  }

  /// Of the axes, without the batch.
  [[nodiscard]] std::span<const integer> strides() const { return std::span(layout_.strides).last(shape_.size()); }
  [[nodiscard]] integer start_of(integer component) const {
    require_host();
    detail::require_below("array of the batch", component, batch_);
    return size_ == 0 ? 0 : layout_.offset + (batch_ > 1 ? component * layout_.strides[0] : 0);
  }

  /// -1 if the rank does not have it.
  [[nodiscard]] integer position_of(std::size_t axis, integer index) const {
    const auto& all = indices_[axis];
    const auto found = std::lower_bound(all.begin(), all.end(), index);
    return found != all.end() && *found == index ? found - all.begin() : -1;
  }

  [[nodiscard]] integer address_of(std::span<const integer> index, integer component) const {
    if (!owns(index)) throw argument_error(complaint_about(index));
    integer address = start_of(component);
    for (std::size_t l = 0; l < index.size(); ++l) address += position_of(l, index[l]) * strides()[l];
    return address;
  }

  [[nodiscard]] std::string complaint_about(std::span<const integer> index) const {
    const int owner = how_.owner(index);  // throws if there is no such element at all
    return "index " + to_text(extents(index.begin(), index.end())) + " of the array " + to_text(how_.shape()) +
           " belongs to rank " + std::to_string(owner) + ", not to rank " + std::to_string(rank_);
  }

  [[nodiscard]] integer address_at(std::initializer_list<integer> positions) const {
    if (positions.size() != shape_.size()) {
      throw argument_error("a position in the local array " + to_text(shape_) + " has " +
                           std::to_string(shape_.size()) + " entries, not " + std::to_string(positions.size()));
    }
    integer address = start_of(0);
    std::size_t l = 0;
    for (const integer p : positions) {
      detail::require_below("local position", p, shape_[l]);
      address += p * strides()[l++];
    }
    return address;
  }

  [[nodiscard]] integer address(integer number) const {
    if (!has_gaps_) return layout_.offset + number;
    integer address = layout_.offset;
    if (interleaved_) {
      address += number % batch_ * layout_.strides[0];
      number /= batch_;
    }
    for (std::size_t l = shape_.size(); l-- > 0; number /= shape_[l]) address += number % shape_[l] * strides()[l];
    return address + (batch_ > 1 && !interleaved_ ? number * layout_.strides[0] : 0);
  }

  template <class Self>
  static auto first_of_all(Self& self) {
    if (self.has_gaps_) {
      throw argument_error("the array has the layout " + to_text(self.layout_) + " and not one element after the " +
                           "other; use for_each(), view() or operator[]");
    }
    return self.data() + self.start_of(0);
  }

  template <class Self, class Visit>
  static void visit_all(Self& self, Visit& visit) {
    if (self.size_ == 0) return;
    if (self.interleaved_) return self.visit_components(visit, self.data() + self.start_of(0), 0, self.batch_);
    for (integer b = 0; b < self.batch_; ++b) self.visit_components(visit, self.data() + self.start_of(b), b, b + 1);
  }

  /// Arrays begin .. end-1 of a batch, element by element; `first` is in array `begin`.
  template <class Visit, class Pointer>
  void visit_components(Visit& visit, Pointer first, integer begin, integer end) const {
    const std::size_t d = shape_.size();
    const auto steps = strides();
    std::array<integer, max_axes> position{}, global{};
    for (std::size_t l = 0; l < d; ++l) global[l] = indices_[l][0];
    const std::span<const integer> index(global.data(), d);
    for (;;) {
      for (integer b = begin; b < end; ++b) {
        auto& element = first[b == begin ? 0 : (b - begin) * layout_.strides[0]];
        if constexpr (std::is_invocable_v<Visit&, std::span<const integer>, decltype(element)>) {
          visit(index, element);
        } else {
          visit(index, element, b);
        }
      }
      std::size_t l = d;
      for (; l > 0; --l) {
        auto& p = position[l - 1];
        if (p + 1 < shape_[l - 1]) {
          ++p;
          first += steps[l - 1];
        } else {
          first -= p * steps[l - 1];
          p = 0;
        }
        global[l - 1] = indices_[l - 1][static_cast<std::size_t>(p)];
        if (p != 0) break;
      }
      if (l == 0) return;
    }
  }

  distribution how_;
  int rank_;
  integer batch_;
  extents shape_;
  layout layout_;
  integer size_ = 0, reach_ = 0;
  bool interleaved_ = false;
  bool has_gaps_ = false;  // or the elements lie in another order than theirs
  std::vector<extents> indices_;
  memory memory_;
};

namespace detail {

/// What an array says of itself, for whoever takes it to compare with what it needs.
struct array_terms {
  const distribution& how;
  int rank;
  integer batch;
  const layout& where;
  const extents& local_shape;
};

template <class T>
array_terms terms_of(const array<T>& x) {
  return {x.how(), x.rank(), x.batch(), x.local_layout(), x.local_shape()};
}

}  // namespace detail

}  // namespace weft
