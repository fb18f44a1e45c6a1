// SPDX-License-Identifier: BSD-3-Clause
// Transforms that were started and overlap: any engines, in any order of starting, testing and waiting, give the bits
// of the same transforms one after the other. And workspace that plans share, or that is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>

#include "device/device.hpp"
#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

/// A plan, and how its arrays are made.
struct subject_plan {
  explicit subject_plan(const drawn& t) : draw(t), made(t.what, limited(t), t.how) {}

  static MPI_Comm limited(const drawn& t) {
    planner::limits() = t.limits;
    return world();
  }
  /// Of the elements alone.
  [[nodiscard]] std::size_t element_bytes(weft::side which) const {
    const bool of_input = which == weft::side::input;
    const bool real = of_input ? real_input(draw.what) : real_output(draw.what);
    const precision p = draw.what.element;
    return at(of_input ? made.input_elements() : made.output_elements()) * (real ? real_bytes(p) : complex_bytes(p));
  }
  [[nodiscard]] std::size_t bytes(weft::side which) const {
    return draw.how.in_place ? std::max(element_bytes(weft::side::input), element_bytes(weft::side::output))
                             : element_bytes(which);
  }
  /// Of the plan, perhaps shared by the node's ranks, or of this rank.
  [[nodiscard]] memory array(weft::side which) const {
    return draw.shared_arrays ? made.allocate(which) : host_memory(bytes(which));
  }

  drawn draw;
  plan made;
};

void fill(const subject_plan& of, std::byte* to, std::size_t bytes, dice& d) {
  const auto each = [&](auto value) {
    for (std::size_t i = 0; i + sizeof value <= bytes; i += sizeof value) {
      value = static_cast<decltype(value)>(d.unit() - 0.5);
      std::memcpy(to + i, &value, sizeof value);
    }
  };
  of.draw.what.element == precision::f32 ? each(float{}) : each(double{});
}

/// A transform with arrays of its own, and what must come out.
class transform {
 public:
  transform(subject_plan& of, direction way, dice& d) : of_(&of), way_(way) {
    in_ = of.array(from());
    out_ = of.draw.how.in_place ? in_ : of.array(to());
    dice own(d.word() + static_cast<std::uint64_t>(world_rank()));
    fill(of, in_.data(), in_bytes(), own);
    before_.assign(in_.data(), in_.data() + in_bytes());
    now();
    expected_.assign(out_.data(), out_.data() + out_bytes());
    refill();
  }
  transform(transform&&) = default;
  transform& operator=(transform&&) = default;

  void refill() {
    if (!of_->draw.how.in_place && out_bytes() > 0) std::memset(out_.data(), 0, out_bytes());
    if (in_bytes() > 0) std::memcpy(in_.data(), before_.data(), in_bytes());
  }
  void now() {
    way_ == direction::forward ? of_->made.forward(in_.data(), out_.data())
                               : of_->made.backward(in_.data(), out_.data());
  }
  void start() {
    run_ = way_ == direction::forward ? of_->made.start_forward(in_.data(), out_.data())
                                      : of_->made.start_backward(in_.data(), out_.data());
  }
  [[nodiscard]] started& run() { return run_; }
  [[nodiscard]] const subject_plan& of() const { return *of_; }
  [[nodiscard]] bool right() const {
    return out_bytes() == 0 || std::memcmp(out_.data(), expected_.data(), out_bytes()) == 0;
  }

 private:
  [[nodiscard]] weft::side from() const { return way_ == direction::forward ? weft::side::input : weft::side::output; }
  [[nodiscard]] weft::side to() const { return way_ == direction::forward ? weft::side::output : weft::side::input; }
  [[nodiscard]] std::size_t in_bytes() const { return of_->bytes(from()); }
  /// In place, what lies past the elements is anybody's.
  [[nodiscard]] std::size_t out_bytes() const { return of_->element_bytes(to()); }

  subject_plan* of_;
  direction way_;
  memory in_, out_;
  std::vector<std::byte> before_, expected_;
  started run_;
};

drawn draw_for(std::uint64_t seed, const std::string& engine) {
  drawn t = draw_problem(seed, world_size(), 2500);
  t.how.exchange = engine;
  t.how.algorithm = "auto";
  if (t.how.local == "fftw") t.how.local = "weft";  // which measures, and may take other operations
  t.strided = t.padded_real = false;
  t.limits.ranks_per_node = engine == "window" && seed % 2 == 0 ? 0 : t.limits.ranks_per_node;
  return t;
}

/// Others may need the core.
void pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

/// Starts, tests, waits for and forgets transforms of a few plans. What is collective is drawn alike on all ranks,
/// tests are drawn by each rank for itself.
void interleave(std::uint64_t seed, const std::string& engine) {
  dice d(seed), own(seed * 77 + static_cast<std::uint64_t>(world_rank()));
  std::deque<subject_plan> plans;
  for (int k = d.small(1, 3); k > 0; --k) {
    plans.emplace_back(draw_for(d.word(), d.once_in(3) ? d.pick(exchange_names()) : engine));
  }
  std::deque<transform> all;
  for (int k = d.small(2, 6); k > 0; --k) {
    auto& of = plans[at(d.between(0, static_cast<integer>(plans.size()) - 1))];
    all.emplace_back(of, d.once_in(2) ? direction::forward : direction::backward, d);
  }
  std::size_t next = 0;
  std::vector<std::size_t> open;
  while (next < all.size() || !open.empty()) {
    for (const auto k : open) {
      if (own.once_in(3)) (void)all[k].run().test();
    }
    const int what = d.small(0, 5);
    if (what < 3 && next < all.size()) {
      all[next].start();
      open.push_back(next++);
    } else if (what == 3 && next < all.size()) {
      all[next++].now();
    } else if (!open.empty()) {
      const auto which = at(d.between(0, static_cast<integer>(open.size()) - 1));
      auto& run = all[open[which]].run();
      if (d.once_in(4)) {
        run = started();  // waits as it ends
      } else if (d.once_in(3)) {
        while (!run.test()) pause();
      } else {
        run.wait();
      }
      EXPECT_TRUE(run.done());
      EXPECT_TRUE(all[open[which]].right()) << describe(all[open[which]].of().draw);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  // All at once, each rank turning to its runs in an order of its own until all are done.
  for (auto& t : all) t.refill();
  for (auto& t : all) t.start();
  for (std::size_t left = all.size(); left > 0;) {
    left = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      left += all[at(own.between(0, static_cast<integer>(all.size()) - 1))].run().test() ? 0 : 1;
    }
    for (auto& t : all) left += t.run().done() ? 0 : 1;
    pause();
  }
  for (const auto& t : all) EXPECT_TRUE(t.right()) << describe(t.of().draw);
}

TEST(overlaps, of_random_transforms_in_random_order_change_no_bit) {
  const auto engines = exchange_names();
  const auto all = seeds(2 * static_cast<int>(engines.size()), 7000 + static_cast<std::uint64_t>(world_size()));
  for (std::size_t k = 0; k < all.size(); k += engines.size()) {
    const auto seed = all[k];
    for (const auto& engine : engines) {  // a draw for each
      SCOPED_TRACE(engine + ", " + rerun(seed));
      try {
        interleave(seed, engine);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
      if (failed_anywhere()) {
        ADD_FAILURE() << rerun(seed) << " on " << world_size() << " ranks, " << engine;
        return;
      }
    }
  }
}

TEST(overlaps, keep_their_rules) {
  using complex = std::complex<double>;
  std::optional<c2c<double>> p(std::in_place, detail::listed_shape{12, 10, 8}, world());
  auto x = p->make_input(), w = p->make_input();
  auto y = p->make_output(), z = p->make_output(), v = p->make_output();
  x.for_each([](auto i, complex& value) { value = double(i[0] * 3 + i[1] - i[2]); });
  p->forward(x, z);
  {
    auto run = p->start_forward(x, y);
    EXPECT_THROW(p->forward(x, y), buffer_error) << "what a run writes is taken";
    EXPECT_THROW((void)p->start_backward(y, x), buffer_error) << "what a run reads is not written";
    p->backward(z, w);  // another transform meanwhile
    run.wait();
    EXPECT_TRUE(run.done());
    EXPECT_TRUE(run.test());
    run.wait();
  }
  EXPECT_EQ(std::memcmp(y.data(), z.data(), y.span().size_bytes()), 0);
  EXPECT_THROW((void)p->start_forward(x.data(), world_rank() == 0 ? nullptr : y.data()), buffer_error);
  {
    auto run = p->start_forward(x, y);
    auto other = p->start_forward(x, v);  // several may read one array
  }
  EXPECT_EQ(std::memcmp(v.data(), z.data(), z.span().size_bytes()), 0);
  {
    // Rows with gaps, so that nothing is said by where an array ends.
    const auto rows = [](const distribution& of) {
      const extents local = of.local_shape(world_rank());
      return layout{{local[1] * (local[2] + 3), local[2] + 3, 1}, 1};
    };
    const auto in = p->input(), out = p->output();
    c2c<double> spread({.shape = {12, 10, 8}, .in = in, .out = out}, world(),
                       {.input_layout = rows(in), .output_layout = rows(out)});
    auto a = spread.make_input(), b = spread.make_input();
    auto c = spread.make_output(), e = spread.make_output();
    auto run = spread.start_forward(a, c);
    EXPECT_THROW((void)spread.start_forward(b, c), buffer_error) << "what a run writes is taken, gaps or not";
    auto other = spread.start_forward(a, e);
  }
  {
    c2c<double> destroying({12, 10, 8}, world(), {.destroy_input = true});
    auto a = destroying.make_input();
    auto b = destroying.make_output(), c = destroying.make_output();
    auto run = destroying.start_forward(a, b);
    EXPECT_THROW((void)destroying.start_forward(a, c), buffer_error) << "unless it is destroyed";
  }
  c2c<double> on_device({12, 10, 8}, world(), {.device = "emulated"});
  auto on_device_in = on_device.make_input();
  auto on_device_out = on_device.make_output();
  EXPECT_THROW((void)on_device.start_forward(on_device_in, on_device_out), applicability_error);

  // In streams, of which each waits for what a run before it put into another one: they share the workspace.
  int first = 0, second = 0;
  const auto waits = device::emulated_waits();
  on_device.forward(on_device_in, on_device_out, &first);
  on_device.forward(on_device_in, on_device_out, &first);
  EXPECT_EQ(device::emulated_waits(), waits);
  on_device.forward(on_device_in, on_device_out, &second);
  EXPECT_EQ(device::emulated_waits(), waits + 1);
  on_device.backward(on_device_out, on_device_in, &first);
  EXPECT_EQ(device::emulated_waits(), waits + 2) << "backward, too";
  on_device.forward(on_device_in, on_device_out);
  EXPECT_EQ(device::emulated_waits(), waits + 3);
  on_device.forward(on_device_in, on_device_out, &first);
  EXPECT_EQ(device::emulated_waits(), waits + 3) << "the one before was waited for";

  // As many as are allowed, and one more.
  std::vector<array<complex>> results;
  std::vector<started> runs;
  for (int k = 0; k < 32; ++k) results.push_back(p->make_output());
  for (auto& r : results) runs.push_back(p->start_forward(x, r));
  EXPECT_THROW((void)p->start_forward(x, y), argument_error);
  runs.front().wait();
  auto last = p->start_forward(x, y);
  const integer workspace = p->report().workspace_bytes;
  last.wait();
  (void)p->start_forward(x, y).test();
  EXPECT_EQ(p->report().workspace_bytes, workspace) << "what was opened is used again";
  c2c<double> moved = std::move(*p);
  p.reset();
  for (auto& run : runs) run.wait();
  for (auto& r : results) EXPECT_EQ(std::memcmp(r.data(), z.data(), z.span().size_bytes()), 0);
  // A run keeps what it needs of its plan.
  started outlives;
  {
    c2c<double> brief({12, 10, 8}, world(), {.exchange = "p2p"});
    auto a = brief.make_input();
    outlives = moved.start_forward(x, y);
    auto b = brief.make_output();
    auto c = brief.start_forward(a, b);
  }
  outlives.wait();
}

/// Of ranks that share no node, words queue behind messages: what is wrong on one of them is told later, to all.
TEST(overlaps, tell_what_is_wrong_with_a_call_when_it_is_started_or_waited_for) {
  planner::limits().ranks_per_node = 1;
  for (const auto& engine : {"p2p", "pipelined", "streamed", "alltoallv", "nodewise"}) {
    SCOPED_TRACE(engine);
    c2c<double> p(detail::listed_shape{12, 10, 8}, world(), {.exchange = engine, .idle_ranks = false});
    auto x = p.make_input();
    auto expected = p.make_output(), y = p.make_output(), z = p.make_output(), v = p.make_output();
    x.for_each([](auto i, std::complex<double>& value) { value = double(i[0] * 3 + i[1] - i[2]); });
    p.forward(x, expected);
    const auto is_right = [&](const auto& a) {
      return std::memcmp(a.data(), expected.data(), expected.span().size_bytes()) == 0;
    };
    const int culprit = world_size() - 1;
    for (int round = 0; round < 2; ++round) {
      const bool refused = round == 1;
      auto before = p.start_forward(x, y);
      EXPECT_THROW(
          {
            started wrong;
            if (refused && world_rank() == culprit) {
              p.refuse(buffer_error("no such array"), plan::instead_of::start);
            } else {
              wrong = p.start_forward(x.data(), world_rank() == culprit ? nullptr : z.data());
            }
            while (!wrong.test()) pause();
          },
          buffer_error);
      auto after = p.start_forward(x, v);
      after.wait();
      before.wait();
      EXPECT_TRUE(is_right(y) && is_right(v));
      std::ranges::fill(y.span(), 0);
      std::ranges::fill(v.span(), 0);
    }
    if (failed_anywhere()) break;
  }
  planner::limits() = {};
}

/// Ranks of a node know at once what the others say, however many runs are under way, and so do they hear of an error.
TEST(overlaps, refuse_a_call_at_once_where_ranks_share_a_node) {
  for (const auto& engine : {"p2p", "alltoallv", "window"}) {
    SCOPED_TRACE(engine);
    c2c<double> p(detail::listed_shape{12, 10, 8}, world(), {.exchange = engine, .idle_ranks = false});
    auto x = p.make_input();
    auto y = p.make_output(), z = p.make_output(), expected = p.make_output();
    x.for_each([](auto i, std::complex<double>& value) { value = double(i[0] * 3 + i[1] - i[2]); });
    p.forward(x, expected);
    {  // so that more than one execution is known to be free
      auto first = p.start_forward(x, y), second = p.start_forward(x, z);
      first.wait();
      second.wait();
    }
    auto before = p.start_forward(x, y);
    const bool wrong_here = world_rank() == world_size() - 1;
    EXPECT_THROW((void)p.start_forward(x.data(), wrong_here ? nullptr : z.data()), buffer_error);
    if (world_rank() == 0) (void)before.test();
    auto after = p.start_forward(x, z);
    before.wait();
    after.wait();
    for (const auto* a : {&y, &z}) {
      EXPECT_EQ(std::memcmp(a->data(), expected.data(), expected.span().size_bytes()), 0);
    }
    if (failed_anywhere()) break;
  }
}

/// Some ranks may be done with a run that others are not done with: these wait for all words of the next, the others do
/// not. Who has a complaint must then not keep it until it is asked.
TEST(overlaps, tell_what_is_wrong_before_anything_else_is_waited_for) {
  planner::limits().ranks_per_node = 1;
  c2c<double> p(detail::listed_shape{12, 10, 8}, world(), {.exchange = "p2p", .idle_ranks = false});
  auto x = p.make_input();
  auto y = p.make_output(), z = p.make_output(), expected = p.make_output();
  x.for_each([](auto i, std::complex<double>& value) { value = double(i[0] * 3 + i[1] - i[2]); });
  p.forward(x, expected);
  {  // so that a few executions are known to be free, and nobody has to ask
    auto u = p.make_output(), v = p.make_output();
    auto first = p.start_forward(x, y), second = p.start_forward(x, z);
    auto third = p.start_forward(x, u), fourth = p.start_forward(x, v);
    for (auto* run : {&first, &second, &third, &fourth}) run->wait();
    p.start_forward(x, y).wait();
  }
  const bool wrong_here = world_rank() == world_size() - 1;
  for (int round = 0; round < 3; ++round) {
    auto before = p.start_forward(x, y);
    for (int k = 0; k < 200 && !wrong_here && !before.test(); ++k) pause();
    started wrong;
    bool thrown = false;
    try {
      wrong = p.start_forward(x.data(), wrong_here ? nullptr : z.data());
    } catch (const buffer_error&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown || !wrong_here);
    p.forward(x, z);  // which all wait for
    before.wait();
    if (!thrown) {
      EXPECT_THROW(wrong.wait(), buffer_error);
    }
    for (const auto* a : {&y, &z}) {
      EXPECT_EQ(std::memcmp(a->data(), expected.data(), expected.span().size_bytes()), 0);
    }
    if (failed_anywhere()) break;
  }
  planner::limits() = {};
}

/// The bits of a transform there and back.
template <class Plan>
auto results_of(Plan& p) {
  auto x = p.make_input();
  auto y = p.make_output();
  x.for_each([](auto i, auto& v) { v = std::sin(static_cast<double>(i[0] * 7 + i[1] * 3 + i[2])); });
  p.forward(x, y);
  p.backward(y, x);
  std::vector<std::byte> bits;
  const auto add = [&](auto s) {
    const auto bytes = std::as_bytes(s);
    bits.insert(bits.end(), bytes.begin(), bytes.end());
  };
  add(x.span());
  add(y.span());
  return bits;
}

TEST(arenas, are_shared_by_plans) {
  const problem small{.shape = {12, 10, 8}, .out = "same"}, large{.shape = {18, 14, 10}, .out = "same"};
  for (const auto& engine : exchange_names()) {
    SCOPED_TRACE(engine);
    const options alone{.exchange = engine, .idle_ranks = false};
    c2c<double> a(small, world(), alone);
    r2c<double> b(large, world(), alone);
    const auto expected_a = results_of(a), expected_b = results_of(b);
    options together = alone;
    together.workspace = arena::growing();
    c2c<double> c(small, world(), together);
    const std::size_t before = together.workspace.bytes();
    r2c<double> d(large, world(), together);
    EXPECT_GE(together.workspace.bytes(), before);
    const auto held = static_cast<integer>(together.workspace.bytes());
    EXPECT_LE(held, a.report().workspace_bytes + b.report().workspace_bytes);
    c2c<double> another(small, world(), together);
    EXPECT_EQ(static_cast<integer>(together.workspace.bytes()), held) << "there is room for it";
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(results_of(c), expected_a);
      EXPECT_EQ(results_of(d), expected_b);
    }
    if (failed_anywhere()) return;
  }
}

TEST(arenas, lie_in_memory_that_is_given) {
  const problem small{.shape = {12, 10, 8}, .out = "same"}, large{.shape = {18, 14, 10}, .out = "same"};
  for (const auto& engine : exchange_names()) {
    SCOPED_TRACE(engine);
    options how{.exchange = engine, .idle_ranks = false};
    c2c<double> usual(small, world(), how);
    r2c<double> larger(large, world(), how);
    const auto expected = results_of(usual), expected_larger = results_of(larger);
    std::vector<std::byte> memory(1 << 20, std::byte{77});
    const auto inner = std::span(memory).subspan(13, memory.size() - 20);
    how.workspace = arena::over(inner);
    EXPECT_EQ(how.workspace.bytes(), inner.size());
    if (engine == "window" || engine == "nodewise") {
      EXPECT_THROW(c2c<double>(small, world(), how), applicability_error);
      how.exchange = "auto";
      EXPECT_EQ(c2c<double>(small, world(), how).report().exchange.find(engine), std::string::npos);
      continue;
    }
    c2c<double> a(small, world(), how);
    r2c<double> b(large, world(), how);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(results_of(a), expected);
      EXPECT_EQ(results_of(b), expected_larger);
    }
    EXPECT_TRUE(std::ranges::all_of(memory.begin(), memory.begin() + 13, [](auto v) { return v == std::byte{77}; }));
    EXPECT_TRUE(std::ranges::all_of(memory.end() - 7, memory.end(), [](auto v) { return v == std::byte{77}; }));
    how.workspace = arena::over(inner.first(world_rank() == 0 ? 1 : inner.size()));
    EXPECT_THROW(c2c<double>(small, world(), how), buffer_error) << "one rank has too little";
    if (failed_anywhere()) return;
  }
  if (world_size() > 1) {
    options mixed{.exchange = "p2p"};
    if (world_rank() == 0) mixed.workspace = arena::growing();
    EXPECT_THROW(c2c<double>(small, world(), mixed), mismatch_error);
  }
  std::vector<std::byte> memory(64);
  EXPECT_THROW(c2c<double>(small, world(), {.device = "emulated", .workspace = arena::over(memory)}),
               applicability_error);
}

}  // namespace
}  // namespace weft::testing
