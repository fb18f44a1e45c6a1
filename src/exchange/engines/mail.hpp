// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking messages one way, between fixed places of one buffer: begun in order, waited for in any.
#pragma once

#include <limits>
#include <vector>

#include "exchange/channel.hpp"
#include "exchange/parts.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

class mail {
 public:
  enum class way : char { out, in };
  /// `parcels` by ascending `when`; those of one message, if they have numbers, are neighbours.
  mail(way where, std::vector<parcel> parcels, const exchange_problem& problem, const company& with);

  /// From now on with this buffer; nothing is under way yet.
  void restart(std::byte* buffer);
  /// Begins what was not begun yet of the parcels up to `when`.
  void begin_up_to(integer when);
  void begin_all() { begin_up_to(std::numeric_limits<integer>::max()); }

  /// Waits for what was begun of a message, of the parcels of one `when`, or of all.
  void wait_for_message(int message);
  void wait_for_moment(integer when);
  void wait_for_all() { wait(0, begun_); }
  /// The next message to be complete, -1 after the last.
  int next();
  /// Lets MPI work on messages under way, and completes none.
  void progress() const;
  /// Whether what was begun would not be waited for; completes nothing.
  [[nodiscard]] bool done() const { return done(0, begun_); }
  /// The same of the parcels of one `when`, which have begun.
  [[nodiscard]] bool done_at(integer when) const { return done(first_after(when - 1), first_after(when)); }
  /// Whether every peer has begun to send: a message of it has come, or waits to be received.
  [[nodiscard]] bool all_announced() const;

 private:
  [[nodiscard]] std::size_t first_after(integer when) const;
  void wait(std::size_t begin, std::size_t end);
  [[nodiscard]] bool done(std::size_t begin, std::size_t end) const;

  mpi::message_calls calls_;
  way way_;
  std::vector<parcel> parcels_;
  std::vector<MPI_Request> requests_;
  std::size_t begun_ = 0;
  std::vector<int> arrivals_;        // parcels that came together,
  std::size_t told_ = 0, come_ = 0;  // of which so many were told, of so many
  std::byte* buffer_ = nullptr;
  struct numbered {
    std::size_t first = 0, parcels = 0;
    std::size_t missing = 0;
  };
  std::vector<numbered> messages_;  // by the consumer's numbers
};

/// Begins messages both ways, sends up to one moment and receives up to another. Between nodes sends go first: who is
/// asked to send a large message is told that by words on the same connection, and if a peer's announcement has come
/// before, they are said before the own message is on its way and not behind it. So both directions are busy at once.
void begin_both(mail& sends, integer sent, mail& receives, integer received, bool between_nodes);

/// A channel whose messages are asked for one by one, or in the order in which they arrive.
class mail_channel : public channel {
 public:
  mail_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with),
        between_nodes_(leaves_node(problem)) {}

  void release() override { sends_.wait_for_all(); }
  void finish() override {
    receives_.wait_for_all();
    sends_.wait_for_all();
  }
  /// Receives may be posted before the exchange starts.
  [[nodiscard]] bool arrived() override { return !started_ || receives_.done(); }
  [[nodiscard]] bool left() override { return sends_.done() && receives_.done(); }
  void need(int message) override { receives_.wait_for_message(message); }
  int next() override { return receives_.next(); }

 protected:
  void begin_all(std::byte* from, std::byte* to) {
    sends_.restart(from);
    receives_.restart(to);
    constexpr integer all = std::numeric_limits<integer>::max();
    begin_both(sends_, all, receives_, all, between_nodes_);
    started_ = true;
  }
  /// Before there is anything to send.
  void begin_receives(std::byte* from, std::byte* to) {
    sends_.restart(from);
    receives_.restart(to);
    receives_.begin_all();
    started_ = false;
  }

  mail sends_, receives_;
  bool between_nodes_;
  bool started_ = false;  // all that this rank sends, and not only what it receives
};

}  // namespace weft::exchange
