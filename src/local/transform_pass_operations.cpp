// SPDX-License-Identifier: BSD-3-Clause
// Bundles of a transform pass that go through a dense buffer, and what is done to elements there.
#include <complex>

#include "local/staging.hpp"
#include "local/transform_pass.hpp"
#include "local/transform_pass_call.hpp"

namespace weft::local {

namespace {

/// Calls `visit` with a value of the type of element.
template <class Visit>
void with_element(element_type type, precision p, const Visit& visit) {
  const bool real = type == element_type::real;
  if (p == precision::f32) return real ? visit(float{}) : visit(std::complex<float>{});
  real ? visit(double{}) : visit(std::complex<double>{});
}

/// A bundle whose lanes are adjacent in a dense buffer.
run dense_run(std::byte* buffer, integer elements, integer lanes, integer element_bytes) {
  return {buffer, 0, 1, elements, lanes * element_bytes, element_bytes};
}

template <class T>
staged<T> as_staged(const run& dense) {
  return {reinterpret_cast<T*>(dense.address), dense.stride / static_cast<integer>(sizeof(T)), 1};
}

}  // namespace

void transform_pass::run_staged(call& c, std::span<const run> next) const {
  const auto dense = [&](const side& on) {
    return dense_run(c.staging + on.staging, on.line_elements, c.lanes.count,
                     static_cast<integer>(bytes_of(on.type, precision_)));
  };
  const auto lanes = static_cast<int>(c.lanes.count);
  bundle from{c.from.runs, lanes, next};
  bundle to{c.to.runs, lanes, {}, c.to.stream};
  const bool loads = c.number == 0 && loading_.is_staged();
  const bool stores = c.number + 1 == plan_->steps.size() && storing_.is_staged();
  run loaded, stored;
  if (loads) {
    loaded = dense(loading_);
    load_staged(from, loaded, c);
    from = {{&loaded, 1}, lanes};
  }
  if (stores) {
    stored = dense(storing_);
    to = {{&stored, 1}, lanes};
  }
  c.waits->transform(from, to, c.kernel_scratch);
  if (stores) store_staged(stored, {c.to.runs, lanes, {}, c.to.stream}, c);
}

/// To the dense buffer, with all that is done to elements when they are loaded.
void transform_pass::load_staged(const bundle& from, const run& to, const call& c) const {
  const tile_step& s = plan_->steps[c.number];
  const side& on = loading_;
  const auto lanes = from.lanes;
  std::size_t turned = 0;
  std::byte* tables = c.staging + on.tables;
  if (!on.narrow && on.operations.empty() && !on.turners.empty() && on.turners[0]->has_rows(from)) {
    on.turners[0]->prepare(c.at, s.lane_axis, c.lanes, tables);
    on.turners[0]->load_turned(from, to, tables);
    turned = 1;
  } else {
    with_element(on.type, precision_, [&]<class T>(T) {
      if (on.narrow) {
        load<T, narrow<T>>(from, as_staged<T>(to));
      } else {
        load(from, as_staged<T>(to));
      }
    });
    operate(on, to, s, c.at, c.lanes);
  }
  for (std::size_t i = 0; i < on.turners.size(); tables += on.turners[i++]->table_bytes()) {
    if (i < turned) continue;
    on.turners[i]->prepare(c.at, s.lane_axis, c.lanes, tables);
    on.turners[i]->turn(to, lanes, tables);
  }
}

/// And back: those that turn come first, and the last of them may do so on the way.
void transform_pass::store_staged(const run& from, const bundle& to, const call& c) const {
  const tile_step& s = plan_->steps[c.number];
  const side& on = storing_;
  std::byte* tables = c.staging + on.tables;
  for (std::size_t i = 0; i < on.turners.size(); tables += on.turners[i++]->table_bytes()) {
    on.turners[i]->prepare(c.at, s.lane_axis, c.lanes, tables);
    if (i + 1 == on.turners.size() && !on.narrow && on.operations.empty() && on.turners[i]->has_rows(to)) {
      return on.turners[i]->store_turned(from, to, tables);
    }
    on.turners[i]->turn(from, to.lanes, tables);
  }
  operate(on, from, s, c.at, c.lanes);
  with_element(on.type, precision_, [&]<class T>(T) {
    using real = decltype(std::abs(T{}));
    if (on.narrow) {
      store<T, real, narrow<T>>(as_staged<T>(from), to, real{1});
    } else {
      store(as_staged<T>(from), to);
    }
  });
}

void transform_pass::operate(const side& on, const run& lines, const tile_step& s, const positions& at,
                             const lane_group& lanes) const {
  if (on.operations.empty()) return;
  const auto line = static_cast<std::size_t>(s.line_axis);
  const auto lane = static_cast<std::size_t>(s.lane_axis);  // of no axis where there are no lanes
  positions index{};
  for (std::size_t l = 0; l < on.indices.size(); ++l) {
    if (l == line || l == lane) continue;
    index[l] = on.indices[l][static_cast<std::size_t>(at[l])];
    if (index[l] < 0) return;
  }
  for (integer k = 0; k < lanes.count; ++k) {
    if (s.lane_axis >= 0) {
      index[lane] = on.indices[lane][static_cast<std::size_t>(lanes[k])];
      if (index[lane] < 0) continue;
    }
    for (const slice& part : on.present) {
      const auto along = std::span<const integer>(on.indices[line])
                             .subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
      index[line] = along.front();
      const element_line here{lines.address + k * lines.lane_stride + part.first * lines.stride,
                              lines.stride,
                              part.count,
                              s.line_axis,
                              along,
                              {index.data(), on.indices.size()}};
      for (const auto& operation : on.operations) operation(here);
    }
  }
}

}  // namespace weft::local
