# SPDX-License-Identifier: BSD-3-Clause
"""Moves arrays of any element type from one distribution to another."""

from __future__ import annotations

from operator import index
from typing import Any, Optional, Sequence, TypeVar, Union, overload

import numpy as np
from mpi4py import MPI

from . import _core
from ._core import Distribution
from .array import Array, as_ndarray
from .communicators import agreed, communicator, handle
from .errors import ArgumentError, BufferError

_Out = TypeVar("_Out")


class Redistribution:
    """Made once, collectively; run any number of times. With a ``batch`` of more than one, so many arrays are moved together,
    which the first axis counts."""

    def __init__(
        self,
        source: Distribution,
        target: Distribution,
        dtype: Any = complex,
        comm: Optional[MPI.Comm] = None,
        *,
        exchange: str = "auto",
        destroy_input: bool = False,
        batch: int = 1,
    ) -> None:
        self._comm = communicator(comm)

        def checked() -> tuple[np.dtype, int]:
            for side in (source, target):
                if not isinstance(side, Distribution):
                    raise ArgumentError(f"{side!r} is no Distribution")
            element = np.dtype(dtype)
            if element.hasobject:
                raise ArgumentError(f"elements of {element} are objects of one process, and cannot be moved to another")
            return element, index(batch)

        self._dtype, batch = agreed(self._comm, checked)
        self._source, self._target = source, target
        self._move = _core.Redistribution(
            source, target, self._dtype.itemsize, handle(self._comm), exchange, destroy_input, batch
        )
        self._batch = batch
        lead = (batch,) if batch > 1 else ()
        self._shapes = [lead + side.local_shape(self._comm.rank) for side in (source, target)]

    @property
    def source(self) -> Distribution:
        return self._source

    @property
    def target(self) -> Distribution:
        return self._target

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    @property
    def messages(self) -> int:
        """Sent to other ranks by this one, each time."""
        return self._move.messages

    @property
    def bytes(self) -> int:
        """Sent to other ranks by this one, each time."""
        return self._move.bytes

    @property
    def workspace_bytes(self) -> int:
        return self._move.workspace_bytes

    def make_source(self) -> Array:
        """Zeros, in the distribution to move from."""
        return Array(self._source, self._comm.rank, self._dtype, batch=self._batch)

    def make_target(self) -> Array:
        """Zeros, in the distribution to move to."""
        return Array(self._target, self._comm.rank, self._dtype, batch=self._batch)

    @overload
    def __call__(self, x: Any, out: None = None) -> Array: ...  # type: ignore[misc]  # None is a type for _Out, too
    @overload
    def __call__(self, x: Any, out: _Out) -> _Out: ...
    def __call__(self, x: Any, out: Any = None) -> Any:
        """Moves ``x`` into ``out``, a new array unless given, and returns it. Collective."""
        try:
            given = np.ascontiguousarray(as_ndarray(x))
            if out is None:
                out = self.make_target()
            result = as_ndarray(out)
            for side, array, shape in zip(("input", "output"), (given, result), self._shapes):
                if array.shape != shape or array.dtype != self._dtype:
                    raise BufferError(
                        f"the {side} array has the local shape {array.shape} and elements of {array.dtype}; "
                        f"{shape} and {self._dtype} are needed"
                    )
            if not result.flags.c_contiguous or not result.flags.writeable:
                raise BufferError("the output array must be contiguous and writable")
        except Exception as error:
            self._move.refuse(getattr(error, "code", ArgumentError.code), f"rank {self._comm.rank}: {error}")
            raise
        addresses = [int(a.__array_interface__["data"][0]) for a in (given, result)]
        self._move.run(addresses[0], given.nbytes, addresses[1], result.nbytes)
        return out


def redistribute(
    x: Array,
    to: Union[str, Distribution],
    comm: Optional[MPI.Comm] = None,
    *,
    grid: Optional[Sequence[int]] = None,
) -> Array:
    """The same global array in another distribution, once. Collective; to do it often, make a Redistribution."""
    on = communicator(comm)

    def both() -> tuple[Distribution, Distribution]:
        if not isinstance(x, Array):
            raise ArgumentError(f"an array of {type(x).__name__} does not know its global indices; pass a weft.Array")
        source = x._known()
        if isinstance(to, Distribution):
            return source, to
        points = list(grid) if grid is not None else list(source.grid) or [on.size]
        return source, Distribution.parse(to, source.shape, points)

    source, target = agreed(on, both)
    return Redistribution(source, target, x.dtype, on, batch=x.batch)(x)
