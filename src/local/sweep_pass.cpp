// SPDX-License-Identifier: BSD-3-Clause
#include "local/sweep_pass.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "local/engines/device_pass.hpp"
#include "local/sweep_chain.hpp"
#include "local/sweeps.hpp"
#include "local/trigonometric_sums.hpp"
#include "local/widened_maps.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

bool has_absent_cells(const access_map& map) {
  return std::ranges::any_of(map.cells, [](const cell& c) { return c.placement < 0; });
}

[[noreturn]] void refuse_pointwise() {
  throw applicability_error(
      "devices call no functions of the host on elements; call one of the device's own on the modes, "
      "see weft/device.hpp");
}

/// The operations that one of several transforms of a pass is given: those along its axis and, at the outermost one,
/// those that stand along none.
operation_list operations_of(const operation_list& all, const axis_transform& t, bool outermost) {
  operation_list found;
  for (const auto& o : all) {
    if (is_pointwise(o)) refuse_pointwise();
    const int* const axis = axis_of(o);
    if (axis == nullptr ? outermost : *axis == t.axis) found.push_back(o);
  }
  return found;
}

/// Where a sweep loads from, or stores to.
enum class place : char { source, sink, scratch };

/// One sweep for each transform. All but the last store through the sink's map, too, where the next one finds it; where
/// that has no room for all elements, they lie in scratch. Long lines have two sweeps, cosine and sine transforms
/// three. Nothing in it changes while it runs: calls in several streams may be under way, each with scratch of its own.
class sweep_pass final : public pass {
 public:
  sweep_pass(const pass_problem& problem, const device::device& on) : on_(on), awaited_(problem) {
    sweep_tables tables(on);
    for (const auto& c : problem.cleared) add_clearing(tables, problem, c);
    clearings_ = places_.size();
    const bool empty = volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0;
    if (empty && clearings_ == 0) return;
    if (empty) {
      awaited_.forget_parts();
    } else if (is_trigonometric(problem.transforms.front().kind)) {
      add_trigonometric(tables, problem);
    } else if (!add_digits(tables, problem) && (clearings_ > 0 || !add_ring(problem))) {
      add_transforms(tables, problem, problem.sink, has_absent_cells(problem.sink));
    }
    if (!chain_) {
      sweeps_ = tables.upload();
      tables_ = tables.block();
      // Digits are no faster from one queue, see docs/gpu.md.
      if (clearings_ == 0 && split_axis_ < 0) plan_chain();
    }
    scratch_ = (scratch_ + 255) / 256 * 256;
    for (const auto& s : sweeps_) {
      work_ = std::max(work_, static_cast<std::size_t>(s.what.block_scratch * std::max<integer>(1, s.how.blocks)));
    }
    prepare();
  }

  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* /*leaving*/) const override {
    awaited_.begin(waiting);
    if (sweeps_.empty()) return;
    if (clears_scratch_) on_.clear(scratch, scratch_);
    run(std::span(sweeps_).first(clearings_), 0, source, sink, scratch);
    const auto rest = std::span(sweeps_).subspan(clearings_);
    awaited_.each_part(
        on_, waiting, [&] { run(rest, clearings_, source, sink, scratch); },
        [&](int axis, integer begin, integer end) {
          if (split_axis_ >= 0 && axis > split_axis_) ++axis;
          std::vector<planned_sweep> some;
          for (const auto& s : rest) some.push_back(s.part(axis, begin, end));
          run(some, clearings_, source, sink, scratch);
        });
  }

  [[nodiscard]] std::size_t scratch_bytes() const override { return scratch_ + work_; }

 private:
  struct places {
    place from, to;
  };
  void add(sweep_tables& tables, const sweep_problem& what, place from, place to) {
    tables.add(what);
    places_.push_back({from, to});
    axes_.push_back(what.transform.axis);
  }

  /// `to`: what all sweeps but the last store through, if it is not in scratch as a whole.
  void add_transforms(sweep_tables& tables, const pass_problem& problem, const access_map& to, bool scratch) {
    const auto& transforms = problem.transforms;
    const bool in_scratch = transforms.size() > 1 && scratch;
    const access_map middle = in_scratch ? compact(problem.sink.shape, problem.sink_bytes) : to;
    const place between = in_scratch ? place::scratch : place::sink;
    if (in_scratch) scratch_ = static_cast<std::size_t>(volume(middle.shape)) * problem.sink_bytes;
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      const bool first = i == 0, last = i + 1 == transforms.size();
      add(tables,
          {first ? problem.source : middle,
           last ? problem.sink : middle,
           transforms[i],
           problem.element,
           first ? problem.source_bytes : problem.sink_bytes,
           problem.sink_bytes,
           operations_of(problem.loading, transforms[i], first),
           operations_of(problem.storing, transforms[i], last),
           {},
           {},
           transforms.size() != 2},
          first ? place::source : between, last ? place::sink : between);
    }
  }

  /// Two sweeps whose sink is in pieces, of other ranks' memory, say, go from one queue by way of a ring of a few
  /// chunks in scratch: both are straight then. Says whether they can.
  bool add_ring(const pass_problem& problem) {
    if (problem.transforms.size() != 2 || problem.sink.cells.size() < 2 || has_absent_cells(problem.sink)) return false;
    sweep_tables tables(on_);
    add_transforms(tables, problem, problem.sink, true);
    sweeps_ = tables.upload();
    tables_ = tables.block();
    plan_chain();
    scratch_ = chain_ ? make_ring(*chain_, sweeps_[0], sweeps_[1], scratch_, on_) : 0;
    if (scratch_ > 0) return true;
    chain_.reset();
    places_.clear();
    axes_.clear();
    return false;
  }

  /// Lines that are too long for a block are transformed as two digits of their positions, each by a sweep, with roots
  /// of unity between: the array is seen with an axis more, and lies in scratch between the sweeps. Says whether they
  /// are, and can be.
  bool add_digits(sweep_tables& tables, const pass_problem& problem) {
    const auto& t = problem.transforms.front();
    const line_row& row = row_of(t.kind);
    const auto axis = static_cast<std::size_t>(t.axis);
    if (problem.transforms.size() != 1 || t.kind == line_kind::none || row.in != row.out) return false;
    const auto real = static_cast<int>(real_bytes(problem.element));
    if (t.length <= on_.longest_line() || (t.length <= on_.longest_row(real) && is_straight_row(problem))) return false;
    const auto digits = device::digits_of(t.length, real);
    if (digits.first == 0) return false;
    const auto source = in_digits(problem.source, axis, digits.second),
               turned = in_digits(problem.sink, axis, digits.first);
    if (!source || !turned) return false;
    const access_map sink = with_next_first(*turned, axis), middle = ordered_as(*source, problem.sink_bytes);
    const int second = t.axis + 1;
    add(tables,
        {*source,
         middle,
         {t.axis, t.kind, digits.first},
         problem.element,
         problem.source_bytes,
         problem.sink_bytes,
         operations_of(problem.loading, t, true),
         {},
         {},
         {},
         true,
         second},
        place::source, place::scratch);
    add(tables,
        {middle,
         sink,
         {second, t.kind, digits.second},
         problem.element,
         problem.sink_bytes,
         problem.sink_bytes,
         {},
         operations_of(problem.storing, t, true),
         {},
         {},
         true,
         t.axis,
         true},
        place::scratch, place::sink);
    split_axis_ = t.axis;
    scratch_ = static_cast<std::size_t>(volume(middle.shape)) * problem.sink_bytes;
    return true;
  }

  /// Whether the only transform has a kernel for its length alone along rows.
  [[nodiscard]] bool is_straight_row(const pass_problem& problem) const {
    const auto& t = problem.transforms.front();
    sweep_tables tables(on_);
    tables.add({problem.source, problem.sink, t, problem.element, problem.source_bytes, problem.sink_bytes,
                operations_of(problem.loading, t, true), operations_of(problem.storing, t, true)});
    return tables.last().what.row != 0 && tables.last().how.kernel == device::kernel_kind::fixed;
  }

  /// Zeros, as nothing is where they are loaded from.
  void add_clearing(sweep_tables& tables, const pass_problem& problem, const access_map& what) {
    if (volume(what.shape) == 0) return;
    const access_map nothing = absent_map(what.shape);
    const int axis = static_cast<int>(what.shape.size()) - 1;
    add(tables,
        {nothing,
         what,
         {axis, line_kind::none, what.shape.back()},
         problem.element,
         problem.sink_bytes,
         problem.sink_bytes,
         {},
         {}},
        place::source, place::sink);
  }

  /// The elements to the real parts of complex lines in scratch, a Fourier transform there, and the real parts back.
  void add_trigonometric(sweep_tables& tables, const pass_problem& problem) {
    const auto& t = problem.transforms.front();
    const auto axis = static_cast<std::size_t>(t.axis);
    const std::size_t real = real_bytes(problem.element), complex = complex_bytes(problem.element);
    // The parts of complex elements are transformed each by itself.
    const bool parts = row_of(t.kind).in == element_type::complex;
    const auto reals = [&](const access_map& map) {
      return parts ? in_units(map, 2, static_cast<integer>(real)) : map;
    };
    const access_map source = reals(problem.source), sink = reals(problem.sink);
    const access_map lines = compact(sink.shape, complex);
    scratch_ = static_cast<std::size_t>(volume(lines.shape)) * complex;
    clears_scratch_ = true;
    operation_list scale;
    for (const auto* list : {&problem.loading, &problem.storing}) {
      for (const auto& o : *list) {
        if (is_pointwise(o)) refuse_pointwise();
        if (!std::holds_alternative<scaling>(o)) throw internal_error("an operation along a cosine or sine transform");
        scale.push_back(o);
      }
    }
    const axis_transform copied{t.axis, line_kind::none, t.length};
    const auto sum = sum_of(on_reals(t.kind), t.length);
    const access_map in = padded(lines, axis, sum.first_in, sum.length),
                     out = padded(lines, axis, sum.first_out, sum.length);
    add(tables, {source, lines, copied, problem.element, real, real, {}, {}}, place::source, place::scratch);
    add(tables,
        {in,
         out,
         {t.axis, line_kind::c2c_forward, sum.length},
         problem.element,
         complex,
         complex,
         {},
         {},
         sum.before,
         sum.after},
        place::scratch, place::scratch);
    add(tables, {lines, sink, copied, problem.element, real, real, {}, scale}, place::scratch, place::sink);
  }

  [[nodiscard]] static access_map compact(const extents& shape, std::size_t bytes) {
    extents strides(shape.size());
    auto stride = static_cast<integer>(bytes);
    for (std::size_t l = strides.size(); l-- > 0; stride *= shape[l]) strides[l] = stride;
    return plain_map(shape, strides);
  }
  /// With axes in the order in which `map` has them in memory.
  [[nodiscard]] static access_map ordered_as(const access_map& map, std::size_t bytes) {
    std::vector<std::size_t> order(map.shape.size());
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = l;
    if (!map.placements.empty()) {
      const auto& there = map.placements.front().strides;
      std::ranges::stable_sort(order, std::greater{}, [&](std::size_t l) { return std::abs(there[l]); });
    }
    extents strides(map.shape.size());
    auto stride = static_cast<integer>(bytes);
    for (std::size_t i = order.size(); i-- > 0; stride *= map.shape[order[i]]) strides[order[i]] = stride;
    return plain_map(map.shape, strides);
  }

  void plan_chain() {
    if (sweeps_.size() == 2 && !awaited_.follows()) chain_ = chain_of(sweeps_[0], sweeps_[1], axes_[0], axes_[1], on_);
  }

  /// What kernels there are to make is made now, not when the pass runs.
  void prepare() const {
    if (chain_) return on_.prepare({sweeps_[0].what, sweeps_[1].what, chain_->order}, chain_->how);
    for (const auto& s : sweeps_) on_.prepare({s.what, {}, {}}, s.how);
  }

  /// `number`: of the first of them among all.
  void run(std::span<const planned_sweep> sweeps, std::size_t number, buffer_list source, buffer_list sink,
           std::byte* scratch) const {
    std::byte* const work = scratch + scratch_;
    const auto placed = [&](std::size_t i) {
      device::sweep s = sweeps[i].what;
      const auto fill = [&](place where, device::side_tables& side) {
        if (where == place::scratch) {
          side.buffers[0] = scratch;
          return;
        }
        const buffer_list from = where == place::source ? source : sink;
        std::copy_n(from.begin(), std::min<std::size_t>(from.size(), device::most_buffers), side.buffers);
      };
      fill(places_[number + i].from, s.source);
      fill(places_[number + i].to, s.sink);
      s.scratch = work;
      return s;
    };
    if (chain_ && !sweeps.empty()) {
      device::chained_sweeps both{placed(0), placed(1), chain_->order};
      both.first.store_reused = both.second.load_reused = 1;
      return on_.launch(both, chain_->how);
    }
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
      if (sweeps[i].how.groups > 0) on_.launch(placed(i), sweeps[i].how);
    }
  }

  const device::device& on_;
  awaited_source awaited_;
  std::vector<planned_sweep> sweeps_;
  memory tables_;
  std::vector<places> places_;  // of each sweep
  std::vector<int> axes_;       // that their lines are along
  int split_axis_ = -1;         // which sweeps have as two
  std::size_t clearings_ = 0;   // of the sweeps, the first
  bool clears_scratch_ = false;
  std::size_t scratch_ = 0, work_ = 0;
  std::optional<sweep_chain> chain_;
};

}  // namespace

std::unique_ptr<pass> make_sweep_pass(const pass_problem& problem, const device::device& on) {
  return std::make_unique<sweep_pass>(problem, on);
}

}  // namespace weft::local
