# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy that know their pencil."""

from __future__ import annotations

from numbers import Integral, Number
from typing import Any, Optional, Sequence

import numpy as np
from mpi4py import MPI

from .io import FileBase, HDF5File, NCFile
from .pencil import Pencil, Subcomm, Transfer


class DistArray(np.ndarray):
    """A rank's part of a global array. The first ``rank`` axes of a tensor count its components and are whole on every
    rank; ``subcomm`` and ``alignment`` are of the others."""

    _p0: Optional[Pencil]
    _rank: Optional[int]

    def __new__(
        cls,
        global_shape: Sequence[int],
        subcomm: Any = None,
        val: Any = None,
        dtype: Any = float,
        buffer: Any = None,
        strides: Any = None,
        alignment: Optional[int] = None,
        rank: int = 0,
    ) -> DistArray:
        components, shape = tuple(global_shape[:rank]), tuple(global_shape[rank:])
        pencil = None
        local = shape
        if len(shape) > 1:
            if subcomm is None:
                sizes = [0] * len(shape)
                alignment = len(shape) - 1 if alignment is None else alignment
                sizes[alignment] = 1
                subcomm = Subcomm(MPI.COMM_WORLD, sizes)
            elif not all(isinstance(c, MPI.Comm) for c in subcomm):
                assert len(subcomm) == len(shape)
                subcomm = Subcomm(MPI.COMM_WORLD, subcomm)
            whole = [axis for axis, comm in enumerate(subcomm) if comm.size == 1]
            if alignment is None:
                alignment = whole[-1]
            assert isinstance(alignment, (int, np.integer)) and alignment in whole
            pencil = Pencil(subcomm, shape, axis=int(alignment))
            local, strides = pencil.subshape, None
        self = super().__new__(cls, components + local, dtype=dtype, buffer=buffer, strides=strides)
        if buffer is None and isinstance(val, Number):
            self.fill(val)
        self._p0, self._rank = pencil, rank
        return self

    def __array_finalize__(self, source: Any) -> None:
        if source is not None:
            self._p0 = getattr(source, "_p0", None)
            self._rank = getattr(source, "_rank", None)

    @property
    def pencil(self) -> Any:
        """How the array lies on the ranks."""
        return self._p0

    @property
    def rank(self) -> Any:
        """Of the tensor: 0 for a scalar field, 1 for vectors, 2 for matrices."""
        return self._rank

    @property
    def alignment(self) -> int:
        """The axis along which it is whole, components not counted."""
        axis: int = self.pencil.axis
        return axis

    @property
    def global_shape(self) -> tuple[int, ...]:
        return self.shape[: self.rank] + self.pencil.shape  # type: ignore[no-any-return]

    @property
    def substart(self) -> tuple[int, ...]:
        """The first global index along each axis."""
        return (0,) * self.rank + self.pencil.substart  # type: ignore[no-any-return]

    @property
    def subcomm(self) -> tuple[MPI.Comm, ...]:
        return (MPI.COMM_SELF,) * self.rank + self.pencil.subcomm  # type: ignore[no-any-return]

    @property
    def commsizes(self) -> list[int]:
        """Ranks along each axis."""
        return [comm.size for comm in self.subcomm]

    @property
    def dimensions(self) -> int:
        """Axes, components not counted."""
        return len(self.pencil.shape)

    @property
    def v(self) -> np.ndarray:
        """The local array alone."""
        return self.__array__()

    def __getitem__(self, key: Any) -> Any:
        count = len(key) if isinstance(key, tuple) else 1
        plain = self.ndim == 1 or not isinstance(key, (Integral, slice, tuple)) or count > (self._rank or 0)
        if plain:
            return np.ndarray.__getitem__(self.v if self.ndim > 1 else self, key)
        component = np.ndarray.__getitem__(self, key)
        component._rank = self.rank - (self.ndim - component.ndim)
        return component

    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part as slices of the global array."""
        parts = [slice(first, first + n) for first, n in zip(self.pencil.substart, self.pencil.subshape)]
        return tuple([slice(0, n) for n in self.shape[: self.rank]] + parts)

    def get(self, gslice: Sequence[Any]) -> Optional[np.ndarray]:
        """A part of the global array, given by integers and slices, on rank 0 of MPI.COMM_WORLD; None elsewhere.
        Collective."""
        places, shape, numbers = [], [], []
        for wanted, mine, extent in zip(gslice, self.local_slice(), self.global_shape):
            indices = np.arange(extent)[wanted]
            chosen = np.atleast_1d(indices)
            here = np.flatnonzero((chosen >= mine.start) & (chosen < mine.stop))
            places.append(chosen[here] - mine.start)
            if np.ndim(indices) > 0:
                shape.append(len(chosen))
                numbers.append(here)
        part = self.v[np.ix_(*places)]
        found = part.reshape([len(n) for n in numbers]) if part.size else None
        gathered = MPI.COMM_WORLD.gather((numbers, found))
        if gathered is None:
            return None
        result = np.zeros(shape, self.dtype)
        for where, values in gathered:
            if values is not None:
                result[np.ix_(*where) if where else ()] = values
        return result

    def get_pencil_and_transfer(self, axis: int) -> tuple[Pencil, Transfer]:
        """The pencil that is whole along another axis, and what moves arrays there."""
        there = self.pencil.pencil(axis)
        return there, self.pencil.transfer(there, self.dtype)

    def redistribute(self, axis: Optional[int] = None, out: Optional[DistArray] = None) -> DistArray:
        """The array whole along another axis, or as ``out`` lies. Returns itself if it is already. Collective."""
        if axis == self.alignment:
            return self
        if axis is not None:
            assert out is None or axis == out.alignment
            if self.commsizes[self.rank + axis] == 1:
                self.pencil.axis = axis
                return self
        if out is not None:
            assert isinstance(out, DistArray) and self.global_shape == out.global_shape
            axis = out.alignment
            if self.commsizes == out.commsizes:
                out[:] = self
                return out
        assert axis is not None
        pencil, transfer = self.get_pencil_and_transfer(axis)
        if out is None:
            out = DistArray(
                self.global_shape, subcomm=pencil.subcomm, dtype=self.dtype, alignment=axis, rank=self.rank
            )
        for component in np.ndindex(self.shape[: self.rank]):
            transfer.forward(self.v[component], out.v[component])
        transfer.destroy()
        return out

    def write(
        self,
        filename: Any,
        name: str = "darray",
        step: int = 0,
        global_slice: Optional[Sequence[Any]] = None,
        domain: Any = None,
        as_scalar: bool = False,
    ) -> None:
        """Writes it, or a slice of the global array, as ``step`` of ``name`` into a file, given or by name."""
        if not isinstance(filename, FileBase):
            kind = HDF5File if str(filename).endswith(".h5") else NCFile
            filename = kind(filename, domain=domain, mode="a")
        filename.write(step, {name: [self if global_slice is None else (self, global_slice)]}, as_scalar=as_scalar)

    def read(self, filename: Any, name: str = "darray", step: int = 0) -> None:
        """Reads ``step`` of ``name`` from a file, given or by name."""
        if not isinstance(filename, FileBase):
            kind = HDF5File if str(filename).endswith(".h5") else NCFile
            filename = kind(filename, mode="r")
        filename.read(self, name, step=step)


def newDistArray(pfft: Any, forward_output: bool = True, val: Any = 0, rank: int = 0, view: bool = False) -> Any:
    """An array for the output of ``pfft.forward``, or for its input; with ``view`` as a plain array of NumPy."""
    shape = pfft.global_shape(forward_output)
    pencil = pfft.pencil[bool(forward_output)]
    made = DistArray(
        (len(shape),) * rank + shape,
        subcomm=pencil.subcomm,
        val=val,
        dtype=pfft.dtype(forward_output),
        alignment=pencil.axis,
        rank=rank,
    )
    return made.v if view else made


def Function(*args: Any, **kwargs: Any) -> Any:
    """The old name of newDistArray."""
    import warnings

    warnings.warn("Function() is deprecated; use newDistArray().", FutureWarning, stacklevel=2)
    if kwargs.pop("tensor", None) is not None:
        kwargs["rank"] = 1
    return newDistArray(*args, **kwargs)
