// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"
#include "mpi/agreement.hpp"

using namespace weft::c;

namespace {

const weft::distribution& of_handle(const weft_distribution* of) { return existing(of, "the distribution").value; }

std::span<const int64_t> index_from(const weft::distribution& how, const int64_t* index) {
  return {&existing(index, "index"), static_cast<std::size_t>(how.axes())};
}

void give_new(weft_distribution** made, weft::distribution how) {
  existing(made, "made") = new weft_distribution{std::move(how)};
}

}  // namespace

int weft_distribution_parse(const char* text, int axes, const int64_t* shape, int ranks, weft_distribution** made) {
  return guarded([&] {
    give_new(made, weft::distribution::parse(&existing(text, "text"), extents_from(axes, shape, "shape"),
                                             weft::grid({ranks})));
  });
}

int weft_distribution_bricks(int axes, const int64_t* shape, int ranks, const int64_t* low, const int64_t* high,
                             weft_distribution** made) {
  return guarded([&] {
    std::vector<weft::box> boxes;
    for (int r = 0; r < ranks; ++r) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(r) * axes;
      boxes.push_back({extents_from(axes, &existing(low, "low") + first, "low"),
                       extents_from(axes, &existing(high, "high") + first, "high")});
    }
    give_new(made, weft::distribution::bricks(extents_from(axes, shape, "shape"), std::move(boxes)));
  });
}

int weft_distribution_bricks_of(int axes, const int64_t* shape, const int64_t* low, const int64_t* high, MPI_Comm on,
                                weft_distribution** made) {
  return guarded([&] {
    weft::box mine;
    weft::extents all;
    weft::mpi::agree(weft::mpi::communicator(on), [&] {
      mine = {extents_from(axes, low, "low"), extents_from(axes, high, "high")};
      all = extents_from(axes, shape, "shape");
      (void)existing(made, "made");
    });
    give_new(made, weft::bricks_of(all, mine, on));
  });
}

int weft_distribution_with_shape(const weft_distribution* of, int axes, const int64_t* shape,
                                 weft_distribution** made) {
  return guarded([&] { give_new(made, of_handle(of).with_shape(extents_from(axes, shape, "shape"))); });
}

void weft_distribution_destroy(weft_distribution* of) { destroy(of); }

int weft_distribution_text(const weft_distribution* of, char** text) {
  return guarded([&] { give(text, of_handle(of).text()); });
}

int weft_distribution_axes(const weft_distribution* of, int* axes) {
  return guarded([&] { existing(axes, "axes") = of_handle(of).axes(); });
}

int weft_distribution_shape(const weft_distribution* of, int64_t* shape) {
  return guarded([&] { copy_to(shape, of_handle(of).shape(), "shape"); });
}

int weft_distribution_ranks(const weft_distribution* of, int* ranks) {
  return guarded([&] { existing(ranks, "ranks") = of_handle(of).ranks(); });
}

int weft_distribution_local_shape(const weft_distribution* of, int rank, int64_t* shape) {
  return guarded([&] { copy_to(shape, of_handle(of).local_shape(rank), "shape"); });
}

int weft_distribution_local_size(const weft_distribution* of, int rank, int64_t* elements) {
  return guarded([&] { existing(elements, "elements") = of_handle(of).local_size(rank); });
}

int weft_distribution_indices(const weft_distribution* of, int rank, int axis, int64_t* indices) {
  return guarded([&] {
    for (const auto& s : of_handle(of).part(rank, axis)) {
      for (weft::integer k = 0; k < s.indices.count; ++k)
        (&existing(indices, "indices"))[s.positions[k]] = s.indices[k];
    }
  });
}

int weft_distribution_box(const weft_distribution* of, int rank, int64_t* low, int64_t* high, int* is_box) {
  return guarded([&] {
    const auto& how = of_handle(of);
    weft::extents from, to;
    bool dense = true;
    for (int axis = 0; axis < how.axes() && dense; ++axis) {
      const auto part = how.part(rank, axis);
      const weft::integer n = weft::count(part);
      from.push_back(n == 0 ? 0 : weft::index_at(part, 0));
      to.push_back(from.back() + n);
      dense = n == 0 || weft::index_at(part, n - 1) == to.back() - 1;
    }
    if (dense) {
      copy_to(low, from, "low");
      copy_to(high, to, "high");
    }
    existing(is_box, "is_box") = dense ? 1 : 0;
  });
}

int weft_distribution_owner(const weft_distribution* of, const int64_t* index, int* rank) {
  return guarded([&] { existing(rank, "rank") = of_handle(of).owner(index_from(of_handle(of), index)); });
}

int weft_distribution_position(const weft_distribution* of, const int64_t* index, int64_t* position) {
  return guarded([&] {
    const auto& how = of_handle(of);
    const auto global = index_from(how, index);
    const int rank = how.owner(global);
    weft::extents found;
    for (int axis = 0; axis < how.axes(); ++axis) {
      for (const auto& s : how.part(rank, axis)) {
        const weft::integer i = global[static_cast<std::size_t>(axis)];
        if (s.indices.contains(i)) found.push_back(s.positions[s.indices.position(i)]);
      }
    }
    copy_to(position, found, "position");
  });
}

int weft_distribution_same(const weft_distribution* a, const weft_distribution* b, int ranks, int* same) {
  return guarded([&] { existing(same, "same") = weft::same_ownership(of_handle(a), of_handle(b), ranks) ? 1 : 0; });
}
