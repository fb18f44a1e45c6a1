// SPDX-License-Identifier: BSD-3-Clause
// What an exchange engine is: a row of functions. Describing an exchange is pure; opening it makes what moves data.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/geometry.hpp"

namespace weft::exchange {

class channel;
struct company;

struct engine {
  std::string_view name;
  /// What it is like, for prices: it leaves arrays as they are; its two images are one, in shared memory; the
  /// `from` image is needed until the consumer is done; the number of parts can be tuned.
  bool plain = false, shares = false, lingers = false, cuts = false;
  /// What goes from one node to another leaves together.
  bool gathers = false;
  /// It sends other nodes nothing that MPI asks for first (parts.hpp).
  bool in_pieces = false;
  /// It moves arrays in a device's memory. The others reach such memory only where MPI does.
  bool on_device = false;
  /// It touches arrays through MPI and whoever copies for it alone, and so reaches a device's where MPI does.
  bool any_memory = false;
  /// Of those on devices: it copies by way of the host; it needs a card for each rank.
  bool by_way_of_host = false, own_card = false;
  /// It works only where all ranks share a node.
  bool one_node = false;
  /// Why it is not there, where something may be missing that it needs; null, or empty: it is.
  std::string (*missing)() = nullptr;
  /// Numbers of this rank whose maximum over all ranks the two functions below must know; null: none.
  std::vector<integer> (*facts)(const exchange_problem&);
  /// The ways in which it can do the exchange, as numbers that only it understands: the fastest first, later ones need
  /// less memory and take more trouble, as much as their number says. The same on every rank.
  std::vector<int> (*ways)(const exchange_problem&);
  geometry (*describe)(const exchange_problem&, int way, std::span<const integer> agreed);
  /// Those of which opening it needs communicators; null: none.
  std::vector<rank_group> (*groups)(const exchange_problem&, const geometry&);
  /// Not collective, and communicates with nobody.
  std::unique_ptr<channel> (*open)(const exchange_problem&, const geometry&, const company&);
};

/// The engines of this build that need only MPI, best for messages first; a new one is one line in table.cpp.
[[nodiscard]] std::span<const engine* const> engines();
/// Those for arrays in a device's memory, best first.
[[nodiscard]] std::span<const engine* const> device_engines();
/// Throws name_error for an unknown name; "auto" is the first.
[[nodiscard]] const engine& engine_named(std::string_view name);

}  // namespace weft::exchange
