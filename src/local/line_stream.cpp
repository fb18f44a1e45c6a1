// SPDX-License-Identifier: BSD-3-Clause
#include "local/line_stream.hpp"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::local {

namespace {

/// One cache line; `to` is aligned.
void stream_line(const std::byte* from, std::byte* to) {
#ifdef __SSE2__
  for (int i = 0; i < 4; ++i) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i));
  }
#else
  std::memcpy(to, from, 64);
#endif
}

}  // namespace

/// Bytes of one cache line.
void line_stream::put(const std::byte* from, std::size_t bytes) {
  std::memcpy(partial_ + place(), from, bytes);
  at_ += bytes;
  if (place() != 0) return;
  if (begin_ == 0) {
    stream_line(partial_, at_ - line);
  } else {
    std::memcpy(at_ - (line - begin_), partial_ + begin_, line - begin_);
  }
  begin_ = 0;
}

void line_stream::write(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (to != at_) {
    flush();
    at_ = to;
    begin_ = place();
  }
  const std::size_t head = std::min(bytes, (line - place()) % line);
  if (head > 0) put(from, head);
  std::size_t done = head;
  for (; done + line <= bytes; done += line, at_ += line) stream_line(from + done, at_);
  if (done < bytes) put(from + done, bytes - done);
}

void line_stream::flush() {
  const std::size_t end = place();
  if (end > begin_) std::memcpy(at_ - (end - begin_), partial_ + begin_, end - begin_);
  at_ = nullptr;
  begin_ = 0;
}

}  // namespace weft::local
