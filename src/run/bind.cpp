// SPDX-License-Identifier: BSD-3-Clause
#include "run/bind.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/agreement.hpp"
#include "mpi/collective.hpp"
#include "mpi/shared_memory.hpp"
#include "run/settlement.hpp"

namespace weft::run {

namespace {

/// Of each of `ranks`, this one among them, whose own question `mine` answers. Others of them are asked elsewhere, too:
/// here they hear the answers.
program_list settled(const schedule& s, std::span<const binding> ranks, std::size_t mine, const memory_needs& existing,
                     const mpi::communicator& on) {
  std::vector<std::unique_ptr<settlement>> terms;
  std::vector<long long> numbers;
  program_list built;
  while (built.empty()) {
    mpi::agree(on, [&] {
      if (terms.empty()) {
        for (const auto& how : ranks) terms.push_back(std::make_unique<settlement>(s, how, existing));
      } else {
        for (const auto& t : terms) t->answer(numbers);
      }
      if (terms.front()->settled()) {
        for (const auto& t : terms) built.push_back(std::make_shared<const program>(t->result()));
        return;
      }
      for (std::size_t i = 0; i < terms.size(); ++i) {
        auto asked = terms[i]->question();
        if (i == mine) numbers = std::move(asked);
      }
    });
    if (built.empty()) mpi::largest(on, numbers);
  }
  return built;
}

}  // namespace

std::shared_ptr<const program> bind(const schedule& s, const binding& how, const memory_needs& existing,
                                    const mpi::communicator& on) {
  return bind_programs(s, how, existing, on, false).front();
}

program_list bind_programs(const schedule& s, const binding& how, const memory_needs& existing,
                           const mpi::communicator& on, bool led) {
  if (!led) return settled(s, {&how, 1}, 0, existing, on);
  std::vector<binding> ranks;
  mpi::agree(on, [&] {
    ranks.assign(on.rank() == 0 ? static_cast<std::size_t>(on.size()) : 1, how);
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      ranks[r].rank = static_cast<int>(r);
      ranks[r].input_layout = ranks[r].output_layout = {};  // compact, as arrays that are shared are
    }
  });
  return settled(s, ranks, 0, existing, on);
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

/// To the groups of exchanges with barriers, one for all of an exchange that are the same. Collective.
void give_sheets(std::vector<exchange::company>& with, const program& what, const mpi::communicator& on) {
  const auto each_group = [&](const auto& visit) {
    for (std::size_t i = 0; i < with.size(); ++i) {
      auto& groups = with[i].groups;
      if (!what.exchanges[i]->by->shares) continue;
      for (auto g = groups.begin(); g != groups.end(); ++g) {
        const auto same = std::ranges::find(groups.begin(), g, g->who.key, [](const auto& j) { return j.who.key; });
        visit(*g, same == g ? nullptr : &same->sheet);
      }
    }
  };
  std::size_t count = 0;
  each_group([&](const auto&, const auto* known) { count += known == nullptr ? 1 : 0; });
  const auto sheets = mpi::board::take(on, count);
  std::size_t next = 0;
  each_group([&](auto& group, const auto* known) { group.sheet = known != nullptr ? *known : sheets[next++]; });
}

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
  if (!overlaps) give_sheets(with, *what, on);
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

std::unique_ptr<execution> open_led(program_list programs, std::shared_ptr<workspace> memory,
                                    const mpi::communicator& on, double patience) {
  mpi::agree(on, [&] {
    memory_needs needs = programs.front()->needs;
    for (const auto& p : programs) needs.scratch = std::max(needs.scratch, p->needs.scratch);
    memory->require(needs);
  });
  const int tag = on.fresh_tag();
  const auto sheet = mpi::board::take(on, 1).front();
  std::unique_ptr<execution> opened;
  mpi::agree(on, [&] {
    std::vector<int> members(static_cast<std::size_t>(on.size()));
    std::iota(members.begin(), members.end(), 0);
    opened = std::make_unique<execution>(std::move(programs), std::move(memory),
                                         mpi::meeting(on, std::move(members), tag, patience, sheet));
  });
  return opened;
}

std::unique_ptr<execution> open_overlapping(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                            const mpi::communicator& on, int lane) {
  return opened_in(std::move(what), std::move(memory), on, lane);
}

}  // namespace weft::run
