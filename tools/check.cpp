// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "index/modes.hpp"
#include "local/serial.hpp"
#include "owned_cursor.hpp"
#include "random_element.hpp"
#include "transform_name.hpp"

namespace weft::tool {

namespace {

using values = std::vector<std::complex<double>>;

template <class T>
values random_input(const random_array& random, integer size) {
  values all(static_cast<std::size_t>(size));
  for (integer i = 0; i < size; ++i) all[static_cast<std::size_t>(i)] = std::complex<double>(random.element<T>(i));
  return all;
}

values input_of(const problem& what, std::uint64_t seed, integer batch_member) {
  const random_array random(seed, batch_member);
  const integer size = volume(core::extents_of(what.shape, what.input_box));
  if (!is_complex(what, side::input)) {
    return what.element == precision::f32 ? random_input<float>(random, size) : random_input<double>(random, size);
  }
  return what.element == precision::f32 ? random_input<std::complex<float>>(random, size)
                                        : random_input<std::complex<double>>(random, size);
}

/// Which entry of the whole spectrum each one of the output's is along `axis`; -1: none, but zero.
std::vector<integer> modes_along(const problem& what, line_kind kind, std::size_t axis, integer extent) {
  const integer n = what.shape[axis], kept = what.modes.empty() ? n : what.modes[axis];
  const bool fourier = is_fourier(kind), real = halved_axis(what) >= 0;
  std::vector<integer> modes;
  if (!what.output_box.low.empty()) {
    for (integer i = 0; i < extent; ++i) modes.push_back(what.output_box.low[axis] + i);
    return modes;
  }
  for (integer i = 0; i < extent; ++i) {
    const bool unpaired = kept < n && fourier && real && 2 * i == kept;
    const bool negative = kind == line_kind::c2c_forward && 2 * i >= kept;
    modes.push_back(unpaired ? -1 : negative ? n - kept + i : i);
  }
  return modes;
}

/// Keeps these entries of `axis`.
values selected(const values& all, const extents& shape, std::size_t axis, const std::vector<integer>& entries) {
  integer inner = 1;
  for (std::size_t l = axis + 1; l < shape.size(); ++l) inner *= shape[l];
  values result;
  for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(inner * shape[axis])) {
    for (const integer entry : entries) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first) + std::max<integer>(0, entry) * inner;
      result.insert(result.end(), begin, begin + inner);
      if (entry < 0) std::fill(result.end() - inner, result.end(), 0);
    }
  }
  return result;
}

values serial_output(const problem& what, const extents& output_shape, std::uint64_t seed, integer batch_member) {
  values all = input_of(what, seed, batch_member);
  const auto kinds = kinds_of(what);
  extents given = core::extents_of(what.shape, what.input_box);
  for (std::size_t l = 0; l < given.size(); ++l) {
    if (given[l] == what.shape[l]) continue;
    std::vector<integer> entries(static_cast<std::size_t>(what.shape[l]), -1);
    for (integer i = 0; i < given[l]; ++i) entries[static_cast<std::size_t>(what.input_box.low[l] + i)] = i;
    all = selected(all, given, l, entries);
    given[l] = what.shape[l];
  }
  for (const int axis : transformed_axes(what)) {
    const line_kind kind = kinds[static_cast<std::size_t>(axis)];
    if (is_fourier(kind)) {
      local::transform_axes<double>(all, what.shape, {axis}, -1);
    } else {
      local::transform_axis<double>(all, what.shape, axis, kind);
    }
  }
  extents shape = what.shape;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    if (kinds[l] == line_kind::none ||
        (shape[l] == output_shape[l] && what.modes.empty() && what.output_box.low.empty()))
      continue;
    all = selected(all, shape, l, modes_along(what, kinds[l], l, output_shape[l]));
    shape[l] = output_shape[l];
  }
  return all;
}

}  // namespace

std::vector<int> transformed_axes(const problem& what) {
  const auto kinds = kinds_of(what);
  std::vector<int> axes;
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    if (kinds[l] != line_kind::none) axes.push_back(static_cast<int>(l));
  }
  return axes;
}

int halved_axis(const problem& what) { return real_axis(kinds_of(what)); }

double transform_length(const problem& what) { return logical_size(what.shape, kinds_of(what)); }

double tolerance(const problem& what) {
  const double unit = what.element == precision::f32 ? 6e-8 : 1e-15;
  return unit * std::log2(std::max(2.0, transform_length(what))) * 10;
}

void each_serial_chunk(const problem& what, const extents& shape, std::uint64_t seed, integer batch_member,
                       const ranks& all, const std::function<void(integer, serial_chunk)>& visit) {
  constexpr integer most = integer{1} << 20;  // what ranks other than the root hold of the answer at a time
  const integer size = volume(shape);
  values whole = all.is_root() ? serial_output(what, shape, seed, batch_member)
                               : values(static_cast<std::size_t>(std::min(most, size)));
  for (integer first = 0; first < size; first += most) {
    const auto count = static_cast<std::size_t>(std::min(most, size - first));
    const std::span<std::complex<double>> chunk(whole.data() + (all.is_root() ? first : 0), count);
    all.broadcast_from_root(chunk);
    visit(first, chunk);
  }
}

deviation compare_with_serial(const field& output, const problem& what, std::uint64_t seed, double scale,
                              const ranks& all) {
  return with_typed_pointer(output, [&](const auto* element) {
    deviation total;
    for (integer b = 0; b < output.batch(); ++b) {
      owned_cursor at(output.how(), output.rank());
      const auto* here = element + b * output.distance();
      each_serial_chunk(what, output.how().shape(), seed, b, all, [&](integer first, serial_chunk expected) {
        const integer end = first + static_cast<integer>(expected.size());
        for (; !at.done() && at.global() < end; at.advance(), here += output.step()) {
          const std::complex<double> got(*here),
              answer = scale * expected[static_cast<std::size_t>(at.global() - first)];
          total.add({std::norm(got - answer), std::norm(answer)});
        }
      });
    }
    return total;
  });
}

}  // namespace weft::tool
