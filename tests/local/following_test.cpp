// SPDX-License-Identifier: BSD-3-Clause
// Passes whose source arrives in parts, each in the place of the one before.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <memory>

#include "brute.hpp"
#include "local/engine.hpp"

namespace weft::testing {
namespace {

using complex = std::complex<double>;
constexpr auto element = static_cast<integer>(sizeof(complex));

extents strides_of(const extents& shape) {
  extents strides(shape.size());
  integer stride = element;
  for (std::size_t l = shape.size(); l-- > 0; stride *= shape[l]) strides[l] = stride;
  return strides;
}

/// An array of which only one part is there at a time.
struct parted {
  parted(extents whole, int cut_axis, std::vector<integer> cuts) : shape(std::move(whole)), axis(cut_axis) {
    bounds = std::move(cuts);
    bounds.insert(bounds.begin(), 0);
    bounds.push_back(shape[at(axis)]);
  }
  [[nodiscard]] extents part_shape(std::size_t k) const {
    extents part = shape;
    part[at(axis)] = bounds[k + 1] - bounds[k];
    return part;
  }
  [[nodiscard]] access_map map() const {
    std::vector<message_box> boxes;
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
      message_box box;
      for (std::size_t l = 0; l < shape.size(); ++l) {
        const bool cut = l == at(axis);
        box.axes.push_back({{cut ? slice{bounds[k], 1, bounds[k + 1] - bounds[k]} : slice{0, 1, shape[l]}, 0}});
      }
      box.where = {0, -1, strides_of(part_shape(k))};
      boxes.push_back(std::move(box));
    }
    return message_map(shape, boxes);
  }
  [[nodiscard]] local::milestones following() const { return {axis, {bounds.begin() + 1, bounds.end() - 1}}; }

  extents shape;
  int axis;
  std::vector<integer> bounds;
};

/// Brings a part when the pass has reached it, over the one before.
class ring final : public local::arrivals {
 public:
  ring(const parted& how, const std::vector<complex>& all) : how_(how), all_(all), room_(all.size()) {}
  void need(int /*message*/) override {}
  int next() override { return -1; }
  void reach(int number) override {
    EXPECT_EQ(number, reached_++);
    room_.assign(room_.size(), complex(NAN, NAN));
    std::size_t to = 0;
    each_tuple(how_.part_shape(at(number)), [&](extents t) {
      t[at(how_.axis)] += how_.bounds[at(number)];
      room_[to++] = all_[at(flat_index(t, how_.shape))];
    });
  }
  [[nodiscard]] std::byte* memory() { return reinterpret_cast<std::byte*>(room_.data()); }
  [[nodiscard]] int reached() const { return reached_; }

 private:
  const parted& how_;
  const std::vector<complex>& all_;
  std::vector<complex> room_;
  int reached_ = 0;
};

/// Notes that what it is told rises.
struct listener final : local::departures {
  void stored(integer end) override {
    EXPECT_GT(end, told);
    told = end;
  }
  integer told = 0;
};

std::vector<complex> run(const local::pass_problem& problem, std::byte* source, local::arrivals* waiting) {
  const auto made = local::engine_named("weft").make_pass(problem);
  std::vector<complex> result(at(volume(problem.sink.shape)), complex(7, 7));
  std::vector<std::byte> scratch(made->scratch_bytes() + 64);
  void* aligned = scratch.data();
  std::size_t room = scratch.size();
  std::align(64, made->scratch_bytes(), aligned, room);
  std::byte* const sink = reinterpret_cast<std::byte*>(result.data());
  listener heard;
  made->execute({&source, 1}, {&sink, 1}, static_cast<std::byte*>(aligned), waiting, &heard);
  return result;
}

TEST(following, passes_load_each_part_before_the_next_one_comes) {
  dice d(5);
  for (int draw = 0; draw < 200; ++draw) {
    const extents shape{d.between(2, 9), d.between(2, 9), d.between(2, 9)};
    std::vector<int> axes{0, 1, 2};
    d.shuffle(axes);
    const int axis = axes.back();
    std::vector<integer> cuts;
    for (integer p = 1; p < shape[at(axis)]; ++p) {
      if (d.once_in(2)) cuts.push_back(p);
    }
    const parted how(shape, axis, cuts);
    local::pass_problem p;
    p.sink = plain_map(shape, strides_of(shape));
    p.source = p.sink;
    p.source_bytes = p.sink_bytes = sizeof(complex);
    p.cached_bytes = d.once_in(2) ? 0 : local::usual_cached_bytes;
    p.threads = d.once_in(4) ? 2 : 1;
    axes.resize(at(d.between(0, 2)));
    for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, shape[at(a)]});
    std::vector<complex> all(at(volume(shape)));
    for (auto& x : all) x = {d.unit(), d.unit()};
    const auto wanted = run(p, reinterpret_cast<std::byte*>(all.data()), nullptr);
    p.source = how.map();
    p.following = how.following();
    if (d.once_in(2)) p.telling = {d.small(0, 2), {1}};
    ring brought(how, all);
    const auto got = run(p, brought.memory(), &brought);
    ASSERT_EQ(brought.reached(), static_cast<int>(cuts.size()) + 1) << "draw " << draw;
    ASSERT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(complex)), 0) << "draw " << draw;
  }
}

TEST(following, nothing_is_kept_where_a_later_part_comes) {
  const parted how({4, 3}, 0, {1, 2, 3});
  local::pass_problem p;
  p.source_bytes = p.sink_bytes = sizeof(complex);
  p.transforms = {{1, line_kind::c2c_forward, 3}};
  // Each row has a place of its own behind the others; the first one stays on the rank.
  p.sink = how.map();
  for (std::size_t row = 0; row < 4; ++row) p.sink.cells[row].offset = static_cast<integer>(row) * 3 * element;
  p.source = p.sink;
  p.sink.placements.front().buffer = 1;
  p.following = how.following();
  EXPECT_TRUE(local::keeps_place(p, 1));
  p.source = how.map();
  EXPECT_FALSE(local::keeps_place(p, 1));
}

TEST(following, nothing_is_kept_where_zeros_are_stored) {
  const parted how({4, 3}, 0, {1, 2, 3});
  local::pass_problem p;
  p.source_bytes = p.sink_bytes = sizeof(complex);
  p.transforms = {{1, line_kind::c2c_forward, 3}};
  p.source = p.sink = how.map();
  EXPECT_TRUE(local::keeps_place(p, 1));
  // All goes to other ranks, but a gap of the modes, which is this rank's own.
  p.cleared = {plain_map({1, 3}, {3 * element, element}, 0)};
  p.filled_sink = p.sink;
  EXPECT_TRUE(local::keeps_place(p, 1));
  p.cleared.front().placements.front().buffer = 1;
  EXPECT_FALSE(local::keeps_place(p, 1));
}

}  // namespace
}  // namespace weft::testing
