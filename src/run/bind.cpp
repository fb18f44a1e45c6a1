// SPDX-License-Identifier: BSD-3-Clause
#include "run/bind.hpp"

#include <optional>

#include "mpi/agreement.hpp"
#include "mpi/collective.hpp"
#include "mpi/shared_memory.hpp"
#include "run/settlement.hpp"

namespace weft::run {

std::shared_ptr<const program> bind(const schedule& s, const binding& how, const memory_needs& existing,
                                    const mpi::communicator& on) {
  std::optional<settlement> terms;
  std::vector<long long> numbers;
  std::shared_ptr<const program> built;
  while (!built) {
    mpi::agree(on, [&] {
      if (terms) {
        terms->answer(numbers);
      } else {
        terms.emplace(s, how, existing);
      }
      if (terms->settled()) {
        built = std::make_shared<const program>(terms->result());
      } else {
        numbers = terms->question();
      }
    });
    if (!built) mpi::largest(on, numbers);
  }
  return built;
}

std::shared_ptr<const exchange::node_map> nodes_of(const mpi::communicator& on, const mpi::communicator& node) {
  const auto first = mpi::first_of_nodes(on, node);
  std::shared_ptr<const exchange::node_map> built;
  mpi::agree(on,
             [&] { built = std::make_shared<const exchange::node_map>(std::vector<int>(first.begin(), first.end())); });
  return built;
}

namespace {

constexpr int no_lane = -1;

std::unique_ptr<execution> opened_in(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                     const mpi::communicator& on, int lane) {
  const bool overlaps = lane != no_lane;
  mpi::agree(on, [&] { memory->require(what->needs); });
  std::vector<exchange::company> with;
  mpi::agree(on, [&] {
    for (const auto& e : what->exchanges) {
      auto& company = with.emplace_back();
      company.all = &on;
      company.agreed = e->agreed;
      company.overlapping = overlaps;
      company.on = what->on;
      if (e->by->groups == nullptr) continue;
      for (auto& g : e->by->groups(e->problem, e->how)) {
        if (overlaps) g.key += (g.key.empty() ? "all, lane " : ", lane ") + std::to_string(lane);
        if (!g.key.empty()) on.prepare_split(g.key);
        company.groups.push_back({std::move(g), on});
      }
    }
  });
  for (auto& company : with) {
    company.tag = on.fresh_tag();
    for (auto& g : company.groups) {
      if (!g.who.key.empty()) g.on = on.split(g.who.key, g.who.color);
    }
  }
  std::unique_ptr<execution> opened;
  mpi::agree(on, [&] {
    std::function<void()> progress;
    if (overlaps) progress = [on] { mpi::progress(on); };
    opened = std::make_unique<execution>(std::move(what), std::move(memory), with, std::move(progress));
  });
  return opened;
}

}  // namespace

std::unique_ptr<execution> open(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                const mpi::communicator& on) {
  return opened_in(std::move(what), std::move(memory), on, no_lane);
}

std::unique_ptr<execution> open_overlapping(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                            const mpi::communicator& on, int lane) {
  return opened_in(std::move(what), std::move(memory), on, lane);
}

}  // namespace weft::run
