// SPDX-License-Identifier: BSD-3-Clause
// The snippets of docs/using.md, each checked by going there and back.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>
#include <weft/weft.hpp>

namespace {

using value = std::complex<double>;
int wrong = 0;

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++wrong;
}

value number_of(std::span<const weft::integer> i) {
  return {static_cast<double>(i[0] + 10 * i[1]), static_cast<double>(i[2])};
}

/// Whether `x` is `scale` times number_of(global index).
template <class T>
bool is_number(const weft::array<T>& x, double scale) {
  bool good = true;
  x.for_each([&](auto i, const auto& v) { good = good && std::abs(v / scale - number_of(i)) < 1e-10; });
  return good;
}

void explicit_distributions(MPI_Comm comm) {
  weft::problem what{.shape = {30, 21, 14}};
  what.in = "[b0 b1 *]";   // axis 0 in blocks over grid axis 0, axis 1 over grid axis 1
  what.out = "[* b0 c1]";  // axis 2 dealt out one by one over grid axis 1
  weft::c2c<double> plan(what, comm);

  auto x = plan.make_input();
  auto modes = plan.make_output();
  x.for_each([](auto i, auto& v) { v = number_of(i); });  // i: global index
  plan.forward(x, modes);
  plan.backward(modes, x);
  expect(is_number(x, 30 * 21 * 14), "explicit distributions");
}

void global_indices(MPI_Comm comm, int rank) {
  weft::c2c<double> plan({30, 21, 14}, comm);
  auto x = plan.make_input();
  if (x.owns({3, 5, 0})) x.at({3, 5, 0}) = 1;  // at() throws if the element is another rank's
  const int owner = plan.input().owner({3, 5, 0});
  expect(x.owns({3, 5, 0}) == (owner == rank), "owner");

  value sum = 0;
  const auto v = x.view();  // by local position
  for (weft::integer i = 0; i < v.extent(0); ++i) {
    for (weft::integer j = 0; j < v.extent(1); ++j) {
      for (weft::integer k = 0; k < v.extent(2); ++k) sum += v(i, j, k);
    }
  }
  expect(sum == (owner == rank ? value(1) : value(0)), "global indices");
}

void bricks(MPI_Comm comm, int ranks) {
  std::vector<weft::box> boxes;  // one per rank; any boxes that tile the array, empty ones too
  for (int r = 0; r < ranks; ++r) boxes.push_back({{30 * r / ranks, 0, 0}, {30 * (r + 1) / ranks, 21, 14}});

  weft::problem what{.shape = {30, 21, 14}};
  what.in = weft::distribution::bricks({30, 21, 14}, boxes);
  what.out = "same";
  weft::c2c<double> plan(what, comm, {.scaling = weft::normalization::backward});

  auto x = plan.make_input(), modes = plan.make_output();
  x.for_each([](auto i, auto& v) { v = number_of(i); });
  plan.forward(x, modes);
  plan.backward(modes, x);
  expect(is_number(x, 1), "bricks");
}

void real_data(MPI_Comm comm) {
  weft::problem what{.shape = {30, 21, 14}};
  what.real_axis = 1;  // 21 real values become 11 modes; by default the last axis is halved
  weft::r2c<float> plan(what, comm);

  auto x = plan.make_input();       // weft::array<float>, 30x21x14 in all
  auto modes = plan.make_output();  // weft::array<std::complex<float>>, 30x11x14 in all
  x.for_each([](auto, auto& v) { v = 1; });
  plan.forward(x, modes);
  modes.for_each([](auto i, auto& v) {
    const float expected = i[0] == 0 && i[1] == 0 && i[2] == 0 ? 30 * 21 * 14 : 0;
    expect(std::abs(v - expected) < 1, "real data");
  });
}

void cosine_transforms(MPI_Comm comm) {
  weft::problem what{.shape = {30, 21, 14}};
  what.kinds = {"dct2", "dst1", "none"};  // walls along axis 0 and axis 1; axis 2 is left alone
  weft::r2r<double> plan(what, comm, {.scaling = weft::normalization::backward});

  auto x = plan.make_input(), modes = plan.make_output();  // weft::array<double>, both
  const auto wave = [](auto i) {
    return std::cos(std::numbers::pi * (static_cast<double>(i[0]) + 0.5) * 4 / 30) *
           std::sin(std::numbers::pi * static_cast<double>(i[1] + 1) * 3 / 22);
  };
  x.for_each([&](auto i, auto& v) { v = wave(i); });
  plan.forward(x, modes);
  modes.for_each([](auto i, auto& v) {
    const double expected = i[0] == 4 && i[1] == 2 ? 30 * 22 : 0;
    expect(std::abs(v - expected) < 1e-9, "cosine and sine transforms");
  });
  plan.backward(modes, x);
  x.for_each([&](auto i, auto& v) { expect(std::abs(v - wave(i)) < 1e-12, "cosine and sine transforms backward"); });
}

void fewer_modes(MPI_Comm comm) {
  weft::problem what{.shape = {48, 48, 48}};  // the grid
  what.modes = {32, 32, 32};                  // what is kept of its modes
  weft::r2c<double> plan(what, comm, {.scaling = weft::normalization::forward});

  auto x = plan.make_input();       // 48x48x48 real numbers
  auto modes = plan.make_output();  // 32x32x17 complex ones
  const auto wave = [](auto i, double times) {
    return std::cos(2 * std::numbers::pi * times * static_cast<double>(i[0] - i[2]) / 48);
  };
  x.for_each([&](auto i, auto& v) { v = wave(i, 3) + wave(i, 20); });
  plan.forward(x, modes);
  modes.for_each([](auto i, auto& v) {
    const double expected = i[0] == 29 && i[1] == 0 && i[2] == 3 ? 0.5 : 0;  // 29 is -3; 20 is dropped
    expect(std::abs(v - expected) < 1e-12, "fewer modes");
  });
  plan.backward(modes, x);
  x.for_each([&](auto i, auto& v) { expect(std::abs(v - wave(i, 3)) < 1e-12, "fewer modes backward"); });
}

void boxes(MPI_Comm comm) {
  weft::problem what{.shape = {48, 48, 48}};
  what.input_box = {{0, 0, 0}, {24, 24, 24}};    // one corner of the grid, as in a convolution that is not periodic
  what.output_box = {{2, 0, 40}, {10, 48, 48}};  // some modes, by their numbers in the whole output
  weft::c2c<double> plan(what, comm);

  auto x = plan.make_input();       // 24x24x24: element 0 is that of the box's first corner
  auto modes = plan.make_output();  // 8x48x8
  x.for_each([](auto i, auto& v) { v = i[0] == 1 && i[1] == 0 && i[2] == 0 ? 1 : 0; });
  plan.forward(x, modes);
  modes.for_each([](auto i, auto& v) {
    const value expected = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i[0] + 2) / 48);
    expect(std::abs(v - expected) < 1e-12, "boxes");
  });
}

void waves_in_a_sphere(MPI_Comm comm) {
  const auto amplitude = [](const auto& k) { return k[0] == 5 && k[1] == -3 && k[2] == 1 ? 1.0 : 0.0; };
  weft::plane_waves<double> waves({24, 24, 24}, {6, 6, 6}, comm);  // radii along the axes
  std::vector<value> c(waves.waves().size());                      // of this rank's waves: waves.waves()[i] is k
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = amplitude(waves.waves()[i]);
  auto field = waves.make_field();
  waves.to_field(c, field);  // field(x) = sum of c(k) exp(2 pi i k x / n)
  waves.to_waves(field, c);  // and back
  field.for_each([](auto x, auto& v) {
    const auto turns = static_cast<double>(5 * x[0] - 3 * x[1] + x[2]) / 24;
    expect(std::abs(v - std::polar(1.0, 2 * std::numbers::pi * turns)) < 1e-12, "plane waves");
  });
  for (std::size_t i = 0; i < c.size(); ++i) {
    expect(std::abs(c[i] - amplitude(waves.waves()[i])) < 1e-12, "plane waves and back");
  }
}

void ghost_cells(MPI_Comm comm, int ranks, int rank) {
  const auto where = weft::distribution::parse("[b0 * *]", {30, 21, 14}, weft::grid({ranks}));
  const weft::extents mine = where.local_shape(rank);

  weft::options how;
  how.input_layout = weft::ghosted(mine, {1, 1, 1}, {1, 1, 1});  // one cell around each side
  weft::problem what{.shape = {30, 21, 14}};
  what.in = where;
  weft::c2c<double> plan(what, comm, how);

  std::vector<value> field(static_cast<std::size_t>((mine[0] + 2) * (mine[1] + 2) * (mine[2] + 2)), value(7));
  auto modes = plan.make_output();
  plan.forward(std::span<const value>(field), modes.span());
  plan.backward(std::span<const value>(modes.span()), std::span<value>(field));
  expect(field.empty() || field.front() == value(7), "ghost cells are not touched");

  auto x = plan.make_input();  // or let the plan make it: x has that layout, and for_each visits elements only
  x.for_each([](auto i, auto& v) { v = number_of(i); });
  plan.forward(x, modes);
  plan.backward(modes, x);
  expect(is_number(x, 30 * 21 * 14), "arrays with ghost cells");
}

void fewer_bytes(MPI_Comm comm) {
  weft::options how;
  how.message_tolerance = 1e-6;
  weft::c2c<double> plan({30, 21, 14}, comm, how);

  expect(plan.report().exchange != "window" || plan.report().travels_as == "f64", "nothing is rounded on a node");
  how.exchange = "p2p";
  how.idle_ranks = false;
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  expect(weft::c2c<double>({30, 21, 14}, comm, how).report().travels_as == (ranks > 1 ? "f32" : "f64"),
         "half the bytes travel");
  auto x = plan.make_input();
  auto modes = plan.make_output();
  x.for_each([](auto i, auto& v) { v = number_of(i); });
  plan.forward(x, modes);
  plan.backward(modes, x);
  const double total = 30 * 21 * 14, largest = 240;
  x.for_each([&](auto i, auto& v) { expect(std::abs(v / total - number_of(i)) < 2e-6 * largest, "fewer bytes"); });
}

void in_place(MPI_Comm comm) {
  weft::r2c<double> plan({30, 21, 14}, comm, {.in_place = true});
  auto x = plan.make_input();        // with room for the larger of the two sides
  auto modes = plan.make_output(x);  // over the same memory
  x.for_each([](auto i, auto& v) { v = static_cast<double>(i[0] + i[2]); });
  plan.forward(x, modes);
  plan.backward(modes, x);
  x.for_each([](auto i, auto& v) {
    expect(std::abs(v / (30 * 21 * 14) - static_cast<double>(i[0] + i[2])) < 1e-10, "in place");
  });
}

void redistribution(MPI_Comm comm, int ranks, int rank) {
  const weft::grid on({ranks});
  const auto from = weft::distribution::parse("[b0 *]", {100, 60}, on);
  const auto to = weft::distribution::parse("[* c0/4]", {100, 60}, on);
  weft::redistribution move(from, to, sizeof(int), comm);

  weft::array<int> a(from, rank), b(to, rank);
  a.for_each([](auto i, int& v) { v = static_cast<int>(60 * i[0] + i[1]); });
  move(a.data(), b.data());
  b.for_each([](auto i, int& v) { expect(v == 60 * i[0] + i[1], "redistribution"); });
}

void helpers(MPI_Comm comm, int rank) {
  weft::r2c<double> plan({24, 20, 16}, comm, {.scaling = weft::normalization::forward});
  auto x = plan.make_input();
  auto modes = plan.make_output();
  const auto wave = [](auto i) { return std::cos(2 * std::numbers::pi * (i[0] / 24.0 + 3 * i[1] / 20.0)); };
  x.for_each([&](auto i, auto& v) { v = wave(i); });
  plan.forward(x, modes);

  const weft::spectral<double> of(plan);            // of a box of 2 pi; or of(plan, {length_x, length_y, length_z})
  const double square = of.mean_squares(modes)[0];  // of the field, Hermitian modes counted twice
  const auto shells = of.spectrum(modes);           // shells[s].power: the part with |k| near s
  of.poisson(modes, modes);                         // solves laplacian(u) = x; the mean of u is 0
  plan.backward(modes, x);
  expect(std::abs(square - 0.5) < 1e-12 && std::abs(shells[3].power - 0.5) < 1e-12, "powers");
  x.for_each([&](auto i, auto& v) { expect(std::abs(v + wave(i) / 10) < 1e-12, "poisson"); });

  const std::vector<double> all = weft::gather(x, comm);  // on rank 0; elsewhere empty
  weft::scatter(all, x, comm);                            // and back
  const double sum = weft::sum(x, comm);                  // on all ranks
  expect(all.size() == (rank == 0 ? 24 * 20 * 16 : 0) && std::abs(sum) < 1e-9, "gather, scatter, sum");
}

void functions(MPI_Comm comm) {
  weft::r2c<double> plan({24, 20, 16}, comm, {.scaling = weft::normalization::forward});
  const weft::spectral<double> of(plan);
  auto x = plan.make_input();
  auto modes = plan.make_output();
  const double h = 2 * std::numbers::pi / 20;
  x.for_each([&](auto i, auto& v) { v = std::sin(3 * h * i[1]); });
  plan.forward(x, modes, [&](auto i, auto& value) { value *= std::exp(-0.01 * i[0] * i[0]); });
  plan.backward(modes, x, [&](auto i, auto& value) {  // modes stay as they are
    value *= std::complex<double>(0, of.odd_wavenumber(1, i[1]));
  });
  x.for_each([&](auto i, auto& v) { expect(std::abs(v - 3 * std::cos(3 * h * i[1])) < 1e-12, "functions of modes"); });

  weft::convolution<weft::r2c<double>> smooth({.shape = {24, 20, 16}}, comm);
  auto field = smooth.make_field();
  smooth.kernel_in_modes([](auto i) { return std::exp(-0.1 * i[2]); });  // or kernel_in_space(array)
  field.for_each([](auto i, auto& v) { v = i[2] % 2 == 0 ? 1 : -1; });   // the mode 8 along axis 2
  smooth.convolve(field, field);                                         // or correlate
  field.for_each(
      [](auto i, auto& v) { expect(std::abs(v - (i[2] % 2 == 0 ? 1 : -1) * std::exp(-0.8)) < 1e-12, "convolution"); });
}

/// The same on all ranks, and no other program's.
std::string temporary_file(MPI_Comm comm) {
  int process = getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, comm);
  return (std::filesystem::temp_directory_path() / ("weft-using-" + std::to_string(process) + ".h5")).string();
}

void files(MPI_Comm comm) {
  const std::string file = temporary_file(comm);
  weft::c2c<double> plan({.shape = {6, 5, 4}}, comm);
  auto x = plan.make_input();
  auto y = plan.make_input();
  x.for_each([](const auto& at, auto& value) { value = static_cast<double>(at[0] + 10 * at[1] + 100 * at[2]); });
  if (weft::can_store()) {
    weft::write(file, x, comm);  // one dataset in natural order, whatever the distribution
    weft::read(file, y, comm);   // y may be distributed in another way, on other ranks
  }
  bool same = true;
  y.for_each([&](const auto& at, auto& value) {
    same = same && (!weft::can_store() || value == static_cast<double>(at[0] + 10 * at[1] + 100 * at[2]));
  });
  expect(same, "a file");
  MPI_Barrier(comm);
  if (plan.rank() == 0) std::filesystem::remove(file);
}

void timeline(MPI_Comm comm) {
  weft::c2c<double> plan({30, 21, 14}, comm);
  auto x = plan.make_input();
  auto y = plan.make_output();
  plan.record_timeline(true);
  plan.forward(x, y);
  plan.record_timeline(false);
  std::chrono::steady_clock::duration working{}, waiting{};
  for (const weft::timeline_entry& e : plan.timeline()) {
    if (weft::is_beside(e.kind)) continue;  // what a device copies meanwhile
    (e.kind == weft::activity::wait ? waiting : working) += e.end - e.begin;
  }
  expect(working.count() > 0 && waiting.count() >= 0, "timeline");
}

void several_at_once(MPI_Comm comm) {
  weft::c2c<double> plan({30, 21, 14}, comm);
  auto x = plan.make_input(), y = plan.make_input();
  auto modes = plan.make_output(), others = plan.make_output();
  for (auto* field : {&x, &y}) field->for_each([](auto i, auto& v) { v = number_of(i); });

  auto a = plan.start_forward(x, modes);   // transforms what it can, begins its first exchange, returns
  auto b = plan.start_forward(y, others);  // computes while the messages of a are under way
  a.wait();                                // the rest of a
  b.wait();
  plan.backward(modes, x);
  plan.backward(others, y);
  expect(is_number(x, 30 * 21 * 14) && is_number(y, 30 * 21 * 14), "several at once");
}

void shared_workspace(MPI_Comm comm) {
  weft::options how;
  how.workspace = weft::arena::growing();  // or weft::arena::over(span of bytes)
  weft::c2c<double> first({64, 48, 40}, comm, how), second({30, 21, 14}, comm, how);
  auto x = second.make_input(), modes = second.make_output();
  x.for_each([](auto i, auto& v) { v = number_of(i); });
  second.forward(x, modes);
  second.backward(modes, x);
  expect(is_number(x, 30 * 21 * 14), "shared workspace");
}

void errors(MPI_Comm comm) {
  try {
    weft::c2c<double> plan({30, 21, 14}, comm, {.algorithm = "slap"});
    expect(false, "an unknown name throws");
  } catch (const weft::name_error& e) {  // every rank lands here
    expect(e.code() == weft::error_code::unknown_name, "error code");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  explicit_distributions(MPI_COMM_WORLD);
  global_indices(MPI_COMM_WORLD, rank);
  bricks(MPI_COMM_WORLD, ranks);
  real_data(MPI_COMM_WORLD);
  cosine_transforms(MPI_COMM_WORLD);
  fewer_modes(MPI_COMM_WORLD);
  boxes(MPI_COMM_WORLD);
  waves_in_a_sphere(MPI_COMM_WORLD);
  ghost_cells(MPI_COMM_WORLD, ranks, rank);
  fewer_bytes(MPI_COMM_WORLD);
  in_place(MPI_COMM_WORLD);
  redistribution(MPI_COMM_WORLD, ranks, rank);
  helpers(MPI_COMM_WORLD, rank);
  functions(MPI_COMM_WORLD);
  files(MPI_COMM_WORLD);
  timeline(MPI_COMM_WORLD);
  several_at_once(MPI_COMM_WORLD);
  shared_workspace(MPI_COMM_WORLD);
  errors(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::puts(wrong == 0 ? "ok" : "wrong");
  MPI_Finalize();
  return wrong != 0;
}
