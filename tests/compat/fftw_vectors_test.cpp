// SPDX-License-Identifier: BSD-3-Clause
// The test vectors through FFTW-MPI's functions: blocks along the first axis, arrays of a batch interleaved.
#include <cmath>
#include <map>

#include "../mpi_support.hpp"
#include "fftw_library.hpp"
#include "vectors.hpp"

namespace {

using weft::testing::fftw_library;
using weft::testing::fftw_names;
using weft::testing::number_of;
using weft::testing::vector_case;
using weft::testing::world;
using size = std::ptrdiff_t;

const std::map<std::string, int>& kinds() {
  static const std::map<std::string, int> all = {{"dct1", FFTW_REDFT00}, {"dct2", FFTW_REDFT10}, {"dct3", FFTW_REDFT01},
                                                 {"dct4", FFTW_REDFT11}, {"dst1", FFTW_RODFT00}, {"dst2", FFTW_RODFT10},
                                                 {"dst3", FFTW_RODFT01}, {"dst4", FFTW_RODFT11}};
  return all;
}

/// That undoes it.
int inverse(int kind) {
  if (kind == FFTW_REDFT10 || kind == FFTW_RODFT10) return kind == FFTW_REDFT10 ? FFTW_REDFT01 : FFTW_RODFT01;
  if (kind == FFTW_REDFT01 || kind == FFTW_RODFT01) return kind == FFTW_REDFT01 ? FFTW_REDFT10 : FFTW_RODFT10;
  return kind;
}

/// Where this rank's elements of a side are: rows from `start` on, each of `row` elements in memory (real rows are
/// padded), transposed or not.
struct side {
  std::vector<size> n;  // as stored, complex or real
  size local = 0, start = 0, row = 0;
  bool transposed = false;

  /// visit(place in memory, row-major number): of elements, the arrays of a batch side by side.
  template <class Visit>
  void each(size batch, Visit visit) const {
    std::vector<size> order(n.size());
    for (std::size_t a = 0; a < n.size(); ++a) order[a] = static_cast<size>(a);
    if (transposed) std::swap(order[0], order[1]);
    size rows = local;
    for (std::size_t a = 1; a < n.size(); ++a) rows *= n[static_cast<std::size_t>(order[a])];
    const size last = n[static_cast<std::size_t>(order.back())], in_memory = row == 0 ? last : row;
    const std::vector<std::int64_t> shape(n.begin(), n.end());
    for (size at = 0; at < rows; ++at) {
      std::vector<size> index(n.size());
      size rest = at;
      for (std::size_t a = n.size(); a-- > 1;) {
        const size extent = n[static_cast<std::size_t>(order[a])];
        index[static_cast<std::size_t>(order[a])] = rest % extent;
        rest /= extent;
      }
      index[static_cast<std::size_t>(order[0])] = start + rest;
      // One axis alone is the row itself.
      const size place = n.size() == 1 ? at : at / last * in_memory + at % last;
      for (size b = 0; b < batch; ++b) visit(place * batch + b, number_of(shape, index, b));
    }
  }
};

template <class Real>
class runner {
 public:
  using names = fftw_names<Real>;
  using complex = typename names::complex;

  runner(const fftw_library<Real>& lib, const vector_case& c, bool in_place, bool transposed)
      : lib_(lib), c_(c), in_place_(in_place), transposed_(transposed && c.axes() > 1) {}

  void run() {
    measure();
    std::vector<Real> x(static_cast<std::size_t>(room_)), other(x.size());
    Real* const y = in_place_ ? x.data() : other.data();
    auto* const there = plan_of(x.data(), y, true);
    auto* const back = plan_of(y, x.data(), false);
    ASSERT_TRUE(there != nullptr && back != nullptr);
    const bool real = c_.transform != "c2c", real_modes = c_.transform == "r2r";
    in_.each(c_.batch, [&](size at, std::int64_t k) { put(x.data(), at, real, c_.input(k)); });
    names::execute(there);
    double worst = 0, seen = 0;
    out_.each(c_.batch, [&](size at, std::int64_t k) {
      worst = std::max(worst, std::abs(get(y, at, real_modes) - c_.expected[static_cast<std::size_t>(k)]));
      ++seen;
    });
    const double limit = (sizeof(Real) == 4 ? 2e-5 : 1e-13) * std::sqrt(c_.energy);
    EXPECT_LE(worst, limit);
    EXPECT_EQ(weft::testing::sum_of(seen), static_cast<double>(c_.expected.size()));
    worst = 0;
    names::execute(back);
    in_.each(c_.batch, [&](size at, std::int64_t k) {
      worst = std::max(worst, std::abs(get(x.data(), at, real) - c_.factor * c_.input(k)));
    });
    EXPECT_LE(worst, limit * c_.factor);
    names::destroy(there);
    names::destroy(back);
  }

 private:
  static void put(Real* data, size at, bool real, std::complex<double> value) {
    data[real ? at : 2 * at] = static_cast<Real>(value.real());
    if (!real) data[2 * at + 1] = static_cast<Real>(value.imag());
  }
  static std::complex<double> get(const Real* data, size at, bool real) {
    return real ? std::complex<double>(data[at]) : std::complex<double>(data[2 * at], data[2 * at + 1]);
  }

  void measure() {
    const std::vector<size> n(c_.shape.begin(), c_.shape.end()), modes(c_.modes_shape.begin(), c_.modes_shape.end());
    in_.n = n;
    out_.n = modes;
    const int axes = c_.axes();
    if (axes == 1) {
      room_ = 2 * lib_.local_size_many_1d(n[0], c_.batch, world(), sign(true), FFTW_ESTIMATE, &in_.local, &in_.start,
                                          &out_.local, &out_.start);
    } else if (transposed_) {
      room_ = 2 * lib_.local_size_many_transposed(axes, modes.data(), c_.batch, FFTW_MPI_DEFAULT_BLOCK,
                                                  FFTW_MPI_DEFAULT_BLOCK, world(), &in_.local, &in_.start, &out_.local,
                                                  &out_.start);
    } else {
      room_ = 2 * lib_.local_size_many(axes, modes.data(), c_.batch, FFTW_MPI_DEFAULT_BLOCK, world(), &in_.local,
                                       &in_.start);
      out_.local = in_.local, out_.start = in_.start;
    }
    out_.transposed = transposed_;
    if (c_.transform == "r2c") in_.row = 2 * modes.back();
  }
  [[nodiscard]] int sign(bool first) const { return first == c_.backward ? FFTW_BACKWARD : FFTW_FORWARD; }

  typename names::plan plan_of(Real* from, Real* to, bool first) {
    unsigned flags = FFTW_ESTIMATE;
    if (transposed_) flags |= first ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN;
    auto* const complex_from = reinterpret_cast<complex*>(from);
    auto* const complex_to = reinterpret_cast<complex*>(to);
    const auto* n = in_.n.data();
    const size block = FFTW_MPI_DEFAULT_BLOCK;
    if (c_.transform == "c2c") {
      return lib_.plan_many_dft(c_.axes(), n, c_.batch, block, block, complex_from, complex_to, world(), sign(first),
                                flags);
    }
    if (c_.transform == "r2c" && first) {
      return lib_.plan_many_dft_r2c(c_.axes(), n, c_.batch, block, block, from, complex_to, world(), flags);
    }
    if (c_.transform == "r2c") {
      return lib_.plan_many_dft_c2r(c_.axes(), n, c_.batch, block, block, complex_from, to, world(), flags);
    }
    std::vector<typename names::kind> all;
    for (const auto& name : c_.kinds) {
      const int kind = kinds().at(name);
      all.push_back(static_cast<typename names::kind>(first ? kind : inverse(kind)));
    }
    return lib_.plan_many_r2r(c_.axes(), n, c_.batch, block, block, from, to, world(), all.data(), flags);
  }

  const fftw_library<Real>& lib_;
  const vector_case& c_;
  bool in_place_, transposed_;
  side in_, out_;
  size room_ = 0;
};

/// FFTW-MPI has neither some axes only, nor fewer modes, nor real axes but the last, nor real transforms of one axis;
/// of kinds, those of real data alone.
bool is_expressible(const vector_case& c) {
  if (!c.is_whole()) return false;
  if (c.transform == "r2c") return c.kinds.empty() && c.axes() > 1 && c.halved == c.axes() - 1;
  return c.transform == "r2r" || c.kinds.empty();
}

TEST(fftw_dropin, gives_the_test_vectors) {
  const fftw_library<double> f64(WEFT_TEST_FFTW);
  const fftw_library<float> f32(WEFT_TEST_FFTWF);
  int turn = weft::testing::world_size(), runs = 0, skipped = 0;
  for (const auto& c : weft::testing::read_vectors()) {
    ++(is_expressible(c) ? runs : skipped);
    if (!is_expressible(c)) continue;
    SCOPED_TRACE(c.name);
    for (const bool in_place : {false, true}) {
      for (const bool transposed : {false, true}) {
        if (++turn % 2 == 0) {
          runner<double>(f64, c, in_place, transposed).run();
        } else {
          runner<float>(f32, c, in_place, transposed).run();
        }
        if (weft::testing::failed_anywhere()) return;
      }
    }
    ++turn;
  }
  EXPECT_GE(runs, 15);
  EXPECT_LE(skipped, 11);
}

}  // namespace
