// SPDX-License-Identifier: BSD-3-Clause
// Whole arrays: gathered, scattered, summed up, in files.
#include <algorithm>

#include "c/handles.hpp"

using namespace weft::c;

static_assert(WEFT_MAX_AXES == weft::max_axes);

namespace {

weft::detail::any_array any(const weft_array& x) {
  return {{x.how, x.rank, x.batch, x.where, x.shape}, x.element_bytes, x.block.data()};
}

/// Throws on all ranks unless all have an array there, in the host's memory.
weft::detail::any_array checked(const weft_array* x, MPI_Comm on) {
  weft::mpi::agree(weft::mpi::communicator(on), [&] {
    if (existing(x, "the array").block.on_device()) {
      throw weft::argument_error("the array is in a device's memory; copy it with weft_array_to_host");
    }
  });
  return any(*x);
}

/// Calls what(T()) with the type of the elements.
template <class What>
auto with_element(int precision, int parts, const What& what) {
  if (precision == WEFT_F32) return parts == 1 ? what(0.0F) : what(std::complex<float>());
  return parts == 1 ? what(0.0) : what(std::complex<double>());
}

/// The same with an array of that type, checked on all ranks.
template <class What>
void with_array(const weft_array* x, int precision, int parts, MPI_Comm on, const What& what) {
  const weft::mpi::communicator ranks(on);
  weft::mpi::agree(ranks, [&] { require_element(precision, parts); });
  with_element(precision, parts, [&]<class T>(T) {
    with_arrays<T>(
        ranks, [&](weft::array<T>& all) { what(all); }, named_array("the array", x));
  });
}

std::string dataset_from(const char* name) { return name == nullptr ? "data" : name; }

}  // namespace

int weft_gather(const weft_array* x, MPI_Comm on, int root, void* all, size_t all_bytes) {
  return guarded([&] {
    const auto allocate = [&](std::size_t bytes) -> std::span<std::byte> {
      if (all_bytes < bytes || (bytes > 0 && all == nullptr)) {
        throw weft::buffer_error("the whole array on rank " + std::to_string(root) + " has " +
                                 std::to_string(all == nullptr ? 0 : all_bytes) + " bytes, needs " +
                                 std::to_string(bytes));
      }
      return {static_cast<std::byte*>(all), bytes};
    };
    weft::detail::gather(checked(x, on), allocate, root, on);
  });
}

int weft_scatter(const void* all, size_t all_bytes, const weft_array* x, MPI_Comm on, int root) {
  return guarded([&] {
    weft::detail::scatter({static_cast<const std::byte*>(all), all == nullptr ? 0 : all_bytes}, checked(x, on), root,
                          on);
  });
}

int weft_sum(const weft_array* x, int precision, int parts, MPI_Comm on, double* sum) {
  return guarded([&] {
    weft::mpi::agree(weft::mpi::communicator(on), [&] { (void)existing(sum, "sum"); });
    with_array(x, precision, parts, on, [&]<class T>(const weft::array<T>& all) {
      const std::complex<double> total = weft::sum(all, on);
      sum[0] = total.real();
      if (parts == 2) sum[1] = total.imag();
    });
  });
}

int weft_can_store(void) { return weft::can_store() ? 1 : 0; }

int weft_write(const char* file, const char* dataset, const weft_array* x, int precision, int parts, MPI_Comm on) {
  return guarded([&] {
    weft::mpi::agree(weft::mpi::communicator(on), [&] { (void)existing(file, "file"); });
    with_array(x, precision, parts, on, [&](const auto& all) { weft::write(file, all, on, dataset_from(dataset)); });
  });
}

int weft_read(const char* file, const char* dataset, const weft_array* x, int precision, int parts, MPI_Comm on) {
  return guarded([&] {
    weft::mpi::agree(weft::mpi::communicator(on), [&] { (void)existing(file, "file"); });
    with_array(x, precision, parts, on, [&](auto& all) { weft::read(file, all, on, dataset_from(dataset)); });
  });
}

int weft_look_into(const char* file, const char* dataset, MPI_Comm on, weft_stored* found, char** distribution) {
  return guarded([&] {
    weft::mpi::agree(weft::mpi::communicator(on), [&] {
      (void)existing(file, "file");
      (void)existing(found, "found");
    });
    const auto stored = weft::look_into(file, on, dataset_from(dataset));
    found->axes = static_cast<int>(stored.shape.size());
    std::ranges::copy(stored.shape, found->shape);
    found->batch = stored.batch;
    found->precision = stored.element == weft::precision::f32 ? WEFT_F32 : WEFT_F64;
    found->parts = stored.complex ? 2 : 1;
    if (distribution != nullptr) give(distribution, stored.distribution);
  });
}
