# SPDX-License-Identifier: BSD-3-Clause
"""What plans are asked for, from the names that Python's users give to what the library takes."""

from __future__ import annotations

import inspect
from operator import index
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _core
from ._core import Arena, Distribution, Layout
from .errors import ArgumentError, NameError

Wanted = Union[str, Distribution]
Box = tuple[Sequence[int], Sequence[int]]
Progress = Callable[[int, int, float, str], bool]

_precisions = {"f": _core.Precision.f32, "d": _core.Precision.f64}


def _named(kind: Any, name: Any, what: str) -> Any:
    try:
        return kind.__members__[str(name)]
    except KeyError:
        raise NameError(f"no {what} is called {name!r}; there are {', '.join(kind.__members__)}") from None


def problem_of(
    shape: Union[int, Sequence[int]],
    dtype: Any = complex,
    *,
    input: Wanted = "any",
    output: Wanted = "any",
    axes: Optional[Sequence[int]] = None,
    kinds: Optional[Sequence[str]] = None,
    modes: Optional[Sequence[int]] = None,
    input_box: Optional[Box] = None,
    output_box: Optional[Box] = None,
    real_axis: Optional[int] = None,
    batch: int = 1,
    interleaved: bool = False,
    like: Any = None,
) -> _core.Problem:
    """What to transform, as the library takes it. Axes may count from the end."""
    what = _core.Problem()
    what.shape = [index(n) for n in np.atleast_1d(np.asarray(shape, dtype=object))]
    element = np.dtype(dtype)
    if element.char not in "fdFD":
        raise ArgumentError(f"dtype {element} cannot be transformed; use float32, float64, complex64 or complex128")
    what.kind = _core.TransformKind.r2c if element.kind == "f" else _core.TransformKind.c2c
    if kinds is not None:
        what.kinds = [str(kind) for kind in kinds]
        if element.kind == "f" and "r2c" not in what.kinds:
            what.kind = _core.TransformKind.r2r
    if modes is not None:
        what.modes = [index(n) for n in modes]
    for set_box, box in ((what.set_input_box, input_box), (what.set_output_box, output_box)):
        if box is not None:
            low, high = box
            set_box([index(n) for n in low], [index(n) for n in high])
    what.element = _precisions[element.char.lower()]

    def counted(axis: int) -> int:
        if not -len(what.shape) <= axis < len(what.shape):
            raise ArgumentError(f"axis {axis} of an array with {len(what.shape)} axes")
        return index(axis) % len(what.shape)

    if axes is not None:
        what.axes = [counted(axis) for axis in axes]
        if not what.axes:
            raise ArgumentError("axes is empty; name one at least, or leave it out for all")
    if real_axis is not None:
        what.real_axis = counted(real_axis)
    what.batch, what.interleaved = index(batch), interleaved
    for side in (input, output):
        if not isinstance(side, (str, Distribution)):
            raise ArgumentError(f"{side!r} is neither a text nor a Distribution")
    what.set_in(input)
    what.set_out(output)
    if like is not None:
        if input != "any" or output != "any":
            raise ArgumentError("a plan like another one has its input and output; name no others")
        if not isinstance(getattr(like, "input", None), Distribution):
            raise ArgumentError(f"like is {like!r}; pass a plan")
        what.set_like(like.input, like.output)
    return what


def options_of(
    *,
    algorithm: str = "auto",
    exchange: str = "auto",
    local: str = "auto",
    grid: Union[str, Sequence[int]] = "auto",
    threads: int = 1,
    planning: str = "estimate",
    planning_seconds: float = 0,
    on_progress: Optional[Progress] = None,
    wisdom: str = "",
    deterministic: bool = False,
    message_tolerance: float = 0,
    memory_limit: int = 0,
    peer_timeout: float = 600,
    workspace: Optional[Arena] = None,
    idle_ranks: bool = True,
    machine: str = "",
    scaling: str = "none",
    in_place: bool = False,
    destroy_input: bool = False,
    input_layout: Optional[Layout] = None,
    output_layout: Optional[Layout] = None,
) -> _core.Options:
    """How to do it, as the library takes it: the fields of ``weft::options``."""
    how = _core.Options()
    how.algorithm, how.exchange, how.local = algorithm, exchange, local
    how.grid = grid if isinstance(grid, str) else "x".join(str(int(n)) for n in grid)
    how.threads = threads
    how.planning = _named(_core.Effort, planning, "effort of planning")
    how.planning_seconds = planning_seconds
    how.set_on_progress(on_progress)
    how.wisdom = str(wisdom)
    how.deterministic, how.message_tolerance = deterministic, message_tolerance
    how.memory_limit, how.peer_timeout, how.idle_ranks = memory_limit, peer_timeout, idle_ranks
    if workspace is not None:
        how.set_workspace(workspace)
    how.machine = machine
    how.scaling = _named(_core.Normalization, scaling, "normalization")
    how.in_place, how.destroy_input = in_place, destroy_input
    if input_layout is not None:
        how.input_layout = input_layout
    if output_layout is not None:
        how.output_layout = output_layout
    return how


_problem_names = [p.name for p in inspect.signature(problem_of).parameters.values() if p.kind is p.KEYWORD_ONLY]


def split(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those of the problem, and those of the options."""
    what = {name: value for name, value in arguments.items() if name in _problem_names}
    return what, {name: value for name, value in arguments.items() if name not in what}


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Its own arguments, and by name all that it hands on."""
    own = inspect.signature(function)
    kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    for taken in (inspect.signature(problem_of), inspect.signature(options_of)):
        kept += [p for p in taken.parameters.values() if p.kind is p.KEYWORD_ONLY]
    return own.replace(parameters=kept)
