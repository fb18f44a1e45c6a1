# SPDX-License-Identifier: BSD-3-Clause
"""Transforms on one rank over a group of axes, with padding."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import fftw


class _Foreign:
    """A function of NumPy or SciPy, between two arrays of its own. Their inverses are normalized; these are not."""

    def __init__(self, function: Callable[..., Any], U: np.ndarray, V: np.ndarray, factor: float, options: Any) -> None:
        self._function, self._factor, self._options = function, factor, options
        self.input_array, self.output_array = U, V

    def __call__(self, *arrays: Any, **options: Any) -> np.ndarray:
        self.output_array[...] = self._function(self.input_array, **{**self._options, **options})
        if self._factor != 1:
            self.output_array *= self._factor
        return self.output_array


def _plan_fftw(shape: Sequence[int], axes: Sequence[int], dtype: np.dtype, pair: Any, options: Any) -> tuple[Any, Any]:
    flags = [fftw.flag_dict[options.pop("planner_effort", "FFTW_MEASURE")]]
    options.pop("overwrite_input", None)
    threads = options.pop("threads", 1)
    extents = [shape[a] for a in axes]
    U = fftw.aligned(shape, dtype=dtype)
    forward = pair[0](U, s=extents, axes=axes, threads=threads, flags=flags)
    U[...] = 0
    backward = pair[1](forward.output_array, s=extents, axes=axes, threads=threads, flags=flags, output_array=U)
    return forward, backward


def _plan_foreign(extents_name: str) -> Callable[..., tuple[Any, Any]]:
    def plan(
        shape: Sequence[int], axes: Sequence[int], dtype: np.dtype, pair: Any, options: Any
    ) -> tuple[Any, Any]:
        extents = tuple(shape[a] for a in axes)
        arguments = {extents_name: extents, "axes": axes}
        U = fftw.aligned(shape, dtype=dtype, fill=0)
        V = np.asarray(pair[0](U, **arguments)).astype(dtype.char.upper())
        V = fftw.aligned_like(V)
        return (
            _Foreign(pair[0], U, V, 1, arguments),
            _Foreign(pair[1], V, U, float(np.prod(extents)), arguments),
        )

    return plan


def _usual(backend: str, real: bool) -> Any:
    if backend == "fftw":
        return (fftw.rfftn, fftw.irfftn) if real else (fftw.fftn, fftw.ifftn)
    if backend == "numpy":
        return (np.fft.rfftn, np.fft.irfftn) if real else (np.fft.fftn, np.fft.ifftn)
    from scipy import fftpack

    return fftpack.fftn, fftpack.ifftn


_backends: dict[str, Callable[..., tuple[Any, Any]]] = {
    "fftw": _plan_fftw,
    "numpy": _plan_foreign("s"),
    "scipy": _plan_foreign("shape"),
}


class _Direction:
    """A transform between two arrays, which may be given; its own are used where they are not."""

    def __init__(self, run: Callable[..., Any], input_array: np.ndarray, output_array: np.ndarray) -> None:
        self._run = run
        self.input_array, self.output_array = input_array, output_array

    def __call__(self, input_array: Any = None, output_array: Any = None, **options: Any) -> Any:
        if input_array is not None:
            self.input_array[...] = input_array
        self._run(**options)
        if output_array is None:
            return self.output_array
        output_array[...] = self.output_array
        return output_array


class FFT:
    """Transforms over ``axes`` of arrays of ``shape``, the last one first. With a padding factor, the only axis has that
    many times more values than modes."""

    def __init__(
        self,
        shape: Union[int, Sequence[int]],
        axes: Union[None, int, Sequence[int]] = None,
        dtype: Any = float,
        padding: Any = False,
        backend: str = "fftw",
        transforms: Any = None,
        **kw: Any,
    ) -> None:
        self.shape = [int(n) for n in np.atleast_1d(shape)]
        assert min(self.shape) > 0
        chosen = range(len(self.shape)) if axes is None else [int(a) for a in np.atleast_1d(axes)]
        self.axes = [a % len(self.shape) for a in chosen]
        assert len(self.axes) == len(set(self.axes)) > 0
        self.dtype = np.dtype(dtype)
        assert self.dtype.char in "fdgFDG"
        self.padding, self.backend = padding, backend
        if backend not in _backends:
            raise NotImplementedError(f"no backend {backend!r}; there are {', '.join(_backends)}")
        self.real_transform = self.dtype.kind == "f" and backend != "scipy"
        pair = (transforms or {}).get(tuple(self.axes)) or _usual(backend, self.dtype.kind == "f")
        self.fwd, self.bck = _backends[backend](self.shape, self.axes, self.dtype, pair, kw)
        U, V = self.fwd.input_array, self.fwd.output_array
        if backend == "fftw":
            self.M = self.fwd.get_normalization()
        else:
            self.M = 1.0 / float(np.prod([self.shape[a] for a in self.axes]))
        self.padding_factor = 1.0
        if padding is not False:
            self.padding_factor = float(padding[self.axes[-1]] if np.ndim(padding) else padding)
        if abs(self.padding_factor - 1) > 1e-8:
            assert len(self.axes) == 1
            V = fftw.aligned(self._kept_shape(), dtype=V.dtype, fill=0)
        self.forward = _Direction(self._forward, U, V)
        self.backward = _Direction(self._backward, V, U)

    def _kept_shape(self) -> list[int]:
        kept = list(self.shape)
        axis = self.axes[-1]
        kept[axis] = int(np.round(kept[axis] / self.padding_factor))
        if self.real_transform:
            kept[axis] = kept[axis] // 2 + 1
        return kept

    def _forward(self, normalize: bool = True, **kw: Any) -> None:
        self.fwd(**kw)
        if self.padding_factor > 1 + 1e-8:
            self._truncate(self.fwd.output_array, self.forward.output_array)
        if normalize:
            self.forward.output_array *= self.M

    def _backward(self, normalize: bool = False, **kw: Any) -> None:
        if self.padding_factor > 1 + 1e-8:
            self._pad(self.backward.input_array, self.bck.input_array)
        self.bck(**kw)
        if normalize:
            self.backward.output_array *= self.M

    # The highest mode stands for both ends of the spectrum where the number of kept modes is even: that is how
    # mpi4py-fft does it, for real transforms too, whose kept modes number n/2+1.

    def _part(self, which: Any) -> tuple[Any, ...]:
        return (slice(None),) * self.axes[-1] + (which,)

    def _truncate(self, padded: np.ndarray, kept: np.ndarray) -> None:
        n = kept.shape[self.axes[-1]]
        if self.real_transform:
            kept[...] = padded[self._part(slice(n))]
            if n % 2 == 0:
                last = self._part(n - 1)
                kept[last] = 2 * kept[last].real
        else:
            kept[...] = 0
            kept[self._part(slice(n // 2 + 1))] = padded[self._part(slice(n // 2 + 1))]
            if n > 1:
                kept[self._part(slice(-(n // 2), None))] += padded[self._part(slice(-(n // 2), None))]

    def _pad(self, kept: np.ndarray, padded: np.ndarray) -> None:
        n = kept.shape[self.axes[-1]]
        padded[...] = 0
        if self.real_transform:
            padded[self._part(slice(n))] = kept
            if n % 2 == 0:
                last = self._part(n - 1)
                padded[last] = 0.5 * padded[last].real
        else:
            padded[self._part(slice(n // 2 + 1))] = kept[self._part(slice(n // 2 + 1))]
            if n > 1:
                padded[self._part(slice(-(n // 2), None))] = kept[self._part(slice(-(n // 2), None))]
            if n % 2 == 0:
                padded[self._part(n // 2)] *= 0.5
                padded[self._part(-(n // 2))] *= 0.5
