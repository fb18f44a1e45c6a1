// SPDX-License-Identifier: BSD-3-Clause
// Periodic convolutions, correlations and dealiased products, between a forward and a backward transform.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/error.hpp"
#include "weft/gather.hpp"
#include "weft/plan.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Of fields of a plan's input side: `Plan` is weft::c2c<T> or weft::r2c<T>. The modes lie where the forward transform
/// leaves them, which the planner chooses unless problem::out does, and the backward one starts there. They are
/// multiplied while they are stored, without a pass of their own.
///
/// Where problem::modes keeps fewer modes than the grid has, the others are left out of every result. Axes with cosine
/// or sine transforms are refused: products of their coefficients are no convolutions. (A function of modes that is
/// passed to Plan::forward multiplies them, too.)
///
/// Everything is periodic. For a convolution that is not, let each extent be the sum of that of the field and that of
/// the kernel, less one, at least, and fill up with zeros.
template <class Plan>
class convolution {
 public:
  using field_value = typename Plan::field_value;
  using field = array<field_value>;
  using modes = array<typename Plan::mode_value>;
  using mode = typename Plan::mode_value;

  /// Collective, as all below. options::in_place is not needed: field and result may be the same array.
  convolution(const problem& what, MPI_Comm on, const options& how = {})
      : plan_(what, on, how), on_(on), work_(checked(plan_).make_output()), space_(plan_.make_input()) {
    find_seen();
  }

  /// The plan that does the transforms, for its distributions and its report.
  [[nodiscard]] Plan& plan() { return plan_; }
  [[nodiscard]] field make_field() const { return plan_.make_input(); }

  /// The kernel by its values in space, as an array of the plan's input distribution, without batch or layout: one
  /// kernel serves all arrays of a batch. The element of index 0 is that of distance 0.
  void kernel_in_space(const field& kernel) {
    problem single = like(plan_);
    single.batch = 1;
    single.interleaved = false;
    Plan once(single, on_);  // not scaled
    auto found = once.make_output();
    once.forward(kernel, found);
    kernel_in_modes(found);
  }
  /// The kernel by its modes, those of a forward transform that is not scaled, as an array of the distribution that
  /// plan().output() is.
  void kernel_in_modes(const modes& kernel) {
    detail::require_one_array(detail::any(kernel), on_);
    if (kernel.how() != plan_.output()) {
      throw buffer_error("the kernel's modes are distributed as " + kernel.how().text() + ", the plan's as " +
                         plan_.output().text());
    }
    work_.for_each([&](auto i, mode& value, integer b) { value = b == 0 ? kernel.at(i) : mode(); });
    plan_.backward(work_, space_, [this](std::span<const integer> i, mode& value, integer b) {
      if (b != 0) return;
      real* const parts = reinterpret_cast<real*>(&kernel_[address(i)]);
      // Maybe by two threads, which store the same.
      std::atomic_ref(parts[0]).store(value.real(), std::memory_order_relaxed);
      std::atomic_ref(parts[1]).store(value.imag(), std::memory_order_relaxed);
    });
    scale_kernel();
  }
  /// The same by a function: what function(global index) gives is what the mode is multiplied by.
  template <class Function>
  requires std::is_invocable_v<const Function&, std::span<const integer>>
  void kernel_in_modes(const Function& function) {
    extents index(seen_.size());
    const auto fill = [&](const auto& self, std::size_t l) -> void {
      if (l == seen_.size()) {
        kernel_[address(index)] = mode(function(std::span<const integer>(index)));
        return;
      }
      for (const integer i : seen_[l]) {
        index[l] = i;
        self(self, l + 1);
      }
    };
    fill(fill, 0);
    scale_kernel();
  }

  /// result[i] = sum over j of kernel[j] x[i - j].
  void convolve(const field& x, field& result) {
    require_kernel();
    plan_.forward(x, work_, [this](std::span<const integer> i, mode& value) { value *= kernel_[address(i)]; });
    plan_.backward(work_, result);
  }
  /// result[i] = sum over j of conj(kernel[j]) x[i + j].
  void correlate(const field& x, field& result) {
    require_kernel();
    plan_.forward(x, work_,
                  [this](std::span<const integer> i, mode& value) { value *= std::conj(kernel_[address(i)]); });
    plan_.backward(work_, result);
  }

  /// Whether product() keeps a mode.
  [[nodiscard]] bool keeps(std::span<const integer> index) const {
    const problem& what = plan_.what();
    for (std::size_t l = 0; l < index.size(); ++l) {
      const integer n = what.shape[l], kept = what.modes.empty() ? n : what.modes[l];
      if (is_transformed(l) && 3 * std::min(index[l], kept - index[l]) >= n) return false;
    }
    return true;
  }
  /// The modes of the product, in space, of the fields with the modes `a` and `b`, which is the convolution of the
  /// modes. Modes with |k| of n/3 or more along some transformed axis of n points are taken for zero in `a` and `b` and
  /// are zero in `result`: then none of the others is the image of one that the grid cannot tell from it (the 2/3 rule;
  /// with problem::modes of at most 2n/3 all of these but |k| = n/3 are kept, which is the 3/2 rule, and costs less).
  /// The scaling is the plan's. `result` may be `a` or `b`.
  void product(const modes& a, const modes& b, modes& result) {
    const auto dealias = [this](std::span<const integer> i, mode& value) {
      if (!keeps(i)) value = 0;
    };
    if (factor_.empty()) factor_.push_back(plan_.make_input());
    plan_.backward(a, space_, dealias);
    plan_.backward(b, factor_[0], dealias);
    const auto scale = static_cast<real>(unscaled() * unscaled());
    for (integer k = 0; k < space_.size(); ++k) space_[k] *= factor_[0][k] * scale;
    plan_.forward(space_, result, dealias);
  }

 private:
  using real = typename mode::value_type;

  /// All ranks have planned with the same arguments, so all throw or none.
  static const Plan& checked(const Plan& made) {
    if (made.how().in_place) {
      throw argument_error("a convolution is not planned in place; pass the same array twice instead");
    }
    for (const auto& kind : made.what().kinds) {
      if (kind != "none" && kind != "c2c" && kind != "r2c") {
        throw argument_error("kind " + kind + ": convolutions are of axes with c2c, r2c and none");
      }
    }
    if (!made.what().input_box.low.empty() || !made.what().output_box.low.empty()) {
      throw argument_error("an input or output box: convolutions are of plans of whole arrays");
    }
    return made;
  }
  /// Functions of modes are not always called where the modes are in the end: finds out which this rank is asked for.
  /// They are all combinations of some indices along each axis.
  void find_seen() {
    std::vector<std::vector<char>> marks;
    for (const integer n : plan_.output().shape()) marks.emplace_back(static_cast<std::size_t>(n));
    plan_.backward(work_, space_, [&](std::span<const integer> i, mode&) {
      for (std::size_t l = 0; l < i.size(); ++l) {
        std::atomic_ref(marks[l][static_cast<std::size_t>(i[l])]).store(1, std::memory_order_relaxed);
      }
    });
    integer count = 1;
    for (const auto& along : marks) {
      auto& indices = seen_.emplace_back();
      auto& table = offsets_.emplace_back(along.size());
      for (std::size_t i = 0; i < along.size(); ++i) {
        if (along[i] == 0) continue;
        table[i] = count * static_cast<integer>(indices.size());
        indices.push_back(static_cast<integer>(i));
      }
      count *= static_cast<integer>(indices.size());
    }
    kernel_.resize(static_cast<std::size_t>(count));
  }
  /// Setting one is collective, so all throw or none.
  void require_kernel() const {
    if (!has_kernel_) {
      throw argument_error("the convolution has no kernel; set one with kernel_in_space() or kernel_in_modes() first");
    }
  }
  [[nodiscard]] bool is_transformed(std::size_t axis) const {
    const auto& axes = plan_.what().axes;
    const auto& kinds = plan_.what().kinds;
    if (!kinds.empty()) return kinds[axis] != "none";
    return axes.empty() || std::ranges::find(axes, static_cast<int>(axis)) != axes.end();
  }
  /// Backward after forward, times this, is what it was.
  [[nodiscard]] double unscaled() const {
    double n = 1;
    for (std::size_t l = 0; l < plan_.what().shape.size(); ++l) {
      if (is_transformed(l)) n *= static_cast<double>(plan_.what().shape[l]);
    }
    return plan_.how().scaling == normalization::none && n > 0 ? 1 / n : 1;
  }
  void scale_kernel() {
    for (mode& value : kernel_) value *= static_cast<real>(unscaled());
    has_kernel_ = true;
  }
  [[nodiscard]] std::size_t address(std::span<const integer> index) const {
    integer at = 0;
    for (std::size_t l = 0; l < index.size(); ++l) at += offsets_[l][static_cast<std::size_t>(index[l])];
    return static_cast<std::size_t>(at);
  }

  Plan plan_;
  MPI_Comm on_;
  modes work_;
  field space_;
  std::vector<extents> seen_;     // by axis, the indices of the modes that this rank is asked for
  std::vector<extents> offsets_;  // by axis and index, where such a mode is in kernel_
  std::vector<mode> kernel_;      // for a backward transform after a forward one
  bool has_kernel_ = false;
  std::vector<field> factor_;  // of a product; none before the first
};

}  // namespace weft
