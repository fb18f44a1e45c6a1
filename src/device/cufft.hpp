// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's library of transforms. It is looked for when it is first asked for: programs run where it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::device {

class device;

/// Its name and version, or empty with the reason why there is none.
[[nodiscard]] std::string cufft_name(std::string& why_not);

/// A batch of transforms of one shape. Throws device_error where cuFFT fails or is not there.
class cufft_transform {
 public:
  enum class kind : char { complex_to_complex, real_to_complex, complex_to_real };
  /// How the arrays of a side lie: elements from one to its neighbour along the last axis, and from array to array;
  /// the others are compact.
  struct side {
    std::int64_t stride = 1, distance = 0;
  };
  struct terms {
    std::vector<std::int64_t> shape;  ///< of the real side of a real transform
    kind what = kind::complex_to_complex;
    bool f64 = true;
    side in, out;
    std::int64_t batch = 1;
  };

  cufft_transform(const device& on, const terms& of);
  cufft_transform(const cufft_transform&) = delete;
  cufft_transform& operator=(const cufft_transform&) = delete;
  ~cufft_transform();

  /// Bytes of the device's memory that a run needs besides its arrays.
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }
  /// In the order of the device's stream; `backward` is for complex ones.
  void run(void* in, void* out, void* work, bool backward) const;

 private:
  const device& on_;
  terms of_;
  int handle_ = 0;
  std::size_t work_bytes_ = 0;
};

}  // namespace weft::device
