// SPDX-License-Identifier: BSD-3-Clause
// Messages between random pairs of distributions, access maps and layouts, against brute force.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "brute.hpp"
#include "exchange/engine.hpp"
#include "exchange/messages.hpp"
#include "exchange/node_image.hpp"
#include "exchange/parts.hpp"
#include "exchange/traffic.hpp"
#include "index/image_map.hpp"
#include "weft/error.hpp"
#include "weft/layout.hpp"

namespace weft::testing {
namespace {

using exchange::message;

struct pair_of {
  extents shape;
  int ranks = 0;
  distribution from, to;
};

pair_of random_pair(dice& d) {
  pair_of p;
  p.shape = random_shape(d, d.small(1, 4), 300);
  p.ranks = d.small(1, 12);
  p.from = random_distribution(d, p.shape, p.ranks);
  p.to = random_distribution(d, p.shape, p.ranks);
  return p;
}

/// Row-major numbers in the local arrays of sender and receiver of every element of a message, in the
/// order of the message's own box.
std::vector<std::pair<integer, integer>> elements_of(const message& m, const extents& from_shape,
                                                     const extents& to_shape) {
  std::vector<std::vector<std::pair<integer, integer>>> along;
  extents counts;
  for (const auto& list : m.axes) {
    auto& places = along.emplace_back();
    for (const auto& o : list) {
      EXPECT_EQ(o.start, static_cast<integer>(places.size()));
      EXPECT_EQ(o.from.count, o.to.count);
      for (integer k = 0; k < o.from.count; ++k) places.emplace_back(o.from[k], o.to[k]);
    }
    counts.push_back(static_cast<integer>(places.size()));
  }
  EXPECT_EQ(counts, m.box);
  std::vector<std::pair<integer, integer>> elements;
  each_tuple(counts, [&](const extents& t) {
    extents a, b;
    for (std::size_t l = 0; l < t.size(); ++l) {
      a.push_back(along[l][at(t[l])].first);
      b.push_back(along[l][at(t[l])].second);
    }
    elements.emplace_back(flat_index(a, from_shape), flat_index(b, to_shape));
  });
  EXPECT_EQ(static_cast<integer>(elements.size()), m.count);
  return elements;
}

/// Peer -> global numbers that must travel, by definition.
std::map<int, extents> expected_messages(const pair_of& p, int rank) {
  std::map<int, extents> wanted;
  const extents mine = global_numbers(p.from, rank);
  for (int peer = 0; peer < p.ranks; ++peer) {
    const extents theirs = global_numbers(p.to, peer);
    extents both;
    for (const integer n : mine) {
      if (std::find(theirs.begin(), theirs.end(), n) != theirs.end()) both.push_back(n);
    }
    if (!both.empty()) wanted[peer] = both;
  }
  return wanted;
}

TEST(parts, are_as_large_as_is_worth_a_message) {
  constexpr integer mega = integer{1} << 20;
  EXPECT_EQ(exchange::parts_of(0, 0, false), 1);
  EXPECT_EQ(exchange::parts_of(mega / 4 - 1, 4, false), 1);
  EXPECT_EQ(exchange::parts_of(64 * mega, 4, false), 256);
  EXPECT_EQ(exchange::parts_of(64 * mega, 1024, false), 4);
  EXPECT_EQ(exchange::parts_of(3 * mega, 4, true), 6);
  EXPECT_EQ(exchange::parts_of(64 * mega, 4, true), 128);
  EXPECT_EQ(exchange::parts_of(64 * mega, 1024, true), 1);
}

/// Both ends of a message cut it alike, each element is in one part, and in the one that its receiver's position says.
TEST(parts, cut_messages_alike_on_both_ends) {
  dice d(17);
  integer several = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const pair_of p = random_pair(d);
    exchange::exchange_problem problem;
    problem.from = p.from;
    problem.to = p.to;
    problem.element_bytes = d.once_in(2) ? 8 : 16;
    problem.count_limit = d.between(1, 9);
    problem.parts = d.once_in(3) ? 3 : 0;
    for (int l = 0; l < p.to.axes(); ++l) {
      if (d.once_in(2)) problem.consumer_axes.push_back(l);
    }
    const exchange::cutting cut(problem, d.once_in(2));
    for (int receiver = 0; receiver < p.ranks; ++receiver) {
      const auto bounds = cut.bounds(receiver);
      const integer rows = p.to.local_shape(receiver)[cut.axis()];
      ASSERT_GE(bounds.size(), 2U);
      ASSERT_EQ(bounds.front(), 0);
      ASSERT_EQ(bounds.back(), rows);
      ASSERT_TRUE(rows == 0 || std::ranges::adjacent_find(bounds, std::greater_equal()) == bounds.end());
      ASSERT_TRUE(problem.parts == 0 || std::ssize(bounds) <= 4);
      several += bounds.size() > 2 ? 1 : 0;
      // Parts of the contiguous axis would be stored in pieces of a few elements.
      ASSERT_TRUE(bounds.size() == 2 || static_cast<int>(cut.axis()) + 1 < p.to.axes());
      for (const auto& in : exchange::incoming(p.from, p.to, receiver)) {
        const auto sent = exchange::outgoing(p.from, p.to, in.peer);
        const auto out = *std::ranges::find(sent, receiver, &message::peer);
        std::set<std::pair<integer, integer>> left;
        const extents from_shape = p.from.local_shape(in.peer), to_shape = p.to.local_shape(receiver);
        for (const auto& e : elements_of(in, from_shape, to_shape)) left.insert(e);
        for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
          const message part = exchange::part_of(in, cut.axis(), bounds[k], bounds[k + 1]);
          for (const auto& o : part.axes[cut.axis()]) {
            ASSERT_TRUE(o.to.first >= bounds[k] && o.to.last() < bounds[k + 1]);
          }
          const auto elements = elements_of(part, from_shape, to_shape);
          ASSERT_EQ(elements,
                    elements_of(exchange::part_of(out, cut.axis(), bounds[k], bounds[k + 1]), from_shape, to_shape));
          for (const auto& e : elements) ASSERT_EQ(left.erase(e), 1U);
        }
        ASSERT_TRUE(left.empty());
      }
    }
  }
  EXPECT_GT(several, 100);
}

TEST(messages, agree_with_brute_force_and_with_each_other) {
  dice d(11);
  integer moved = 0;
  for (int draw = 0; draw < 400; ++draw) {
    const pair_of p = random_pair(d);
    SCOPED_TRACE(p.from.text() + " to " + p.to.text() + " of " + to_text(p.shape));
    for (int rank = 0; rank < p.ranks; ++rank) {
      const auto sent = exchange::outgoing(p.from, p.to, rank);
      const auto wanted = expected_messages(p, rank);
      ASSERT_EQ(sent.size(), wanted.size());
      const extents mine = global_numbers(p.from, rank);
      int previous = -1;
      for (const auto& m : sent) {
        ASSERT_LT(previous, m.peer) << "by ascending peer";
        previous = m.peer;
        const extents theirs = global_numbers(p.to, m.peer);
        extents travelled;
        for (const auto& [a, b] : elements_of(m, p.from.local_shape(rank), p.to.local_shape(m.peer))) {
          ASSERT_EQ(mine[at(a)], theirs[at(b)]) << "an element arrives in the wrong place";
          travelled.push_back(mine[at(a)]);
        }
        std::sort(travelled.begin(), travelled.end());
        extents due = wanted.at(m.peer);
        std::sort(due.begin(), due.end());
        ASSERT_EQ(travelled, due);
        moved += m.count;
        // The receiver describes the same message, element for element in the same order.
        const auto received = exchange::incoming(p.from, p.to, m.peer);
        const auto same =
            std::find_if(received.begin(), received.end(), [&](const message& r) { return r.peer == rank; });
        ASSERT_NE(same, received.end());
        ASSERT_EQ(same->axes, m.axes);
        ASSERT_EQ(same->box, m.box);
      }
      integer incoming = 0;
      for (const auto& m : exchange::incoming(p.from, p.to, rank)) incoming += m.count;
      ASSERT_EQ(incoming, p.to.local_size(rank));
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(moved, 10000);
}

TEST(messages, are_counted_without_being_made) {
  dice d(12);
  for (int draw = 0; draw < 400; ++draw) {
    const pair_of p = random_pair(d);
    const int ranks_per_node = d.small(1, 5);
    const exchange::traffic_counter counter(p.from, p.to, ranks_per_node);
    for (int rank = 0; rank < p.ranks; ++rank) {
      const auto count = [&](const std::vector<message>& all) {
        exchange::traffic sum;
        for (const auto& m : all) {
          if (m.peer == rank) continue;
          const bool near = m.peer / ranks_per_node == rank / ranks_per_node;
          (near ? sum.near_messages : sum.far_messages) += 1;
          (near ? sum.near_elements : sum.far_elements) += m.count;
        }
        return sum;
      };
      const auto sent = counter.sent(rank);
      const auto received = counter.received(rank);
      ASSERT_EQ(sent, count(exchange::outgoing(p.from, p.to, rank))) << p.from.text() << " to " << p.to.text();
      ASSERT_EQ(received, count(exchange::incoming(p.from, p.to, rank))) << p.from.text() << " to " << p.to.text();
    }
  }
}

/// Of two nodes, each parcel that leaves one meets one at the other, in the same order; they are few, lie apart, hold
/// all that goes from the one to the other, and no pair of ranks sends both ways if it need not.
TEST(messages, of_a_node_leave_together) {
  dice d(31);
  int several = 0, in_parts = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const pair_of p = random_pair(d);
    const int per_node = d.small(1, 4);
    const auto node = [&](int rank) { return rank / per_node; };
    exchange::exchange_problem problem;
    problem.from = p.from;
    problem.to = p.to;
    problem.ranks = p.ranks;
    problem.element_bytes = 16;
    problem.nodes = std::make_shared<const exchange::node_map>(p.ranks, per_node);
    problem.count_limit = d.once_in(2) ? 2 : 1000;
    for (int l = 0; l < p.from.axes(); ++l) {
      if (d.once_in(2)) problem.producer_axes.push_back(l);
    }
    using sent_parcel = std::tuple<int, int, integer>;  // from, to, elements
    std::vector<sent_parcel> leaving, coming;
    std::vector<std::tuple<int, int, integer>> told, heard;
    std::map<std::pair<int, int>, integer> elements, parcels;  // by pair of nodes
    for (problem.rank = 0; problem.rank < p.ranks; ++problem.rank) {
      const int me = problem.rank;
      for (const auto& m : exchange::outgoing(p.from, p.to, me)) {
        if (node(m.peer) != node(me)) elements[{node(me), node(m.peer)}] += m.count;
      }
      const auto g = exchange::node_geometry(problem);
      std::vector<std::pair<integer, integer>> places{{0, p.from.local_size(me) * 16}};
      for (const auto* list : {&g.sends, &g.receives}) {
        for (const auto& s : *list) {
          places.emplace_back(s.offset, s.offset + s.count * 16);
          ASSERT_NE(node(s.peer), node(me));
        }
      }
      std::ranges::sort(places);
      for (std::size_t i = 1; i < places.size(); ++i) ASSERT_LE(places[i - 1].second, places[i].first);
      ASSERT_EQ(places.back().second, g.to_bytes);
      for (const auto& s : g.sends) {
        leaving.emplace_back(me, s.peer, s.count);
        elements[{node(me), node(s.peer)}] -= s.count;
        parcels[{node(me), node(s.peer)}] += 1;
      }
      for (const auto& r : g.receives) coming.emplace_back(r.peer, me, r.count);
      for (const auto& w : g.tells) {
        ASSERT_EQ(node(w.peer), node(me));
        if (w.peer != me) told.emplace_back(me, w.peer, w.message);
      }
      for (const auto& w : g.hears) heard.emplace_back(w.peer, me, w.when);
      in_parts += g.telling.positions.empty() ? 0 : 1;
    }
    const auto by_pair = [](const sent_parcel& s) { return std::pair(std::get<0>(s), std::get<1>(s)); };
    std::ranges::stable_sort(leaving, {}, by_pair);
    std::ranges::stable_sort(coming, {}, by_pair);
    ASSERT_EQ(leaving, coming) << p.from.text() << " to " << p.to.text();
    std::ranges::sort(told);
    std::ranges::sort(heard);
    ASSERT_EQ(told, heard) << p.from.text() << " to " << p.to.text();
    for (const auto& [pair, left] : elements) ASSERT_EQ(left, 0);
    for (const auto& [pair, number] : parcels) ASSERT_LE(number, 8);
    for (const auto& sent : leaving) {
      const int from = std::get<0>(sent), to = std::get<1>(sent);
      const bool alone = node(from) == node(p.ranks - 1) || node(to) == node(p.ranks - 1) || per_node == 1;
      const auto back = std::ranges::find_if(
          leaving, [&](const sent_parcel& s) { return std::get<0>(s) == to && std::get<1>(s) == from; });
      ASSERT_TRUE(alone || back == leaving.end());
      several += alone ? 0 : 1;
    }
  }
  EXPECT_GT(several, 200);
  EXPECT_GT(in_parts, 50);
}

/// What engines send another node in parts goes in pieces that MPI sends unasked: both ends cut alike, in the same
/// order, and what one rank gets of another is all there.
TEST(messages, between_nodes_go_in_pieces) {
  dice d(37);
  int pieces = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const pair_of p = random_pair(d);
    exchange::exchange_problem problem;
    problem.from = p.from;
    problem.to = p.to;
    problem.ranks = p.ranks;
    problem.element_bytes = d.once_in(2) ? 8 : 16;
    const int per_node = d.small(1, 4);
    const auto nodes = [&](int rank, int peer) { return std::pair(rank / per_node, peer / per_node); };
    problem.nodes = std::make_shared<const exchange::node_map>(p.ranks, per_node);
    problem.count_limit = d.between(1, 9);
    for (int l = 0; l < p.from.axes(); ++l) {
      if (d.once_in(2)) problem.producer_axes.push_back(l);
      if (d.once_in(2)) problem.consumer_axes.push_back(l);
    }
    const char* const names[] = {"streamed", "pipelined", "nodewise", "window"};
    const exchange::engine& by = exchange::engine_named(names[d.small(0, 3)]);
    std::vector<std::tuple<int, int, integer>> leaving, coming;  // from, to, elements
    std::map<std::pair<int, int>, integer> elements;             // by pair of nodes
    const std::vector<integer> agreed{per_node < p.ranks};
    for (problem.rank = 0; problem.rank < p.ranks; ++problem.rank) {
      const int me = problem.rank;
      for (const auto& m : exchange::outgoing(p.from, p.to, me)) elements[nodes(me, m.peer)] += m.count;
      const exchange::geometry g = by.describe(problem, 0, agreed);
      for (const auto& s : g.sends) {
        leaving.emplace_back(me, s.peer, s.count);
        if (s.peer / per_node == me / per_node) continue;
        elements[nodes(me, s.peer)] -= s.count;
        ASSERT_LE(s.count, problem.count_limit);
        ++pieces;
      }
      for (const auto& r : g.receives) coming.emplace_back(r.peer, me, r.count);
      ASSERT_EQ(g.messages_sent, std::ssize(g.sends));
    }
    const auto by_pair = [](const auto& s) { return std::pair(std::get<0>(s), std::get<1>(s)); };
    std::ranges::stable_sort(leaving, {}, by_pair);
    std::ranges::stable_sort(coming, {}, by_pair);
    ASSERT_EQ(leaving, coming) << by.name << " " << p.from.text() << " to " << p.to.text();
    for (const auto& [pair, left] : elements) ASSERT_TRUE(left == 0 || pair.first == pair.second);
  }
  EXPECT_GT(pieces, 2000);
}

TEST(messages, idle_grid_axes_separate_the_ranks) {
  dice d(12);
  int idle_found = 0;
  for (int draw = 0; draw < 600; ++draw) {
    const extents shape = random_shape(d, d.small(2, 4), 200);
    const grid on = random_grid(d, 12, 3);
    const auto chains = random_chains(d, shape.size(), on);
    auto other = chains;
    // Move one chain, as a transposition does; sometimes draw anew.
    if (d.once_in(4)) {
      other = random_chains(d, shape.size(), on);
    } else {
      std::swap(other[0], other[at(d.between(1, static_cast<integer>(shape.size()) - 1))]);
    }
    const distribution from(shape, on, chains), to(shape, on, other);
    for (const int g : exchange::idle_grid_axes(from, to)) {
      ++idle_found;
      for (int rank = 0; rank < on.size(); ++rank) {
        for (const auto& m : exchange::outgoing(from, to, rank)) {
          ASSERT_EQ(on.coordinates(rank)[at(g)], on.coordinates(m.peer)[at(g)]) << from.text() << " to " << to.text();
        }
      }
    }
  }
  EXPECT_GT(idle_found, 100);
  const distribution a = distribution::parse("[b0 *]", {4, 4}, grid({2})),
                     b = distribution::parse("[b0 *]", {4, 4}, grid({4}));
  EXPECT_TRUE(exchange::idle_grid_axes(a, b).empty());
}

// ---- access maps

/// Byte address of every element of a local array, -1 where the map has none; checks that pieces cover once.
std::vector<std::pair<int, integer>> addresses(const access_map& map) {
  std::vector<std::pair<int, integer>> found(at(volume(map.shape)), {-1, -1});
  extents piece_counts;
  for (std::size_t l = 0; l < map.shape.size(); ++l) {
    std::vector<int> covered(at(map.shape[l]), 0);
    for (const auto& piece : map.pieces[l]) {
      for (integer k = 0; k < piece.count; ++k) ++covered[at(piece[k])];
    }
    // An axis without elements, or an array without messages, has no pieces to speak of.
    if (!map.pieces[l].empty()) {
      EXPECT_EQ(covered, std::vector<int>(covered.size(), 1)) << "axis " << l;
    }
    piece_counts.push_back(static_cast<integer>(map.pieces[l].size()));
  }
  EXPECT_EQ(static_cast<integer>(map.cells.size()), volume(piece_counts));
  each_tuple(piece_counts, [&](const extents& number) {
    const cell& c = map.cells[at(flat_index(number, piece_counts))];
    if (c.placement < 0) return;
    const placement& where = map.placements[at(c.placement)];
    extents counts;
    for (std::size_t l = 0; l < number.size(); ++l) counts.push_back(map.pieces[l][at(number[l])].count);
    each_tuple(counts, [&](const extents& k) {
      extents position;
      integer address = c.offset;
      for (std::size_t l = 0; l < k.size(); ++l) {
        position.push_back(map.pieces[l][at(number[l])][k[l]]);
        address += k[l] * where.strides[l];
      }
      auto& entry = found[at(flat_index(position, map.shape))];
      EXPECT_EQ(entry.second, -1) << "an element has two places";
      entry = {where.buffer, address};
    });
  });
  return found;
}

TEST(access_maps, message_map_puts_every_element_where_its_message_has_it) {
  dice d(13);
  constexpr integer bytes = 8;
  for (int draw = 0; draw < 400; ++draw) {
    const pair_of p = random_pair(d);
    SCOPED_TRACE(p.from.text() + " to " + p.to.text() + " of " + to_text(p.shape));
    const int rank = d.small(0, p.ranks - 1);
    const bool sending = d.once_in(2);
    const distribution& own = sending ? p.from : p.to;
    const extents shape = own.local_shape(rank);
    std::vector<exchange::message> messages =
        sending ? exchange::outgoing(p.from, p.to, rank) : exchange::incoming(p.from, p.to, rank);
    std::vector<message_box> boxes;
    std::vector<std::pair<int, integer>> wanted(at(volume(shape)), {-1, -1});
    integer offset = 16;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& m = messages[i];
      message_box b;
      b.where.buffer = static_cast<int>(i) % 2;
      b.where.strides.assign(m.box.size(), 0);
      integer stride = bytes;
      for (std::size_t l = m.box.size(); l-- > 0; stride *= m.box[l]) b.where.strides[l] = stride;
      b.offset = offset;
      for (const auto& list : m.axes) {
        auto& pieces = b.axes.emplace_back();
        for (const auto& o : list) pieces.push_back({sending ? o.from : o.to, o.start});
      }
      boxes.push_back(b);
      const int peer = m.peer;
      const extents other = sending ? p.to.local_shape(peer) : p.from.local_shape(peer);
      integer next = offset;
      for (const auto& [a, c] : elements_of(m, sending ? shape : other, sending ? other : shape)) {
        wanted[at(sending ? a : c)] = {b.where.buffer, next};
        next += bytes;
      }
      offset = next + 24;
    }
    ASSERT_EQ(addresses(message_map(shape, boxes)), wanted);
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

TEST(access_maps, plain_map_is_the_layout) {
  const layout l = ghosted({3, 4}, {1, 2}, {0, 3});
  const auto found = addresses(plain_map({3, 4}, {l.strides[0] * 4, l.strides[1] * 4}, l.offset * 4, 1));
  for (integer i = 0; i < 3; ++i) {
    for (integer j = 0; j < 4; ++j) {
      EXPECT_EQ(found[at(i * 4 + j)], (std::pair<int, integer>{1, 4 * ((i + 1) * 9 + j + 2)}));
    }
  }
}

// ---- layouts

TEST(layouts, ghost_cells_surround_the_array) {
  const layout l = ghosted({3, 4, 5}, {1, 0, 2}, {1, 3, 0});
  EXPECT_EQ(l.strides, (extents{7 * 7, 7, 1}));
  EXPECT_EQ(l.offset, 49 + 2);
  EXPECT_EQ(span_of(l, {3, 4, 5}), l.offset + 2 * 49 + 3 * 7 + 4 + 1);
  EXPECT_EQ(span_of(l, {3, 0, 5}), 0);
  EXPECT_THROW((void)ghosted({3, 4}, {1}, {1, 1}), argument_error);
}

TEST(layouts, resolving_fills_in_strides) {
  EXPECT_EQ(resolved({}, {3, 4, 5}), row_major({3, 4, 5}));
  EXPECT_EQ(row_major({3, 4, 5}).strides, (extents{20, 5, 1}));
  EXPECT_EQ(resolved({{}, 7}, {2, 2}).offset, 7);
  EXPECT_TRUE(layout{}.is_default());
  EXPECT_THROW((void)resolved({{1}, 0}, {2, 2}), argument_error);
  EXPECT_THROW((void)resolved({{}, -1}, {2, 2}), argument_error);
}

TEST(layouts, overlap_is_found_exactly) {
  // For nested strides (each past the reach of the smaller ones) the rule is exact; it may reject
  // interleaved layouts that happen not to collide, but must never accept a collision.
  dice d(14);
  int accepted = 0, rejected = 0;
  for (int draw = 0; draw < 3000; ++draw) {
    const extents shape{d.between(0, 4), d.between(0, 4), d.between(1, 4)};
    const layout l{{d.between(0, 24), d.between(0, 12), d.between(0, 6)}, d.between(0, 3)};
    std::map<integer, int> used;
    integer last = -1;
    each_tuple(shape, [&](const extents& i) {
      const integer address = l.offset + i[0] * l.strides[0] + i[1] * l.strides[1] + i[2] * l.strides[2];
      ++used[address];
      last = std::max(last, address);
    });
    const bool collides = std::any_of(used.begin(), used.end(), [](const auto& u) { return u.second > 1; });
    try {
      const layout full = resolved(l, shape);
      ++accepted;
      ASSERT_FALSE(collides) << to_text(shape) << " strides " << to_text(l.strides);
      ASSERT_EQ(span_of(full, shape), last + 1);
    } catch (const argument_error&) {
      ++rejected;
    }
  }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(rejected, 300);
  EXPECT_NO_THROW((void)resolved({{1, 3}, 0}, {3, 4}));        // column-major
  EXPECT_NO_THROW((void)resolved({{0, 5}, 0}, {1, 4}));        // an axis of one element needs no stride
  EXPECT_NO_THROW((void)resolved({{1, 1, 1}, 0}, {3, 0, 4}));  // nor does an array without elements
  EXPECT_THROW((void)resolved({{-4, 1}, 0}, {3, 4}), argument_error);
}

/// The messages of boxes of elements of 8 bytes that arrive at `rank`, one after the other.
std::vector<message_box> boxes_arriving(const distribution& from, const distribution& to, int rank) {
  std::vector<message_box> boxes;
  integer offset = 0;
  for (const auto& m : exchange::incoming(from, to, rank)) {
    message_box b;
    b.where = {static_cast<int>(boxes.size() % 2), static_cast<int>(boxes.size()), extents(m.box.size(), 0)};
    integer stride = 8;
    for (std::size_t l = m.box.size(); l-- > 0; stride *= m.box[l]) b.where.strides[l] = stride;
    for (const auto& list : m.axes) {
      auto& pieces = b.axes.emplace_back();
      for (const auto& o : list) pieces.push_back({o.to, o.start});
    }
    b.offset = offset;
    offset += 8 * m.count;
    boxes.push_back(std::move(b));
  }
  return boxes;
}

std::vector<std::pair<int, integer>> addresses(const image_map& image) {
  if (!image.in_blocks()) return addresses(image.whole);
  std::vector<std::pair<int, integer>> found(at(volume(image.whole.shape)), {-1, -1});
  for (const auto& b : image.blocks) {
    const auto inside = addresses(b.map);
    integer number = 0;
    each_tuple(b.map.shape, [&](const extents& t) {
      extents position = b.first;
      for (std::size_t l = 0; l < t.size(); ++l) position[l] += t[l];
      auto& entry = found[at(flat_index(position, image.whole.shape))];
      EXPECT_EQ(entry.second, -1) << "an element is in two blocks";
      entry = inside[at(number++)];
    });
  }
  return found;
}

TEST(message_images, in_blocks_have_every_element_where_the_map_has_it) {
  dice d(14);
  int in_blocks = 0;
  for (int draw = 0; draw < 150; ++draw) {
    const extents shape = random_shape(d, d.small(1, 4), 4000);
    const distribution from = random_bricks(d, shape, d.small(1, 100));
    const distribution to = random_distribution(d, shape, d.small(1, 4));
    SCOPED_TRACE(from.text() + " to " + to.text() + " of " + to_text(shape));
    const int rank = d.small(0, to.ranks() - 1);
    const auto boxes = boxes_arriving(from, to, rank);
    const extents mine = to.local_shape(rank);
    const integer cells_per_box = d.small(1, 4);
    const image_map image = message_image(mine, boxes, cells_per_box);
    in_blocks += image.in_blocks() ? 1 : 0;
    const auto wanted = addresses(message_map(mine, boxes));
    ASSERT_EQ(addresses(image), wanted);
    EXPECT_EQ(image.has_messages(), !boxes.empty());

    // Cut along an axis, as parts that arrive one by one are.
    if (boxes.empty()) continue;
    const int axis = d.small(0, static_cast<int>(mine.size()) - 1);
    std::vector<integer> stops;
    for (integer at = 1 + d.small(0, 3); at < mine[static_cast<std::size_t>(axis)]; at += 1 + d.small(0, 3)) {
      stops.push_back(at);
    }
    const image_map cut = message_image(mine, boxes, cells_per_box, {axis, stops});
    if (!cut.in_blocks()) continue;
    ASSERT_EQ(addresses(cut), wanted);
    std::size_t part = 0;
    for (const auto& b : cut.blocks) {
      const integer first = b.first[at(axis)], last = first + b.map.shape[at(axis)] - 1;
      while (part < stops.size() && first >= stops[part]) ++part;
      ASSERT_TRUE(part == 0 || first >= stops[part - 1]) << "blocks in another order than parts";
      ASSERT_TRUE(part == stops.size() || last < stops[part]) << "a block in two parts";
    }
  }
  EXPECT_GT(in_blocks, 15);
}

TEST(message_images, of_thousands_of_boxes_have_few_cells_for_each) {
  dice d(15);
  const extents shape{300, 310, 320};
  const distribution from = random_bricks(d, shape, 5000);
  const auto boxes = boxes_arriving(from, {shape, grid({1}), {{}, {}, {}}}, 0);
  ASSERT_GT(boxes.size(), 1000U);
  EXPECT_GT(cell_count(boxes), 1000 * boxes.size()) << "boxes whose faces line up";
  const image_map image = message_image(shape, boxes);
  std::size_t cells = 0;
  integer elements = 0;
  for (const auto& b : image.blocks) {
    cells += b.map.cells.size();
    elements += volume(b.map.shape);
  }
  EXPECT_EQ(elements, volume(shape));
  EXPECT_LT(cells, 50 * boxes.size());
}

}  // namespace
}  // namespace weft::testing
