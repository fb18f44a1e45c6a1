// SPDX-License-Identifier: BSD-3-Clause
// Redistribution on real ranks: every engine moves every element to its place, bit for bit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "brute.hpp"
#include "checker.hpp"
#include "exchange/engine.hpp"
#include "mpi_support.hpp"
#include "planner/limits.hpp"
#include "weft/device.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"
#include "weft/redistribution.hpp"
#include "weft/version.hpp"

namespace weft::testing {
namespace {

/// Byte k of the element with global number n: every rank knows it without asking.
std::byte byte_of(integer n, std::size_t k) {
  auto z = static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15U + k * 0xbf58476d1ce4e5b9U + 1;
  z ^= z >> 29U;
  return static_cast<std::byte>(z * 0x94d049bb133111ebU >> 56U);
}

/// One rank's part of an array of elements of any size, seen through a layout.
struct local_array {
  extents numbers;
  extents addresses;
  integer elements = 0;

  local_array(const distribution& d, const layout& l, integer batch = 1, bool interleaved = false) {
    const extents shape = d.local_shape(world_rank());
    const layout full = resolved(l, shape, batch, interleaved);
    const auto one = global_numbers(d, world_rank());
    for (integer b = 0; b < batch; ++b) {
      for (const integer n : one) numbers.push_back(n + b * volume(d.shape()));
      each_tuple(shape, [&](const extents& i) {
        integer address = full.offset + (batch > 1 ? b * full.strides[0] : 0);
        for (std::size_t k = 0; k < i.size(); ++k) address += i[k] * full.strides[full.strides.size() - i.size() + k];
        addresses.push_back(address);
        elements = std::max(elements, address + 1);
      });
    }
  }
  void fill(std::byte* memory, std::size_t bytes) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t k = 0; k < bytes; ++k) memory[at(addresses[i]) * bytes + k] = byte_of(numbers[i], k);
    }
  }
  [[nodiscard]] int wrong(const std::byte* memory, std::size_t bytes) const {
    int count = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t k = 0; k < bytes; ++k)
        count += memory[at(addresses[i]) * bytes + k] != byte_of(numbers[i], k) ? 1 : 0;
    }
    return count;
  }
  void allow(std::vector<bool>& mask, std::size_t bytes) const {
    mask.resize(std::max(mask.size(), at(elements) * bytes), false);
    for (const integer a : addresses) {
      for (std::size_t k = 0; k < bytes; ++k) mask[at(a) * bytes + k] = true;
    }
  }
};

struct random_move {
  extents shape;
  distribution from, to;
  std::size_t bytes = 1;
  redistribution_options how;
  planner::test_limits limits;

  explicit random_move(dice& d) {
    shape = random_shape(d, d.small(1, 5), 1500);
    from = random_distribution(d, shape, world_size());
    to = d.once_in(10) ? from : random_distribution(d, shape, world_size());
    bytes = d.pick(std::vector<std::size_t>{1, 3, 4, 8, 16, 24});
    how.in_place = d.once_in(4);
    how.destroy_input = d.once_in(3);
    how.batch = d.once_in(3) ? d.between(2, 4) : 1;
    how.interleaved = d.once_in(2);
    if (d.once_in(3)) limits.count = 5;
    if (d.once_in(3)) limits.cells_per_box = 1;
    const bool strided = d.once_in(3);
    dice own(d.word() + static_cast<std::uint64_t>(world_rank()));
    if (strided) {
      how.input_layout = random_layout(own, from.local_shape(world_rank()));
      how.output_layout = random_layout(own, to.local_shape(world_rank()));
    }
  }
  [[nodiscard]] std::string text() const {
    return from.text() + " to " + to.text() + " of " + to_text(shape) + ", elements of " + std::to_string(bytes) +
           " bytes, batch " + std::to_string(how.batch) + (how.interleaved ? " interleaved" : "") + ", engine " +
           how.exchange + (how.in_place ? ", in place" : "") + ", count limit " + std::to_string(limits.count);
  }
};

void check_move(const random_move& m) {
  const local_array in(m.from, m.how.input_layout, m.how.batch, m.how.interleaved),
      out(m.to, m.how.output_layout, m.how.batch, m.how.interleaved);
  planner::limits() = m.limits;
  redistribution move(m.from, m.to, m.bytes, world(), m.how);
  const std::size_t in_bytes = at(in.elements) * m.bytes, out_bytes = at(out.elements) * m.bytes;
  guarded source(m.how.in_place ? std::max(in_bytes, out_bytes) : in_bytes, 0),
      target(m.how.in_place ? 0 : out_bytes, 0);
  guarded& result = m.how.in_place ? source : target;
  std::vector<bool> read, written;
  in.allow(read, m.bytes);
  out.allow(written, m.bytes);
  for (int repeat = 0; repeat < 2; ++repeat) {
    in.fill(source.data(), m.bytes);
    source.remember();
    result.remember();
    if (repeat == 0) {
      move(std::span<const std::byte>(source.data(), source.size()),
           std::span<std::byte>(result.data(), result.size()));
    } else {
      move(static_cast<const void*>(source.data()), static_cast<void*>(result.data()));
    }
    EXPECT_EQ(out.wrong(result.data(), m.bytes), 0) << "bytes are wrong in run " << repeat;
    if (m.how.in_place) {
      written.resize(std::max(read.size(), written.size()), false);
      for (std::size_t i = 0; i < read.size(); ++i) written[i] = written[i] || read[i];
    } else {
      EXPECT_EQ(source.changed(m.how.destroy_input ? read : std::vector<bool>()), 0U) << "the input changed";
    }
    EXPECT_EQ(result.changed(written), 0U) << "bytes around the output changed";
  }

  // What leaves this rank, counted element by element; what stays is no message.
  integer leaving = 0;
  std::vector<bool> stays(at(m.how.batch * volume(m.shape)), false), peers(at(world_size()), false);
  for (const integer n : out.numbers) stays[at(n)] = true;
  for (const integer n : in.numbers) leaving += stays[at(n)] ? 0 : 1;
  for (int r = 0; r < world_size(); ++r) {
    if (r == world_rank()) continue;
    std::vector<bool> theirs(stays.size(), false);
    for (const integer n : global_numbers(m.to, r)) theirs[at(n)] = true;
    for (const integer n : in.numbers) peers[at(r)] = peers[at(r)] || theirs[at(n)];
  }
  EXPECT_EQ(move.bytes(), leaving * static_cast<integer>(m.bytes));
  const auto others = std::count(peers.begin(), peers.end(), true);
  // Through shared memory, ranks of a node exchange elements but no messages.
  const auto& engine = exchange::engine_named(m.how.exchange);
  if (engine.shares) {
    EXPECT_LE(move.messages(), others);
  } else if (engine.cuts || engine.lingers) {
    EXPECT_GE(move.messages(), others) << "messages are cut, never joined";
  } else {
    EXPECT_EQ(move.messages(), others);
  }
}

TEST(redistributions, may_be_empty_until_they_are_assigned) {
  redistribution move;
  EXPECT_FALSE(move);
  std::byte none{};
  EXPECT_THROW(move(&none, &none), argument_error);
  EXPECT_THROW((void)move.messages(), argument_error);
  const auto from = distribution::parse("[b0]", {7}, grid({world_size()}));
  move = redistribution(from, distribution::parse("[c0]", {7}, grid({world_size()})), 1, world());
  EXPECT_TRUE(move);
  const redistribution other = std::move(move);
  EXPECT_TRUE(other);
  EXPECT_FALSE(move);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)move.bytes(), argument_error);
}

TEST(redistributions, every_engine_moves_every_element_to_its_place) {
  const auto all = seeds(25, 5000 + static_cast<std::uint64_t>(world_size()));
  for (const auto seed : all) {
    auto names = exchange_names();
    if (on_one_node()) names.emplace_back("ipc");
    names.emplace_back("staged");
    for (const auto& engine : names) {
      dice d(seed);
      random_move m(d);
      m.how.exchange = engine;
      if (exchange::engine_named(engine).on_device) {
        m.how.device = "emulated";
        m.bytes = (m.bytes + 3) / 4 * 4;
      }
      SCOPED_TRACE(m.text() + "; " + rerun(seed));
      try {
        check_move(m);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
      if (failed_anywhere()) {
        ADD_FAILURE() << rerun(seed) << " on " << world_size() << " ranks, " << engine;
        return;
      }
    }
  }
  EXPECT_GE(exchange_names().size(), 4U);
}

TEST(redistributions, typed_arrays_say_what_they_are) {
  const extents shape{6, 5, 4};
  const grid on({world_size()});
  const auto from = distribution::parse("[b0 * *]", shape, on), to = distribution::parse("[* * c0]", shape, on);
  for (const bool interleaved : {false, true}) {
    const auto lying = [&](const distribution& d) { return resolved({}, d.local_shape(world_rank()), 3, interleaved); };
    redistribution move(from, to, sizeof(double), world(), {.batch = 3, .interleaved = interleaved});
    array<double> a(from, world_rank(), 3, lying(from)), b(to, world_rank(), 3, lying(to));
    const auto value = [&](auto i, integer c) { return static_cast<double>(100 * (i[0] * 20 + i[1] * 4 + i[2]) + c); };
    a.for_each([&](auto i, double& v, integer c) { v = value(i, c); });
    move(a, b);
    b.for_each([&](auto i, double& v, integer c) { EXPECT_EQ(v, value(i, c)); });
    for (integer c = 0; c < 3 && b.size() > 0; ++c) {
      EXPECT_EQ(b.view(c)(0, 1, 0), value(extents{0, 1, b.indices(2)[0]}, c));
    }
    array<float> narrow(from, world_rank(), 3, lying(from)), there(to, world_rank(), 3, lying(to));
    EXPECT_THROW(move(narrow, there), buffer_error);
    array<double> single(from, world_rank());
    EXPECT_THROW(move(single, b), buffer_error);
    array<double> otherwise(from, world_rank(), 3, resolved({}, from.local_shape(world_rank()), 3, !interleaved));
    EXPECT_THROW(move(otherwise, b), buffer_error);
  }
  EXPECT_THROW(redistribution(from, to, 8, world(), {.batch = 0}), argument_error);
}

/// By a real device, too, if one is named.
TEST(redistributions, move_arrays_of_devices) {
  const char* const named = std::getenv("WEFT_DEVICE");
  const std::string device = named != nullptr ? named : "emulated";
  const auto planned = [&](const char* in) {
    return c2c<float>({.shape = {6, 7, 5}, .batch = 2, .in = wanted(in)}, world(), {.device = device});
  };
  const auto a = planned("[b0 * *]"), b = planned("[* c0 *]");
  auto x = a.make_input(), y = b.make_input();
  auto there = x.to_host();
  const auto value = [](std::span<const integer> i, integer n) {
    return std::complex<float>(static_cast<float>(n), static_cast<float>(100 * i[0] + 10 * i[1] + i[2]));
  };
  for_each_on_device(there, [&](const integer* i, std::complex<float>& v, integer n) { v = value({i, 3}, n); });
  x.assign(there);
  redistribution move(a.input(), b.input(), sizeof(std::complex<float>), world(), {.device = device, .batch = 2});
  move(x, y);
  auto here = y.to_host();
  int wrong = 0;
  here.for_each(
      [&](std::span<const integer> i, std::complex<float>& v, integer n) { wrong += v != value(i, n) ? 1 : 0; });
  EXPECT_EQ(wrong, 0);
  EXPECT_THROW(redistribution(a.input(), b.input(), 3, world(), {.device = device}), applicability_error);
}

TEST(redistributions, lowered_count_limits_change_no_bit) {
  const extents shape{24, 10, 6};
  const grid on({world_size()});
  const distribution from = distribution::parse("[b0 * *]", shape, on), to = distribution::parse("[* c0 *]", shape, on);
  const local_array in(from, {}), out(to, {});
  for (const auto& engine : exchange_names()) {
    for (const integer limit : {2, 3, 5, 7, 1000}) {
      redistribution_options how;
      how.exchange = engine;
      planner::limits().count = limit;
      redistribution move(from, to, 8, world(), how);
      std::vector<std::byte> a(at(in.elements) * 8 + 1), b(at(out.elements) * 8 + 1);
      in.fill(a.data(), 8);
      move(static_cast<const void*>(a.data()), static_cast<void*>(b.data()));
      EXPECT_EQ(out.wrong(b.data(), 8), 0) << engine << " count limit " << limit;
      if (failed_anywhere()) return;
    }
  }
  planner::limits() = {};
}

TEST(redistributions, in_place_with_other_strides_moves_on_the_rank) {
  // The same distribution in another layout: nothing to send, but elements to move.
  const extents shape{6, 4 * world_size()};
  const distribution d = distribution::parse("[* b0]", shape, grid({world_size()}));
  redistribution_options how;
  how.in_place = true;
  how.output_layout = {{1, 6}, 2};
  const local_array in(d, {}), out(d, how.output_layout);
  redistribution move(d, d, 3, world(), how);
  std::vector<std::byte> memory(at(std::max(in.elements, out.elements)) * 3);
  in.fill(memory.data(), 3);
  move(memory, memory);
  EXPECT_EQ(out.wrong(memory.data(), 3), 0);
  EXPECT_EQ(move.bytes(), 0);
  EXPECT_EQ(move.messages(), 0);
}

TEST(redistributions, plans_can_be_moved) {
  const extents shape{8, 8};
  const grid on({world_size()});
  const distribution from = distribution::parse("[b0 *]", shape, on), to = distribution::parse("[* b0]", shape, on);
  const local_array in(from, {}), out(to, {});
  redistribution first(from, to, 4, world());
  redistribution second = std::move(first);
  redistribution third(to, from, 4, world());
  third = std::move(second);
  std::vector<std::byte> a(at(in.elements) * 4 + 1), b(at(out.elements) * 4 + 1);
  in.fill(a.data(), 4);
  third(a, b);
  EXPECT_EQ(out.wrong(b.data(), 4), 0);
}

}  // namespace
}  // namespace weft::testing
