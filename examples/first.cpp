// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <numbers>
#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  weft::c2c<double> plan({64, 48, 40}, MPI_COMM_WORLD);
  auto x = plan.make_input();       // this rank's part of the array,
  auto modes = plan.make_output();  // and of its transform
  auto wave = [](auto i) { return std::polar(1.0, 2 * std::numbers::pi * (3 * i[0] / 64.0 + 5 * i[1] / 48.0)); };
  auto mode = [](auto i) { return i[0] == 3 && i[1] == 5 && i[2] == 0 ? 64.0 * 48 * 40 : 0.0; };
  int wrong = 0;

  x.for_each([&](auto i, auto& value) { value = wave(i); });  // i is the global index
  plan.forward(x, modes);                                     // a plane wave has a single mode
  modes.for_each([&](auto i, auto& value) { wrong += std::abs(value - mode(i)) > 1e-8; });
  plan.backward(modes, x);  // N times what we started with
  x.for_each([&](auto i, auto& value) { wrong += std::abs(value / (64.0 * 48 * 40) - wave(i)) > 1e-12; });

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (plan.rank() == 0) std::puts(wrong == 0 ? "ok" : "wrong");
  MPI_Finalize();
  return wrong != 0;
}
