#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/packed.hpp"

namespace weft::exchange {

namespace {

class p2p_exchange final : public packed_exchange {
 public:
  explicit p2p_exchange(const exchange_problem& problem)
      : packed_exchange(problem), mail_(*problem.communicator, element_bytes_, problem.count_limit) {
    place_densely();
    const auto bytes = static_cast<integer>(element_bytes_);
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i].peer != rank_) mail_.add_send(out_[i].peer, out_offsets_[i] * bytes, out_[i].count);
    }
    // Receive number i is message number i of source().
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_[i].peer != rank_) mail_.add_receive(in_[i].peer, in_offsets_[i] * bytes, in_[i].count);
    }
  }

  void start(const image& from, const image& to) override {
    mail_.start(from.mine, to.mine);
    copy_held(from, to);
  }
  void release() override { mail_.finish_sends(); }
  void finish() override { mail_.finish(); }
  [[nodiscard]] bool arrives_later() const override { return true; }
  void need(int message) override { mail_.need(message); }
  int next() override { return mail_.next(); }

 private:
  mail mail_;
};

class p2p final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "p2p"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<p2p_exchange>(problem);
  }
};

}  // namespace

const engine& p2p_engine() {
  static const p2p instance;
  return instance;
}

}  // namespace weft::exchange
