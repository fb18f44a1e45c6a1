# SPDX-License-Identifier: BSD-3-Clause
"""Periodic convolutions, and ghost cells of boxes."""

from __future__ import annotations

from operator import index
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from . import _core
from ._core import Distribution, Layout
from .arguments import options_of, problem_of, split
from .array import Array
from .communicators import agreed, communicator, given_or_new, handle
from .errors import ArgumentError, BufferError
from .fields import _part

_convolutions = {
    "f4": _core.ConvolutionF4,
    "f8": _core.ConvolutionF8,
    "c8": _core.ConvolutionC8,
    "c16": _core.ConvolutionC16,
}
_halos = {"f4": _core.HaloF4, "f8": _core.HaloF8, "c8": _core.HaloC8, "c16": _core.HaloC16}

Kernel = Union[Array, Callable[..., Any]]


def _name(dtype: np.dtype) -> str:
    return f"{dtype.kind}{dtype.itemsize}"


class Convolution:
    """Convolutions, correlations and dealiased products of fields: a forward transform, the product while modes are
    stored, a backward transform. Arguments are those of ``weft.plan``; calls are collective."""

    def __init__(
        self, shape: Union[int, Sequence[int]], comm: Optional[MPI.Comm] = None, dtype: Any = complex, **options: Any
    ) -> None:
        self._comm = communicator(comm)

        def both() -> tuple[_core.Problem, _core.Options, np.dtype]:
            what_names, how_names = split(options)
            what = problem_of(shape, dtype, **what_names)
            if what.kind == _core.TransformKind.r2r:
                raise ArgumentError("convolutions are of Fourier transforms, not of cosine and sine transforms alone")
            return what, options_of(**how_names), np.dtype(dtype)

        what, how, self._field = agreed(self._comm, both)
        self._mode = np.dtype("c8" if what.element == _core.Precision.f32 else "c16")
        self._by = _convolutions[_name(self._field)](what, handle(self._comm), how)
        self._plan = self._by.plan()

    @property
    def input(self) -> Distribution:
        """Of fields."""
        return self._plan.input

    @property
    def output(self) -> Distribution:
        """Of modes."""
        return self._plan.output

    @property
    def rank(self) -> int:
        return self._plan.rank

    def make_field(self) -> Array:
        """Zeros. Collective."""
        return self._make(True)

    def make_modes(self) -> Array:
        """Zeros. Collective."""
        return self._make(False)

    def kernel_in_space(self, kernel: Kernel) -> None:
        """By values: an array of the input's distribution, without batch, or a function of its ``mesh``. The element of
        index 0 is that of distance 0."""
        given = agreed(self._comm, lambda: self._kernel(kernel, self.input, self._field))
        self._by.kernel_in_space(_part(given))

    def kernel_in_modes(self, kernel: Kernel) -> None:
        """By modes, those of a forward transform that is not scaled: an array of the output's distribution, without
        batch, or a function of its ``mesh``."""
        given = agreed(self._comm, lambda: self._kernel(kernel, self.output, self._mode))
        self._by.kernel_in_modes(_part(given))

    def convolve(self, x: Array, out: Optional[Array] = None) -> Array:
        """out[i] = sum over j of kernel[j] x[i - j]; ``out`` may be ``x``."""
        result = given_or_new(self._comm, out, self.make_field)
        self._by.convolve(*self._parts(self._field, x, result))
        return result

    def correlate(self, x: Array, out: Optional[Array] = None) -> Array:
        """out[i] = sum over j of conj(kernel[j]) x[i + j]; ``out`` may be ``x``."""
        result = given_or_new(self._comm, out, self.make_field)
        self._by.correlate(*self._parts(self._field, x, result))
        return result

    def product(self, a: Array, b: Array, out: Optional[Array] = None) -> Array:
        """The modes of the product of two fields that are given by their modes, dealiased by the 2/3 rule."""
        result = given_or_new(self._comm, out, self.make_modes)
        self._by.product(*self._parts(self._mode, a, b, result))
        return result

    def _make(self, of_input: bool) -> Array:
        plan, dtype = self._plan, self._field if of_input else self._mode
        block = plan.allocate(of_input)
        block[:] = 0
        layout = plan.input_layout if of_input else plan.output_layout
        where = plan.input if of_input else plan.output
        return Array(where, plan.rank, dtype, batch=plan.batch, layout=layout, block=block)

    def _kernel(self, kernel: Kernel, where: Distribution, dtype: np.dtype) -> Array:
        if isinstance(kernel, Array):
            if kernel.dtype != dtype:
                raise BufferError(f"the kernel has elements of {kernel.dtype}, the plan needs {dtype}")
            _part(kernel)  # raises if it does not know its indices
            return kernel
        made = Array(where, self.rank, dtype)
        made[...] = kernel(*made.mesh)
        return made

    def _parts(self, dtype: np.dtype, *arrays: Array) -> list[_core.Part]:
        def all_of_them() -> list[_core.Part]:
            for x in arrays:
                if isinstance(x, Array) and x.dtype != dtype:
                    raise BufferError(f"an array has elements of {x.dtype}, the convolution needs {dtype}")
            return [_part(x) for x in arrays]

        return agreed(self._comm, all_of_them)


class Halo:
    """Ghost cells of a distribution that gives each rank a box: ``before`` and ``after`` it along each axis, in an array
    that is periodic. Calls are collective."""

    def __init__(
        self,
        distribution: Distribution,
        before: Sequence[int],
        after: Sequence[int],
        dtype: Any = float,
        comm: Optional[MPI.Comm] = None,
        batch: int = 1,
    ) -> None:
        self._comm = communicator(comm)

        def checked() -> tuple[list[int], list[int], np.dtype, int]:
            if not isinstance(distribution, Distribution):
                raise ArgumentError(f"{distribution!r} is no Distribution")
            element = np.dtype(dtype)
            if _name(element) not in _halos:
                raise ArgumentError(f"ghost cells have elements of {', '.join(_halos)}, not of {element}")
            return [index(n) for n in before], [index(n) for n in after], element, index(batch)

        low, high, self._dtype, self._batch = agreed(self._comm, checked)
        self._halo = _halos[_name(self._dtype)](distribution, low, high, handle(self._comm), self._batch)
        self._where = distribution
        local = distribution.local_shape(self._comm.rank)
        around = tuple(n + b + a for n, b, a in zip(local, low, high)) if self._halo.cells else local
        self._shape = ((self._batch,) if self._batch > 1 else ()) + around

    @property
    def layout(self) -> Layout:
        """For ``input_layout`` or ``output_layout`` of a plan."""
        return self._halo.layout

    def make(self) -> Array:
        """Zeros, with room for the ghost cells around them: ``cells(x)`` has these, too."""
        block = _core.host_memory(self._halo.cells * self._dtype.itemsize)
        block[:] = 0
        return Array(self._where, self._comm.rank, self._dtype, batch=self._batch, layout=self.layout, block=block)

    def cells(self, x: Array) -> np.ndarray:
        """The memory of an array that ``make`` made, all ghost cells included."""
        if not isinstance(x, Array) or x._block is None:
            raise ArgumentError("the array has no ghost cells; make it with make()")
        view: np.ndarray = np.ndarray(self._shape, self._dtype, x._block if self._halo.cells else None)
        return view

    def fill(self, x: Any) -> None:
        """Every ghost cell becomes the element that it stands for. ``x``: an array that ``make`` made, or its cells."""
        self._halo.fill(*agreed(self._comm, lambda: self._place(x)))

    def accumulate(self, x: Any) -> None:
        """Every ghost cell is added to the element that it stands for, and is zero afterwards."""
        self._halo.accumulate(*agreed(self._comm, lambda: self._place(x)))

    def _place(self, x: Any) -> tuple[int, int]:
        cells = self.cells(x) if isinstance(x, Array) else x
        right = isinstance(cells, np.ndarray) and cells.dtype == self._dtype and cells.shape == self._shape
        if not right or not cells.flags.c_contiguous or not cells.flags.writeable:
            raise BufferError(f"ghost cells are a contiguous array of {self._dtype} with the shape {self._shape}")
        return int(cells.__array_interface__["data"][0]), cells.size


def bricks_of(
    shape: Sequence[int], low: Sequence[int], high: Sequence[int], comm: Optional[MPI.Comm] = None
) -> Distribution:
    """The boxes of all ranks, from each rank's own [low, high). Collective."""
    on = communicator(comm)
    given = agreed(on, lambda: tuple([int(n) for n in some] for some in (shape, low, high)))
    return _core.bricks_of(given[0], given[1], given[2], handle(on))
