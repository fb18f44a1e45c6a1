// SPDX-License-Identifier: BSD-3-Clause
// Something that transforms, for `weft bench` to time: a plan of Weft's or of a peer's, with its arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "placed_array.hpp"
#include "ranks.hpp"
#include "weft/memory.hpp"
#include "weft/problem.hpp"

namespace weft::tool {

struct contender_label {
  std::string library = {};  ///< "weft", or the peer's name
  std::string variant = {};  ///< what distinguishes it from the library's others
  bool is_weft = false;
  bool keeps_distribution = false;  ///< the output lies on the ranks like the input
  bool in_place = false;
  bool by_messages = true;    ///< ranks do not read each other's memory
  bool on_root_only = false;  ///< the root transforms alone, and the other ranks must not take its cores
};

class contender {
 public:
  explicit contender(contender_label label) : label_(std::move(label)) {}
  virtual ~contender() = default;
  contender(const contender&) = delete;
  contender& operator=(const contender&) = delete;

  [[nodiscard]] const contender_label& label() const { return label_; }

  /// Writes the output and then fills the input, so that all start with their arrays in the caches
  /// alike, and numbers do not grow from round to round.
  virtual void prepare() = 0;
  /// One transform; collective unless on_root_only, and then called on the root only.
  virtual void forward() = 0;
  /// Sums of squares of this rank's part; of the whole spectrum where half of it is stored.
  [[nodiscard]] virtual double input_squares() const = 0;
  [[nodiscard]] virtual double output_squares() const = 0;

 private:
  contender_label label_;
};

/// Arrays in private memory, of the host or of a device: contenders run one after the other, so that one pair serves
/// them all.
class array_pool {
 public:
  explicit array_pool(const device::device* on) : on_(on) {}
  /// None where there is no room.
  [[nodiscard]] memory input(std::size_t bytes) { return get(input_, bytes); }
  [[nodiscard]] memory output(std::size_t bytes) { return get(output_, bytes); }

 private:
  [[nodiscard]] memory get(memory& from, std::size_t bytes) const;

  const device::device* on_;
  memory input_, output_;
};

/// What a contender is made from.
struct bench_setup {
  const ranks& all;
  int threads = 1;     ///< of each rank
  cores usable = {};   ///< of this node
  array_pool& parts;   ///< for this rank's parts of arrays
  array_pool& wholes;  ///< for whole arrays, on the root
  std::string device_name = "cpu";
  const device::device* device = nullptr;  ///< in whose memory arrays are; null: the host's
};

struct contenders {
  std::vector<std::unique_ptr<contender>> all;
  std::vector<std::string> notes;  ///< what is missing or limited, and why; the same on every rank
};

/// Those of Weft. Throws usage_error if there is none. `as_peer`: the name under which they are somebody else's.
[[nodiscard]] contenders weft_contenders(const problem& what, const bench_setup& on, const std::string& as_peer = {});

/// A barrier for ranks that must leave the cores alone while they wait.
void quiet_barrier(const ranks& all);

/// Cheap random numbers in [-1, 1).
void fill_random(precision width, const memory& to, integer reals, int rank);
/// Writes zeros, where that brings something into the host's caches.
void clear(const memory& what, std::size_t bytes);
/// The first bytes of an array where the host can read them, until it is asked for others.
[[nodiscard]] const void* seen_by_host(const memory& array, std::size_t bytes);

/// Sum of weight(i) times the square of real number i.
template <class Weight>
double weighted_squares(precision width, const memory& array, integer reals, Weight weight) {
  const void* const data = seen_by_host(array, static_cast<std::size_t>(reals) * real_bytes(width));
  constexpr integer block = 4096;  // short sums, then the sum of these: less rounding
  double total = 0;
  for (integer first = 0; first < reals; first += block) {
    double part = 0;
    for (integer i = first; i < std::min(reals, first + block); ++i) {
      const double value =
          width == precision::f32 ? static_cast<const float*>(data)[i] : static_cast<const double*>(data)[i];
      part += weight(i) * value * value;
    }
    total += part;
  }
  return total;
}

/// How often entry k of a halved axis of real extent n stands in the whole spectrum.
[[nodiscard]] inline double times_in_spectrum(integer k, integer n) { return k == 0 || 2 * k == n ? 1 : 2; }

}  // namespace weft::tool
