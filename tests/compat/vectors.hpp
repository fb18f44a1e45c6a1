// SPDX-License-Identifier: BSD-3-Clause
// The files of tests/vectors, which every language and every drop-in runs.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::testing {

struct vector_case {
  std::string name, transform;
  bool backward = false;
  std::vector<std::int64_t> shape, kept, modes_shape;
  std::vector<int> transformed;
  std::vector<std::string> kinds;  ///< empty: Fourier along the transformed axes
  int halved = -1;
  std::int64_t batch = 1;
  double factor = 1;  ///< of there and back; 0: modes are lost
  double energy = 0;
  std::vector<std::complex<double>> expected;  ///< by batch and index, row-major

  [[nodiscard]] int axes() const { return static_cast<int>(shape.size()); }
  /// Whether all axes are transformed, and all modes kept.
  [[nodiscard]] bool is_whole() const {
    return kept == shape && std::find(transformed.begin(), transformed.end(), 0) == transformed.end();
  }
  /// What goes in, by its row-major number over all arrays.
  [[nodiscard]] std::complex<double> input(std::int64_t k) const {
    const auto part = [k](std::int64_t square, std::int64_t linear, std::int64_t constant) {
      return static_cast<double>((square * k * k + linear * k + constant) % 65537 - 32768) / 32768;
    };
    return {part(31, 7919, 12345), transform == "c2c" ? part(17, 104729, 54321) : 0};
  }
};

/// The row-major number of an index in an array of a batch.
template <class Index>
std::int64_t number_of(const std::vector<std::int64_t>& shape, const Index& index, std::int64_t component) {
  for (std::size_t a = 0; a < shape.size(); ++a) component = component * shape[a] + index[a];
  return component;
}

inline vector_case read_vector(const std::filesystem::path& file) {
  vector_case c;
  c.name = file.stem().string();
  std::ifstream in(file);
  const auto expect = [&](const std::string& word) {
    std::string found;
    if (!(in >> found) || found != word) throw std::runtime_error(file.string() + ": no " + word + ", but " + found);
  };
  int version = 0;
  std::size_t axes = 0, modes = 0;
  std::string direction;
  const auto list = [&](const std::string& word, auto& values) {
    expect(word);
    values.resize(axes);
    for (auto& v : values) in >> v;
  };
  expect("weft_vector"), in >> version;
  expect("transform"), in >> c.transform;
  expect("direction"), in >> direction;
  c.backward = direction == "backward";
  expect("axes"), in >> axes;
  list("shape", c.shape);
  list("transformed", c.transformed);
  expect("halved"), in >> c.halved;
  expect("batch"), in >> c.batch;
  c.kept = c.shape;
  for (std::size_t a = 0; a < axes; ++a) c.factor *= c.transformed[a] != 0 ? static_cast<double>(c.shape[a]) : 1;
  if (version == 2) {
    list("kinds", c.kinds);
    list("kept", c.kept);
    expect("factor"), in >> c.factor;
  }
  expect("modes"), in >> modes;
  expect("energy"), in >> c.energy;
  c.modes_shape = c.kept;
  if (c.halved >= 0)
    c.modes_shape[static_cast<std::size_t>(c.halved)] = c.kept[static_cast<std::size_t>(c.halved)] / 2 + 1;
  c.expected.resize(modes);
  for (std::size_t m = 0; m < modes; ++m) {
    std::int64_t component = 0;
    std::vector<std::int64_t> index(axes);
    double re = 0, im = 0;
    in >> component;
    for (auto& i : index) in >> i;
    in >> re >> im;
    c.expected.at(static_cast<std::size_t>(number_of(c.modes_shape, index, component))) = {re, im};
  }
  if (!in) throw std::runtime_error(file.string() + " ends too early");
  return c;
}

inline std::vector<vector_case> read_vectors() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_TEST_VECTORS)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<vector_case> all;
  for (const auto& file : files) all.push_back(read_vector(file));
  return all;
}

}  // namespace weft::testing
