// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/fftw.hpp"

#include <algorithm>
#include <mutex>

#include "base/memory.hpp"
#include "local/engines/fftw_api.hpp"
#include "local/fused.hpp"
#include "local/line_engine.hpp"
#include "local/staging.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// FFTW's planner keeps global state; only executing plans is thread-safe.
std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

fftw_r2r_kind r2r_kind(line_kind kind) {
  switch (on_reals(kind)) {
    case line_kind::dct1: return FFTW_REDFT00;
    case line_kind::dct2: return FFTW_REDFT10;
    case line_kind::dct3: return FFTW_REDFT01;
    case line_kind::dct4: return FFTW_REDFT11;
    case line_kind::dst1: return FFTW_RODFT00;
    case line_kind::dst2: return FFTW_RODFT10;
    case line_kind::dst3: return FFTW_RODFT01;
    default: return FFTW_RODFT11;
  }
}

/// Contiguous lines are staged row by row, others with the lanes side by side, so that either way the
/// staging copy moves adjacent elements. Complex lines of cosines or sines are twice as many real ones side by side.
template <class Real>
class fftw_kernel final : public kernel {
 public:
  using complex = std::complex<Real>;

  explicit fftw_kernel(const line_problem& problem)
      : problem_(problem),
        ins_(row_of(problem.kind).in_extent(problem.length)),
        outs_(row_of(problem.kind).out_extent(problem.length)),
        loading_(fused_loading<Real>(problem)),
        storing_(fused_storing<Real>(problem)),
        scale_(static_cast<Real>(scale_of(problem))),
        area_(aligned_elements(std::max(ins_, outs_) * problem.lanes)) {
    const memory scratch = base::host().allocate(scratch_bytes());
    many_ = make_plan(problem.lanes, scratch.data(), effort());
    // Lanes other than the first are aligned differently, and a plan assumes alignment unless told.
    if (problem.lanes > 1) single_ = make_plan(1, scratch.data(), effort() | FFTW_UNALIGNED);
    if (many_ == nullptr || (problem.lanes > 1 && single_ == nullptr)) {
      throw internal_error("FFTW made no plan for length " + std::to_string(problem.length));
    }
  }

  fftw_kernel(const fftw_kernel&) = delete;
  fftw_kernel& operator=(const fftw_kernel&) = delete;

  ~fftw_kernel() override {
    const std::lock_guard guard(planner_lock());
    api::destroy(many_);
    if (single_ != nullptr) api::destroy(single_);
  }

  [[nodiscard]] std::size_t scratch_bytes() const override { return 2 * area_ * sizeof(complex); }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const override {
    auto* const a = reinterpret_cast<complex*>(scratch);
    complex* const b = a + area_;
    auto* const reals = reinterpret_cast<Real*>(a);
    auto* const real_results = reinterpret_cast<Real*>(b);
    const line_row& row = row_of(problem_.kind);
    if (row.in == element_type::real) {
      return row.out == element_type::real ? through<Real, Real>(from, to, reals, real_results)
                                           : through<Real, complex>(from, to, reals, b);
    }
    row.out == element_type::real ? through<complex, Real>(from, to, a, real_results)
                                  : through<complex, complex>(from, to, a, b);
  }

 private:
  using api = fftw_api<Real>;
  using plan = typename api::plan;

  static auto* raw(complex* p) { return reinterpret_cast<typename api::complex*>(p); }
  void execute(plan p, complex* a, complex* b) const {
    if (is_fourier(problem_.kind)) return api::execute_c2c(p, raw(a), raw(b));
    api::execute_r2r(p, reinterpret_cast<Real*>(a), reinterpret_cast<Real*>(b));
  }
  static void execute(plan p, Real* a, Real* b) { api::execute_r2r(p, a, b); }
  static void execute(plan p, Real* a, complex* b) { api::execute_r2c(p, a, raw(b)); }
  static void execute(plan p, complex* a, Real* b) { api::execute_c2r(p, raw(a), b); }

  static std::size_t aligned_elements(integer n) { return static_cast<std::size_t>((n + 7) / 8 * 8); }

  [[nodiscard]] bool by_line() const { return problem_.lines_contiguous && !splits_complex(); }
  /// Whether real and imaginary parts are lines of their own.
  [[nodiscard]] bool splits_complex() const {
    return is_trigonometric(problem_.kind) && row_of(problem_.kind).in == element_type::complex;
  }
  [[nodiscard]] int step() const { return by_line() ? 1 : problem_.lanes; }
  /// Distance between lanes for a side of `elements` per line.
  [[nodiscard]] int distance(integer elements) const { return by_line() ? static_cast<int>(elements) : 1; }

  /// Measuring pays only where a bundle takes longer than a few microseconds, and takes seconds where lines are long.
  [[nodiscard]] unsigned effort() const {
    return problem_.length < 32 || problem_.length > 8192 ? FFTW_ESTIMATE : FFTW_MEASURE;
  }

  plan make_plan(int howmany, std::byte* scratch, unsigned flags) {
    const std::lock_guard guard(planner_lock());
    auto* const a = reinterpret_cast<complex*>(scratch);
    complex* const b = a + area_;
    const auto n = static_cast<int>(problem_.length);
    if (is_trigonometric(problem_.kind)) {
      const fftw_r2r_kind kind = r2r_kind(problem_.kind);
      const int parts = splits_complex() ? 2 : 1;
      return api::plan_many_r2r(1, &n, parts * howmany, reinterpret_cast<Real*>(a), nullptr, parts * step(),
                                distance(ins_), reinterpret_cast<Real*>(b), nullptr, parts * step(), distance(outs_),
                                &kind, flags);
    }
    switch (problem_.kind) {
      case line_kind::r2c:
        return api::plan_many_r2c(1, &n, howmany, reinterpret_cast<Real*>(a), nullptr, step(), distance(ins_), raw(b),
                                  nullptr, step(), distance(outs_), flags);
      case line_kind::c2r:
        return api::plan_many_c2r(1, &n, howmany, raw(a), nullptr, step(), distance(ins_), reinterpret_cast<Real*>(b),
                                  nullptr, step(), distance(outs_), flags);
      default:
        return api::plan_many_c2c(1, &n, howmany, raw(a), nullptr, step(), distance(ins_), raw(b), nullptr, step(),
                                  distance(outs_), row_of(problem_.kind).forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    }
  }

  template <class In, class Out>
  void through(const bundle& from, const bundle& to, In* a, Out* b) const {
    const staged<In> ins{a, step(), distance(ins_)};
    const staged<Out> outs{b, step(), distance(outs_)};
    load(from, ins);
    if constexpr (std::is_same_v<In, complex>) apply(loading_, ins, from.lanes);
    if (from.lanes == problem_.lanes) {
      execute(many_, a, b);
    } else {
      for (int l = 0; l < from.lanes; ++l) execute(single_, a + l * ins.lane_step, b + l * outs.lane_step);
    }
    if constexpr (std::is_same_v<Out, complex>) apply(storing_, outs, from.lanes);
    store(outs, to, scale_);
  }

  line_problem problem_;
  integer ins_, outs_;  // elements of a line
  fused_operations<Real> loading_, storing_;
  Real scale_;
  std::size_t area_;
  plan many_ = nullptr;
  plan single_ = nullptr;
};

class fftw final : public line_engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "fftw"; }
  [[nodiscard]] bool has(line_kind kind) const override { return kind != line_kind::none; }
  [[nodiscard]] bool measures() const override { return true; }
  /// As many lines as leave both halves of the staging area in a first-level cache, 2 to 16.
  [[nodiscard]] int lanes(line_kind /*kind*/, integer length, precision element) const override {
    const integer bytes = std::max<integer>(1, length) * static_cast<integer>(complex_bytes(element));
    int lanes = 16;
    while (lanes > 4 && 2 * bytes * lanes > (integer{1} << 16)) lanes /= 2;
    return lanes;
  }
  [[nodiscard]] std::unique_ptr<kernel> make_kernel(const line_problem& problem) const override {
    if (problem.length > (integer{1} << 30) / problem.lanes) {
      throw argument_error("FFTW takes lines of at most 2^30 elements, not " + std::to_string(problem.length));
    }
    if (problem.element == precision::f32) return std::make_unique<fftw_kernel<float>>(problem);
    return std::make_unique<fftw_kernel<double>>(problem);
  }
};

}  // namespace

const engine* fftw_engine() {
  static const fftw instance;
  return &instance;
}

}  // namespace weft::local
