// SPDX-License-Identifier: BSD-3-Clause
// What the Fortran module needs besides weft.h: communicators as Fortran has them, and axes in Fortran's order.
//
// Fortran's first axis runs fastest, Weft's last. So the module turns every list of axes round, and nothing moves in
// memory. Options keep what the user said, in his order, until it is known how many axes there are: here.
#include "c/fortran.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "c/handles.hpp"

using namespace weft::c;

namespace {

std::string turned_list(const std::string& list, char separator, const char* between) {
  std::vector<std::string> words;
  std::stringstream text(list);
  for (std::string word; std::getline(text, word, separator);) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.push_back(word);
  }
  std::string all;
  for (auto word = words.rbegin(); word != words.rend(); ++word) all += (all.empty() ? "" : between) + *word;
  return all;
}

/// "[b0 c1 *]@2x3" becomes "[* c1 b0]@2x3", "bricks{0:4,0:8; 4:8,0:8}" each box turned round; words stay.
std::string turned(const std::string& text) {
  const bool bricks = text.starts_with("bricks{");
  const auto open = text.find(bricks ? '{' : '['), close = text.find(bricks ? '}' : ']');
  if (open == std::string::npos || close == std::string::npos || close < open) return text;
  const std::string inside = text.substr(open + 1, close - open - 1);
  std::string result;
  if (bricks) {
    std::stringstream boxes(inside);
    for (std::string box; std::getline(boxes, box, ';');) {
      result += (result.empty() ? "" : "; ") + turned_list(box, ',', ",");
    }
  } else {
    result = turned_list(inside, ' ', " ");
  }
  return text.substr(0, open + 1) + result + text.substr(close);
}

void turn(weft::layout& of) {
  // The stride of a batch is the last one in Fortran, the first one here.
  std::ranges::reverse(of.strides);
}

/// Axes count from 1 in Fortran; 0 or less is the default there.
weft_options turned(const weft_options& of, int axes) {
  weft_options result = of;
  for (auto* side : {&result.what.in, &result.what.out}) {
    if (!side->exact()) *side = turned(side->text());
  }
  for (int& axis : result.what.axes) axis = axes - axis;
  std::ranges::reverse(result.what.kinds);
  std::ranges::reverse(result.what.modes);
  for (weft::box* part : {&result.what.input_box, &result.what.output_box}) {
    std::ranges::reverse(part->low);
    std::ranges::reverse(part->high);
  }
  // One past the last stays one that is not there.
  int& real = result.what.real_axis;
  real = real > axes ? axes : real > 0 ? axes - real : -1;
  turn(result.how.input_layout);
  turn(result.how.output_layout);
  return result;
}

/// A call with the options turned round. Those that are none go there as they are, to be refused on all ranks.
template <class Call>
int with_turned(const weft_options* options, int axes, const Call& call) {
  if (!is_alive(options)) return call(options);
  std::optional<weft_options> ours;
  const int bad = guarded([&] { ours = turned(*options, axes); });
  return bad != WEFT_OK ? bad : call(&*ours);
}

/// A function of Fortran's: its index has the axes turned round, and counts from 1.
struct turned_function {
  weft_visit function;
  void* user;
  int axes;

  static void call(const int64_t* index, void* element, int64_t component, void* self) {
    const auto& f = *static_cast<const turned_function*>(self);
    std::array<int64_t, weft::max_axes> turned{};
    for (int l = 0; l < f.axes; ++l) turned[static_cast<std::size_t>(f.axes - 1 - l)] = index[l] + 1;
    f.function(turned.data(), element, component, f.user);
  }
};

/// One array of a batch.
template <class T>
weft::array<T> component_of(const weft_array& a, weft::integer b) {
  weft::layout where = a.where;
  if (a.batch > 1) {
    where.offset += b * where.strides.front();
    where.strides.erase(where.strides.begin());
  }
  return weft::array<T>(a.how, a.rank, 1, where, a.block);
}

/// Copies a batch of vectors with `size` components each, these in the other order, times `factor`.
template <class T>
void copy_turned(const weft_array& from, const weft_array& to, weft::integer size, T factor) {
  for (weft::integer b = 0; b < from.batch; ++b) {
    const auto x = component_of<T>(from, b);
    auto y = component_of<T>(to, b / size * size + (size - 1 - b % size));
    for (weft::integer k = 0; k < x.size(); ++k) y[k] = factor * x[k];
  }
}

/// How many arrays of a batch are one vector; 1 where vectors and scalars do not fit, for others to complain.
weft::integer components_of(weft::integer vectors, weft::integer scalars) {
  return vectors % scalars == 0 ? vectors / scalars : 1;
}

/// Of the whole array, batch included: Fortran's memory is taken as it is.
std::size_t whole_bytes(const weft_array* x) {
  if (!is_alive(x)) return 0;
  return static_cast<std::size_t>(weft::volume(x->how.shape()) * x->batch) * x->element_bytes;
}

/// What does `make` to vectors whose components are those of Weft's axes, done to vectors of Fortran's. Of arrays that
/// are wrong `make` complains on all ranks.
template <class Make>
int with_turned(const weft_spectral* of, const weft_array* f, weft::integer f_size, const weft_array* result,
                weft::integer result_size, double factor, const Make& make) {
  std::unique_ptr<weft_array> in, out;
  const auto like = [](const weft_array& a) {
    if (a.block.on_device() || (a.element_bytes != 8 && a.element_bytes != 16)) {
      throw weft::buffer_error("an array of modes has elements of " + std::to_string(a.element_bytes) +
                               " bytes; they are complex, in the host's memory");
    }
    weft_array* made = nullptr;
    const weft_distribution how{a.how};
    if (weft_array_create_as(&how, a.rank, a.batch, a.element_bytes, &made) != WEFT_OK) throw std::bad_alloc();
    made->parts = a.parts;
    return std::unique_ptr<weft_array>(made);
  };
  const auto turn = [&](const weft_array& from, const weft_array& to, weft::integer size, double by) {
    if (from.element_bytes == sizeof(std::complex<float>)) {
      copy_turned<std::complex<float>>(from, to, size, static_cast<float>(by));
    } else {
      copy_turned<std::complex<double>>(from, to, size, by);
    }
  };
  int code = guarded([&] {
    weft::mpi::agree(of->on, [&] {
      in = like(*f);
      out = like(*result);
    });
    turn(*f, *in, f_size, 1);
  });
  if (code == WEFT_OK) code = make(of, in.get(), out.get());
  return code != WEFT_OK ? code : guarded([&] { turn(*out, *result, result_size, factor); });
}

struct fortran_array {
  const void* data;
  int64_t bytes;
};

/// Refuses, on all ranks, arrays of fewer bytes than a side has, and such as have gaps where nobody can copy them. In
/// place an array may be either side's view of memory with room for both.
void require_room(const weft::plan& plan, int backward, const fortran_array& in, const fortran_array& out,
                  weft::plan::instead_of what = weft::plan::instead_of::run) {
  const auto bytes_of = [&](weft::side which) {
    const auto elements = which == weft::side::input ? plan.input_elements() : plan.output_elements();
    return elements * static_cast<int64_t>(element_bytes_of(plan, which));
  };
  const auto require = [&](int64_t has, int64_t needs, const char* name) {
    if (has < 0) plan.refuse(weft::buffer_error(std::string(name) + " is not contiguous; pass a whole array"), what);
    if (has >= needs) return;
    plan.refuse(
        weft::buffer_error(std::string(name) + " has " + std::to_string(has) + " bytes on rank " +
                           std::to_string(plan.rank()) + ", needs " + std::to_string(needs) + "; see %elements"),
        what);
  };
  const int64_t input = bytes_of(weft::side::input), output = bytes_of(weft::side::output);
  if (in.data == out.data) return require(in.bytes, std::min(input, output), "the array");
  require(in.bytes, backward != 0 ? output : input, "the input");
  require(out.bytes, backward != 0 ? input : output, "the output");
}

std::string elements_text(std::size_t bytes, int parts) {
  return std::to_string(bytes) + " bytes" + (parts == 1 ? " (real)" : parts == 2 ? " (complex)" : "");
}

/// Refuses, on all ranks, arrays that are not those of a plan's sides.
void require_sides(const weft::plan& plan, int backward, const weft_array* in, const weft_array* out,
                   weft::plan::instead_of what = weft::plan::instead_of::run) {
  const auto require = [&](const weft_array* a, weft::side which, const char* name) {
    if (!is_alive(a)) plan.refuse(weft::argument_error(std::string(name) + " array was not made, or destroyed"), what);
    const bool of_input = which == weft::side::input;
    const auto& how = of_input ? plan.input() : plan.output();
    const int parts = parts_of(plan, which);
    if (a->how == how && a->rank == plan.rank() && a->batch == plan.batch() &&
        a->element_bytes == element_bytes_of(plan, which) && (a->parts == 0 || a->parts == parts) &&
        weft::same_addresses(a->where, of_input ? plan.input_layout() : plan.output_layout(), a->shape)) {
      return;
    }
    plan.refuse(weft::buffer_error(std::string(name) + " array of rank " + std::to_string(a->rank) +
                                   " is distributed as " + turned(a->how.text()) + " with " + std::to_string(a->batch) +
                                   " times " + elements_text(a->element_bytes, a->parts) + ", the plan's as " +
                                   turned(how.text()) + " with " + std::to_string(plan.batch()) + " times " +
                                   elements_text(element_bytes_of(plan, which), parts) + "; make it with %make"),
                what);
  };
  require(in, backward != 0 ? weft::side::output : weft::side::input, "the input");
  require(out, backward != 0 ? weft::side::input : weft::side::output, "the output");
}

}  // namespace

int weft_f_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                       const weft_options* options, weft_plan** made) {
  return with_turned(options, axes, [&](const weft_options* ours) {
    return weft_plan_create(axes, shape, transform, precision, MPI_Comm_f2c(on), ours, made);
  });
}

int weft_f_plan_run(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out, int64_t out_bytes) {
  const int bad = guarded([&] { require_room(plan_of(of), backward, {in, in_bytes}, {out, out_bytes}); });
  return bad != WEFT_OK ? bad : (backward != 0 ? weft_plan_backward : weft_plan_forward)(of, in, out);
}

int weft_f_complain(const char* text) { return failed(WEFT_BAD_ARGUMENT, text); }

int weft_f_plan_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out, void* stream) {
  const int bad = guarded([&] { require_sides(plan_of(of), backward, in, out); });
  if (bad != WEFT_OK) return bad;
  const auto run = backward != 0 ? weft_plan_backward_on : weft_plan_forward_on;
  return run(of, weft_array_data(in), weft_array_data(out), stream);
}

int weft_f_plan_start(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out, int64_t out_bytes,
                      weft_started** made) {
  const int bad = guarded([&] {
    require_room(plan_of(of), backward, {in, in_bytes}, {out, out_bytes}, weft::plan::instead_of::start);
  });
  if (bad != WEFT_OK) return bad;
  return (backward != 0 ? weft_plan_start_backward : weft_plan_start_forward)(of, in, out, made);
}

int weft_f_plan_start_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out,
                             weft_started** made) {
  const int bad = guarded([&] { require_sides(plan_of(of), backward, in, out, weft::plan::instead_of::start); });
  if (bad != WEFT_OK) return bad;
  return (backward != 0 ? weft_plan_start_backward : weft_plan_start_forward)(of, weft_array_data(in),
                                                                              weft_array_data(out), made);
}

int weft_f_plan_with(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out, int64_t out_bytes,
                     weft_visit function, void* user) {
  turned_function turned{function, user, 0};
  const int bad = guarded([&] {
    const auto& plan = plan_of(of);
    if (function == nullptr) plan.refuse(weft::argument_error("the function is a null pointer"));
    require_room(plan, backward, {in, in_bytes}, {out, out_bytes});
    turned.axes = plan.output().axes();
  });
  if (bad != WEFT_OK) return bad;
  return (backward != 0 ? weft_plan_backward_with : weft_plan_forward_with)(of, in, out, turned_function::call,
                                                                            &turned);
}

int weft_f_explain(int axes, const int64_t* shape, int transform, int precision, const weft_options* options, int ranks,
                   char** text) {
  return with_turned(options, axes, [&](const weft_options* ours) {
    return weft_explain(axes, shape, transform, precision, ours, ranks, text);
  });
}

int weft_f_redistribution_create(const weft_distribution* from, const weft_distribution* to, size_t element_bytes,
                                 MPI_Fint on, const weft_options* options, weft_redistribution** made) {
  return with_turned(options, is_alive(from) ? from->value.axes() : 0, [&](const weft_options* ours) {
    return weft_redistribution_create(from, to, element_bytes, MPI_Comm_f2c(on), ours, made);
  });
}

int weft_f_redistribution_run(weft_redistribution* of, const void* in, int64_t in_bytes, void* out, int64_t out_bytes) {
  // In place, views of the two sides begin with the same memory, which reaches as far as the larger of them.
  if (in == out) in_bytes = out_bytes = std::max(in_bytes, out_bytes);
  return guarded([&] {
    existing(of, "the redistribution")
        .value(std::span(static_cast<const std::byte*>(in), static_cast<std::size_t>(in_bytes)),
               std::span(static_cast<std::byte*>(out), static_cast<std::size_t>(out_bytes)));
  });
}

int weft_f_distribution_bricks_of(int axes, const int64_t* shape, const int64_t* low, const int64_t* high, MPI_Fint on,
                                  weft_distribution** made) {
  return weft_distribution_bricks_of(axes, shape, low, high, MPI_Comm_f2c(on), made);
}

int weft_f_halo_create(const weft_distribution* how, const int64_t* before, const int64_t* after, int64_t batch,
                       int precision, int parts, MPI_Fint on, weft_halo** made) {
  return weft_halo_create(how, before, after, batch, precision, parts, MPI_Comm_f2c(on), made);
}

int weft_f_measure_machine(MPI_Fint on, const char* wisdom_file, char** text) {
  return weft_measure_machine(MPI_Comm_f2c(on), wisdom_file, text);
}

int weft_f_gather(const weft_array* x, MPI_Fint on, int root, void* all) {
  return weft_gather(x, MPI_Comm_f2c(on), root, all, whole_bytes(x));
}

int weft_f_scatter(const void* all, const weft_array* x, MPI_Fint on, int root) {
  return weft_scatter(all, whole_bytes(x), x, MPI_Comm_f2c(on), root);
}

int weft_f_sum(const weft_array* x, int precision, int parts, MPI_Fint on, double* sum) {
  return weft_sum(x, precision, parts, MPI_Comm_f2c(on), sum);
}

int weft_f_write(const char* file, const char* dataset, const weft_array* x, int precision, int parts, MPI_Fint on) {
  return weft_write(file, dataset, x, precision, parts, MPI_Comm_f2c(on));
}

int weft_f_read(const char* file, const char* dataset, const weft_array* x, int precision, int parts, MPI_Fint on) {
  return weft_read(file, dataset, x, precision, parts, MPI_Comm_f2c(on));
}

int weft_f_look_into(const char* file, const char* dataset, MPI_Fint on, weft_stored* found, char** distribution) {
  char* text = nullptr;
  const int code = weft_look_into(file, dataset, MPI_Comm_f2c(on), found, &text);
  if (code != WEFT_OK) return code;
  std::reverse(found->shape, found->shape + found->axes);
  const int given = guarded([&] { give(distribution, turned(text)); });
  weft_free(text);
  return given;
}

int weft_f_spectral_gradient(const weft_spectral* of, const weft_array* f, const weft_array* result) {
  if (!is_alive(of) || !is_alive(f) || !is_alive(result)) return weft_spectral_gradient(of, f, result);
  return with_turned(of, f, 1, result, components_of(result->batch, f->batch), 1, weft_spectral_gradient);
}

int weft_f_spectral_divergence(const weft_spectral* of, const weft_array* f, const weft_array* result) {
  if (!is_alive(of) || !is_alive(f) || !is_alive(result)) return weft_spectral_divergence(of, f, result);
  return with_turned(of, f, components_of(f->batch, result->batch), result, 1, 1, weft_spectral_divergence);
}

int weft_f_spectral_curl(const weft_spectral* of, const weft_array* f, const weft_array* result) {
  if (!is_alive(of) || !is_alive(f) || !is_alive(result)) return weft_spectral_curl(of, f, result);
  // Turning the axes round makes a right-handed system left-handed.
  const bool flat = f->batch == 2 * result->batch;
  const weft::integer f_size = flat ? 2 : 3, result_size = flat ? 1 : 3;
  const bool fits = f->batch % f_size == 0 && result->batch % result_size == 0;
  return with_turned(of, f, fits ? f_size : 1, result, fits ? result_size : 1, -1, weft_spectral_curl);
}

int weft_f_convolution_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                              const weft_options* options, weft_convolution** made) {
  return with_turned(options, axes, [&](const weft_options* ours) {
    return weft_convolution_create(axes, shape, transform, precision, MPI_Comm_f2c(on), ours, made);
  });
}

int weft_f_convolution_kernel_function(weft_convolution* of, int axes, weft_visit function, void* user) {
  turned_function turned{function, user, axes};
  return weft_convolution_kernel_function(of, function == nullptr ? nullptr : turned_function::call, &turned);
}

int weft_f_plane_waves_create(const int64_t* shape, const double* radii, int64_t bands, int precision, MPI_Fint on,
                              const weft_options* options, weft_plane_waves** made) {
  return weft_plane_waves_create(shape, radii, bands, precision, MPI_Comm_f2c(on), options, made);
}

int weft_f_distribution_parse(const char* text, int axes, const int64_t* shape, int ranks, weft_distribution** made) {
  std::string ours;
  const int bad = guarded([&] { ours = turned(&existing(text, "text")); });
  return bad != WEFT_OK ? bad : weft_distribution_parse(ours.c_str(), axes, shape, ranks, made);
}

int weft_f_distribution_text(const weft_distribution* of, char** text) {
  return guarded([&] { give(text, turned(existing(of, "the distribution").value.text())); });
}
