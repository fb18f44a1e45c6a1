// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "device/cufft.hpp"
#include "device/device.hpp"
#include "device/nccl.hpp"
#include "device/runtime_kernels.hpp"
#include "mpi/cuda_aware.hpp"
#include "planner/machine.hpp"
#include "planner/topology.hpp"
#include "report.hpp"
#include "run.hpp"
#include "weft/machine.hpp"
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

/// What there is of GPUs and their libraries, or why there is none.
struct gpu_facts {
  std::string card, cufft, nvrtc, nccl;
  std::string mpi = mpi::takes_device_pointers() ? "sends from a GPU's memory" : "does not send from a GPU's memory";

  gpu_facts() {
    std::string why_not = device::why_no_device("cuda", card);
    if (!why_not.empty()) card = "none: " + why_not;
    cufft = device::cufft_name(why_not);
    if (!why_not.empty()) cufft = "no cuFFT: " + why_not;
    nvrtc = device::compiler_name(why_not);
    if (!why_not.empty()) nvrtc = "no NVRTC: " + why_not;
    nccl = device::nccl_name(why_not);
    if (!why_not.empty()) nccl = "no NCCL: " + why_not;
  }
};

json info_json(const planner::topology& m, const std::vector<node>& nodes, int ranks, const std::string& model) {
  json all;
  all["version"] = version();
  all["mpi"] = short_mpi_version();
  all["mpi_library"] = mpi_version();
  all["mpi_standard"] = mpi_standard();
  all["algorithms"] = algorithm_names();
  all["exchange_engines"] = exchange_names();
  all["local_engines"] = local_names();
  all["fftw"] = has_fftw();
  const gpu_facts gpu;
  all["gpu"] = {{"card", gpu.card}, {"cufft", gpu.cufft}, {"nvrtc", gpu.nvrtc}, {"nccl", gpu.nccl}, {"mpi", gpu.mpi}};
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
  all["model"] = model;
  return all;
}

std::string info_text(const planner::topology& m, const std::vector<node>& nodes, int ranks,
                      const planner::machine& model) {
  const auto line = [](const char* label, const std::string& value) {
    return fmt::format("  {:<18}{}\n", label, value);
  };
  std::string text = fmt::format("weft {}\n", version());
  text += line("MPI", fmt::format("{} (MPI {})", short_mpi_version(), mpi_standard()));
  text += line("algorithms", fmt::format("{}", fmt::join(algorithm_names(), ", ")));
  text += line("exchange engines", fmt::format("{}", fmt::join(exchange_names(), ", ")));
  text += line("local engines", fmt::format("{}", fmt::join(local_names(), ", ")));
  text += line("FFTW", has_fftw() ? "in this build" : "not in this build");
  const gpu_facts gpu;
  text += line("GPU", gpu.card);
  text += line("GPU libraries", fmt::format("{}; {}; {}; MPI {}", gpu.cufft, gpu.nvrtc, gpu.nccl, gpu.mpi));
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
  text += line("ranks", fmt::format("{}: {}", ranks, where));
  const auto level = [](const planner::level& l) {
    return fmt::format("{:.2f} us a message, {:.2f} GB/s", 1e6 * l.message_seconds, 1e-9 / l.byte_seconds);
  };
  const bool several = nodes.size() > 1;
  text += "what each rank can do while all work\n";
  if (ranks > 1) {
    text += line("on the node", level(model.node));
    text +=
        line("between nodes", several ? level(model.network) : level(model.network) + " (a guess: there is one node)");
    text += line("shared memory", fmt::format("{:.3f} ns a byte besides the pass, barrier {:.2f} us per doubling",
                                              1e9 * model.shared_byte_seconds, 1e6 * model.barrier_seconds));
  }
  text += line("copies",
               fmt::format("{:.1f} GB/s in memory, {:.1f} GB/s in {} of cache", 1e-9 / model.pass_byte_seconds,
                           1e-9 / model.cached_byte_seconds, size_text(static_cast<long long>(model.cache_bytes))));
  std::string rates;
  for (const auto& [length, seconds] : model.line_seconds) {
    const double flops = 5 * std::log2(static_cast<double>(length)) / seconds;
    rates += fmt::format("{}{}: {:.1f}", rates.empty() ? "" : ", ", length, 1e-9 * flops);
  }
  return text + line("lines, GFlop/s", rates);
}

}  // namespace

int info(const info_settings& asked, const ranks& all) {
  require_writable("--json", asked.json, all);
  const auto nodes = nodes_of(all);
  const std::string model = measure_machine(all.communicator(), asked.wisdom);
  if (all.is_root()) {
    const auto m = planner::this_node();
    write_report(asked.json, info_text(m, nodes, all.size(), planner::parse_machine(model)),
                 info_json(m, nodes, all.size(), model));
  }
  return 0;
}

}  // namespace weft::tool
