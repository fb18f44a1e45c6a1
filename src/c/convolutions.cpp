// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

using namespace weft::c;

namespace {

template <class Use>
void with_convolution(const weft_convolution* of, const Use& use) {
  std::visit([&](const auto& shared) { use(*shared); }, existing(of, "the convolution").value);
}

/// Elements of the arrays that a convolution takes.
template <class Convolution>
using mode_value = typename Convolution::mode;
template <class Convolution>
using field_value = typename Convolution::field_value;

}  // namespace

int weft_convolution_create(int axes, const int64_t* shape, int transform, int precision, MPI_Comm on,
                            const weft_options* options, weft_convolution** made) {
  return guarded([&] {
    const weft::mpi::communicator ranks(on);
    weft::problem what;
    weft::mpi::agree(ranks, [&] {
      what = problem_from(axes, shape, transform, precision, options);
      (void)existing(made, "made");
      if (transform == WEFT_R2R) throw weft::argument_error("convolutions are of WEFT_C2C and WEFT_R2C");
    });
    const weft::options how = options_from(options);
    const auto make = [&]<class Plan>(std::type_identity<Plan>) {
      *made = new weft_convolution{std::make_shared<weft::convolution<Plan>>(what, on, how), ranks};
    };
    if (transform == WEFT_C2C) {
      return precision == WEFT_F32 ? make(std::type_identity<weft::c2c<float>>())
                                   : make(std::type_identity<weft::c2c<double>>());
    }
    return precision == WEFT_F32 ? make(std::type_identity<weft::r2c<float>>())
                                 : make(std::type_identity<weft::r2c<double>>());
  });
}

void weft_convolution_destroy(weft_convolution* of) { destroy(of); }

int weft_convolution_plan(const weft_convolution* of, weft_plan** made) {
  return guarded([&] {
    auto& target = existing(made, "made");
    std::visit(
        [&](const auto& shared) {
          // It lives as long as either handle.
          target = new weft_plan{std::shared_ptr<weft::plan>(shared, &shared->plan()), of->on};
        },
        existing(of, "the convolution").value);
  });
}

int weft_convolution_kernel_in_space(weft_convolution* of, const weft_array* kernel) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      with_arrays<field_value<Convolution>>(
          of->on, [&](const auto& values) { by.kernel_in_space(values); }, named_array("the kernel", kernel));
    });
  });
}

int weft_convolution_kernel_in_modes(weft_convolution* of, const weft_array* kernel) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      with_arrays<mode_value<Convolution>>(
          of->on, [&](const auto& modes) { by.kernel_in_modes(modes); }, named_array("the kernel", kernel));
    });
  });
}

int weft_convolution_kernel_function(weft_convolution* of, weft_visit function, void* user) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      weft::mpi::agree(of->on, [&] { (void)existing(function, "the function"); });
      by.kernel_in_modes([&](std::span<const weft::integer> index) {
        mode_value<Convolution> value{};
        function(index.data(), &value, 0, user);
        return value;
      });
    });
  });
}

int weft_convolution_convolve(weft_convolution* of, const weft_array* x, const weft_array* result) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      with_arrays<field_value<Convolution>>(
          of->on, [&](const auto& from, auto& to) { by.convolve(from, to); }, named_array("x", x),
          named_array("the result", result));
    });
  });
}

int weft_convolution_correlate(weft_convolution* of, const weft_array* x, const weft_array* result) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      with_arrays<field_value<Convolution>>(
          of->on, [&](const auto& from, auto& to) { by.correlate(from, to); }, named_array("x", x),
          named_array("the result", result));
    });
  });
}

int weft_convolution_product(weft_convolution* of, const weft_array* a, const weft_array* b, const weft_array* result) {
  return guarded([&] {
    with_convolution(of, [&]<class Convolution>(Convolution& by) {
      with_arrays<mode_value<Convolution>>(
          of->on, [&](const auto& one, const auto& other, auto& to) { by.product(one, other, to); },
          named_array("a", a), named_array("b", b), named_array("the result", result));
    });
  });
}
