#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/packed.hpp"

namespace weft::exchange {

namespace {

class p2p_channel final : public channel {
 public:
  p2p_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : held_(g.held),
        sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with) {}

  void start(const image& from, const image& to) override {
    receives_.restart(to.mine);
    sends_.restart(from.mine);
    receives_.begin_all();
    sends_.begin_all();
    copy_held(held_, from, to);
  }
  void release() override { sends_.wait_for_all(); }
  void finish() override {
    receives_.wait_for_all();
    sends_.wait_for_all();
  }
  void need(int message) override { receives_.wait_for_message(message); }
  int next() override { return receives_.next(); }

 private:
  held_copy held_;
  mail sends_, receives_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  geometry result = dense_geometry(problem, way);
  result.arrives_later = true;
  return result;
}

}  // namespace

constexpr engine p2p_engine{.name = "p2p",
                            .facts = nullptr,
                            .ways = packed_ways,
                            .describe = describe,
                            .groups = nullptr,
                            .open = open_as<p2p_channel>};

}  // namespace weft::exchange
