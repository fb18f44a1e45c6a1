// SPDX-License-Identifier: BSD-3-Clause
#include "local/sweeps.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <string>

#include "device/kernels/reach.hpp"
#include "local/fused.hpp"
#include "local/sweep_roots.hpp"
#include "local/sweep_shape.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

constexpr std::size_t alignment = 16;
device::sweep_kind kind_of(line_kind kind) {
  switch (kind) {
    case line_kind::none: return device::sweep_kind::copy;
    case line_kind::r2c: return device::sweep_kind::real_to_complex;
    case line_kind::c2r: return device::sweep_kind::complex_to_real;
    case line_kind::c2c_forward:
    case line_kind::c2c_backward: return device::sweep_kind::complex_to_complex;
    default: throw applicability_error("devices have no " + std::string(row_of(kind).name) + " transforms");
  }
}

integer stride_along(const access_map& map, std::size_t axis) {
  return map.placements.empty() ? 0 : std::abs(map.placements.front().strides[axis]);
}

/// Axes besides `axis` by falling stride, so that neighbouring lines lie side by side.
std::vector<int> others_of(const access_map& map, std::size_t axis) {
  std::vector<int> others;
  for (std::size_t l = 0; l < map.shape.size(); ++l) {
    if (l != axis) others.push_back(static_cast<int>(l));
  }
  std::ranges::stable_sort(others, std::greater{},
                           [&](int l) { return stride_along(map, static_cast<std::size_t>(l)); });
  return others;
}

}  // namespace

planned_sweep planned_sweep::part(int axis, integer first, integer end) const {
  planned_sweep result = *this;
  const auto at = static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
  auto& box = result.what.box;
  box.lines = box.count[at] == 0 ? 0 : box.lines / box.count[at] * (end - first);
  box.first[at] = first;
  box.count[at] = end - first;
  const integer width = device::width_of(what);
  result.how.groups = (box.lines + width - 1) / width;
  if (result.how.blocks > 0) result.how.blocks = std::min(result.how.blocks, result.how.groups);
  return result;
}

/// Whether at most the axis is cut, into equal blocks, of which the last one may be shorter, and all elements are
/// there.
static bool in_blocks(const access_map& map, std::size_t axis) {
  const auto& along = map.pieces[axis];
  if (map.cells.size() != along.size() || along.size() > device::most_blocks) return false;
  const auto present = [](const cell& c) { return c.placement >= 0; };
  if (map.cells.empty() || !std::ranges::all_of(map.cells, present)) return false;
  const auto strides_of = [&](const cell& c) { return map.placements[static_cast<std::size_t>(c.placement)].strides; };
  for (std::size_t p = 0; p < along.size(); ++p) {
    const slice& piece = along[p];
    const bool last = p + 1 == along.size();
    if (piece.count < 1 || piece[0] != static_cast<integer>(p) * along.front().count) return false;
    if (piece.count > 1 && piece[1] != piece[0] + 1) return false;
    if (last ? piece.count > along.front().count : piece.count != along.front().count) return false;
    if (strides_of(map.cells[p]) != strides_of(map.cells.front())) return false;
  }
  return true;
}

/// Where the values will lie, counted from the start of the tables, until these have an address.
void sweep_tables::write_bytes(const void* values, std::size_t bytes, const void** address) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  *address = reinterpret_cast<const void*>(bytes_.size() + alignment);  // not null; NOLINT(performance-no-int-to-ptr)
  const auto* const from = static_cast<const std::byte*>(values);
  bytes_.insert(bytes_.end(), from, from + bytes);
}

template <class T>
void sweep_tables::write(const std::vector<T>& values, const T*& address) {
  const void* place = nullptr;
  write_bytes(values.data(), values.size() * sizeof(T), &place);
  address = static_cast<const T*>(place);
}

void sweep_tables::add_side(const access_map& map, std::size_t axis, const std::vector<int>& others,
                            device::side_tables& side) {
  const std::size_t d = map.shape.size();
  std::vector<integer> steps(d, 1);
  for (std::size_t l = d - 1; l > 0; --l) steps[l - 1] = steps[l] * static_cast<integer>(map.pieces[l].size());
  const auto places = [&](std::size_t l) {
    std::vector<device::place_in_axis> table(static_cast<std::size_t>(map.shape[l]));
    for (std::size_t p = 0; p < map.pieces[l].size(); ++p) {
      const slice& piece = map.pieces[l][p];
      for (integer k = 0; k < piece.count; ++k) {
        table[static_cast<std::size_t>(piece[k])] = {static_cast<int>(p), static_cast<int>(k)};
      }
    }
    return table;
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto l = static_cast<std::size_t>(others[i]);
    side.cell_step[i] = static_cast<int>(steps[l]);
    if (map.pieces[l].size() < 2) continue;
    write(places(l), side.places[i]);
    side.cut = 1;
  }
  side.along_cell_step = static_cast<int>(steps[axis]);
  side.along_pieces = static_cast<int>(map.pieces[axis].size());
  if (side.along_pieces > 1) write(places(axis), side.along);
  std::vector<device::cell_place> cells;
  for (const cell& c : map.cells) {
    const int buffer = c.placement < 0 ? -1 : map.placements[static_cast<std::size_t>(c.placement)].buffer;
    if (buffer >= device::most_buffers) {
      throw applicability_error("a device reaches the memory of at most " + std::to_string(device::most_buffers - 1) +
                                " ranks in one pass; use an exchange engine that sends messages");
    }
    cells.push_back({c.offset, buffer, c.placement * static_cast<int>(d)});
  }
  write(cells, side.cells);
  if (in_blocks(map, axis)) {
    side.blocks = static_cast<int>(cells.size());
    side.block_length = static_cast<int>(map.pieces[axis].front().count);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      side.block_buffer[i] = cells[i].buffer;
      side.block_offset[i] = cells[i].offset;
    }
    const auto& all = map.placements[static_cast<std::size_t>(map.cells.front().placement)].strides;
    for (std::size_t i = 0; i < others.size(); ++i) side.block_strides[i] = all[static_cast<std::size_t>(others[i])];
    side.block_strides[others.size()] = all[axis];
  }
  std::vector<std::int64_t> strides;
  for (const placement& p : map.placements) {
    for (const int l : others) strides.push_back(p.strides[static_cast<std::size_t>(l)]);
    strides.push_back(p.strides[axis]);
  }
  write(strides, side.strides);
}

template <class Real>
void sweep_tables::add_tables(const sweep_problem& problem, planned_sweep& p) {
  auto& s = p.what;
  line_problem line;
  line.kind = problem.transform.kind;
  line.length = problem.transform.length;
  line.element = problem.element;
  line.loading = problem.loading;
  line.storing = problem.storing;
  const line_row& row = row_of(line.kind);
  const bool copies = s.kind == device::sweep_kind::copy;
  const auto side = [&](const operation_list& operations, const std::vector<std::complex<double>>& factors,
                        element_type type, integer count, device::side_operations& to) {
    const auto f = fused<Real>(operations, type, count);
    std::vector<device::complex<Real>> turns;
    for (const auto& t : f.turns) turns.push_back({t.real(), t.imag()});
    for (const auto& t : factors) turns.push_back({static_cast<Real>(t.real()), static_cast<Real>(t.imag())});
    const void* address = nullptr;
    if (!turns.empty()) write_bytes(turns.data(), turns.size() * sizeof(turns[0]), &address);
    to.turns = address;
    to.conjugated_from =
        f.conjugate_from < f.conjugate_end ? f.conjugate_from : std::numeric_limits<std::int64_t>::max();
  };
  const element_type copied = s.complex != 0 ? element_type::complex : element_type::real;
  const integer whole = line.length * std::max(1, s.digit.step);  // what operations stand along
  side(problem.loading, problem.loading_factors, copies ? copied : row.in, row.in_extent(whole), s.loading);
  side(problem.storing, problem.storing_factors, copies ? copied : row.out, row.out_extent(whole), s.storing);
  s.scale = scale_of(line);
  const auto untouched = [](const device::side_operations& o) {
    return o.turns == nullptr && o.conjugated_from == std::numeric_limits<std::int64_t>::max();
  };
  const auto place = [&](const std::vector<device::complex<Real>>& table, const void*& address) {
    write_bytes(table.data(), table.size() * sizeof(device::complex<Real>), &address);
  };
  if (problem.turned) {
    while (integer{1} << (2 * s.digit.low_bits) < whole) ++s.digit.low_bits;
    const integer low = integer{1} << s.digit.low_bits;
    place(powers_of_root<Real>(whole, 1, low), s.digit.low_roots);
    place(powers_of_root<Real>(whole, low, (whole + low - 1) / low), s.digit.high_roots);
  }
  if (copies) {
    s.source_plain = s.scale == 1 && untouched(s.loading) && untouched(s.storing) ? 1 : 0;
    shape_launch(p, problem.alone, on_);
    return;
  }
  const bool complex = s.kind == device::sweep_kind::complex_to_complex;
  s.source_plain = untouched(s.loading) && (complex || s.source.along_pieces == 1) ? 1 : 0;
  s.sink_plain = untouched(s.storing) && (complex || s.sink.along_pieces == 1) ? 1 : 0;
  shape_launch(p, problem.alone, on_);
  const auto& by = p.how.by;
  auto radices = p.how.kernel == device::kernel_kind::fixed ? std::vector<int>(by.radix, by.radix + by.stages)
                                                            : radices_of(s.length);
  if (radices.empty()) radices = radices_of(s.work_length);
  s.stages = static_cast<int>(radices.size());
  std::copy(radices.begin(), radices.end(), s.radix);
  place(twiddles_of<Real>(radices), s.twiddles);
  if (problem.turned && p.how.kernel == device::kernel_kind::fixed) {
    std::vector<device::complex<Real>> rows;
    const auto add_row = [&](integer k) {
      for (integer other = 0; other < s.digit.step; ++other) rows.push_back(root<Real>(k * other, whole));
    };
    const integer count = s.length / by.radix[0];
    for (integer j = 0; j < count; ++j) add_row(j);
    for (integer i = 1; i < by.radix[0]; ++i) add_row(i * count);
    place(rows, s.digit.stage_roots);
  }
  if (s.work_length == s.length) return;
  place(chirp_of<Real>(s.length), s.chirp);
  place(filter_of<Real>(s.length, s.work_length), s.filter);
}

void sweep_tables::add(const sweep_problem& problem) {
  const auto axis = static_cast<std::size_t>(problem.transform.axis);
  planned_sweep p;
  auto& s = p.what;
  s.kind = kind_of(problem.transform.kind);
  const extents& shape = problem.sink.shape;
  if (std::ranges::any_of(shape, [](integer n) { return n > longest_on_device; }) ||
      problem.transform.length > longest_on_device) {
    throw applicability_error("devices take extents of at most " + std::to_string(longest_on_device) + ", not " +
                              to_text(shape));
  }
  p.axes = others_of(problem.sink, axis);
  s.axes = static_cast<int>(p.axes.size());
  s.box.lines = 1;
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    s.box.count[i] = shape[static_cast<std::size_t>(p.axes[i])];
    s.box.lines *= s.box.count[i];
  }
  if (problem.other_digit >= 0) {
    s.digit.axis = static_cast<int>(std::ranges::find(p.axes, problem.other_digit) - p.axes.begin());
    s.digit.step = static_cast<int>(s.box.count[s.digit.axis]);
  }
  s.length = static_cast<int>(problem.transform.length);
  s.element = static_cast<int>(real_bytes(problem.element));
  s.complex = problem.sink_bytes == complex_bytes(problem.element) ? 1 : 0;
  s.backward = s.kind == device::sweep_kind::copy ? 0 : row_of(problem.transform.kind).forward ? 0 : 1;
  s.row = p.axes.empty() || stride_along(problem.sink, axis) <=
                                stride_along(problem.sink, static_cast<std::size_t>(p.axes.back()))
              ? 1
              : 0;
  const bool smooth = s.kind == device::sweep_kind::copy || !radices_of(s.length).empty();
  s.work_length = smooth ? s.length : static_cast<int>(convolution_length(2 * integer{s.length} - 1));
  add_side(problem.source, axis, p.axes, s.source);
  add_side(problem.sink, axis, p.axes, s.sink);
  if (problem.element == precision::f32) {
    add_tables<float>(problem, p);
  } else {
    add_tables<double>(problem, p);
  }
  count_groups(p, on_);
  sweeps_.push_back(std::move(p));
}

std::vector<planned_sweep> sweep_tables::upload() {
  block_ = on_.space().allocate(bytes_.size());
  on_.copy(block_.data(), bytes_.data(), bytes_.size());
  on_.synchronize();
  const auto moved = [&](auto& address) {
    using pointer = std::remove_reference_t<decltype(address)>;
    if (address == nullptr) return;
    address = reinterpret_cast<pointer>(block_.data() + (reinterpret_cast<std::uintptr_t>(address) - alignment));
  };
  for (auto& p : sweeps_) {
    for (auto* side : {&p.what.source, &p.what.sink}) {
      for (auto& places : side->places) moved(places);
      moved(side->along);
      moved(side->cells);
      moved(side->strides);
    }
    moved(p.what.loading.turns);
    moved(p.what.storing.turns);
    moved(p.what.digit.low_roots);
    moved(p.what.digit.high_roots);
    moved(p.what.digit.stage_roots);
    moved(p.what.twiddles);
    moved(p.what.chirp);
    moved(p.what.filter);
  }
  return std::move(sweeps_);
}

}  // namespace weft::local
