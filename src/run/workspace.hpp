// Memory that the programs of a plan share, as long as they do not run at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "exchange/channel.hpp"
#include "mpi/shared_memory.hpp"
#include "run/binding.hpp"

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

  /// Makes everything at least so large; the contents of what grows are lost.
  void require(const memory_needs& needs);

  [[nodiscard]] exchange::image at(area a) const;
  [[nodiscard]] std::byte* scratch() const { return scratch_.memory.get(); }
  /// What there is.
  [[nodiscard]] memory_needs size() const;

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
