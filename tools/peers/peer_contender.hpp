// SPDX-License-Identifier: BSD-3-Clause
// A contender around a peer's transform and its arrays, whatever the peer's plans are.
#pragma once

#include <functional>

#include "contender.hpp"

namespace weft::tool::peers {

/// An array as the peer stores it, in real numbers.
struct peer_array {
  weft::memory memory = {};
  integer reals = 0;
  std::function<double(integer)> weight = [](integer) { return 1.0; };  ///< of each in the sum of squares
};

/// This rank's part of a transform. `forward` keeps the plan alive; without it, this rank has no part.
struct peer_transform {
  peer_array in, out;  ///< the same memory for a transform in place
  std::function<void()> forward;
};

class peer_contender : public contender {
 public:
  peer_contender(contender_label label, precision width, peer_transform what, int rank)
      : contender(std::move(label)), width_(width), what_(std::move(what)), rank_(rank) {}

  void prepare() override {
    if (!what_.forward) return;
    clear(what_.out.memory, static_cast<std::size_t>(what_.out.reals) * real_bytes(width_));
    fill_random(width_, what_.in.memory, what_.in.reals, rank_);
  }
  void forward() override { what_.forward(); }
  [[nodiscard]] double input_squares() const override { return squares(what_.in); }
  [[nodiscard]] double output_squares() const override { return squares(what_.out); }

 private:
  [[nodiscard]] double squares(const peer_array& of) const {
    return what_.forward ? weighted_squares(width_, of.memory, of.reals, of.weight) : 0;
  }

  precision width_;
  peer_transform what_;
  int rank_;
};

}  // namespace weft::tool::peers
