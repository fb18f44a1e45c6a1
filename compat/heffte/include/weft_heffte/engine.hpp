// SPDX-License-Identifier: BSD-3-Clause
// What heFFTe's classes call: Weft's plans behind a border that knows neither templates nor C++20.
#ifndef WEFT_HEFFTE_ENGINE_HPP
#define WEFT_HEFFTE_ENGINE_HPP

#include <mpi.h>

#include <memory>

#if defined(__GNUC__)
#define WEFT_HEFFTE_API __attribute__((visibility("default")))
#else
#define WEFT_HEFFTE_API
#endif

namespace heffte {

/// Which factor the result is multiplied with: 1, 1/N or 1/sqrt(N), where backward after forward has N.
enum class scale { none, full, symmetric };

enum class direction { forward, backward };

/// FFTW's REDFT10 and RODFT10, backward REDFT01 and RODFT01; REDFT00 and RODFT00 both ways.
enum class kind_of_transform { fourier, cosine, sine, cosine1, sine1 };

namespace on_weft {

struct box {
  long long low[3], high[3];
  int order[3];  ///< fastest first
};

/// What the arrays hold; an input of `real` is forward's, an output of `real` is backward's.
struct element_types {
  bool single, real;
};

/// One of heFFTe's plans: any precision, any number of arrays, in place or not. Weft's plans are made when first
/// needed.
class WEFT_HEFFTE_API engine {
 public:
  /// Collective. real_axis: the one that is halved, -1 if none is.
  engine(box const& in, box const& out, int real_axis, kind_of_transform kind, MPI_Comm comm);
  engine(engine&&) noexcept;
  engine& operator=(engine&&) noexcept;
  ~engine();

  /// Collective. Without a real axis, real data are complex ones without imaginary parts; `workspace` has room for them
  /// or is null.
  void run(direction way, element_types of, long long arrays, void const* in, void* out, void* workspace,
           scale by) const;
  /// For `full`.
  double scale_factor() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace on_weft

}  // namespace heffte

#endif
