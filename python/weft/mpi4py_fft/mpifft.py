# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of arrays that lie in pencils."""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence

import numpy as np
from mpi4py import MPI

from .. import plans
from . import fftw
from .fftw.factory import kind_names
from .libfft import FFT
from .pencil import Pencil, Subcomm, Transfer, grid_communicator


class Transform:
    """One direction of a PFFT."""

    input_array: np.ndarray
    output_array: np.ndarray

    def __init__(self, pencils: Sequence[Pencil]) -> None:
        self._pencil = tuple(pencils)

    @property
    def input_pencil(self) -> Pencil:
        return self._pencil[0]

    @property
    def output_pencil(self) -> Pencil:
        return self._pencil[1]


class _Staged(Transform):
    """Axis by axis: serial transforms, and transfers between them."""

    def __init__(self, xfftn: Sequence[Any], transfers: Sequence[Any], pencils: Sequence[Pencil]) -> None:
        super().__init__(pencils)
        self._xfftn, self._transfers = tuple(xfftn), tuple(transfers)
        self.input_array, self.output_array = xfftn[0].input_array, xfftn[-1].output_array

    def __call__(self, input_array: Any = None, output_array: Any = None, **kw: Any) -> Any:
        if input_array is not None:
            self.input_array[...] = input_array
        self._xfftn[0](**kw)
        for move, before, after in zip(self._transfers, self._xfftn, self._xfftn[1:]):
            move(before.output_array, after.input_array)
            after(**kw)
        if output_array is None:
            return self.output_array
        output_array[...] = self.output_array
        return output_array


class _Planned(Transform):
    """All at once, by a plan of Weft, which scales forward transforms."""

    def __init__(
        self, plan: plans.Plan, forward: bool, arrays: Sequence[np.ndarray], pencils: Sequence[Pencil], N: float
    ) -> None:
        super().__init__(pencils)
        self._run = plan.forward if forward else plan.backward
        self._scales, self._factor = forward, N if forward else 1 / N
        self.input_array, self.output_array = arrays

    @staticmethod
    def _fits(given: Any, own: np.ndarray) -> bool:
        return (
            isinstance(given, np.ndarray)
            and given.shape == own.shape
            and given.dtype == own.dtype
            and given.flags.c_contiguous
        )

    def __call__(
        self, input_array: Any = None, output_array: Any = None, normalize: Optional[bool] = None, **kw: Any
    ) -> Any:
        source, target = self.input_array, self.output_array
        if input_array is not None:
            if self._fits(input_array, source):
                source = np.asarray(input_array)
            else:
                source[...] = input_array
        if self._fits(output_array, target) and not np.may_share_memory(source, output_array):
            target = np.asarray(output_array)
        elif np.may_share_memory(source, target):
            self.input_array[...] = source
            source = self.input_array
        self._run(source, target)
        if normalize is not None and normalize != self._scales:
            target *= self._factor
        if output_array is None:
            return target
        if not np.may_share_memory(target, output_array):
            output_array[...] = target
        return output_array

    # The arguments, all of them, are as in mpi4py-fft.
    __call__.__doc__ = """The transform of ``input_array`` in ``output_array``, or in ``self.output_array``. Forward
        transforms are normalized, backward ones are not, unless ``normalize`` says otherwise. Collective."""


def _fftw_kind(function: Any) -> Optional[str]:
    """Weft's name of one of fftw's transforms, also where functools.partial gave its type; None of anything else."""
    options: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        if function.args:
            return None
        options = {**function.keywords, **options}
        function = function.func
    if function in (fftw.rfftn, fftw.fftn) and not options:
        return "fourier"
    kinds = fftw.dct_type if function is fftw.dctn else fftw.dst_type if function is fftw.dstn else None
    if kinds is None or set(options) - {"type"}:
        return None
    return kind_names[kinds[options.get("type", 2)]]


class PFFT:
    """Transforms of a global array in pencils.

    ``axes`` are transformed from the last to the first; those grouped in a tuple are transformed together. ``grid`` has
    the sizes of the process grid, -1 or 0 where MPI may choose, and ones behind what it gives. ``padding`` has a factor
    for each axis: so many times more values than modes. ``transforms`` has pairs of functions of ``fftw``, or of the
    ``backend``, for groups of axes. ``darray`` brings its own shape, type and pencil.
    """

    def __init__(
        self,
        comm: Any,
        shape: Optional[Sequence[int]] = None,
        axes: Any = None,
        dtype: Any = float,
        grid: Optional[Sequence[int]] = None,
        padding: Any = False,
        collapse: bool = False,
        backend: str = "fftw",
        transforms: Any = None,
        darray: Any = None,
        **kw: Any,
    ) -> None:
        if shape is None:
            assert darray is not None
            shape = darray.pencil.shape
        extents = [int(n) for n in shape]
        assert extents and min(extents) > 0
        groups = self._groups(axes, len(extents), darray)
        self._dtype = np.dtype(dtype)
        self._options, self._backend, self._transforms = kw, backend, transforms or {}
        slab = kw.pop("slab", False)
        if darray is None:
            assert self._dtype.char in "fdgFDG"
            if padding is not False:
                padding = self._padded(extents, groups, padding)
            self.subcomm = self._grid(comm, grid, slab, extents, groups)
        else:
            self._dtype = darray.dtype
            self.subcomm = darray.subcomm
            assert all(self.subcomm[a].size == 1 for a in groups[-1]), "axes that come first must be whole"
        self._padding = padding
        self.collapse = collapse
        if collapse is True:
            groups = self._collapsed(groups)
        self.axes = tuple(tuple(group) for group in groups)
        self._input_shape = tuple(extents)
        self._stages: Optional[tuple[list[FFT], list[Transfer]]] = None
        self._follow_pencils(extents)
        kinds = self._kinds()
        if kinds is None:
            self._build_stages()
        else:
            self._make_plan(kinds)

    @staticmethod
    def _groups(axes: Any, count: int, darray: Any) -> list[list[int]]:
        if axes is None:
            axes = list(range(count))
            if darray is not None:  # what is whole comes first
                axes = [int(a) for a in np.roll(axes, count - 1 - darray.alignment)]
        groups = []
        for group in [axes] if isinstance(axes, (int, np.integer)) else axes:
            members = [int(a) for a in np.atleast_1d(group)]
            assert all(-count <= a < count for a in members)
            members = [a % count for a in members]
            assert 0 < len(members) == len(set(members))
            groups.append(members)
        return groups

    @staticmethod
    def _padded(extents: list[int], groups: list[list[int]], padding: Any) -> Any:
        """Enlarges the extents of padded axes, and writes into ``padding`` by how much they really grew."""
        if np.ndim(padding) == 0:
            padding = [padding] * len(extents)
        assert len(padding) == len(extents)
        for group in groups:
            axis = group[0]
            if len(group) == 1 and padding[axis] > 1 + 1e-6:
                old = extents[axis]
                extents[axis] = int(np.floor(old * padding[axis]))
                padding[axis] = extents[axis] / old
        return padding

    @staticmethod
    def _grid(comm: Any, grid: Any, slab: Any, extents: list[int], groups: list[list[int]]) -> Any:
        count = len(extents)
        if grid is not None:
            assert not isinstance(comm, Subcomm) and slab is False and len(grid) <= count
            return Subcomm(comm, list(grid) + [1] * (count - len(grid)))
        if isinstance(comm, Subcomm):
            assert slab is False and len(comm) == count
            assert all(comm[a].size == 1 for a in groups[-1])
            return comm
        if slab is False or slab is None:
            return Subcomm(comm, [1 if a in groups[-1] else 0 for a in range(count)])
        axis = (groups[-1][-1] + 1) % count if slab is True else slab % count
        return Subcomm(comm, [comm.size if a == axis else 1 for a in range(count)])

    def _collapsed(self, groups: list[list[int]]) -> list[list[int]]:
        """Groups along which nothing is distributed are transformed together with the group behind them."""
        joined: list[list[int]] = [[]]
        for group in reversed(groups):
            if all(self.subcomm[a].size == 1 for a in group):
                joined[0] = group + joined[0]
            else:
                joined.insert(0, group)
        return joined

    def _follow_pencils(self, extents: list[int]) -> None:
        """The pencils between the stages, and which stages make real arrays complex or keep fewer modes."""
        shape, dtype = list(extents), self._dtype
        first = self.axes[-1]
        pencil = Pencil(self.subcomm, shape, first[-1])
        self._pencils: list[tuple[Pencil, np.dtype, Pencil]] = []  # before a stage, its type, and after it
        for number, axes in enumerate(reversed(self.axes)):
            before = pencil if number == 0 else pencil.pencil(axes[-1])
            after = before
            pair = self._transforms.get(axes)
            kept = self._extent_after(axes, shape[axes[-1]], dtype, pair)
            becomes = dtype
            if dtype.kind == "f" and (pair is None or _fftw_kind(pair[0]) in (None, "fourier")):
                becomes = np.dtype(dtype.char.upper())
            if kept != shape[axes[-1]]:
                shape[axes[-1]] = kept
                after = Pencil(before.subcomm, shape, axes[-1])
            self._pencils.append((before, dtype, after))
            pencil, dtype = after, becomes
        self.pencil = [self._pencils[0][0], pencil]
        self._output_shape, self._output_dtype = tuple(shape), dtype

    def _extent_after(self, axes: Sequence[int], extent: int, dtype: np.dtype, pair: Any) -> int:
        factor = 1.0 if self._padding is False else float(self._padding[axes[-1]])
        real = dtype.kind == "f"
        if pair is not None and _fftw_kind(pair[0]) not in (None, "fourier"):
            real = False
        if self._backend == "scipy":
            real = False
        kept = int(np.round(extent / factor)) if abs(factor - 1) > 1e-8 else extent
        return kept // 2 + 1 if real else kept

    def _kinds(self) -> Optional[list[str]]:
        """What becomes of each axis, by Weft's names; None if one plan cannot do it."""
        if self._backend != "fftw" or self._dtype.char not in "fdFD":
            return None
        if self._padding is not False and any(abs(self._padding[a] - 1) > 1e-8 for g in self.axes for a in g):
            return None
        kinds = ["none"] * len(self._input_shape)
        real = self._dtype.kind == "f"
        for axes in reversed(self.axes):
            pair = self._transforms.get(axes)
            kind = "fourier" if pair is None else _fftw_kind(pair[0])
            if kind is None:
                return None
            for axis in axes:
                if kinds[axis] != "none":
                    return None  # transformed twice
                kinds[axis] = "c2c" if kind == "fourier" else kind
            if kind == "fourier" and real:
                kinds[axes[-1]] = "r2c"
                real = False
        return kinds

    def _make_plan(self, kinds: list[str]) -> None:
        comm = grid_communicator(self.subcomm)
        options: dict[str, Any] = {}
        if any(k.startswith("d") for k in kinds):
            options["kinds"] = kinds
        else:
            options["axes"] = [a for a, k in enumerate(kinds) if k != "none"]
            if "r2c" in kinds:
                options["real_axis"] = kinds.index("r2c")
        plan = plans.plan(
            self._input_shape,
            comm,
            self._dtype,
            input=self.pencil[0].distribution(self.subcomm),
            output=self.pencil[1].distribution(self.subcomm),
            scaling="forward",
            threads=self._options.get("threads", 1),
            **options,
        )
        N = 1.0
        for extent, kind in zip(self._input_shape, kinds):
            if kind != "none":
                usual = 2 * extent if kind[0] == "d" else extent
                N *= {"dct1": 2 * extent - 2, "dst1": 2 * extent + 2}.get(kind, usual)
        arrays = np.asarray(plan.make_input()), np.asarray(plan.make_output())
        self.forward: Any = _Planned(plan, True, arrays, self.pencil, N)
        self.backward: Any = _Planned(plan, False, arrays[::-1], self.pencil[::-1], N)

    def _build_stages(self) -> None:
        xfftn, transfers = self._made_stages()
        self.forward = _Staged([x.forward for x in xfftn], [t.forward for t in transfers], self.pencil)
        self.backward = _Staged(
            [x.backward for x in xfftn[::-1]], [t.backward for t in transfers[::-1]], self.pencil[::-1]
        )

    def _made_stages(self) -> tuple[list[FFT], list[Transfer]]:
        if self._stages is None:
            xfftn, transfers = [], []
            for number, (before, dtype, _) in enumerate(self._pencils):
                if number > 0:
                    transfers.append(self._pencils[number - 1][2].transfer(before, dtype))
                axes = self.axes[-1 - number]
                options = dict(self._options)
                made = FFT(before.subshape, axes, dtype, self._padding, self._backend, self._transforms, **options)
                xfftn.append(made)
            self._stages = xfftn, transfers
        return self._stages

    @property
    def xfftn(self) -> list[FFT]:
        """Serial transforms of the groups of axes, in the order in which they come: made when they are asked for."""
        return self._made_stages()[0]

    @property
    def transfer(self) -> list[Transfer]:
        """What moves arrays from one to the next."""
        return self._made_stages()[1]

    def destroy(self) -> None:
        if isinstance(self.subcomm, Subcomm):
            self.subcomm.destroy()
        if self._stages is not None:
            for transfer in self._stages[1]:
                transfer.destroy()

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """Of this rank's part of the output, or of the input."""
        return self.pencil[bool(forward_output)].subshape

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """The same as slices of the global array."""
        pencil = self.pencil[bool(forward_output)]
        return tuple(slice(first, first + n) for first, n in zip(pencil.substart, pencil.subshape))

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        return self._output_shape if forward_output else self._input_shape

    @property
    def dimensions(self) -> int:
        return len(self._input_shape)

    def dtype(self, forward_output: bool = False) -> np.dtype:
        found: np.dtype = self.forward.output_array.dtype if forward_output else self.forward.input_array.dtype
        return found
