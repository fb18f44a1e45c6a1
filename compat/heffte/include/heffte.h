/* SPDX-License-Identifier: BSD-3-Clause */
// heFFTe's interface (2.4), run by Weft: sources written for heFFTe compile unchanged with this header and the library
// weft_heffte. C++11 is enough. It lies in a folder of its own, so that nobody finds it who does not ask for it.
#ifndef HEFFTE_H
#define HEFFTE_H

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// What sources ask for by #ifdef. All backends of processors are Weft; those of accelerators are not there.
#define Heffte_VERSION_MAJOR 2
#define Heffte_VERSION_MINOR 4
#define Heffte_VERSION_PATCH 1
#define Heffte_ENABLE_FFTW
#define Heffte_IS_WEFT

#include "weft_heffte/backends.hpp"
#include "weft_heffte/engine.hpp"
#include "weft_heffte/fft3d.hpp"
#include "weft_heffte/geometry.hpp"
#include "weft_heffte/mpi.hpp"
#include "weft_heffte/options.hpp"

#endif
