# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy that know which part of a global array they are."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._core import Distribution
from .errors import ArgumentError, BufferError, DistributionError


def _require_alike(arrays: Sequence[Array]) -> None:
    """Elements of one position are elements of one index, or the result would be nonsense of the right shape."""
    for a in arrays[1:]:
        here, there = arrays[0].distribution, a.distribution
        assert here is not None and there is not None
        if here == there or here.shape != there.shape or here.same_ownership(there, max(here.ranks, there.ranks)):
            continue
        raise DistributionError(
            f"arrays distributed as {here.text} and {there.text} have other elements in the same places; make plans with "
            "like=..., or redistribute one of them"
        )


class Array(np.ndarray):
    """A rank's part of a global array: a NumPy array, with the global indices of its elements attached.

    Copies and results of arithmetic with the same shape keep what they know. Views of some of the elements, or of all
    in another order, are plain parts of memory: their ``distribution`` is None.

    With ``batch`` arrays transformed together the first axis counts them.
    """

    _distribution: Optional[Distribution]
    _rank: int
    _batched: bool
    _block: Optional[np.ndarray]
    _lies: Any  # shape and strides for which all this is true: NumPy makes some views first and turns them afterwards

    def __new__(
        cls,
        distribution: Distribution,
        rank: int,
        dtype: Any = complex,
        *,
        batch: int = 1,
        layout: Optional[_core.Layout] = None,
        block: Optional[np.ndarray] = None,
    ) -> Array:
        """Zeros in memory of its own, or over ``block`` as it is."""
        if batch < 1:
            raise ArgumentError(f"batch {batch} is less than 1")
        dtype = np.dtype(dtype)
        shape = ((batch,) if batch > 1 else ()) + distribution.local_shape(rank)
        strides, offset = _compact(shape), 0
        if layout is not None and layout.strides:
            strides, offset = layout.strides, layout.offset
        needed = 0 if 0 in shape else offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides))
        if block is None:
            block = _core.host_memory(needed * dtype.itemsize)
            block[:] = 0
        block = block.reshape(-1).view(np.uint8)
        if block.nbytes < needed * dtype.itemsize:
            raise BufferError(f"the memory has {block.nbytes} bytes, the array needs {needed * dtype.itemsize}")
        self = super().__new__(
            cls,
            shape,
            dtype,
            buffer=block if needed else None,
            offset=offset * dtype.itemsize if needed else 0,
            strides=tuple(s * dtype.itemsize for s in strides) if needed else None,
        )
        self._distribution, self._rank, self._batched, self._block = distribution, rank, batch > 1, block
        self._lies = self.shape, self.strides
        return self

    def __array_finalize__(self, source: Any) -> None:
        self._distribution, self._rank, self._batched, self._block = None, 0, False, None
        self._lies = self.shape, self.strides
        if not isinstance(source, Array) or source.distribution is None or source.shape != self.shape:
            return
        mine, other = self.__array_interface__["data"][0], source.__array_interface__["data"][0]
        if np.may_share_memory(self, source):
            # The same elements in the same order, or their real or imaginary parts.
            if self.strides != source.strides or not 0 <= mine - other < source.itemsize:
                return
            self._block = source._block if mine == other else None
        self._distribution, self._rank, self._batched = source._distribution, source._rank, source._batched

    def __array_wrap__(self, array: np.ndarray, context: Any = None) -> Any:
        if context is not None:
            _require_alike([a for a in context[1] if isinstance(a, Array) and a.distribution is not None])
        # Sums and the like of all elements are numbers.
        return array[()] if array.ndim == 0 else super().__array_wrap__(array, context)

    def __reduce__(self) -> Any:
        state = (self.distribution, self._rank, self._batched)
        reduced = super().__reduce__()
        assert isinstance(reduced, tuple)
        return (reduced[0], reduced[1], (reduced[2], state))

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self._distribution, self._rank, self._batched = state[1]
        self._lies = self.shape, self.strides

    @property
    def distribution(self) -> Optional[Distribution]:
        """How the global array lies on the ranks; None of an array that is no longer a rank's part of one."""
        return self._distribution if self._lies == (self.shape, self.strides) else None

    @property
    def rank(self) -> int:
        """Whose part it is."""
        return self._rank

    @property
    def batch(self) -> int:
        """Arrays that lie one after the other."""
        return self.shape[0] if self._batched else 1

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Of one array, without the axis of a batch."""
        return self._known().shape

    @property
    def indices(self) -> tuple[np.ndarray, ...]:
        """For each axis the global indices of its local positions."""
        where = self._known()
        return tuple(where.indices(self._rank, axis) for axis in range(where.ndim))

    @property
    def mesh(self) -> tuple[np.ndarray, ...]:
        """The indices shaped to broadcast: ``x[...] = f(*x.mesh)``, and ``whole[x.mesh]`` is this rank's part."""
        return tuple(np.ix_(*self.indices))

    @property
    def slices(self) -> tuple[slice, ...]:
        """The part as slices of the global array. Block-cyclic parts have none and raise; ``mesh`` always works."""
        where = self._known()
        found = []
        for axis in range(where.ndim):
            terms = where._progression(self._rank, axis)
            if terms is None:
                raise ArgumentError(f"the part of axis {axis} of {where.text} is no single slice; use mesh")
            first, step, count = terms
            found.append(slice(first, first + step * (count - 1) + 1 if count else first, step))
        return tuple(found)

    def owns(self, index: Sequence[int]) -> bool:
        """Whether the element of a global index is here."""
        return self._position(index) is not None

    def at(self, index: Sequence[int], component: int = 0) -> Any:
        """The element of a global index, of array ``component`` of a batch."""
        return self[self._checked(index, component)]

    def put_at(self, index: Sequence[int], value: Any, component: int = 0) -> None:
        """Sets the element of a global index."""
        self[self._checked(index, component)] = value

    def _known(self) -> Distribution:
        where = self.distribution
        if where is None:
            raise ArgumentError("this array is a view, or has another shape: its global indices are not known")
        return where

    def _position(self, index: Sequence[int]) -> Optional[tuple[int, ...]]:
        if len(index) != self._known().ndim:
            return None
        found = []
        for wanted, here in zip(index, self.indices):
            place = int(np.searchsorted(here, wanted))
            if place == len(here) or here[place] != wanted:
                return None
            found.append(place)
        return tuple(found)

    def _checked(self, index: Sequence[int], component: int) -> tuple[int, ...]:
        place = self._position(index)
        if place is None:
            raise ArgumentError(f"element {tuple(index)} is not on rank {self._rank}")
        if not 0 <= component < self.batch:
            raise ArgumentError(f"component {component} is not below the batch of {self.batch}")
        return ((component,) if self._batched else ()) + place


def _compact(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def as_ndarray(value: Any) -> np.ndarray:
    """Memory of another library as an array of NumPy, without a copy where it can be had: by ``__array_interface__``
    or the buffer protocol, else by DLPack."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
        return _core.from_dlpack(value.__dlpack__())
    return np.asarray(value)
