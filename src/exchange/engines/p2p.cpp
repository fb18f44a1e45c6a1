// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/packed.hpp"

namespace weft::exchange {

namespace {

class p2p_channel final : public mail_channel {
 public:
  p2p_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : mail_channel(problem, g, with), held_(g.held), on_(with.on) {}

  void start(const image& from, const image& to) override {
    begin_all(from.mine, to.mine);
    copy_held(held_, from, to, on_);
  }

 private:
  held_copy held_;
  const device::device* on_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  geometry result = dense_geometry(problem, way);
  result.arrives_later = true;
  return result;
}

}  // namespace

constexpr engine p2p_engine{.name = "p2p",
                            .any_memory = true,
                            .facts = nullptr,
                            .ways = packed_ways,
                            .describe = describe,
                            .groups = nullptr,
                            .open = open_as<p2p_channel>};

}  // namespace weft::exchange
