// SPDX-License-Identifier: BSD-3-Clause
// The native engine against the definition of the transform, through every kind of access map.
#include <gtest/gtest.h>

#include "lines.hpp"
#include "targets.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

/// Few lanes are compared with the definition, which is slow; memory is checked everywhere.
template <class T>
void check(line_kind kind, integer n, int lanes, layout in, cut in_pieces, layout out, cut out_pieces) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " length " + std::to_string(n) + " lanes " +
               std::to_string(lanes) + " bytes " + std::to_string(sizeof(T)) + " in " +
               std::to_string(static_cast<int>(in)) + "/" + std::to_string(static_cast<int>(in_pieces)) + " out " +
               std::to_string(static_cast<int>(out)) + "/" + std::to_string(static_cast<int>(out_pieces)));
  std::mt19937 random(static_cast<unsigned>(n));
  guarded_lines<T> from(in, in_pieces, input_count(kind, n), lanes, real_input(kind));
  guarded_lines<T> to(out, out_pieces, output_count(kind, n), lanes, real_output(kind));
  from.fill_random(random);
  const double scale = 0.75;
  call<T>({kind, n, precision_of<T>, lanes, in == layout::lines && out == layout::lines}, from.lines(), to.lines(),
          scale);
  const std::vector<int> checked = n > 500 ? std::vector{lanes - 1} : std::vector{0, lanes / 2, lanes - 1};
  for (const int lane : checked) {
    line want = expected(kind, n, from.line_of_lane(lane));
    for (integer i = 0; i < output_count(kind, n); ++i) {
      want[at(i)] *= to.holds(i) ? static_cast<wide>(scale) : 0;
    }
    ASSERT_LT(distance(to.line_of_lane(lane), want), tolerance<T>(n)) << "lane " << lane;
  }
  ASSERT_TRUE(from.surroundings_intact());
  ASSERT_TRUE(to.surroundings_intact());
}

constexpr line_kind all_kinds[] = {line_kind::c2c_forward, line_kind::c2c_backward, line_kind::r2c, line_kind::c2r};
constexpr layout all_layouts[] = {layout::rows, layout::lines, layout::scattered};
constexpr cut all_cuts[] = {cut::whole, cut::steps, cut::blocks, cut::hole, cut::start};

template <class T>
int usual_lanes(line_kind kind = line_kind::c2c_forward) {
  return weft_engine().lanes(kind, 64, precision_of<T>);
}

using native = every_target;

template <class T>
void check_lengths(integer first, integer last) {
  for (integer n = first; n <= last; ++n) {
    for (const line_kind kind : all_kinds) {
      check<T>(kind, n, usual_lanes<T>(), layout::rows, cut::whole, layout::rows, cut::whole);
      check<T>(kind, n, usual_lanes<T>(), layout::lines, cut::whole, layout::lines, cut::whole);
    }
  }
}

TEST_P(native, agrees_with_the_definition_at_every_short_length) {
  check_lengths<double>(1, 200);
  check_lengths<float>(1, 200);
}

TEST_P(native, agrees_with_the_definition_at_selected_lengths) {
  for (const integer n : {210, 243, 256,  289,  300,  360,  384,  500,  509,  512,  625,  674, 700,
                          720, 768, 1000, 1009, 1024, 1155, 1536, 2048, 2310, 2187, 4001, 4096}) {
    for (const line_kind kind : all_kinds) {
      check<double>(kind, n, usual_lanes<double>(), layout::rows, cut::whole, layout::lines, cut::whole);
      check<float>(kind, n, usual_lanes<float>(), layout::lines, cut::whole, layout::rows, cut::whole);
    }
  }
}

TEST_P(native, honours_every_access_map) {
  for (const integer n : {1, 2, 3, 5, 8, 15, 16, 17, 26, 34, 48, 60, 101, 128}) {
    for (const line_kind kind : all_kinds) {
      for (const layout in : all_layouts) {
        for (const layout out : all_layouts) {
          for (const cut in_pieces : all_cuts) {
            for (const cut out_pieces : all_cuts) {
              check<double>(kind, n, usual_lanes<double>(), in, in_pieces, out, out_pieces);
              check<float>(kind, n, usual_lanes<float>(), in, in_pieces, out, out_pieces);
            }
          }
        }
      }
    }
  }
}

TEST_P(native, takes_any_number_of_lanes) {
  for (int lanes = 1; lanes <= 37; ++lanes) {
    for (const line_kind kind : all_kinds) {
      for (const layout in : all_layouts) {
        for (const integer n : {7, 16, 24, 48, 103}) {
          check<double>(kind, n, lanes, in, cut::whole, in, cut::whole);
          check<float>(kind, n, lanes, in, cut::steps, in, cut::blocks);
        }
      }
    }
  }
}

TEST_P(native, has_cosine_and_sine_transforms_of_every_length) {
  std::vector<integer> lengths{97, 128, 194, 202, 251, 256};
  for (integer n = 1; n <= 50; ++n) lengths.push_back(n);
  for (const integer n : lengths) {
    for (const line_kind kind : trigonometric_kinds) {
      if (n < row_of(kind).least_length) continue;
      check<double>(kind, n, usual_lanes<double>(kind), layout::rows, cut::whole, layout::rows, cut::whole);
      check<float>(kind, n, usual_lanes<float>(kind), layout::lines, cut::whole, layout::lines, cut::whole);
    }
  }
}

TEST_P(native, takes_real_lines_through_any_map) {
  for (const integer n : {2, 3, 9, 16, 34}) {
    for (const line_kind kind : trigonometric_kinds) {
      for (const layout in : all_layouts) {
        for (const layout out : all_layouts) {
          for (const cut pieces : all_cuts) {
            check<double>(kind, n, usual_lanes<double>(kind), in, pieces, out, cut::whole);
            check<float>(kind, n, usual_lanes<float>(kind) - 3, in, cut::blocks, out, pieces);
          }
        }
      }
    }
  }
}

/// The last lanes may be loaded for company only.
template <class T>
void check_fewer_stored(line_kind kind, integer n, layout how, int loaded, int stored) {
  SCOPED_TRACE("length " + std::to_string(n) + " kind " + std::to_string(static_cast<int>(kind)) + " lanes " +
               std::to_string(loaded) + " to " + std::to_string(stored));
  std::mt19937 random(static_cast<unsigned>(n));
  guarded_lines<T> from(how, cut::whole, input_count(kind, n), loaded, real_input(kind));
  guarded_lines<T> to(how, cut::whole, output_count(kind, n), stored, real_output(kind));
  from.fill_random(random);
  call<T>({kind, n, precision_of<T>, loaded, how == layout::lines}, from.lines(), to.lines(), 1);
  for (int lane = 0; lane < stored; ++lane) {
    ASSERT_LT(distance(to.line_of_lane(lane), expected(kind, n, from.line_of_lane(lane))), tolerance<T>(n));
  }
  ASSERT_TRUE(to.surroundings_intact());
}

TEST_P(native, stores_fewer_lanes_than_it_loads) {
  for (const integer n : {5, 16, 30, 64}) {
    for (const line_kind kind : all_kinds) {
      for (const layout how : all_layouts) {
        const int lanes = usual_lanes<double>();
        for (int stored = 1; stored < lanes; stored += 2) check_fewer_stored<double>(kind, n, how, lanes, stored);
        check_fewer_stored<float>(kind, n, how, usual_lanes<float>(), 3);
        check_fewer_stored<float>(kind, n, how, usual_lanes<float>() + 5, 2);
      }
    }
  }
}

/// The output overwrites the input through a map of its own: a square block is transposed.
template <class T>
void check_in_place(line_kind kind, integer n, layout in, layout out, int lanes) {
  SCOPED_TRACE("in place, length " + std::to_string(n) + " kind " + std::to_string(static_cast<int>(kind)) + " in " +
               std::to_string(static_cast<int>(in)) + " out " + std::to_string(static_cast<int>(out)));
  const integer longest = std::max(real_input(kind) ? n / 2 + 1 : n, real_output(kind) ? n / 2 + 1 : n);
  guarded_lines<T> from(in, cut::whole, input_count(kind, n), lanes, real_input(kind),
                        real_input(kind) ? 2 * longest + 1 : longest);
  guarded_lines<T> to(out, cut::whole, output_count(kind, n), lanes, real_output(kind),
                      real_output(kind) ? 2 * longest + 1 : longest);
  std::mt19937 random(static_cast<unsigned>(n));
  from.fill_random(random);
  std::vector<line> want;
  for (int lane = 0; lane < lanes; ++lane) want.push_back(expected(kind, n, from.line_of_lane(lane)));
  // Both maps on one piece of memory, large enough for either.
  const std::size_t bytes = at(sizeof(T) * 2 * at(2 * longest + 3) * at(lanes + 1) * 2);
  const aligned_scratch shared(bytes);
  guarded_lines<T> input = from;
  from.move_runs(shared.memory);
  for (integer i = 0; i < input_count(kind, n); ++i) {
    for (int lane = 0; lane < lanes; ++lane) {
      const run& r = from.lines().runs[0];
      const wide_complex value = input.get(i, lane);
      const T parts[2] = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
      std::memcpy(r.address + i * r.stride + lane * r.lane_stride, parts, real_input(kind) ? sizeof(T) : sizeof(parts));
    }
  }
  to.move_runs(shared.memory);
  call<T>({kind, n, precision_of<T>, lanes, in == layout::lines && out == layout::lines}, from.lines(), to.lines(), 1);
  for (int lane = 0; lane < lanes; ++lane) {
    line got;
    for (integer i = 0; i < output_count(kind, n); ++i) {
      const run& r = to.lines().runs[0];
      T parts[2] = {};
      std::memcpy(parts, r.address + i * r.stride + lane * r.lane_stride,
                  real_output(kind) ? sizeof(T) : sizeof(parts));
      got.emplace_back(parts[0], parts[1]);
    }
    ASSERT_LT(distance(got, want[at(lane)]), tolerance<T>(n)) << "lane " << lane;
  }
}

TEST_P(native, loads_all_before_it_stores) {
  for (const integer n : {1, 2, 8, 12, 16, 17, 60, 64, 103, 256}) {
    for (const line_kind kind : all_kinds) {
      for (const layout in : all_layouts) {
        for (const layout out : all_layouts) {
          for (const int lanes : {3, 8, 16, 20}) {
            check_in_place<double>(kind, n, in, out, lanes);
            check_in_place<float>(kind, n, in, out, lanes);
          }
        }
      }
    }
  }
}

/// The same results with hints as without. `offset` elements from alignment.
template <class T>
void check_hints(line_kind kind, layout how, integer n, integer offset) {
  SCOPED_TRACE("length " + std::to_string(n) + " kind " + std::to_string(static_cast<int>(kind)));
  const int lanes = usual_lanes<T>();
  const std::size_t size = at((n + 2) * lanes * 2 + 16) * sizeof(T);
  const aligned_scratch from(size);
  const aligned_scratch plain(size);
  const aligned_scratch hinted(size);
  std::mt19937 random(1);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (std::size_t i = 0; i < size / sizeof(T); ++i) reinterpret_cast<T*>(from.memory)[i] = uniform(random);
  std::memset(plain.memory, 0, size);
  std::memset(hinted.memory, 0, size);
  const auto runs = [&](std::byte* where, integer count, bool real) {
    const integer bytes = real ? sizeof(T) : 2 * sizeof(T);
    const bool rows = how == layout::rows;
    return std::vector<run>{
        {where + offset * bytes, 0, 1, count, rows ? bytes * lanes : bytes, rows ? bytes : bytes * count}};
  };
  const auto in = runs(from.memory, input_count(kind, n), real_input(kind));
  const auto out = runs(plain.memory, output_count(kind, n), real_output(kind));
  const auto hinted_out = runs(hinted.memory, output_count(kind, n), real_output(kind));
  const line_problem problem{kind, n, precision_of<T>, lanes, false};
  call<T>(problem, {in, lanes}, {out, lanes}, 1);
  call<T>(problem, {in, lanes, in, false}, {hinted_out, lanes, {}, true}, 1);
  EXPECT_EQ(std::memcmp(plain.memory, hinted.memory, size), 0);
}

TEST_P(native, hints_change_nothing) {
  for (const integer n : {1, 4, 12, 16, 30, 52, 60, 64, 96, 100, 104, 120, 256, 320, 1024}) {
    for (const layout how : {layout::rows, layout::lines}) {
      for (const line_kind kind : all_kinds) {
        for (const integer offset : {0, 1}) {
          check_hints<double>(kind, how, n, offset);
          check_hints<float>(kind, how, n, offset);
        }
      }
    }
  }
}

TEST_P(native, refuses_what_it_cannot_do) {
  EXPECT_THROW((void)weft_engine().make_kernel({line_kind::c2c_forward, 0, precision::f64, 8, false}), argument_error);
  EXPECT_THROW((void)weft_engine().make_kernel({line_kind::c2c_forward, 8, precision::f64, 0, false}), argument_error);
  EXPECT_THROW((void)weft_engine().make_kernel({line_kind::dct1, 1, precision::f64, 8, false}), argument_error);
  guarded_lines<double> few(layout::rows, cut::whole, 8, 40, false);
  EXPECT_THROW(call<double>({line_kind::c2c_forward, 8, precision::f64, 8, false}, few.lines(), few.lines(), 1),
               argument_error);
}

INSTANTIATE_TEST_SUITE_P(targets, native, ::testing::ValuesIn(runnable_targets()), target_name);

/// Roundings add up like a random walk over the levels of butterflies. The most seen is 0.55 epsilon per level, at
/// large primes, which are done by convolution.
template <class T>
void check_accuracy(integer n) {
  const wide walk = std::numeric_limits<T>::epsilon() * std::sqrt(1 + std::log2(static_cast<wide>(n)));
  EXPECT_LT(error_of_random_lines<T>(n, native_transform<T>), 0.75L * walk) << "length " << n << " bytes " << sizeof(T);
}

TEST(native_accuracy, is_that_of_the_rounding) {
  for (const integer n : lengths_for_accuracy()) {
    check_accuracy<double>(n);
    check_accuracy<float>(n);
  }
}

}  // namespace
}  // namespace weft::local
