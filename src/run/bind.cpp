#include "run/bind.hpp"

#include <optional>

#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "run/settlement.hpp"

namespace weft::run {

std::shared_ptr<const program> bind(const schedule& s, const binding& how, const memory_needs& existing,
                                    const mpi::communicator& on) {
  std::optional<settlement> terms;
  std::vector<long long> numbers;
  std::shared_ptr<const program> made;
  while (!made) {
    mpi::agree(on, [&] {
      if (terms) {
        terms->answer(numbers);
      } else {
        terms.emplace(s, how, existing);
      }
      if (terms->settled()) {
        made = std::make_shared<const program>(terms->result());
      } else {
        numbers = terms->question();
      }
    });
    if (!made) mpi::largest(on, numbers);
  }
  return made;
}

std::shared_ptr<const exchange::node_map> nodes_of(const mpi::communicator& on, const mpi::communicator& node) {
  const auto first = mpi::first_of_nodes(on, node);
  std::shared_ptr<const exchange::node_map> made;
  mpi::agree(on,
             [&] { made = std::make_shared<const exchange::node_map>(std::vector<int>(first.begin(), first.end())); });
  return made;
}

std::unique_ptr<execution> open(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                const mpi::communicator& on) {
  mpi::agree(on, [&] { memory->require(what->needs); });
  std::vector<exchange::company> with(what->exchanges.size());
  mpi::agree(on, [&] {
    for (std::size_t i = 0; i < with.size(); ++i) with[i].groups.reserve(what->exchanges[i]->how.groups.size());
  });
  for (std::size_t i = 0; i < with.size(); ++i) {
    with[i].all = &on;
    with[i].agreed = what->exchanges[i]->agreed;
    with[i].tag = on.fresh_tag();
    for (const auto& g : what->exchanges[i]->how.groups) {
      with[i].groups.push_back(g.key.empty() ? on : on.split(g.key, g.color));
    }
  }
  std::unique_ptr<execution> opened;
  mpi::agree(on, [&] { opened = std::make_unique<execution>(std::move(what), std::move(memory), with); });
  return opened;
}

}  // namespace weft::run
