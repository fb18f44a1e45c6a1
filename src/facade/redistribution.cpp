#include "weft/redistribution.hpp"

#include <optional>

#include "exchange/engine.hpp"
#include "local/engine.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "run/program.hpp"
#include "weft/error.hpp"

namespace weft {

struct redistribution::state {
  mpi::communicator on;
  redistribution_options how;
  std::size_t in_bytes = 0, out_bytes = 0;
  std::shared_ptr<run::workspace> memory;
  std::optional<run::program> moved;

  state(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm comm,
        const redistribution_options& o)
      : on(comm), how(o) {
    mpi::require_same(on, {{"shape", to_text(from.shape())},
                           {"input distribution", from.text()},
                           {"output distribution", to.text()},
                           {"element size", std::to_string(element_bytes)},
                           {"exchange engine", how.exchange},
                           {"in-place option", std::to_string(static_cast<int>(how.in_place))},
                           {"count limit", std::to_string(how.count_limit)}});
    mpi::agree(on, [&] { check(from, to, element_bytes); });
    schedule s{direction::forward, from.shape(), fourier_kinds(from.shape().size(), {}, -1), from, {}};
    if (!same_ownership(from, to, on.size())) s.stages.emplace_back(redistribute_stage{to});
    run::binding b;
    b.rank = on.rank();
    b.element_bytes = element_bytes;
    b.in_place = how.in_place;
    b.destroy_input = how.destroy_input;
    b.communicator = &on;
    b.count_limit = how.count_limit;
    b.input_layout = how.input_layout;
    b.output_layout = how.output_layout;
    const auto node = mpi::node_of(on, 0);
    const auto bind = [&](const exchange::engine& engine) {
      b.exchanges.assign(static_cast<std::size_t>(exchanges_of(s)), &engine);
      // Without an exchange nobody looks into a peer's memory, and ranks may bind in different ways.
      const bool shares = engine.shared() && exchanges_of(s) > 0;
      memory = shares ? std::make_shared<run::workspace>(node) : std::make_shared<run::workspace>();
      mpi::agree(on, [&] { moved.emplace(s, b, memory); });
    };
    // Shared memory if all ranks have it and there is room, else messages.
    const exchange::engine& messages = exchange::engine_named(how.exchange);
    if (how.exchange != "auto" || exchanges_of(s) == 0 || mpi::largest(on, on.size() - node.size()) > 0) {
      bind(messages);
      return;
    }
    try {
      bind(exchange::engine_named("window"));
    } catch (const buffer_error&) {
      bind(messages);
    }
  }

  void check(const distribution& from, const distribution& to, std::size_t element_bytes) {
    if (from.shape() != to.shape()) {
      throw distribution_error("the input distribution is for the shape " + to_text(from.shape()) +
                               ", the output for " + to_text(to.shape()) + "; both must have the same shape");
    }
    for (const auto* d : {&from, &to}) {
      if (d->ranks() > on.size()) {
        throw distribution_error("distribution " + d->chains_text() + " needs " + std::to_string(d->ranks()) +
                                 " ranks, the communicator has " + std::to_string(on.size()));
      }
    }
    if (how.count_limit < 2) {
      throw argument_error("count limit " + std::to_string(how.count_limit) + " is less than 2");
    }
    if (element_bytes == 0) throw argument_error("the element size is 0 bytes; use 1 or more");
    (void)exchange::engine_named(how.exchange);
    const auto bytes = [&](const layout& l, const distribution& d) {
      const auto shape = d.local_shape(on.rank());
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
  // The input is written only where binding was allowed to use it as scratch.
  auto* const from = static_cast<std::byte*>(const_cast<void*>(in));
  state_->moved->execute({from, {}}, {static_cast<std::byte*>(out), {}});
}

void redistribution::operator()(std::span<const std::byte> in, std::span<std::byte> out) {
  const auto& s = *state_;
  mpi::agree(s.on, [&] {
    const std::size_t larger = std::max(s.in_bytes, s.out_bytes);
    const std::size_t in_needed = s.how.in_place ? larger : s.in_bytes,
                      out_needed = s.how.in_place ? larger : s.out_bytes;
    if (in.size() < in_needed || out.size() < out_needed) {
      throw buffer_error("rank " + std::to_string(s.on.rank()) + " passed " + std::to_string(in.size()) + " and " +
                         std::to_string(out.size()) + " bytes, needs " + std::to_string(in_needed) + " and " +
                         std::to_string(out_needed));
    }
    if (larger > 0 && (in.data() == out.data()) != s.how.in_place) {
      throw buffer_error("input and output must be the same memory exactly if in_place is set");
    }
  });
  (*this)(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
}

integer redistribution::messages() const { return state_->moved->messages(); }
integer redistribution::bytes() const { return state_->moved->bytes_sent(); }
integer redistribution::workspace_bytes() const { return state_->memory->bytes(); }

}  // namespace weft
