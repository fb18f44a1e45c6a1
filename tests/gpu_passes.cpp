// SPDX-License-Identifier: BSD-3-Clause
// Random passes of a device's engine, against a serial transform: any access maps on both sides, any lengths, kinds,
// operations and precisions. With the device that the host plays, and, named as an argument, on a real one.
//
//   gpu_passes [device [draws [first seed [engine [most elements]]]]]
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "base/memory.hpp"
#include "device/device.hpp"
#include "local/device_engines.hpp"
#include "local/fused.hpp"
#include "local/serial.hpp"

namespace weft::testing {
namespace {

using local::axis_transform;
using local::pass_problem;

class source_of_chance {
 public:
  explicit source_of_chance(unsigned long seed) : numbers_(seed) {}
  integer between(integer low, integer high) {
    return low + static_cast<integer>(numbers_() % static_cast<unsigned long>(high - low + 1));
  }
  bool once_in(integer n) { return between(1, n) == 1; }
  double real() { return static_cast<double>(numbers_() >> 11U) * 0x1p-53 - 0.5; }

 private:
  std::mt19937_64 numbers_;
};

integer length_of(source_of_chance& d, integer most) {
  static const std::vector<integer> some{
      1,   2,   3,   4,   5,   6,    7,    8,    9,    11,   13,   16,   16,    17,    19,    30,   32,  32,
      37,  60,  64,  64,  81,  96,   97,   100,  121,  128,  143,  169,  256,   300,   320,   384,  400, 500,
      512, 600, 625, 768, 900, 1024, 1031, 2048, 4096, 5460, 6000, 8192, 16384, 30030, 65536, 90000};
  integer n = 0;
  do {
    n = d.once_in(3) ? d.between(1, std::min<integer>(most, 40))
                     : some[static_cast<std::size_t>(d.between(0, std::ssize(some) - 1))];
  } while (n > most);
  return n;
}

extents dense_strides(const extents& shape, integer element, const std::vector<std::size_t>& order) {
  extents strides(shape.size());
  integer stride = element;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= shape[order[i]];
  }
  return strides;
}

/// A plain array in any order of its axes, or boxes of pieces in several buffers. `sizes` becomes those of the buffers.
access_map random_map(source_of_chance& d, const extents& shape, integer element, bool whole, extents& sizes) {
  std::vector<std::size_t> order(shape.size());
  for (std::size_t l = 0; l < order.size(); ++l) order[l] = l;
  if (d.once_in(4)) {
    for (std::size_t l = order.size(); l > 1; --l) {
      std::swap(order[l - 1], order[static_cast<std::size_t>(d.between(0, static_cast<integer>(l) - 1))]);
    }
  }
  if (d.once_in(2) || volume(shape) == 0) {
    const integer offset = whole ? 0 : d.between(0, 3) * element;
    sizes = {volume(shape) * element + offset};
    return plain_map(shape, dense_strides(shape, element, order), offset);
  }
  std::vector<std::vector<slice>> cuts;
  for (const integer n : shape) {
    auto& list = cuts.emplace_back();
    const integer parts = d.once_in(2) ? 1 : std::min<integer>(n, d.between(1, 4));
    const bool cyclic = d.once_in(2);
    for (integer p = 0; p < parts; ++p) {
      if (cyclic) {
        list.push_back({p, parts, (n - p + parts - 1) / parts});
      } else {
        list.push_back({n * p / parts, 1, n * (p + 1) / parts - n * p / parts});
      }
    }
  }
  sizes.assign(static_cast<std::size_t>(d.between(1, 3)), 0);
  std::vector<message_box> boxes;
  std::vector<std::size_t> at(shape.size(), 0);
  for (;;) {
    message_box box;
    extents extent;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      box.axes.push_back({{cuts[l][at[l]], 0}});
      extent.push_back(cuts[l][at[l]].count);
    }
    const int buffer = static_cast<int>(d.between(0, std::ssize(sizes) - 1));
    auto& size = sizes[static_cast<std::size_t>(buffer)];
    box.where = {buffer, -1, dense_strides(extent, element, order)};
    box.offset = size;
    size += volume(extent) * element;
    boxes.push_back(box);
    std::size_t l = shape.size();
    while (l > 0 && ++at[l - 1] == cuts[l - 1].size()) at[--l] = 0;
    if (l == 0) break;
  }
  return message_map(shape, boxes);
}

/// Equal blocks along one axis, each in a buffer of its own, as other ranks have them.
access_map block_map(const extents& shape, integer element, std::size_t axis, integer blocks, extents& sizes) {
  std::vector<message_box> boxes;
  extents extent = shape;
  extent[axis] /= blocks;
  std::vector<std::size_t> order;
  for (std::size_t l = 0; l < shape.size(); ++l) order.push_back(l);
  for (integer b = 0; b < blocks; ++b) {
    message_box box;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      box.axes.push_back({{slice{l == axis ? b * extent[axis] : 0, 1, extent[l]}, 0}});
    }
    box.where = {static_cast<int>(b), -1, dense_strides(extent, element, order)};
    boxes.push_back(box);
  }
  sizes.assign(static_cast<std::size_t>(blocks), volume(extent) * element);
  return message_map(shape, boxes);
}

/// Calls visit(number, buffer, offset) for every element in row-major order; buffer -1: nothing is there.
template <class Visit>
void each_element(const access_map& map, const Visit& visit) {
  if (volume(map.shape) == 0) return;
  extents at(map.shape.size(), 0);
  for (integer number = 0;; ++number) {
    std::size_t cell_number = 0;
    extents inner;
    for (std::size_t l = 0; l < at.size(); ++l) {
      const auto& pieces = map.pieces[l];
      const auto found = std::ranges::find_if(pieces, [&](const slice& s) { return s.contains(at[l]); });
      cell_number = cell_number * pieces.size() + static_cast<std::size_t>(found - pieces.begin());
      inner.push_back(found->position(at[l]));
    }
    const cell& c = map.cells[cell_number];
    if (c.placement < 0) {
      visit(number, -1, integer{0});
    } else {
      const placement& p = map.placements[static_cast<std::size_t>(c.placement)];
      integer offset = c.offset;
      for (std::size_t l = 0; l < at.size(); ++l) offset += inner[l] * p.strides[l];
      visit(number, p.buffer, offset);
    }
    std::size_t l = at.size();
    while (l > 0 && ++at[l - 1] == map.shape[l - 1]) at[--l] = 0;
    if (l == 0) return;
  }
}

using value = std::complex<double>;

/// Does to a dense complex array what a list says.
void operate(std::vector<value>& array, const extents& shape, const local::operation_list& operations) {
  for (const auto& o : operations) {
    const int* const axis = local::axis_of(o);
    integer step = 1, n = 1;
    if (axis != nullptr) {
      n = shape[static_cast<std::size_t>(*axis)];
      for (std::size_t l = static_cast<std::size_t>(*axis) + 1; l < shape.size(); ++l) step *= shape[l];
    }
    std::vector<value> factors;
    if (const auto* t = std::get_if<local::turning>(&o)) factors = local::factors_of<double>(*t, n);
    for (std::size_t i = 0; i < array.size(); ++i) {
      const auto k = static_cast<std::size_t>(static_cast<integer>(i) / step % n);
      if (const auto* s = std::get_if<local::scaling>(&o)) array[i] *= s->factor;
      if (!factors.empty()) array[i] *= factors[k];
      if (const auto* c = std::get_if<local::conjugation>(&o)) {
        if (static_cast<integer>(k) >= c->from) array[i] = std::conj(array[i]);
      }
    }
  }
}

/// Serial, of complex arrays with a real side where there is one.
std::vector<value> expected(const pass_problem& p, std::vector<value> array) {
  operate(array, p.source.shape, p.loading);
  extents shape = p.source.shape;
  for (const auto& t : p.transforms) {
    const auto axis = static_cast<std::size_t>(t.axis);
    const auto resized = [&](integer n, auto fill) {
      extents to = shape;
      to[axis] = n;
      std::vector<value> result(static_cast<std::size_t>(volume(to)));
      integer inner = 1;
      for (std::size_t l = axis + 1; l < shape.size(); ++l) inner *= shape[l];
      for (integer i = 0; i < std::ssize(result); ++i) {
        const integer k = i / inner % n, outer = i / inner / n, rest = i % inner;
        const auto get = [&](integer j) {
          return array[static_cast<std::size_t>((outer * shape[axis] + j) * inner + rest)];
        };
        result[static_cast<std::size_t>(i)] = fill(k, get);
      }
      array = std::move(result);
      shape = to;
    };
    if (t.kind == line_kind::c2r) {
      resized(t.length, [&](integer k, const auto& get) {
        if (k == 0 || 2 * k == t.length) return value(get(k).real());
        return 2 * k < t.length ? get(k) : std::conj(get(t.length - k));
      });
    }
    if (t.kind != line_kind::none) {
      local::transform_axes<double>(array, shape, {t.axis}, row_of(t.kind).forward ? -1 : 1);
    }
    if (t.kind == line_kind::r2c) {
      resized(t.length / 2 + 1, [&](integer k, const auto& get) { return get(k); });
    }
  }
  operate(array, p.sink.shape, p.storing);
  return array;
}

/// Loads or stores one element of `bytes`.
value load(const std::byte* from, std::size_t bytes, precision p) {
  if (p == precision::f32) {
    float v[2] = {0, 0};
    std::memcpy(v, from, bytes);
    return {v[0], v[1]};
  }
  double v[2] = {0, 0};
  std::memcpy(v, from, bytes);
  return {v[0], v[1]};
}

void store(value v, std::byte* to, std::size_t bytes, precision p) {
  const float narrow[2] = {static_cast<float>(v.real()), static_cast<float>(v.imag())};
  const double wide[2] = {v.real(), v.imag()};
  std::memcpy(to, p == precision::f32 ? static_cast<const void*>(narrow) : wide, bytes);
}

struct draw {
  pass_problem problem;
  extents source_sizes, sink_sizes;
  bool in_place = false;
  integer longest_line = device::usual_emulated_line;  ///< longer ones are two digits, where the host plays
};

draw random_pass(source_of_chance& d, integer most_elements) {
  draw made;
  pass_problem& p = made.problem;
  p.element = d.once_in(2) ? precision::f32 : precision::f64;
  extents shape;
  integer room = most_elements;
  const auto axes = d.between(1, 4);
  // Lines that are two digits, for which there are kernels or not.
  static const std::vector<integer> digits{60,   96,   256,  256,  512,   900,   1024,
                                           1000, 3600, 4096, 8192, 10000, 16384, 65536};
  const bool is_long = d.once_in(3);
  if (is_long) {
    integer n = 0;
    do {
      n = digits[static_cast<std::size_t>(d.between(0, std::ssize(digits) - 1))];
    } while (n > std::max<integer>(most_elements, 60));
    shape = {d.between(1, std::max<integer>(1, most_elements / n)), n};
    if (d.once_in(3)) shape = {1, n, shape[0]};
    if (d.once_in(3)) shape[0] = d.between(1, 3);
    made.longest_line = d.between(15, n - 1);
  } else if (axes >= 2 && d.once_in(3)) {  // two axes of one length, which may be chained

    const integer n = std::vector<integer>{16, 32, 64, 128}[static_cast<std::size_t>(d.between(0, 3))];
    shape = {n, n};
    for (integer l = 2; l < axes; ++l) shape.insert(shape.begin(), d.between(1, 9));
  } else {
    for (integer l = 0; l < axes; ++l) {
      shape.push_back(length_of(d, std::max<integer>(1, room)));
      room /= shape.back();
    }
  }
  const bool copies = !is_long && d.once_in(8);
  const bool forward = d.once_in(2);
  const int kind = is_long ? 0 : static_cast<int>(d.between(0, 2));  // 0: complex
  std::vector<int> order;
  for (int l = 0; l < static_cast<int>(shape.size()); ++l) order.push_back(l);
  for (std::size_t l = order.size(); l > 1; --l) {
    if (d.once_in(2))
      std::swap(order[l - 1], order[static_cast<std::size_t>(d.between(0, static_cast<integer>(l) - 1))]);
  }
  std::ranges::reverse(order);
  if (is_long) order = {1};
  const auto count = copies ? 0 : d.between(1, std::min<integer>(2, std::ssize(order)));
  extents in = shape, out = shape;
  for (integer i = 0; i < count; ++i) {
    const int axis = order[static_cast<std::size_t>(i)];
    const integer n = shape[static_cast<std::size_t>(axis)];
    line_kind k = forward ? line_kind::c2c_forward : line_kind::c2c_backward;
    if (kind == 1 && i == 0) {
      k = line_kind::r2c;
      out[static_cast<std::size_t>(axis)] = n / 2 + 1;
    } else if (kind == 2 && count == 1) {
      k = line_kind::c2r;
      in[static_cast<std::size_t>(axis)] = n / 2 + 1;
    }
    p.transforms.push_back({axis, k, n});
  }
  const auto bytes = [&](element_type t) { return bytes_of(t, p.element); };
  p.source_bytes = bytes(copies ? element_type::complex : row_of(p.transforms.front().kind).in);
  p.sink_bytes = bytes(copies ? element_type::complex : row_of(p.transforms.back().kind).out);
  made.in_place = !copies && p.source_bytes == p.sink_bytes && d.once_in(3);
  p.source = random_map(d, in, static_cast<integer>(p.source_bytes), false, made.source_sizes);
  p.sink = random_map(d, out, static_cast<integer>(p.sink_bytes), false, made.sink_sizes);
  const auto last_axis = copies ? 0 : static_cast<std::size_t>(p.transforms.back().axis);
  const integer blocks = d.between(2, 4);
  const bool in_blocks = (count == 2 || is_long) && !made.in_place && out[last_axis] % blocks == 0 && d.once_in(2);
  const auto first_axis = copies ? 0 : static_cast<std::size_t>(p.transforms.front().axis);
  const bool from_blocks = count > 0 && in[first_axis] % blocks == 0 && d.once_in(3);
  if (from_blocks) {
    p.source = block_map(in, static_cast<integer>(p.source_bytes), first_axis, blocks, made.source_sizes);
  }
  if (in_blocks) {
    p.sink = block_map(out, static_cast<integer>(p.sink_bytes), last_axis, blocks, made.sink_sizes);
  }
  if (made.in_place) {
    p.sink = p.source;
    made.sink_sizes = made.source_sizes;
  } else if (!in_blocks && p.sink.cells.size() > 1 && d.once_in(4)) {
    // Some cells are absent: nothing is loaded or stored there.
    for (auto& c : p.sink.cells) {
      if (d.once_in(4)) c.placement = -1;
    }
  } else if (!from_blocks && p.source.cells.size() > 1 && d.once_in(4)) {
    for (auto& c : p.source.cells) {
      if (d.once_in(4)) c.placement = -1;
    }
  }
  if (d.once_in(3)) p.storing.emplace_back(local::scaling{0.25 + d.real() * 0.1});
  const auto operation = [&](const axis_transform& t) -> local::element_operation {
    if (d.once_in(2)) return local::conjugation{t.axis, d.between(0, t.length)};
    const integer period = d.between(2, 50);
    return local::turning{
        t.axis, {d.between(0, period - 1), period}, d.once_in(2) ? direction::forward : direction::backward};
  };
  if (!copies) {
    const auto &first = p.transforms.front(), &last = p.transforms.back();
    if (row_of(first.kind).in == element_type::complex && d.once_in(4)) p.loading.push_back(operation(first));
    if (row_of(last.kind).out == element_type::complex && d.once_in(4)) p.storing.push_back(operation(last));
  }
  return made;
}

struct areas {
  std::vector<memory> blocks;
  std::vector<std::byte*> addresses;
  areas(const device::device& on, const extents& sizes) {
    for (const integer n : sizes) {
      blocks.push_back(on.space().allocate(static_cast<std::size_t>(n)));
      addresses.push_back(blocks.back().data());
    }
  }
};

/// The largest difference relative to the largest value, or -1 if something around the elements was touched.
double error_of(const draw& t, const device::device& on, const local::engine& engine, source_of_chance& d) {
  const auto& p = t.problem;
  std::vector<std::vector<std::byte>> in, out;
  for (const integer n : t.source_sizes) in.emplace_back(static_cast<std::size_t>(n), std::byte{0x5A});
  for (const integer n : t.sink_sizes) out.emplace_back(static_cast<std::size_t>(n), std::byte{0x5A});
  std::vector<value> values(static_cast<std::size_t>(volume(p.source.shape)));
  const bool real = p.source_bytes == real_bytes(p.element);
  each_element(p.source, [&](integer i, int buffer, integer offset) {
    if (buffer < 0) return;
    value v(d.real(), real ? 0 : d.real());
    auto* const at = in[static_cast<std::size_t>(buffer)].data() + offset;
    store(v, at, p.source_bytes, p.element);
    values[static_cast<std::size_t>(i)] = load(at, p.source_bytes, p.element);
  });
  const auto right = expected(p, values);
  const auto work = engine.make_pass(p);
  const areas from(on, t.source_sizes), to(on, t.sink_sizes);
  const memory scratch = on.space().allocate(work->scratch_bytes());
  for (std::size_t b = 0; b < in.size(); ++b) on.copy(from.addresses[b], in[b].data(), in[b].size());
  for (std::size_t b = 0; b < out.size(); ++b) on.copy(to.addresses[b], out[b].data(), out[b].size());
  const auto& target = t.in_place ? from : to;
  work->execute(from.addresses, target.addresses, scratch.data(), nullptr, nullptr);
  on.synchronize();
  for (std::size_t b = 0; b < out.size(); ++b) on.copy(out[b].data(), target.addresses[b], out[b].size());
  on.synchronize();
  double worst = 0, largest = 1e-30;
  each_element(p.sink, [&](integer i, int buffer, integer offset) {
    if (buffer < 0) return;
    auto* const at = out[static_cast<std::size_t>(buffer)].data() + offset;
    const value got = load(at, p.sink_bytes, p.element);
    const value want = p.sink_bytes == real_bytes(p.element) ? right[static_cast<std::size_t>(i)].real()
                                                             : right[static_cast<std::size_t>(i)];
    const double difference = std::abs(got - want);
    worst = difference <= worst ? worst : difference;  // not a number is worst
    largest = std::max(largest, std::abs(want));
    std::memset(at, 0x5A, p.sink_bytes);
  });
  for (const auto& block : out) {
    if (!t.in_place && std::ranges::any_of(block, [](std::byte b) { return b != std::byte{0x5A}; })) return -1;
  }
  return worst / largest;
}

std::string text_of(const draw& t) {
  const auto& p = t.problem;
  std::string text = to_text(p.source.shape) + " -> " + to_text(p.sink.shape) +
                     (p.element == precision::f32 ? " f32" : " f64") + (t.in_place ? " in place" : "") + " cells " +
                     std::to_string(p.source.cells.size()) + ", " + std::to_string(p.sink.cells.size()) +
                     " operations " + std::to_string(p.loading.size()) + ", " + std::to_string(p.storing.size());
  for (const auto& x : p.transforms) {
    text += "; " + std::string(row_of(x.kind).name) + " axis " + std::to_string(x.axis) + " length " +
            std::to_string(x.length);
  }
  return text;
}

int check(const std::string& kind, long draws, unsigned long first, const std::string& name, integer most) {
  const auto& on = device::device_named(kind, 0);
  const auto& engine = local::engine_on(name, on);
  std::printf("%s: %s\n", kind.c_str(), on.name().c_str());
  long wrong = 0;
  double worst[2] = {0, 0};
  for (long i = 0; i < draws && wrong < 10; ++i) {
    source_of_chance d(first + static_cast<unsigned long>(i));
    const draw t = random_pass(d, most);
    device::limit_emulated_lines(t.longest_line);
    const bool narrow = t.problem.element == precision::f32;
    double found = 0;
    try {
      found = error_of(t, on, engine, d);
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
      found = -2;
    }
    if (found >= 0 && found < (narrow ? 1e-5 : 2e-14)) {
      worst[narrow ? 1 : 0] = std::max(worst[narrow ? 1 : 0], found);
      continue;
    }
    ++wrong;
    std::printf("WRONG seed %lu: error %.2e in %s\n", first + static_cast<unsigned long>(i), found, text_of(t).c_str());
  }
  std::printf("%ld passes, %ld wrong; largest error %.1e in f64, %.1e in f32\n", draws, wrong, worst[0], worst[1]);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::testing

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "emulated";
  const long draws = argc > 2 ? std::atol(argv[2]) : 400;
  const unsigned long first = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  return weft::testing::check(kind, draws, first, argc > 4 ? argv[4] : "gpu",
                              argc > 5             ? std::atol(argv[5])
                              : kind == "emulated" ? 20000
                                                   : 200000);
}
