// SPDX-License-Identifier: BSD-3-Clause
// Tags of backends, and the types of elements. All backends of processors mean Weft.
#ifndef WEFT_HEFFTE_BACKENDS_HPP
#define WEFT_HEFFTE_BACKENDS_HPP

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "engine.hpp"

namespace heffte {

namespace tag {

struct cpu {};
struct gpu {};

}  // namespace tag

namespace backend {

/// What a tag means to Weft; not defined for backends that are not there.
template <typename backend_tag>
struct meaning {};

template <kind_of_transform Kind>
struct on_weft {
  static constexpr kind_of_transform kind = Kind;
};

#define WEFT_HEFFTE_BACKEND(tag_name, text, kind) \
  struct tag_name {};                             \
  template <>                                     \
  struct meaning<tag_name> : on_weft<kind> {      \
    static const char* name() { return text; }    \
  };
WEFT_HEFFTE_BACKEND(fftw, "fftw", kind_of_transform::fourier)
WEFT_HEFFTE_BACKEND(stock, "stock", kind_of_transform::fourier)
WEFT_HEFFTE_BACKEND(mkl, "mkl", kind_of_transform::fourier)
WEFT_HEFFTE_BACKEND(fftw_cos, "fftw-cos-type-II", kind_of_transform::cosine)
WEFT_HEFFTE_BACKEND(fftw_sin, "fftw-sin-type-II", kind_of_transform::sine)
WEFT_HEFFTE_BACKEND(fftw_cos1, "fftw-cos-type-I", kind_of_transform::cosine1)
WEFT_HEFFTE_BACKEND(fftw_sin1, "fftw-sin-type-I", kind_of_transform::sine1)
#undef WEFT_HEFFTE_BACKEND

struct cufft {};
struct rocfft {};
struct onemkl {};

template <typename backend_tag, typename = void>
struct is_enabled : std::false_type {};
template <typename backend_tag>
struct is_enabled<backend_tag,
                  typename std::enable_if<(meaning<backend_tag>::kind == meaning<backend_tag>::kind)>::type>
    : std::true_type {};

template <typename backend_tag, void* = nullptr>
struct buffer_traits {
  using location = tag::cpu;
  template <typename T>
  using container = std::vector<T>;
};

template <typename backend_tag>
struct uses_gpu : std::false_type {};

template <typename backend_tag>
inline std::string name() {
  return meaning<backend_tag>::name();
}

template <typename location_tag>
struct default_backend {
  using type = fftw;
};

template <typename location_tag>
struct device_instance {
  using stream_type = void*;
  device_instance(void* = nullptr) {}  // NOLINT(google-explicit-constructor): as in heFFTe
  virtual ~device_instance() = default;
  void* stream() const { return nullptr; }
  void synchronize_device() const {}
};

/// Whether data are complex on one side at least.
template <typename backend_tag>
struct uses_fft_types : std::integral_constant<bool, meaning<backend_tag>::kind == kind_of_transform::fourier> {};

}  // namespace backend

// Users may add complex types of their own to these two.
template <typename scalar_type>
struct is_ccomplex : std::false_type {};
template <typename scalar_type>
struct is_zcomplex : std::false_type {};
template <>
struct is_ccomplex<std::complex<float>> : std::true_type {};
template <>
struct is_zcomplex<std::complex<double>> : std::true_type {};
template <>
struct is_ccomplex<float[2]> : std::true_type {};  // fftwf_complex
template <>
struct is_zcomplex<double[2]> : std::true_type {};  // fftw_complex

/// float, double, or the standard library's complex type that lies in memory as T does.
template <typename T, typename = void>
struct define_standard_type {};
template <>
struct define_standard_type<float, void> {
  using type = float;
};
template <>
struct define_standard_type<double, void> {
  using type = double;
};
template <typename T>
struct define_standard_type<T, typename std::enable_if<is_ccomplex<T>::value>::type> {
  using type = std::complex<float>;
};
template <typename T>
struct define_standard_type<T, typename std::enable_if<is_zcomplex<T>::value>::type> {
  using type = std::complex<double>;
};

template <typename T>
typename define_standard_type<T>::type* convert_to_standard(T input[]) {
  return reinterpret_cast<typename define_standard_type<T>::type*>(input);
}
template <typename T>
typename define_standard_type<T>::type const* convert_to_standard(T const input[]) {
  return reinterpret_cast<typename define_standard_type<T>::type const*>(input);
}

/// The complex type of a precision; itself if it is complex.
template <typename T>
struct fft_output {
  using type = T;
};
template <>
struct fft_output<float> {
  using type = std::complex<float>;
};
template <>
struct fft_output<double> {
  using type = std::complex<double>;
};

}  // namespace heffte

#endif
