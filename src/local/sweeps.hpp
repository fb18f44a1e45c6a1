// SPDX-License-Identifier: BSD-3-Clause
// From a pass to the sweeps of a device: access maps, roots of unity and operations become tables in its memory.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "device/device.hpp"
#include "device/kernels/task.hpp"
#include "local/pass.hpp"

namespace weft::local {

/// A sweep without buffers, and how to launch it on all its lines.
struct planned_sweep {
  device::sweep what{};
  device::launch_shape how;
  std::vector<int> axes;  ///< of the array, in the order in which the sweep has those besides its own

  /// The lines whose positions along `axis` of the array are first .. end-1.
  [[nodiscard]] planned_sweep part(int axis, integer first, integer end) const;
};

/// Positions are 32-bit numbers in kernels, and lengths are doubled.
inline constexpr integer longest_on_device = integer{1} << 28;

/// One axis of a pass, or the copy that a pass without transforms is.
struct sweep_problem {
  const access_map& source;
  const access_map& sink;
  axis_transform transform;  ///< a copy: of kind none, along the axis of its lines
  precision element = precision::f64;
  std::size_t source_bytes = 0, sink_bytes = 0;  ///< of an element
  operation_list loading, storing;               ///< along the axis, and scalings
  /// One for each element of a line, instead of operations along it; empty: none.
  std::vector<std::complex<double>> loading_factors = {}, storing_factors = {};
  bool alone = true;  ///< no other sweep may go from one queue with it
  /// Lines that are one of two digits of longer ones: the axis of the other digit, or -1. Operations and factors are
  /// then along the long ones, whose elements this axis has side by side.
  int other_digit = -1;
  bool turned = false;  ///< by the roots between both digits, once they are loaded
};

/// Tables of some sweeps: written by the host, then brought to the device at once.
class sweep_tables {
 public:
  explicit sweep_tables(const device::device& on) : on_(on) {}

  /// Throws applicability_error for what no kernel can do.
  void add(const sweep_problem& problem);
  /// What was added last, before it has addresses.
  [[nodiscard]] const planned_sweep& last() const { return sweeps_.back(); }
  /// All that were added, with the addresses that the tables have now.
  [[nodiscard]] std::vector<planned_sweep> upload();
  [[nodiscard]] const memory& block() const { return block_; }

 private:
  template <class Real>
  void add_tables(const sweep_problem& problem, planned_sweep& p);
  void add_side(const access_map& map, std::size_t axis, const std::vector<int>& others, device::side_tables& side);
  template <class T>
  void write(const std::vector<T>& values, const T*& address);
  void write_bytes(const void* values, std::size_t bytes, const void** address);

  const device::device& on_;
  std::vector<planned_sweep> sweeps_;
  std::vector<std::byte> bytes_;
  memory block_;
};

}  // namespace weft::local
