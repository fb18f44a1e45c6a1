// SPDX-License-Identifier: BSD-3-Clause
// Misuse: every rank throws the same type with the same text, none waits, and Weft works afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "base/error.hpp"
#include "device/device.hpp"
#include "local/engine.hpp"
#include "mpi_support.hpp"
#include "weft/weft.hpp"

namespace weft::testing {
namespace {

std::string outcome_of(const std::function<void()>& call) {
  try {
    call();
    return "no error";
  } catch (const error& e) {
    return std::to_string(static_cast<int>(e.code())) + ": " + e.what();
  } catch (const std::exception& e) {
    return std::string("not an error of Weft: ") + e.what();
  }
}

/// After a failure everything must still work: forward and backward of something ordinary.
void expect_usable() {
  c2c<double> p({6, 5, 4}, world());
  auto x = p.make_input();
  auto y = p.make_output();
  x.for_each([](std::span<const integer> i, std::complex<double>& v) { v = i[0] + i[1] + i[2] == 0 ? 1.0 : 0.0; });
  p.forward(x, y);
  double wrong = 0;
  for (const auto& v : y) wrong += std::abs(v - 1.0);
  EXPECT_LT(sum_of(wrong), 1e-12) << "the transform of a unit impulse is one everywhere";
}

/// All ranks make `call`, which must fail everywhere alike, with this code and these words.
void expect_error(error_code code, const std::vector<std::string>& words, const std::function<void()>& call) {
  const std::string mine = outcome_of(call);
  EXPECT_EQ(mine.substr(0, mine.find(':')), std::to_string(static_cast<int>(code))) << mine;
  for (const auto& word : words) EXPECT_NE(mine.find(word), std::string::npos) << "'" << word << "' in: " << mine;
  const auto all = texts_of_all(mine);
  for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], all[0]) << "rank " << r << " differs from rank 0";
  expect_usable();
}

void make(const problem& what, const options& how = {}) { const plan made(what, world(), how); }

int last() { return world_size() - 1; }
bool on_last() { return world_rank() == last(); }

TEST(errors, shapes_and_axes) {
  expect_error(error_code::bad_argument, {"shape"}, [] { make({.shape = {}}); });
  expect_error(error_code::bad_argument, {"-4", "0 or more"}, [] { make({.shape = {8, -4}}); });
  expect_error(error_code::bad_argument, {"2^63"}, [] { make({.shape = {integer{1} << 40, integer{1} << 40}}); });
  expect_error(error_code::bad_argument, {"axes"}, [] { make({.shape = extents(20, 2)}); });
  expect_error(error_code::bad_argument, {"axis 3"}, [] { make({.shape = {4, 4, 4}, .axes = {0, 3}}); });
  expect_error(error_code::bad_argument, {"axis -1"}, [] { make({.shape = {4, 4, 4}, .axes = {-1}}); });
  expect_error(error_code::bad_argument, {"axis 1", "twice"}, [] { make({.shape = {4, 4, 4}, .axes = {1, 1}}); });
  expect_error(error_code::bad_argument, {"batch 0"}, [] { make({.shape = {4, 4}, .batch = 0}); });
  expect_error(error_code::bad_argument, {"c2c"}, [] { make({.shape = {4, 4}, .real_axis = 1}); });
  expect_error(error_code::bad_argument, {"real axis 0"}, [] {
    make({.shape = {4, 4}, .kind = transform_kind::r2c, .axes = {1}, .real_axis = 0});
  });
}

TEST(errors, kinds) {
  const auto with = [](const std::vector<std::string>& kinds, transform_kind arrays) {
    return [=] { make({.shape = {4, 1}, .kind = arrays, .kinds = kinds}); };
  };
  constexpr auto c2c = transform_kind::c2c, r2c = transform_kind::r2c, r2r = transform_kind::r2r;
  expect_error(error_code::unknown_name, {"'dct5'", "dct4", "none"}, with({"dct5", "none"}, r2r));
  expect_error(error_code::bad_argument, {"dct2", "2 axes"}, with({"dct2"}, r2r));
  expect_error(error_code::bad_argument, {"dct1", "at least 2", "axis 1 has 1"}, with({"dct2", "dct1"}, r2r));
  expect_error(error_code::bad_argument, {"r2c more than once"}, with({"r2c", "r2c"}, r2c));
  expect_error(error_code::bad_argument, {"no axis"}, with({"none", "none"}, c2c));
  expect_error(error_code::bad_argument, {"weft::r2r", "is c2c"}, with({"dst1", "none"}, c2c));
  expect_error(error_code::bad_argument, {"weft::c2c", "is r2r"}, with({"dst1", "c2c"}, r2r));
  expect_error(error_code::bad_argument, {"weft::r2c", "is c2c"}, with({"dst1", "r2c"}, c2c));
  expect_error(error_code::bad_argument, {"kinds", "one for each axis"}, with({}, r2r));
  expect_error(error_code::bad_argument, {"together with axes"}, [] {
    make({.shape = {4, 4}, .kind = transform_kind::r2r, .kinds = {"dct2", "none"}, .axes = {0}});
  });
}

TEST(errors, modes) {
  const auto with = [](const extents& modes, const std::vector<int>& axes = {}) {
    return [=] { make({.shape = {6, 8}, .axes = axes, .modes = modes}); };
  };
  expect_error(error_code::bad_argument, {"modes 4", "2", "each"}, with({4}));
  expect_error(error_code::bad_argument, {"modes 4x9", "axis 1", "from 1 to 8"}, with({4, 9}));
  expect_error(error_code::bad_argument, {"modes 0x8", "axis 0", "from 1 to 6"}, with({0, 8}));
  expect_error(error_code::bad_argument, {"axis 1 is not transformed", "8"}, with({4, 4}, {0}));
  expect_error(error_code::not_applicable, {"keep all their elements and modes"}, [] {
    make({.shape = {64, 64}, .modes = {64, 32}, .in = "[c0 *]"}, {.algorithm = "cyclic"});
  });
}

TEST(errors, distributions) {
  const problem cube{.shape = {8, 8, 8}};
  const auto with_in = [&](const wanted& in) {
    problem p = cube;
    p.in = in;
    return [p] { make(p); };
  };
  const auto with_out = [&](const wanted& out) {
    problem p = cube;
    p.out = out;
    return [p] { make(p); };
  };
  expect_error(error_code::bad_distribution, {"2 terms", "8x8x8"}, with_in("[b0 *]"));
  expect_error(error_code::bad_distribution, {"'q'"}, with_in("[q0 * *]"));
  expect_error(error_code::bad_distribution, {"twice"}, with_out("[b0 b0 *]"));
  expect_error(error_code::bad_distribution, {"slabs"}, with_in("slabs"));
  expect_error(error_code::bad_argument, {"same"}, with_in("same"));
  const std::string needs = std::to_string(world_size() + 1);
  expect_error(error_code::bad_distribution, {"needs " + needs}, with_in("[b0 * *]@" + needs));
  expect_error(error_code::bad_distribution, {"needs " + needs}, with_out("[b0 * *]@" + needs));
  expect_error(error_code::bad_distribution, {"overlap", "ranks 0 and 1"}, with_in("bricks{0:8,0:8,0:5; 0:8,0:8,4:8}"));
  expect_error(error_code::bad_distribution, {"256 of the 512"}, with_in("bricks{0:8,0:8,0:4}"));
  expect_error(error_code::bad_distribution, {"8x8x9", "8x8x8"},
               with_in(distribution::parse("[b0 * *]", {8, 8, 9}, grid({1}))));
  expect_error(error_code::bad_distribution, {"8x8x8", "8x8x5"}, [&] {
    problem p = cube;
    p.kind = transform_kind::r2c;
    p.out = distribution::parse("[b0 * *]", {8, 8, 8}, grid({1}));
    make(p);
  });
}

TEST(errors, non_tiling_boxes) {
  expect_error(error_code::bad_distribution, {"overlap", "ranks 0 and 1", "one rank"}, [] {
    (void)distribution::bricks({4, 4}, {{{0, 0}, {3, 4}}, {{2, 0}, {4, 4}}});
  });
}

TEST(errors, names) {
  const problem p{.shape = {8, 8, 8}};
  expect_error(error_code::unknown_name, {"'slub'", "slab"}, [&] { make(p, {.algorithm = "slub"}); });
  expect_error(error_code::unknown_name, {"'pigeon'", "alltoallv"}, [&] { make(p, {.exchange = "pigeon"}); });
  expect_error(error_code::unknown_name, {"'abacus'", "reference"}, [&] { make(p, {.local = "abacus"}); });
  expect_error(error_code::not_applicable, {"pencil"}, [] { make({.shape = {8, 8}}, {.algorithm = "pencil"}); });
}

TEST(errors, devices) {
  const problem p{.shape = {8, 8, 8}};
  expect_error(error_code::unknown_name, {"'abacus'", "cuda"}, [&] { make(p, {.device = "abacus"}); });
  expect_error(error_code::unknown_name, {"'cuda:x'", "cuda:NUMBER"}, [&] { make(p, {.device = "cuda:x"}); });
  expect_error(error_code::unknown_name, {"'emulated:0'"}, [&] { make(p, {.device = "emulated:0"}); });
  expect_error(error_code::not_applicable, {"'nccl'", "a card for each rank"},
               [&] { make(p, {.exchange = "nccl", .device = "emulated"}); });
  if (world_size() > 1) {
    expect_error(error_code::mismatch, {"device"}, [&] { make(p, {.device = on_last() ? "emulated" : "cpu"}); });
  }
  expect_error(error_code::not_applicable, {"'ipc'", "'cpu'"}, [&] { make(p, {.exchange = "ipc"}); });
  expect_error(error_code::not_applicable, {"'weft'", "'emulated'", "'gpu'"},
               [&] { make(p, {.local = "weft", .device = "emulated"}); });
  std::string name;
  const std::string reason = device::why_no_device("cuda", name);
  if (reason.empty()) {
    EXPECT_EQ(outcome_of([&] { make(p, {.device = "cuda"}); }), "no error") << name;
  } else {
    expect_error(error_code::device_failure, {"'cuda'", reason}, [&] { make(p, {.device = "cuda"}); });
    // Ranks may have cards of other numbers.
    const std::string card = "cuda:" + std::to_string(world_rank());
    expect_error(error_code::device_failure, {"'cuda:0'", reason}, [&] { make(p, {.device = card}); });
  }
}

/// A real one, if it is named, or the one that the host plays.
const device::device& device_to_test() {
  const char* const named = std::getenv("WEFT_DEVICE");
  return device::device_named(named != nullptr ? named : "emulated", world_rank());
}

TEST(errors, devices_with_little_memory) {
  options how{.exchange = "staged", .device = std::string(device_to_test().kind())};
  const auto transform = [&](const extents& shape) {
    // Where the planner may choose, it finds something else.
    const c2c<double> p({.shape = shape, .in = "[b0 * *]", .out = "[* b0 *]"}, world(), how);
    const auto x = p.make_input(), y = p.make_output();
  };
  if (how.device != "emulated") {
    expect_error(error_code::bad_buffer, {"device's memory", "free"}, [&] { transform({8192, 8192, 8192}); });
    return;
  }
  for (const std::int64_t room : {0, 5000, 40000}) {  // for tables, workspace and arrays
    if (on_last()) device::limit_emulated(device::emulated().free_bytes() > 0 ? room : 0);
    expect_error(error_code::bad_buffer, {"device's memory", "free"}, [&] { transform({24, 25, 26}); });
    if (on_last()) device::limit_emulated(std::numeric_limits<std::int64_t>::max());
  }
}

TEST(errors, devices_get_their_memory_back) {
  const auto& on = device_to_test();
  const auto use = [&] {
    for (const char* const exchange : {"ipc", "staged"}) {
      if (!on_one_node()) continue;
      r2c<double> p({64, 60, 58}, world(), {.exchange = exchange, .device = std::string(on.kind())});
      auto x = p.make_input();
      auto y = p.make_output();
      p.forward(x, y);
      p.backward(y, x);
      redistribution move(p.input(), p.input(), 8, world(), {.device = std::string(on.kind())});
    }
  };
  use();  // whatever is loaded once
  (void)sum_of(0);
  const auto before = on.free_bytes();
  for (int k = 0; k < 3; ++k) use();
  (void)sum_of(0);  // blocks that others have open are kept until they have closed them
  use();
  (void)sum_of(0);
  const auto lost = before - on.free_bytes();
  // A real one gives memory back in large pieces, and its other ranks use it too.
  EXPECT_LE(lost, on.has_handles() ? std::int64_t{64} << 20 : 0);
}

TEST(errors, builds_without_fftw) {
  const auto names = local_names();
  const auto with_fftw = [] { make({.shape = {8, 8, 8}}, {.local = "fftw"}); };
  if (std::find(names.begin(), names.end(), "fftw") != names.end()) {
    EXPECT_EQ(outcome_of(with_fftw), "no error");
  } else {
    expect_error(error_code::unknown_name, {"'fftw'", "auto, weft, reference, gpu", "-DWEFT_FFTW=ON"}, with_fftw);
  }
}

TEST(errors, tolerances_of_messages) {
  const auto plan_with = [](double tolerance, bool deterministic, const std::string& device) {
    options how;
    how.message_tolerance = tolerance;
    how.deterministic = deterministic;
    how.device = device;
    make({.shape = {8, 8, 8}}, how);
  };
  expect_error(error_code::bad_argument, {"message tolerance", "-0.5"}, [&] { plan_with(-0.5, false, "cpu"); });
  expect_error(error_code::bad_argument, {"message tolerance", "nan"}, [&] { plan_with(NAN, false, "cpu"); });
  expect_error(error_code::bad_argument, {"deterministic"}, [&] { plan_with(1e-6, true, "cpu"); });
  expect_error(error_code::not_applicable, {"devices"}, [&] { plan_with(1e-6, false, "emulated"); });
}

TEST(errors, patience_with_peers) {
  for (const double seconds : {-1.0, double{NAN}}) {
    options how;
    how.peer_timeout = seconds;
    expect_error(error_code::bad_argument, {"peer timeout", "0 or more"}, [&] { make({.shape = {8, 8}}, how); });
  }
}

TEST(errors, deterministic_plans_by_engines_that_time) {
  const auto plan_by = [](std::string_view name) {
    make({.shape = {8, 8, 8}}, {.local = std::string(name), .deterministic = true});
  };
  for (const auto* const engine : local::engines()) {
    const std::string name(engine->name());
    if (engine->measures()) {
      expect_error(error_code::not_applicable, {"'" + name + "'", "deterministic"}, [&] { plan_by(name); });
    } else {
      EXPECT_EQ(outcome_of([&] { plan_by(name); }), "no error") << name;
    }
  }
}

TEST(errors, grids) {
  const problem p{.shape = {8, 8, 8}};
  const std::string more = std::to_string(world_size() + 1);
  expect_error(error_code::bad_argument, {more + "x1", "points"}, [&] { make(p, {.grid = more + "x1"}); });
  expect_error(error_code::bad_argument, {"0"}, [&] { make(p, {.grid = "0x2"}); });
  expect_error(error_code::bad_argument, {"'two'"}, [&] { make(p, {.grid = "two"}); });
  expect_error(error_code::bad_argument, {"more axes"},
               [&] { make(p, {.grid = std::to_string(world_size()) + "x1x1x1"}); });
  expect_error(error_code::bad_distribution, {"grid axis 1"}, [&] {
    make({.shape = {8, 8, 8}, .in = "[b0 b1 *]"}, {.grid = std::to_string(world_size())});
  });
}

TEST(errors, options) {
  expect_error(error_code::bad_argument, {"threads = -1"}, [] { make({.shape = {8, 8}}, {.threads = -1}); });
}

TEST(errors, communicators) {
  expect_error(error_code::bad_argument, {"MPI_COMM_NULL"}, [] { const c2c<double> p({4, 4}, MPI_COMM_NULL); });
  expect_error(error_code::bad_argument, {"MPI_COMM_NULL"}, [] {
    const distribution d = distribution::parse("[*]", {4}, grid({1}));
    const redistribution r(d, d, 8, MPI_COMM_NULL);
  });
}

TEST(errors, a_span_too_small_on_one_rank) {
  c2c<double> p({4 * world_size(), 8}, world(), {.algorithm = "slab", .idle_ranks = false});
  const auto one = static_cast<std::size_t>(p.input_elements()), two = static_cast<std::size_t>(p.output_elements());
  std::vector<std::complex<double>> in(one), out(two);
  const auto cut = [&](std::vector<std::complex<double>>& v) {
    return std::span(v.data(), v.size() - (on_last() ? 1 : 0));
  };
  const std::string rank = "rank " + std::to_string(last());
  expect_error(error_code::bad_buffer, {"input", rank}, [&] { p.forward(cut(in), std::span(out)); });
  expect_error(error_code::bad_buffer, {"output", rank}, [&] { p.forward(std::span(in), cut(out)); });
  expect_error(error_code::bad_buffer, {rank}, [&] { p.backward(cut(out), std::span(in)); });
  EXPECT_NO_THROW(p.forward(std::span(in), std::span(out)));
}

TEST(errors, aliased_memory_on_one_rank) {
  c2c<double> p({4 * world_size(), 8}, world(), {.algorithm = "slab", .idle_ranks = false});
  const auto most = static_cast<std::size_t>(std::max(p.input_elements(), p.output_elements()));
  std::vector<std::complex<double>> in(most), out(most);
  expect_error(error_code::bad_buffer, {"same memory"},
               [&] { p.forward(std::span(in), on_last() ? std::span(in) : std::span(out)); });
  c2c<double> q({4 * world_size(), 8}, world(), {.algorithm = "slab", .idle_ranks = false, .in_place = true});
  expect_error(error_code::bad_buffer, {"in place"},
               [&] { q.forward(std::span(in), on_last() ? std::span(out) : std::span(in)); });
}

/// Who has nothing on one side may keep both in one piece of memory, where they begin at the same address.
TEST(errors, are_none_where_one_of_two_arrays_at_an_address_is_empty) {
  using complex = std::complex<double>;
  const auto d = distribution::parse("[b0 *]", {1, 4 * world_size()}, grid({world_size()}));
  const auto e = distribution::parse("[* b0]", {1, 4 * world_size()}, grid({world_size()}));
  std::vector<complex> memory(static_cast<std::size_t>(8 * world_size()));
  const auto behind = [&](const distribution& first) { return memory.data() + first.local_size(world_rank()); };
  redistribution move(d, e, sizeof(complex), world());
  EXPECT_NO_THROW(move(memory.data(), behind(d)));
  redistribution back(e, d, sizeof(complex), world());
  EXPECT_NO_THROW(back(memory.data(), behind(e)));
  c2c<double> p({.shape = {1, 4 * world_size()}, .in = d, .out = e}, world());
  EXPECT_NO_THROW(p.forward(memory.data(), behind(d)));
  EXPECT_NO_THROW(p.backward(memory.data() + d.local_size(world_rank()), memory.data()));
}

TEST(errors, arrays_that_overlap_on_one_rank) {
  using complex = std::complex<double>;
  const std::string rank = "overlap on rank " + std::to_string(last());
  c2c<double> p({4 * world_size(), 8}, world(), {.algorithm = "slab", .idle_ranks = false});
  const auto most = static_cast<std::size_t>(std::max(p.input_elements(), p.output_elements()));
  std::vector<complex> memory(3 * most);
  complex* const in = memory.data() + most;
  const auto shifted = [&](std::ptrdiff_t elements) {
    return on_last() ? in + elements : memory.data() + 2 * most;  // apart on the others
  };
  for (const std::ptrdiff_t by : {std::ptrdiff_t{1}, static_cast<std::ptrdiff_t>(most) - 1, std::ptrdiff_t{-1}}) {
    expect_error(error_code::bad_buffer, {rank, "in_place"}, [&] { p.forward(in, shifted(by)); });
    expect_error(error_code::bad_buffer, {rank}, [&] { p.backward(shifted(by), in); });
    expect_error(error_code::bad_buffer, {rank}, [&] { (void)p.start_forward(in, shifted(by)); });
    expect_error(error_code::bad_buffer, {rank}, [&] { p.forward(std::span(in, most), std::span(shifted(by), most)); });
  }
  EXPECT_NO_THROW(p.forward(memory.data(), in)) << "side by side";

  const auto d = distribution::parse("[b0 *]", {4 * world_size(), 8}, grid({world_size()}));
  const auto e = distribution::parse("[* b0]", {4 * world_size(), 8}, grid({world_size()}));
  redistribution move(d, e, sizeof(complex), world());
  expect_error(error_code::bad_buffer, {rank}, [&] { move(in, shifted(1)); });
  expect_error(error_code::bad_buffer, {"null pointer", "rank " + std::to_string(last())},
               [&] { move(in, on_last() ? nullptr : memory.data()); });
}

TEST(errors, arrays_woven_into_each_other_lie_apart) {
  // Two components of one field: each lies in the gaps of the other.
  const auto n = static_cast<integer>(4) * world_size();
  const layout every_second{{16, 2}, 0};
  c2c<double> p({.shape = {n, 8}, .in = "[b0 *]@" + std::to_string(world_size()), .out = "same"}, world(),
                {.input_layout = every_second, .output_layout = every_second});
  std::vector<std::complex<double>> field(4 * 16, 1.0);
  p.forward(field.data(), field.data() + 1);
  double wrong = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const double expected = i % 2 == 0 ? 1.0 : i == 1 && world_rank() == 0 ? static_cast<double>(8 * n) : 0.0;
    wrong += std::abs(field[i] - expected);
  }
  EXPECT_LT(sum_of(wrong), 1e-10);
}

TEST(errors, arrays_of_another_plan) {
  c2c<double> p({8, 8}, world()), other({8, 9}, world());
  auto x = p.make_input();
  auto y = other.make_output();
  expect_error(error_code::bad_buffer, {"output", "8x9", "8x8"}, [&] { p.forward(x, y); });
}

TEST(errors, mirror_images_that_would_lie_apart) {
  const int p = world_size();
  if (p == 1) {
    EXPECT_EQ(outcome_of([] {
                make({.shape = {9, 8}, .in = "[z0 *]"});
              }),
              "no error")
        << "on one rank they are together";
    return;
  }
  const integer n = 2 * p + 1;
  const std::vector<std::string> words{"z0", "n = " + std::to_string(n), "p = " + std::to_string(p), "use c0"};
  expect_error(error_code::bad_distribution, words, [&] { make({.shape = {n, 8}, .in = "[z0 *]"}); });
  expect_error(error_code::bad_distribution, words, [&] { make({.shape = {8, n}, .out = "[* z0]"}); });
  expect_error(error_code::bad_distribution, {"h0", "n-1-j", "use c0"}, [&] {
    make({.shape = {n, 8}, .in = "[h0 *]"});
  });
  const problem fits{.shape = {4 * p, 8}, .kind = transform_kind::r2c, .real_axis = 0, .out = "[z0 *]"};
  EXPECT_EQ(outcome_of([&] { make(fits); }), "no error") << "the halved side is judged by the real one";
}

TEST(errors, shapes_beyond_all_memory) {
  const integer large = integer{1} << 31;
  const auto said = [](const problem& p) {
    try {
      make(p);
    } catch (const argument_error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string text = said({.shape = {large, large, large}});
  EXPECT_NE(text.find("2147483648x2147483648x2147483648 "), std::string::npos) << text;
  EXPECT_EQ(text.find("x1 "), std::string::npos) << text;
  EXPECT_NE(said({.shape = {large, large}, .batch = 8}).find("batch 8"), std::string::npos);
  EXPECT_NE(said({.shape = {large, large}}).find("bytes"), std::string::npos) << "counts of bytes are 64-bit too";
}

TEST(errors, a_bad_layout_on_one_rank) {
  const problem p{.shape = {4 * world_size(), 8}, .in = "[b0 *]"};
  options how;
  if (on_last()) how.input_layout = {{1, 1}, 0};
  expect_error(error_code::bad_argument, {"share an address", "4x8"}, [&] { make(p, how); });
  options wrong_count;
  if (on_last()) wrong_count.output_layout = {{8, 4, 2, 1}, 0};
  expect_error(error_code::bad_argument, {"8x4x2x1"}, [&] { make(p, wrong_count); });
  options negative;
  if (on_last()) negative.input_layout.offset = -3;
  expect_error(error_code::bad_argument, {"-3"}, [&] { make(p, negative); });
}

TEST(errors, ranks_that_disagree) {
  if (world_size() == 1) {
    EXPECT_EQ(outcome_of([] { make({.shape = {4, 4}}); }), "no error");
    return;
  }
  const auto differs = [](const auto& usual, const auto& other) { return on_last() ? other : usual; };
  const std::string rank = "rank " + std::to_string(last());
  expect_error(error_code::mismatch, {"shape", "'8x8'", "'8x9'", rank}, [&] {
    make({.shape = differs(extents{8, 8}, extents{8, 9})});
  });
  expect_error(error_code::mismatch, {"shape", rank}, [&] {
    make({.shape = differs(extents{8, 8}, extents{8, 8, 8})});
  });
  expect_error(error_code::mismatch, {"p2p", rank}, [&] {
    make({.shape = {8, 8}}, {.exchange = differs(std::string("alltoallw"), std::string("p2p"))});
  });
  expect_error(error_code::mismatch, {"nobody", rank}, [&] {
    make({.shape = {8, 8}}, {.exchange = differs(std::string("alltoallw"), std::string("nobody"))});
  });
  expect_error(error_code::mismatch, {"[b0 *]", "[* b0]", rank}, [&] {
    make({.shape = {8, 8}, .in = differs(std::string("[b0 *]"), std::string("[* b0]"))});
  });
  expect_error(error_code::mismatch, {"precision"}, [&] {
    make({.shape = {8, 8}, .element = differs(precision::f32, precision::f64)});
  });
  expect_error(error_code::mismatch, {"r2c"}, [&] {
    make({.shape = {8, 8}, .kind = differs(transform_kind::c2c, transform_kind::r2c)});
  });
  expect_error(error_code::mismatch, {"kinds", "dct2,dst1", "dct2,dst2"}, [&] {
    using names = std::vector<std::string>;
    make(
        {.shape = {8, 8}, .kind = transform_kind::r2r, .kinds = differs(names{"dct2", "dst1"}, names{"dct2", "dst2"})});
  });
  expect_error(error_code::mismatch, {"batch"}, [&] {
    make({.shape = {8, 8}, .batch = differs(integer{1}, integer{2})});
  });
  expect_error(error_code::mismatch, {"in-place", "'false'", "'true'"}, [&] {
    make({.shape = {8, 8}}, {.in_place = differs(false, true)});
  });
  expect_error(error_code::mismatch, {"effort", "'estimate'", "'patient'"}, [&] {
    make({.shape = {8, 8}}, {.planning = differs(effort::estimate, effort::patient)});
  });
  expect_error(error_code::mismatch, {"normalisation", "'none'", "'ortho'"}, [&] {
    make({.shape = {8, 8}}, {.scaling = differs(normalization::none, normalization::ortho)});
  });
}

TEST(errors, redistributions) {
  const grid on({world_size()});
  const distribution a = distribution::parse("[b0 *]", {8, 8}, on), b = distribution::parse("[* b0]", {8, 8}, on);
  const distribution other = distribution::parse("[* b0]", {8, 9}, on);
  const auto move = [](const distribution& from, const distribution& to, std::size_t bytes,
                       const redistribution_options& how = {}) {
    const redistribution made(from, to, bytes, world(), how);
  };
  expect_error(error_code::bad_distribution, {"8x8", "8x9"}, [&] { move(a, other, 8); });
  expect_error(error_code::bad_argument, {"element size", "0"}, [&] { move(a, b, 0); });
  expect_error(error_code::unknown_name, {"'pigeon'"}, [&] { move(a, b, 8, {.exchange = "pigeon"}); });
  const distribution large = distribution::parse("[b0 *]", {8, 8}, grid({world_size() + 1}));
  expect_error(error_code::bad_distribution, {"needs " + std::to_string(world_size() + 1)}, [&] { move(a, large, 8); });
  const distribution tall = distribution::parse("[b0 *]", {4 * world_size(), 8}, on);
  redistribution_options how;
  if (on_last()) how.output_layout = {{1, 1}, 0};
  expect_error(error_code::bad_argument, {"share an address"}, [&] { move(tall, tall, 8, how); });
  redistribution good(tall, tall, 1, world());
  std::vector<std::byte> in(32), out(on_last() ? 31 : 32);
  expect_error(error_code::bad_buffer, {"31", "32", "rank " + std::to_string(last())}, [&] { good(in, out); });
  if (world_size() == 1) return;
  expect_error(error_code::mismatch, {"element size"}, [&] { move(a, b, on_last() ? 8 : 4); });
  expect_error(error_code::mismatch, {"distribution"}, [&] { move(a, on_last() ? a : b, 8); });
}

TEST(errors, every_code_has_its_type) {
  EXPECT_THROW(base::raise(error_code::bad_argument, ""), argument_error);
  EXPECT_THROW(base::raise(error_code::bad_distribution, ""), distribution_error);
  EXPECT_THROW(base::raise(error_code::bad_buffer, ""), buffer_error);
  EXPECT_THROW(base::raise(error_code::mismatch, ""), mismatch_error);
  EXPECT_THROW(base::raise(error_code::unknown_name, ""), name_error);
  EXPECT_THROW(base::raise(error_code::not_applicable, ""), applicability_error);
  EXPECT_THROW(base::raise(error_code::mpi_failure, ""), mpi_error);
  EXPECT_THROW(base::raise(error_code::internal, ""), internal_error);
}

}  // namespace
}  // namespace weft::testing
