// The native engine against the definition of the transform, through every kind of access map.
#include <fftw3.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "local/engine.hpp"
#include "local/engines/weft.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

using wide = long double;
using wide_complex = std::complex<long double>;
using line = std::vector<wide_complex>;

std::size_t at(integer i) { return static_cast<std::size_t>(i); }

/// sum_j x(j) exp(sign 2 pi i jk/n) for k < outputs.
line definition(const line& x, int sign, std::size_t outputs) {
  const std::size_t n = x.size();
  line roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const wide angle = 2 * std::numbers::pi_v<wide> * static_cast<wide>(k) / static_cast<wide>(n);
    roots[k] = {std::cos(angle), static_cast<wide>(sign) * std::sin(angle)};
  }
  line y(outputs);
  for (std::size_t k = 0; k < outputs; ++k) {
    std::size_t power = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const wide_complex& w = roots[power];
      y[k] += wide_complex(x[j].real() * w.real() - x[j].imag() * w.imag(),
                           x[j].real() * w.imag() + x[j].imag() * w.real());
      power += k;
      if (power >= n) power -= n;
    }
  }
  return y;
}

bool real_input(line_kind kind) { return kind == line_kind::r2c; }
bool real_output(line_kind kind) { return kind == line_kind::c2r; }
integer input_count(line_kind kind, integer n) { return kind == line_kind::c2r ? n / 2 + 1 : n; }
integer output_count(line_kind kind, integer n) { return kind == line_kind::r2c ? n / 2 + 1 : n; }

/// What `kind` makes of the elements it reads.
line expected(line_kind kind, integer n, const line& x) {
  if (kind != line_kind::c2r) {
    return definition(x, kind == line_kind::c2c_backward ? 1 : -1, at(output_count(kind, n)));
  }
  line full(at(n));
  for (integer k = 0; k <= n / 2; ++k) {
    full[at(k)] = x[at(k)];
    full[at((n - k) % n)] = std::conj(x[at(k)]);
  }
  full[0] = full[0].real();
  if (n % 2 == 0) full[at(n / 2)] = full[at(n / 2)].real();
  return definition(full, 1, full.size());
}

enum class layout { rows, lines, scattered };
enum class cut { whole, steps, blocks, hole };

/// `count` elements of `lanes` lines somewhere in guarded memory, behind runs.
template <class T>
class guarded_lines {
 public:
  guarded_lines(layout how, cut pieces, integer count, int lanes, bool real, integer spread = 0)
      : pieces_(pieces), count_(count), lanes_(lanes), real_(real) {
    const integer bytes = real ? sizeof(T) : 2 * sizeof(T);
    const integer length = std::max(count, spread);
    switch (how) {
      case layout::rows: lane_stride_ = bytes, stride_ = bytes * (lanes + 1); break;
      case layout::lines: stride_ = bytes, lane_stride_ = bytes * (length + 1); break;
      case layout::scattered: stride_ = 2 * bytes, lane_stride_ = bytes * (2 * length + 3); break;
    }
    memory_.assign(at(guard + (length - 1) * stride_ + (lanes - 1) * lane_stride_ + bytes + guard), filler);
    cut_into_runs();
  }

  [[nodiscard]] bundle lines() const { return {runs_, lanes_}; }
  [[nodiscard]] bool holds(integer index) const { return !(pieces_ == cut::hole && index % 3 == 1); }

  [[nodiscard]] wide_complex get(integer index, integer lane) const {
    T value[2] = {};
    if (holds(index)) std::memcpy(value, address(index, lane), real_ ? sizeof(T) : 2 * sizeof(T));
    return {value[0], value[1]};
  }

  void fill_random(std::mt19937& random) {
    std::uniform_real_distribution<T> uniform(-1, 1);
    each_element([&](std::byte* where) {
      const T value[2] = {uniform(random), uniform(random)};
      std::memcpy(where, value, real_ ? sizeof(T) : 2 * sizeof(T));
    });
  }

  /// Whether all memory outside the elements is as it was.
  [[nodiscard]] bool surroundings_intact() {
    each_element(
        [&](std::byte* where) { std::memset(where, static_cast<int>(filler), real_ ? sizeof(T) : 2 * sizeof(T)); });
    return std::all_of(memory_.begin(), memory_.end(), [](std::byte b) { return b == filler; });
  }

  [[nodiscard]] line line_of_lane(integer lane) const {
    line x;
    for (integer i = 0; i < count_; ++i) x.push_back(get(i, lane));
    return x;
  }

  [[nodiscard]] std::byte* base() { return memory_.data() + guard; }
  void move_runs(std::byte* to) {
    for (run& r : runs_) {
      if (r.address != nullptr) r.address = to + (r.address - base());
    }
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr integer guard = 0;  // so that every access beyond the lines is seen
#else
  static constexpr integer guard = 64;
#endif
  static constexpr std::byte filler{0x5a};

  /// The runs with step > 1 are compact: their elements follow one another in memory.
  void cut_into_runs() {
    integer position = 0;
    positions_.assign(at(count_), 0);
    const auto add = [&](integer first, integer step, integer terms, bool null) {
      if (terms <= 0) return;
      run r{base() + position * stride_, first, step, terms, stride_, lane_stride_};
      if (null) r.address = nullptr;
      for (integer j = 0; j < terms; ++j) positions_[at(first + j * step)] = position + j;
      position += terms;
      runs_.push_back(r);
    };
    if (pieces_ == cut::whole) {
      add(0, 1, count_, false);
    } else if (pieces_ == cut::blocks) {
      const integer first = count_ >= 64 ? count_ / 32 * 16 : count_ / 2 + 1;
      add(0, 1, first, false);
      add(first, 1, count_ - first, false);
    } else {
      for (integer start : {2, 0, 1}) add(start, 3, (count_ - start + 2) / 3, pieces_ == cut::hole && start == 1);
    }
  }

  [[nodiscard]] const std::byte* address(integer index, integer lane) const {
    return memory_.data() + guard + positions_[at(index)] * stride_ + lane * lane_stride_;
  }

  template <class Body>
  void each_element(const Body& body) {
    for (integer i = 0; i < count_; ++i) {
      for (integer l = 0; l < lanes_; ++l) {
        if (holds(i)) body(memory_.data() + (address(i, l) - memory_.data()));
      }
    }
  }

  cut pieces_;
  integer count_;
  int lanes_;
  bool real_;
  integer stride_ = 0;
  integer lane_stride_ = 0;
  std::vector<std::byte> memory_;
  std::vector<integer> positions_;
  std::vector<run> runs_;
};

struct aligned_scratch {
  explicit aligned_scratch(std::size_t bytes)
      : memory(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t(64)))) {}
  ~aligned_scratch() { ::operator delete(memory, std::align_val_t(64)); }
  aligned_scratch(const aligned_scratch&) = delete;
  aligned_scratch& operator=(const aligned_scratch&) = delete;
  std::byte* memory;
};

template <class T>
constexpr precision precision_of = sizeof(T) == 4 ? precision::f32 : precision::f64;

template <class T>
void call(const line_problem& problem, const bundle& from, const bundle& to, double scale) {
  const auto kernel = weft_engine().make_kernel(problem);
  const aligned_scratch scratch(kernel->scratch_bytes());
  kernel->transform(from, to, scale, scratch.memory);
}

/// Relative error in the L2 norm.
wide distance(const line& got, const line& want) {
  wide error = 0;
  wide norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    error += std::norm(got[i] - want[i]);
    norm += std::norm(want[i]);
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

template <class T>
wide tolerance(integer n) {
  return 2 * std::numeric_limits<T>::epsilon() * (1 + std::log2(static_cast<wide>(n)));
}

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
  call<T>({kind, n, precision_of<T>, lanes, false}, from.lines(), to.lines(), scale);
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
constexpr cut all_cuts[] = {cut::whole, cut::steps, cut::blocks, cut::hole};

template <class T>
int usual_lanes() {
  return weft_engine().lanes(line_kind::c2c_forward, 64, precision_of<T>);
}

/// Every instruction set that was compiled and that this machine can run.
class native : public testing::TestWithParam<std::int64_t> {
 protected:
  native() {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~native() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

std::vector<std::int64_t> runnable_targets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_NEON}) {
    if ((hwy::SupportedTargets() & target) != 0) targets.push_back(target);
  }
  if (targets.empty()) targets.push_back(HWY_EMU128);
  return targets;
}

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
  call<T>({kind, n, precision_of<T>, lanes, false}, from.lines(), to.lines(), 1);
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

/// The same results with hints as without, but for roundings: a compiler may fuse multiplications and
/// additions differently in the variant that streams. `offset` elements from alignment.
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
  const auto* const expected = reinterpret_cast<const T*>(plain.memory);
  const auto* const found = reinterpret_cast<const T*>(hinted.memory);
  T largest = 0, difference = 0;
  for (std::size_t i = 0; i < size / sizeof(T); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(found[i] - expected[i]));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LE(difference, 8 * std::numeric_limits<T>::epsilon() * largest);
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
  guarded_lines<double> few(layout::rows, cut::whole, 8, 40, false);
  EXPECT_THROW(call<double>({line_kind::c2c_forward, 8, precision::f64, 8, false}, few.lines(), few.lines(), 1),
               argument_error);
}

INSTANTIATE_TEST_SUITE_P(targets, native, testing::ValuesIn(runnable_targets()),
                         [](const auto& instance) { return std::string(hwy::TargetName(instance.param)); });

/// Errors of this engine and of FFTW against the definition, over one bundle.
template <class T>
struct error_pair {
  wide ours = 0;
  wide fftw = 0;
};

void fftw_transform(int n, std::complex<double>* x, std::complex<double>* y) {
  fftw_plan plan = fftw_plan_dft_1d(n, reinterpret_cast<fftw_complex*>(x), reinterpret_cast<fftw_complex*>(y),
                                    FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}
void fftw_transform(int n, std::complex<float>* x, std::complex<float>* y) {
  fftwf_plan plan = fftwf_plan_dft_1d(n, reinterpret_cast<fftwf_complex*>(x), reinterpret_cast<fftwf_complex*>(y),
                                      FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
}

template <class T>
error_pair<T> errors_at(integer n) {
  constexpr int lanes = 3;
  guarded_lines<T> from(layout::lines, cut::whole, n, lanes, false);
  guarded_lines<T> to(layout::lines, cut::whole, n, lanes, false);
  std::mt19937 random(static_cast<unsigned>(n));
  from.fill_random(random);
  call<T>({line_kind::c2c_forward, n, precision_of<T>, lanes, false}, from.lines(), to.lines(), 1);
  error_pair<T> errors;
  for (integer lane = 0; lane < lanes; ++lane) {
    const line x = from.line_of_lane(lane);
    const line want = definition(x, -1, x.size());
    std::vector<std::complex<T>> in;
    for (const wide_complex& value : x) in.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
    std::vector<std::complex<T>> out(in.size());
    fftw_transform(static_cast<int>(n), in.data(), out.data());
    errors.ours += distance(to.line_of_lane(lane), want) / lanes;
    errors.fftw += distance(line(out.begin(), out.end()), want) / lanes;
  }
  return errors;
}

template <class T>
wide worst_ratio = 0;

/// Errors below a fifth of the unit roundoff are noise: very short transforms are nearly exact.
template <class T>
void compare_accuracy(integer n) {
  const error_pair<T> errors = errors_at<T>(n);
  const wide floor = 0.1L * std::numeric_limits<T>::epsilon();
  EXPECT_LT(errors.ours, 1.5L * std::max(errors.fftw, floor)) << "length " << n << " bytes " << sizeof(T);
  worst_ratio<T> = std::max(worst_ratio<T>, errors.ours / std::max(errors.fftw, floor));
}

TEST(native_accuracy, is_that_of_fftw) {
  for (integer n = 1; n <= 1024; n += n < 256 ? 1 : 11) {
    compare_accuracy<double>(n);
    compare_accuracy<float>(n);
  }
  for (const integer n : {1024, 1536, 2000, 2003, 2048, 2401, 3000, 3001, 4096}) {
    compare_accuracy<double>(n);
    compare_accuracy<float>(n);
  }
  RecordProperty("worst_ratio_f64", std::to_string(worst_ratio<double>));
  RecordProperty("worst_ratio_f32", std::to_string(worst_ratio<float>));
}

}  // namespace
}  // namespace weft::local
