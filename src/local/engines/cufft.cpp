// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/cufft.hpp"

#include <algorithm>
#include <optional>

#include "device/block_plan.hpp"
#include "device/cufft.hpp"
#include "device/runtime_kernels.hpp"
#include "local/engines/device_pass.hpp"
#include "local/engines/gpu.hpp"
#include "local/fused.hpp"
#include "local/joined_axes.hpp"
#include "local/sweeps.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// Lines that one batch of cuFFT reaches, counted in elements: `first` is where the first one begins.
struct batch_of_lines {
  int buffer = 0;
  integer first = 0;
  device::cufft_transform::side side;
};

/// The lines along `axis`, if the map is a plain array with one other axis at most.
std::optional<batch_of_lines> as_batch(const access_map& map, std::size_t axis, std::size_t bytes) {
  if (map.cells.size() != 1 || map.cells[0].placement < 0) return std::nullopt;
  const auto& where = map.placements[static_cast<std::size_t>(map.cells[0].placement)];
  const auto size = static_cast<integer>(bytes);
  batch_of_lines found{where.buffer, map.cells[0].offset, {where.strides[axis], 0}};
  for (std::size_t l = 0; l < map.shape.size(); ++l) {
    if (l == axis || map.shape[l] == 1) continue;
    if (found.side.distance != 0) return std::nullopt;
    found.side.distance = where.strides[l];
  }
  auto& [stride, distance] = found.side;
  if (stride <= 0 || distance < 0 || found.first % size != 0 || stride % size != 0 || distance % size != 0) {
    return std::nullopt;
  }
  found.first /= size;
  stride /= size;
  distance = std::max<integer>(1, distance / size);
  return found;
}

bool does_nothing(const operation_list& operations) {
  return std::ranges::all_of(operations, [](const element_operation& o) {
    const auto* const s = std::get_if<scaling>(&o);
    return s != nullptr && s->factor == 1;
  });
}

/// One axis: a copy brings lines together in scratch, cuFFT transforms them, and a copy takes them away. Where the
/// array is plain, and nothing else is done to its elements, cuFFT loads it, or stores it, itself.
class cufft_pass final : public pass {
 public:
  cufft_pass(const pass_problem& problem, const device::device& on) : on_(on), awaited_(problem) {
    if (volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0) return;
    const auto& t = problem.transforms.front();
    const auto axis = static_cast<std::size_t>(t.axis);
    const line_row& row = row_of(t.kind);
    const bool same_elements = row.in == row.out;
    const integer lines = volume(problem.sink.shape) / problem.sink.shape[axis];
    using transform = device::cufft_transform;
    transform::terms terms{{t.length},
                           same_elements                  ? transform::kind::complex_to_complex
                           : row.in == element_type::real ? transform::kind::real_to_complex
                                                          : transform::kind::complex_to_real,
                           problem.element == precision::f64,
                           {1, row.in_extent(t.length)},
                           {1, row.out_extent(t.length)},
                           lines};
    // What a pass follows, or cuFFT may overwrite, is copied, and so are reals: it wants them where a multiple of a
    // complex element's size is.
    if (does_nothing(problem.loading) && !awaited_.follows() && same_elements) {
      from_ = as_batch(problem.source, axis, problem.source_bytes);
    }
    if (does_nothing(problem.storing) && row.out == element_type::complex) {
      to_ = as_batch(problem.sink, axis, problem.sink_bytes);
    }
    sweep_tables tables(on);
    access_map gathered, scattered;
    if (from_) {
      terms.in = from_->side;
    } else {
      gathered = lines_map(problem.source.shape, axis, problem.source_bytes);
      in_bytes_ = rounded(static_cast<std::size_t>(volume(gathered.shape)) * problem.source_bytes);
      tables.add({problem.source,
                  gathered,
                  {t.axis, line_kind::none, problem.source.shape[axis]},
                  problem.element,
                  problem.source_bytes,
                  problem.source_bytes,
                  problem.loading,
                  {}});
    }
    if (to_) {
      terms.out = to_->side;
    } else {
      scattered = lines_map(problem.sink.shape, axis, problem.sink_bytes);
      // Lines that were brought together are transformed where they are.
      if (from_ || !same_elements) {
        out_bytes_ = rounded(static_cast<std::size_t>(volume(scattered.shape)) * problem.sink_bytes);
      }
      tables.add({scattered,
                  problem.sink,
                  {t.axis, line_kind::none, problem.sink.shape[axis]},
                  problem.element,
                  problem.sink_bytes,
                  problem.sink_bytes,
                  {},
                  problem.storing});
    }
    in_size_ = problem.source_bytes;
    out_size_ = problem.sink_bytes;
    backward_ = !row.forward;
    if (!from_ || !to_) {
      sweeps_ = tables.upload();
      tables_ = tables.block();
    }
    transform_.emplace(on, terms);
  }

  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* /*leaving*/) const override {
    awaited_.begin(waiting);
    if (!transform_) return;
    std::byte* const in = from_ ? at(source, *from_, in_size_) : scratch;
    std::byte* const middle = out_bytes_ > 0 ? scratch + in_bytes_ : in;
    std::byte* const out = to_ ? at(sink, *to_, out_size_) : middle;
    if (!from_) gather(source, in, waiting);
    transform_->run(in, out, scratch + in_bytes_ + out_bytes_, backward_);
    if (!to_) launch(sweeps_.back(), std::span<std::byte* const>(&middle, 1), sink);
  }

  [[nodiscard]] std::size_t scratch_bytes() const override {
    return in_bytes_ + out_bytes_ + (transform_ ? transform_->work_bytes() : 0);
  }

 private:
  [[nodiscard]] static std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  [[nodiscard]] static std::byte* at(buffer_list buffers, const batch_of_lines& b, std::size_t bytes) {
    return buffers[static_cast<std::size_t>(b.buffer)] + b.first * static_cast<integer>(bytes);
  }

  /// One line after the other.
  [[nodiscard]] static access_map lines_map(const extents& shape, std::size_t axis, std::size_t bytes) {
    extents strides(shape.size());
    strides[axis] = static_cast<integer>(bytes);
    integer stride = strides[axis] * shape[axis];
    for (std::size_t l = shape.size(); l-- > 0;) {
      if (l == axis) continue;
      strides[l] = stride;
      stride *= shape[l];
    }
    return plain_map(shape, strides);
  }

  void gather(buffer_list source, std::byte* to, arrivals* waiting) const {
    const auto sink = std::span<std::byte* const>(&to, 1);
    awaited_.each_part(
        on_, waiting, [&] { launch(sweeps_.front(), source, sink); },
        [&](int axis, integer begin, integer end) { launch(sweeps_.front().part(axis, begin, end), source, sink); });
  }

  void launch(const planned_sweep& what, buffer_list source, buffer_list sink) const {
    if (what.how.groups == 0) return;
    device::sweep s = what.what;
    std::copy_n(source.begin(), std::min<std::size_t>(source.size(), device::most_buffers), s.source.buffers);
    std::copy_n(sink.begin(), std::min<std::size_t>(sink.size(), device::most_buffers), s.sink.buffers);
    on_.launch(s, what.how);
  }

  const device::device& on_;
  awaited_source awaited_;
  std::optional<batch_of_lines> from_, to_;  // what cuFFT loads, and stores, itself
  std::size_t in_bytes_ = 0, out_bytes_ = 0, in_size_ = 0, out_size_ = 0;
  bool backward_ = false;
  std::vector<planned_sweep> sweeps_;
  memory tables_;
  std::optional<device::cufft_transform> transform_;
};

class cufft final : public engine {
 public:
  explicit cufft(const device::device& on) : on_(on) {}
  [[nodiscard]] std::string_view name() const override { return "cufft"; }
  [[nodiscard]] bool has(line_kind kind) const override { return is_fourier(kind); }
  /// Copies, and what is not the library's to do, are the other engine's of the device. So is c2r: the imaginary parts
  /// of the modes 0 and n/2, which stand for nothing, reach its results.
  [[nodiscard]] std::unique_ptr<pass> make_pass(const pass_problem& problem) const override {
    const auto both = {&problem.loading, &problem.storing};
    const bool pointwise =
        std::ranges::any_of(both, [](const auto* list) { return std::ranges::any_of(*list, is_pointwise); });
    if (problem.transforms.size() != 1 || !problem.cleared.empty() || problem.narrow_source || problem.narrow_sink ||
        pointwise || !has(problem.transforms.front().kind) ||
        row_of(problem.transforms.front().kind).out == element_type::real) {
      return gpu_engine_on(on_).make_pass(problem);
    }
    if (const auto reason = why_no_cufft_on(on_); !reason.empty()) {
      throw applicability_error("local engine 'cufft' " + reason + "; use 'gpu'");
    }
    return std::make_unique<cufft_pass>(with_joined_axes(problem), on_);
  }
  [[nodiscard]] std::size_t transforms_in_one_pass(std::span<const axis_transform> /*transforms*/,
                                                   const extents& /*shape*/, precision /*element*/) const override {
    return 1;
  }

 private:
  const device::device& on_;
};

}  // namespace

const engine& cufft_engine_on(const device::device& where) { return one_of_device<cufft>(where); }

bool has_long_way(const line_sort& line, precision element) {
  constexpr integer short_enough = 64;
  if (line.length <= short_enough) return false;
  const auto bytes = static_cast<int>(real_bytes(element));
  const auto has_kernels = [&](int length) {
    return device::plan_of(length, bytes, device::plan_use::chain).stages > 0 &&
           (device::has_kernels(length) || device::has_compiler());
  };
  if (line.length <= device::longest_planned) return !has_kernels(static_cast<int>(line.length));
  // Digits of more than so many elements leave too few lines to a block for runs that memory likes.
  constexpr int longest_digit = 2048;
  const auto [first, second] = device::digits_of(line.length, bytes);
  const bool complex = row_of(line.kind).in == row_of(line.kind).out;
  return !complex || first == 0 || second > longest_digit || !has_kernels(first) || !has_kernels(second);
}

std::string why_no_cufft_on(const device::device& where) {
  if (where.kind() != "cuda") return "needs a GPU";
  std::string why_not;
  (void)device::cufft_name(why_not);
  return why_not.empty() ? "" : "is not there: " + why_not;
}

}  // namespace weft::local
