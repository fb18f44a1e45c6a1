// SPDX-License-Identifier: BSD-3-Clause
// A plan: made once, collectively, from a problem and a communicator; run any number of times.
#pragma once

#include <mpi.h>

#include <complex>
#include <concepts>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/array.hpp"
#include "weft/explain.hpp"
#include "weft/pointwise.hpp"
#include "weft/problem.hpp"
#include "weft/started.hpp"
#include "weft/timeline.hpp"

namespace [[gnu::visibility("default")]] weft {

/// What a plan does each time it runs, with arrays such as it was last called with, or such as it makes; counts are
/// this rank's.
struct plan_report {
  std::string algorithm;
  std::string exchange;  ///< engine, or a list with one for each exchange
  std::string local;     ///< engine
  int threads = 1;       ///< of each rank
  int ranks = 0;         ///< that have data; the others are idle because more would take longer
  std::string schedule;  ///< forward, as text
  int exchanges = 0;
  integer messages = 0;         ///< sent to other ranks by one forward transform
  integer bytes = 0;            ///< sent to other ranks by one forward transform
  std::string travels_as;       ///< the precision of elements in its messages: "f64", "f32" or "bf16"
  integer workspace_bytes = 0;  ///< held besides the user's arrays
  /// Where arrays that the plan makes lie: "shared" by the node's ranks, who then work in them directly, or "private",
  /// with the reason if there was no room to share.
  std::string arrays;
  /// Whether rank 0 runs the passes of all ranks, which share one device: see docs/gpu.md.
  bool led = false;
  int timed = 0;       ///< ways that were timed to find this one
  std::string wisdom;  ///< what became of the wisdom file; empty without one
  bool kept = true;    ///< false: what was measured could not be written there
  /// What the plan takes the network to be, and how it knows: measured, or from wisdom. Empty on one node.
  std::string network;
};

/// Seconds a stage took since the plan was made, or since the last reset.
struct stage_time {
  std::string stage;
  double seconds = 0;
};

namespace detail {

struct plan_internals;

}  // namespace detail

/// Element types are run-time values here; c2c<T>, r2c<T> and r2r<T> below put types around it. Plans made
/// from the same communicator must not run at the same time in different threads; plans made from
/// different communicators may.
class plan {
 public:
  /// Empty, for members that get a plan later; only assignment and the conversion to bool are for such plans, all else
  /// throws argument_error.
  plan() noexcept;
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Collective. Throws the same error on every rank.
  plan(const problem& what, MPI_Comm on, const options& how = {});
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;
  ~plan();

  /// Collective. The pointers are taken as they are: in must have input_elements() elements of the
  /// input's type, out likewise; in == out exactly if the plan was made with options::in_place, and
  /// then both must have room for the larger of the two.
  void forward(const void* in, void* out);
  /// From the output's distribution back to the input's.
  void backward(const void* in, void* out);

  /// The same with arrays in a device's memory, in the order of a stream of it, a cudaStream_t: passes wait for what
  /// was put there before, and the last ones are still under way when it returns. Exchanges between ranks wait for the
  /// stream. Null is a stream of Weft's, which is waited for.
  void forward(const void* in, void* out, void* stream);
  void backward(const void* in, void* out, void* stream);

  /// Checks sizes on all ranks first, and throws on all if one is too small. Typed plans have functions of modes.
  void forward(std::span<const std::byte> in, std::span<std::byte> out,
               const detail::line_function* on_modes = nullptr);
  void backward(std::span<const std::byte> in, std::span<std::byte> out,
                const detail::line_function* on_modes = nullptr);

  /// The same, but they return as soon as they would have to wait for messages: another transform, of this plan or of
  /// others, can be started meanwhile. Collective. Each run under way has a workspace of its own, which the plan keeps
  /// for later ones; 32 may be under way at a time. What is wrong on any rank is thrown on all of them: here, or by
  /// started::wait() or test() where ranks do not all share a node and need not wait for each other here.
  [[nodiscard]] started start_forward(const void* in, void* out);
  [[nodiscard]] started start_backward(const void* in, void* out);
  [[nodiscard]] started start_forward(std::span<const std::byte> in, std::span<std::byte> out);
  [[nodiscard]] started start_backward(std::span<const std::byte> in, std::span<std::byte> out);

  /// Instead of a call that this rank cannot make: throws `why` on all ranks, those that are in forward() or backward()
  /// too, or have started a run; then maybe where they wait for it. For interfaces in other languages, which look at
  /// arguments themselves. Collective.
  enum class instead_of : char { run, start };
  [[noreturn]] void refuse(const error& why, instead_of what = instead_of::run) const;
  /// Whether every rank says so; throws mismatch_error with the text `otherwise` on all ranks if only some do. For such
  /// interfaces, where ranks would go different ways to a call. Collective.
  [[nodiscard]] bool all_say(bool mine, const std::string& otherwise) const;

  [[nodiscard]] const distribution& input() const;
  [[nodiscard]] const distribution& output() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] integer batch() const;
  /// Elements from the user's pointer to past the last, layout and batch included.
  [[nodiscard]] integer input_elements() const;
  [[nodiscard]] integer output_elements() const;
  /// Of this rank's arrays, with all strides; with a batch of more than one, its stride is the first.
  [[nodiscard]] const layout& input_layout() const;
  [[nodiscard]] const layout& output_layout() const;
  [[nodiscard]] const problem& what() const;
  [[nodiscard]] const options& how() const;
  /// Memory for this rank's array of that side; in place it has room for both. Shared by the node's ranks where
  /// report().arrays says so. Collective.
  [[nodiscard]] memory allocate(side which) const;

  [[nodiscard]] const plan_report& report() const;
  /// The candidates, what the model says of them, what was measured, and why this one was chosen.
  [[nodiscard]] explanation explain() const;
  /// Time spent in each stage of forward().
  [[nodiscard]] std::vector<stage_time> stage_times() const;
  void reset_stage_times();
  /// From now on forward() and backward() write down when they do what; what was written down before is
  /// forgotten. With false they stop, and timeline() stays. Costs memory for each entry, and two looks at the
  /// clock each time that a pass asks for a message. Not collective.
  void record_timeline(bool on);
  /// What this rank did while recording, in order of time; entries do not overlap, but for those that are beside
  /// others.
  [[nodiscard]] std::vector<timeline_entry> timeline() const;

 protected:
  /// Makes it zeros, wherever it is. Not collective.
  void clear(const memory& block) const;
  /// Throws on all ranks unless all arrays are what the plan needs.
  void run(direction way, const void* in, const detail::array_terms& in_terms, void* out,
           const detail::array_terms& out_terms, const detail::line_function* on_modes = nullptr,
           void* stream = nullptr);
  [[nodiscard]] started start(direction way, const void* in, const detail::array_terms& in_terms, void* out,
                              const detail::array_terms& out_terms);

 private:
  friend struct detail::plan_internals;  // what else of Weft works on a plan's ranks
  struct state;
  [[nodiscard]] state& filled() const;
  std::shared_ptr<state> state_;  // runs under way keep it
};

/// The problem of another plan on the same distributions, for plans whose arrays meet its own element by element:
/// change what differs (batch, real_axis), and let the new plan be of another type or precision. Sides of another
/// shape, as the halved one of r2c, keep the grid and the chains.
[[nodiscard]] problem like(const plan& other);

namespace detail {

template <class Real>
constexpr precision precision_of() {
  static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>, "Weft transforms float and double");
  return std::is_same_v<Real, float> ? precision::f32 : precision::f64;
}

template <class Real>
problem typed(problem what, transform_kind kind) {
  what.kind = kind;
  what.element = precision_of<Real>();
  return what;
}

/// {64, 48, 40}. Numbers only: some compilers (GCC 12) take {.shape = {64, 48, 40}} for a vector or an
/// initializer_list as well as for a problem.
struct listed_shape {
  extents all;

  template <std::integral... Numbers>
  requires(sizeof...(Numbers) > 0) listed_shape(Numbers... numbers)
      : all{static_cast<integer>(numbers)...} {}  // NOLINT(google-explicit-constructor)
};

}  // namespace detail

/// A plan whose arrays have types.
template <class In, class Out, class Real, transform_kind Kind>
class typed_plan : public plan {
 public:
  using field_value = In;  ///< of the input's side
  using mode_value = Out;  ///< of the output's side

  /// Empty.
  typed_plan() noexcept = default;
  typed_plan(const detail::listed_shape& shape, MPI_Comm on, const options& how = {})
      : typed_plan(problem{.shape = shape.all}, on, how) {}
  /// A template, which no list in braces can mean.
  template <std::same_as<extents> Shape>
  typed_plan(const Shape& shape, MPI_Comm on, const options& how = {}) : typed_plan(problem{.shape = shape}, on, how) {}
  typed_plan(const problem& what, MPI_Comm on, const options& how = {})
      : plan(detail::typed<Real>(what, Kind), on, how) {}

  /// Zeros, in the plan's distribution and layout. In place, each has room for both sides. Collective.
  [[nodiscard]] array<In> make_input() const { return zeros<In>(side::input); }
  [[nodiscard]] array<Out> make_output() const { return zeros<Out>(side::output); }
  /// In place: the other side over the same memory.
  [[nodiscard]] array<Out> make_output(const array<In>& x) const { return over<Out>(side::output, x.block()); }
  [[nodiscard]] array<In> make_input(const array<Out>& x) const { return over<In>(side::input, x.block()); }

  /// Collective, as all below. Throws unless the arrays have the plan's distributions, batch and layouts.
  void forward(const array<In>& in, array<Out>& out) {
    run(direction::forward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out));
  }
  void backward(const array<Out>& in, array<In>& out) {
    run(direction::backward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out));
  }
  /// In the order of a device's stream.
  template <class Stream>
  requires(!std::is_function_v<Stream>) void forward(const array<In>& in, array<Out>& out, Stream* stream) {
    run(direction::forward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out), nullptr, stream);
  }
  template <class Stream>
  requires(!std::is_function_v<Stream>) void backward(const array<Out>& in, array<In>& out, Stream* stream) {
    run(direction::backward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out), nullptr, stream);
  }
  /// See plan::start_forward().
  [[nodiscard]] started start_forward(const array<In>& in, array<Out>& out) {
    return start(direction::forward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out));
  }
  [[nodiscard]] started start_backward(const array<Out>& in, array<In>& out) {
    return start(direction::backward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out));
  }
  [[nodiscard]] started start_forward(std::span<const In> in, std::span<Out> out) {
    return plan::start_forward(std::as_bytes(in), std::as_writable_bytes(out));
  }
  [[nodiscard]] started start_backward(std::span<const Out> in, std::span<In> out) {
    return plan::start_backward(std::as_bytes(in), std::as_writable_bytes(out));
  }
  [[nodiscard]] started start_forward(const In* in, Out* out) {
    return plan::start_forward(static_cast<const void*>(in), static_cast<void*>(out));
  }
  [[nodiscard]] started start_backward(const Out* in, In* out) {
    return plan::start_backward(static_cast<const void*>(in), static_cast<void*>(out));
  }
  /// Sizes are checked on all ranks.
  void forward(std::span<const In> in, std::span<Out> out) {
    plan::forward(std::as_bytes(in), std::as_writable_bytes(out));
  }
  void backward(std::span<const Out> in, std::span<In> out) {
    plan::backward(std::as_bytes(in), std::as_writable_bytes(out));
  }
  /// With `function` done to every mode where forward stores it or backward loads it, without a pass of its own:
  /// function(global index, value), or function(global index, value, number of the array in a batch), where the index
  /// is a span of one integer per axis and the value, std::complex<Real>& for c2c and r2c, is to be changed. Forward's
  /// output is what it leaves; backward transforms what it leaves, and does not write to its input. Modes are called
  /// in any order, maybe more than once, by all threads of the rank at the same time and not always on the rank that
  /// owns the mode: what it does should depend on its arguments alone, and it must not throw. All ranks must pass one.
  /// The first such call binds the plan once more, as arrays of another kind of memory do.
  template <class Function>
  void forward(const array<In>& in, array<Out>& out, const Function& function) {
    const auto on_modes = on_lines(function);
    run(direction::forward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out), &on_modes);
  }
  template <class Function>
  void backward(const array<Out>& in, array<In>& out, const Function& function) {
    const auto on_modes = on_lines(function);
    run(direction::backward, in.data(), detail::terms_of(in), out.data(), detail::terms_of(out), &on_modes);
  }
  template <class Function>
  void forward(std::span<const In> in, std::span<Out> out, const Function& function) {
    const auto on_modes = on_lines(function);
    plan::forward(std::as_bytes(in), std::as_writable_bytes(out), &on_modes);
  }
  template <class Function>
  void backward(std::span<const Out> in, std::span<In> out, const Function& function) {
    const auto on_modes = on_lines(function);
    plan::backward(std::as_bytes(in), std::as_writable_bytes(out), &on_modes);
  }
  /// Taken as they are.
  void forward(const In* in, Out* out) { plan::forward(static_cast<const void*>(in), static_cast<void*>(out)); }
  void backward(const Out* in, In* out) { plan::backward(static_cast<const void*>(in), static_cast<void*>(out)); }

 private:
  template <class Function>
  [[nodiscard]] detail::line_function on_lines(const Function& function) const {
    const int batch_axis = what().interleaved ? output().axes() : 0;
    return detail::on_lines<Out>(std::cref(function), batch() > 1 ? batch_axis : -1);
  }
  template <class T>
  [[nodiscard]] array<T> over(side which, memory block) const {
    const bool of_input = which == side::input;
    return array<T>(of_input ? input() : output(), rank(), batch(), of_input ? input_layout() : output_layout(),
                    std::move(block));
  }
  template <class T>
  [[nodiscard]] array<T> zeros(side which) const {
    const memory block = allocate(which);
    clear(block);
    return over<T>(which, block);
  }
};

template <class Real>
using c2c = typed_plan<std::complex<Real>, std::complex<Real>, Real, transform_kind::c2c>;
template <class Real>
using r2c = typed_plan<Real, std::complex<Real>, Real, transform_kind::r2c>;
/// Cosine and sine transforms, which problem::kinds names.
template <class Real>
using r2r = typed_plan<Real, Real, Real, transform_kind::r2r>;

}  // namespace weft
