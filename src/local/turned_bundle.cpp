// SPDX-License-Identifier: BSD-3-Clause
#include "local/turned_bundle.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "local/root_table.hpp"

namespace weft::local {

namespace {

template <class Real>
class turner final : public bundle_turner {
 public:
  using complex = std::complex<Real>;

  turner(const turning& what, int line_axis, integer length, int lanes)
      : what_(what), along_line_(what.axis == line_axis), roots_(what.by.period), turns_(length, lanes) {}

  [[nodiscard]] std::size_t table_bytes() const override {
    return (static_cast<std::size_t>(turns_.elements()) * sizeof(complex) + 63) / 64 * 64;
  }

  void prepare(const positions& at, int lane_axis, const lane_group& lanes, std::byte* tables) const override {
    const integer period = what_.by.period;
    // Lanes beyond the last are like it: their numbers are not kept, but need not be strange ones.
    for (integer l = 0; l < turns_.lanes(); ++l) {
      const auto position = [&](int axis) {
        return axis == lane_axis ? lanes[std::min(l, lanes.count - 1)] : at[static_cast<std::size_t>(axis)];
      };
      const integer shift = (what_.by.shift + position(what_.across) * what_.step) % period;
      const integer start = along_line_ ? 0 : position(what_.axis) * shift % period;
      turns_.set(static_cast<int>(l), start, along_line_ ? shift : 0, roots_, what_.way == direction::backward,
                 reinterpret_cast<complex*>(tables));
    }
  }

  void turn(const run& dense, int lanes, const std::byte* tables) const override {
    move(dense, 0, dense, 0, 0, dense.count, lanes, false, tables);
  }

  void load_turned(const bundle& from, const run& dense, const std::byte* tables) const override {
    for (const run& r : from.runs) {
      if (r.address != nullptr) {
        each_stretch(r, [&](integer row, integer element, integer count) {
          move(r, row, dense, element, element, count, from.lanes, false, tables);
        });
        continue;
      }
      for (integer j = 0; j < r.count; ++j) {
        std::memset(dense.address + (r.first + j * r.step) * dense.stride, 0,
                    sizeof(complex) * static_cast<std::size_t>(from.lanes));
      }
    }
  }

  void store_turned(const run& dense, const bundle& to, const std::byte* tables) const override {
    for (const run& r : to.runs) {
      if (r.address == nullptr) continue;
      each_stretch(r, [&](integer row, integer element, integer count) {
        move(dense, element, r, row, element, count, to.lanes, to.stream, tables);
      });
    }
  }

  [[nodiscard]] bool has_rows(const bundle& lines) const override {
    constexpr auto bytes = static_cast<integer>(sizeof(complex));
    return std::ranges::all_of(lines.runs, [&](const run& r) {
      return r.address == nullptr || ((r.lane_stride == bytes || lines.lanes == 1) && r.stride % bytes == 0);
    });
  }

 private:
  /// visit(row, element, count): rows of a run that are neighbours along the line.
  template <class Visit>
  static void each_stretch(const run& r, const Visit& visit) {
    if (r.step == 1) {
      visit(integer{0}, r.first, r.count);
    } else {
      for (integer j = 0; j < r.count; ++j) visit(j, r.first + j * r.step, integer{1});
    }
  }

  /// `count` elements of the lines, from `element` on, between rows of two runs.
  void move(const run& from, integer from_row, const run& to, integer to_row, integer element, integer count, int lanes,
            bool stream, const std::byte* tables) const {
    constexpr auto bytes = static_cast<integer>(sizeof(complex));
    row_turning<Real> rows;
    rows.from = reinterpret_cast<const Real*>(from.address + from_row * from.stride);
    rows.from_stride = from.stride / bytes;
    rows.to = reinterpret_cast<Real*>(to.address + to_row * to.stride);
    rows.to_stride = to.stride / bytes;
    rows.first = element;
    rows.rows = count;
    rows.kept = lanes;
    rows.stream = stream;
    turns_.turn(rows, reinterpret_cast<const complex*>(tables));
  }

  turning what_;
  bool along_line_;
  root_table<Real> roots_;
  row_turns<Real> turns_;
};

}  // namespace

std::unique_ptr<bundle_turner> make_bundle_turner(const turning& what, int line_axis, integer length, int lanes,
                                                  precision element) {
  if (element == precision::f32) return std::make_unique<turner<float>>(what, line_axis, length, lanes);
  return std::make_unique<turner<double>>(what, line_axis, length, lanes);
}

}  // namespace weft::local
