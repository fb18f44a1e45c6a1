#include "weft/redistribution.hpp"

#include "facade/call.hpp"
#include "mpi/agreement.hpp"
#include "planner/choose.hpp"
#include "planner/crew.hpp"
#include "planner/limits.hpp"
#include "run/bind.hpp"
#include "weft/error.hpp"

namespace weft {

using namespace core;

struct redistribution::state {
  planner::crew on;
  redistribution_options how;
  std::size_t in_bytes = 0, out_bytes = 0;
  std::shared_ptr<run::workspace> memory;
  std::unique_ptr<run::execution> moved;

  state(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm comm,
        const redistribution_options& o)
      : on(mpi::communicator(comm)), how(o) {
    mpi::require_same(on.all, {{"shape", to_text(from.shape())},
                               {"input distribution", from.text()},
                               {"output distribution", to.text()},
                               {"element size", std::to_string(element_bytes)},
                               {"exchange engine", how.exchange},
                               {"in-place option", how.in_place ? "true" : "false"},
                               {"destroy-input option", how.destroy_input ? "true" : "false"}});
    schedule s{direction::forward, from.shape(), fourier_kinds(from.shape().size(), {}, -1), from, {}};
    run::binding b;
    std::vector<const exchange::engine*> engines;
    mpi::agree(on.all, [&] {
      check(from, to, element_bytes);
      b.rank = on.all.rank();
      b.ranks = on.all.size();
      b.element_bytes = element_bytes;
      b.in_place = how.in_place;
      b.destroy_input = how.destroy_input;
      b.nodes = on.nodes;
      b.count_limit = planner::limits().count;
      b.input_layout = how.input_layout;
      b.output_layout = how.output_layout;
      if (!same_ownership(from, to, on.all.size())) s.stages.emplace_back(redistribute_stage{to});
      engines.assign(1, &exchange::engine_named(how.exchange));
      if (how.exchange != "auto") return;
      planner::machine figures;
      figures.ranks_per_node = static_cast<int>(on.nodes->members_with(0).size());
      engines = planner::engines_by_price(from, to, on.all.size(), element_bytes, figures);
    });
    bind_first(s, b, engines);
  }

  /// With the first engine for which there is memory.
  void bind_first(const schedule& s, run::binding b, const std::vector<const exchange::engine*>& engines) {
    for (std::size_t i = 0; i < engines.size(); ++i) {
      try {
        b.exchanges.assign(static_cast<std::size_t>(exchanges_of(s)), engines[i]);
        const auto result = run::bind(s, b, {}, on.all);
        memory = std::make_shared<run::workspace>(result->shares() ? on.shared : nullptr);
        moved = run::open(result, memory, on.all);
        return;
      } catch (const buffer_error&) {
        if (i + 1 == engines.size()) throw;
      }
    }
  }

  void check(const distribution& from, const distribution& to, std::size_t element_bytes) {
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
    if (element_bytes == 0) throw argument_error("the element size is 0 bytes; use 1 or more");
    const auto bytes = [&](const layout& l, const distribution& d) {
      const auto shape = d.local_shape(on.all.rank());
      return static_cast<std::size_t>(span_of(resolved(l, shape), shape)) * element_bytes;
    };
    in_bytes = bytes(how.input_layout, from);
    out_bytes = bytes(how.output_layout, to);
  }
};

redistribution::redistribution(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm on,
                               const redistribution_options& how)
    : state_(std::make_unique<state>(from, to, element_bytes, on, how)) {}
redistribution::redistribution(redistribution&&) noexcept = default;
redistribution& redistribution::operator=(redistribution&&) noexcept = default;
redistribution::~redistribution() = default;

void redistribution::operator()(const void* in, void* out) {
  const std::size_t larger = std::max(state_->in_bytes, state_->out_bytes);
  const auto bytes = [&](std::size_t side) { return state_->how.in_place ? larger : side; };
  (*this)(std::span(static_cast<const std::byte*>(in), bytes(state_->in_bytes)),
          std::span(static_cast<std::byte*>(out), bytes(state_->out_bytes)));
}

void redistribution::operator()(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& s = *state_;
  const auto check = [&] {
    const std::size_t larger = std::max(s.in_bytes, s.out_bytes);
    const std::size_t in_needed = s.how.in_place ? larger : s.in_bytes,
                      out_needed = s.how.in_place ? larger : s.out_bytes;
    if (in.size() < in_needed || out.size() < out_needed) {
      throw buffer_error("rank " + std::to_string(s.on.all.rank()) + " passed " + std::to_string(in.size()) + " and " +
                         std::to_string(out.size()) + " bytes, needs " + std::to_string(in_needed) + " and " +
                         std::to_string(out_needed));
    }
    if (larger > 0 && (in.data() == out.data()) != s.how.in_place) {
      throw buffer_error("input and output must be the same memory exactly if in_place is set");
    }
  };
  (void)facade::agree_on_call(s.on.all, check);
  // The input is written only where binding was allowed to use it as scratch.
  state_->moved->run({const_cast<std::byte*>(in.data()), {}}, {out.data(), {}}, nullptr, true);
}

integer redistribution::messages() const { return state_->moved->what().messages(); }
integer redistribution::bytes() const { return state_->moved->what().bytes_sent(); }
integer redistribution::workspace_bytes() const { return state_->memory->size().total(); }

}  // namespace weft
