#include "exchange/engines/loopback.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/packed.hpp"
#include "exchange/plain.hpp"
#include "weft/error.hpp"

namespace weft::exchange {

class loopback_exchange {
 public:
  loopback_exchange(loopback_hub& hub, int rank) : hub_(hub), own_(hub.exchanges_[static_cast<std::size_t>(rank)]) {
    number_ = static_cast<std::size_t>(std::ranges::find(own_, nullptr) - own_.begin());
    if (number_ == own_.size()) own_.push_back(nullptr);
    own_[number_] = this;
  }
  loopback_exchange(const loopback_exchange&) = delete;
  loopback_exchange& operator=(const loopback_exchange&) = delete;
  virtual ~loopback_exchange() { own_[number_] = nullptr; }

 protected:
  [[nodiscard]] const loopback_exchange& of_peer(int rank) const {
    return *hub_.exchanges_[static_cast<std::size_t>(rank)][number_];
  }
  std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;

 private:
  loopback_hub& hub_;
  std::vector<loopback_exchange*>& own_;
  std::size_t number_;
};

namespace {

const message& message_to(const std::vector<message>& messages, int rank, std::size_t& number) {
  for (number = 0; number < messages.size(); ++number) {
    if (messages[number].peer == rank) return messages[number];
  }
  throw internal_error("a rank expects a message that its peer does not send");
}

class loopback_packed final : public packed_exchange, public loopback_exchange {
 public:
  explicit loopback_packed(const exchange_problem& problem)
      : packed_exchange(problem), loopback_exchange(*problem.hub, problem.rank) {
    place_densely();
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_[i].peer != rank_) others_.push_back(i);
    }
    arrived_.assign(others_.size(), false);
  }
  void start(const image& from, const image& to) override {
    from_ = from.mine;
    to_ = to.mine;
    consumed_ = 0;
    arrived_.assign(others_.size(), false);
    copy_held(from, to);
  }
  [[nodiscard]] bool arrives_later() const override { return true; }

  void need(int number) override {
    const auto at = static_cast<std::size_t>(number);
    if (!arrived_[at]) pull(others_[at]);
    arrived_[at] = true;
  }
  /// Last message first: an order that no consumer may rely on.
  int next() override {
    if (consumed_ == static_cast<int>(others_.size())) return -1;
    const int number = static_cast<int>(others_.size()) - 1 - consumed_++;
    need(number);
    return number;
  }
  /// The peers' images are read here or never.
  void release() override {
    for (std::size_t i = 0; i < others_.size(); ++i) need(static_cast<int>(i));
  }

 private:
  void pull(std::size_t i) const {
    const auto& peer = dynamic_cast<const loopback_packed&>(of_peer(in_[i].peer));
    std::size_t j = 0;
    const message& sent = message_to(peer.out_, rank_, j);
    if (sent.count != in_[i].count) throw internal_error("two ranks disagree on the size of a message");
    const std::size_t bytes = static_cast<std::size_t>(sent.count) * element_bytes_;
    std::memcpy(to_ + static_cast<std::size_t>(in_offsets_[i]) * element_bytes_,
                peer.from_ + static_cast<std::size_t>(peer.out_offsets_[j]) * element_bytes_, bytes);
  }

  std::vector<std::size_t> others_;  // in_ without the own message
  std::vector<bool> arrived_;
  int consumed_ = 0;
};

class loopback_plain final : public plain_exchange, public loopback_exchange {
 public:
  explicit loopback_plain(const exchange_problem& problem)
      : plain_exchange(problem), loopback_exchange(*problem.hub, problem.rank) {}
  void start(const image& from, const image& to) override {
    from_ = from.mine;
    to_ = to.mine;
    copy_own(from.mine, to.mine);
  }
  void finish() override {
    for (const auto& m : in_) {
      if (m.peer == rank_) continue;
      const auto& peer = dynamic_cast<const loopback_plain&>(of_peer(m.peer));
      for (const auto& part : parts_of(m, peer.from_image_, to_image_)) {
        local::copy_elements(part.box, element_bytes_, peer.from_ + part.from_offset, to_ + part.to_offset);
      }
    }
  }
};

class loopback final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "loopback"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<loopback_packed>(problem);
  }
};

class loopback_arrays final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "loopback_plain"; }
  [[nodiscard]] bool plain() const override { return true; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<loopback_plain>(problem);
  }
};

}  // namespace

const engine& loopback_engine() {
  static const loopback instance;
  return instance;
}

const engine& loopback_plain_engine() {
  static const loopback_arrays instance;
  return instance;
}

}  // namespace weft::exchange
