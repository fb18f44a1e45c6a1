// SPDX-License-Identifier: BSD-3-Clause
// Ghost cells of boxes: filled from the ranks that own their elements, or added to these. The array is periodic.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/array.hpp"
#include "weft/distribution.hpp"
#include "weft/layout.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace detail {

/// Cells that two ranks have in common: a box of a rank's array with ghost cells, from its first cell.
struct shared_cells {
  int peer = 0;
  extents low, shape;
};

/// What does not depend on the type: who has what in common, and the messages.
class ghost_exchange {
 public:
  ghost_exchange(const distribution& how, const extents& before, const extents& after, integer batch,
                 std::size_t element_bytes, MPI_Comm on);
  ghost_exchange(ghost_exchange&&) noexcept;
  ghost_exchange& operator=(ghost_exchange&&) noexcept;
  ~ghost_exchange();

  [[nodiscard]] const distribution& how() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] integer batch() const;
  [[nodiscard]] const layout& where() const;
  /// Of this rank's array, ghosts and batch included.
  [[nodiscard]] integer cells() const;
  /// Elements of this rank that others have as ghosts, by peers, and this rank's ghosts, by owners; both ranks have
  /// what they share in the same order.
  [[nodiscard]] const std::vector<shared_cells>& owned() const;
  [[nodiscard]] const std::vector<shared_cells>& ghosts() const;
  /// Of all of `owned()` or `ghosts()`, batch included.
  [[nodiscard]] std::size_t owned_count() const;
  [[nodiscard]] std::size_t ghost_count() const;

  /// Collective: throws on all ranks if one passes less memory than cells() or, as an array, another layout.
  void check(std::size_t count, const array_terms* terms) const;
  /// Collective, with elements packed in the order of the lists.
  void to_ghosts(const void* owned, void* ghosts) const;
  void to_owners(const void* ghosts, void* owned) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace detail

/// For a distribution that gives each rank a box, and ghost cells `before` and `after` it along each axis, any number
/// of them. Made once, collectively; used any number of times.
template <class T>
class halo {
 public:
  halo(const distribution& how, const extents& before, const extents& after, MPI_Comm on, integer batch = 1)
      : between_(how, before, after, batch, sizeof(T), on),
        owned_(between_.owned_count()),
        ghosts_(between_.ghost_count()) {}

  /// For options::input_layout or output_layout.
  [[nodiscard]] const layout& where() const { return between_.where(); }
  /// Elements of this rank's array, with all ghost cells and the batch.
  [[nodiscard]] integer cells() const { return between_.cells(); }
  /// Zeros, with room for all ghost cells. A plan made with this layout takes it.
  [[nodiscard]] array<T> make() const {
    const auto bytes = static_cast<std::size_t>(between_.cells()) * sizeof(T);
    memory block = host_memory(bytes);
    std::memset(block.data(), 0, bytes);
    return array<T>(between_.how(), between_.rank(), between_.batch(), between_.where(), std::move(block));
  }

  /// Every ghost cell becomes the element that it stands for. Collective.
  void fill(array<T>& x) {
    const auto terms = detail::terms_of(x);
    between_.check(x.block().bytes() / sizeof(T), &terms);
    fill_cells(x.data());
  }
  void fill(std::span<T> cells) {
    between_.check(cells.size(), nullptr);
    fill_cells(cells.data());
  }
  /// Every ghost cell is added to the element that it stands for, and is zero afterwards. Collective.
  void accumulate(array<T>& x) {
    const auto terms = detail::terms_of(x);
    between_.check(x.block().bytes() / sizeof(T), &terms);
    accumulate_cells(x.data());
  }
  void accumulate(std::span<T> cells) {
    between_.check(cells.size(), nullptr);
    accumulate_cells(cells.data());
  }

 private:
  void fill_cells(T* cells) {
    std::size_t next = 0;
    each(between_.owned(), cells, [&](T& cell) { owned_[next++] = cell; });
    between_.to_ghosts(owned_.data(), ghosts_.data());
    next = 0;
    each(between_.ghosts(), cells, [&](T& cell) { cell = ghosts_[next++]; });
  }

  void accumulate_cells(T* cells) {
    std::size_t next = 0;
    each(between_.ghosts(), cells, [&](T& cell) { ghosts_[next++] = std::exchange(cell, T{}); });
    between_.to_owners(ghosts_.data(), owned_.data());
    next = 0;
    each(between_.owned(), cells, [&](T& cell) { cell += owned_[next++]; });
  }

  /// Visits all cells of a list, those of a batch one array after the other.
  template <class Visit>
  void each(const std::vector<detail::shared_cells>& all, T* cells, const Visit& visit) const {
    const auto strides = std::span(where().strides).last(static_cast<std::size_t>(between_.how().axes()));
    for (const auto& part : all) {
      for (integer b = 0; b < between_.batch(); ++b) {
        T* first = cells + (between_.batch() > 1 ? b * where().strides[0] : 0);
        for (std::size_t l = 0; l < strides.size(); ++l) first += part.low[l] * strides[l];
        visit_rows(first, part.shape, strides, 0, visit);
      }
    }
  }

  template <class Visit>
  static void visit_rows(T* first, const extents& shape, std::span<const integer> strides, std::size_t axis,
                         const Visit& visit) {
    for (integer i = 0; i < shape[axis]; ++i, first += strides[axis]) {
      if (axis + 1 == shape.size()) {
        visit(*first);
      } else {
        visit_rows(first, shape, strides, axis + 1, visit);
      }
    }
  }

  detail::ghost_exchange between_;
  std::vector<T> owned_, ghosts_;
};

/// The boxes of all ranks, from each rank's own: distribution::bricks(shape, ...). Collective; throws on all ranks
/// unless they tile the array.
[[nodiscard]] distribution bricks_of(const extents& shape, const box& mine, MPI_Comm on);

}  // namespace weft
