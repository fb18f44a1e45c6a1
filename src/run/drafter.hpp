// From a schedule to drafts: exchanges tell the passes around them where to store and load.
#pragma once

#include <map>
#include <memory>
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

/// What may be done in another way to need less memory: for each exchange, another home in shared memory, or more
/// care with a receive buffer; and a copy at the end, so that the last step need not write over its source.
struct variant {
  bool final_copy = false;
  /// By exchange: 0 as usual; 1 at home where it goes to instead of where it comes from, or the reverse; 2 at home
  /// where the exchange before is. Or the number of a `care`.
  std::vector<int> changes;
};

class drafter {
 public:
  drafter(const schedule& s, const binding& how);

  /// Collective where an engine is. Drafts of several variants may share exchanges: before those of one run,
  /// choose() it again.
  [[nodiscard]] draft_list make(const variant& wanted);
  void choose(const variant& wanted);

  /// The changes that an exchange knows, the usual one included; the same on all ranks.
  [[nodiscard]] std::vector<int> changes(std::size_t exchange) const;
  [[nodiscard]] std::size_t exchanges() const { return groups_.size() - 1; }
  /// Bytes of the largest of the arrays between passes and exchanges.
  [[nodiscard]] integer largest_array() const;

 private:
  [[nodiscard]] described_array describe(const station& p) const;
  [[nodiscard]] bool plain(std::size_t i) const { return how_.exchanges[i]->plain(); }
  [[nodiscard]] bool shared(std::size_t i) const { return how_.exchanges[i]->shared(); }
  [[nodiscard]] bool pushes_output(std::size_t i) const;
  [[nodiscard]] std::size_t home_group(std::size_t i) const;
  [[nodiscard]] const distribution& home(std::size_t i) const;
  [[nodiscard]] std::shared_ptr<exchange::exchange> make_exchange(std::size_t i) const;
  [[nodiscard]] std::size_t next_pass(std::size_t g, std::span<const local::axis_transform> rest) const;
  [[nodiscard]] std::vector<int> axes_left_alone(std::size_t g) const;
  [[nodiscard]] std::vector<int> axes_to_follow(std::size_t g) const;
  [[nodiscard]] bool needs_no_pass(std::size_t g) const;
  [[nodiscard]] access_map final_map() const;
  [[nodiscard]] digit_order order_of(bool source) const;
  [[nodiscard]] bool copies_source(std::size_t g) const;
  [[nodiscard]] bool copies_sink(std::size_t g) const;
  [[nodiscard]] access_map seen(const access_map& whole, const station& digits, bool source) const;
  [[nodiscard]] access_map sink_of(std::size_t g) const;
  [[nodiscard]] local::pass_problem copy_problem(access_map from, access_map to, std::size_t bytes) const;
  [[nodiscard]] std::size_t last_transforming_group() const;
  [[nodiscard]] extents complex_side(const group& g) const;
  [[nodiscard]] buffer_need need(integer bytes, bool in_window) const;

  void add_passes(std::size_t g);
  void add_transforms(std::size_t g, access_map source, const access_map& sink, bool to_neighbour);
  void add_array_after(std::size_t g);
  void add_array(integer bytes, bool in_window) { made_.arrays.push_back(need(bytes, in_window)); }
  access_map add_copy_to_plain(const access_map& source, const described_array& array);
  void add_pass(local::pass_problem p, std::string name, const exchange::exchange* takes = nullptr);
  void add_exchange(std::size_t g);
  void add_final_copy();

  const schedule& schedule_;
  const binding& how_;
  std::vector<group> groups_;
  described_array input_, output_;
  layout input_layout_, output_layout_;
  bool one_node_ = false;  // all ranks share memory
  variant chosen_;
  /// Those that one end of the schedule, copied or not, makes: by exchange and home_group().
  std::vector<std::map<std::size_t, std::shared_ptr<exchange::exchange>>> known_;
  std::vector<std::shared_ptr<exchange::exchange>> exchanges_;  // chosen
  draft_list made_;
};

}  // namespace weft::run
