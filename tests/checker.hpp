// SPDX-License-Identifier: BSD-3-Clause
// One checker for random problems: forward against an independent serial transform, inputs preserved,
// ghost cells untouched, backward after forward, and the same bits when run again.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>

#include "local/serial.hpp"
#include "property.hpp"

namespace weft::testing {

using complex = std::complex<double>;

/// Some ranks of a transform: all of them in one process, or one of them under MPI.
class subject {
 public:
  virtual ~subject() = default;
  [[nodiscard]] virtual std::vector<int> ranks() const = 0;  ///< held by this process
  [[nodiscard]] virtual const distribution& input() const = 0;
  [[nodiscard]] virtual const distribution& output() const = 0;
  [[nodiscard]] virtual layout_pair layouts(int rank) const = 0;
  virtual void run(direction way, const std::vector<const std::byte*>& from, const std::vector<std::byte*>& to) = 0;
  [[nodiscard]] virtual double sum(double mine) const = 0;  ///< over all processes
};

/// Memory with a pattern in it and guards around, every word of which is a different NaN.
class guarded {
 public:
  guarded(std::size_t bytes, std::size_t shift)
      : bytes_(bytes), begin_(guard + shift), memory_(bytes + shift + 2 * guard) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = i % 4 == 0 ? static_cast<std::byte>(i / 4 * 37 % 256) : std::byte{0xff};
    }
  }
  [[nodiscard]] std::byte* data() { return memory_.data() + begin_; }
  [[nodiscard]] const std::byte* data() const { return memory_.data() + begin_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  void remember() { before_ = memory_; }
  /// Bytes that differ from what was remembered, other than those of `allowed` elements.
  [[nodiscard]] std::size_t changed(std::vector<bool> allowed) const {
    allowed.resize(memory_.size() - begin_, false);
    std::size_t count = 0;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const bool may = i >= begin_ && allowed[i - begin_];
      count += !may && memory_[i] != before_[i] ? 1 : 0;
    }
    return count;
  }

 private:
  static constexpr std::size_t guard = 64;
  std::size_t bytes_, begin_;
  std::vector<std::byte> memory_, before_;
};

/// One side of one rank: which global element lies where in memory.
struct side {
  extents numbers;    ///< global, the batch included, by local element
  extents addresses;  ///< in elements, likewise
  integer elements = 0;
  std::size_t bytes = 0;  ///< per element
  bool real = false;
  precision element = precision::f64;

  [[nodiscard]] std::size_t total() const { return static_cast<std::size_t>(elements) * bytes; }

  void store(std::byte* memory, std::size_t i, complex value) const {
    std::byte* const to = memory + at(addresses[i]) * bytes;
    const auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
    const bool wide = element == precision::f64;
    if (real) return wide ? put(value.real()) : put(static_cast<float>(value.real()));
    return wide ? put(value) : put(std::complex<float>(value));
  }
  [[nodiscard]] complex load(const std::byte* memory, std::size_t i) const {
    const std::byte* const from = memory + at(addresses[i]) * bytes;
    const auto get = [&](auto v) {
      std::memcpy(&v, from, sizeof v);
      return complex(v);
    };
    const bool wide = element == precision::f64;
    if (real) return wide ? get(double{}) : get(float{});
    return wide ? get(complex{}) : get(std::complex<float>{});
  }
  void allow(std::vector<bool>& mask) const {
    for (const integer a : addresses) {
      const auto begin = at(a) * bytes;
      if (mask.size() < begin + bytes) mask.resize(begin + bytes, false);
      for (std::size_t k = 0; k < bytes; ++k) mask[begin + k] = true;
    }
  }
};

inline extents batched(const extents& local, integer batch) {
  extents shape = local;
  if (batch > 1) shape.insert(shape.begin(), batch);
  return shape;
}

inline side make_side(const distribution& d, int rank, const layout& l, const problem& p, bool input) {
  side s;
  s.real = input ? real_input(p) : real_output(p);
  s.element = p.element;
  s.bytes = s.real ? real_bytes(p.element) : complex_bytes(p.element);
  const extents one = global_numbers(d, rank);
  for (integer b = 0; b < p.batch; ++b) {
    for (const integer n : one) s.numbers.push_back(b * volume(d.shape()) + n);
  }
  const extents shape = batched(d.local_shape(rank), p.batch);
  extents strides = l.strides;
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
    if (p.interleaved && p.batch > 1) {
      for (std::size_t k = 1; k < strides.size(); ++k) strides[k] *= p.batch;
      strides[0] = 1;
    }
  }
  each_tuple(shape, [&](const extents& i) {
    integer address = l.offset;
    for (std::size_t k = 0; k < i.size(); ++k) address += i[k] * strides[k];
    s.addresses.push_back(address);
    s.elements = std::max(s.elements, address + 1);
  });
  return s;
}

class checker {
 public:
  checker(const drawn& t, subject& s) : t_(t), subject_(s) {
    dice d(t.seed + 77);
    for (const int rank : s.ranks()) {
      const auto layouts = s.layouts(rank);
      held h{make_side(s.input(), rank, layouts.in, t.what, true),
             make_side(s.output(), rank, layouts.out, t.what, false),
             d.between(0, 7) * static_cast<integer>(real_bytes(t.what.element))};
      held_.push_back(std::move(h));
    }
    make_reference();
  }

  void check() {
    std::vector<guarded> in, out;
    for (const auto& h : held_) {
      const std::size_t larger = std::max(h.in.total(), h.out.total());
      in.emplace_back(t_.how.in_place ? larger : h.in.total(), at(h.shift));
      out.emplace_back(t_.how.in_place ? 0 : h.out.total(), at(h.shift));
    }
    auto& results = t_.how.in_place ? in : out;
    fill(in);
    run(direction::forward, in, results);
    expect_close(results, &held::out, spectrum_, forward_scale(), size_, "forward");
    const auto first = bytes_of(results, &held::out);

    // Backward into memory that does not hold the answer already.
    std::vector<guarded> again;
    for (const auto& h : held_) again.emplace_back(t_.how.in_place ? 0 : h.in.total(), at(h.shift));
    auto& returned = t_.how.in_place ? in : again;
    run(direction::backward, results, returned);
    expect_close(returned, &held::in, returned_, forward_scale() * backward_scale() * size_, 1, "backward of forward");

    fill(in);
    run(direction::forward, in, results);
    EXPECT_EQ(bytes_of(results, &held::out), first) << "a second run gives other bits";
  }

 private:
  struct held {
    side in, out;
    integer shift;  // of the user's memory against the allocator's alignment
  };

  void make_reference() {
    const auto& p = t_.what;
    const auto axes = axes_of(p);
    const extents given = given_shape(p);
    const integer n = volume(given);
    size_ = size_of(p);
    dice d(t_.seed + 99);
    values_.resize(at(n * p.batch));
    for (auto& v : values_) {
      // Numbers that both precisions have.
      v = {static_cast<float>(d.unit() - 0.5), real_input(p) ? 0 : static_cast<float>(d.unit() - 0.5)};
    }
    const extents half = half_shape(p);
    for (integer b = 0; b < p.batch; ++b) {
      std::vector<complex> whole(at(volume(p.shape)), 0);
      each_tuple(given, [&](const extents& i) {
        whole[at(flat_index(shifted(i, p.input_box), p.shape))] = values_[at(b * n + flat_index(i, given))];
      });
      transform(whole, axes, -1);
      each_tuple(p.shape, [&](const extents& k) {
        if (!is_kept(k)) whole[at(flat_index(k, p.shape))] = 0;
      });
      each_tuple(half, [&](const extents& i) {
        spectrum_.push_back(whole[at(flat_index(shifted(mode_at(i), p.output_box), p.shape))]);
      });
      if (p.modes.empty() && p.output_box.low.empty()) continue;
      if (!p.output_box.low.empty()) keep_box(whole);
      transform(whole, axes, 1);
      each_tuple(given, [&](const extents& i) {
        const complex v = whole[at(flat_index(shifted(i, p.input_box), p.shape))] / size_;
        returned_.push_back(real_input(p) ? v.real() : v);
      });
    }
    if (returned_.empty()) returned_ = values_;
  }

  static extents shifted(extents i, const box& part) {
    for (std::size_t l = 0; l < part.low.size(); ++l) i[l] += part.low[l];
    return i;
  }

  /// Clears what is not in the output's box. A real field has the half of its modes that is stored, twice: what stands
  /// for itself and its mirror image. So the sum over the stored ones has the real part of twice each that stands for
  /// two, and of those in the planes that are their own mirror image of each.
  void keep_box(std::vector<complex>& whole) const {
    const auto& p = t_.what;
    const int real = real_axis_of(p);
    const integer n = real < 0 ? 0 : p.shape[at(real)];
    each_tuple(p.shape, [&](const extents& k) {
      complex& value = whole[at(flat_index(k, p.shape))];
      if (!p.output_box.contains(k)) {
        value = 0;
      } else if (real >= 0 && k[at(real)] != 0 && 2 * k[at(real)] != n) {
        value *= 2.0;
      }
    });
  }

  /// Every axis by itself, slowly.
  void transform(std::vector<complex>& whole, const std::vector<int>& axes, int sign) const {
    const auto& p = t_.what;
    for (const int a : axes) {
      const line_kind kind = kind_of(a);
      if (is_trigonometric(kind)) {
        local::transform_axis<double>(whole, p.shape, a, sign < 0 ? kind : row_of(kind).inverse);
      } else {
        local::transform_axes<double>(whole, p.shape, {a}, sign);
      }
    }
  }
  [[nodiscard]] line_kind kind_of(int axis) const {
    return t_.what.kinds.empty() ? line_kind::c2c_forward : kind_named(t_.what.kinds[at(axis)]);
  }

  /// Whether the mode `k` of the whole spectrum is one that is kept. With real arrays its mirror image is, too.
  [[nodiscard]] bool is_kept(const extents& k) const {
    const auto& p = t_.what;
    for (std::size_t l = 0; l < k.size() && !p.modes.empty(); ++l) {
      const integer n = p.shape[l], kept = p.modes[l], distance = std::min(k[l], n - k[l]);
      if (kept == n) continue;
      if (is_trigonometric(kind_of(static_cast<int>(l)))) {
        if (k[l] >= kept) return false;
      } else if (real_axis_of(p) >= 0) {
        if (2 * distance >= kept) return false;
      } else if (2 * distance > kept || (2 * k[l] == kept && 2 * k[l] != n)) {
        return false;  // the one at half of them is the negative one
      }
    }
    return true;
  }
  /// Where element `i` of the output stands in the whole spectrum.
  [[nodiscard]] extents mode_at(const extents& i) const {
    const auto& p = t_.what;
    extents k = i;
    for (std::size_t l = 0; l < i.size() && !p.modes.empty(); ++l) {
      const auto axis = static_cast<int>(l);
      const bool wraps = axis != real_axis_of(p) && !is_trigonometric(kind_of(axis)) && 2 * i[l] >= p.modes[l];
      if (wraps) k[l] += p.shape[l] - p.modes[l];
    }
    return k;
  }

  [[nodiscard]] double forward_scale() const {
    if (size_ == 0) return 1;
    if (t_.how.scaling == normalization::forward) return 1 / size_;
    return t_.how.scaling == normalization::ortho ? 1 / std::sqrt(size_) : 1;
  }
  [[nodiscard]] double backward_scale() const {
    if (size_ == 0) return 1;
    if (t_.how.scaling == normalization::backward) return 1 / size_;
    return t_.how.scaling == normalization::ortho ? 1 / std::sqrt(size_) : 1;
  }

  void fill(std::vector<guarded>& memory) const {
    for (std::size_t r = 0; r < held_.size(); ++r) {
      const side& s = held_[r].in;
      for (std::size_t i = 0; i < s.numbers.size(); ++i) s.store(memory[r].data(), i, values_[at(s.numbers[i])]);
    }
  }

  void run(direction way, std::vector<guarded>& from, std::vector<guarded>& to) {
    const bool forward = way == direction::forward;
    std::vector<const std::byte*> sources;
    std::vector<std::byte*> targets;
    for (std::size_t r = 0; r < held_.size(); ++r) {
      from[r].remember();
      to[r].remember();
      sources.push_back(from[r].data());
      targets.push_back(to[r].data());
    }
    subject_.run(way, sources, targets);
    for (std::size_t r = 0; r < held_.size(); ++r) {
      std::vector<bool> read, written;
      (forward ? held_[r].in : held_[r].out).allow(read);
      (forward ? held_[r].out : held_[r].in).allow(written);
      const char* const name = forward ? " forward" : " backward";
      if (t_.how.in_place) {
        written.resize(std::max(read.size(), written.size()), false);
        for (std::size_t i = 0; i < read.size(); ++i) written[i] = written[i] || read[i];
      } else {
        if (!t_.how.destroy_input) read.clear();
        EXPECT_EQ(from[r].changed(read), 0U) << "bytes of the input of entry " << r << name;
      }
      EXPECT_EQ(to[r].changed(written), 0U) << "bytes around the output of entry " << r << name;
    }
  }

  /// With all modes, the sum of squares would have `grown` that many times. Few modes may happen to be small, and have
  /// the errors of the others all the same: they are held to their share.
  void expect_close(const std::vector<guarded>& memory, side held::*which, const std::vector<complex>& wanted,
                    double scale, double grown, const char* name) const {
    double difference = 0, norm = 0, elements = 0;
    for (std::size_t r = 0; r < held_.size(); ++r) {
      const side& s = held_[r].*which;
      for (std::size_t i = 0; i < s.numbers.size(); ++i) {
        const complex due = wanted[at(s.numbers[i])] * scale;
        difference += std::norm(s.load(memory[r].data(), i) - due);
        norm += std::norm(due);
        elements += 1;
      }
    }
    difference = subject_.sum(difference);
    norm = subject_.sum(norm);
    if (!t_.what.modes.empty() || !t_.what.output_box.low.empty()) {
      double whole = 0;
      for (const auto& v : values_) whole += std::norm(v);
      const double share = static_cast<double>(volume(inside(modes_of(t_.what), t_.what.output_box))) /
                           static_cast<double>(volume(t_.what.shape));
      norm = std::max(norm, share * whole * grown * scale * scale);
    }
    EXPECT_EQ(subject_.sum(elements), static_cast<double>(wanted.size())) << name << ": elements held by all ranks";
    // 10 * 1e-15 * log2(N) for doubles (about 4.5 units in the last place), and the like for floats.
    const double unit = t_.what.element == precision::f64 ? 1e-15 : 5e-7;
    const double bound = 10 * unit * std::max(1.0, std::log2(std::max(size_, 1.0))) + 2 * t_.how.message_tolerance;
    EXPECT_FALSE(std::isnan(difference)) << name << ": a NaN came from outside the array";
    EXPECT_LE(std::sqrt(difference), bound * std::sqrt(norm)) << name;
  }

  [[nodiscard]] std::vector<std::vector<complex>> bytes_of(const std::vector<guarded>& memory,
                                                           side held::*which) const {
    std::vector<std::vector<complex>> all;
    for (std::size_t r = 0; r < held_.size(); ++r) {
      const side& s = held_[r].*which;
      auto& mine = all.emplace_back();
      for (std::size_t i = 0; i < s.numbers.size(); ++i) mine.push_back(s.load(memory[r].data(), i));
    }
    return all;
  }

  const drawn& t_;
  subject& subject_;
  std::vector<held> held_;
  std::vector<complex> values_, spectrum_, returned_;  // whole arrays, the batch outermost
  double size_ = 1;                                    // product of the transformed extents
};

}  // namespace weft::testing
