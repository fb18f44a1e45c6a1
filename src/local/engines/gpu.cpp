// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/gpu.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "device/kernels/chain.hpp"
#include "device/kernels/straight_lines.hpp"
#include "local/engines/device_pass.hpp"
#include "local/joined_axes.hpp"
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
/// that has no room for all elements, they lie in scratch. Cosine and sine transforms have three sweeps.
class gpu_pass final : public pass {
 public:
  gpu_pass(const pass_problem& problem, const device::device& on) : on_(on), awaited_(problem) {
    sweep_tables tables(on);
    for (const auto& c : problem.cleared) add_clearing(tables, problem, c);
    clearings_ = places_.size();
    const bool empty = volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0;
    if (empty && clearings_ == 0) return;
    if (empty) {
      awaited_.forget_parts();
    } else if (is_trigonometric(problem.transforms.front().kind)) {
      add_trigonometric(tables, problem);
    } else if (clearings_ > 0 || !add_ring(problem)) {
      add_transforms(tables, problem, problem.sink, has_absent_cells(problem.sink));
    }
    if (!chain_) {
      sweeps_ = tables.upload();
      tables_ = tables.block();
    }
    scratch_ = (scratch_ + 255) / 256 * 256;
    for (const auto& s : sweeps_) {
      work_ = std::max(work_, static_cast<std::size_t>(s.what.block_scratch * std::max<integer>(1, s.how.blocks)));
    }
    if (clearings_ == 0 && !chain_) plan_chain(problem.transforms);
    if (chain_) make_queues();
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
    plan_chain(problem.transforms);
    const device::sweep& first = sweeps_[0].what;
    const integer plane = static_cast<integer>(scratch_) / planes_of(first);
    if (!chain_ || device::straight_of({first, sweeps_[1].what, *chain_}).first.lines == 0 ||
        !has_planes_of(first, plane)) {
      chain_.reset();
      places_.clear();
      scratch_ = 0;
      return false;
    }
    tables_ = tables.block();
    // Blocks of some chunks more than the first sweep is ahead are at work. Measured, see docs/gpu.md.
    const integer ring = chain_->ahead + std::clamp<integer>(4 * on_.cached_bytes() / (3 * plane), 2, 4);
    if (ring >= chain_->chunks) return true;  // all of it is no more
    chain_->ring = ring;
    scratch_ = static_cast<std::size_t>(chain_->ring * chain_->first_lines / first.box.count[first.axes - 1] * plane);
    return true;
  }
  [[nodiscard]] static integer planes_of(const device::sweep& s) {
    return s.axes == 0 ? 1 : s.box.lines / s.box.count[s.axes - 1];
  }
  /// Whether planes of so many bytes, of its own axis and the last other one, follow each other in what it stores to.
  [[nodiscard]] static bool has_planes_of(const device::sweep& s, integer bytes) {
    for (int l = s.axes - 2; l >= 0; --l) {
      if (s.box.count[l] > 1 && s.sink.block_strides[l] != bytes) return false;
      bytes *= s.box.count[l];
    }
    return true;
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

  /// Two sweeps with the same kernel go from one queue if each one's neighbouring lines are along the other's axis: a
  /// chunk of both is then a box of the array.
  void plan_chain(const std::vector<axis_transform>& transforms) {
    if (sweeps_.size() != 2 || awaited_.follows()) return;
    const auto &first = sweeps_[0], &second = sweeps_[1];
    const auto ends_in = [](const planned_sweep& s, int axis) { return !s.axes.empty() && s.axes.back() == axis; };
    const auto outer = [](const planned_sweep& s) { return std::vector<int>(s.axes.begin(), s.axes.end() - 1); };
    if (first.how.kernel != device::kernel_kind::fixed || second.how.kernel != device::kernel_kind::fixed ||
        first.what.length != second.what.length || !ends_in(first, transforms[1].axis) ||
        !ends_in(second, transforms[0].axis) || outer(first) != outer(second)) {
      return;
    }
    const integer across = first.what.box.count[first.axes.size() - 1],
                  back = second.what.box.count[first.axes.size() - 1];
    const integer planes = first.what.box.lines / across;
    // Chunks are small, so that the second sweep follows soon, and the first one is some of them ahead, so that the
    // second seldom waits; the cache has room for all these. Measured, see docs/gpu.md.
    const integer plane_bytes = across * back * 2 * first.what.element;
    if (planes * plane_bytes <= 2 * on_.cached_bytes()) return;  // one after the other finds it all in the cache
    const integer cached = std::max<integer>(1, on_.cached_bytes() / plane_bytes);
    const integer together = std::clamp<integer>(cached / 10, 1, planes);
    const auto groups = [](integer lines, const device::sweep& s) {
      const integer width = device::width_of(s);
      return (lines + width - 1) / width;
    };
    chain_.emplace();
    chain_->chunks = (planes + together - 1) / together;
    const integer least = std::clamp<integer>(5 * on_.cached_bytes() / (3 * plane_bytes), 1, 4);
    const integer ahead = std::clamp<integer>(cached / together - 1, least, 8);
    chain_->ahead = std::min(ahead, chain_->chunks);
    chain_->first_lines = together * across;
    chain_->second_lines = together * back;
    chain_->first_groups = groups(chain_->first_lines, first.what);
    chain_->second_groups = groups(chain_->second_lines, second.what);
    chained_ = first.how;
    chained_.shared = std::max(first.how.shared, second.how.shared);
    const bool straight = device::straight_of({first.what, second.what, *chain_}).first.lines > 0;
    if (!straight && !device::has_kernels(first.what.length)) chain_.reset();
  }

  /// Two, which take turns: each launch makes zeros of the other one.
  void make_queues() {
    const auto bytes = sizeof(unsigned) * static_cast<std::size_t>(device::counts_of(*chain_));
    for (auto& q : queues_) {
      q = on_.space().allocate(bytes);
      on_.clear(q.data(), bytes);
    }
    on_.synchronize();
  }

  /// What kernels there are to make is made now, not when the pass runs.
  void prepare() const {
    if (chain_) return on_.prepare({sweeps_[0].what, sweeps_[1].what, *chain_}, chained_);
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
      device::chained_sweeps both{placed(0), placed(1), *chain_};
      both.first.store_reused = both.second.load_reused = 1;
      both.order.queue = reinterpret_cast<unsigned*>(queues_[turn_].data());
      both.order.next_queue = reinterpret_cast<unsigned*>(queues_[1 - turn_].data());
      on_.launch(both, chained_);
      turn_ = 1 - turn_;
      return;
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
  std::size_t clearings_ = 0;   // of the sweeps, the first
  bool clears_scratch_ = false;
  std::size_t scratch_ = 0, work_ = 0;
  std::optional<device::sweep_order> chain_;  // the queue is filled in when it runs
  device::launch_shape chained_;
  std::array<memory, 2> queues_;
  mutable std::size_t turn_ = 0;
};

class gpu final : public engine {
 public:
  explicit gpu(const device::device& on) : on_(on) {}
  [[nodiscard]] std::string_view name() const override { return "gpu"; }
  [[nodiscard]] bool has(line_kind /*kind*/) const override { return true; }
  [[nodiscard]] bool for_speed() const override { return on_.kind() != "emulated"; }

  [[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem) const override {
    if (problem.narrow_source || problem.narrow_sink) {
      throw applicability_error("local engine 'gpu' moves whole elements only; use message tolerance 0");
    }
    pass_problem known = problem;
    if (known.transforms.empty()) {
      if (known.loading.empty() && known.storing.empty()) see_units(known);
      int axis = -1;
      for (int l = 0; l < static_cast<int>(known.sink.shape.size()); ++l) {
        if (!known.following.positions.empty() && known.following.axis == l) continue;
        if (axis < 0 || known.sink.shape[static_cast<std::size_t>(l)] > 1) axis = l;
      }
      known.transforms.push_back({axis, line_kind::none, known.sink.shape[static_cast<std::size_t>(axis)]});
    }
    // Fewer axes are better, if they are no longer than devices take.
    auto joined = with_joined_axes(known);
    if (std::ranges::any_of(joined.sink.shape, [](integer n) { return n > longest_on_device; }))
      joined = std::move(known);
    return std::make_unique<gpu_pass>(joined, on_);
  }

  /// Two where they can be chained and a multiprocessor has room for several blocks, which overlap: told from lengths
  /// alone, so that all ranks tell the same.
  [[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& /*shape*/,
                                                   precision element) const override {
    if (transforms.size() < 2 || transforms[0].length != transforms[1].length) return 1;
    if (transforms[0].length > device::longest_chained) return 1;
    if (!is_fourier(transforms[0].kind) || !is_fourier(transforms[1].kind)) return 1;
    if (row_of(transforms[1].kind).in != row_of(transforms[1].kind).out) return 1;
    const auto by = device::plan_of(static_cast<int>(transforms[0].length), static_cast<int>(real_bytes(element)),
                                    device::plan_use::chain);
    return by.blocks > 1 ? 2 : 1;
  }

 private:
  /// Elements of any size that is a multiple of 4 are moved in units that kernels have.
  static void see_units(pass_problem& copied) {
    const std::size_t bytes = copied.sink_bytes;
    const std::size_t unit = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
    if (bytes % 4 != 0) {
      throw applicability_error("devices move elements whose size is a multiple of 4 bytes, not of " +
                                std::to_string(bytes));
    }
    copied.element = unit == 4 ? precision::f32 : precision::f64;
    copied.source_bytes = copied.sink_bytes = unit;
    if (unit == bytes) return;
    const auto count = static_cast<integer>(bytes / unit);
    copied.source = in_units(std::move(copied.source), count, static_cast<integer>(unit));
    copied.sink = in_units(std::move(copied.sink), count, static_cast<integer>(unit));
  }

  const device::device& on_;
};

}  // namespace

const engine& gpu_engine_on(const device::device& where) { return one_of_device<gpu>(where); }

const engine& gpu_engine() { return gpu_engine_on(device::emulated()); }

}  // namespace weft::local
