// SPDX-License-Identifier: BSD-3-Clause
// What the handles of weft.h are, and the border that no exception crosses.
#pragma once

#include <complex>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mpi/agreement.hpp"
#include "weft/weft.h"
#include "weft/weft.hpp"

namespace weft::c {

/// Where handles are, and of which type: so a pointer to one that was destroyed is told from one to a handle by its
/// address alone, and nobody looks into memory that may be anybody's.
void enter_handle(const void* mark, const void* type);
/// Whether there was one.
bool leave_handle(const void* mark, const void* type) noexcept;
bool is_handle(const void* mark, const void* type);

/// Every handle has one.
template <class Handle>
class mark {
 public:
  mark() { enter_handle(this, &type); }
  mark(const mark& /*other*/) : mark() {}
  mark& operator=(const mark&) = default;
  ~mark() { leave_handle(this, &type); }

  static constexpr char type = 0;  ///< its address stands for the type
};

}  // namespace weft::c

struct weft_distribution {
  weft::distribution value;
  weft::c::mark<weft_distribution> alive = {};
};

struct weft_options {
  weft::problem what;  // without shape, kind and element type
  weft::options how;
  weft::c::mark<weft_options> alive = {};
};

struct weft_plan {
  std::shared_ptr<weft::plan> value;  // of this handle alone, or of a convolution
  weft::mpi::communicator on;
  weft::c::mark<weft_plan> alive = {};
};

struct weft_started {
  weft::started value;
  weft::c::mark<weft_started> alive = {};
};

struct weft_array {
  weft::distribution how;
  int rank = 0;
  weft::integer batch = 1;
  weft::extents shape;
  weft::layout where;
  std::vector<weft::extents> indices;
  weft::memory block;
  std::size_t element_bytes = 0;
  int parts = 0;  // of an element: 1 real, 2 complex, 0 what the caller takes it for
  weft::c::mark<weft_array> alive = {};
};

struct weft_redistribution {
  weft::redistribution value;
  weft::c::mark<weft_redistribution> alive = {};
};

struct weft_halo {
  std::variant<weft::halo<float>, weft::halo<double>, weft::halo<std::complex<float>>, weft::halo<std::complex<double>>>
      value;
  weft::c::mark<weft_halo> alive = {};
};

struct weft_arena {
  weft::arena value;
  weft::c::mark<weft_arena> alive = {};
};

struct weft_plane_waves {
  template <class Real>
  using shared = std::shared_ptr<weft::plane_waves<Real>>;

  std::variant<shared<float>, shared<double>> value;
  weft::mpi::communicator on;
  weft::c::mark<weft_plane_waves> alive = {};
};

struct weft_wisdom {
  weft::wisdom value;
  weft::c::mark<weft_wisdom> alive = {};
};

struct weft_spectral {
  std::variant<weft::spectral<float>, weft::spectral<double>> value;
  weft::mpi::communicator on;
  int axes = 0;
  weft::c::mark<weft_spectral> alive = {};
};

struct weft_convolution {
  template <class Plan>
  using shared = std::shared_ptr<weft::convolution<Plan>>;

  std::variant<shared<weft::c2c<float>>, shared<weft::c2c<double>>, shared<weft::r2c<float>>, shared<weft::r2c<double>>>
      value;
  weft::mpi::communicator on;
  weft::c::mark<weft_convolution> alive = {};
};

namespace weft::c {

/// Keeps the text for weft_last_error(), and gives the code back.
int failed(int code, const char* text) noexcept;

/// Runs `body`; what it throws becomes a code.
template <class Body>
int guarded(Body body) noexcept {
  try {
    body();
    return WEFT_OK;
  } catch (const weft::error& e) {
    return failed(static_cast<int>(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return failed(WEFT_BAD_BUFFER, "there is not enough memory");
  } catch (const std::exception& e) {
    return failed(WEFT_INTERNAL, e.what());
  } catch (...) {
    return failed(WEFT_INTERNAL, "an exception of unknown type");
  }
}

/// Whether a handle is one that was made, and not destroyed since.
template <class Handle>
bool is_alive(const Handle* of) {
  return of != nullptr && is_handle(&of->alive, &mark<std::remove_const_t<Handle>>::type);
}

/// Destroys a handle; one that is none any more is left alone.
template <class Handle>
void destroy(Handle* of) noexcept {
  if (of != nullptr && leave_handle(&of->alive, &mark<Handle>::type)) delete of;
}

/// Throws argument_error, naming it, if a pointer is null, or that of a handle which was destroyed.
template <class T>
T& existing(T* pointer, const char* name) {
  if (pointer == nullptr) throw argument_error(std::string(name) + " is a null pointer");
  if constexpr (requires { pointer->alive; }) {
    if (!is_alive(pointer)) throw argument_error(std::string(name) + ": this handle was destroyed before, or is none");
  }
  return *pointer;
}

/// Null: the defaults.
options options_from(const weft_options* with);

/// The value of a name in a table of pairs; throws name_error, with all names, if there is none.
template <class Value, std::size_t Count>
const Value& found_in(const std::pair<const char*, Value> (&known)[Count], const char* what) {
  const std::string asked = &existing(what, "what");
  std::string all;
  for (const auto& [name, value] : known) {
    if (asked == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw name_error("nothing is called '" + asked + "'; there are " + all);
}

/// A text of the caller's, for weft_free().
void give(char** to, const std::string& text);
extents extents_from(int axes, const int64_t* numbers, const char* name);
void copy_to(int64_t* to, const extents& numbers, const char* name);
problem problem_from(int axes, const int64_t* shape, int transform, int precision, const weft_options* with);
weft::side side_from(int side);
const weft::plan& plan_of(const weft_plan* of);
/// Throws argument_error unless elements are real (1) or complex (2) numbers of a precision that there is.
void require_element(int precision, int parts);
/// Of an element: 1 real, 2 complex.
int parts_of(const plan& of, side which);
std::size_t element_bytes_of(const plan& of, side which);
/// Of weft_options_set().
std::vector<std::string> option_names();
/// With the global indices of every axis found, and no memory.
weft_array described(const distribution& how, int rank, integer batch, const layout& where, std::size_t element_bytes,
                     int parts = 0);

/// A handle over the memory of an array of C++.
template <class T>
weft_array* handle_of(const weft::array<T>& a) {
  auto made = std::make_unique<weft_array>(
      described(a.how(), a.rank(), a.batch(), a.local_layout(), sizeof(T), std::is_floating_point_v<T> ? 1 : 2));
  made->block = a.block();
  return made.release();
}

/// The array of a handle as one of C++ over the same memory; throws buffer_error if its elements are of another type.
template <class T>
weft::array<T> typed(const weft_array* of, const char* name) {
  const weft_array& a = existing(of, name);
  if (a.element_bytes != sizeof(T)) {
    throw buffer_error(std::string(name) + " has elements of " + std::to_string(a.element_bytes) + " bytes, not of " +
                       std::to_string(sizeof(T)));
  }
  constexpr int parts = std::is_floating_point_v<T> ? 1 : 2;
  if (a.parts != 0 && a.parts != parts) {
    throw buffer_error(std::string(name) + (parts == 1 ? " has complex elements, not real ones of the same size"
                                                       : " has real elements, not complex ones of the same size"));
  }
  return weft::array<T>(a.how, a.rank, a.batch, a.where, a.block);
}

using named_array = std::pair<const char*, const weft_array*>;

/// Calls use() with arrays of elements T, one for each handle; a wrong handle on one rank is an error on all.
template <class T, class Use, std::same_as<named_array>... Named>
void with_arrays(const mpi::communicator& on, const Use& use, const Named&... handles) {
  std::vector<weft::array<T>> all;
  mpi::agree(on, [&] { (all.push_back(typed<T>(handles.second, handles.first)), ...); });
  [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) { use(all[Numbers]...); }
  (std::index_sequence_for<Named...>());
}

}  // namespace weft::c
