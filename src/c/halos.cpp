// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "c/fortran.h"
#include "c/handles.hpp"
#include "mpi/agreement.hpp"

using namespace weft::c;

namespace {

/// Cells of an array with ghosts and batch, as far as there are so many bytes.
template <class T>
std::span<T> cells_of(const weft::halo<T>& around, void* cells, int64_t bytes) {
  const std::size_t room = cells == nullptr ? 0 : static_cast<std::size_t>(bytes) / sizeof(T);
  return {static_cast<T*>(cells), std::min(room, static_cast<std::size_t>(around.cells()))};
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

void weft_halo_destroy(weft_halo* of) { destroy(of); }

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

int weft_halo_fill(weft_halo* of, void* cells) { return weft_f_halo_run(of, 0, cells, any_bytes); }
int weft_halo_accumulate(weft_halo* of, void* cells) { return weft_f_halo_run(of, 1, cells, any_bytes); }

int weft_f_halo_run(weft_halo* of, int accumulate, void* cells, int64_t bytes) {
  return guarded([&] {
    const auto run = [&](auto& around) {
      const auto all = cells_of(around, cells, bytes);
      return accumulate != 0 ? around.accumulate(all) : around.fill(all);
    };
    std::visit(run, existing(of, "the halo").value);
  });
}
