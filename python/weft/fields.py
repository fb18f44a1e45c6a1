# SPDX-License-Identifier: BSD-3-Clause
"""Whole distributed arrays: on one rank, from one rank, their sums, and what the modes of a plan mean."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from . import _core
from .array import Array
from .communicators import agreed, communicator, handle
from .errors import ArgumentError, BufferError
from .plans import Plan


def _part(x: Any) -> _core.Part:
    """The array as the library takes it."""
    if not isinstance(x, Array):
        raise ArgumentError(f"an array of {type(x).__name__} does not know its global indices; pass a weft.Array")
    where = x._known()
    if x.size == 0:
        return _core.Part(where, x.rank, x.batch, _core.Layout(), 0, 0)
    layout = _core.Layout([s // x.itemsize for s in x.strides])
    reach = x.itemsize + builtins.sum((n - 1) * s for n, s in zip(x.shape, x.strides))
    return _core.Part(where, x.rank, x.batch, layout, int(x.__array_interface__["data"][0]), reach)


def gather(x: Array, comm: Optional[MPI.Comm] = None, root: int = 0) -> Optional[np.ndarray]:
    """The whole array on rank ``root``, None on others. Collective."""
    on = communicator(comm)
    mine = agreed(on, lambda: _part(x))
    whole = _core.gather(mine, x.itemsize, root, handle(on))
    if on.rank != root:
        return None
    shaped: np.ndarray = whole.view(x.dtype).reshape(((x.batch,) if x.batch > 1 else ()) + x.global_shape)
    return shaped


def scatter(whole: Any, x: Array, comm: Optional[MPI.Comm] = None, root: int = 0) -> Array:
    """The other way: fills the parts ``x`` from ``whole``, which rank ``root`` alone needs to have. Collective."""
    on = communicator(comm)

    def both() -> tuple[_core.Part, np.ndarray]:
        mine = _part(x)
        if not x.flags.writeable:
            raise BufferError("the array is read-only")
        given = np.zeros(0, x.dtype)
        if on.rank == root:
            given = np.ascontiguousarray(whole, dtype=x.dtype)
            shape = ((x.batch,) if x.batch > 1 else ()) + x.global_shape
            if given.shape != shape:
                raise BufferError(f"the whole array has the shape {given.shape}, the parts are of one of {shape}")
        return mine, given

    mine, given = agreed(on, both)
    address = int(given.__array_interface__["data"][0])
    _core.scatter(address, given.nbytes, mine, x.itemsize, root, handle(on))
    return x


_sums = {"f4": _core.sum_f4, "f8": _core.sum_f8, "c8": _core.sum_c8, "c16": _core.sum_c16, "i8": _core.sum_i8}


def sum(x: Array, comm: Optional[MPI.Comm] = None) -> Union[int, float, complex]:
    """The sum of all elements, the same on every rank: of integers exactly, of others in double precision with the
    rounding errors kept apart. Collective."""
    on = communicator(comm)

    def prepared() -> tuple[_core.Part, str, np.ndarray]:
        kept = x if x.dtype.kind in "fc" else x.astype(np.int64)
        name = f"{kept.dtype.kind}{kept.itemsize}"
        if x.dtype.kind not in "fcbiu" or name not in _sums:
            raise ArgumentError(f"elements of {x.dtype} cannot be added up")
        return _part(kept), name, kept

    mine, name, _ = agreed(on, prepared)
    return _sums[name](mine, handle(on))


class Stored(NamedTuple):
    """What a file has: shape and number of arrays, type of elements, and as text the distribution of what was written."""

    shape: tuple[int, ...]
    batch: int
    dtype: np.dtype
    distribution: str


def can_store() -> bool:
    """Whether this build can read and write files: that takes HDF5 for several ranks."""
    return _core.can_store()


def write(file: Any, x: Array, comm: Optional[MPI.Comm] = None, dataset: str = "data") -> None:
    """Writes an array to an HDF5 file of its own, one dataset in natural order whatever the distribution, as h5py would
    read and write it. Under that name there is always the old file or all of the new. Collective."""
    on = communicator(comm)
    mine = agreed(on, lambda: _part(x))
    _core.write(str(file), dataset, mine, f"{x.dtype.kind}{x.itemsize}", handle(on))


def read(file: Any, x: Array, comm: Optional[MPI.Comm] = None, dataset: str = "data") -> Array:
    """Reads a dataset into the parts ``x`` of an array of its shape, distributed in any way. Collective."""
    on = communicator(comm)
    mine = agreed(on, lambda: _part(x))
    _core.read(str(file), dataset, mine, f"{x.dtype.kind}{x.itemsize}", handle(on))
    return x


def look_into(file: Any, comm: Optional[MPI.Comm] = None, dataset: str = "data") -> Stored:
    """What a dataset is, to make an array for it. Collective."""
    shape, batch, element, text = _core.look_into(str(file), handle(communicator(comm)), dataset)
    return Stored(tuple(shape), batch, np.dtype(element), text)


class Shell(NamedTuple):
    """The modes with about the same |k|: their mean |k|, their part of the mean square, and how many there are."""

    wavenumber: float
    power: float
    modes: float


class Spectral:
    """What the modes of a plan mean, whatever their distribution: wavenumbers, weights, norms, spectra, derivatives.
    ``lengths`` are the periods of the field along each axis, 2 pi each unless given, or the distances of the walls of
    cosine and sine transforms, pi unless given; derivatives are along axes with Fourier transforms only. Methods take
    and return arrays like those of ``plan.make_output()``, are right for half the modes of a real field and for any scaling, and collective."""

    def __init__(self, plan: Plan, lengths: Optional[Sequence[float]] = None) -> None:
        self._comm, self._where, self._rank, self._dtype = plan.comm, plan.output, plan.rank, plan.output_dtype
        given = agreed(self._comm, lambda: [float(n) for n in lengths] if lengths is not None else [])
        made = _core.SpectralF32 if self._dtype in (np.dtype("c8"), np.dtype("f4")) else _core.SpectralF64
        self._helper = made(plan._plan, given)
        self._components = plan._transformed  # of vectors: one for each transformed axis

    @property
    def ndim(self) -> int:
        return self._where.ndim

    def wavenumbers(self, axis: int) -> np.ndarray:
        """Of this rank's modes along an axis, by local position; zeros along axes that are not transformed."""
        return self._helper.wavenumbers(axis)

    def odd_wavenumbers(self, axis: int) -> np.ndarray:
        """The same for odd derivatives: zero at the mode n/2 of an even extent."""
        return self._helper.odd_wavenumbers(axis)

    def weights(self, axis: int) -> np.ndarray:
        """How many modes of the whole field each of this rank's stands for."""
        return self._helper.weights(axis)

    @property
    def mesh(self) -> tuple[np.ndarray, ...]:
        """The wavenumbers of all axes, shaped to broadcast."""
        return tuple(
            self.wavenumbers(a).reshape([-1 if b == a else 1 for b in range(self.ndim)]) for a in range(self.ndim)
        )

    def mean_squares(self, f: Array) -> list[float]:
        """The mean of |f|^2 over the grid, of each array of the batch."""
        return self._helper.mean_squares(self._given(f))

    def spectrum(self, f: Array, width: float = 0) -> list[Shell]:
        """Its parts by shells of a width, that of the smallest wavenumber unless given."""
        return [Shell(*s) for s in self._helper.spectrum(self._given(f), width)]

    def derivative(self, f: Array, axis: int, out: Optional[Array] = None) -> Array:
        """Along one axis."""
        given, result, out = self._both(f, out, f.batch)
        self._helper.derivative(given, result, axis)
        return out

    def gradient(self, f: Array, out: Optional[Array] = None) -> Array:
        """Each array becomes one for each transformed axis, one after the other."""
        given, result, out = self._both(f, out, f.batch * self._components)
        self._helper.gradient(given, result)
        return out

    def divergence(self, f: Array, out: Optional[Array] = None) -> Array:
        given, result, out = self._both(f, out, max(1, f.batch // self._components))
        self._helper.divergence(given, result)
        return out

    def curl(self, f: Array, out: Optional[Array] = None) -> Array:
        """Of vectors with three components; or with two, whose curl has one."""
        given, result, out = self._both(f, out, f.batch if self._components == 3 else max(1, f.batch // 2))
        self._helper.curl(given, result)
        return out

    def laplacian(self, f: Array, out: Optional[Array] = None) -> Array:
        given, result, out = self._both(f, out, f.batch)
        self._helper.laplacian(given, result)
        return out

    def poisson(self, f: Array, out: Optional[Array] = None) -> Array:
        """The field whose laplacian is ``f``, its mean taken for zero."""
        given, result, out = self._both(f, out, f.batch)
        self._helper.poisson(given, result)
        return out

    def _given(self, f: Any) -> _core.Part:
        return agreed(self._comm, lambda: self._checked(f))

    def _both(self, f: Array, out: Optional[Array], batch: int) -> tuple[_core.Part, _core.Part, Array]:
        def both() -> tuple[_core.Part, _core.Part, Array]:
            result = Array(self._where, self._rank, self._dtype, batch=batch) if out is None else out
            return self._checked(f), self._checked(result), result

        return agreed(self._comm, both)

    def _checked(self, f: Any) -> _core.Part:
        part = _part(f)
        if f.dtype != self._dtype:
            raise BufferError(f"the modes have elements of {f.dtype}, those of the plan {self._dtype}")
        return part
