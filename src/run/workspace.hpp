// Memory that the programs of a plan share: they never run at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "schedule/buffers.hpp"

namespace weft::run {

class workspace {
 public:
  /// Makes the work area `a` at least `bytes` large; its contents are lost if it grows.
  void require(area a, integer bytes) { grow(areas_[static_cast<std::size_t>(a)], bytes); }
  void require_scratch(integer bytes) { grow(scratch_, bytes); }

  [[nodiscard]] std::byte* at(area a) const { return areas_[static_cast<std::size_t>(a)].memory.get(); }
  [[nodiscard]] std::byte* scratch() const { return scratch_.memory.get(); }
  [[nodiscard]] integer bytes() const;

 private:
  struct aligned_free {
    void operator()(std::byte* p) const;
  };
  struct block {
    std::unique_ptr<std::byte, aligned_free> memory;
    integer bytes = 0;
  };
  static void grow(block& b, integer bytes);

  std::array<block, area_count> areas_;
  block scratch_;
};

}  // namespace weft::run
