// Moves an array of elements of any size from one distribution to another.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>

#include "weft/distribution.hpp"
#include "weft/layout.hpp"

namespace weft {

struct redistribution_options {
  std::string exchange = "auto";
  bool in_place = false;
  bool destroy_input = false;
  layout input_layout = {};
  layout output_layout = {};
};

/// Made once, collectively; run any number of times.
class redistribution {
 public:
  /// Both distributions must have the same shape; throws the same error on every rank otherwise.
  redistribution(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm on,
                 const redistribution_options& how = {});
  redistribution(redistribution&&) noexcept;
  redistribution& operator=(redistribution&&) noexcept;
  ~redistribution();

  /// Collective; the pointers are taken as they are.
  void operator()(const void* in, void* out);
  /// Checks sizes on all ranks first, and throws on all if one is too small.
  void operator()(std::span<const std::byte> in, std::span<std::byte> out);

  [[nodiscard]] integer messages() const;
  [[nodiscard]] integer bytes() const;
  [[nodiscard]] integer workspace_bytes() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace weft
