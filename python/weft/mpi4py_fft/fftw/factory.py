# SPDX-License-Identifier: BSD-3-Clause
"""Planned transforms of arrays on one rank, and what stands for FFTW's wisdom."""

from __future__ import annotations

import functools
import types
from typing import Any, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ... import plans
from ..._core import Layout
from .utilities import (
    C2C_BACKWARD,
    C2C_FORWARD,
    C2R,
    FFTW_EXHAUSTIVE,
    FFTW_FORWARD,
    FFTW_MEASURE,
    FFTW_PATIENT,
    FFTW_REDFT00,
    FFTW_REDFT01,
    FFTW_REDFT10,
    FFTW_REDFT11,
    FFTW_RODFT00,
    FFTW_RODFT01,
    FFTW_RODFT10,
    FFTW_RODFT11,
    R2C,
)

# Weft's names of cosine and sine transforms.
kind_names = {
    FFTW_REDFT00: "dct1",
    FFTW_REDFT10: "dct2",
    FFTW_REDFT01: "dct3",
    FFTW_REDFT11: "dct4",
    FFTW_RODFT00: "dst1",
    FFTW_RODFT10: "dst2",
    FFTW_RODFT01: "dst3",
    FFTW_RODFT11: "dst4",
}

_timelimit: Optional[float] = None


def set_timelimit(limit: float) -> None:
    """Seconds that planning with FFTW_PATIENT or FFTW_EXHAUSTIVE may take; negative: any."""
    global _timelimit
    _timelimit = limit if limit >= 0 else None


def _efforts(flags: int) -> dict[str, Any]:
    # FFTW_MEASURE, the default, times codelets. Weft's estimate has chosen its kernels already.
    if not flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE):
        return {}
    return {"planning": "patient", "planning_seconds": _timelimit or 0}


@functools.lru_cache(maxsize=64)
def _kept_plan(shape: tuple[int, ...], dtype: str, options: tuple[tuple[str, Any], ...]) -> plans.Plan:
    return plans.plan(shape, MPI.COMM_SELF, dtype, **dict(options))


class FFT:
    """A transform of one array into another over some axes, the halved one last. ``kind`` is one for all axes, or one of
    the real kinds for each."""

    def __init__(
        self,
        input_array: np.ndarray,
        output_array: np.ndarray,
        axes: Sequence[int] = (-1,),
        kind: Union[int, Sequence[int]] = FFTW_FORWARD,
        threads: int = 1,
        flags: Union[int, Sequence[int]] = FFTW_MEASURE,
        normalization: float = 1.0,
    ) -> None:
        self._input_array, self._output_array = input_array, output_array
        self._M = normalization
        kinds = [int(k) for k in np.atleast_1d(kind)]
        self._forward = input_array.dtype.kind == "f" or kinds[0] == C2C_FORWARD
        axes = [int(a) % input_array.ndim for a in axes]
        known = 0
        for flag in np.atleast_1d(flags):
            known |= int(flag)
        # The plan's input is what its forward transform reads.
        sides = (input_array, output_array) if self._forward else (output_array, input_array)
        options: dict[str, Any] = {"threads": threads, **_efforts(known)}
        # Half-complex and Hartley transforms of real arrays have some numbers in common with these.
        fourier = (R2C,) if input_array.dtype.kind == "f" else (C2C_FORWARD, C2C_BACKWARD, C2R)
        if kinds[0] in fourier:
            options["axes"] = tuple(sorted(axes))
            if kinds[0] in (R2C, C2R):
                options["real_axis"] = axes[-1]
        else:
            named = ["none"] * input_array.ndim
            for axis, k in zip(axes, kinds * len(axes) if len(kinds) == 1 else kinds):
                if k not in kind_names:
                    raise NotImplementedError(f"FFTW's kind {k} (half-complex or Hartley) is not among Weft's")
                named[axis] = kind_names[k]
            options["kinds"] = tuple(named)
        for name, array in zip(("input_layout", "output_layout"), sides):
            if not array.flags.c_contiguous:
                options[name] = Layout([s // array.itemsize for s in array.strides])
        if "input_layout" in options or "output_layout" in options or known & (FFTW_PATIENT | FFTW_EXHAUSTIVE):
            self._plan = plans.plan(sides[0].shape, MPI.COMM_SELF, sides[0].dtype, **options)
        else:
            self._plan = _kept_plan(tuple(sides[0].shape), sides[0].dtype.char, tuple(sorted(options.items())))
        assert self._plan.output.local_shape(0) == sides[1].shape

    @property
    def input_array(self) -> np.ndarray:
        return self._input_array

    @property
    def output_array(self) -> np.ndarray:
        return self._output_array

    def get_normalization(self) -> float:
        """What ``normalize=True`` multiplies by."""
        return self._M

    def print_plan(self) -> None:
        print(self._plan.schedule)

    def destroy(self) -> None:
        """Nothing: the plan goes with the object."""

    def update_arrays(self, input_array: np.ndarray, output_array: np.ndarray) -> None:
        """Takes these in place of the arrays that it was planned for; they must be alike."""
        assert self._alike(input_array, self._input_array) and self._alike(output_array, self._output_array)
        self._input_array, self._output_array = input_array, output_array

    @staticmethod
    def _alike(a: np.ndarray, b: np.ndarray) -> bool:
        return a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype

    def __call__(
        self,
        input_array: Any = None,
        output_array: Any = None,
        implicit: bool = True,
        normalize: bool = False,
        **kw: Any,
    ) -> np.ndarray:
        """The transform of ``input_array``, which is kept either way, in ``output_array``; of the arrays that it was
        planned for where none are given. With ``implicit=False`` the given input is copied there first."""
        source = self._input_array
        if input_array is not None:
            if implicit and isinstance(input_array, np.ndarray) and self._alike(input_array, source):
                source = input_array
            else:
                source[...] = input_array
        target = self._output_array
        if implicit and output_array is not None:
            assert self._alike(output_array, target)
            target = output_array
        run = self._plan.forward if self._forward else self._plan.backward
        if np.may_share_memory(source, target):
            target[...] = run(source.copy())
        else:
            run(np.asarray(source), np.asarray(target))
        if normalize:
            target *= self._M
        if output_array is not None and target is not output_array:
            output_array[...] = target
            target = output_array
        return target


def export_wisdom(filename: str) -> None:
    """Writes a file for this rank. Weft's plans on one rank are estimates: there is nothing to keep in it."""
    with open(f"D{MPI.COMM_WORLD.rank}_{filename}", "w") as file:
        file.write("weft wisdom 1\n")


def import_wisdom(filename: str) -> None:
    """Reads what export_wisdom wrote."""
    with open(f"D{MPI.COMM_WORLD.rank}_{filename}") as file:
        assert file.readline() == "weft wisdom 1\n", f"Not able to import wisdom {filename}"


def forget_wisdom() -> None:
    """Forgets planned transforms that no one has."""
    _kept_plan.cache_clear()


def cleanup() -> None:
    """The same."""
    _kept_plan.cache_clear()


def _library(name: str) -> types.ModuleType:
    module = types.ModuleType(name, "Transforms of one precision.")
    module.__dict__.update(
        FFT=FFT,
        export_wisdom=export_wisdom,
        import_wisdom=import_wisdom,
        forget_wisdom=forget_wisdom,
        set_timelimit=set_timelimit,
        cleanup=cleanup,
    )
    return module


# Weft has no long double.
fftlib = {"F": _library("fftwf_xfftn"), "D": _library("fftw_xfftn")}


def get_fftw_lib(dtype: Any) -> Optional[types.ModuleType]:
    """What transforms this precision, None if nothing does."""
    return fftlib.get(np.dtype(dtype).char.upper())


def get_planned_FFT(
    input_array: np.ndarray,
    output_array: np.ndarray,
    axes: Sequence[int] = (-1,),
    kind: Union[int, Sequence[int]] = FFTW_FORWARD,
    threads: int = 1,
    flags: Union[int, Sequence[int]] = (FFTW_MEASURE,),
    normalization: float = 1.0,
) -> FFT:
    """A transform between two arrays."""
    assert input_array.dtype.char.upper() in fftlib
    return FFT(input_array, output_array, axes, kind, threads, flags, normalization)
