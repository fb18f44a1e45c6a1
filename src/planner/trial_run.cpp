#include "planner/trial_run.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/memory.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

// Repetitions: at least so many, and more until so many seconds.
constexpr int least_repetitions = 3;
constexpr int most_repetitions = 40;
constexpr double enough_seconds = 0.03;
// Not worth another repetition.
constexpr double clearly_slower = 1.3;

/// An array of the user's, in its stead: zeros.
class stand_in {
 public:
  stand_in(const crew& on, integer bytes, array_memory lying) {
    mpi::agree(on.all, [&] {
      if (lying == array_memory::shared) {
        shared_ = mpi::shared_memory(on.node, bytes);
        image_ = {shared_.mine(), shared_.peers()};
      } else {
        private_ = base::host().allocate(static_cast<std::size_t>(bytes));
        image_.mine = private_.data();
      }
    });
    std::fill_n(image_.mine, static_cast<std::size_t>(bytes), std::byte{0});
  }
  [[nodiscard]] const exchange::image& get() const { return image_; }

 private:
  mpi::shared_memory shared_;
  memory private_;
  exchange::image image_;
};

}  // namespace

double least_seconds(bound& made, const options& how, const crew& on, double best) {
  const stand_in in(on, made.array_bytes(true, how.in_place), made.arrays);
  std::optional<stand_in> other;
  if (!how.in_place) other.emplace(on, made.array_bytes(false, false), made.arrays);
  const exchange::image out = other ? other->get() : in.get();
  auto& forward = made.execution(direction::forward, made.arrays);
  using clock = std::chrono::steady_clock;
  const auto once = [&] {
    (void)mpi::largest(on.all, 0);  // all begin together
    const auto begin = clock::now();
    forward.run(in.get(), out, nullptr, true);
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    return 1e-9 * static_cast<double>(mpi::largest(on.all, std::max<long long>(spent, 1)));
  };
  double sum = once();  // touches all memory, and is not counted
  double least = std::numeric_limits<double>::infinity();
  if (sum > 3 * clearly_slower * best) return sum;
  for (int k = 0; k < most_repetitions && (k < least_repetitions || sum < enough_seconds); ++k) {
    const double seconds = once();
    sum += seconds;
    least = std::min(least, seconds);
    if (k > 0 && least > clearly_slower * best) break;
  }
  return least;
}

}  // namespace weft::planner
