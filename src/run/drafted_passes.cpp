// SPDX-License-Identifier: BSD-3-Clause
// The passes that a drafter makes, and the arrays between them.
#include <algorithm>
#include <utility>

#include "index/chain.hpp"
#include "run/drafter.hpp"
#include "run/element_indices.hpp"
#include "weft/error.hpp"

namespace weft::run {

namespace {

access_map map_of(const layout& of, const described_array& array) {
  return plain_map(array.shape, byte_strides(of, array.bytes), of.offset * static_cast<integer>(array.bytes));
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

/// Digits stand in the order of the input before their transforms where they ascend, reversed after.
digit_order drafter::order_of(bool source) const {
  return digits_ascend(schedule_) == source ? digit_order::first_leads : digit_order::last_leads;
}
/// Images in pieces cannot be seen as digits in reversed order, nor where ranks have several indices of more than one
/// digit: pieces of an axis are none of a digit. All ranks decide by what the first has, which has most.
bool drafter::sees_pieces(const station& digits, bool source) const {
  if (order_of(source) == digit_order::last_leads) return false;
  const int first = first_rank(digits.at);
  if (cosine_order_at(schedule_, digits, first)) return false;
  if (fold_at(schedule_, digits, first)) return true;
  const extents shape = digits.at.local_shape(first);
  auto next = shape.begin();
  return std::ranges::all_of(digits.digits, [&](const extents& sizes) {
    const auto end = next + std::ssize(sizes);
    return std::count_if(std::exchange(next, end), end, [](integer n) { return n > 1; }) <= 1;
  });
}
/// A copy of the array is then seen so instead.
bool drafter::copies_source(std::size_t g) const {
  return groups_[g].views_source() && g > 0 && !sees_pieces(groups_[g].before, true);
}
bool drafter::copies_sink(std::size_t g) const {
  return groups_[g].views_sink() && g + 1 < groups_.size() && !sees_pieces(groups_[g].after, false);
}

access_map drafter::seen(const access_map& whole, const station& digits, bool source) const {
  const extents shape = digits.at.local_shape(how_.rank);
  if (const auto folded = fold_at(schedule_, digits, how_.rank)) {
    return folded_map(whole, digits.digits, shape, *folded, source ? fold_use::load : fold_use::store);
  }
  if (const auto order = cosine_order_at(schedule_, digits, how_.rank)) {
    return cosine_map(whole, digits.digits, shape, *order, order_of(source));
  }
  auto result = seen_as(whole, digits.digits, shape, order_of(source));
  if (!result) throw internal_error("a view of an image in pieces in '" + to_text(schedule_) + "'");
  return *std::move(result);
}

void drafter::add_passes(std::size_t g) {
  if (needs_no_pass(g)) return;
  const group& here = groups_[g];
  image_map source = source_of(g);
  if (copies_source(g) && !geometry_at(g - 1).to_is_array) source = add_copy_to_plain(source, received(g - 1));
  if (here.views_source()) source.whole = seen(source.whole, here.before, true);
  if (!copies_sink(g) || geometry_at(g).from_is_array) {
    image_map sink = sink_of(g);
    if (here.views_sink()) sink.whole = seen(sink.whole, here.after, false);
    return add_transforms(g, std::move(source), sink, true);
  }
  const described_array middle = sent(g);
  const access_map plain_sink = map_of(row_major(middle.shape), middle);
  add_transforms(g, std::move(source), seen(plain_sink, here.after, false), false);
  add_array_after(g);
  auto p = copy_problem(plain_sink, sink_of(g), middle.bytes);
  p.scattered_from = plain_sink;
  p.telling = geometry_at(g).telling;
  add_pass(std::move(p), "pack", &geometry_at(g));
}

/// What a group loads through. Of an image in blocks, `whole` is the plain array that they are gathered in.
image_map drafter::source_of(std::size_t g) const {
  if (g == 0) return map_of(input_layout_, input_);
  image_map source = geometry_at(g - 1).source;
  if (source.in_blocks()) source.whole = map_of(row_major(source.whole.shape), received(g - 1));
  return source;
}

/// What it stores through, likewise.
image_map drafter::sink_of(std::size_t g) const {
  if (g + 1 == groups_.size()) return final_map();
  image_map sink = geometry_at(g).sink;
  if (sink.in_blocks()) sink.whole = map_of(row_major(sink.whole.shape), sent(g));
  return sink;
}

/// The array that a group leaves.
void drafter::add_array_after(std::size_t g) {
  if (g + 1 == groups_.size()) {
    add_array(final_copy_ ? output_.total() : integer{0}, false);
  } else {
    add_array(geometry_at(g).from_bytes, geometry_at(g).one_image);
  }
}

local::block_problem drafter::copy_problem(image_map from, image_map to, std::size_t bytes) const {
  local::block_problem p;
  p.source = std::move(from.whole);
  p.gathered = std::move(from.blocks);
  p.sink = std::move(to.whole);
  p.scattered = std::move(to.blocks);
  p.element = how_.element;
  p.source_bytes = p.sink_bytes = bytes;
  p.threads = how_.threads;
  p.cached_bytes = how_.cached_bytes;
  p.streams_in_place = how_.streams_in_place;
  return p;
}

access_map drafter::add_copy_to_plain(const image_map& source, const described_array& array) {
  access_map plain_sink = map_of(row_major(array.shape), array);
  add_array(array.total(), false);
  auto p = copy_problem(source, plain_sink, array.bytes);
  p.gathered_in = plain_sink;
  add_pass(std::move(p), "unpack");
  return plain_sink;
}

/// Passes from `source` to `sink`, which is the group's own or a plain array before a copy.
void drafter::add_transforms(std::size_t g, image_map source, const image_map& sink, bool to_neighbour) {
  const bool last = g + 1 == groups_.size();
  auto rest = std::span<const local::axis_transform>(groups_[g].transforms);
  auto source_bytes = g == 0 ? describe(groups_[g].before).bytes : received(g - 1).bytes;
  bool narrow_source = g > 0 && is_narrow(g - 1);
  extents between = describe(groups_[g].before).shape;
  const extents after = describe(groups_[g].after).shape;
  do {
    const std::size_t count = next_pass(g, rest);
    const bool done = count == rest.size();
    auto p = copy_problem(std::move(source), done ? sink : image_map(), source_bytes);
    if (!p.gathered.empty()) p.gathered_in = map_of(row_major(received(g - 1).shape), received(g - 1));
    if (!p.scattered.empty()) p.scattered_from = map_of(row_major(sent(g).shape), sent(g));
    p.transforms.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
    p.sink_bytes = last ? describe(groups_[g].after).bytes : sent(g).bytes;
    p.loading = local::along(rest.first(count), groups_[g].loading);
    p.storing = local::along(rest.first(count), groups_[g].storing);
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
  access_map filled = p.sink;
  for (auto& t : p.transforms) {
    if (t.absent_in.empty() && t.absent_out.empty()) continue;
    const kept_modes kept = kept_of(schedule_, t.axis), given = given_of(schedule_, t.axis);
    const kept_modes &in = forward ? given : kept, &out = forward ? kept : given;
    if (!in.all()) p.source = spread(p.source, t.axis, in);
    t.clears = out.gap;
    if (out.gap) p.cleared.push_back(gap_of(p.sink, t.axis, out));
    if (out.all()) continue;
    filled = spread(filled, t.axis, out.gap ? kept_modes{out.length, out.low + 1, out.high} : out);
    p.sink = spread(p.sink, t.axis, out);
  }
  if (!p.cleared.empty()) p.filled_sink = std::move(filled);
}

void drafter::add_pass(local::block_problem p, std::string name, const exchange::geometry* takes) {
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
  d.does.in_place = idle || (!p.in_blocks() && local::safe_in_place(p));
  if (takes != nullptr) {
    // The `to` image is written with what stays on the rank, or by messages that arrive early.
    const bool early = takes->before == exchange::preparation::posting;
    d.does.writes_two = takes->keeps_own || early;
    d.does.keeps_place = !early && (idle || (!p.in_blocks() && local::keeps_place(p, 1)));
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
