// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/engines/loopback.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/channel.hpp"
#include "exchange/packed.hpp"
#include "exchange/plain.hpp"
#include "weft/error.hpp"

namespace weft::exchange {

class loopback_member {
 public:
  loopback_member(loopback_hub& hub, int rank) : hub_(hub), own_(hub.exchanges_[static_cast<std::size_t>(rank)]) {
    number_ = static_cast<std::size_t>(std::ranges::find(own_, nullptr) - own_.begin());
    if (number_ == own_.size()) own_.push_back(nullptr);
    own_[number_] = this;
  }
  loopback_member(const loopback_member&) = delete;
  loopback_member& operator=(const loopback_member&) = delete;
  virtual ~loopback_member() { own_[number_] = nullptr; }

 protected:
  [[nodiscard]] const loopback_member& of_peer(int rank) const {
    return *hub_.exchanges_[static_cast<std::size_t>(rank)][number_];
  }
  std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;

 private:
  loopback_hub& hub_;
  std::vector<loopback_member*>& own_;
  std::size_t number_;
};

namespace {

class loopback_packed final : public channel, public loopback_member {
 public:
  loopback_packed(const exchange_problem& problem, const geometry& g, const company& with)
      : loopback_member(*with.hub, problem.rank),
        rank_(problem.rank),
        element_bytes_(problem.element_bytes),
        held_(g.held),
        sends_(g.sends),
        receives_(g.receives),
        arrived_(receives_.size(), false) {}
  void start(const image& from, const image& to) override {
    from_ = from.mine;
    to_ = to.mine;
    consumed_ = 0;
    arrived_.assign(receives_.size(), false);
    copy_held(held_, from, to, nullptr);
  }

  void need(int number) override {
    const auto at = static_cast<std::size_t>(number);
    if (!arrived_[at]) pull(receives_[at]);
    arrived_[at] = true;
  }
  /// Last message first: an order that no consumer may rely on.
  int next() override {
    if (consumed_ == static_cast<int>(receives_.size())) return -1;
    const int number = static_cast<int>(receives_.size()) - 1 - consumed_++;
    need(number);
    return number;
  }
  /// The peers' images are read here or never.
  void release() override {
    for (std::size_t i = 0; i < receives_.size(); ++i) need(static_cast<int>(i));
  }

 private:
  void pull(const parcel& expected) const {
    const auto& peer = dynamic_cast<const loopback_packed&>(of_peer(expected.peer));
    const auto sent = std::ranges::find(peer.sends_, rank_, &parcel::peer);
    if (sent == peer.sends_.end()) throw internal_error("a rank expects a message that its peer does not send");
    if (sent->count != expected.count) throw internal_error("two ranks disagree on the size of a message");
    std::memcpy(to_ + expected.offset, peer.from_ + sent->offset,
                static_cast<std::size_t>(sent->count) * element_bytes_);
  }

  int rank_;
  std::size_t element_bytes_;
  held_copy held_;
  std::vector<parcel> sends_, receives_;
  std::vector<bool> arrived_;
  int consumed_ = 0;
};

class loopback_plain final : public channel, public loopback_member {
 public:
  loopback_plain(const exchange_problem& problem, const geometry& /*g*/, const company& with)
      : loopback_member(*with.hub, problem.rank), problem_(problem), own_(problem) {}
  void start(const image& from, const image& to) override {
    from_ = from.mine;
    to_ = to.mine;
    own_(from.mine, to.mine);
  }
  void finish() override {
    for (const auto& m : incoming(problem_.from, problem_.to, problem_.rank)) {
      if (m.peer == problem_.rank) continue;
      const auto& peer = dynamic_cast<const loopback_plain&>(of_peer(m.peer));
      for (const auto& part : boxes_of(m, peer.problem_.from_image, problem_.to_image)) {
        local::copy_elements(part.box, problem_.element_bytes, peer.from_ + part.from_offset, to_ + part.to_offset);
      }
    }
  }

 private:
  exchange_problem problem_;
  own_copy own_;
};

geometry describe_packed(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  geometry result = dense_geometry(problem, way);
  result.arrives_later = true;
  return result;
}

geometry describe_plain(const exchange_problem& problem, int /*way*/, std::span<const integer> /*agreed*/) {
  return plain_geometry(problem);
}

}  // namespace

constexpr engine loopback_engine{.name = "loopback",
                                 .facts = nullptr,
                                 .ways = packed_ways,
                                 .describe = describe_packed,
                                 .groups = nullptr,
                                 .open = open_as<loopback_packed>};
constexpr engine loopback_plain_engine{.name = "loopback_plain",
                                       .plain = true,
                                       .facts = nullptr,
                                       .ways = plain_ways,
                                       .describe = describe_plain,
                                       .groups = nullptr,
                                       .open = open_as<loopback_plain>};

}  // namespace weft::exchange
