// SPDX-License-Identifier: BSD-3-Clause
// The same schedule gives the same bits, whatever else is chosen: engines, threads, memory, layouts.
#include <gtest/gtest.h>

#include <bit>

#include "algorithm/algorithm.hpp"
#include "team.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

/// Bits of a whole array, by global number.
using bit_array = std::vector<std::uint64_t>;

/// One way to run a schedule.
struct variant {
  bool plain = false;
  bool cached = true;
  drawn how = {};
};

variant draw_variant(dice& d, const drawn& t) {
  variant v{d.once_in(2), d.once_in(2), t};
  v.how.how.threads = d.once_in(3) ? 3 : 1;
  v.how.how.in_place = d.once_in(3);
  v.how.how.destroy_input = d.once_in(2);
  v.how.strided = d.once_in(2);
  v.how.padded_real = v.how.strided && v.how.how.in_place && t.what.kind == transform_kind::r2c && d.once_in(2);
  v.how.seed = d.word();
  return v;
}

/// The arrays of all ranks, with what `numbers` say of every element.
struct arrays {
  arrays(const variant& v, const team& ranks, bool input) {
    for (const int r : ranks.ranks()) {
      const auto layouts = ranks.layouts(r);
      sides.push_back(make_side(ranks.input(), r, layouts.in, v.how.what, true));
      const side other = make_side(ranks.output(), r, layouts.out, v.how.what, false);
      const std::size_t bytes = std::max(sides.back().total(), other.total());
      if (!input) sides.back() = other;
      // Not every user aligns memory.
      memory.emplace_back(bytes, v.how.seed % 5 * real_bytes(v.how.what.element));
    }
  }
  void put(const std::vector<complex>& values) {
    for (std::size_t r = 0; r < sides.size(); ++r) {
      for (std::size_t i = 0; i < sides[r].numbers.size(); ++i) {
        sides[r].store(memory[r].data(), i, values[at(sides[r].numbers[i])]);
      }
    }
  }
  [[nodiscard]] bit_array bits(std::size_t elements) const {
    bit_array all(2 * elements);
    for (std::size_t r = 0; r < sides.size(); ++r) {
      for (std::size_t i = 0; i < sides[r].numbers.size(); ++i) {
        const complex value = sides[r].load(memory[r].data(), i);
        const std::size_t at = 2 * testing::at(sides[r].numbers[i]);
        all[at] = std::bit_cast<std::uint64_t>(value.real());
        all[at + 1] = std::bit_cast<std::uint64_t>(value.imag());
      }
    }
    return all;
  }

  std::vector<side> sides;
  std::vector<guarded> memory;
};

/// Forward of one array and backward of another.
std::pair<bit_array, bit_array> results(const variant& v, const schedule& made, const std::vector<complex>& values) {
  const auto& moves = v.plain ? exchange::loopback_plain_engine : exchange::loopback_engine;
  team ranks(v.how, made, only(moves, made), v.cached ? local::usual_cached_bytes : 0);
  const auto run = [&](direction way) {
    const bool forward = way == direction::forward;
    arrays from(v, ranks, forward), to(v, ranks, !forward);
    from.put(values);
    std::vector<const std::byte*> sources;
    std::vector<std::byte*> targets;
    for (std::size_t r = 0; r < from.sides.size(); ++r) {
      sources.push_back(from.memory[r].data());
      targets.push_back(v.how.how.in_place ? from.memory[r].data() : to.memory[r].data());
    }
    ranks.run(way, sources, targets);
    if (v.how.how.in_place) to.memory = from.memory;
    return to.bits(values.size());
  };
  return {run(direction::forward), run(direction::backward)};
}

/// Random numbers; in some draws with many zeros among them, whose signs must agree, too.
std::vector<complex> values_for(const drawn& t, integer elements) {
  dice d(t.seed + 99);
  std::vector<complex> values(at(elements));
  for (auto& v : values) {
    const bool zero = t.seed % 4 == 3 && !d.once_in(40);
    if (!zero) v = {static_cast<float>(d.unit() - 0.5), static_cast<float>(d.unit() - 0.5)};
  }
  return values;
}

void compare_variants(std::uint64_t seed, topic about, int& compared) {
  dice d(seed + 33);
  const int ranks = d.small(1, 6);
  drawn t = draw_problem(seed, ranks, 20000, about);
  t.how.local = "weft";
  SCOPED_TRACE(describe(t));
  std::vector<algorithm::candidate> found;
  try {
    found = algorithm::propose(planner::resolve(t.what, t.how, ranks), t.how.algorithm);
  } catch (const applicability_error&) {
    return;
  }
  const auto& made = d.pick(found).schedule;
  SCOPED_TRACE(to_text(made));
  const auto values = values_for(t, volume(t.what.shape) * t.what.batch);
  variant first{false, true, t};
  first.how.strided = first.how.padded_real = first.how.how.in_place = false;
  const auto wanted = results(first, made, values);
  for (int i = 0; i < 6; ++i) {
    const variant v = draw_variant(d, t);
    SCOPED_TRACE(std::string(v.plain ? "plain" : "packed") + (v.cached ? " cached; " : " streamed; ") +
                 describe(v.how));
    const auto got = results(v, made, values);
    ASSERT_EQ(got.first == wanted.first, true) << "forward";
    ASSERT_EQ(got.second == wanted.second, true) << "backward";
  }
  ++compared;
}

class bits : public ::testing::TestWithParam<topic> {};

TEST_P(bits, depend_on_the_schedule_alone) {
  int compared = 0;
  const auto all = seeds(50, static_cast<std::uint64_t>(GetParam()) << 24U);
  for (const auto seed : all) {
    ASSERT_NO_THROW(compare_variants(seed, GetParam(), compared));
    ASSERT_FALSE(HasFailure()) << rerun(seed);
  }
  EXPECT_GT(compared, static_cast<int>(all.size()) / 4);
}

INSTANTIATE_TEST_SUITE_P(about, bits, ::testing::Values(topic::anything, topic::inside_axes, topic::long_lines));

/// An r2c transform of a local array, cut into passes of as many axes as `cuts` say.
std::vector<complex> transformed_in(const std::vector<std::size_t>& cuts, const local::milestones& telling) {
  const extents shape{5, 24, 64}, half{5, 24, 33};
  const auto map = [](const extents& of, std::size_t bytes) {
    const auto each = static_cast<integer>(bytes);
    return plain_map(of, {of[1] * of[2] * each, of[2] * each, each});
  };
  const std::vector<local::axis_transform> axes{
      {2, line_kind::r2c, 64}, {1, line_kind::c2c_forward, 24}, {0, line_kind::c2c_forward, 5}};
  std::vector<complex> array(at(volume(half))), result = array;
  dice d(1);
  for (auto& v : array) v = {d.unit() - 0.5, d.unit() - 0.5};
  std::size_t done = 0;
  for (const std::size_t count : cuts) {
    const bool real = done == 0;
    local::pass_problem p{real ? map(shape, 8) : map(half, 16), map(half, 16), {}};
    p.transforms.assign(axes.begin() + static_cast<std::ptrdiff_t>(done),
                        axes.begin() + static_cast<std::ptrdiff_t>(done + count));
    p.source_bytes = real ? 8 : 16;
    p.sink_bytes = 16;
    p.telling = telling;
    if (done + count == axes.size()) p.storing.emplace_back(local::scaling{0.3});
    const auto pass = local::engine_named("weft").make_pass(p);
    std::vector<std::byte> scratch(pass->scratch_bytes() + 64);
    void* start = scratch.data();
    std::size_t room = scratch.size();
    auto* const from = reinterpret_cast<std::byte*>(array.data());
    auto* const to = reinterpret_cast<std::byte*>(result.data());
    auto* const aligned = static_cast<std::byte*>(std::align(64, pass->scratch_bytes(), start, room));
    pass->execute({&from, 1}, {&to, 1}, aligned, nullptr, nullptr);
    std::swap(array, result);
    done += count;
  }
  return array;
}

TEST(passes, may_be_cut_and_tell_of_their_progress) {
  const auto wanted = transformed_in({3}, {});
  const auto expect_same = [&](const std::vector<complex>& got) {
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(complex)), 0);
  };
  for (const auto& cuts : std::vector<std::vector<std::size_t>>{{3}, {2, 1}, {1, 2}, {1, 1, 1}}) {
    expect_same(transformed_in(cuts, {}));
    expect_same(transformed_in(cuts, {0, {2, 4}}));
    expect_same(transformed_in(cuts, {1, {8, 9}}));
  }
}

}  // namespace
}  // namespace weft::testing
