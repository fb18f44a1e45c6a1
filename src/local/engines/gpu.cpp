// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/gpu.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "device/kernels/fixed_plans.hpp"
#include "local/joined_axes.hpp"
#include "local/sweeps.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

bool has_absent_cells(const access_map& map) {
  return std::ranges::any_of(map.cells, [](const cell& c) { return c.placement < 0; });
}

/// The operations that one of several transforms of a pass is given: those along its axis and, at the outermost one,
/// those that stand along none.
operation_list operations_of(const operation_list& all, const axis_transform& t, bool outermost) {
  operation_list found;
  for (const auto& o : all) {
    if (is_pointwise(o)) throw applicability_error("devices call no functions of the host on elements");
    const int* const axis = axis_of(o);
    if (axis == nullptr ? outermost : *axis == t.axis) found.push_back(o);
  }
  return found;
}

/// One sweep for each transform. All but the last store through the sink's map, too, where the next one finds it; where
/// that has no room for all elements, they lie in scratch.
class gpu_pass final : public pass {
 public:
  gpu_pass(const pass_problem& problem, const device::device& on) : on_(on), following_(problem.following) {
    for (const auto& p : problem.source.placements) {
      if (p.message >= 0) messages_.push_back(p.message);
    }
    std::ranges::sort(messages_);
    messages_.erase(std::unique(messages_.begin(), messages_.end()), messages_.end());
    if (volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0) return;
    if (!following_.positions.empty()) following_end_ = problem.sink.shape[static_cast<std::size_t>(following_.axis)];
    const auto& transforms = problem.transforms;
    in_scratch_ = transforms.size() > 1 && has_absent_cells(problem.sink);
    const access_map middle = in_scratch_ ? compact(problem) : problem.sink;
    if (in_scratch_) scratch_ = static_cast<std::size_t>(volume(middle.shape)) * problem.sink_bytes;
    sweep_tables tables(on);
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      const bool first = i == 0, last = i + 1 == transforms.size();
      tables.add({first ? problem.source : middle, last ? problem.sink : middle, transforms[i], problem.element,
                  first ? problem.source_bytes : problem.sink_bytes, problem.sink_bytes,
                  operations_of(problem.loading, transforms[i], first),
                  operations_of(problem.storing, transforms[i], last)});
    }
    sweeps_ = tables.upload();
    tables_ = tables.block();
    scratch_ = (scratch_ + 255) / 256 * 256;
    for (const auto& s : sweeps_) {
      work_ = std::max(work_, static_cast<std::size_t>(s.what.block_scratch * std::max<integer>(1, s.how.blocks)));
    }
    plan_chain(transforms);
    if (chain_) work_ = std::max(work_, sizeof(unsigned) * static_cast<std::size_t>(1 + chain_->chunks));
  }

  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* /*leaving*/) const override {
    if (waiting != nullptr) {
      waiting->reach(0);
      for (const int m : messages_) waiting->need(m);
    }
    if (sweeps_.empty()) return;
    if (waiting == nullptr || following_.positions.empty()) return run(sweeps_, source, sink, scratch);
    integer begin = 0;
    for (std::size_t part = 0; part <= following_.positions.size(); ++part) {
      if (part > 0) {
        on_.synchronize();  // what the parts before are loaded from may be used again
        waiting->reach(static_cast<int>(part));
      }
      const integer end = part < following_.positions.size() ? following_.positions[part] : following_end_;
      std::vector<planned_sweep> some;
      for (const auto& s : sweeps_) some.push_back(s.part(following_.axis, begin, end));
      if (begin < end) run(some, source, sink, scratch);
      begin = end;
    }
  }

  [[nodiscard]] std::size_t scratch_bytes() const override { return scratch_ + work_; }

 private:
  [[nodiscard]] static access_map compact(const pass_problem& problem) {
    extents strides(problem.sink.shape.size());
    auto stride = static_cast<integer>(problem.sink_bytes);
    for (std::size_t l = strides.size(); l-- > 0; stride *= problem.sink.shape[l]) strides[l] = stride;
    return plain_map(problem.sink.shape, strides);
  }

  /// Two sweeps with the same kernel go from one queue if each one's neighbouring lines are along the other's axis: a
  /// chunk of both is then a box of the array.
  void plan_chain(const std::vector<axis_transform>& transforms) {
    if (sweeps_.size() != 2 || !following_.positions.empty()) return;
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
    const integer plane_bytes = across * back * 2 * first.what.element;
    const integer together = std::clamp<integer>(on_.cached_bytes() / plane_bytes, 1, planes);
    const auto groups = [](integer lines, const device::sweep& s) {
      const integer width = device::width_of(s);
      return (lines + width - 1) / width;
    };
    chain_.emplace();
    chain_->chunks = (planes + together - 1) / together;
    if (chain_->chunks == 1 && plane_bytes < (1 << 16)) return chain_.reset();
    chain_->first_lines = together * across;
    chain_->second_lines = together * back;
    chain_->first_groups = groups(chain_->first_lines, first.what);
    chain_->second_groups = groups(chain_->second_lines, second.what);
    chained_ = first.how;
    chained_.shared = std::max(first.how.shared, second.how.shared);
  }

  void run(const std::vector<planned_sweep>& sweeps, buffer_list source, buffer_list sink, std::byte* scratch) const {
    std::byte* const work = scratch + scratch_;
    const auto placed = [&](std::size_t i) {
      device::sweep s = sweeps[i].what;
      const bool first = i == 0, last = i + 1 == sweeps.size();
      const auto fill = [&](buffer_list from, bool outermost, device::side_tables& side) {
        if (!outermost && in_scratch_) {
          side.buffers[0] = scratch;
        } else {
          std::copy_n(from.begin(), std::min<std::size_t>(from.size(), device::most_buffers), side.buffers);
        }
      };
      fill(first ? source : sink, first, s.source);
      fill(sink, last, s.sink);
      s.scratch = work;
      return s;
    };
    if (chain_) {
      device::chained_sweeps both = *chain_;
      both.first = placed(0);
      both.second = placed(1);
      both.first.store_reused = both.second.load_reused = 1;
      both.queue = reinterpret_cast<unsigned*>(work);
      on_.clear(work, sizeof(unsigned) * static_cast<std::size_t>(1 + both.chunks));
      return on_.launch(both, chained_);
    }
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
      if (sweeps[i].how.groups > 0) on_.launch(placed(i), sweeps[i].how);
    }
  }

  const device::device& on_;
  std::vector<int> messages_;
  milestones following_;
  integer following_end_ = 0;
  std::vector<planned_sweep> sweeps_;
  memory tables_;
  bool in_scratch_ = false;
  std::size_t scratch_ = 0, work_ = 0;
  std::optional<device::chained_sweeps> chain_;  // its counts; sweeps are filled in when it runs
  device::launch_shape chained_;
};

class gpu final : public engine {
 public:
  explicit gpu(const device::device& on) : on_(on) {}
  [[nodiscard]] std::string_view name() const override { return "gpu"; }
  [[nodiscard]] bool has(line_kind kind) const override { return is_fourier(kind); }
  [[nodiscard]] bool for_speed() const override { return on_.kind() != "emulated"; }

  [[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem) const override {
    if (!problem.cleared.empty()) {
      throw applicability_error("local engine 'gpu' keeps no even number of modes in real transforms; keep an odd one");
    }
    if (problem.narrow_source || problem.narrow_sink) {
      throw applicability_error("local engine 'gpu' moves whole elements only; use message tolerance 0");
    }
    pass_problem known = problem;
    if (known.transforms.empty()) {
      int axis = -1;
      for (int l = 0; l < static_cast<int>(known.sink.shape.size()); ++l) {
        if (!known.following.positions.empty() && known.following.axis == l) continue;
        if (axis < 0 || known.sink.shape[static_cast<std::size_t>(l)] > 1) axis = l;
      }
      known.transforms.push_back({axis, line_kind::none, known.sink.shape[static_cast<std::size_t>(axis)]});
    }
    for (const auto& t : known.transforms) {
      if (t.kind != line_kind::none && !has(t.kind)) {
        throw applicability_error("local engine 'gpu' has no " + std::string(row_of(t.kind).name) + " transforms");
      }
    }
    return std::make_unique<gpu_pass>(with_joined_axes(std::move(known)), on_);
  }

  /// Two where they can be chained, which is told from lengths alone, so that all ranks tell the same.
  [[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& /*shape*/,
                                                   precision /*element*/) const override {
    if (transforms.size() < 2 || transforms[0].length != transforms[1].length || transforms[0].length > 4096) return 1;
    if (row_of(transforms[1].kind).in != row_of(transforms[1].kind).out) return 1;
    return device::with_fixed(static_cast<int>(transforms[0].length), []<int>() {}) ? 2 : 1;
  }

 private:
  const device::device& on_;
};

}  // namespace

const engine& gpu_engine_on(const device::device& where) {
  static std::mutex lock;
  static std::map<const device::device*, std::unique_ptr<const gpu>> all;
  const std::lock_guard guard(lock);
  auto& found = all[&where];
  if (!found) found = std::make_unique<const gpu>(where);
  return *found;
}

const engine& gpu_engine() { return gpu_engine_on(device::emulated()); }

}  // namespace weft::local
