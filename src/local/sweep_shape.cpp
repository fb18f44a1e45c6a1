// SPDX-License-Identifier: BSD-3-Clause
#include "local/sweep_shape.hpp"

#include <algorithm>

#include "device/kernels/reach.hpp"
#include "device/kernels/straight_sweeps.hpp"
#include "device/plan_search.hpp"

namespace weft::local {

namespace {

/// What a block's work area may have before it is better off with fewer lanes.
constexpr integer usual_work = integer{64} << 10;

/// Bytes of a sweep from which on a second's work of a compiler is worth a few microseconds of each call.
constexpr integer worth_compiling = integer{1} << 20;

integer bytes_of_runs(const device::sweep& s, int lanes) {
  const bool pairs = s.kind == device::sweep_kind::real_to_complex || s.kind == device::sweep_kind::complex_to_real;
  return static_cast<integer>(sizeof(device::line_run)) * (pairs ? 2 : 1) * lanes *
         (s.source.along_pieces + s.sink.along_pieces);
}

/// Bytes of the work area of a block that copies lines or loops over stages.
integer work_bytes(const device::sweep& s, device::kernel_kind kernel, int lanes) {
  const integer buffers = kernel == device::kernel_kind::looped ? integer{4} * s.element * s.work_length * lanes : 0;
  return buffers + bytes_of_runs(s, lanes);
}

int lanes_across(const device::sweep& s) { return 128 / (2 * s.element); }

/// Lines that are loaded along the memory and stored across it, as the second digits of contiguous lines are: with no
/// more lanes than let threads of a warp load whole sectors of the cache from each line. Measured, see docs/gpu.md.
device::block_plan with_sectors(device::block_plan by, const device::sweep& s) {
  constexpr int warp = 32, sector = 32, most_threads = 2048;  // of a multiprocessor
  const int bytes = 2 * s.element, most = warp * bytes / sector;
  const bool along = s.row == 0 && s.source.blocks == 1 && s.source.block_strides[s.axes] == bytes;
  if (!along || by.lanes <= most) return by;
  by.blocks =
      std::clamp(std::min(by.blocks * by.lanes / most, most_threads / std::max(warp, by.threads * most)), 1, 16);
  by.lanes = most;
  return by;
}

/// A kernel for the length alone, if there is one and its block has room. What is straight and alone goes across by a
/// plan of its own; for lengths that no kernels are compiled for with the library there are straight ones only.
void shape_fixed(planned_sweep& p, bool alone, const device::device& on) {
  auto& s = p.what;
  device::chained_sweeps only{};
  only.first = s;
  const bool straight = device::straight_of(only).first.lines > 0;
  // With two other axes at most, so that parts of it are straight, too.
  const bool across = alone && straight && s.row == 0 && s.axes <= 2;
  device::block_plan by =
      device::plan_of(s.length, s.element, across ? device::plan_use::across : device::plan_use::chain);
  if (by.stages == 0 || (s.row == 0 && s.length > device::longest_planned)) return;
  const integer moved = s.box.lines * s.length * 2 * s.element;
  const bool worth_it = on.kind() == "emulated" || moved >= worth_compiling;  // the host plays what is compiled already
  const auto may_make = [&](const device::block_plan& plan) {
    return worth_it && straight && on.makes_kernels(plan, s.element);
  };
  if (const auto better = with_sectors(by, s); across && better != by && may_make(better)) by = better;
  if (!device::has_kernels(s.length) && !may_make(by)) return;
  const integer bytes = device::work_bytes(by, s.element) + bytes_of_runs(s, by.lanes);
  if (bytes > on.most_shared()) return;
  p.how = {device::kernel_kind::fixed, by.threads * by.lanes, 0, 0, bytes, by};
  s.lanes = by.lanes;
}

}  // namespace

/// That, or otherwise the loop, with as many lanes as suit it.
void shape_launch(planned_sweep& p, bool alone, const device::device& on) {
  auto& s = p.what;
  auto& how = p.how;
  const bool copies = s.kind == device::sweep_kind::copy;
  if (!copies) {
    shape_fixed(p, alone, on);
    if (how.kernel == device::kernel_kind::fixed) return;
  }
  how.kernel = copies ? device::kernel_kind::copied : device::kernel_kind::looped;
  how.threads = on.usual_threads();
  s.lanes = std::min(how.threads, s.row != 0 ? 4 : lanes_across(s));
  while (s.lanes < how.threads && integer{s.lanes} * s.length < integer{8} * how.threads) s.lanes *= 2;
  while (s.lanes > 1 && work_bytes(s, how.kernel, s.lanes) > std::min(usual_work, on.most_shared())) s.lanes /= 2;
  how.shared = work_bytes(s, how.kernel, s.lanes);
  if (how.shared <= on.most_shared()) return;
  s.work_in_scratch = 1;
  s.block_scratch = (how.shared + 255) / 256 * 256;
  how.shared = 0;
}

void count_groups(planned_sweep& p, const device::device& on) {
  auto& s = p.what;
  const integer width = device::width_of(s);
  p.how.groups = (s.box.lines + width - 1) / width;
  if (s.work_in_scratch != 0) p.how.blocks = std::min<integer>(p.how.groups, on.most_blocks());
}

}  // namespace weft::local
