// Memory that the programs of a plan share: they never run at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "exchange/engine.hpp"
#include "mpi/shared_memory.hpp"
#include "schedule/buffers.hpp"

namespace weft::run {

/// Gives back so many bytes.
struct aligned_free {
  std::size_t bytes = 0;
  void operator()(std::byte* p) const;
};

class workspace {
 public:
  workspace() = default;
  /// With work areas that the ranks of `node` share; making them larger is then collective there.
  explicit workspace(mpi::communicator node) : node_(std::move(node)) {}

  /// Makes the work area `a` at least `bytes` large; its contents are lost if it grows.
  void require(area a, integer bytes);
  void require_scratch(integer bytes);

  [[nodiscard]] exchange::image at(area a) const;
  [[nodiscard]] std::byte* scratch() const { return scratch_.memory.get(); }
  [[nodiscard]] integer bytes() const { return area_bytes() + scratch_bytes(); }
  [[nodiscard]] integer scratch_bytes() const { return scratch_.bytes; }
  /// Of the work areas, after requiring these.
  [[nodiscard]] integer area_bytes(const std::array<integer, area_count>& required = {}) const;

 private:
  struct block {
    std::unique_ptr<std::byte, aligned_free> memory;
    mpi::shared_memory shared;
    integer bytes = 0;
  };
  static void allocate(block& b, integer bytes);

  std::optional<mpi::communicator> node_;
  std::array<block, area_count> areas_;
  block scratch_;
};

}  // namespace weft::run
