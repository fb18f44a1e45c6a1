// SPDX-License-Identifier: BSD-3-Clause
#include "run/drafter.hpp"

#include <algorithm>
#include <utility>

#include "run/element_indices.hpp"
#include "weft/error.hpp"

namespace weft::run {

namespace {

using exchange::plain_image;

extents byte_strides(const layout& of, std::size_t element_bytes) {
  extents strides = of.strides;
  for (auto& s : strides) s *= static_cast<integer>(element_bytes);
  return strides;
}

plain_image image_of(const layout& of, const described_array& array) {
  const auto bytes = static_cast<integer>(array.bytes);
  return {byte_strides(of, array.bytes), of.offset * bytes, span_of(of, array.shape) * bytes};
}

access_map map_of(const layout& of, const described_array& array) {
  return plain_map(array.shape, byte_strides(of, array.bytes), of.offset * static_cast<integer>(array.bytes));
}

/// Those of `axes` axes that are not transformed.
std::vector<int> axes_besides(std::span<const local::axis_transform> transforms, int axes) {
  std::vector<int> left;
  for (int l = 0; l < axes; ++l) {
    if (std::ranges::find(transforms, l, &local::axis_transform::axis) == transforms.end()) left.push_back(l);
  }
  return left;
}

std::string text_of(const local::pass_problem& p) {
  transform_stage transformed;
  twiddle_stage twiddled;
  for (const auto& t : p.transforms) transformed.axes.push_back(t.axis);
  for (const auto* list : {&p.loading, &p.storing}) {
    for (const auto& o : *list) {
      if (const auto* turn = std::get_if<local::turning>(&o)) twiddled.axes.push_back(turn->axis);
    }
  }
  return to_text(stage(transformed)) + (twiddled.axes.empty() ? "" : " " + to_text(stage(twiddled)));
}

}  // namespace

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
  if (groups_[g].views_sink() && !reverses_sink(g)) return {};
  auto last = std::span<const local::axis_transform>(groups_[g].transforms);
  if (reverses_sink(g)) last = {};
  for (std::size_t n = next_pass(g, last); n < last.size(); n = next_pass(g, last)) last = last.subspan(n);
  return axes_besides(last, groups_[g].leaves.at.axes());
}

/// The axes that the pass which loads for group `g`, in pieces, does not transform. It sees those of digits, if it
/// does, under other numbers: none then.
std::vector<int> drafter::axes_to_follow(std::size_t g) const {
  if (groups_[g].views_source() && !reverses_source(g)) return {};
  auto first = std::span<const local::axis_transform>(groups_[g].transforms);
  first = first.first(reverses_source(g) ? 0 : next_pass(g, first));
  return axes_besides(first, groups_[g].arrives.at.axes());
}

/// Whether group `g`, which transforms nothing, needs no pass: its two neighbours meet in one array.
bool drafter::needs_no_pass(std::size_t g) const {
  if (!groups_[g].only_moves()) return false;
  if (groups_.size() == 1) return how_.in_place && !layouts_differ_;
  if ((g > 0 && is_narrow(g - 1)) != (g + 1 < groups_.size() && is_narrow(g))) return false;
  if (g == 0) return geometry_at(0).from_is_array && (!geometry_at(0).one_image || how_.shared_arrays);
  const auto& before = geometry_at(g - 1);
  if (g + 1 == groups_.size()) return before.to_is_array && (!before.one_image || pushes_output(g - 1, final_copy_));
  return before.to_is_array && geometry_at(g).from_is_array && !before.one_image && !geometry_at(g).one_image;
}

access_map drafter::final_map() const {
  return map_of(final_copy_ ? row_major(output_.shape) : output_layout_, output_);
}

/// Digits stand in the order of the input before their transforms, reversed after.
digit_order drafter::order_of(bool source) const {
  return (schedule_.way == direction::forward) == source ? digit_order::first_leads : digit_order::last_leads;
}
/// Images in pieces cannot be seen as digits in reversed order: pieces of an axis are none of a digit. A copy of the
/// array is then seen so instead.
bool drafter::reverses_source(std::size_t g) const {
  return groups_[g].views_source() && order_of(true) == digit_order::last_leads && g > 0;
}
bool drafter::reverses_sink(std::size_t g) const {
  return groups_[g].views_sink() && order_of(false) == digit_order::last_leads && g + 1 < groups_.size();
}

access_map drafter::seen(const access_map& whole, const station& digits, bool source) const {
  const extents shape = digits.at.local_shape(how_.rank);
  if (const auto folded = fold_at(schedule_, digits, how_.rank)) {
    return folded_map(whole, digits.digits, shape, *folded, source ? fold_use::load : fold_use::store);
  }
  auto result = seen_as(whole, digits.digits, shape, order_of(source));
  if (!result) throw internal_error("a view of an image in pieces in '" + to_text(schedule_) + "'");
  return *std::move(result);
}

void drafter::add_passes(std::size_t g) {
  if (needs_no_pass(g)) return;
  const group& here = groups_[g];
  access_map source = g == 0 ? map_of(input_layout_, input_) : geometry_at(g - 1).source;
  if (reverses_source(g) && !geometry_at(g - 1).to_is_array) source = add_copy_to_plain(source, received(g - 1));
  if (here.views_source()) source = seen(source, here.before, true);
  if (!reverses_sink(g) || geometry_at(g).from_is_array) {
    add_transforms(g, std::move(source), here.views_sink() ? seen(sink_of(g), here.after, false) : sink_of(g), true);
    return;
  }
  const described_array middle = sent(g);
  const access_map plain_sink = map_of(row_major(middle.shape), middle);
  add_transforms(g, std::move(source), seen(plain_sink, here.after, false), false);
  add_array_after(g);
  auto p = copy_problem(plain_sink, sink_of(g), middle.bytes);
  p.telling = geometry_at(g).telling;
  add_pass(std::move(p), "pack", &geometry_at(g));
}

access_map drafter::sink_of(std::size_t g) const { return g + 1 == groups_.size() ? final_map() : geometry_at(g).sink; }

/// The array that a group leaves.
void drafter::add_array_after(std::size_t g) {
  if (g + 1 == groups_.size()) {
    add_array(final_copy_ ? output_.total() : integer{0}, false);
  } else {
    add_array(geometry_at(g).from_bytes, geometry_at(g).one_image);
  }
}

local::pass_problem drafter::copy_problem(access_map from, access_map to, std::size_t bytes) const {
  return {std::move(from), std::move(to), {}, how_.element, bytes, bytes, {}, {}, how_.threads, how_.cached_bytes};
}

access_map drafter::add_copy_to_plain(const access_map& source, const described_array& array) {
  access_map plain_sink = map_of(row_major(array.shape), array);
  add_array(array.total(), false);
  add_pass(copy_problem(source, plain_sink, array.bytes), "unpack");
  return plain_sink;
}

/// Passes from `source` to `sink`, which is the group's own or a plain array before a copy.
void drafter::add_transforms(std::size_t g, access_map source, const access_map& sink, bool to_neighbour) {
  const bool last = g + 1 == groups_.size();
  auto rest = std::span<const local::axis_transform>(groups_[g].transforms);
  auto source_bytes = g == 0 ? describe(groups_[g].before).bytes : received(g - 1).bytes;
  bool narrow_source = g > 0 && is_narrow(g - 1);
  extents between = describe(groups_[g].before).shape;
  const extents after = describe(groups_[g].after).shape;
  do {
    const std::size_t count = next_pass(g, rest);
    const bool done = count == rest.size();
    local::pass_problem p{std::move(source),
                          sink,
                          {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count)},
                          how_.element,
                          source_bytes,
                          last ? describe(groups_[g].after).bytes : sent(g).bytes,
                          local::along(rest.first(count), groups_[g].loading),
                          local::along(rest.first(count), groups_[g].storing),
                          how_.threads,
                          how_.cached_bytes};
    p.narrow_source = narrow_source;
    p.narrow_sink = done && !last && is_narrow(g);
    if (!done) {
      // Between two passes of a group the array is plain.
      for (const auto& t : p.transforms) {
        between[static_cast<std::size_t>(t.axis)] = after[static_cast<std::size_t>(t.axis)];
      }
      const described_array middle{between, bytes_of(row_of(p.transforms.back().kind).out, how_.element)};
      p.sink = map_of(row_major(middle.shape), middle);
      p.sink_bytes = middle.bytes;
      add_array(middle.total(), false);
    } else if (to_neighbour) {
      add_array_after(g);
    } else {
      add_array(sent(g).total(), false);
    }
    if (g == last_transforming_group() && done && how_.scale != 1) p.storing.emplace_back(local::scaling{how_.scale});
    if (how_.on_modes) add_function(g, rest.size() == groups_[g].transforms.size(), done, p);
    const std::string name = !p.transforms.empty() ? text_of(p)
                             : groups_.size() == 1 ? "copy"
                                                   : (g == 0 ? "pack" : "unpack");
    const bool for_exchange = done && to_neighbour && !last;
    if (for_exchange) p.telling = geometry_at(g).telling;
    source = p.sink;
    source_bytes = p.sink_bytes;
    narrow_source = p.narrow_sink;
    spread_modes(p);
    add_pass(std::move(p), name, for_exchange ? &geometry_at(g) : nullptr);
    rest = rest.subspan(count);
  } while (!rest.empty());
}

/// Lets the maps of a pass have all positions of its lines. Gaps are cleared by who drops modes.
void drafter::spread_modes(local::pass_problem& p) const {
  const bool forward = schedule_.way == direction::forward;
  for (const auto& t : p.transforms) {
    if (t.absent_in.empty() && t.absent_out.empty()) continue;
    const kept_modes kept = kept_of(schedule_, t.axis), given = given_of(schedule_, t.axis);
    const kept_modes &in = forward ? given : kept, &out = forward ? kept : given;
    if (!in.all()) p.source = spread(p.source, t.axis, in);
    if (out.gap) p.cleared.push_back(gap_of(p.sink, t.axis, out));
    if (!out.all()) p.sink = spread(p.sink, t.axis, out);
  }
}

void drafter::add_pass(local::pass_problem p, std::string name, const exchange::geometry* takes) {
  draft d;
  d.action.what = step::kind::pass;
  d.action.doing = p.transforms.empty() ? activity::copy : activity::transform;
  d.action.name = std::move(name);
  d.from = drafts_.arrays.size() - 2;
  if (!drafts_.steps.empty() && drafts_.steps.back().action.what == step::kind::start) {
    p.following = geometry_at(static_cast<std::size_t>(drafts_.steps.back().action.source.exchange)).following;
  }
  // A rank that has nothing writes over nothing.
  const bool idle = volume(p.source.shape) == 0 && volume(p.sink.shape) == 0;
  d.does.in_place = idle || local::safe_in_place(p);
  if (takes != nullptr) {
    // The `to` image is written with what stays on the rank, or by messages that arrive early.
    const bool early = takes->before == exchange::preparation::posting;
    d.does.writes_two = takes->keeps_own || early;
    d.does.keeps_place = !early && (idle || local::keeps_place(p, 1));
  }
  d.pass = std::move(p);
  drafts_.steps.push_back(std::move(d));
}

std::size_t drafter::last_transforming_group() const {
  std::size_t g = groups_.size() - 1;
  while (g > 0 && groups_[g].transforms.empty()) --g;
  return g;
}

std::size_t drafter::first_transforming_group() const {
  std::size_t g = 0;
  while (g + 1 < groups_.size() && groups_[g].transforms.empty()) ++g;
  return g;
}

/// Behind the last transform, or before the first one backward, to which functions of modes belong, `p` does them.
void drafter::add_function(std::size_t g, bool first, bool last, local::pass_problem& p) const {
  const bool forward = schedule_.way == direction::forward;
  if (forward ? g != last_transforming_group() || !last : g != first_transforming_group() || !first) return;
  const station& here = forward ? groups_[g].after : groups_[g].before;
  auto function = seen_by(how_.on_modes, schedule_, here, how_.rank);
  (forward ? p.sink_indices : p.source_indices) = seen_indices(schedule_, here, how_.rank, p.transforms);
  if (forward) {
    p.storing.emplace_back(std::move(function));
  } else {
    p.loading.emplace(p.loading.begin(), std::move(function));
  }
}

void drafter::add_exchange(std::size_t g) {
  const auto& how = geometry_at(g);
  draft d;
  d.action.what = step::kind::start;
  d.action.source.exchange = static_cast<int>(g);
  d.action.name = to_text(stage(redistribute_stage{groups_[g + 1].arrives.at}));
  d.from = drafts_.arrays.size() - 1;
  add_array(how.to_bytes, how.one_image);
  d.does.stays = how.one_image;
  d.does.lingers = how.lingers;
  drafts_.steps.push_back(std::move(d));
}

void drafter::add_final_copy() {
  auto p = copy_problem(map_of(row_major(output_.shape), output_), map_of(output_layout_, output_), output_.bytes);
  add_array(0, false);
  add_pass(std::move(p), "copy");
}

/// An array of `bytes`, which must lie in shared memory if `in_window`.
buffer_need drafter::need(integer bytes, bool in_window) const {
  const auto compact = [](const layout& l, const extents& shape) {
    return volume(shape) == 0 || l == row_major(shape);
  };
  const bool compact_input = compact(input_layout_, input_.shape),
             compact_output = compact(output_layout_, output_.shape);
  const bool reachable = !in_window || how_.shared_arrays;
  const integer room = how_.in_place ? std::max(input_.total(), output_.total()) : output_.total();
  return {bytes, how_.destroy_input && compact_input && reachable && bytes <= input_.total(),
          compact_output && (!how_.in_place || compact_input) && reachable && bytes <= room};
}

}  // namespace weft::run
