// SPDX-License-Identifier: BSD-3-Clause
// Gathering, scattering and summing on real ranks, against arrays that every rank knows.
#include <gtest/gtest.h>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/gather.hpp"

namespace weft::testing {
namespace {

/// The element of array `b` with a global number, small enough that sums of floats are exact.
template <class T>
T element_of(integer number, integer b) {
  const auto value = static_cast<int>((number * 7919 + b * 104729) % 201 - 100);
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(number % 17));
  }
}

template <class T>
void check_moves(dice d, const std::string& text) {
  SCOPED_TRACE(text);
  const extents shape = random_shape(d, d.small(1, 4), 800);
  const auto how = random_distribution(d, shape, world_size());
  const integer batch = d.once_in(2) ? d.between(2, 3) : 1;
  const int root = d.small(0, world_size() - 1);
  if (d.once_in(3)) planner::limits().count = d.between(2, 9);
  dice own(d.word() + static_cast<std::uint64_t>(world_rank()));
  extents local = how.local_shape(world_rank());
  if (batch > 1) local.insert(local.begin(), batch);
  const layout where = own.once_in(2) ? random_layout(own, local) : layout{};
  array<T> x(how, world_rank(), batch, where), back(how, world_rank(), batch, where);
  const auto number_of = [&](auto i) { return flat_index(extents(i.begin(), i.end()), shape); };
  x.for_each([&](auto i, T& value, integer b) { value = element_of<T>(number_of(i), b); });

  const integer n = volume(shape);
  std::vector<T> all;
  typename detail::sum_type<T>::type total{};
  for (integer b = 0; b < batch; ++b) {
    for (integer k = 0; k < n; ++k) {
      all.push_back(element_of<T>(k, b));
      total += static_cast<typename detail::sum_type<T>::type>(all.back());
    }
  }
  EXPECT_EQ(gather(x, world(), root), world_rank() == root ? all : std::vector<T>()) << how.text() << " root " << root;
  scatter(world_rank() == root ? all : std::vector<T>(), back, world(), root);
  back.for_each([&](auto i, T& value, integer b) { EXPECT_EQ(value, element_of<T>(number_of(i), b)); });
  EXPECT_EQ(sum(x, world()), total);
  planner::limits() = {};
}

TEST(gathering, moves_and_sums_any_array) {
  for (const auto seed : seeds(12, 7000 + static_cast<std::uint64_t>(world_size()))) {
    check_moves<int>(dice(seed), rerun(seed));
    check_moves<float>(dice(seed + 1), rerun(seed));
    check_moves<std::complex<double>>(dice(seed + 2), rerun(seed));
    check_moves<std::complex<float>>(dice(seed + 3), rerun(seed));
    if (failed_anywhere()) return;
  }
}

TEST(gathering, sums_do_not_lose_small_values) {
  const auto how = distribution::parse("[b0]", {1000 * world_size()}, grid({world_size()}));
  array<double> x(how, world_rank());
  x.for_each([](auto i, double& value) { value = i[0] % 1000 == 0 ? 1e16 : i[0] % 1000 == 999 ? -1e16 : 1; });
  EXPECT_EQ(sum(x, world()), 998.0 * world_size());
}

TEST(gathering, errors_are_the_same_on_all_ranks) {
  const auto how = distribution::parse("[b0]", {12}, grid({world_size()}));
  const int last = world_size() - 1;
  array<int> x(how, world_rank()), of_another(how, world_rank() == last ? last + 1 : world_rank());
  const auto text_of = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const error& e) {
      return e.what();
    }
    return "no error";
  };
  const auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    for (const auto& t : texts_of_all(text)) EXPECT_EQ(t, text);
  };
  expect(text_of([&] { (void)gather(x, world(), world_size()); }), "root");
  expect(text_of([&] { (void)gather(of_another, world()); }), "passed by rank " + std::to_string(last));
  expect(text_of([&] { (void)sum(of_another, world()); }), "passed by rank " + std::to_string(last));
  expect(text_of([&] { scatter(std::vector<int>(11), x, world()); }), "has 44 bytes, needs 48");
  if (world_size() > 1) {
    array<int> other(distribution::parse("[c0]", {12}, grid({world_size()})), world_rank());
    expect(text_of([&] { (void)gather(world_rank() == 1 ? other : x, world()); }),
           "ranks disagree on the distribution");
    expect(text_of([&] { (void)gather(x, world(), world_rank()); }), "ranks disagree on the root");
  }
}

}  // namespace
}  // namespace weft::testing
