// SPDX-License-Identifier: BSD-3-Clause
#include "plans.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "plan_slots.hpp"
#include "report.hpp"
#include "stock.hpp"
#include "weft/weft.hpp"

namespace weft::fftw {

namespace {

/// Why Weft does not do it.
struct not_by_weft {
  std::string reason;
};

class planned : public transform {
 public:
  planned(plan&& p, direction way) : plan_(std::move(p)), way_(way) {}
  void run(void* in, void* out) override {
    count_run();
    if (way_ == direction::forward) {
      plan_.forward(in, out);
    } else {
      plan_.backward(in, out);
    }
  }
  [[nodiscard]] std::string text() const override {
    const auto& r = plan_.report();
    return r.schedule + ", exchange " + r.exchange + ", local " + r.local;
  }

 private:
  plan plan_;
  direction way_;
};

class moved : public transform {
 public:
  explicit moved(redistribution&& m) : move_(std::move(m)) {}
  void run(void* in, void* out) override {
    count_run();
    move_(in, out);
  }
  [[nodiscard]] std::string text() const override { return "transpose"; }

 private:
  redistribution move_;
};

/// For no arrays at all.
class nothing : public transform {
  void run(void* /*in*/, void* /*out*/) override { count_run(); }
  [[nodiscard]] std::string text() const override { return "nothing"; }
};

/// FFTW's own.
class passed_on : public transform {
 public:
  passed_on(plan_pointer p, const void* in, const void* out) : plan_(p), in_(in), out_(out) {}
  passed_on(const passed_on&) = delete;
  passed_on& operator=(const passed_on&) = delete;
  ~passed_on() override { WEFT_X(destroy_plan)(plan_); }
  void run(void* in, void* out) override {
    count_run_of_stock();
    if (in == in_ && out == out_) {
      WEFT_X(execute)(plan_);
    } else {
      stock().execute_r2r(plan_, static_cast<real*>(in), static_cast<real*>(out));
    }
  }
  [[nodiscard]] std::string text() const override { return "plan of FFTW-MPI"; }

 private:
  plan_pointer plan_;
  const void *in_, *out_;
};

int ranks_of(MPI_Comm on) {
  int ranks = 0;
  MPI_Comm_size(on, &ranks);
  return ranks;
}

int rank_of(MPI_Comm on) {
  int rank = 0;
  MPI_Comm_rank(on, &rank);
  return rank;
}

[[nodiscard]] bool is_real(kind k) { return k == kind::r2c || k == kind::c2r; }

/// Both sides, as FFTW lays them out.
struct sides {
  slabs in, out;
};

/// The complex side's extents. FFTW counts blocks in these on both sides.
extents stored_shape(const request& asked) {
  extents n = asked.n;
  if (is_real(asked.what)) n.back() = n.back() / 2 + 1;
  return n;
}

/// Empty if FFTW would return a null pointer. Collective for one axis.
std::optional<sides> sides_of(const request& asked) {
  const bool wrong_rank = asked.n.empty() || (is_real(asked.what) && asked.n.size() < 2);
  const auto too_small = [](integer n) { return n < 1; };
  if (wrong_rank || asked.howmany < 0 || asked.input_block < 0 || asked.output_block < 0 || asked.on == MPI_COMM_NULL ||
      std::ranges::any_of(asked.n, too_small)) {
    return {};
  }
  if (asked.what == kind::dft && asked.sign != FFTW_FORWARD && asked.sign != FFTW_BACKWARD) return {};
  const int ranks = ranks_of(asked.on);
  const extents stored = stored_shape(asked);
  const auto side = [&](bool transposed, integer block, bool real_side) {
    slabs s;
    s.shape = real_side ? asked.n : stored;
    s.axis = transposed && stored.size() > 1 ? 1 : 0;
    const integer extent = stored[static_cast<std::size_t>(s.axis)];
    s.block = block > 0 ? block : rounded_up_quotient(extent, ranks);
    if (real_side) s.last_stored = 2 * stored.back();
    return s;
  };
  const bool in_transposed = (asked.flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out_transposed = (asked.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  sides both{side(in_transposed, asked.input_block, asked.what == kind::r2c),
             side(out_transposed, asked.output_block, asked.what == kind::c2r)};
  if (asked.what == kind::transpose) {
    // What flags call transposed is how the blocks lie in memory here; the result is always in blocks of axis 1.
    both.in = side(false, asked.input_block, false);
    both.out = side(true, asked.output_block, false);
  }
  for (const slabs* s : {&both.in, &both.out}) {
    if (rounded_up_quotient(stored[static_cast<std::size_t>(s->axis)], s->block) > ranks) return {};
  }
  return both;
}

/// Whether arrays are the same memory, on which ranks without elements have no say; and the blocks of one axis.
struct agreed {
  bool in_place = false, mixed = false;
  integer input_block = 0, output_block = 0;
};

agreed agree(const request& asked, const sides& both) {
  const int rank = rank_of(asked.on);
  const blocks_1d mine = asked.n.size() == 1
                             ? sizes_1d(asked.n[0], asked.howmany, asked.on, asked.sign, asked.flags)
                             : blocks_1d{0, {both.in.local_extent(rank), 0}, {both.out.local_extent(rank), 0}};
  const bool has_data = mine.input.count > 0 || mine.output.count > 0;
  std::array<long long, 4> all = {has_data && asked.in == asked.out, has_data && asked.in != asked.out,
                                  mine.input.count, mine.output.count};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_LONG_LONG, MPI_MAX, asked.on);
  return {all[0] != 0, all[0] != 0 && all[1] != 0, all[2], all[3]};
}

/// FFTW's kinds by Weft's names: the same sums, without factors moved about.
std::vector<std::string> kinds_of(const request& asked) {
  static const std::array<std::pair<int, const char*>, 8> known = {{{FFTW_REDFT00, "dct1"},
                                                                    {FFTW_REDFT10, "dct2"},
                                                                    {FFTW_REDFT01, "dct3"},
                                                                    {FFTW_REDFT11, "dct4"},
                                                                    {FFTW_RODFT00, "dst1"},
                                                                    {FFTW_RODFT10, "dst2"},
                                                                    {FFTW_RODFT01, "dst3"},
                                                                    {FFTW_RODFT11, "dst4"}}};
  std::vector<std::string> names;
  for (std::size_t a = 0; a < asked.n.size(); ++a) {
    const auto same = [&](const auto& row) { return row.first == static_cast<int>(asked.kinds[a]); };
    const auto* const found = std::ranges::find_if(known, same);
    if (found == known.end()) throw not_by_weft{"halfcomplex and Hartley transforms"};
    names.emplace_back(found->second);
  }
  return names;
}

options options_for(const request& asked, bool in_place) {
  options how;
  how.in_place = in_place;
  how.destroy_input = (asked.flags & FFTW_DESTROY_INPUT) != 0 && (asked.flags & FFTW_PRESERVE_INPUT) == 0;
  // FFTW as a local engine would not bring the program anything that it did not have.
  how.local = "weft";
  if ((asked.flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)) == 0) {
    how.planning = effort::measure;
    how.planning_seconds = (asked.flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)) != 0 ? 5 : 1;
  }
  return how;
}

std::unique_ptr<transform> transposed_by_weft(const request& asked, const sides& both, bool in_place) {
  const int ranks = ranks_of(asked.on), rank = rank_of(asked.on);
  redistribution_options how;
  how.in_place = in_place;
  // As arrays of n0 x n1: the input's rows lie together, the output's columns do, unless flags say otherwise.
  const auto by_rows = [](const extents& local) { return layout{{local[1], 1}, 0}; };
  const auto by_columns = [](const extents& local) { return layout{{1, local[0]}, 0}; };
  const extents in = {std::max<integer>(1, both.in.local_extent(rank)), asked.n[1]};
  const extents out = {asked.n[0], std::max<integer>(1, both.out.local_extent(rank))};
  how.input_layout = (asked.flags & FFTW_MPI_TRANSPOSED_IN) != 0 ? by_columns(in) : by_rows(in);
  how.output_layout = (asked.flags & FFTW_MPI_TRANSPOSED_OUT) != 0 ? by_rows(out) : by_columns(out);
  const auto parsed = [&](const slabs& s) {
    return distribution::parse(s.distribution(ranks), asked.n, grid({ranks}));
  };
  return std::make_unique<moved>(redistribution(parsed(both.in), parsed(both.out),
                                                static_cast<std::size_t>(asked.howmany) * sizeof(real), asked.on, how));
}

std::unique_ptr<transform> transformed_by_weft(const request& asked, const sides& both, bool in_place) {
  const int ranks = ranks_of(asked.on), rank = rank_of(asked.on);
  const bool backward = asked.what == kind::c2r || (asked.what == kind::dft && asked.sign == FFTW_BACKWARD);
  const slabs& from = backward ? both.out : both.in;  // of Weft's forward transform
  const slabs& to = backward ? both.in : both.out;
  problem what;
  what.shape = asked.n;
  what.kind = is_real(asked.what) ? transform_kind::r2c : transform_kind::c2c;
  if (asked.what == kind::r2r) {
    what.kind = transform_kind::r2r;
    what.kinds = kinds_of(asked);
  }
  what.element = detail::precision_of<real>();
  what.batch = asked.howmany;
  what.interleaved = true;
  what.in = from.distribution(ranks);
  what.out = to.distribution(ranks);
  options how = options_for(asked, in_place);
  how.input_layout = from.local_layout(rank);
  how.output_layout = to.local_layout(rank);
  plan p(what, asked.on, how);
  // One axis that no p^2 divides is gathered on one rank by Weft; FFTW can do better.
  if (asked.n.size() == 1 && p.report().algorithm == "local" && from.block < asked.n[0] && stock().there()) {
    throw not_by_weft{"one axis, whose extent has no factor that fits"};
  }
  return std::make_unique<planned>(std::move(p), backward ? direction::backward : direction::forward);
}

std::unique_ptr<transform> by_weft(const request& asked, sides both) {
  if (!slots_are_known()) throw not_by_weft{std::string("the layout of plans is not known of ") + WEFT_X(version)};
  if (asked.what == kind::r2r && asked.n.size() == 1) throw not_by_weft{"real-to-real transforms of one axis"};
  const int real_axis_in = asked.what == kind::r2c ? both.in.axis : both.out.axis;
  if (is_real(asked.what) && real_axis_in + 1 == static_cast<int>(asked.n.size())) {
    throw not_by_weft{"two axes, real data transposed"};
  }
  const agreed all = agree(asked, both);
  if (all.mixed) throw not_by_weft{"in place on some ranks only"};
  if (asked.howmany == 0) return std::make_unique<nothing>();
  if (asked.n.size() == 1) {
    if (asked.input_block > 0 || asked.output_block > 0) throw not_by_weft{"one axis in blocks of the caller's choice"};
    both.in.block = all.input_block;
    both.out.block = all.output_block;
  }
  return asked.what == kind::transpose ? transposed_by_weft(asked, both, all.in_place)
                                       : transformed_by_weft(asked, both, all.in_place);
}

plan_pointer by_stock(const request& r) {
  const stock_library& s = stock();
  if (!s.there()) return nullptr;
  s.init();
  const int axes = static_cast<int>(r.n.size());
  const std::vector<std::ptrdiff_t> n(r.n.begin(), r.n.end());
  auto* const real_in = static_cast<real*>(r.in);
  auto* const real_out = static_cast<real*>(r.out);
  auto* const complex_in = static_cast<fftw_complex_type*>(r.in);
  auto* const complex_out = static_cast<fftw_complex_type*>(r.out);
  switch (r.what) {
    case kind::dft:
      return s.plan_many_dft(axes, n.data(), r.howmany, r.input_block, r.output_block, complex_in, complex_out, r.on,
                             r.sign, r.flags);
    case kind::r2c:
      return s.plan_many_dft_r2c(axes, n.data(), r.howmany, r.input_block, r.output_block, real_in, complex_out, r.on,
                                 r.flags);
    case kind::c2r:
      return s.plan_many_dft_c2r(axes, n.data(), r.howmany, r.input_block, r.output_block, complex_in, real_out, r.on,
                                 r.flags);
    case kind::r2r:
      return s.plan_many_r2r(axes, n.data(), r.howmany, r.input_block, r.output_block, real_in, real_out, r.on, r.kinds,
                             r.flags);
    case kind::transpose:
      return s.plan_many_transpose(n[0], n[1], r.howmany, r.input_block, r.output_block, real_in, real_out, r.on,
                                   r.flags);
  }
  return nullptr;
}

signature signature_of(kind k) {
  switch (k) {
    case kind::dft: return signature::complex;
    case kind::r2c: return signature::real_to_complex;
    case kind::c2r: return signature::complex_to_real;
    default: return signature::real_only;
  }
}

}  // namespace

plan_pointer plan_of(const request& asked) try {
  const auto both = sides_of(asked);
  if (!both) return nullptr;
  std::string reason;
  try {
    auto done = by_weft(asked, *both);
    count_plan();
    return make_plan(std::move(done), signature_of(asked.what), asked.in, asked.out);
  } catch (const not_by_weft& why) {
    reason = why.reason;
  } catch (const weft::error& e) {  // the same on all ranks
    reason = e.what();
  }
  count_passed_on(reason);
  const plan_pointer theirs = by_stock(asked);
  if (theirs == nullptr || !slots_are_known()) return theirs;
  return make_plan(std::make_unique<passed_on>(theirs, asked.in, asked.out), signature_of(asked.what), asked.in,
                   asked.out);
} catch (const std::exception&) {  // no memory
  return nullptr;
}

blocks_1d sizes_1d(integer n, integer howmany, MPI_Comm on, int sign, unsigned flags) {
  if (stock().there()) {
    std::ptrdiff_t ni = 0, i_start = 0, no = 0, o_start = 0;
    const integer elements = stock().local_size_many_1d(n, howmany, on, sign, flags, &ni, &i_start, &no, &o_start);
    return {elements, {ni, i_start}, {no, o_start}};
  }
  const local_block mine = block_of(n, rounded_up_quotient(n, ranks_of(on)), rank_of(on));
  return {std::max<integer>(1, mine.count) * howmany, mine, mine};
}

}  // namespace weft::fftw
