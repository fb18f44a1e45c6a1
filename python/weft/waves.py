# SPDX-License-Identifier: BSD-3-Clause
"""Sums of the plane waves inside an ellipsoid."""

from __future__ import annotations

from operator import index
from typing import Any, Optional, Sequence

import numpy as np
from mpi4py import MPI

from . import _core
from ._core import Report
from .arguments import options_of
from .array import Array
from .communicators import agreed, communicator, given_or_new, handle
from .errors import ArgumentError, BufferError
from .fields import _part

_kinds = {"F": _core.PlaneWavesC8, "D": _core.PlaneWavesC16}


class PlaneWaves:
    """The waves of a grid with three axes whose numbers k have a sum of (k/radius)**2 of at most 1, and fields that are
    sums of them. Only lines that have waves are transformed and sent. Calls are collective; ``options`` are those of
    ``weft.plan`` that say how to do it."""

    def __init__(
        self,
        shape: Sequence[int],
        radii: Sequence[float],
        comm: Optional[MPI.Comm] = None,
        dtype: Any = complex,
        *,
        bands: int = 1,
        **options: Any,
    ) -> None:
        self._comm = communicator(comm)

        def checked() -> tuple[list[int], list[float], _core.Options, int]:
            element = np.dtype(dtype)
            if element.char not in _kinds:
                raise ArgumentError(f"sums of plane waves are complex64 or complex128, not {element}")
            return [index(n) for n in shape], [float(r) for r in radii], options_of(**options), index(bands)

        n, r, how, self._bands = agreed(self._comm, checked)
        self._dtype = np.dtype(dtype)
        self._by = _kinds[self._dtype.char](n, r, handle(self._comm), how, self._bands)
        self._waves = self._by.waves
        self._shape = ((self._bands,) if self._bands > 1 else ()) + (len(self._waves),)

    @property
    def waves(self) -> np.ndarray:
        """The numbers of this rank's waves, a row for each."""
        return self._waves

    @property
    def columns(self) -> int:
        """Of all ranks: waves with the same numbers along the first two axes are one."""
        return self._by.columns

    @property
    def report(self) -> Report:
        """Of the plan that moves data."""
        return self._by.report

    def make_field(self) -> Array:
        """Zeros, in blocks of the last axis over the ranks; with several bands the first axis counts them."""
        where, layout, block = self._by.make_field()
        return Array(where, self._comm.rank, self._dtype, batch=self._bands, layout=layout, block=block)

    def make_coefficients(self) -> np.ndarray:
        """Zeros, one for each of this rank's waves, in the order of ``waves``; with several bands a row for each. Not
        collective."""
        return np.zeros(self._shape, self._dtype)

    def to_field(self, c: Any, out: Optional[Array] = None) -> Array:
        """out[x] = sum of c[k] exp(2 pi i (k0 x0 / n0 + k1 x1 / n1 + k2 x2 / n2))"""
        result = given_or_new(self._comm, out, self.make_field)
        given = np.asarray(c)

        def both() -> tuple[np.ndarray, _core.Part]:
            if given.shape != self._shape or not np.can_cast(given.dtype, self._dtype, "same_kind"):
                raise BufferError(self._complaint(given))
            return np.ascontiguousarray(given, self._dtype), self._field(result)

        right, field = agreed(self._comm, both)
        self._by.to_field(_address(right), right.size, field)
        return result

    def to_waves(self, field: Array, out: Optional[np.ndarray] = None) -> np.ndarray:
        """The other way: the coefficients of the field's waves. What else it has is lost."""
        result = self.make_coefficients() if out is None else out

        def checked() -> _core.Part:
            right = isinstance(result, np.ndarray) and result.shape == self._shape and result.dtype == self._dtype
            if not right or not result.flags.c_contiguous or not result.flags.writeable:
                raise BufferError(self._complaint(np.asarray(result)))
            return self._field(field)

        self._by.to_waves(agreed(self._comm, checked), _address(result), result.size)
        return result

    def _complaint(self, c: np.ndarray) -> str:
        return (
            f"coefficients of plane waves have the shape {c.shape} and elements of {c.dtype}; this rank's are a "
            f"contiguous array of {self._shape} and {self._dtype}; make it with make_coefficients()"
        )

    def _field(self, x: Any) -> _core.Part:
        if isinstance(x, Array) and x.dtype != self._dtype:
            raise BufferError(f"the field has elements of {x.dtype}, the plane waves need {self._dtype}")
        return _part(x)


def _address(c: np.ndarray) -> int:
    return int(c.__array_interface__["data"][0])
