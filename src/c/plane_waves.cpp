// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "c/fortran.h"
#include "c/handles.hpp"

using namespace weft::c;

namespace {

template <class Use>
void with_waves(const weft_plane_waves* of, const Use& use) {
  std::visit([&](const auto& shared) { use(*shared); }, existing(of, "the plane waves").value);
}

template <class Waves>
using element_of = typename Waves::value;

/// Room for all coefficients of this rank, if there are so many bytes; a null pointer has none, which is an error of
/// all ranks.
template <class Waves>
std::size_t room_at(const Waves& waves, const void* c, int64_t bytes) {
  const auto room = static_cast<std::size_t>(bytes) / sizeof(element_of<Waves>);
  return c == nullptr ? 0 : std::min(room, static_cast<std::size_t>(waves.coefficients()));
}

}  // namespace

int weft_plane_waves_create(const int64_t* shape, const double* radii, int64_t bands, int precision, MPI_Comm on,
                            const weft_options* options, weft_plane_waves** made) {
  return guarded([&] {
    const weft::mpi::communicator ranks(on);
    weft::problem what;
    std::vector<double> within;
    weft::options how;
    weft::mpi::agree(ranks, [&] {
      what = problem_from(3, shape, WEFT_C2C, precision, nullptr);
      within.assign(&existing(radii, "radii"), radii + 3);
      (void)existing(made, "made");
      how = options_from(options);
    });
    const auto make = [&]<class Real>(Real) {
      *made =
          new weft_plane_waves{std::make_shared<weft::plane_waves<Real>>(what.shape, within, on, how, bands), ranks};
    };
    return precision == WEFT_F32 ? make(0.0F) : make(0.0);
  });
}

void weft_plane_waves_destroy(weft_plane_waves* of) { destroy(of); }

int weft_plane_waves_number(const weft_plane_waves* of, const char* what, int64_t* number) {
  return guarded([&] {
    with_waves(of, [&](const auto& waves) {
      const std::pair<const char*, int64_t> known[] = {{"waves", static_cast<int64_t>(waves.waves().size())},
                                                       {"coefficients", waves.coefficients()},
                                                       {"columns", waves.columns()},
                                                       {"messages", waves.report().messages},
                                                       {"bytes", waves.report().bytes}};
      existing(number, "number") = found_in(known, what);
    });
  });
}

int weft_plane_waves_numbers(const weft_plane_waves* of, int64_t* k) {
  return guarded([&] {
    with_waves(of, [&](const auto& waves) {
      if (waves.waves().empty()) return;
      int64_t* next = &existing(k, "k");
      for (const auto& wave : waves.waves()) next = std::copy(wave.begin(), wave.end(), next);
    });
  });
}

int weft_plane_waves_field(const weft_plane_waves* of, weft_array** made) {
  return guarded([&] {
    with_waves(of, [&](const auto& waves) {
      weft::mpi::agree(of->on, [&] { (void)existing(made, "made"); });
      *made = handle_of(waves.make_field());
    });
  });
}

int weft_plane_waves_to_field(weft_plane_waves* of, const void* c, const weft_array* field) {
  return weft_f_plane_waves_to_field(of, c, any_bytes, field);
}

int weft_plane_waves_to_waves(weft_plane_waves* of, const weft_array* field, void* c) {
  return weft_f_plane_waves_to_waves(of, field, c, any_bytes);
}

int weft_f_plane_waves_to_field(weft_plane_waves* of, const void* c, int64_t bytes, const weft_array* field) {
  return guarded([&] {
    with_waves(of, [&]<class Waves>(Waves& waves) {
      using value = element_of<Waves>;
      const auto use = [&](auto& to) {
        waves.to_field(std::span(static_cast<const value*>(c), room_at(waves, c, bytes)), to);
      };
      with_arrays<value>(of->on, use, named_array("the field", field));
    });
  });
}

int weft_f_plane_waves_to_waves(weft_plane_waves* of, const weft_array* field, void* c, int64_t bytes) {
  return guarded([&] {
    with_waves(of, [&]<class Waves>(Waves& waves) {
      using value = element_of<Waves>;
      const auto use = [&](const auto& from) {
        waves.to_waves(from, std::span(static_cast<value*>(c), room_at(waves, c, bytes)));
      };
      with_arrays<value>(of->on, use, named_array("the field", field));
    });
  });
}
