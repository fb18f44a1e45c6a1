// SPDX-License-Identifier: BSD-3-Clause
#include "run/drafter.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft::run {

namespace {

using exchange::plain_image;

plain_image image_of(const layout& of, const described_array& array) {
  const auto bytes = static_cast<integer>(array.bytes);
  return {byte_strides(of, array.bytes), of.offset * bytes, span_of(of, array.shape) * bytes};
}

/// Those of `axes` axes that are not transformed.
std::vector<int> axes_besides(std::span<const local::axis_transform> transforms, int axes) {
  std::vector<int> left;
  for (int l = 0; l < axes; ++l) {
    if (std::ranges::find(transforms, l, &local::axis_transform::axis) == transforms.end()) left.push_back(l);
  }
  return left;
}

}  // namespace

extents byte_strides(const layout& of, std::size_t element_bytes) {
  extents strides = of.strides;
  for (auto& s : strides) s *= static_cast<integer>(element_bytes);
  return strides;
}

drafter::drafter(const schedule& s, const binding& how)
    : schedule_(s), how_(how), groups_(groups_of(s, how.rank)), agreed_(how.exchanges.size()) {
  if (how.exchanges.size() + 1 != groups_.size()) {
    throw internal_error(std::to_string(how.exchanges.size()) + " exchange engines for '" + to_text(s) + "'");
  }
  input_ = describe(groups_.front().arrives);
  output_ = describe(groups_.back().leaves);
  input_layout_ = resolved(how.input_layout, input_.shape);
  output_layout_ = resolved(how.output_layout, output_.shape);
}

std::vector<long long> drafter::facts() const {
  std::vector<long long> numbers{input_layout_ != output_layout_};
  for (std::size_t i = 0; i < exchanges(); ++i) {
    if (how_.exchanges[i]->facts == nullptr) continue;
    for (const integer fact : how_.exchanges[i]->facts(problem_of(i, false))) numbers.push_back(fact);
  }
  return numbers;
}

void drafter::learn(std::span<const long long> largest) {
  layouts_differ_ = largest[0] != 0;
  auto next = largest.begin() + 1;
  for (std::size_t i = 0; i < exchanges(); ++i) {
    if (how_.exchanges[i]->facts == nullptr) continue;
    const auto count = static_cast<std::ptrdiff_t>(how_.exchanges[i]->facts(problem_of(i, false)).size());
    agreed_[i].assign(next, next + count);
    next += count;
  }
}

draft_list drafter::make(const variant& wanted) {
  final_copy_ = wanted.final_copy;
  drafts_ = {};
  for (std::size_t i = 0; i < exchanges(); ++i) drafts_.exchanges.push_back(planned(i, wanted));
  drafts_.arrays.assign(1, {input_.total(), true, how_.in_place});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    add_passes(g);
    if (g < exchanges()) add_exchange(g);
  }
  if (final_copy_) add_final_copy();
  return std::move(drafts_);
}

/// Whether the array could stay in shared memory where the exchange before left it, because transforms leave its
/// shape and the size of its elements alone.
bool drafter::may_stay(std::size_t i) const {
  return i > 0 && how_.exchanges[i]->shares && how_.exchanges[i - 1]->shares && !groups_[i].cuts() &&
         groups_[i].arrives.at == groups_[i].leaves.at && groups_[i].arrives.element == groups_[i].leaves.element;
}

std::vector<int> drafter::ways(std::size_t exchange, bool final_copy) const {
  auto problem = problem_of(exchange, final_copy);
  if (may_stay(exchange))
    problem.stays_at = problem.from;  // or elsewhere: that does not change how many ways there are
  return how_.exchanges[exchange]->ways(problem);
}

std::shared_ptr<const planned_exchange> drafter::planned(std::size_t i, const variant& wanted) {
  std::optional<distribution> stays_at;
  if (may_stay(i)) stays_at = geometry_at(i - 1).home;
  const auto known = std::ranges::find_if(known_, [&](const described& k) {
    return k.exchange == i && k.way == wanted.ways[i] && k.final_copy == wanted.final_copy &&
           k.how->problem.stays_at == stays_at;
  });
  if (known != known_.end()) return known->how;
  auto result = std::make_shared<planned_exchange>();
  result->by = how_.exchanges[i];
  result->problem = problem_of(i, wanted.final_copy);
  result->problem.stays_at = std::move(stays_at);
  result->agreed = agreed_[i];
  result->how = result->by->describe(result->problem, wanted.ways[i], result->agreed);
  known_.push_back({i, wanted.ways[i], wanted.final_copy, result});
  return result;
}

integer drafter::largest_array() const {
  integer most = 0;
  for (const auto& g : groups_) most = std::max({most, describe(g.arrives).total(), describe(g.leaves).total()});
  return most;
}

described_array drafter::describe(const station& p) const {
  const std::size_t bytes = how_.element_bytes != 0 ? how_.element_bytes : bytes_of(p.element, how_.element);
  return {p.at.local_shape(how_.rank), bytes};
}

/// Whether exchange `i` moves narrow elements. Where peers reach into each other's memory, nothing travels.
bool drafter::is_narrow(std::size_t i) const { return how_.narrow_messages && !how_.exchanges[i]->shares; }

/// What exchange `i` takes and what it brings, with the elements that it moves.
described_array drafter::sent(std::size_t i) const {
  auto array = describe(groups_[i].leaves);
  array.bytes >>= unsigned{is_narrow(i)};
  return array;
}
described_array drafter::received(std::size_t i) const {
  auto array = describe(groups_[i + 1].arrives);
  array.bytes >>= unsigned{is_narrow(i)};
  return array;
}

/// Whether the producer of exchange `i` could store straight into its peers' output arrays. What the last
/// group transforms, if anything, it then transforms in place.
bool drafter::pushes_output(std::size_t i, bool final_copy) const {
  const group& last = groups_.back();
  return how_.shared_arrays && !is_narrow(i) && !final_copy && i + 2 == groups_.size() &&
         last.before.element == last.after.element && last.before.at.shape() == last.after.at.shape() && !last.cuts() &&
         !last.views_sink();
}

exchange::exchange_problem drafter::problem_of(std::size_t i, bool final_copy) const {
  const auto from = sent(i), to = received(i);
  const bool first = i == 0 && groups_[i].only_moves() && !is_narrow(i);
  // The last image is the output itself where that has its shape, so that what follows, if
  // anything does, can work in place there.
  const bool last =
      i + 2 == groups_.size() && !is_narrow(i) && !final_copy && to.shape == output_.shape && to.bytes == output_.bytes;
  exchange::exchange_problem problem;
  problem.from = groups_[i].leaves.at;
  problem.to = groups_[i + 1].arrives.at;
  problem.rank = how_.rank;
  problem.ranks = how_.ranks;
  problem.element_bytes = from.bytes;
  problem.from_image = image_of(first ? input_layout_ : row_major(from.shape), from);
  problem.to_image = image_of(last ? output_layout_ : row_major(to.shape), to);
  problem.nodes = how_.nodes;
  problem.count_limit = how_.count_limit;
  problem.cells_per_box = how_.cells_per_box;
  problem.patience = how_.patience;
  problem.parts = how_.parts;
  problem.producer_axes = axes_left_alone(i);
  problem.consumer_axes = axes_to_follow(i + 1);
  problem.into_output = pushes_output(i, final_copy);
  return problem;
}

/// How many of `rest`, transforms of group `g`, its next pass does. The transformed axes are whole on
/// the ranks that own anything; the others must count passes alike.
std::size_t drafter::next_pass(std::size_t g, std::span<const local::axis_transform> rest) const {
  if (rest.empty()) return 0;
  const bool halves = describe(groups_[g].before).bytes < describe(groups_[g].after).bytes;
  extents whole_shape = (halves ? groups_[g].after : groups_[g].before).at.shape();
  // A tile has room for all positions of a line.
  for (const auto& t : rest) {
    integer& extent = whole_shape[static_cast<std::size_t>(t.axis)];
    extent += (halves ? t.absent_out : t.absent_in).count();
  }
  return how_.local->transforms_in_one_pass(rest, whole_shape, how_.element);
}

/// The axes that the pass which stores for exchange `g`, in pieces, does not transform. It sees those of digits, if
/// it does, under other numbers: none then.
std::vector<int> drafter::axes_left_alone(std::size_t g) const {
  if (groups_[g].views_sink() && !copies_sink(g)) return {};
  auto last = std::span<const local::axis_transform>(groups_[g].transforms);
  if (copies_sink(g)) last = {};
  for (std::size_t n = next_pass(g, last); n < last.size(); n = next_pass(g, last)) last = last.subspan(n);
  return axes_besides(last, groups_[g].leaves.at.axes());
}

/// The axes that the pass which loads for group `g`, in pieces, does not transform. It sees those of digits, if it
/// does, under other numbers: none then.
std::vector<int> drafter::axes_to_follow(std::size_t g) const {
  if (groups_[g].views_source() && !copies_source(g)) return {};
  auto first = std::span<const local::axis_transform>(groups_[g].transforms);
  first = first.first(copies_source(g) ? 0 : next_pass(g, first));
  return axes_besides(first, groups_[g].arrives.at.axes());
}

}  // namespace weft::run
