// SPDX-License-Identifier: BSD-3-Clause
// Arrays in files: what one distribution wrote, any other reads, and files are whole or old, never half.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "facade/hdf5.hpp"
#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/file.hpp"

namespace weft::testing {
namespace {

/// A file that is gone afterwards, the same one on all ranks.
class temporary_file {
 public:
  temporary_file() {
    int number = static_cast<int>(::getpid());
    MPI_Bcast(&number, 1, MPI_INT, 0, world());
    folder_ = std::filesystem::temp_directory_path() / ("weft_file_test_" + std::to_string(number));
    if (world_rank() == 0) std::filesystem::create_directories(folder_);
    MPI_Barrier(world());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    MPI_Barrier(world());
    std::error_code ignored;
    if (world_rank() == 0) std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string name() const { return folder_ / "array.h5"; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

template <class T>
T element_of(std::span<const integer> i, integer b, const extents& shape) {
  const auto value =
      static_cast<double>(flat_index(extents(i.begin(), i.end()), shape)) + 0.25 * static_cast<double>(b);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(-value / 2));
  }
}

layout some_layout(dice& d, const distribution& how, integer batch) {
  dice own(d.word() + static_cast<std::uint64_t>(world_rank()));
  extents local = how.local_shape(world_rank());
  if (batch > 1) local.insert(local.begin(), batch);
  return own.once_in(2) ? random_layout(own, local) : layout{};
}

template <class T, class Other>
void check_file(dice d) {
  const temporary_file file;
  const extents shape = random_shape(d, d.small(1, 4), 500);
  const auto from = random_distribution(d, shape, world_size()), to = random_distribution(d, shape, world_size());
  const integer batch = d.once_in(3) ? 2 : 1;
  SCOPED_TRACE(from.text() + " to " + to.text() + " of " + to_text(shape) + ", batch " + std::to_string(batch));
  array<T> x(from, world_rank(), batch, some_layout(d, from, batch));
  array<T> y(to, world_rank(), batch, some_layout(d, to, batch));
  array<Other> converted(to, world_rank(), batch);
  x.for_each([&](auto i, T& value, integer b) { value = element_of<T>(i, b, shape); });
  write(file.name(), x, world(), "some/where");
  const auto there = look_into(file.name(), world(), "some/where");
  EXPECT_EQ(there.shape, shape);
  EXPECT_EQ(there.batch, batch);
  EXPECT_EQ(there.complex, !std::is_floating_point_v<T>);
  EXPECT_EQ(there.element == precision::f32, sizeof(T) == (there.complex ? 8 : 4));
  EXPECT_EQ(distribution::parse(there.distribution, shape, grid({1})), from);
  read(file.name(), y, world(), "some/where");
  read(file.name(), converted, world(), "some/where");
  y.for_each([&](auto i, T& value, integer b) { EXPECT_EQ(value, element_of<T>(i, b, shape)); });
  converted.for_each([&](auto i, Other& value, integer b) { EXPECT_EQ(value, element_of<Other>(i, b, shape)); });
  EXPECT_FALSE(std::filesystem::exists(file.name() + ".partial"));
}

TEST(files, are_read_in_any_distribution) {
  if (!can_store()) GTEST_SKIP() << "this build has no HDF5";
  for (const auto seed : seeds(4, 12000 + 100 * static_cast<std::uint64_t>(world_size()))) {
    SCOPED_TRACE(rerun(seed));
    try {
      check_file<float, double>(dice(seed));
      check_file<double, float>(dice(seed + 1));
      check_file<std::complex<double>, std::complex<float>>(dice(seed + 2));
      check_file<std::complex<float>, std::complex<double>>(dice(seed + 3));
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (failed_anywhere()) return;
  }
}

TEST(files, stay_whole_when_writing_fails) {
  if (!can_store()) GTEST_SKIP() << "this build has no HDF5";
  const temporary_file file;
  const auto how = distribution::parse("[b0 *]", {12, 5}, grid({world_size()}));
  array<double> x(how, world_rank());
  write(file.name(), x, world());
  const std::string before = contents(file.name());
  EXPECT_FALSE(before.empty());
  // An interrupted write leaves its own file behind, and the next one succeeds.
  MPI_Barrier(world());
  if (world_rank() == 0) std::ofstream(file.name() + ".partial") << "half of an array";
  MPI_Barrier(world());
  x.for_each([](auto i, double& value) { value = static_cast<double>(i[0]); });
  EXPECT_THROW(write(file.name(), x, world(), "."), file_error);
  EXPECT_EQ(contents(file.name()), before);
  EXPECT_FALSE(std::filesystem::exists(file.name() + ".partial"));
  write(file.name(), x, world());
  array<double> y(how, world_rank());
  read(file.name(), y, world());
  y.for_each([](auto i, double& value) { EXPECT_EQ(value, static_cast<double>(i[0])); });
}

/// Boxes of thousands of ranks are a long text.
TEST(files, keep_long_texts) {
  if (!can_store()) return;
  const temporary_file file;
  const mpi::communicator on(world());
  facade::file_part part;
  part.file = file.name();
  part.dataset = "array";
  part.what = {{4}, 1, precision::f64, false, std::string(200000, 'x')};
  part.first = {0};
  part.extent = {world_rank() == 0 ? 4 : 0};
  std::vector<double> values{1, 2, 3, 4};
  EXPECT_EQ(facade::write_part(on, part,
                               [&](integer, const auto& store) { store(reinterpret_cast<std::byte*>(values.data())); }),
            "");
  EXPECT_EQ(look_into(file.name(), world(), "array").distribution, part.what.distribution);
}

TEST(files, errors_are_the_same_on_all_ranks) {
  const temporary_file file;
  const auto how = distribution::parse("[b0 *]", {12, 5}, grid({world_size()}));
  array<double> x(how, world_rank());
  const auto expect = [&](const auto& call, const std::string& part) {
    std::string text = "no error";
    try {
      call();
    } catch (const error& e) {
      text = e.what();
    }
    EXPECT_NE(text.find(part), std::string::npos) << text;
    for (const auto& t : texts_of_all(text)) EXPECT_EQ(t, text);
  };
  if (!can_store()) return expect([&] { write(file.name(), x, world()); }, "no parallel HDF5");
  expect([&] { write(file.folder() / "nowhere" / "file.h5", x, world()); }, "No such file or directory");
  expect([&] { read(file.name(), x, world()); }, "No such file or directory");
  expect([&] { write("", x, world()); }, "without a name");
  write(file.name(), x, world());
  expect([&] { read(file.name(), x, world(), "other"); }, "has no dataset 'other'");
  array<std::complex<double>> complex(how, world_rank());
  expect([&] { read(file.name(), complex, world()); }, "real elements of 12x5, the array complex elements of 12x5");
  array<double> other(distribution::parse("[b0 *]", {5, 12}, grid({world_size()})), world_rank());
  expect([&] { read(file.name(), other, world()); }, "12x5");
  MPI_Barrier(world());
  if (world_rank() == 0) std::ofstream(file.name()) << "no HDF5";
  MPI_Barrier(world());
  expect([&] { read(file.name(), x, world()); }, "no HDF5 file");
  expect([&] { write(file.folder(), x, world()); }, "cannot be replaced");
  EXPECT_FALSE(std::filesystem::exists(file.folder().string() + ".partial"));
  if (world_size() > 1) {
    expect([&] { write(file.name() + std::to_string(world_rank()), x, world()); }, "ranks disagree on the file");
  }
}

}  // namespace
}  // namespace weft::testing
