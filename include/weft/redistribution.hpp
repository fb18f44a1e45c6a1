// SPDX-License-Identifier: BSD-3-Clause
// Moves an array of elements of any size from one distribution to another.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>

#include "weft/array.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/layout.hpp"

namespace [[gnu::visibility("default")]] weft {

struct redistribution_options {
  std::string exchange = "auto";
  std::string device = "cpu";  ///< as options::device; elements there have a multiple of 4 bytes
  integer batch = 1;           ///< arrays moved together, as those of problem::batch
  bool interleaved = false;    ///< they lie element by element side by side
  bool in_place = false;
  bool destroy_input = false;
  layout input_layout = {};  ///< as options::input_layout
  layout output_layout = {};
};

/// Made once, collectively; run any number of times.
class redistribution {
 public:
  /// Empty, for members that get one later, as plan(): only assignment and the conversion to bool are for such.
  redistribution() noexcept;
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Both distributions must have the same shape; throws the same error on every rank otherwise. Zig-zags are taken as
  /// they are: which axis is halved, and so where mirror images lie, only plans know.
  redistribution(const distribution& from, const distribution& to, std::size_t element_bytes, MPI_Comm on,
                 const redistribution_options& how = {});
  redistribution(redistribution&&) noexcept;
  redistribution& operator=(redistribution&&) noexcept;
  ~redistribution();

  /// Collective; the pointers are taken as they are.
  void operator()(const void* in, void* out);
  /// Checks sizes on all ranks first, and throws on all if one is too small.
  void operator()(std::span<const std::byte> in, std::span<std::byte> out);
  /// Throws on all ranks unless the arrays have the distributions, batch, layouts and element size of this.
  template <class T>
  void operator()(const array<T>& in, array<T>& out) {
    move(in.data(), detail::terms_of(in), out.data(), detail::terms_of(out), sizeof(T));
  }
  /// Instead of a call that this rank cannot make: throws `why` on all ranks, as plan::refuse(). Collective.
  [[noreturn]] void refuse(const error& why) const;

  [[nodiscard]] integer messages() const;
  [[nodiscard]] integer bytes() const;
  [[nodiscard]] integer workspace_bytes() const;

 private:
  void move(const void* in, const detail::array_terms& in_terms, void* out, const detail::array_terms& out_terms,
            std::size_t element_bytes);
  struct state;
  [[nodiscard]] state& filled() const;
  std::unique_ptr<state> state_;
};

}  // namespace weft
