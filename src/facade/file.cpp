// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "facade/hdf5.hpp"
#include "mpi/agreement.hpp"
#include "weft/error.hpp"
#include "weft/redistribution.hpp"

namespace weft {

namespace {

using facade::file_part;

/// Most bytes of one call: MPI libraries count in 32 bits.
constexpr integer call_bytes = integer{1} << 30;

void require_hdf5() {
  if (can_store()) return;
  throw file_error(
      "this build of Weft has no parallel HDF5, so it neither reads nor writes files; configure it with "
      "-DWEFT_HDF5=ON where that is installed (Debian: libhdf5-openmpi-dev or libhdf5-mpich-dev)");
}

void require_done(int result, const std::string& file, const char* what) {
  if (result >= 0) return;
  throw file_error("file '" + file + "' cannot be " + what + ": " + std::strerror(errno));
}

/// To the disk, so that it survives whatever happens next.
void flush_to_disk(const std::string& path, const std::string& file) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require_done(opened, file, "written");
  const int result = ::fsync(opened);
  ::close(opened);
  // Some file systems have no such thing for folders.
  if (result < 0 && errno != EINVAL) require_done(result, file, "flushed");
}

std::string folder_of(const std::string& file) {
  const auto parent = std::filesystem::path(file).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Blocks along the first axes, as many of these as it takes for about all ranks to have something: files have long
/// runs of them.
distribution blocks_of(const extents& shape, int ranks) {
  std::vector<chain> chains(shape.size());
  std::vector<int> points;
  for (std::size_t l = 0; l < shape.size() && ranks > 1; ++l) {
    const int here = static_cast<int>(std::min<integer>(ranks, shape[l]));
    if (here < 2) continue;
    chains[l] = {{split::kind::block, static_cast<int>(points.size()), 1}};
    points.push_back(here);
    ranks /= here;
  }
  if (points.empty()) points = {1};
  return {shape, grid(std::move(points)), std::move(chains)};
}

/// An array in blocks, as files have it.
class file_blocks {
 public:
  file_blocks(const std::string& file, const std::string& dataset, const detail::any_array& x, detail::file_element of,
              const mpi::communicator& on)
      : x_(x), on_(on) {
    mpi::agree(on, [&] {
      const extents& shape = x.terms.how.shape();
      blocks_ = blocks_of(shape, on.size());
      part_.file = file;
      part_.dataset = dataset;
      part_.what = {shape, x.terms.batch, of.element, of.complex, x.terms.how.text()};
      part_.extent = blocks_.local_shape(on.rank());
      for (int l = 0; l < blocks_.axes(); ++l) {
        const auto mine = blocks_.part(on.rank(), l);
        part_.first.push_back(mine.empty() ? 0 : mine.front().indices.first);
      }
      const integer most = blocks_.local_size(0) * static_cast<integer>(x.element_bytes);
      part_.rounds = std::max<integer>(1, (most + call_bytes - 1) / call_bytes);
      memory_ = host_memory(static_cast<std::size_t>(blocks_.local_size(on.rank())) * x.element_bytes);
    });
  }

  [[nodiscard]] const file_part& part() const { return part_; }

  void write(MPI_Comm comm) const {
    redistribution_options how;
    how.input_layout = single();
    redistribution move(x_.terms.how, blocks_, x_.element_bytes, comm, how);
    finish(facade::write_part(on_, part_, [&](integer b, const auto& store) {
      move(static_cast<const void*>(component(b)), static_cast<void*>(memory_.data()));
      store(memory_.data());
    }));
  }

  void read(MPI_Comm comm) const {
    redistribution_options how;
    how.output_layout = single();
    redistribution move(blocks_, x_.terms.how, x_.element_bytes, comm, how);
    finish(facade::read_part(on_, part_, [&](integer b, const auto& load) {
      load(memory_.data());
      // The caller's array is not const, see file.hpp.
      move(static_cast<const void*>(memory_.data()), static_cast<void*>(const_cast<std::byte*>(component(b))));
    }));
  }

 private:
  void finish(const std::string& complaint) const {
    mpi::agree(on_, [&] {
      if (!complaint.empty()) throw file_error("file '" + part_.file + "' " + complaint);
    });
  }
  [[nodiscard]] layout single() const {
    layout one = x_.terms.where;
    if (x_.terms.batch > 1) one.strides.erase(one.strides.begin());
    return one;
  }
  [[nodiscard]] const std::byte* component(integer b) const {
    const integer stride = x_.terms.batch > 1 ? x_.terms.where.strides.front() : 0;
    return x_.data + b * stride * static_cast<integer>(x_.element_bytes);
  }

  const detail::any_array& x_;
  const mpi::communicator& on_;
  distribution blocks_;
  file_part part_;
  memory memory_;
};

void check_names(const mpi::communicator& on, const std::string& file, const std::string& dataset) {
  mpi::agree(on, require_hdf5);
  mpi::require_same(on, {{"file", file}, {"dataset", dataset}});
  mpi::agree(on, [&] {
    if (file.empty() || dataset.empty()) throw argument_error("a file or dataset without a name");
  });
}

std::string text_of(const stored_array& a) {
  return std::string(a.complex ? "complex" : "real") + " elements of " + to_text(a.shape) +
         (a.batch > 1 ? " (batch " + std::to_string(a.batch) + ")" : "");
}

}  // namespace

bool can_store() { return facade::has_hdf5(); }

void detail::write(const std::string& file, const std::string& dataset, const any_array& x, file_element of,
                   MPI_Comm comm) {
  const mpi::communicator on(comm);
  check_names(on, file, dataset);
  require_one_array(x, comm);
  file_blocks blocks(file + ".partial", dataset, x, of, on);
  const std::string& partial = blocks.part().file;
  const auto on_first = [&](const auto& act) {
    mpi::agree(on, [&] {
      if (on.rank() == 0) act();
    });
  };
  // Whether it can be made at all is told by one rank, which knows why not. It is a new file: one that was left there
  // goes, and no link that others put there is followed.
  on_first([&] {
    (void)::unlink(partial.c_str());
    const int opened = ::open(partial.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
    require_done(opened, file, "written");
    ::close(opened);
  });
  try {
    blocks.write(comm);
    on_first([&] {
      flush_to_disk(partial, file);
      require_done(std::rename(partial.c_str(), file.c_str()), file, "replaced");
    });
  } catch (...) {
    on_first([&] { (void)std::remove(partial.c_str()); });  // all ranks are here, and none goes on before
    throw;
  }
  on_first([&] { flush_to_disk(folder_of(file), file); });
}

stored_array look_into(const std::string& file, MPI_Comm comm, const std::string& dataset) {
  const mpi::communicator on(comm);
  check_names(on, file, dataset);
  // One rank looks, so that thousands need not open the file for a few bytes.
  stored_array found;
  std::string told;
  mpi::agree(on, [&] {
    if (on.rank() != 0) return;
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    require_done(opened, file, "opened");
    ::close(opened);
    found = facade::describe_file(file, dataset);
    told = to_text(found.shape) + " " + std::to_string(found.batch) + " " +
           (found.element == precision::f32 ? "f32 " : "f64 ") + (found.complex ? "complex " : "real ") +
           found.distribution;
  });
  told = mpi::broadcast(on, told, 0);
  mpi::agree(on, [&] {
    const auto word = [&] {
      const auto end = std::min(told.find(' '), told.size());
      std::string first = told.substr(0, end);
      told.erase(0, end + 1);
      return first;
    };
    found.shape = parse_extents(word());
    found.batch = std::stoll(word());
    found.element = word() == "f32" ? precision::f32 : precision::f64;
    found.complex = word() == "complex";
    found.distribution = told;
  });
  return found;
}

void detail::read(const std::string& file, const std::string& dataset, const any_array& x, file_element of,
                  MPI_Comm comm) {
  const mpi::communicator on(comm);
  const stored_array there = look_into(file, comm, dataset);
  require_one_array(x, comm);
  file_blocks blocks(file, dataset, x, of, on);
  mpi::agree(on, [&] {
    stored_array wanted = blocks.part().what;
    stored_array as_one = there;  // a batch that something else wrote
    if (there.batch == 1 && wanted.batch > 1 && there.shape.size() == wanted.shape.size() + 1) {
      as_one.batch = there.shape.front();
      as_one.shape.erase(as_one.shape.begin());
    }
    if (as_one.shape != wanted.shape || as_one.batch != wanted.batch || as_one.complex != wanted.complex) {
      throw file_error("dataset '" + dataset + "' of file '" + file + "' has " + text_of(there) + ", the array " +
                       text_of(wanted));
    }
  });
  blocks.read(comm);
}

}  // namespace weft
