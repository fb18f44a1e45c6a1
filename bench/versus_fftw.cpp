// Weft against FFTW-MPI: one forward c2c f64 transform, every contender in turn in every round, so that
// whatever disturbs the machine disturbs all alike. The minimum over rounds is compared.
#include <fftw3-mpi.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace {

using values = std::complex<double>;
using weft::integer;

struct contender {
  std::string name;
  bool keeps_distribution = false;  ///< the output lies like the input
  bool is_weft = false;
  std::function<void()> prepare, forward;
  double best = 1e300;
};

void fill(values* data, integer count) {
  for (integer i = 0; i < count; ++i) data[i] = {static_cast<double>(i % 17) - 8, static_cast<double>(i % 13) - 6};
}

contender make_weft(const weft::extents& shape, const char* out, bool shared) {
  weft::problem what{.shape = shape};
  what.out = out;
  weft::options how;
  how.shared_arrays = shared;
  if (shared) how.exchange = "window";
  auto plan = std::make_shared<weft::c2c<double>>(what, MPI_COMM_WORLD, how);
  auto input = std::make_shared<weft::array<values>>(plan->make_input());
  auto output = std::make_shared<weft::array<values>>(plan->make_output());
  return {.name = "weft " + plan->input().chains_text() + " -> " + plan->output().chains_text() +
                  (shared ? ", shared arrays" : ", " + plan->report().exchange),
          .keeps_distribution = weft::same_ownership(plan->input(), plan->output(), plan->input().ranks()),
          .is_weft = true,
          .prepare = [input] { fill(input->data(), input->size()); },
          .forward = [plan, input, output] { plan->forward(*input, *output); }};
}

contender make_fftw(const weft::extents& shape, bool transposed, bool in_place) {
  const std::vector<std::ptrdiff_t> n(shape.begin(), shape.end());
  const int rank = static_cast<int>(n.size());
  std::ptrdiff_t count = 0, first = 0, count_out = 0, first_out = 0;
  const std::ptrdiff_t room =
      fftw_mpi_local_size_transposed(rank, n.data(), MPI_COMM_WORLD, &count, &first, &count_out, &first_out);
  const auto memory = [room] {
    const auto bytes = sizeof(values) * static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, room));
    return std::shared_ptr<values>(static_cast<values*>(fftw_malloc(bytes)), fftw_free);
  };
  const auto raw = [](const std::shared_ptr<values>& of) { return reinterpret_cast<fftw_complex*>(of.get()); };
  const auto input = memory(), output = in_place ? input : memory();
  const unsigned flags = FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U);
  const std::shared_ptr<fftw_plan_s> plan(
      fftw_mpi_plan_dft(rank, n.data(), raw(input), raw(output), MPI_COMM_WORLD, FFTW_FORWARD, flags),
      fftw_destroy_plan);
  return {.name = std::string("FFTW-MPI ") + (transposed ? "transposed" : "default") + (in_place ? ", in place" : ""),
          .keeps_distribution = !transposed,
          .is_weft = false,
          .prepare = [input, room] { fill(input.get(), room); },
          .forward = [plan, input, output] { fftw_execute(plan.get()); }};
}

void play_round(std::vector<contender>& all) {
  for (contender& c : all) {
    c.prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = std::chrono::steady_clock::now();
    c.forward();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    c.best = std::min(c.best, seconds);
  }
}

double best_of(const std::vector<contender>& all, bool weft, bool keeping) {
  double best = 1e300;
  for (const contender& c : all) {
    if (c.is_weft == weft && (c.keeps_distribution || !keeping)) best = std::min(best, c.best);
  }
  return best;
}

void compare(const weft::extents& shape, int rounds, int rank, int size) {
  std::vector<contender> all;
  for (const bool shared : {false, true}) {
    for (const char* out : {"any", "same"}) all.push_back(make_weft(shape, out, shared));
  }
  for (const bool transposed : {false, true}) {
    for (const bool in_place : {false, true}) all.push_back(make_fftw(shape, transposed, in_place));
  }
  play_round(all);  // first touch of every page
  for (contender& c : all) c.best = 1e300;
  for (int k = 0; k < rounds; ++k) play_round(all);
  if (rank != 0) return;
  std::printf("c2c f64 %s on %d ranks, best of %d interleaved rounds\n", weft::to_text(shape).c_str(), size, rounds);
  for (const contender& c : all) std::printf("  %-44s %10.3f ms\n", c.name.c_str(), 1e3 * c.best);
  std::printf("  best FFTW-MPI / weft: %.2f with any output distribution, %.2f with the input's\n",
              best_of(all, false, false) / best_of(all, true, false),
              best_of(all, false, true) / best_of(all, true, true));
  std::fflush(stdout);
}

}  // namespace

/// weft-versus-fftw [ROUNDS [SHAPE...]]
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0, size = 1, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    const int rounds = argc > 1 ? std::max(1, std::stoi(argv[1])) : 10;
    std::vector<std::string> shapes(argv + std::min(argc, 2), argv + argc);
    if (shapes.empty()) shapes = {"128x128x128", "256x256x256"};
    for (const auto& shape : shapes) compare(weft::parse_extents(shape), rounds, rank, size);
  } catch (const std::exception& e) {
    if (rank == 0) std::fprintf(stderr, "weft-versus-fftw [ROUNDS [SHAPE...]]: %s\n", e.what());
    code = 2;
  }
  fftw_mpi_cleanup();
  MPI_Finalize();
  return code;
}
