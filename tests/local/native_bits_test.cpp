// SPDX-License-Identifier: BSD-3-Clause
// The same bits however lines lie in memory: a line's result depends on the problem and on nothing else.
#include <gtest/gtest.h>

#include "lines.hpp"
#include "local/simd/native.hpp"
#include "targets.hpp"

namespace weft::local {
namespace {

/// How the lines of a bundle lie in memory, and what the kernel is told of it.
struct arrangement {
  layout how = layout::scattered;
  cut pieces = cut::whole;
  int lanes = 1;
  bool aligned = true;
  bool hints = false;
};

std::string text(const arrangement& a) {
  const char* const layouts[] = {"rows", "lines", "scattered"};
  const char* const cuts[] = {"whole", "steps", "blocks", "hole"};
  return std::string(layouts[static_cast<int>(a.how)]) + " " + cuts[static_cast<int>(a.pieces)] + " lanes " +
         std::to_string(a.lanes) + (a.aligned ? " aligned" : "") + (a.hints ? " hints" : "");
}

/// Lines so arranged. Elements are complex or real numbers of type T.
template <class T>
class arranged {
 public:
  arranged(const arrangement& a, integer count, bool real)
      : parts_(real ? 1 : 2), lanes_(a.lanes), memory_(at((count + 20) * (a.lanes + 17) * 2 * parts_) * sizeof(T)) {
    const integer bytes = parts_ * static_cast<integer>(sizeof(T));
    const auto pitch = [&](integer elements) {
      return a.aligned ? (elements * bytes + 63) / 64 * 64 : (elements + 1) * bytes;
    };
    switch (a.how) {
      case layout::rows: stride_ = pitch(a.lanes), lane_stride_ = bytes; break;
      case layout::lines: stride_ = bytes, lane_stride_ = pitch(count); break;
      case layout::scattered: stride_ = 2 * bytes, lane_stride_ = bytes * (2 * count + 3); break;
    }
    std::byte* at = memory_.memory + (a.aligned ? 0 : bytes);
    const auto add = [&](integer first, integer step, integer terms) {
      if (terms <= 0) return;
      runs_.push_back({at, first, step, terms, stride_, lane_stride_});
      at += terms * stride_;
    };
    if (a.pieces == cut::whole) {
      add(0, 1, count);
    } else if (a.pieces == cut::blocks) {
      const integer first = count >= 32 ? count / 32 * 16 : count / 2 + 1;
      add(0, 1, first);
      add(first, 1, count - first);
    } else {
      for (const integer start : {2, 0, 1}) add(start, 3, (count - start + 2) / 3);
    }
  }

  [[nodiscard]] std::span<const run> runs() const { return runs_; }
  void put(const std::vector<T>& line, int lane) const {
    each(lane, [&](std::byte* where, integer index) {
      std::memcpy(where, line.data() + index * parts_, at(parts_) * sizeof(T));
    });
  }
  [[nodiscard]] std::vector<T> get(int lane) const {
    std::vector<T> line;
    each(lane, [&](const std::byte* where, integer index) {
      line.resize(std::max(line.size(), at((index + 1) * parts_)));
      std::memcpy(line.data() + index * parts_, where, at(parts_) * sizeof(T));
    });
    return line;
  }

 private:
  template <class Body>
  void each(int lane, const Body& body) const {
    for (const run& r : runs_) {
      for (integer j = 0; j < r.count; ++j) {
        body(r.address + j * r.stride + lane * r.lane_stride, r.first + j * r.step);
      }
    }
  }

  integer parts_;
  int lanes_;
  integer stride_ = 0, lane_stride_ = 0;
  aligned_scratch memory_;
  std::vector<run> runs_;
};

/// Random numbers, and lines whose results have zeros in them: even the signs of these must agree.
template <class T>
std::vector<std::vector<T>> sample_lines(std::size_t reals, int count) {
  std::mt19937 random(static_cast<unsigned>(reals));
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<std::vector<T>> all;
  for (int l = 0; l < count; ++l) {
    std::vector<T> x(reals);
    for (std::size_t i = 0; i < reals; ++i) {
      switch (l % 8) {
        case 1: x[i] = 0; break;
        case 2: x[i] = 1; break;
        case 3: x[i] = i == 2 || i == 5 ? T{1} : T{0}; break;
        case 4: x[i] = -T{0}; break;
        case 5: x[i] = i % 4 < 2 ? T{1} : T{-1}; break;
        default: x[i] = uniform(random);
      }
    }
    all.push_back(std::move(x));
  }
  return all;
}

template <class T>
class comparison {
 public:
  explicit comparison(const line_problem& problem)
      : problem_(problem),
        kernel_(weft_engine().make_kernel(problem)),
        scratch_(kernel_->scratch_bytes()),
        lines_(sample_lines<T>(at(inputs() * (real_input(problem.kind) ? 1 : 2)), problem.lanes)) {
    for (int l = 0; l < problem.lanes; ++l) wanted_.push_back(transformed({}, {}, l).front());
  }

  /// All lines at once, side by side or in `loops` groups; false if the kernel takes none that lie so.
  bool check_grid(const arrangement& in, const arrangement& out, int loops) {
    const arranged<T> from(in, inputs(), real_input(problem_.kind));
    const arranged<T> to(out, output_count(problem_.kind, problem_.length), real_output(problem_.kind));
    const run &source = from.runs().front(), &sink = to.runs().front();
    const integer lanes = in.lanes / loops;
    const line_grid::loop again{loops, lanes * source.lane_stride, lanes * sink.lane_stride};
    line_grid lines{{source.address, source.stride, source.lane_stride},
                    {sink.address, sink.stride, sink.lane_stride},
                    lanes,
                    {&again, loops > 1 ? 1U : 0U},
                    in.hints,
                    out.hints};
    if (!kernel_->takes(lines)) return false;
    for (int l = 0; l < in.lanes; ++l) from.put(lines_[at(l)], l);
    kernel_->transform(lines, scratch_.memory);
    for (int l = 0; l < loops * lanes; ++l) {
      const auto found = to.get(l), &wanted = wanted_[at(l)];
      if (found.size() == wanted.size() && std::memcmp(found.data(), wanted.data(), found.size() * sizeof(T)) == 0) {
        continue;
      }
      ADD_FAILURE() << "grid " << text(in) << " to " << text(out) << ", line " << l << " of " << loops << " groups";
      return true;
    }
    return true;
  }

  void check(const arrangement& in, const arrangement& out) {
    for (int first = 0; first + in.lanes <= problem_.lanes; first += in.lanes) {
      const auto found = transformed(in, out, first);
      for (int l = 0; l < out.lanes; ++l) {
        const auto &a = found[at(l)], &b = wanted_[at(first + l)];
        if (a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) continue;
        FAIL() << text(in) << " to " << text(out) << ", line " << first + l;
      }
    }
  }

 private:
  [[nodiscard]] integer inputs() const { return input_count(problem_.kind, problem_.length); }

  std::vector<std::vector<T>> transformed(const arrangement& in, const arrangement& out, int first) const {
    const arranged<T> from(in, inputs(), real_input(problem_.kind));
    const arranged<T> to(out, output_count(problem_.kind, problem_.length), real_output(problem_.kind));
    for (int l = 0; l < in.lanes; ++l) from.put(lines_[at(first + l)], l);
    const auto next = in.hints ? from.runs() : std::span<const run>{};
    kernel_->transform({from.runs(), in.lanes, next}, {to.runs(), out.lanes, {}, out.hints}, scratch_.memory);
    std::vector<std::vector<T>> results;
    for (int l = 0; l < out.lanes; ++l) results.push_back(to.get(l));
    return results;
  }

  line_problem problem_;
  std::unique_ptr<kernel> kernel_;
  aligned_scratch scratch_;
  std::vector<std::vector<T>> lines_, wanted_;
};

constexpr line_kind all_kinds[] = {line_kind::c2c_forward, line_kind::c2c_backward, line_kind::r2c, line_kind::c2r};

/// A result is the same alone, scattered over memory, as in any company.
template <class T>
void compare_arrangements(line_problem problem) {
  const int width = weft_engine().lanes(problem.kind, problem.length, precision_of<T>);
  problem.element = precision_of<T>;
  problem.lanes = width + 3;
  SCOPED_TRACE("length " + std::to_string(problem.length) + " kind " + std::to_string(static_cast<int>(problem.kind)) +
               " bytes " + std::to_string(sizeof(T)) + (problem.lines_contiguous ? " contiguous" : " strided") +
               " operations " + std::to_string(problem.loading.size()) + "+" + std::to_string(problem.storing.size()));
  problem.storing.emplace_back(scaling{0.3});
  comparison<T> all(problem);
  const auto both = [&](const arrangement& a) { all.check(a, a); };
  for (const layout how : {layout::rows, layout::lines}) {
    for (const bool aligned : {true, false}) {
      for (const bool hints : {true, false}) {
        both({how, cut::whole, width, aligned, hints});
        all.check({how, cut::whole, width, aligned, hints}, {how, cut::blocks, width, aligned, hints});
      }
    }
    both({how, cut::blocks, width});
    both({how, cut::steps, width});
    both({how, cut::whole, problem.lanes});
    both({how, cut::whole, width - 1});
  }
  for (const layout in : {layout::rows, layout::lines, layout::scattered}) {
    for (const layout out : {layout::rows, layout::lines, layout::scattered}) {
      if (in != out) all.check({in, cut::whole, width}, {out, cut::whole, width});
    }
  }
}

/// How many of the ways in which a grid can lie the kernel takes.
template <class T>
int compare_grids(line_problem problem) {
  problem.element = precision_of<T>;
  problem.lanes = 2 * weft_engine().lanes(problem.kind, problem.length, precision_of<T>) + 6;
  problem.storing.emplace_back(scaling{0.3});
  SCOPED_TRACE("length " + std::to_string(problem.length) + " kind " + std::to_string(static_cast<int>(problem.kind)) +
               " bytes " + std::to_string(sizeof(T)) + (problem.lines_contiguous ? " contiguous" : " strided"));
  comparison<T> all(problem);
  int taken = 0;
  for (const layout how : {layout::rows, layout::lines}) {
    for (const bool aligned : {true, false}) {
      for (const int lanes : {1, problem.lanes / 2, problem.lanes}) {
        for (const int loops : {1, 2}) {
          if (lanes % loops != 0) continue;
          taken += all.check_grid({how, cut::whole, lanes, aligned}, {how, cut::whole, lanes, aligned}, loops) ? 1 : 0;
        }
      }
    }
    // Hints: what is loaded is prefetched, rows that are aligned are streamed.
    const int full = problem.lanes / 8 * 8;
    taken += all.check_grid({how, cut::whole, full, true, true}, {how, cut::whole, full, true, true}, 1) ? 1 : 0;
  }
  return taken;
}

template <class T>
void compare_lanes(line_problem problem) {
  problem.element = precision_of<T>;
  problem.lanes = weft_engine().lanes(problem.kind, problem.length, precision_of<T>) + 1;
  problem.storing.emplace_back(scaling{0.3});
  comparison<T> all(problem);
  for (int lanes = 1; lanes <= problem.lanes; ++lanes) {
    for (const layout how : {layout::rows, layout::lines}) {
      all.check({how, cut::whole, lanes}, {how, cut::whole, lanes});
      if (lanes > 1) all.check({how, cut::whole, lanes}, {how, cut::whole, lanes - 1});
    }
  }
}

using bits = every_target;

TEST_P(bits, are_the_same_however_lines_lie) {
  std::vector<integer> lengths;
  for (integer n = 1; n <= 64; ++n) lengths.push_back(n);
  for (const integer n : {72,  80,  96,  97,  100, 101, 104, 120, 121, 128, 136,  144,
                          160, 176, 194, 208, 256, 272, 320, 384, 512, 576, 1000, 2048}) {
    lengths.push_back(n);
  }
  for (const integer n : lengths) {
    for (const line_kind kind : all_kinds) {
      for (const bool contiguous : {false, true}) {
        compare_arrangements<double>({.kind = kind, .length = n, .lines_contiguous = contiguous});
        compare_arrangements<float>({.kind = kind, .length = n, .lines_contiguous = contiguous});
      }
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(bits, are_the_same_in_grids) {
  int taken = 0;
  for (const integer n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 30, 32, 48, 64, 96, 97, 128, 256}) {
    for (const line_kind kind : all_kinds) {
      for (const bool contiguous : {false, true}) {
        taken += compare_grids<double>({.kind = kind, .length = n, .lines_contiguous = contiguous});
        taken += compare_grids<float>({.kind = kind, .length = n, .lines_contiguous = contiguous});
      }
    }
    ASSERT_FALSE(HasFailure());
  }
  // The narrowest vectors cannot be stored in part.
  EXPECT_GT(taken, native_width_f32() < 8 ? 0 : 500);
}

TEST_P(bits, of_cosine_and_sine_transforms_are_the_same) {
  for (const integer n : {2, 5, 16, 27, 96, 101, 128}) {
    for (const line_kind kind : trigonometric_kinds) {
      for (const bool contiguous : {false, true}) {
        compare_arrangements<double>({.kind = kind, .length = n, .lines_contiguous = contiguous});
        compare_arrangements<float>({.kind = kind, .length = n, .lines_contiguous = contiguous});
      }
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(bits, are_the_same_with_twiddles_and_conjugates) {
  for (const integer n : {2, 3, 8, 12, 15, 16, 30, 64, 96, 101, 128, 256}) {
    for (const line_kind kind : all_kinds) {
      for (const bool contiguous : {false, true}) {
        const bool backward = kind == line_kind::c2c_backward || kind == line_kind::c2r;
        const auto compare = [&](const element_operation& o) {
          line_problem p{.kind = kind, .length = n, .lines_contiguous = contiguous};
          (backward ? p.loading : p.storing).push_back(o);
          compare_arrangements<double>(p);
          compare_arrangements<float>(p);
        };
        compare(turning{0, {3, 8 * n}, backward ? direction::backward : direction::forward});
        if (!real_input(kind) && !real_output(kind)) compare(conjugation{0, n / 2});
      }
    }
  }
}

TEST_P(bits, are_the_same_in_any_number_of_lanes) {
  for (const integer n : {1, 5, 8, 16, 24, 32, 34, 64, 96, 100, 103, 128, 256}) {
    for (const line_kind kind : all_kinds) {
      for (const bool contiguous : {false, true}) {
        SCOPED_TRACE("length " + std::to_string(n) + " kind " + std::to_string(static_cast<int>(kind)));
        compare_lanes<double>({.kind = kind, .length = n, .lines_contiguous = contiguous});
        compare_lanes<float>({.kind = kind, .length = n, .lines_contiguous = contiguous});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(targets, bits, ::testing::ValuesIn(runnable_targets()), target_name);

}  // namespace
}  // namespace weft::local
