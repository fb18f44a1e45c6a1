#include "run/drafter.hpp"

#include <algorithm>
#include <utility>

#include "mpi/shared_memory.hpp"
#include "weft/error.hpp"

namespace weft::run {

namespace {

using exchange::plain_image;

/// Changes of shared exchanges.
constexpr int other_home = 1, home_before = 2;

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
    : schedule_(s), how_(how), groups_(groups_of(s, how.rank)), known_(how.exchanges.size()) {
  if (how.exchanges.size() + 1 != groups_.size()) {
    throw internal_error(std::to_string(how.exchanges.size()) + " exchange engines for '" + to_text(s) + "'");
  }
  input_ = describe(groups_.front().arrives);
  output_ = describe(groups_.back().leaves);
  input_layout_ = resolved(how.input_layout, input_.shape);
  output_layout_ = resolved(how.output_layout, output_.shape);
  if (std::ranges::any_of(how.exchanges, [](const exchange::engine* e) { return e->shared(); })) {
    one_node_ = mpi::node_of(*how.communicator, how.ranks_per_node).size() == how.communicator->size();
  }
}

draft_list drafter::make(const variant& wanted) {
  choose(wanted);
  made_ = {};
  made_.arrays.assign(1, {input_.total(), true, how_.in_place});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    add_passes(g);
    if (g < exchanges_.size()) add_exchange(g);
  }
  if (chosen_.final_copy) add_final_copy();
  return std::move(made_);
}

void drafter::choose(const variant& wanted) {
  exchanges_.clear();
  // Exchanges of plain arrays know the layouts of the user's. Making others again could be collective, and ranks
  // need not come here together.
  for (std::size_t i = 0; i < known_.size() && wanted.final_copy != chosen_.final_copy; ++i) {
    if (plain(i)) known_[i] = {};
  }
  chosen_ = wanted;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    auto& known = known_[i][home_group(i)];
    if (!known) known = make_exchange(i);
    known->take_care(static_cast<exchange::care>(chosen_.changes[i]));
    exchanges_.push_back(known);
  }
}

std::vector<int> drafter::changes(std::size_t exchange) const {
  constexpr auto apart = static_cast<int>(exchange::care::apart), late = static_cast<int>(exchange::care::late),
                 held = static_cast<int>(exchange::care::held);
  if (plain(exchange) || (shared(exchange) && !one_node_)) return {0};
  const auto& by = *how_.exchanges[exchange];
  if (by.lingers()) return {0, apart, late, held};
  if (!shared(exchange)) return by.starts_early() ? std::vector{0, late, held} : std::vector{0, held};
  // The array may stay where it is through transforms that leave its shape and the size of its elements alone.
  const group& producer = groups_[exchange];
  const bool may_stay = exchange > 0 && shared(exchange - 1) && producer.arrives.at == producer.leaves.at &&
                        producer.arrives.element == producer.leaves.element;
  return may_stay ? std::vector{0, other_home, home_before} : std::vector{0, other_home};
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

/// Whether the producer of exchange `i` could store straight into its peers' output arrays. What the last
/// group transforms, if anything, it then transforms in place.
bool drafter::pushes_output(std::size_t i) const {
  const group& last = groups_.back();
  return how_.shared_arrays && !chosen_.final_copy && i + 2 == groups_.size() &&
         last.before.element == last.after.element && !last.views_sink();
}

/// The group whose array the image of exchange `i` is, if it is shared: what that leaves or, beyond the exchange, what
/// arrives there.
std::size_t drafter::home_group(std::size_t i) const {
  if (!shared(i)) return i;
  if (chosen_.changes[i] == home_before) return home_group(i - 1);
  return pushes_output(i) != (chosen_.changes[i] == other_home) ? i + 1 : i;
}

const distribution& drafter::home(std::size_t i) const {
  const std::size_t g = home_group(i);
  return g <= i ? groups_[g].leaves.at : groups_[g].arrives.at;
}

std::shared_ptr<exchange::exchange> drafter::make_exchange(std::size_t i) const {
  const auto from = describe(groups_[i].leaves), to = describe(groups_[i + 1].arrives);
  const bool first = i == 0 && groups_[i].only_moves();
  // The last image is the output itself where that has its shape, so that what follows, if
  // anything does, can work in place there.
  const bool last =
      i + 2 == groups_.size() && !chosen_.final_copy && to.shape == output_.shape && to.bytes == output_.bytes;
  exchange::exchange_problem problem;
  problem.from = groups_[i].leaves.at;
  problem.to = groups_[i + 1].arrives.at;
  problem.rank = how_.rank;
  problem.element_bytes = from.bytes;
  problem.from_image = image_of(first ? input_layout_ : row_major(from.shape), from);
  problem.to_image = image_of(last ? output_layout_ : row_major(to.shape), to);
  problem.communicator = how_.communicator;
  problem.hub = how_.hub;
  problem.count_limit = how_.count_limit;
  problem.parts = how_.parts;
  problem.home = home(i);
  problem.ranks_per_node = how_.ranks_per_node;
  problem.producer_axes = axes_left_alone(i);
  problem.consumer_axes = axes_to_follow(i + 1);
  return how_.exchanges[i]->make(problem);
}

/// How many of `rest`, transforms of group `g`, its next pass does. The transformed axes are whole on
/// the ranks that own anything; the others must count passes alike.
std::size_t drafter::next_pass(std::size_t g, std::span<const local::axis_transform> rest) const {
  if (rest.empty()) return 0;
  const bool halves = describe(groups_[g].before).bytes < describe(groups_[g].after).bytes;
  const extents& whole_shape = (halves ? groups_[g].after : groups_[g].before).at.shape();
  return how_.local->transforms_in_one_pass(rest, whole_shape, how_.element);
}

/// The axes that the pass which stores for exchange `g` does not transform. It sees those of digits, if
/// it does, under other numbers: none then.
std::vector<int> drafter::axes_left_alone(std::size_t g) const {
  if (groups_[g].views_sink() && !copies_sink(g)) return {};
  auto last = std::span<const local::axis_transform>(groups_[g].transforms);
  if (copies_sink(g)) last = {};
  for (std::size_t n = next_pass(g, last); n < last.size(); n = next_pass(g, last)) last = last.subspan(n);
  return axes_besides(last, groups_[g].leaves.at.axes());
}

/// The axes that the pass which loads for group `g` does not transform. It sees those of digits, if it does,
/// under other numbers: none then.
std::vector<int> drafter::axes_to_follow(std::size_t g) const {
  if (groups_[g].views_source() && !copies_source(g)) return {};
  auto first = std::span<const local::axis_transform>(groups_[g].transforms);
  first = first.first(copies_source(g) ? 0 : next_pass(g, first));
  return axes_besides(first, groups_[g].arrives.at.axes());
}

/// Whether group `g`, which transforms nothing, needs no pass: its two neighbours meet in one array.
bool drafter::needs_no_pass(std::size_t g) const {
  if (!groups_[g].only_moves()) return false;
  if (groups_.size() == 1) return how_.in_place && input_layout_ == output_layout_;
  if (g == 0) return plain(0) || (shared(0) && how_.shared_arrays && home(0) == groups_[0].leaves.at);
  if (g + 1 == groups_.size())
    return plain(g - 1) || (shared(g - 1) && pushes_output(g - 1) && home(g - 1) == groups_[g].arrives.at);
  return plain(g - 1) && plain(g);
}

access_map drafter::final_map() const {
  return map_of(chosen_.final_copy ? row_major(output_.shape) : output_layout_, output_);
}

/// Digits stand in the order of the input before their transforms, reversed after.
digit_order drafter::order_of(bool source) const {
  return (schedule_.way == direction::forward) == source ? digit_order::first_leads : digit_order::last_leads;
}
/// Images other than plain arrays cannot be seen as digits in reversed order: pieces of an axis are none
/// of its digits. A copy through a plain array then comes between. All ranks must decide alike.
bool drafter::copies_source(std::size_t g) const {
  return groups_[g].views_source() && order_of(true) == digit_order::last_leads && g > 0 && !plain(g - 1);
}
bool drafter::copies_sink(std::size_t g) const {
  return groups_[g].views_sink() && order_of(false) == digit_order::last_leads && g + 1 < groups_.size() && !plain(g);
}

access_map drafter::seen(const access_map& whole, const station& digits, bool source) const {
  const extents shape = digits.at.local_shape(how_.rank);
  if (const auto folded = fold_at(schedule_, digits, how_.rank)) {
    return folded_map(whole, digits.digits, shape, *folded, source ? fold_use::load : fold_use::store);
  }
  auto made = seen_as(whole, digits.digits, shape, order_of(source));
  if (!made) throw internal_error("a view of an image in pieces in '" + to_text(schedule_) + "'");
  return *std::move(made);
}

void drafter::add_passes(std::size_t g) {
  if (needs_no_pass(g)) return;
  const group& here = groups_[g];
  access_map source = g == 0 ? map_of(input_layout_, input_) : exchanges_[g - 1]->source();
  if (copies_source(g)) source = add_copy_to_plain(source, describe(here.arrives));
  if (here.views_source()) source = seen(source, here.before, true);
  if (!copies_sink(g)) {
    add_transforms(g, std::move(source), here.views_sink() ? seen(sink_of(g), here.after, false) : sink_of(g), true);
    return;
  }
  const described_array middle = describe(here.leaves);
  const access_map plain_sink = map_of(row_major(middle.shape), middle);
  add_transforms(g, std::move(source), seen(plain_sink, here.after, false), false);
  add_array_after(g);
  auto p = copy_problem(plain_sink, sink_of(g), middle.bytes);
  p.telling = exchanges_[g]->telling();
  add_pass(std::move(p), "pack", exchanges_[g].get());
}

access_map drafter::sink_of(std::size_t g) const {
  return g + 1 == groups_.size() ? final_map() : exchanges_[g]->sink();
}

/// The array that a group leaves.
void drafter::add_array_after(std::size_t g) {
  if (g + 1 == groups_.size()) {
    add_array(chosen_.final_copy ? output_.total() : integer{0}, false);
  } else {
    add_array(exchanges_[g]->from_bytes(), shared(g));
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
  auto source_bytes = describe(groups_[g].before).bytes;
  const auto complex_shape = complex_side(groups_[g]);
  do {
    const std::size_t count = next_pass(g, rest);
    const bool done = count == rest.size();
    local::pass_problem p{std::move(source),
                          sink,
                          {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count)},
                          how_.element,
                          source_bytes,
                          describe(groups_[g].after).bytes,
                          local::along(rest.first(count), groups_[g].loading),
                          local::along(rest.first(count), groups_[g].storing),
                          how_.threads,
                          how_.cached_bytes};
    if (!done) {
      // Between two passes of a group the array is plain.
      const described_array middle{complex_shape, bytes_of(row_of(p.transforms.back().kind).out, how_.element)};
      p.sink = map_of(row_major(middle.shape), middle);
      p.sink_bytes = middle.bytes;
      add_array(middle.total(), false);
    } else if (to_neighbour) {
      add_array_after(g);
    } else {
      add_array(describe(groups_[g].leaves).total(), false);
    }
    if (g == last_transforming_group() && done && how_.scale != 1) p.storing.emplace_back(local::scaling{how_.scale});
    const std::string name = !p.transforms.empty() ? text_of(p)
                             : groups_.size() == 1 ? "copy"
                                                   : (g == 0 ? "pack" : "unpack");
    const bool for_exchange = done && to_neighbour && !last;
    if (for_exchange) p.telling = exchanges_[g]->telling();
    source = p.sink;
    source_bytes = p.sink_bytes;
    add_pass(std::move(p), name, for_exchange ? exchanges_[g].get() : nullptr);
    rest = rest.subspan(count);
  } while (!rest.empty());
}

void drafter::add_pass(local::pass_problem p, std::string name, const exchange::exchange* takes) {
  draft d;
  d.made.what = step::kind::pass;
  d.made.doing = p.transforms.empty() ? activity::copy : activity::transform;
  d.made.name = std::move(name);
  d.from = made_.arrays.size() - 2;
  if (const auto* const before = made_.steps.empty() ? nullptr : made_.steps.back().made.moved.get()) {
    p.following = before->following();
  }
  d.in_place = local::safe_in_place(p);
  if (takes != nullptr) {
    // The `to` image is written with what stays on the rank, or by messages that arrive early.
    d.writes_two = takes->keeps_own() || takes->starts_early();
    d.keeps_place = !takes->starts_early() && local::keeps_place(p, 1);
  }
  d.pass = std::move(p);
  made_.steps.push_back(std::move(d));
}

std::size_t drafter::last_transforming_group() const {
  std::size_t g = groups_.size() - 1;
  while (g > 0 && groups_[g].transforms.empty()) --g;
  return g;
}

extents drafter::complex_side(const group& g) const {
  const auto before = describe(g.before), after = describe(g.after);
  return before.bytes < after.bytes ? after.shape : before.shape;
}

void drafter::add_exchange(std::size_t g) {
  draft d;
  d.made.what = step::kind::start;
  d.made.moved = exchanges_[g];
  d.made.name = to_text(stage(redistribute_stage{groups_[g + 1].arrives.at}));
  d.from = made_.arrays.size() - 1;
  add_array(exchanges_[g]->to_bytes(), shared(g));
  d.stays = shared(g);
  d.lingers = exchanges_[g]->lingers();
  // A producer that stores into its peers' memory must know that they expect it; messages that leave
  // while it runs want their receives posted.
  d.prepares = (shared(g) && home(g) != groups_[g].leaves.at) || exchanges_[g]->starts_early();
  made_.steps.push_back(std::move(d));
}

void drafter::add_final_copy() {
  auto p = copy_problem(map_of(row_major(output_.shape), output_), map_of(output_layout_, output_), output_.bytes);
  add_array(0, false);
  add_pass(std::move(p), "copy");
}

/// An array of `bytes`, which must lie in shared memory if `in_window`.
buffer_need drafter::need(integer bytes, bool in_window) const {
  const auto compact = [](const layout& l, const extents& shape) { return l == row_major(shape); };
  const bool compact_input = compact(input_layout_, input_.shape),
             compact_output = compact(output_layout_, output_.shape);
  const bool reachable = !in_window || how_.shared_arrays;
  const integer room = how_.in_place ? std::max(input_.total(), output_.total()) : output_.total();
  return {bytes, how_.destroy_input && compact_input && reachable && bytes <= input_.total(),
          compact_output && (!how_.in_place || compact_input) && reachable && bytes <= room};
}

}  // namespace weft::run
