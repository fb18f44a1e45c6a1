// SPDX-License-Identifier: BSD-3-Clause
#include "local/speed.hpp"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "base/memory.hpp"

namespace weft::local {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Numbers of ordinary size.
void fill(std::byte* data, precision element, integer reals) {
  for (integer i = 0; i < reals; ++i) {
    const double value = static_cast<double>(i * 37 % 101) / 101 - 0.5;
    if (element == precision::f32) {
      reinterpret_cast<float*>(data)[i] = static_cast<float>(value);
    } else {
      reinterpret_cast<double*>(data)[i] = value;
    }
  }
}

}  // namespace

void stream_copy(const std::byte* from, std::byte* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> whole;
  for (std::size_t i = 0; i < bytes; i += hn::Lanes(whole)) {
    hn::Stream(hn::Load(whole, reinterpret_cast<const std::uint8_t*>(from) + i), whole,
               reinterpret_cast<std::uint8_t*>(to) + i);
  }
  hwy::FlushStream();
}

bundle_in_cache::bundle_in_cache(line_problem of, const line_engine& by)
    : lanes_(by.lanes(of.kind, of.length, of.element)) {
  of.lanes = lanes_;
  kernel_ = by.make_kernel(of);
  scratch_ = base::host().allocate(kernel_->scratch_bytes());
  const line_row& row = row_of(of.kind);
  const auto side = [&](memory& data, integer count, element_type type) {
    const auto bytes = static_cast<integer>(bytes_of(type, of.element));
    data = base::host().allocate(static_cast<std::size_t>(count * lanes_ * bytes));
    fill(data.data(), of.element, count * lanes_ * bytes / static_cast<integer>(real_bytes(of.element)));
    return of.lines_contiguous ? run{data.data(), 0, 1, count, bytes, bytes * count}
                               : run{data.data(), 0, 1, count, bytes * lanes_, bytes};
  };
  in_ = side(in_data_, row.in_extent(of.length), row.in);
  out_ = side(out_data_, row.out_extent(of.length), row.out);
}

void bundle_in_cache::transform() const {
  kernel_->transform({{&in_, 1}, lanes_}, {{&out_, 1}, lanes_}, scratch_.data());
}

}  // namespace weft::local
