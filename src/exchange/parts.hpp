// SPDX-License-Identifier: BSD-3-Clause
// Messages in parts: the array that a rank receives is cut along one axis, and so are the messages that bring it.
#pragma once

#include <vector>

#include "exchange/geometry.hpp"

namespace weft::exchange {

/// Into how many parts an array should be cut that comes from so many ranks, some of them of other nodes or none, rows
/// permitting.
[[nodiscard]] integer parts_of(integer array_bytes, integer peers, bool between_nodes);
/// Whether this rank gets anything from another node.
[[nodiscard]] bool leaves_node(const exchange_problem& problem);

/// What MPI sends without asking: over TCP, Open MPI does so with 64 KiB, its own words included.
constexpr integer unasked_bytes = integer{60} << 10;
/// Cuts what goes to ranks of other nodes, and comes from them, into pieces that MPI sends without asking the receiver
/// first. Those arrive one after the other. Of what it asks for, the questions, the answers and the word that a message
/// is complete queue behind the data of all others on the same connection: messages that were begun together end
/// together, and nothing of the last one is hidden behind what is done with the first.
void divide_between_nodes(geometry& g, const exchange_problem& problem);

/// Into how many parts `pipelined` cuts messages of so many bytes in all, unless told otherwise.
constexpr integer most_usual_parts = 8;
constexpr integer least_part_bytes = integer{64} << 10;
[[nodiscard]] double usual_parts_of(double bytes, integer messages);

/// The axis along which messages are best cut into parts that leave while the producer runs, -1 if it has none to run
/// through slowest. The same on all ranks.
[[nodiscard]] int axis_of_parts(const exchange_problem& problem, integer most_parts);
/// The rows begin .. begin+count-1 of a message along an axis on which it has one piece.
[[nodiscard]] message rows_of(message m, std::size_t axis, integer begin, integer count);

/// How the arrays that ranks receive are cut, by positions along an axis that their consumers run through slowest.
/// Every rank knows it of all.
class cutting {
 public:
  /// `between_nodes`: whether any rank gets something from another node.
  cutting(const exchange_problem& problem, bool between_nodes);

  /// Without one, nothing is cut, and this is 0.
  [[nodiscard]] std::size_t axis() const { return axis_; }
  /// Where the parts of `rank` begin, and where the last one ends.
  [[nodiscard]] std::vector<integer> bounds(int rank) const;
  /// Byte strides of what a message to `rank` holds of one part, a dense box.
  [[nodiscard]] extents strides(const extents& box, int rank) const;

 private:
  void choose_axis(const std::vector<int>& from);
  [[nodiscard]] integer rows_to_align(const extents& shape) const;

  distribution to_;
  integer element_bytes_, peers_;
  integer most_parts_;  // 0: any number
  bool between_nodes_;
  integer count_limit_;
  std::size_t axis_ = 0;
  bool cuts_ = false;
};

/// The numbers of the terms of `s` in begin .. end-1.
[[nodiscard]] slice terms_between(const slice& s, integer begin, integer end);

/// What a message holds of the part of its receiver's positions begin .. end-1 along `axis`; it may be nothing.
[[nodiscard]] message part_of(const message& m, std::size_t axis, integer begin, integer end);

}  // namespace weft::exchange
