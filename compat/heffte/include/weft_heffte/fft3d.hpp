// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's classes of plans.
#ifndef WEFT_HEFFTE_FFT3D_HPP
#define WEFT_HEFFTE_FFT3D_HPP

#include <cmath>
#include <complex>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "backends.hpp"
#include "engine.hpp"
#include "geometry.hpp"
#include "options.hpp"

namespace heffte {

namespace on_weft {

template <typename index>
box to_box(box3d<index> const& b) {
  box result;
  for (std::size_t a = 0; a < 3; ++a) {
    result.low[a] = b.low[a];
    result.high[a] = b.high[a];
    result.order[a] = b.order[a];
  }
  return result;
}

template <typename T>
struct is_single : std::integral_constant<bool, std::is_same<T, float>::value || is_ccomplex<T>::value> {};
template <typename T>
struct is_real : std::integral_constant<bool, std::is_same<T, float>::value || std::is_same<T, double>::value> {};

/// What all plans have in common. `spectral` is the type of the transformed side.
template <typename backend_tag, typename index>
class plan : public backend::device_instance<tag::cpu> {
  static_assert(backend::is_enabled<backend_tag>::value,
                "The requested backend is not there: Weft runs on processors.");

 public:
  using location_tag = tag::cpu;
  template <typename T>
  using buffer_container = std::vector<T>;

  long long size_inbox() const { return in_.count(); }
  long long size_outbox() const { return out_.count(); }
  box3d<index> inbox() const { return in_; }
  box3d<index> outbox() const { return out_; }
  /// Elements of the transformed side's type for each array: only real data of a transform of complex ones take room.
  std::size_t size_workspace() const { return static_cast<std::size_t>(in_.count()); }
  std::size_t size_comm_buffers() const { return 0; }
  double get_scale_factor(scale by) const {
    return by == scale::symmetric ? std::sqrt(engine_.scale_factor()) : engine_.scale_factor();
  }

 protected:
  plan(box3d<index> const& in, box3d<index> const& out, int real_axis, MPI_Comm comm)
      : in_(in), out_(out), engine_(to_box(in), to_box(out), real_axis, backend::meaning<backend_tag>::kind, comm) {}

  template <typename input_type, typename output_type>
  void run(direction way, long long arrays, input_type const* in, output_type* out, void* workspace, scale by) const {
    using space = typename std::conditional<is_real<input_type>::value, input_type, output_type>::type;
    static_assert(is_single<input_type>::value == is_single<output_type>::value,
                  "Using either an unknown complex type or an incompatible pair of types!");
    engine_.run(way, element_types{is_single<input_type>::value, is_real<space>::value}, arrays, in, out, workspace,
                by);
  }
  template <typename T>
  static void require(std::vector<T> const& have, long long needed, const char* what) {
    if (have.size() < static_cast<std::size_t>(needed)) {
      throw std::invalid_argument(std::string("The input vector is smaller than ") + what);
    }
  }

 private:
  box3d<index> in_, out_;
  engine engine_;
};

}  // namespace on_weft

/// Complex data on the transformed side; real or complex data on the other.
template <typename backend_tag, typename index = int>
class fft3d : public on_weft::plan<backend_tag, index> {
  using base = on_weft::plan<backend_tag, index>;
  template <typename space, typename spectral>
  struct check {
    static constexpr bool fourier = backend::uses_fft_types<backend_tag>::value;
    static constexpr bool value =
        fourier ? is_ccomplex<spectral>::value || is_zcomplex<spectral>::value : std::is_same<space, spectral>::value;
    static_assert(value, "Using either an unknown complex type or an incompatible pair of types!");
  };

 public:
  template <typename T>
  using buffer_container = std::vector<T>;
  template <typename T>
  using spectral_type =
      typename std::conditional<backend::uses_fft_types<backend_tag>::value, typename fft_output<T>::type, T>::type;
  template <typename T>
  using output_buffer_container = std::vector<spectral_type<T>>;
  template <typename T>
  struct real_of {
    using type = T;
  };
  template <typename T>
  struct real_of<std::complex<T>> {
    using type = T;
  };
  template <typename T>
  using real_buffer_container = std::vector<typename real_of<typename define_standard_type<T>::type>::type>;

  fft3d(box3d<index> const inbox, box3d<index> const outbox, MPI_Comm const comm,
        plan_options const /*options*/ = default_options<backend_tag>())
      : base(inbox, outbox, -1, comm) {}
  fft3d(void* /*stream*/, box3d<index> const inbox, box3d<index> const outbox, MPI_Comm const comm,
        plan_options const options = default_options<backend_tag>())
      : fft3d(inbox, outbox, comm, options) {}

  template <typename input_type, typename output_type>
  void forward(input_type const input[], output_type output[], scale by = scale::none) const {
    forward(1, input, output, static_cast<output_type*>(nullptr), by);
  }
  template <typename input_type, typename output_type>
  void forward(input_type const input[], output_type output[], output_type workspace[], scale by = scale::none) const {
    forward(1, input, output, workspace, by);
  }
  template <typename input_type, typename output_type>
  void forward(int const arrays, input_type const input[], output_type output[], scale by = scale::none) const {
    forward(arrays, input, output, static_cast<output_type*>(nullptr), by);
  }
  template <typename input_type, typename output_type>
  void forward(int const arrays, input_type const input[], output_type output[], output_type workspace[],
               scale by = scale::none) const {
    (void)check<input_type, output_type>::value;
    this->run(direction::forward, arrays, input, output, workspace, by);
  }
  template <typename input_type>
  output_buffer_container<input_type> forward(std::vector<input_type> const& input, scale by = scale::none) const {
    base::require(input, this->size_inbox(), "size_inbox().");
    output_buffer_container<input_type> output(static_cast<std::size_t>(this->size_outbox()));
    forward(input.data(), output.data(), by);
    return output;
  }

  template <typename input_type, typename output_type>
  void backward(input_type const input[], output_type output[], scale by = scale::none) const {
    backward(1, input, output, static_cast<input_type*>(nullptr), by);
  }
  template <typename input_type, typename output_type>
  void backward(input_type const input[], output_type output[], input_type workspace[], scale by = scale::none) const {
    backward(1, input, output, workspace, by);
  }
  template <typename input_type, typename output_type>
  void backward(int const arrays, input_type const input[], output_type output[], scale by = scale::none) const {
    backward(arrays, input, output, static_cast<input_type*>(nullptr), by);
  }
  template <typename input_type, typename output_type>
  void backward(int const arrays, input_type const input[], output_type output[], input_type workspace[],
                scale by = scale::none) const {
    (void)check<output_type, input_type>::value;
    this->run(direction::backward, arrays, input, output, workspace, by);
  }
  template <typename scalar_type>
  std::vector<scalar_type> backward(std::vector<scalar_type> const& input, scale by = scale::none) const {
    base::require(input, this->size_outbox(), "size_outbox().");
    std::vector<scalar_type> result(static_cast<std::size_t>(this->size_inbox()));
    backward(input.data(), result.data(), by);
    return result;
  }
  template <typename scalar_type>
  real_buffer_container<scalar_type> backward_real(std::vector<scalar_type> const& input,
                                                   scale by = scale::none) const {
    base::require(input, this->size_outbox(), "size_outbox().");
    real_buffer_container<scalar_type> result(static_cast<std::size_t>(this->size_inbox()));
    backward(input.data(), result.data(), by);
    return result;
  }
};

/// Real data, and half of their modes along one axis.
template <typename backend_tag, typename index = int>
class fft3d_r2c : public on_weft::plan<backend_tag, index> {
  using base = on_weft::plan<backend_tag, index>;
  template <typename real, typename complex>
  struct check {
    static constexpr bool value = (std::is_same<real, float>::value && is_ccomplex<complex>::value) ||
                                  (std::is_same<real, double>::value && is_zcomplex<complex>::value);
    static_assert(value, "Using either an unknown complex type or an incompatible pair of types!");
  };

 public:
  template <typename T>
  using buffer_container = std::vector<T>;
  template <typename T>
  using real_buffer_container = std::vector<typename define_standard_type<T>::type::value_type>;
  template <typename T>
  using output_buffer_container = std::vector<typename fft_output<T>::type>;

  fft3d_r2c(box3d<index> const inbox, box3d<index> const outbox, int r2c_direction, MPI_Comm const comm,
            plan_options const /*options*/ = default_options<backend_tag>())
      : base(inbox, outbox, r2c_direction, comm) {}
  fft3d_r2c(void* /*stream*/, box3d<index> const inbox, box3d<index> const outbox, int r2c_direction,
            MPI_Comm const comm, plan_options const options = default_options<backend_tag>())
      : fft3d_r2c(inbox, outbox, r2c_direction, comm, options) {}

  template <typename input_type, typename output_type>
  void forward(input_type const input[], output_type output[], scale by = scale::none) const {
    forward(1, input, output, by);
  }
  template <typename input_type, typename output_type>
  void forward(input_type const input[], output_type output[], output_type /*workspace*/[],
               scale by = scale::none) const {
    forward(1, input, output, by);
  }
  template <typename input_type, typename output_type>
  void forward(int const arrays, input_type const input[], output_type output[], output_type /*workspace*/[],
               scale by = scale::none) const {
    forward(arrays, input, output, by);
  }
  template <typename input_type, typename output_type>
  void forward(int const arrays, input_type const input[], output_type output[], scale by = scale::none) const {
    (void)check<input_type, output_type>::value;
    this->run(direction::forward, arrays, input, output, nullptr, by);
  }
  template <typename input_type>
  output_buffer_container<input_type> forward(std::vector<input_type> const& input, scale by = scale::none) const {
    base::require(input, this->size_inbox(), "size_inbox().");
    output_buffer_container<input_type> output(static_cast<std::size_t>(this->size_outbox()));
    forward(input.data(), output.data(), by);
    return output;
  }

  template <typename input_type, typename output_type>
  void backward(input_type const input[], output_type output[], scale by = scale::none) const {
    backward(1, input, output, by);
  }
  template <typename input_type, typename output_type>
  void backward(input_type const input[], output_type output[], input_type /*workspace*/[],
                scale by = scale::none) const {
    backward(1, input, output, by);
  }
  template <typename input_type, typename output_type>
  void backward(int const arrays, input_type const input[], output_type output[], input_type /*workspace*/[],
                scale by = scale::none) const {
    backward(arrays, input, output, by);
  }
  template <typename input_type, typename output_type>
  void backward(int const arrays, input_type const input[], output_type output[], scale by = scale::none) const {
    (void)check<output_type, input_type>::value;
    this->run(direction::backward, arrays, input, output, nullptr, by);
  }
  template <typename scalar_type>
  real_buffer_container<scalar_type> backward(std::vector<scalar_type> const& input, scale by = scale::none) const {
    base::require(input, this->size_outbox(), "size_outbox().");
    real_buffer_container<scalar_type> result(static_cast<std::size_t>(this->size_inbox()));
    backward(input.data(), result.data(), by);
    return result;
  }
};

// Two axes are three, the last of one index.
template <typename backend_tag, typename index = int>
using fft2d = fft3d<backend_tag, index>;
template <typename backend_tag, typename index = int>
using fft2d_r2c = fft3d_r2c<backend_tag, index>;
template <typename backend_tag, typename index = int>
using rtransform = fft3d<backend_tag, index>;

template <typename backend_tag, typename index>
fft3d<backend_tag, index> make_fft3d(box3d<index> const inbox, box3d<index> const outbox, MPI_Comm const comm,
                                     plan_options const options = default_options<backend_tag>()) {
  return fft3d<backend_tag, index>(inbox, outbox, comm, options);
}
template <typename backend_tag, typename index>
fft3d_r2c<backend_tag, index> make_fft3d_r2c(box3d<index> const inbox, box3d<index> const outbox, int r2c_direction,
                                             MPI_Comm const comm,
                                             plan_options const options = default_options<backend_tag>()) {
  return fft3d_r2c<backend_tag, index>(inbox, outbox, r2c_direction, comm, options);
}

}  // namespace heffte

#endif
