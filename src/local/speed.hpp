// SPDX-License-Identifier: BSD-3-Clause
// Things to time: what one core does to memory and to lines in cache.
#pragma once

#include <cstddef>
#include <memory>

#include "local/line_engine.hpp"
#include "weft/memory.hpp"

namespace weft::local {

/// Stores past the caches; whole cache lines only.
void stream_copy(const std::byte* from, std::byte* to, std::size_t bytes);

/// As many lines as suit the engine, in cache, from one buffer into another.
class bundle_in_cache {
 public:
  bundle_in_cache(line_problem of, const line_engine& by);
  void transform() const;
  [[nodiscard]] int lanes() const { return lanes_; }

 private:
  std::unique_ptr<kernel> kernel_;
  memory scratch_, in_data_, out_data_;
  run in_, out_;
  int lanes_;
};

}  // namespace weft::local
