// SPDX-License-Identifier: BSD-3-Clause
#include "local/block_pass.hpp"

#include <algorithm>
#include <array>

#include "local/threads.hpp"

namespace weft::local {

namespace {

/// Arrays in scratch begin at multiples of this, on hosts and on devices.
constexpr std::size_t scratch_alignment = 256;

std::size_t array_bytes(const access_map& plain, std::size_t element_bytes) {
  const std::size_t bytes = static_cast<std::size_t>(volume(plain.shape)) * element_bytes;
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

bool is_plain(const access_map& map, const extents& shape) {
  return map.cells.size() == 1 && map.cells.front().placement >= 0 && map.shape == shape;
}

/// The map of a box of a plain array.
access_map map_of_box(const access_map& plain, const extents& first, const extents& shape) {
  const placement& where = plain.placements[static_cast<std::size_t>(plain.cells.front().placement)];
  integer offset = plain.cells.front().offset;
  for (std::size_t l = 0; l < first.size(); ++l) offset += first[l] * where.strides[l];
  return plain_map(shape, where.strides, offset, where.buffer);
}

/// Copies between blocks and a plain array, some blocks for each thread.
class block_copies {
 public:
  block_copies() = default;
  /// `like` tells elements and threads.
  block_copies(const engine& by, const std::vector<block_map>& blocks, const access_map& plain, bool gathers,
               const pass_problem& like)
      // Devices have threads of their own.
      : threads_(by.for_lines() != nullptr ? std::max(1, like.threads) : 1) {
    const std::size_t bytes = gathers ? like.source_bytes : like.sink_bytes;
    for (const auto& b : blocks) {
      pass_problem one;
      one.source = gathers ? b.map : map_of_box(plain, b.first, b.map.shape);
      one.sink = gathers ? map_of_box(plain, b.first, b.map.shape) : b.map;
      one.element = like.element;
      one.source_bytes = one.sink_bytes = bytes;
      one.cached_bytes = like.cached_bytes;
      copies_.push_back(by.make_pass(one));
      for (const auto& p : one.source.placements) waits_ = waits_ || p.message >= 0;
      scratch_ = std::max(scratch_, copies_.back()->scratch_bytes());
    }
    if (!gathers || like.following.positions.empty()) return;
    const auto axis = static_cast<std::size_t>(like.following.axis);
    for (const integer position : like.following.positions) {
      const auto at = std::ranges::lower_bound(blocks, position, {}, [&](const auto& b) { return b.first[axis]; });
      part_ends_.push_back(static_cast<std::size_t>(at - blocks.begin()));
    }
  }

  [[nodiscard]] bool empty() const { return copies_.empty(); }
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_ * static_cast<std::size_t>(threads_); }

  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting) const {
    std::size_t done = 0;
    for (std::size_t part = 0; part <= part_ends_.size(); ++part) {
      if (waiting != nullptr) waiting->reach(static_cast<int>(part));
      // All messages first: there are many, and a block has several of them.
      while (waits_ && waiting != nullptr && waiting->next() >= 0) continue;
      const std::size_t end = part < part_ends_.size() ? part_ends_[part] : copies_.size();
      on_threads(threads_, [&](int t) {
        std::byte* const own = scratch + scratch_ * static_cast<std::size_t>(t);
        for (std::size_t i = done + static_cast<std::size_t>(t); i < end; i += static_cast<std::size_t>(threads_)) {
          copies_[i]->execute(source, sink, own, nullptr, nullptr);
        }
      });
      done = end;
    }
  }

 private:
  std::vector<std::unique_ptr<pass>> copies_;
  int threads_ = 1;
  bool waits_ = false;
  std::size_t scratch_ = 0;             // of one
  std::vector<std::size_t> part_ends_;  // of a source that is followed, the last part apart
};

/// What moves without being changed, between blocks and a plain array.
class moving_pass final : public pass {
 public:
  explicit moving_pass(block_copies copies) : copies_(std::move(copies)) {}
  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* /*leaving*/) const override {
    copies_.execute(source, sink, scratch, waiting);
  }
  [[nodiscard]] std::size_t scratch_bytes() const override { return copies_.scratch_bytes(); }

 private:
  block_copies copies_;
};

class block_pass final : public pass {
 public:
  block_pass(const engine& by, const block_problem& problem)
      : gathered_bytes_(problem.gathered.empty() ? 0 : array_bytes(problem.gathered_in, problem.source_bytes)),
        scattered_bytes_(problem.scattered.empty() ? 0 : array_bytes(problem.scattered_from, problem.sink_bytes)),
        gather_(by, problem.gathered, problem.gathered_in, true, problem),
        scatter_(by, problem.scattered, problem.scattered_from, false, problem) {
    pass_problem between = problem;
    if (!gather_.empty()) between.following = {};
    if (!scatter_.empty()) between.telling = {};
    between_ = by.make_pass(between);
  }

  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* leaving) const override {
    const std::array<std::byte*, 1> gathered{scratch}, scattered{scratch + gathered_bytes_};
    std::byte* const rest = scratch + gathered_bytes_ + scattered_bytes_;
    if (!gather_.empty()) gather_.execute(source, gathered, rest, waiting);
    between_->execute(gather_.empty() ? source : gathered, scatter_.empty() ? sink : scattered, rest,
                      gather_.empty() ? waiting : nullptr, leaving);
    if (!scatter_.empty()) scatter_.execute(scattered, sink, rest, nullptr);
  }
  [[nodiscard]] std::size_t scratch_bytes() const override {
    return gathered_bytes_ + scattered_bytes_ +
           std::max({gather_.scratch_bytes(), between_->scratch_bytes(), scatter_.scratch_bytes()});
  }

 private:
  std::size_t gathered_bytes_, scattered_bytes_;
  block_copies gather_, scatter_;
  std::unique_ptr<pass> between_;
};

}  // namespace

std::unique_ptr<pass> make_pass(const engine& by, const block_problem& problem) {
  if (!problem.in_blocks()) return by.make_pass(problem);
  const bool moves_only = problem.transforms.empty() && problem.loading.empty() && problem.storing.empty() &&
                          problem.narrow_source == problem.narrow_sink;
  if (moves_only && problem.scattered.empty() && is_plain(problem.sink, problem.gathered_in.shape)) {
    return std::make_unique<moving_pass>(block_copies(by, problem.gathered, problem.sink, true, problem));
  }
  if (moves_only && problem.gathered.empty() && is_plain(problem.source, problem.scattered_from.shape)) {
    return std::make_unique<moving_pass>(block_copies(by, problem.scattered, problem.source, false, problem));
  }
  return std::make_unique<block_pass>(by, problem);
}

}  // namespace weft::local
