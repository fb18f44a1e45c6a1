# SPDX-License-Identifier: BSD-3-Clause
"""Functions that plan a transform of an array over some axes and return what does it: nothing is transformed yet. All
take ``s`` (extents along the axes, where the input does not tell), ``axes``, ``threads``, ``flags``, ``output_array``."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from .factory import FFT, get_planned_FFT
from .utilities import (
    C2C_BACKWARD,
    C2C_FORWARD,
    C2R,
    FFTW_MEASURE,
    FFTW_PRESERVE_INPUT,
    FFTW_REDFT00,
    FFTW_REDFT01,
    FFTW_REDFT10,
    FFTW_REDFT11,
    FFTW_RODFT00,
    FFTW_RODFT01,
    FFTW_RODFT10,
    FFTW_RODFT11,
    R2C,
    aligned,
    get_alignment,
)

__all__ = [
    "dct_type",
    "dctn",
    "dst_type",
    "dstn",
    "fftn",
    "get_normalization",
    "hfftn",
    "idct_type",
    "idctn",
    "idst_type",
    "idstn",
    "ifftn",
    "ihfftn",
    "inverse",
    "irfftn",
    "rfftn",
]

dct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT10, 3: FFTW_REDFT01, 4: FFTW_REDFT11}
idct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT01, 3: FFTW_REDFT10, 4: FFTW_REDFT11}
dst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT10, 3: FFTW_RODFT01, 4: FFTW_RODFT11}
idst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT01, 3: FFTW_RODFT10, 4: FFTW_RODFT11}

_Flags = Union[int, Sequence[int]]
_Array = Optional[np.ndarray]


def _planned(
    x: np.ndarray,
    output_array: _Array,
    shape: Sequence[int],
    dtype: str,
    axes: Sequence[int],
    kind: int,
    threads: int,
    flags: _Flags,
) -> FFT:
    if output_array is None:
        output_array = aligned(shape, get_alignment(x), dtype)
    assert output_array.shape == tuple(shape) and output_array.dtype.char == dtype
    larger = output_array.shape if kind == C2R else x.shape
    return get_planned_FFT(x, output_array, axes, kind, threads, flags, get_normalization(kind, larger, axes))


def _complex(kind: int) -> Callable[..., FFT]:
    def plan(
        input_array: np.ndarray,
        s: Optional[Sequence[int]] = None,
        axes: Sequence[int] = (-1,),
        threads: int = 1,
        flags: _Flags = (FFTW_MEASURE,),
        output_array: _Array = None,
    ) -> FFT:
        assert input_array.dtype.char in "FD"
        dtype = input_array.dtype.char
        return _planned(input_array, output_array, input_array.shape, dtype, axes, kind, threads, flags)

    return plan


def _real_to_complex() -> Callable[..., FFT]:
    def plan(
        input_array: np.ndarray,
        s: Optional[Sequence[int]] = None,
        axes: Sequence[int] = (-1,),
        threads: int = 1,
        flags: _Flags = (FFTW_MEASURE,),
        output_array: _Array = None,
    ) -> FFT:
        assert input_array.dtype.char in "fd"
        shape = list(input_array.shape)
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
        dtype = input_array.dtype.char.upper()
        return _planned(input_array, output_array, shape, dtype, axes, R2C, threads, flags)

    return plan


def _complex_to_real() -> Callable[..., FFT]:
    def plan(
        input_array: np.ndarray,
        s: Optional[Sequence[int]] = None,
        axes: Sequence[int] = (-1,),
        threads: int = 1,
        flags: _Flags = (FFTW_MEASURE,),
        output_array: _Array = None,
    ) -> FFT:
        assert input_array.dtype.char in "FD"
        assert FFTW_PRESERVE_INPUT not in np.atleast_1d(flags)
        shape = list(input_array.shape)
        if s is None:
            shape[axes[-1]] = 2 * shape[axes[-1]] - 2
        else:
            assert len(s) == len(axes)
            for extent, axis in zip(s, axes):
                shape[axis] = int(extent)
        assert shape[axes[-1]] // 2 + 1 == input_array.shape[axes[-1]]
        dtype = input_array.dtype.char.lower()
        return _planned(input_array, output_array, shape, dtype, axes, C2R, threads, flags)

    return plan


def _real(kinds: dict[int, int]) -> Callable[..., FFT]:
    def plan(
        input_array: np.ndarray,
        s: Optional[Sequence[int]] = None,
        axes: Sequence[int] = (-1,),
        type: int = 2,
        threads: int = 1,
        flags: _Flags = (FFTW_MEASURE,),
        output_array: _Array = None,
    ) -> FFT:
        assert input_array.dtype.char in "fd"
        dtype = input_array.dtype.char
        return _planned(input_array, output_array, input_array.shape, dtype, axes, kinds[type], threads, flags)

    return plan


def _named(plan: Callable[..., FFT], name: str, doc: str) -> Callable[..., FFT]:
    plan.__name__ = plan.__qualname__ = name
    plan.__doc__ = doc
    return plan


fftn = _named(_complex(C2C_FORWARD), "fftn", "Complex to complex, forward.")
ifftn = _named(_complex(C2C_BACKWARD), "ifftn", "Complex to complex, backward; not normalized unless its call says so.")
rfftn = _named(_real_to_complex(), "rfftn", "Real to complex; the last of ``axes`` is halved.")
irfftn = _named(_complex_to_real(), "irfftn", "Complex to real. Unless ``s`` tells, the halved axis was even.")
hfftn = _named(_complex_to_real(), "hfftn", "The same as irfftn.")
ihfftn = _named(_real_to_complex(), "ihfftn", "The same as rfftn.")
dctn = _named(_real(dct_type), "dctn", "Cosine transforms of a type from 1 to 4.")
idctn = _named(_real(idct_type), "idctn", "What undoes the cosine transforms of a type.")
dstn = _named(_real(dst_type), "dstn", "Sine transforms of a type from 1 to 4.")
idstn = _named(_real(idst_type), "idstn", "What undoes the sine transforms of a type.")


def get_normalization(kind: Union[int, Sequence[int]], shape: Sequence[int], axes: Sequence[int]) -> float:
    """One over what a transform and its inverse multiply by; ``shape`` is the real side's."""
    kinds = np.broadcast_to(np.atleast_1d(kind), (len(axes),))
    factor = 1
    for k, axis in zip(kinds, axes):
        n = int(shape[axis])
        if k == FFTW_REDFT00:
            factor *= 2 * (n - 1)
        elif k == FFTW_RODFT00:
            factor *= 2 * (n + 1)
        elif FFTW_REDFT00 < k <= FFTW_RODFT11:
            factor *= 2 * n
        else:
            factor *= n
    return 1.0 / factor


inverse: dict[Any, Any] = {
    FFTW_RODFT11: FFTW_RODFT11,
    FFTW_REDFT11: FFTW_REDFT11,
    FFTW_RODFT01: FFTW_RODFT10,
    FFTW_RODFT10: FFTW_RODFT01,
    FFTW_REDFT01: FFTW_REDFT10,
    FFTW_REDFT10: FFTW_REDFT01,
    FFTW_RODFT00: FFTW_RODFT00,
    FFTW_REDFT00: FFTW_REDFT00,
    rfftn: irfftn,
    irfftn: rfftn,
    fftn: ifftn,
    ifftn: fftn,
    dctn: idctn,
    idctn: dctn,
    dstn: idstn,
    idstn: dstn,
    hfftn: ihfftn,
    ihfftn: hfftn,
}
