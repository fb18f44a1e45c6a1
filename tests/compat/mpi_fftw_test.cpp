// SPDX-License-Identifier: BSD-3-Clause
// Our libfftw3_mpi and FFTW's own get the same calls; sizes and results must be the same.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <sstream>

#include "../dice.hpp"
#include "../mpi_support.hpp"
#include "fftw_library.hpp"

namespace {

using weft::testing::dice;
using weft::testing::failed_anywhere;
using weft::testing::fftw_library;
using weft::testing::fftw_names;
using weft::testing::world;
using size = std::ptrdiff_t;

template <class Real>
const fftw_library<Real>& ours() {
  static const fftw_library<Real> one(std::is_same_v<Real, float> ? WEFT_TEST_FFTWF : WEFT_TEST_FFTW);
  return one;
}
template <class Real>
const fftw_library<Real>& stock() {
  static const fftw_library<Real> one(std::is_same_v<Real, float> ? WEFT_TEST_STOCK_FFTWF : WEFT_TEST_STOCK_FFTW);
  return one;
}

enum class kind : char { dft, r2c, c2r, r2r, transpose };

/// How a plan is run.
enum class call : char { execute, mpi_new_arrays, new_arrays };

struct drawn {
  kind what = kind::dft;
  std::vector<size> n;
  size howmany = 1, input_block = 0, output_block = 0;
  bool in_place = false;
  int sign = FFTW_FORWARD;
  unsigned flags = FFTW_ESTIMATE;
  std::vector<int> kinds;
  call how = call::execute;

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << "kind " << int(what) << ", n";
    for (const size e : n) out << ' ' << e;
    out << ", howmany " << howmany << ", blocks " << input_block << ' ' << output_block
        << (in_place ? ", in place" : "") << ", sign " << sign << ", flags " << std::hex << flags << ", call "
        << int(how);
    return out.str();
  }
};

drawn draw(dice& d) {
  drawn x;
  const int ranks = weft::testing::world_size();
  x.what = d.pick<kind>({kind::dft, kind::dft, kind::r2c, kind::c2r, kind::r2r, kind::transpose});
  const bool real = x.what == kind::r2c || x.what == kind::c2r;
  const int axes = x.what == kind::transpose ? 2 : d.small(real || x.what == kind::r2r ? 2 : 1, 4);
  const size most = axes == 1 ? 200 : axes == 2 ? 40 : axes == 3 ? 16 : 7;
  for (int a = 0; a < axes; ++a) x.n.push_back(d.between(1, most));
  // FFTW reads and writes beside its own memory where there is but one element.
  if (axes == 1) x.n[0] = std::max<size>(2, x.n[0]);
  x.howmany = d.once_in(2) ? 1 : d.between(1, d.once_in(4) ? 15 : 4);
  x.in_place = d.once_in(2);
  x.sign = d.once_in(2) ? FFTW_FORWARD : FFTW_BACKWARD;
  const bool in_transposed = axes > 1 && d.once_in(3), out_transposed = axes > 1 && d.once_in(2);
  // FFTW leaves out axes of one element, and transposes the next one instead.
  if (in_transposed || out_transposed) x.n[0] = std::max<size>(2, x.n[0]), x.n[1] = std::max<size>(2, x.n[1]);
  // Nor is its result in order where one axis alone has several.
  if (axes > 1 && std::all_of(x.n.begin() + 1, x.n.end(), [](size n) { return n == 1; })) x.n[1] = 2;
  if (in_transposed) x.flags |= FFTW_MPI_TRANSPOSED_IN;
  if (out_transposed) x.flags |= FFTW_MPI_TRANSPOSED_OUT;
  if (d.once_in(4)) x.flags |= FFTW_DESTROY_INPUT;
  if (x.what == kind::c2r && !x.in_place) x.flags |= FFTW_DESTROY_INPUT;  // FFTW has no other out of place
  if (d.once_in(8)) x.flags |= FFTW_UNALIGNED;
  if (axes == 1 && d.once_in(2)) x.flags |= x.sign == FFTW_FORWARD ? FFTW_MPI_SCRAMBLED_OUT : FFTW_MPI_SCRAMBLED_IN;
  if (axes > 1 && d.once_in(4)) {  // blocks of the caller's, none or enough for all
    auto complex_n = x.n;
    if (real) complex_n.back() = complex_n.back() / 2 + 1;
    const auto some = [&](size extent) { return d.between((extent + ranks - 1) / ranks, extent); };
    const bool by_axis = x.what == kind::transpose;
    x.input_block = some(complex_n[!by_axis && in_transposed ? 1 : 0]);
    x.output_block = some(complex_n[by_axis || out_transposed ? 1 : 0]);
    // FFTW's complex-to-real results are wrong where the two differ on one axis.
    if (x.what == kind::c2r && in_transposed == out_transposed) x.output_block = x.input_block;
  }
  const bool passed_on = d.once_in(4);  // Weft has neither Hartley nor halfcomplex transforms
  for (int a = 0; a < axes; ++a) {
    x.kinds.push_back(passed_on ? d.pick<int>({FFTW_REDFT10, FFTW_RODFT01, FFTW_DHT, FFTW_R2HC})
                                : d.pick<int>({FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00,
                                               FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11}));
    if (x.what == kind::r2r && x.kinds.back() == FFTW_REDFT00) {
      x.n[static_cast<std::size_t>(a)] = std::max<size>(2, x.n[static_cast<std::size_t>(a)]);
    }
  }
  x.how = d.pick<call>({call::execute, call::mpi_new_arrays, call::new_arrays});
  return x;
}

template <class Real>
class problem {
 public:
  using names = fftw_names<Real>;
  using plan = typename names::plan;
  using complex = typename names::complex;

  explicit problem(const drawn& x) : x_(x) {
    extents_ = x.n;
    if (x.what == kind::r2c || x.what == kind::c2r) extents_.back() = extents_.back() / 2 + 1;
  }

  /// Reals that an array needs, as the library says; and its idea of the blocks.
  struct sizes {
    size reals = 0, local_in = 0, start_in = 0, local_out = 0, start_out = 0;
    friend bool operator==(const sizes&, const sizes&) = default;
  };
  [[nodiscard]] sizes sizes_by(const fftw_library<Real>& lib) const {
    sizes s;
    const int axes = static_cast<int>(extents_.size());
    if (axes == 1) {
      s.reals = 2 * lib.local_size_many_1d(x_.n[0], x_.howmany, world(), x_.sign, x_.flags, &s.local_in, &s.start_in,
                                           &s.local_out, &s.start_out);
      return s;
    }
    const auto one_side = [&](bool transposed, size block, size& local, size& start) {
      size other = 0, other_start = 0;
      size room = 0;
      if (transposed) {
        room = lib.local_size_many_transposed(axes, extents_.data(), x_.howmany, 0, block, world(), &other,
                                              &other_start, &local, &start);
      } else {
        room = lib.local_size_many(axes, extents_.data(), x_.howmany, block, world(), &local, &start);
      }
      s.reals = std::max(s.reals, 2 * room);
    };
    const bool by_axis = x_.what == kind::transpose;
    one_side(!by_axis && (x_.flags & FFTW_MPI_TRANSPOSED_IN) != 0, x_.input_block, s.local_in, s.start_in);
    one_side(by_axis || (x_.flags & FFTW_MPI_TRANSPOSED_OUT) != 0, x_.output_block, s.local_out, s.start_out);
    return s;
  }

  [[nodiscard]] plan plan_by(const fftw_library<Real>& lib, Real* in, Real* out) const {
    const int axes = static_cast<int>(x_.n.size());
    const auto* n = x_.n.data();
    auto* complex_in = reinterpret_cast<complex*>(in);
    auto* complex_out = reinterpret_cast<complex*>(out);
    std::vector<typename names::kind> kinds;
    for (const int k : x_.kinds) kinds.push_back(static_cast<typename names::kind>(k));
    switch (x_.what) {
      case kind::dft:
        return lib.plan_many_dft(axes, n, x_.howmany, x_.input_block, x_.output_block, complex_in, complex_out, world(),
                                 x_.sign, x_.flags);
      case kind::r2c:
        return lib.plan_many_dft_r2c(axes, n, x_.howmany, x_.input_block, x_.output_block, in, complex_out, world(),
                                     x_.flags);
      case kind::c2r:
        return lib.plan_many_dft_c2r(axes, n, x_.howmany, x_.input_block, x_.output_block, complex_in, out, world(),
                                     x_.flags);
      case kind::r2r:
        return lib.plan_many_r2r(axes, n, x_.howmany, x_.input_block, x_.output_block, in, out, world(), kinds.data(),
                                 x_.flags);
      case kind::transpose:
        return lib.plan_many_transpose(n[0], n[1], x_.howmany, x_.input_block, x_.output_block, in, out, world(),
                                       x_.flags);
    }
    return nullptr;
  }

  void run(const fftw_library<Real>& lib, plan p, Real* in, Real* out) const {
    auto* complex_in = reinterpret_cast<complex*>(in);
    auto* complex_out = reinterpret_cast<complex*>(out);
    const bool own = &lib == &ours<Real>();  // libfftw3's new-array functions fail on FFTW's own MPI plans
    if (x_.how == call::execute) {
      names::execute(p);
    } else if (x_.what == kind::dft) {
      x_.how == call::new_arrays&& own ? names::execute_c2c(p, complex_in, complex_out)
                                       : lib.execute_dft(p, complex_in, complex_out);
    } else if (x_.what == kind::r2c) {
      x_.how == call::new_arrays&& own ? names::execute_r2c(p, in, complex_out)
                                       : lib.execute_dft_r2c(p, in, complex_out);
    } else if (x_.what == kind::c2r) {
      x_.how == call::new_arrays&& own ? names::execute_c2r(p, complex_in, out)
                                       : lib.execute_dft_c2r(p, complex_in, out);
    } else {
      lib.execute_r2r(p, in, out);
    }
  }

  /// Reals of the whole array.
  [[nodiscard]] size whole() const {
    return std::accumulate(extents_.begin(), extents_.end(), 2 * x_.howmany, std::multiplies<>());
  }
  /// What a rank has of the output: FFTW says the first block of those, too, that have none of the caller's blocks.
  [[nodiscard]] size local_out(const sizes& said) const {
    if (x_.output_block == 0) return said.local_out;
    const bool second = x_.what == kind::transpose || (x_.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
    const size left = extents_[second ? 1 : 0] - weft::testing::world_rank() * x_.output_block;
    return std::clamp<size>(left, 0, x_.output_block);
  }
  /// Reals in this rank's memory of a side, padding included.
  [[nodiscard]] size reals(size local, bool transposed) const {
    size count = local * x_.howmany;
    for (std::size_t a = 0; a < extents_.size(); ++a) {
      if (a != (transposed ? 1U : 0U)) count *= extents_[a];
    }
    const bool of_reals = x_.what == kind::r2r || x_.what == kind::transpose;
    return of_reals ? count : 2 * count;
  }
  /// Whether a place in memory of a side holds an element: rows of real data are padded.
  [[nodiscard]] bool is_element(size at, bool input) const {
    if (x_.what != (input ? kind::r2c : kind::c2r)) return true;
    return at / x_.howmany % (2 * extents_.back()) < x_.n.back();
  }

 private:
  drawn x_;
  std::vector<size> extents_;  // as stored: complex
};

template <class Real>
void compare(std::uint64_t seed) {
  dice d(seed);
  const drawn x = draw(d);
  SCOPED_TRACE(weft::testing::rerun(seed) + ": " + x.text() + (sizeof(Real) == 4 ? ", f32" : ", f64"));
  const problem<Real> p(x);
  const auto sizes = p.sizes_by(stock<Real>());
  EXPECT_EQ(p.sizes_by(ours<Real>()), sizes);
  // Each of the two has arrays of its own; ours are as unaligned as may be.
  // FFTW wants more than it says where both sides are transposed or in blocks of the caller's.
  const size room = std::max(sizes.reals, p.whole()) + 16, shift = (x.flags & FFTW_UNALIGNED) != 0 ? 1 : 0;
  std::vector<Real> start(static_cast<std::size_t>(room));
  const int rank = weft::testing::world_rank();
  dice values(seed * 64 + static_cast<std::uint64_t>(rank));
  for (auto& v : start) v = static_cast<Real>(values.unit() - 0.5);
  struct arrays {
    std::vector<Real> in, out;
  };
  arrays a{start, start}, b{start, start};
  const auto in = [&](arrays& of) { return of.in.data() + shift; };
  const auto out = [&](arrays& of) { return x.in_place ? of.in.data() + shift : of.out.data() + shift; };
  // FFTW may plan by touching the arrays unless it only estimates; ours never touches them.
  auto* const theirs = p.plan_by(stock<Real>(), in(a), out(a));
  auto* const own = p.plan_by(ours<Real>(), in(b), out(b));
  EXPECT_TRUE(b.in == start) << "planning touched the input";
  if (theirs == nullptr) {  // FFTW has no algorithm for it; Weft may
    if (own != nullptr) fftw_names<Real>::destroy(own);
    return;
  }
  ASSERT_TRUE(own != nullptr);
  char* const text = fftw_names<Real>::print(own);
  const bool by_weft = std::string(text).starts_with("(weft ") && std::string(text).find("FFTW") == std::string::npos;
  fftw_free(text);
  const bool again = d.once_in(3);
  for (int k = 0; k < (again ? 2 : 1); ++k) {
    for (arrays* const of : {&a, &b}) {
      std::copy(start.begin(), start.end(), of->in.begin());
      std::fill(of->out.begin(), of->out.end(), Real(7));
    }
    p.run(stock<Real>(), theirs, in(a), out(a));
    p.run(ours<Real>(), own, in(b), out(b));
    if (!x.in_place && (x.flags & FFTW_DESTROY_INPUT) == 0) {
      EXPECT_TRUE(b.in == start) << "the input was overwritten";
    }
    // 1D outputs in scrambled order may differ: there and back again is what counts.
    if ((x.flags & (FFTW_MPI_SCRAMBLED_OUT | FFTW_MPI_SCRAMBLED_IN)) != 0) break;
    const bool by_axis = x.what == kind::transpose;
    const bool transposed = by_axis || (x.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
    const size count = p.reals(p.local_out(sizes), transposed);
    double worst = 0, scale = 1;
    for (size i = 0; i < count; ++i) {
      if (!p.is_element(i, false)) continue;
      worst = std::max<double>(worst, std::abs(double(out(a)[i]) - double(out(b)[i])));
      scale = std::max<double>(scale, std::abs(double(out(a)[i])));
    }
    if (!x.in_place && by_weft) {
      size touched = 0;
      for (size i = 0; i + shift < room; ++i)
        touched += (i >= count || !p.is_element(i, false)) && out(b)[i] != Real(7);
      EXPECT_EQ(touched, 0) << "written beside the elements";
    }
    EXPECT_LT(worst, scale * (sizeof(Real) == 4 ? 5e-6 : 1e-14));
  }
  fftw_names<Real>::destroy(own);
  fftw_names<Real>::destroy(theirs);
}

TEST(fftw_dropin, gives_the_numbers_of_the_stock_library) {
  for (const auto seed : weft::testing::seeds(20)) {
    compare<double>(seed);
    if (failed_anywhere()) return;
    compare<float>(seed + 1000000);
    if (failed_anywhere()) return;
  }
}

/// Forward to a scrambled order and back from it: whatever the order, it is the same one.
TEST(fftw_dropin, undoes_its_own_scrambled_order) {
  for (const size n : {1, 7, 12, 36, 60, 144, 210}) {
    const auto& lib = ours<double>();
    size ni = 0, si = 0, no = 0, so = 0, ni2 = 0, si2 = 0, no2 = 0, so2 = 0;
    const size room = lib.local_size_many_1d(n, 1, world(), FFTW_FORWARD, FFTW_MPI_SCRAMBLED_OUT, &ni, &si, &no, &so);
    const size back =
        lib.local_size_many_1d(n, 1, world(), FFTW_BACKWARD, FFTW_MPI_SCRAMBLED_IN, &ni2, &si2, &no2, &so2);
    EXPECT_EQ(no, ni2);
    EXPECT_EQ(ni, no2);
    std::vector<double> x(2 * static_cast<std::size_t>(std::max(room, back)));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) + 3.0 * static_cast<double>(si));
    const auto kept = x;
    auto* const data = reinterpret_cast<fftw_complex*>(x.data());
    auto* const forward =
        lib.plan_many_dft(1, &n, 1, 0, 0, data, data, world(), FFTW_FORWARD, FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_OUT);
    auto* const backward =
        lib.plan_many_dft(1, &n, 1, 0, 0, data, data, world(), FFTW_BACKWARD, FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN);
    ASSERT_TRUE(forward != nullptr && backward != nullptr);
    fftw_execute(forward);
    fftw_execute(backward);
    for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(ni); ++i) {
      EXPECT_NEAR(x[i] / static_cast<double>(n), kept[i], 1e-13) << n << " at " << i;
    }
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    if (failed_anywhere()) return;
  }
}

TEST(fftw_dropin, returns_null_where_fftw_does) {
  std::vector<double> x(4096), y(4096);
  auto* const c = reinterpret_cast<fftw_complex*>(x.data());
  auto* const e = reinterpret_cast<fftw_complex*>(y.data());
  const size good[] = {4, 4, 4}, zero[] = {4, 0, 4}, negative[] = {-1, 4, 4};
  const auto nulls = [&](const fftw_library<double>& lib) {
    std::vector<bool> all;
    const auto is_null = [&](fftw_plan p) {
      all.push_back(p == nullptr);
      if (p != nullptr) fftw_destroy_plan(p);
    };
    const unsigned f = FFTW_ESTIMATE;
    is_null(lib.plan_many_dft(3, good, 1, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(3, good, 0, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(3, good, -1, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(0, good, 1, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(3, zero, 1, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(3, negative, 1, 0, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft(3, good, 1, -2, 0, c, e, world(), FFTW_FORWARD, f));
    is_null(lib.plan_many_dft_r2c(1, good, 1, 0, 0, x.data(), e, world(), f));
    is_null(lib.plan_many_dft_c2r(1, good, 1, 0, 0, c, y.data(), world(), f));
    is_null(lib.plan_many_transpose(0, 4, 1, 0, 0, x.data(), y.data(), world(), f));
    is_null(lib.plan_many_transpose(4, 4, 1, -1, 0, x.data(), y.data(), world(), f));
    if (weft::testing::world_size() < 4) {  // four blocks of one for fewer ranks
      is_null(lib.plan_many_dft(3, good, 1, 1, 1, c, e, world(), FFTW_FORWARD, f));
      is_null(lib.plan_many_transpose(4, 4, 1, 1, 1, x.data(), y.data(), world(), f));
    }
    return all;
  };
  EXPECT_EQ(nulls(ours<double>()), nulls(stock<double>()));
}

TEST(fftw_dropin, keeps_many_plans_and_destroys_them_in_any_order) {
  const size n[] = {6, 5, 4};
  std::vector<std::vector<double>> arrays(20, std::vector<double>(4096, 0.0));
  std::vector<fftw_plan> plans;
  for (auto& x : arrays) {
    auto* const data = reinterpret_cast<fftw_complex*>(x.data());
    plans.push_back(ours<double>().plan_many_dft(3, n, 2, 0, 0, data, data, world(), FFTW_FORWARD, FFTW_ESTIMATE));
    ASSERT_TRUE(plans.back() != nullptr);
  }
  char* const text = fftw_sprint_plan(plans[0]);
  EXPECT_EQ(std::string(text).substr(0, 6), "(weft ");
  fftw_free(text);
  dice d(static_cast<std::uint64_t>(weft::testing::world_rank()) + 5);  // another order on each rank
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plans.size(); ++i) order.push_back(i);
  fftw_execute(plans[7]);
  d.shuffle(order);
  for (const auto i : order) fftw_destroy_plan(plans[i]);
}

}  // namespace
