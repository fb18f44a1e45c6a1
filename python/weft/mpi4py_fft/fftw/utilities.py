# SPDX-License-Identifier: BSD-3-Clause
"""Names of kinds and flags, with FFTW's numbers, and arrays whose first byte is aligned."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

FFTW_FORWARD = -1
FFTW_R2HC = 0
FFTW_BACKWARD = 1
FFTW_HC2R = 1
FFTW_DHT = 2
FFTW_REDFT00 = 3
FFTW_REDFT01 = 4
FFTW_REDFT10 = 5
FFTW_REDFT11 = 6
FFTW_RODFT00 = 7
FFTW_RODFT01 = 8
FFTW_RODFT10 = 9
FFTW_RODFT11 = 10

C2C_FORWARD = -1
C2C_BACKWARD = 1
R2C = -2
C2R = 2

FFTW_MEASURE = 0
FFTW_DESTROY_INPUT = 1
FFTW_UNALIGNED = 2
FFTW_CONSERVE_MEMORY = 4
FFTW_EXHAUSTIVE = 8
FFTW_PRESERVE_INPUT = 16
FFTW_PATIENT = 32
FFTW_ESTIMATE = 64
FFTW_WISDOM_ONLY = 2097152

flag_dict = {name: value for name, value in list(globals().items()) if name.startswith("FFTW_")}

__all__ = [name for name in list(globals()) if name.startswith("FFTW_")]
__all__ += ["C2C_FORWARD", "C2C_BACKWARD", "R2C", "C2R", "get_alignment", "aligned", "aligned_like"]


def get_alignment(array: np.ndarray) -> int:
    """The largest power of two, up to 32, that divides its address."""
    address = int(array.__array_interface__["data"][0])
    return next(n for n in (32, 16, 8, 4, 2, 1) if address % n == 0)


def aligned(
    shape: Union[int, Sequence[int]], n: int = 32, dtype: Any = np.dtype("d"), fill: Optional[int] = None
) -> np.ndarray:
    """An array whose address n divides; zeros or ones if ``fill`` says so, else anything."""
    dtype = np.dtype(dtype)
    needed = int(np.prod(shape)) * dtype.itemsize
    block = np.empty(needed + n, np.uint8)
    first = -int(block.__array_interface__["data"][0]) % n
    array: np.ndarray = block[first : first + needed].view(dtype).reshape(shape)
    if fill is not None:
        array[...] = fill
    return array


def aligned_like(z: np.ndarray, fill: Optional[int] = None) -> np.ndarray:
    """The same with shape, type and alignment of another array."""
    return aligned(z.shape, n=get_alignment(z), dtype=z.dtype, fill=fill)
