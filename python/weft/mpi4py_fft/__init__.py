# SPDX-License-Identifier: BSD-3-Clause
"""The interface of the package mpi4py-fft, on Weft: programs that use it run after ``mpi4py_fft`` in their imports
becomes ``weft.mpi4py_fft``. docs/python.md says what is the same, and what is not."""

from . import fftw
from .distarray import DistArray, Function, newDistArray
from .fftw import fftlib
from .io import HDF5File, NCFile, generate_xdmf
from .mpifft import PFFT

__all__ = ["DistArray", "Function", "HDF5File", "NCFile", "PFFT", "fftlib", "fftw", "generate_xdmf", "newDistArray"]
