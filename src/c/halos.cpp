// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"
#include "mpi/agreement.hpp"

using namespace weft::c;

namespace {

/// Cells of an array with ghosts and batch.
template <class T>
std::span<T> cells_of(const weft::halo<T>& around, void* cells) {
  return {static_cast<T*>(cells), cells == nullptr ? 0 : static_cast<std::size_t>(around.cells())};
}

}  // namespace

int weft_halo_create(const weft_distribution* how, const int64_t* before, const int64_t* after, int64_t batch,
                     int precision, int parts, MPI_Comm on, weft_halo** made) {
  return guarded([&] {
    weft::extents low, high;
    weft::mpi::agree(weft::mpi::communicator(on), [&] {
      const int axes = existing(how, "the distribution").value.axes();
      low = extents_from(axes, before, "before");
      high = extents_from(axes, after, "after");
      (void)existing(made, "made");
      require_element(precision, parts);
    });
    const auto make = [&]<class T>(T) { *made = new weft_halo{weft::halo<T>(how->value, low, high, on, batch)}; };
    if (precision == WEFT_F32) return parts == 1 ? make(0.0F) : make(std::complex<float>());
    return parts == 1 ? make(0.0) : make(std::complex<double>());
  });
}

void weft_halo_destroy(weft_halo* of) { delete of; }

int weft_halo_elements(const weft_halo* of, int64_t* elements) {
  return guarded([&] {
    std::visit([&](const auto& around) { existing(elements, "elements") = around.cells(); },
               existing(of, "the halo").value);
  });
}

int weft_halo_layout(const weft_halo* of, int64_t* strides, int64_t* offset) {
  return guarded([&] {
    const auto& where = std::visit([](const auto& around) -> const weft::layout& { return around.where(); },
                                   existing(of, "the halo").value);
    copy_to(strides, where.strides, "strides");
    existing(offset, "offset") = where.offset;
  });
}

int weft_halo_fill(weft_halo* of, void* cells) {
  return guarded(
      [&] { std::visit([&](auto& around) { around.fill(cells_of(around, cells)); }, existing(of, "the halo").value); });
}

int weft_halo_accumulate(weft_halo* of, void* cells) {
  return guarded([&] {
    std::visit([&](auto& around) { around.accumulate(cells_of(around, cells)); }, existing(of, "the halo").value);
  });
}
