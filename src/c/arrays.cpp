// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "c/handles.hpp"

using namespace weft::c;

weft_array weft::c::described(const distribution& how, int rank, integer batch, const layout& where,
                              std::size_t element_bytes, int parts) {
  weft_array made{how, rank,          batch, how.local_shape(rank), resolved(where, how.local_shape(rank), batch), {},
                  {},  element_bytes, parts};
  for (int axis = 0; axis < how.axes(); ++axis) {
    auto& indices = made.indices.emplace_back(static_cast<std::size_t>(made.shape[static_cast<std::size_t>(axis)]));
    for (const auto& s : how.part(rank, axis)) {
      for (integer k = 0; k < s.indices.count; ++k) indices[static_cast<std::size_t>(s.positions[k])] = s.indices[k];
    }
  }
  return made;
}

namespace {

const weft_array& of_handle(const weft_array* of) { return existing(of, "the array"); }

weft_array described(const weft::plan& plan, int side) {
  const auto which = side_from(side);
  const bool input = which == weft::side::input;
  return weft::c::described(input ? plan.input() : plan.output(), plan.rank(), plan.batch(),
                            input ? plan.input_layout() : plan.output_layout(), element_bytes_of(plan, which),
                            parts_of(plan, which));
}

/// From the pointer to past the last element.
std::size_t bytes_of(const weft_array& a) {
  weft::extents all = a.shape;
  if (a.batch > 1) all.insert(all.begin(), a.batch);
  const auto elements = static_cast<std::size_t>(weft::span_of(a.where, all));
  if (elements > std::numeric_limits<std::size_t>::max() / 2 / a.element_bytes) {
    throw weft::argument_error(std::to_string(elements) + " elements of " + std::to_string(a.element_bytes) +
                               " bytes have more than 2^63 bytes");
  }
  return elements * a.element_bytes;
}

/// Memory of its own, or the caller's, checked.
void give_memory(weft_array& a, void* memory, std::size_t bytes) {
  if (memory == nullptr) {
    a.block = weft::host_memory(bytes_of(a));
    std::memset(a.block.data(), 0, a.block.bytes());
    return;
  }
  if (bytes < bytes_of(a)) {
    throw weft::buffer_error("the memory for the array has " + std::to_string(bytes) + " bytes, needs " +
                             std::to_string(bytes_of(a)));
  }
  a.block = weft::memory(std::shared_ptr<std::byte>(static_cast<std::byte*>(memory), [](std::byte*) {}), bytes);
}

void require_host(const weft_array& a) {
  if (!a.block.on_device()) return;
  throw weft::argument_error("the array is in a device's memory; copy it with weft_array_copy");
}

/// Wherever it is.
void clear(const weft::memory& block) {
  if (!block.on_device()) {
    std::memset(block.data(), 0, block.bytes());
    return;
  }
  const auto zeros = weft::host_memory(block.bytes());
  std::memset(zeros.data(), 0, zeros.bytes());
  weft::copy(zeros, block, block.bytes());
}

weft::integer size_of(const weft_array& a) { return a.batch * weft::volume(a.shape); }

/// Strides of the axes, without that of a batch.
std::span<const weft::integer> strides_of(const weft_array& a) {
  return std::span(a.where.strides).last(a.shape.size());
}

std::byte* start_of(const weft_array& a, weft::integer component) {
  const weft::integer first = a.where.offset + (a.batch > 1 ? component * a.where.strides[0] : 0);
  return a.block.data() + first * static_cast<weft::integer>(a.element_bytes);
}

void visit_component(const weft_array& a, weft::integer component, weft_visit visit, void* user) {
  const std::size_t d = a.shape.size();
  std::array<weft::integer, weft::max_axes> position{}, index{};
  for (std::size_t l = 0; l < d; ++l) index[l] = a.indices[l][0];
  for (;;) {
    weft::integer distance = 0;
    for (std::size_t l = 0; l < d; ++l) distance += position[l] * strides_of(a)[l];
    visit(index.data(), start_of(a, component) + distance * static_cast<weft::integer>(a.element_bytes), component,
          user);
    std::size_t l = d;
    for (; l > 0; --l) {
      auto& p = position[l - 1];
      p = p + 1 < a.shape[l - 1] ? p + 1 : 0;
      index[l - 1] = a.indices[l - 1][static_cast<std::size_t>(p)];
      if (p != 0) break;
    }
    if (l == 0) return;
  }
}

}  // namespace

int weft_array_create(const weft_plan* of, int side, weft_array** made) {
  return guarded([&] {
    const auto& plan = plan_of(of);
    std::unique_ptr<weft_array> array;
    weft::mpi::agree(of->on, [&] {
      (void)existing(made, "made");
      array = std::make_unique<weft_array>(described(plan, side));
    });
    array->block = plan.allocate(side_from(side));
    clear(array->block);
    *made = array.release();
  });
}

int weft_array_over(const weft_plan* of, int side, const weft_array* memory, weft_array** made) {
  return guarded([&] {
    auto array = std::make_unique<weft_array>(described(plan_of(of), side));
    array->block = of_handle(memory).block;
    if (array->block.bytes() < bytes_of(*array)) {
      throw weft::buffer_error("the memory for the array has " + std::to_string(array->block.bytes()) +
                               " bytes, needs " + std::to_string(bytes_of(*array)));
    }
    existing(made, "made") = array.release();
  });
}

int weft_array_create_in(const weft_distribution* how, int rank, int64_t batch, size_t element_bytes, int strides_count,
                         const int64_t* strides, int64_t offset, void* memory, size_t bytes, weft_array** made) {
  return guarded([&] {
    if (batch < 1) throw weft::argument_error("batch " + std::to_string(batch) + " is less than 1");
    if (element_bytes == 0) throw weft::argument_error("the element size is 0 bytes; use 1 or more");
    weft::layout where;
    where.strides = extents_from(strides_count, strides, "strides");
    where.offset = offset;
    auto array = std::make_unique<weft_array>(
        described(existing(how, "the distribution").value, rank, batch, where, element_bytes));
    give_memory(*array, memory, bytes);
    existing(made, "made") = array.release();
  });
}

int weft_array_create_as(const weft_distribution* how, int rank, int64_t batch, size_t element_bytes,
                         weft_array** made) {
  return weft_array_create_in(how, rank, batch, element_bytes, 0, nullptr, 0, nullptr, 0, made);
}

int weft_array_copy(const weft_array* from, const weft_array* to) {
  return guarded([&] {
    const auto& a = of_handle(from);
    const auto& b = of_handle(to);
    if (a.how != b.how || a.rank != b.rank || a.batch != b.batch || a.where != b.where ||
        a.element_bytes != b.element_bytes) {
      throw weft::argument_error("an array with " + a.how.text() + " and " + weft::to_text(a.where) +
                                 " cannot be copied to one with " + b.how.text() + " and " + weft::to_text(b.where));
    }
    if (a.parts != 0 && b.parts != 0 && a.parts != b.parts) {
      throw weft::argument_error(
          "an array of real elements cannot be copied to one of complex ones, nor the other way");
    }
    weft::copy(a.block, b.block, bytes_of(a));
  });
}

int weft_array_to_host(const weft_array* of, weft_array** made) {
  return guarded([&] {
    const auto& a = of_handle(of);
    auto array = std::make_unique<weft_array>(described(a.how, a.rank, a.batch, a.where, a.element_bytes, a.parts));
    give_memory(*array, nullptr, 0);
    weft::copy(a.block, array->block, bytes_of(a));
    existing(made, "made") = array.release();
  });
}

void weft_array_destroy(weft_array* of) { destroy(of); }

void* weft_array_data(const weft_array* of) { return is_alive(of) ? of->block.data() : nullptr; }

int64_t weft_array_size(const weft_array* of) { return is_alive(of) ? size_of(*of) : 0; }

int weft_array_number(const weft_array* of, const char* what, int64_t* number) {
  return guarded([&] {
    const auto& a = of_handle(of);
    const std::pair<const char*, int64_t> known[] = {{"axes", a.how.axes()},
                                                     {"batch", a.batch},
                                                     {"rank", a.rank},
                                                     {"element_bytes", static_cast<int64_t>(a.element_bytes)},
                                                     {"parts", a.parts}};
    existing(number, "number") = found_in(known, what);
  });
}

int weft_array_distribution(const weft_array* of, weft_distribution** made) {
  return guarded([&] {
    auto& target = existing(made, "made");
    target = new weft_distribution{of_handle(of).how};
  });
}

int weft_array_local_shape(const weft_array* of, int64_t* shape) {
  return guarded([&] { copy_to(shape, of_handle(of).shape, "shape"); });
}

int weft_array_layout(const weft_array* of, int64_t* strides, int64_t* offset) {
  return guarded([&] {
    copy_to(strides, of_handle(of).where.strides, "strides");
    existing(offset, "offset") = of_handle(of).where.offset;
  });
}

int weft_array_indices(const weft_array* of, int axis, int64_t* indices) {
  return guarded([&] {
    weft::detail::require_below("axis", axis, of_handle(of).how.axes());
    copy_to(indices, of_handle(of).indices[static_cast<std::size_t>(axis)], "indices");
  });
}

void* weft_array_at(const weft_array* of, const int64_t* index, int64_t component) {
  if (!is_alive(of) || index == nullptr || component < 0 || component >= of->batch) return nullptr;
  if (of->block.on_device()) return nullptr;
  weft::integer distance = 0;
  for (std::size_t l = 0; l < of->shape.size(); ++l) {
    const auto& all = of->indices[l];
    const auto found = std::lower_bound(all.begin(), all.end(), index[l]);
    if (found == all.end() || *found != index[l]) return nullptr;
    distance += (found - all.begin()) * strides_of(*of)[l];
  }
  return start_of(*of, component) + distance * static_cast<weft::integer>(of->element_bytes);
}

int weft_array_for_each(const weft_array* of, weft_visit visit, void* user) {
  return guarded([&] {
    const auto& a = of_handle(of);
    (void)existing(visit, "visit");
    require_host(a);
    if (size_of(a) == 0) return;
    for (weft::integer b = 0; b < a.batch; ++b) visit_component(a, b, visit, user);
  });
}
