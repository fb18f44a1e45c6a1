#include <weft/weft.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0, rank = 0;
  {
    weft::c2c<double> plan({64, 48, 40}, MPI_COMM_WORLD);
    auto x = plan.make_input(), back = plan.make_input();
    auto modes = plan.make_output();
    const auto wave = [](auto i) { return std::polar(1.0, 2 * M_PI * (3 * i[0] / 64.0 + 5 * i[1] / 48.0 + 7 * i[2] / 40.0)); };
    const double n = 64 * 48 * 40;
    x.for_each([&](auto i, auto& value) { value = wave(i); });
    plan.forward(x, modes);  // a plane wave has one mode: (3, 5, 7)
    modes.for_each([&](auto i, auto& v) { wrong += std::abs(v - (i[0] == 3 && i[1] == 5 && i[2] == 7 ? n : 0)) > 1e-8; });
    plan.backward(modes, back);  // backward(forward(x)) = n x
    back.for_each([&](auto i, auto& value) { wrong += std::abs(value / n - wave(i)) > 1e-12; });
    rank = plan.rank();
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::puts(wrong == 0 ? "ok" : "wrong");
  MPI_Finalize();
  return wrong != 0;
}
