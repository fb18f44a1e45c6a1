// SPDX-License-Identifier: BSD-3-Clause
// From a schedule to drafts: exchanges tell the passes around them where to store and load.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/draft.hpp"
#include "run/groups.hpp"

namespace weft::run {

/// Extents and bytes per element.
struct described_array {
  extents shape;
  std::size_t bytes = 0;
  [[nodiscard]] integer total() const { return volume(shape) * static_cast<integer>(bytes); }
};

/// Strides of a layout in bytes.
[[nodiscard]] extents byte_strides(const layout& of, std::size_t element_bytes);

/// What may be done in another way to need less memory: for each exchange, one of its engine's ways; and a copy at the
/// end, so that the last step need not write over its source.
struct variant {
  bool final_copy = false;
  std::vector<int> ways;
};

class drafter {
 public:
  drafter(const schedule& s, const binding& how);

  /// Numbers of this rank, the largest of which over all ranks the rest must know: learn() them.
  [[nodiscard]] std::vector<long long> facts() const;
  void learn(std::span<const long long> largest);

  [[nodiscard]] draft_list make(const variant& wanted);

  /// The ways of an exchange; the same on all ranks.
  [[nodiscard]] std::vector<int> ways(std::size_t exchange, bool final_copy) const;
  [[nodiscard]] std::size_t exchanges() const { return groups_.size() - 1; }
  /// Bytes of the largest of the arrays between passes and exchanges.
  [[nodiscard]] integer largest_array() const;

 private:
  [[nodiscard]] described_array describe(const station& p) const;
  [[nodiscard]] bool is_narrow(std::size_t i) const;
  [[nodiscard]] described_array sent(std::size_t i) const;
  [[nodiscard]] described_array received(std::size_t i) const;
  [[nodiscard]] bool pushes_output(std::size_t i, bool final_copy) const;
  [[nodiscard]] bool may_stay(std::size_t i) const;
  [[nodiscard]] exchange::exchange_problem problem_of(std::size_t i, bool final_copy) const;
  [[nodiscard]] std::shared_ptr<const planned_exchange> planned(std::size_t i, const variant& wanted);
  [[nodiscard]] const exchange::geometry& geometry_at(std::size_t i) const { return drafts_.exchanges[i]->how; }
  [[nodiscard]] std::size_t next_pass(std::size_t g, std::span<const local::axis_transform> rest) const;
  [[nodiscard]] std::vector<int> axes_left_alone(std::size_t g) const;
  [[nodiscard]] std::vector<int> axes_to_follow(std::size_t g) const;
  [[nodiscard]] bool needs_no_pass(std::size_t g) const;
  [[nodiscard]] access_map final_map() const;
  [[nodiscard]] digit_order order_of(bool source) const;
  [[nodiscard]] bool sees_pieces(const station& digits, bool source) const;
  [[nodiscard]] bool copies_source(std::size_t g) const;
  [[nodiscard]] bool copies_sink(std::size_t g) const;
  [[nodiscard]] access_map seen(const access_map& whole, const station& digits, bool source) const;
  [[nodiscard]] image_map source_of(std::size_t g) const;
  [[nodiscard]] image_map sink_of(std::size_t g) const;
  [[nodiscard]] local::block_problem copy_problem(image_map from, image_map to, std::size_t bytes) const;
  [[nodiscard]] std::size_t last_transforming_group() const;
  [[nodiscard]] std::size_t first_transforming_group() const;
  void add_function(std::size_t g, bool first, bool last, local::pass_problem& p) const;
  void spread_modes(local::pass_problem& p) const;
  [[nodiscard]] buffer_need need(integer bytes, bool in_window) const;

  void add_passes(std::size_t g);
  void add_transforms(std::size_t g, image_map source, const image_map& sink, bool to_neighbour);
  void add_array_after(std::size_t g);
  void add_array(integer bytes, bool in_window) { drafts_.arrays.push_back(need(bytes, in_window)); }
  access_map add_copy_to_plain(const image_map& source, const described_array& array);
  void add_pass(local::block_problem p, std::string name, const exchange::geometry* takes = nullptr);
  void add_exchange(std::size_t g);
  void add_final_copy();

  const schedule& schedule_;
  const binding& how_;
  std::vector<group> groups_;
  described_array input_, output_;
  layout input_layout_, output_layout_;
  bool layouts_differ_ = false;               // on some rank
  std::vector<std::vector<integer>> agreed_;  // by exchange
  struct described {
    std::size_t exchange;
    int way;
    bool final_copy;
    std::shared_ptr<const planned_exchange> how;
  };
  std::vector<described> known_;  // variants share what they have in common
  bool final_copy_ = false;
  draft_list drafts_;
};

}  // namespace weft::run
