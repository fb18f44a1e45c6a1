// SPDX-License-Identifier: BSD-3-Clause
#include "weft/redistribution.hpp"

#include <algorithm>
#include <limits>

#include "device/device.hpp"
#include "facade/call.hpp"
#include "local/device_engines.hpp"
#include "mpi/agreement.hpp"
#include "planner/choose.hpp"
#include "planner/crew.hpp"
#include "planner/limits.hpp"
#include "planner/resolve.hpp"
#include "run/bind.hpp"
#include "weft/error.hpp"

namespace weft {

using namespace core;

struct redistribution::state {
  planner::crew on;
  redistribution_options how;
  distribution from, to;
  layout from_layout, to_layout;  // with all strides, as users see them
  std::size_t element_bytes;
  std::size_t in_bytes = 0, out_bytes = 0;
  std::shared_ptr<run::workspace> memory;
  std::unique_ptr<run::execution> moved;

  state(const distribution& from_here, const distribution& to_there, std::size_t bytes, MPI_Comm comm,
        const redistribution_options& o)
      : on(mpi::communicator(comm)), how(o), from(from_here), to(to_there), element_bytes(bytes) {
    mpi::require_same(on.all, {{"shape", to_text(from.shape())},
                               {"input distribution", from.text()},
                               {"output distribution", to.text()},
                               {"element size", std::to_string(element_bytes)},
                               {"batch", std::to_string(how.batch) + (how.interleaved ? " interleaved" : "")},
                               {"exchange engine", how.exchange},
                               {"device", device_kind()},
                               {"in-place option", how.in_place ? "true" : "false"},
                               {"destroy-input option", how.destroy_input ? "true" : "false"}});
    if (how.device != "cpu") on.use_device(how.device);
    schedule s;
    run::binding b;
    std::vector<const exchange::engine*> engines;
    mpi::agree(on.all, [&] {
      check();
      const planner::stacking stack{how.batch, how.interleaved};
      const distribution all_from = planner::with_batch(from, stack), all_to = planner::with_batch(to, stack);
      s = {direction::forward, all_from.shape(), fourier_kinds(all_from.shape().size(), {}, -1), all_from, {}};
      b.rank = on.all.rank();
      b.ranks = on.all.size();
      b.element_bytes = element_bytes;
      b.in_place = how.in_place;
      b.destroy_input = how.destroy_input;
      b.nodes = on.nodes;
      b.on = on.on;
      if (on.on != nullptr) b.local = &local::engine_on(local::device_engine_names().front(), *on.on);
      b.count_limit = planner::limits().count;
      b.cells_per_box = planner::limits().cells_per_box;
      b.input_layout = planner::with_batch(how.input_layout, from.local_shape(b.rank), stack);
      b.output_layout = planner::with_batch(how.output_layout, to.local_shape(b.rank), stack);
      if (!same_ownership(from, to, on.all.size())) s.stages.emplace_back(redistribute_stage{all_to});
      const auto open = planner::freedom_of({.exchange = how.exchange, .device = how.device}, on.ranks_of_device);
      engines.assign(1, &exchange::engine_named(how.exchange));
      if (how.exchange != "auto") return;
      planner::machine figures;
      figures.ranks_per_node = static_cast<int>(on.nodes->members_with(0).size());
      if (on.on != nullptr) figures = planner::with_devices(figures, on.ranks_of_device, false);
      engines = planner::engines_by_price(all_from, all_to, on.all.size(), element_bytes, open, figures);
    });
    bind_first(s, b, engines);
  }

  /// With the first engine for which there is memory.
  void bind_first(const schedule& s, run::binding b, const std::vector<const exchange::engine*>& engines) {
    for (std::size_t i = 0; i < engines.size(); ++i) {
      try {
        b.exchanges.assign(static_cast<std::size_t>(exchanges_of(s)), engines[i]);
        const auto result = run::bind(s, b, {}, on.all);
        memory = std::make_shared<run::workspace>(result->shares() ? on.shared : nullptr, on.on);
        moved = run::open(result, memory, on.all);
        return;
      } catch (const buffer_error&) {
        if (i + 1 == engines.size()) throw;
      }
    }
  }

  /// Ranks that name something unknown hear of it together.
  [[nodiscard]] std::string device_kind() const {
    std::string kind;
    mpi::agree(on.all, [&] { kind = device::parse_choice(how.device).kind; });
    return kind;
  }

  void check() {
    if (from.shape() != to.shape()) {
      throw distribution_error("the input distribution is for the shape " + to_text(from.shape()) +
                               ", the output for " + to_text(to.shape()) + "; both must have the same shape");
    }
    for (const auto* d : {&from, &to}) {
      if (d->ranks() > on.all.size()) {
        throw distribution_error("distribution " + d->chains_text() + " needs " + std::to_string(d->ranks()) +
                                 " ranks, the communicator has " + std::to_string(on.all.size()));
      }
    }
    if (on.on != nullptr && element_bytes % 4 != 0) {
      throw applicability_error("devices move elements whose size is a multiple of 4 bytes, not of " +
                                std::to_string(element_bytes));
    }
    if (element_bytes == 0) throw argument_error("the element size is 0 bytes; use 1 or more");
    if (how.batch < 1) throw argument_error("batch " + std::to_string(how.batch) + " is less than 1");
    if (how.batch > 1 && from.axes() + 1 > max_axes) {
      throw argument_error("an array of " + std::to_string(from.axes()) +
                           " axes has no room for a batch; the most is " + std::to_string(max_axes - 1));
    }
    const integer most = std::numeric_limits<integer>::max() / how.batch / std::max<integer>(1, volume(from.shape()));
    if (element_bytes > static_cast<std::size_t>(most)) {
      throw argument_error("the array " + to_text(from.shape()) + " of elements of " + std::to_string(element_bytes) +
                           " bytes, times a batch of " + std::to_string(how.batch) + ", has more than 2^63 bytes");
    }
    const auto bytes = [&](const layout& l, const distribution& d, layout& full) {
      extents shape = d.local_shape(on.all.rank());
      full = resolved(l, shape, how.batch, how.interleaved);
      if (how.batch > 1) shape.insert(shape.begin(), how.batch);
      return static_cast<std::size_t>(span_of(full, shape)) * element_bytes;
    };
    in_bytes = bytes(how.input_layout, from, from_layout);
    out_bytes = bytes(how.output_layout, to, to_layout);
  }

  [[nodiscard]] std::size_t bytes_of(std::size_t side) const {
    return how.in_place ? std::max(in_bytes, out_bytes) : side;
  }

  template <class Check>
  void run(std::span<const std::byte> in, std::span<std::byte> out, const Check& check_arrays) {
    const auto check = [&] {
      check_arrays();
      facade::require_room(in, bytes_of(in_bytes), on.all.rank(), "the input");
      facade::require_room(out, bytes_of(out_bytes), on.all.rank(), "the output");
      if (std::max(in_bytes, out_bytes) > 0) {
        facade::require_apart(in, lies(in.data(), from, from_layout, in_bytes), out,
                              lies(out.data(), to, to_layout, out_bytes), how.in_place, on.all.rank());
      }
      // A device moves elements in units of up to 16 bytes.
      const std::size_t unit = element_bytes % 16 == 0 ? 16 : element_bytes % 8 == 0 ? 8 : 4;
      facade::require_place(on.on, how.device, in, unit, on.all.rank(), "the input");
      facade::require_place(on.on, how.device, out, unit, on.all.rank(), "the output");
    };
    (void)facade::agree_on_call(on.all, check);
    // The input is written only where binding was allowed to use it as scratch.
    moved->run({const_cast<std::byte*>(in.data()), {}}, {out.data(), {}}, nullptr, true);
    if (on.on != nullptr) on.on->synchronize();
  }

  [[nodiscard]] facade::footprint lies(const std::byte* data, const distribution& d, const layout& where,
                                       std::size_t bytes) const {
    return facade::footprint_of(data, where.offset, static_cast<integer>(bytes / element_bytes),
                                how.batch * d.local_size(on.all.rank()), element_bytes);
  }

  [[nodiscard]] std::span<const std::byte> input_at(const void* in) const {
    return {static_cast<const std::byte*>(in), bytes_of(in_bytes)};
  }
  [[nodiscard]] std::span<std::byte> output_at(void* out) const {
    return {static_cast<std::byte*>(out), bytes_of(out_bytes)};
  }
};

redistribution::redistribution(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm on,
                               const redistribution_options& how)
    : state_(std::make_unique<state>(from, to, element_bytes, on, how)) {}
redistribution::redistribution() noexcept = default;
redistribution::redistribution(redistribution&&) noexcept = default;
redistribution& redistribution::operator=(redistribution&&) noexcept = default;
redistribution::~redistribution() = default;

redistribution::state& redistribution::filled() const {
  if (state_ == nullptr) {
    throw argument_error(
        "the redistribution is empty: it was made without distributions, or moved from; assign one to it first");
  }
  return *state_;
}

void redistribution::operator()(const void* in, void* out) {
  auto& s = filled();
  s.run(s.input_at(in), s.output_at(out), [] {});
}

void redistribution::operator()(std::span<const std::byte> in, std::span<std::byte> out) {
  filled().run(in, out, [] {});
}

void redistribution::move(const void* in, const detail::array_terms& in_terms, void* out,
                          const detail::array_terms& out_terms, std::size_t element_bytes) {
  auto& s = filled();
  s.run(s.input_at(in), s.output_at(out), [&] {
    if (element_bytes != s.element_bytes) {
      throw buffer_error("the arrays have elements of " + std::to_string(element_bytes) +
                         " bytes, the redistribution was made for " + std::to_string(s.element_bytes));
    }
    const auto require = [&](const detail::array_terms& got, const distribution& how, const layout& where,
                             const char* which) {
      facade::require_terms(got, {how, s.on.all.rank(), s.how.batch, where, got.local_shape}, which,
                            "the redistribution needs", "");
    };
    require(in_terms, s.from, s.from_layout, "input");
    require(out_terms, s.to, s.to_layout, "output");
  });
}

void redistribution::refuse(const error& why) const {
  (void)facade::tell_others(filled().on.all, std::make_exception_ptr(why), {});
  throw why;
}

integer redistribution::messages() const { return filled().moved->what().messages(); }
integer redistribution::bytes() const { return filled().moved->what().bytes_sent(); }
integer redistribution::workspace_bytes() const { return filled().memory->size().total(); }

}  // namespace weft
