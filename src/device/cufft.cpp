// SPDX-License-Identifier: BSD-3-Clause
#include "device/cufft.hpp"

#include <cufft.h>

#include "device/device.hpp"
#include "device/library.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

#define WEFT_STRING(text) #text
#define WEFT_EXPANDED(text) WEFT_STRING(text)
/// As the header's version calls it; without a number it is a link that only developers have.
constexpr const char* numbered_name = "libcufft.so." WEFT_EXPANDED(CUFFT_VER_MAJOR);

struct calls {
  loaded_library from{numbered_name, "libcufft.so", WEFT_CUFFT_LIBRARY};
  decltype(::cufftGetVersion)* version = nullptr;
  decltype(::cufftCreate)* create = nullptr;
  decltype(::cufftSetAutoAllocation)* allocates_itself = nullptr;
  decltype(::cufftMakePlanMany64)* plan = nullptr;
  decltype(::cufftSetStream)* set_stream = nullptr;
  decltype(::cufftSetWorkArea)* set_work = nullptr;
  decltype(::cufftExecC2C)* c2c = nullptr;
  decltype(::cufftExecZ2Z)* z2z = nullptr;
  decltype(::cufftExecR2C)* r2c = nullptr;
  decltype(::cufftExecD2Z)* d2z = nullptr;
  decltype(::cufftExecC2R)* c2r = nullptr;
  decltype(::cufftExecZ2D)* z2d = nullptr;
  decltype(::cufftDestroy)* destroy = nullptr;

  calls() {
    from.find(version, "cufftGetVersion");
    from.find(create, "cufftCreate");
    from.find(allocates_itself, "cufftSetAutoAllocation");
    from.find(plan, "cufftMakePlanMany64");
    from.find(set_stream, "cufftSetStream");
    from.find(set_work, "cufftSetWorkArea");
    from.find(c2c, "cufftExecC2C");
    from.find(z2z, "cufftExecZ2Z");
    from.find(r2c, "cufftExecR2C");
    from.find(d2z, "cufftExecD2Z");
    from.find(c2r, "cufftExecC2R");
    from.find(z2d, "cufftExecZ2D");
    from.find(destroy, "cufftDestroy");
  }
};

const calls& cufft() {
  static const calls all;
  return all;
}

void check(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return;
  if (result == CUFFT_ALLOC_FAILED) throw buffer_error(std::string("no room for cuFFT: ") + call + " failed");
  throw device_error(std::string("cuFFT: ") + call + " failed with code " + std::to_string(static_cast<int>(result)));
}

cufftType type_of(const cufft_transform::terms& of) {
  switch (of.what) {
    case cufft_transform::kind::real_to_complex: return of.f64 ? CUFFT_D2Z : CUFFT_R2C;
    case cufft_transform::kind::complex_to_real: return of.f64 ? CUFFT_Z2D : CUFFT_C2R;
    case cufft_transform::kind::complex_to_complex: break;
  }
  return of.f64 ? CUFFT_Z2Z : CUFFT_C2C;
}

}  // namespace

std::string cufft_name(std::string& why_not) {
  why_not = cufft().from.why_not();
  if (!why_not.empty()) return {};
  int version = 0;
  check(cufft().version(&version), "cufftGetVersion");
  return "cuFFT " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
         std::to_string(version % 100);
}

cufft_transform::cufft_transform(const device& on, const terms& of) : on_(on), of_(of) {
  if (!cufft().from.why_not().empty()) throw device_error("there is no cuFFT: " + cufft().from.why_not());
  std::vector<long long> n(of.shape.begin(), of.shape.end()), in = n, out = n;
  if (of.what == kind::real_to_complex) out.back() = n.back() / 2 + 1;
  if (of.what == kind::complex_to_real) in.back() = n.back() / 2 + 1;
  on_.synchronize();  // makes its device this thread's
  check(cufft().create(&handle_), "cufftCreate");
  try {
    check(cufft().allocates_itself(handle_, 0), "cufftSetAutoAllocation");
    check(cufft().plan(handle_, static_cast<int>(n.size()), n.data(), in.data(), of.in.stride, of.in.distance,
                       out.data(), of.out.stride, of.out.distance, type_of(of), of.batch, &work_bytes_),
          "cufftMakePlanMany64");
  } catch (...) {
    (void)cufft().destroy(handle_);
    throw;
  }
}

cufft_transform::~cufft_transform() { (void)cufft().destroy(handle_); }

void cufft_transform::run(void* in, void* out, void* work, bool backward) const {
  const auto& by = cufft();
  check(by.set_stream(handle_, static_cast<cudaStream_t>(on_.native_stream())), "cufftSetStream");
  check(by.set_work(handle_, work), "cufftSetWorkArea");
  const int way = backward ? CUFFT_INVERSE : CUFFT_FORWARD;
  const auto at = []<class T>(void* p, T* /*type*/) { return static_cast<T*>(p); };
  constexpr cufftDoubleComplex* z = nullptr;
  constexpr cufftComplex* c = nullptr;
  constexpr cufftDoubleReal* d = nullptr;
  constexpr cufftReal* r = nullptr;
  cufftResult result = CUFFT_SUCCESS;
  switch (type_of(of_)) {
    case CUFFT_Z2Z: result = by.z2z(handle_, at(in, z), at(out, z), way); break;
    case CUFFT_C2C: result = by.c2c(handle_, at(in, c), at(out, c), way); break;
    case CUFFT_D2Z: result = by.d2z(handle_, at(in, d), at(out, z)); break;
    case CUFFT_R2C: result = by.r2c(handle_, at(in, r), at(out, c)); break;
    case CUFFT_Z2D: result = by.z2d(handle_, at(in, z), at(out, d)); break;
    default: result = by.c2r(handle_, at(in, c), at(out, r)); break;
  }
  check(result, "cufftExec");
}

}  // namespace weft::device
