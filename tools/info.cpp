#include <fmt/core.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "report.hpp"
#include "run.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

struct node {
  std::string name;
  int ranks = 0;
};

/// Nodes in the order of their first rank; on the root only.
std::vector<node> nodes_of(const ranks& all) {
  std::vector<node> nodes;
  for (const auto& host : all.gather_to_root(host_name())) {
    std::size_t k = 0;
    while (k < nodes.size() && nodes[k].name != host) ++k;
    if (k == nodes.size()) nodes.push_back({host, 0});
    ++nodes[k].ranks;
  }
  return nodes;
}

std::string mpi_standard() {
  int major = 0, minor = 0;
  MPI_Get_version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::string size_text(long long bytes) {
  if (bytes >= 1LL << 30) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) * 0x1p-30);
  if (bytes >= 1LL << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} KiB", bytes >> 10);
}

std::string counted(int n, const char* thing) { return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s"); }

json info_json(const machine& m, const std::vector<node>& nodes, int ranks) {
  json all;
  all["version"] = version();
  all["mpi"] = short_mpi_version();
  all["mpi_library"] = mpi_version();
  all["mpi_standard"] = mpi_standard();
  all["algorithms"] = algorithm_names();
  all["exchange_engines"] = exchange_names();
  all["local_engines"] = local_names();
  all["fftw"] = has_fftw();
  all["cpu"] = {{"model", m.cpu}, {"vector_units", m.vector_units}, {"vector_bits", m.vector_bits}};
  all["node"] = {{"packages", m.packages},
                 {"numa_nodes", m.numa_nodes},
                 {"cores", m.cores},
                 {"hardware_threads", m.hardware_threads},
                 {"memory_bytes", m.memory_bytes},
                 {"caches", json::array()}};
  for (const auto& c : m.caches) {
    all["node"]["caches"].push_back({{"name", c.name}, {"bytes", c.bytes}, {"count", c.count}});
  }
  all["ranks"] = ranks;
  all["nodes"] = json::array();
  for (const auto& n : nodes) all["nodes"].push_back({{"name", n.name}, {"ranks", n.ranks}});
  return all;
}

std::string info_text(const machine& m, const std::vector<node>& nodes, int ranks) {
  const auto line = [](const char* label, const std::string& value) {
    return fmt::format("  {:<18}{}\n", label, value);
  };
  std::string text = fmt::format("weft {}\n", version());
  text += line("MPI", fmt::format("{} (MPI {})", short_mpi_version(), mpi_standard()));
  text += line("algorithms", fmt::format("{}", fmt::join(algorithm_names(), ", ")));
  text += line("exchange engines", fmt::format("{}", fmt::join(exchange_names(), ", ")));
  text += line("local engines", fmt::format("{}", fmt::join(local_names(), ", ")));
  text += line("FFTW", has_fftw() ? "in this build" : "not in this build");
  text += line("processor", fmt::format("{}, {} ({} bits)", m.cpu, m.vector_units, m.vector_bits));
  text += line("node", fmt::format("{}, {}, {}, {}, {}", counted(m.packages, "package"), counted(m.cores, "core"),
                                   counted(m.hardware_threads, "hardware thread"), counted(m.numa_nodes, "NUMA node"),
                                   size_text(m.memory_bytes)));
  std::string caches;
  for (const auto& c : m.caches) {
    caches += fmt::format("{}{} x {} {}", caches.empty() ? "" : ", ", c.count, c.name, size_text(c.bytes));
  }
  text += line("caches", caches);
  std::string where;
  for (const auto& n : nodes) where += fmt::format("{}{} on {}", where.empty() ? "" : ", ", n.ranks, n.name);
  return text + line("ranks", fmt::format("{}: {}", ranks, where));
}

}  // namespace

int info(const info_settings& asked, const ranks& all) {
  require_writable("--json", asked.json, all);
  const auto nodes = nodes_of(all);
  if (all.is_root()) {
    const machine m = this_machine();
    write_report(asked.json, info_text(m, nodes, all.size()), info_json(m, nodes, all.size()));
  }
  return 0;
}

}  // namespace weft::tool
