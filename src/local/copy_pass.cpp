// SPDX-License-Identifier: BSD-3-Clause
#include "local/copy_pass.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "index/slice.hpp"
#include "local/threads.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// The part of an axis inside one piece of the source and one of the sink.
struct common_piece {
  std::size_t source, sink;
  slice positions;
  int stage = 0;
};

std::vector<common_piece> common_pieces(const std::vector<slice>& source, const std::vector<slice>& sink) {
  std::vector<common_piece> found;
  for (std::size_t a = 0; a < source.size(); ++a) {
    for (std::size_t b = 0; b < sink.size(); ++b) {
      const slice met = intersect(source[a], sink[b]);
      if (!met.empty()) found.push_back({a, b, met});
    }
  }
  return found;
}

/// Cuts the pieces at the milestones.
std::vector<common_piece> cut_at(const std::vector<common_piece>& pieces, const std::vector<integer>& stops) {
  std::vector<common_piece> found;
  for (const auto& p : pieces) {
    integer begin = p.positions.first;
    for (std::size_t stage = 0; stage <= stops.size() && begin <= p.positions.last(); ++stage) {
      const integer end = stage < stops.size() ? stops[stage] : p.positions.last() + 1;
      const slice met = end <= begin ? slice{} : intersect(p.positions, {begin, 1, end - begin});
      if (!met.empty()) found.push_back({p.source, p.sink, met, static_cast<int>(stage)});
      begin = std::max(begin, end);
    }
  }
  return found;
}

/// One side of a region: address of its first element and steps between elements.
struct side {
  std::size_t cell = 0;
  extents inner;  // number of the first element inside its piece
  extents steps;  // of that number
  void add(const std::vector<slice>& pieces, std::size_t piece, const slice& positions) {
    cell = cell * pieces.size() + piece;
    inner.push_back(pieces[piece].position(positions.first));
    steps.push_back(std::max<integer>(1, positions.step / pieces[piece].step));
  }
};

struct located {
  int buffer = -1;
  int message = -1;
  integer offset = 0;
  extents strides;
};

located locate(const access_map& map, const side& at) {
  located found;
  found.strides.assign(at.inner.size(), 0);
  const cell& of = map.cells[at.cell];
  if (of.placement < 0) return found;
  const placement& where = map.placements[static_cast<std::size_t>(of.placement)];
  found.buffer = where.buffer;
  found.message = where.message;
  found.offset = of.offset;
  for (std::size_t l = 0; l < at.inner.size(); ++l) {
    found.offset += at.inner[l] * where.strides[l];
    found.strides[l] = at.steps[l] * where.strides[l];
  }
  return found;
}

}  // namespace

copy_pass::copy_pass(const pass_problem& problem)
    : bytes_(problem.sink_bytes),
      threads_(std::max(1, problem.threads)),
      stream_(volume(problem.sink.shape) > problem.cached_bytes / static_cast<integer>(bytes_)) {
  if (!problem.loading.empty() || !problem.storing.empty() || problem.source_bytes != problem.sink_bytes) {
    throw internal_error("a copy changes no elements");
  }
  const std::size_t d = problem.sink.shape.size();
  std::vector<std::vector<common_piece>> common;
  for (std::size_t l = 0; l < d; ++l) common.push_back(common_pieces(problem.source.pieces[l], problem.sink.pieces[l]));
  const auto has_message = [](const placement& p) { return p.message >= 0; };
  const bool follows = !problem.following.positions.empty();
  if (!follows && std::none_of(problem.source.placements.begin(), problem.source.placements.end(), has_message)) {
    telling_ = problem.telling;
  }
  if (const auto& marks = follows ? problem.following : telling_; !marks.positions.empty()) {
    auto& pieces = common[static_cast<std::size_t>(marks.axis)];
    pieces = cut_at(pieces, marks.positions);
  }
  parts_ += static_cast<int>(problem.following.positions.size());
  const auto combine = [&](auto&& self, std::size_t l, const extents& counts, const side& from, const side& to,
                           int stage) -> void {
    if (l == d) {
      const located a = locate(problem.source, from), b = locate(problem.sink, to);
      if (b.buffer < 0) return;
      box_copy box{counts, a.strides, b.strides};
      box.simplify(bytes_);
      regions_.push_back({std::move(box), a.message, stage, a.buffer, b.buffer, a.offset, b.offset});
      return;
    }
    for (const auto& piece : common[l]) {
      extents longer = counts;
      longer.push_back(piece.positions.count);
      side from_next = from, to_next = to;
      from_next.add(problem.source.pieces[l], piece.source, piece.positions);
      to_next.add(problem.sink.pieces[l], piece.sink, piece.positions);
      self(self, l + 1, longer, from_next, to_next, std::max(stage, piece.stage));
    }
  };
  combine(combine, 0, {}, {}, {}, 0);
  std::stable_sort(regions_.begin(), regions_.end(), [](const region& a, const region& b) {
    return std::pair(a.message, a.stage) < std::pair(b.message, b.stage);
  });
  int messages = 0;
  for (const auto& p : problem.source.placements) messages = std::max(messages, p.message + 1);
  for (int m = -1; m <= messages; ++m) {
    const auto at = std::lower_bound(regions_.begin(), regions_.end(), m,
                                     [](const region& r, int message) { return r.message < message; });
    message_begin_.push_back(static_cast<std::size_t>(at - regions_.begin()));
  }
}

void copy_pass::copy_regions(std::size_t begin, std::size_t end, buffer_list source, buffer_list sink) const {
  if (begin == end) return;
  on_threads(threads_, [&](int t) {
    line_stream past;
    for (std::size_t i = begin; i < end; ++i) {
      const region& r = regions_[i];
      const std::byte* from =
          r.from_buffer < 0 ? nullptr : source[static_cast<std::size_t>(r.from_buffer)] + r.from_offset;
      copy_elements(r.box, bytes_, from, sink[static_cast<std::size_t>(r.to_buffer)] + r.to_offset, {t, threads_},
                    stream_ ? &past : nullptr);
    }
    past.flush();
    if (stream_) std::atomic_thread_fence(std::memory_order_seq_cst);
  });
}

void copy_pass::execute(buffer_list source, buffer_list sink, std::byte* /*scratch*/, arrivals* waiting,
                        departures* leaving) const {
  std::size_t done = 0;
  const auto copy_stage = [&](int stage) {
    std::size_t end = done;
    while (end < message_begin_[1] && regions_[end].stage <= stage) ++end;
    copy_regions(done, end, source, sink);
    done = end;
  };
  if (waiting == nullptr) {
    for (std::size_t stage = 0; leaving != nullptr && stage < telling_.positions.size(); ++stage) {
      copy_stage(static_cast<int>(stage));
      leaving->stored(telling_.positions[stage]);
    }
    return copy_regions(done, regions_.size(), source, sink);
  }
  for (int part = 0; part < parts_; ++part) {
    waiting->reach(part);
    copy_stage(part + 1 < parts_ ? part : std::numeric_limits<int>::max());
  }
  for (int m = waiting->next(); m >= 0; m = waiting->next()) {
    const auto at = static_cast<std::size_t>(m) + 1;
    copy_regions(message_begin_[at], message_begin_[at + 1], source, sink);
  }
}

}  // namespace weft::local
