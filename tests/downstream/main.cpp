// SPDX-License-Identifier: BSD-3-Clause
// Transforms a plane wave, and catches what the library throws across its border.
#include <cstdio>
#include <numbers>
#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 1;
  {
    weft::c2c<double> plan({12, 10, 8}, MPI_COMM_WORLD);
    auto x = plan.make_input();
    auto modes = plan.make_output();
    x.for_each([](auto i, auto& value) {
      value =
          std::polar(1.0, 2 * std::numbers::pi * (static_cast<double>(3 * i[0]) / 12 + static_cast<double>(i[2]) / 8));
    });
    plan.forward(x, modes);
    wrong = 0;
    modes.for_each([&](auto i, auto& value) {
      wrong += std::abs(value - (i[0] == 3 && i[1] == 0 && i[2] == 1 ? 960.0 : 0.0)) > 1e-10;
    });
    try {
      weft::c2c<double> none({12, 10, 8}, MPI_COMM_WORLD, {.algorithm = "slap"});
      ++wrong;
    } catch (const weft::name_error& e) {
      wrong += e.code() != weft::error_code::unknown_name;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (plan.rank() == 0) std::printf("%s, version %s\n", wrong == 0 ? "ok" : "wrong", weft::version().c_str());
  }
  MPI_Finalize();
  return wrong != 0;
}
