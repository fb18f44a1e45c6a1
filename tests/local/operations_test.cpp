// SPDX-License-Identifier: BSD-3-Clause
// Passes that do more to elements than transform them, and what threads make of passes.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

#include "brute.hpp"
#include "local/line_engine.hpp"
#include "local/speed.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

using local::element_line;
using local::pass_problem;

extents strides_of(const extents& shape, integer bytes) {
  extents strides(shape.size());
  integer stride = bytes;
  for (std::size_t l = shape.size(); l-- > 0; stride *= shape[l]) strides[l] = stride;
  return strides;
}

access_map dense(const extents& shape, std::size_t bytes) {
  return plain_map(shape, strides_of(shape, static_cast<integer>(bytes)));
}

/// Blocks of `shape` along `axis`, each a message of its own, behind one another.
access_map messages_along(const extents& shape, int axis, integer blocks, std::size_t bytes) {
  std::vector<message_box> boxes;
  integer offset = 0;
  for (integer b = 0; b < blocks; ++b) {
    extents part = shape;
    const integer low = shape[at(axis)] * b / blocks, high = shape[at(axis)] * (b + 1) / blocks;
    part[at(axis)] = high - low;
    message_box box;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      box.axes.push_back({{l == at(axis) ? slice{low, 1, high - low} : slice{0, 1, shape[l]}, 0}});
    }
    box.where = {0, static_cast<int>(b), strides_of(part, static_cast<integer>(bytes))};
    box.offset = offset;
    offset += volume(part) * static_cast<integer>(bytes);
    boxes.push_back(std::move(box));
  }
  return message_map(shape, boxes);
}

using memory = std::vector<double>;  // of reals, or of complex numbers two by two

memory run(const pass_problem& problem, const local::engine& by, memory& from, local::arrivals* waiting,
           local::departures* leaving) {
  const auto made = by.make_pass(problem);
  memory to(at(volume(problem.sink.shape)) * problem.sink_bytes / sizeof(double), 7);
  const auto scratch = host_memory(made->scratch_bytes());
  auto* source = reinterpret_cast<std::byte*>(from.data());
  auto* sink = reinterpret_cast<std::byte*>(to.data());
  made->execute({&source, 1}, {&sink, 1}, scratch.data(), waiting, leaving);
  return to;
}

memory run(const pass_problem& problem, const local::engine& by, memory from) {
  return run(problem, by, from, nullptr, nullptr);
}

/// Some number for a global index.
double factor_at(std::span<const integer> index) {
  double sum = 1;
  for (std::size_t l = 0; l < index.size(); ++l)
    sum += 0.1 * static_cast<double>((static_cast<integer>(l) + 1) * index[l]);
  return sum;
}

/// Multiplies elements of `bytes` by the factors of their indices.
local::pointwise multiply(std::size_t bytes) {
  return [bytes](const element_line& line) {
    extents index(line.index.begin(), line.index.end());
    for (integer k = 0; k < line.count; ++k) {
      index[at(line.axis)] = line.along[at(k)];
      auto* const value = reinterpret_cast<double*>(line.first + k * line.step);
      for (std::size_t i = 0; i < bytes / sizeof(double); ++i) value[i] *= factor_at(index);
    }
  };
}

/// The same by hand, in a dense array.
void multiply_all(memory& array, const extents& shape, const std::vector<extents>& indices, std::size_t bytes) {
  std::size_t next = 0;
  each_tuple(shape, [&](const extents& t) {
    extents index = t;
    for (std::size_t l = 0; l < t.size() && !indices.empty(); ++l) index[l] = indices[l][at(t[l])];
    const bool is_none = std::ranges::any_of(index, [](integer i) { return i < 0; });
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) array[next++] *= is_none ? 1 : factor_at(index);
  });
}

/// Every other index, or a block, of a longer axis; at some positions none.
extents some_indices(dice& d, integer count) {
  const integer first = d.between(0, 5), step = d.between(1, 3);
  const bool has_gaps = d.once_in(3);
  extents indices;
  for (integer k = 0; k < count; ++k) indices.push_back(has_gaps && d.once_in(3) ? -1 : first + k * step);
  return indices;
}

void expect_equal(const memory& got, const memory& wanted, bool exactly) {
  ASSERT_EQ(got.size(), wanted.size());
  if (exactly) {
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(double)), 0);
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-10 * (1 + std::abs(wanted[i]))) << i;
}

/// A pass over three axes: which are transformed, real elements on one side or not.
pass_problem random_pass(dice& d) {
  extents shape{d.between(1, 9), d.between(1, 9), d.between(1, 20)};
  std::vector<int> axes{0, 1, 2};
  d.shuffle(axes);
  axes.resize(at(d.between(0, 3)));
  const bool forward = d.once_in(2), real = !axes.empty() && d.once_in(2);
  pass_problem p;
  for (const int a : axes) {
    p.transforms.push_back({a, forward ? line_kind::c2c_forward : line_kind::c2c_backward, shape[at(a)]});
  }
  extents source = shape, sink = shape;
  if (real) {
    auto& t = forward ? p.transforms.front() : p.transforms.back();
    t.kind = forward ? line_kind::r2c : line_kind::c2r;
    source[at(t.axis)] = row_of(t.kind).in_extent(t.length);
    sink[at(t.axis)] = row_of(t.kind).out_extent(t.length);
  }
  const bool copies_reals = axes.empty() && d.once_in(2);
  p.source_bytes = (real && forward) || copies_reals ? 8 : 16;
  p.sink_bytes = (real && !forward) || copies_reals ? 8 : 16;
  p.source = dense(source, p.source_bytes);
  p.sink = dense(sink, p.sink_bytes);
  p.cached_bytes = d.once_in(2) ? 0 : local::usual_cached_bytes;
  p.threads = d.small(1, 3);
  if (d.once_in(2)) p.telling = {d.small(0, 2), {1}};
  return p;
}

/// Scaling apart, what a pass without operations does between what is done by hand.
TEST(operations, are_done_on_load_and_on_store) {
  dice d(3);
  for (int draw = 0; draw < 600; ++draw) {
    SCOPED_TRACE("draw " + std::to_string(draw));
    pass_problem p = random_pass(d);
    // Devices call no functions of the host.
    std::vector<const local::engine*> all(local::engines().begin(), local::engines().end());
    std::erase_if(all, [](const auto* e) { return e->for_lines() == nullptr; });
    const auto& by = *d.pick(all);
    memory from(at(volume(p.source.shape)) * p.source_bytes / sizeof(double));
    for (auto& x : from) x = d.unit() - 0.5;
    const bool loads = d.once_in(2), stores = !loads || d.once_in(2), scales = d.once_in(2);
    pass_problem plain = p;
    if (scales) {
      p.storing.emplace_back(local::scaling{0.3});
      plain.storing = p.storing;
    }
    if (d.once_in(2)) {
      for (const integer n : p.source.shape) p.source_indices.push_back(some_indices(d, n));
      for (const integer n : p.sink.shape) p.sink_indices.push_back(some_indices(d, n));
    }
    if (loads) p.loading.insert(p.loading.begin(), multiply(p.source_bytes));
    if (stores) p.storing.emplace_back(multiply(p.sink_bytes));
    memory by_hand = from;
    if (loads) multiply_all(by_hand, p.source.shape, p.source_indices, p.source_bytes);
    memory wanted = run(plain, by, by_hand);
    if (stores) multiply_all(wanted, p.sink.shape, p.sink_indices, p.sink_bytes);
    if (d.once_in(2)) {
      // From messages that lie one behind the other; along axis 0 that is the same memory.
      const integer blocks = std::min<integer>(p.source.shape[0], 3);
      p.source = messages_along(p.source.shape, 0, blocks, p.source_bytes);
    }
    expect_equal(run(p, by, from), wanted, !by.measures());
    if (HasFatalFailure() || HasFailure()) return;
  }
}

TEST(operations, follow_a_source_that_comes_in_parts) {
  // Parts in the places of those before them: each is brought when the pass reaches it.
  const extents shape{6, 4, 5};
  dice d(8);
  memory all(at(volume(shape)) * 2);
  for (auto& x : all) x = d.unit();
  for (const std::vector<int>& axes : {std::vector<int>{}, {1}, {2, 1}}) {
    for (const int threads : {1, 2}) {
      pass_problem p;
      p.source = p.sink = dense(shape, 16);
      p.source_bytes = p.sink_bytes = 16;
      p.threads = threads;
      for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, shape[at(a)]});
      p.loading.emplace_back(multiply(16));
      p.storing.emplace_back(multiply(16));
      const memory wanted = run(p, local::engine_named("weft"), all);
      p.source = messages_along(shape, 0, 3, 16);
      for (auto& c : p.source.cells) c.offset = 0;
      for (auto& placement : p.source.placements) placement.message = -1;
      p.following = {0, {2, 4}};
      struct ring final : local::arrivals {
        void need(int /*message*/) override {}
        int next() override { return -1; }
        void reach(int number) override {
          std::copy_n(all->begin() + number * static_cast<std::ptrdiff_t>(room.size()), room.size(), room.begin());
        }
        const memory* all = nullptr;
        memory room = memory(2 * 4 * 5 * 2);
      } brought;
      brought.all = &all;
      expect_equal(run(p, local::engine_named("weft"), brought.room, &brought, nullptr), wanted, true);
    }
  }
}

TEST(operations, turn_and_conjugate_what_a_copy_moves) {
  const extents shape{3, 8};
  memory from(at(volume(shape)) * 2);
  dice d(2);
  for (auto& x : from) x = d.unit();
  pass_problem p;
  p.source = p.sink = dense(shape, 16);
  p.source_bytes = p.sink_bytes = 16;
  p.loading.emplace_back(local::turning{1, {1, 8}, direction::forward});
  p.storing.emplace_back(local::conjugation{1, 5});
  p.storing.emplace_back(local::scaling{2});
  const memory got = run(p, local::engine_named("weft"), from);
  for (std::size_t i = 0; i < got.size(); i += 2) {
    const auto k = static_cast<integer>(i / 2) % 8;
    auto value = 2.0 * std::complex(from[i], from[i + 1]) * std::polar(1.0, -M_PI / 4 * static_cast<double>(k));
    if (k >= 5) value = std::conj(value);
    EXPECT_NEAR(got[i], value.real(), 1e-14);
    EXPECT_NEAR(got[i + 1], value.imag(), 1e-14);
  }
}

TEST(operations, that_cannot_be_done_in_order_are_refused) {
  pass_problem good;
  good.source = good.sink = dense({4, 4}, 16);
  good.source_bytes = good.sink_bytes = 16;
  good.transforms = {{1, line_kind::c2c_forward, 4}, {0, line_kind::c2c_forward, 4}};
  const auto expect_refused = [&](const local::operation_list& loading, const local::operation_list& storing) {
    pass_problem p = good;
    p.loading = loading;
    p.storing = storing;
    EXPECT_THROW((void)local::engine_named("weft").make_pass(p), internal_error);
  };
  expect_refused({}, {multiply(16), local::scaling{2}});
  expect_refused({local::scaling{2}, multiply(16)}, {});
  expect_refused({}, {local::conjugation{1, 2}});  // the transform of axis 0 comes after it
  expect_refused({local::conjugation{0, 2}}, {});
  expect_refused({}, {local::turning{2, {1, 8}}});
  expect_refused({}, {local::turning{1, {1, 8}}, local::turning{1, {1, 8}}});
}

/// An engine without real transforms.
class complex_only final : public local::line_engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "half-done"; }
  [[nodiscard]] bool has(line_kind kind) const override { return kind == line_kind::c2c_forward; }
  [[nodiscard]] int lanes(line_kind, integer, precision) const override { return 1; }
  [[nodiscard]] std::unique_ptr<local::kernel> make_kernel(const local::line_problem& problem) const override {
    return local::engine_named("reference").for_lines()->make_kernel(problem);
  }
};

TEST(engines, say_which_kinds_they_lack) {
  pass_problem p;
  p.source = dense({4}, 8);
  p.sink = dense({3}, 16);
  p.source_bytes = 8;
  p.sink_bytes = 16;
  p.transforms = {{0, line_kind::r2c, 4}};
  try {
    (void)complex_only().make_pass(p);
    FAIL() << "no error";
  } catch (const applicability_error& e) {
    EXPECT_NE(std::string(e.what()).find("'half-done'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("r2c"), std::string::npos) << e.what();
  }
}

TEST(engines, cut_passes_for_shapes_past_any_memory) {
  const integer n = integer{1} << 40;
  const std::vector<local::axis_transform> transforms{
      {2, line_kind::c2c_forward, n}, {1, line_kind::c2c_forward, n}, {0, line_kind::c2c_forward, n}};
  for (const auto* e : local::engines()) {
    EXPECT_EQ(e->transforms_in_one_pass(transforms, {n, n, n}, precision::f64), 1U) << e->name();
  }
}

/// In either order: passes backward are those of forward.
TEST(engines, give_the_innermost_lines_as_many_others_as_fit) {
  const auto& engine = local::engine_named("weft");
  const auto counts = [&](const std::vector<int>& axes, const extents& shape) {
    std::vector<local::axis_transform> transforms;
    for (const int a : axes) transforms.push_back({a, line_kind::c2c_forward, shape[at(a)]});
    std::vector<std::size_t> found;
    for (auto rest = std::span<const local::axis_transform>(transforms); !rest.empty();) {
      found.push_back(engine.transforms_in_one_pass(rest, shape, precision::f64));
      rest = rest.subspan(found.back());
    }
    return found;
  };
  using numbers = std::vector<std::size_t>;
  EXPECT_EQ(counts({2, 1, 0}, {72, 72, 72}), (numbers{2, 1}));
  EXPECT_EQ(counts({0, 1, 2}, {72, 72, 72}), (numbers{1, 2}));
  EXPECT_EQ(counts({2, 1, 0}, {72, 60, 60, 3}), (numbers{2, 1})) << "behind components, too";
  EXPECT_EQ(counts({0, 1, 2}, {72, 60, 60, 3}), (numbers{1, 2}));
  EXPECT_EQ(counts({0, 1, 2}, {64, 64, 64}), (numbers{2, 1})) << "elements that meet in one set of a cache";
  EXPECT_EQ(counts({0, 1, 2}, {32, 64, 64}), (numbers{1, 2})) << "unless they are few";
  EXPECT_EQ(counts({5, 4, 3, 2, 1, 0}, {16, 16, 16, 16, 16, 16}), (numbers{4, 2}));
  EXPECT_EQ(counts({0, 1, 2, 3, 4, 5}, {16, 16, 16, 16, 16, 16}), (numbers{2, 4}));
  EXPECT_EQ(counts({0, 1, 2}, {16, 16, 16}), (numbers{3})) << "no more passes than must be";
}

TEST(engines, change_elements_at_the_ends_of_a_pass) {
  constexpr auto forward = line_kind::c2c_forward;
  struct example {
    std::vector<line_kind> kinds;
    std::size_t first_pass;
  };
  for (const auto& [kinds, count] :
       {example{{forward, forward, forward}, 3}, example{{line_kind::r2c, forward, forward}, 3},
        example{{forward, forward, line_kind::c2r}, 3}, example{{forward, line_kind::c2r, forward}, 1}}) {
    std::vector<local::axis_transform> transforms;
    for (int l = 0; l < 3; ++l) transforms.push_back({l, kinds[at(l)], 4});
    EXPECT_EQ(local::engine_named("weft").transforms_in_one_pass(transforms, {4, 4, 4}, precision::f64), count);
  }
  pass_problem p;
  p.source = p.sink = dense({4, 4, 4}, 16);
  p.source_bytes = p.sink_bytes = 16;
  p.transforms = {{0, forward, 4}, {1, line_kind::r2c, 4}};
  EXPECT_THROW((void)local::engine_named("weft").make_pass(p), internal_error) << "r2c of complex elements";
  p.transforms = {{0, line_kind::r2c, 4}};
  EXPECT_THROW((void)local::engine_named("weft").make_pass(p), internal_error) << "source elements of another size";
}

/// Brings messages when they are asked for, and writes down what happens.
struct witness final : local::arrivals, local::departures {
  witness(const memory& whole, integer messages) : all(whole), room(whole.size(), NAN), count(messages) {}
  void need(int message) override {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    const auto size = static_cast<integer>(all.size()) / count;
    std::copy_n(all.begin() + message * size, size, room.begin() + message * size);
    if (events.find("need " + std::to_string(message)) == std::string::npos) {
      events += "need " + std::to_string(message) + ", ";
    }
  }
  int next() override { return -1; }
  void stored(integer end) override { events += "stored " + std::to_string(end) + ", "; }

  const memory& all;
  memory room;
  integer count;
  std::thread::id caller = std::this_thread::get_id();
  std::string events;
};

TEST(threads, ask_for_messages_when_tiles_need_them) {
  const extents shape{4, 6, 5};
  dice d(4);
  memory all(at(volume(shape)) * 2);
  for (auto& x : all) x = d.unit();
  struct example {
    std::vector<int> axes;
    std::string events;
  };
  // Cut along axis 0: a message at a time, unless lines run through all of them.
  for (const auto& [axes, events] :
       {example{{2}, "need 0, stored 2, need 1, stored 4, "}, example{{2, 1}, "need 0, stored 2, need 1, stored 4, "},
        example{{0}, "need 0, need 1, "}, example{{1, 0}, "need 0, need 1, "}}) {
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE(events + std::to_string(threads) + " threads");
      pass_problem p;
      p.source = p.sink = dense(shape, 16);
      p.source_bytes = p.sink_bytes = 16;
      for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, shape[at(a)]});
      const memory wanted = run(p, local::engine_named("weft"), all);
      p.threads = threads;
      p.telling = {0, {2, 4}};
      p.source = messages_along(shape, 0, 2, 16);
      witness seen(all, 2);
      const memory got = run(p, local::engine_named("weft"), seen.room, &seen, &seen);
      EXPECT_EQ(seen.events, events);
      expect_equal(got, wanted, true);
    }
  }
}

TEST(threads, hand_exceptions_to_the_caller) {
  for (const std::vector<int>& axes : {std::vector<int>{}, {1}, {1, 0}}) {
    for (const int threads : {1, 3}) {
      pass_problem p;
      p.source = p.sink = dense({4, 6, 5}, 16);
      p.source_bytes = p.sink_bytes = 16;
      p.threads = threads;
      for (const int a : axes) p.transforms.push_back({a, line_kind::c2c_forward, p.sink.shape[at(a)]});
      p.storing.emplace_back(local::pointwise([](const element_line&) { throw std::bad_alloc(); }));
      EXPECT_THROW((void)run(p, local::engine_named("weft"), memory(at(volume(p.sink.shape)) * 2)), std::bad_alloc);
    }
  }
}

}  // namespace
}  // namespace weft::testing
