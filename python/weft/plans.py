# SPDX-License-Identifier: BSD-3-Clause
"""Plans: made once, collectively, from a problem and a communicator; run any number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, TypeVar, Union, overload

import numpy as np
from mpi4py import MPI

from . import _core
from ._core import Arena, Distribution, Explanation, Layout, Report
from .arguments import Box, Progress, Wanted, options_of, problem_of, signature_of, split
from .array import Array, as_ndarray
from .communicators import agreed, communicator, handle, only_some_gave_out
from .errors import ArgumentError, BufferError

_Out = TypeVar("_Out")


class TimelineEntry(NamedTuple):
    """A stretch of time in which a rank did one thing; seconds by its clock, which ranks of a node share."""

    way: str
    call: int
    position: int
    stage: str
    kind: str
    begin: float
    end: float


class _Side:
    """What one side's arrays must be."""

    def __init__(self, name: str, made: _core.Plan, dtype: np.dtype) -> None:
        of_input = name == "input"
        self.name, self.dtype = name, dtype
        self.distribution = made.input if of_input else made.output
        self.layout = made.input_layout if of_input else made.output_layout
        local = self.distribution.local_shape(made.rank)
        self.shape = ((made.batch,) if made.batch > 1 else ()) + local
        elements = made.input_elements if of_input else made.output_elements
        self.bytes = elements * dtype.itemsize
        self.offset = self.layout.offset * dtype.itemsize
        self.strides = tuple(s * dtype.itemsize for s in self.layout.strides)

    def lies_right(self, x: np.ndarray) -> bool:
        """Whether the elements lie where the plan looks for them."""
        return all(n < 2 or a == b for n, a, b in zip(self.shape, x.strides, self.strides)) or 0 in self.shape

    def complain(self, x: np.ndarray) -> None:
        """Raises if the array is another one than the plan is for, wherever it lies."""
        known = getattr(x, "distribution", None) if isinstance(x, Array) else None
        if known is not None and known is not self.distribution and known != self.distribution:
            raise BufferError(
                f"the {self.name} array is distributed as {known.text} of {known.shape}, the plan needs "
                f"{self.distribution.text} of {self.distribution.shape}; make it with make_input() or make_output()"
            )
        if x.shape != self.shape:
            raise BufferError(f"the {self.name} array has the local shape {x.shape}, the plan needs {self.shape}")

    def exactly(self, x: np.ndarray, writable: bool) -> np.ndarray:
        self.complain(x)
        if x.dtype != self.dtype:
            raise BufferError(f"the {self.name} array has elements of {x.dtype}, the plan needs {self.dtype}")
        if not self.lies_right(x):
            raise BufferError(
                f"the {self.name} array has the strides {x.strides}, the plan needs {self.strides} bytes; "
                "make it with make_input() or make_output(), or plan with a layout"
            )
        if writable and not x.flags.writeable:
            raise BufferError(f"the {self.name} array is read-only")
        return x

    def converted(self, x: np.ndarray) -> np.ndarray:
        """The same values where the plan looks for them; a copy if they are not there."""
        self.complain(x)
        if x.dtype == self.dtype and self.lies_right(x):
            return x
        if not np.can_cast(x.dtype, self.dtype, "same_kind"):
            raise BufferError(f"the {self.name} array has elements of {x.dtype}, the plan needs {self.dtype}")
        if not self.bytes:
            return x.astype(self.dtype)
        block = np.empty(self.bytes, np.uint8)
        there: np.ndarray = np.ndarray(self.shape, self.dtype, block, self.offset, self.strides)
        there[...] = x
        return there

    def address(self, x: np.ndarray) -> int:
        block = x._block if isinstance(x, Array) else None
        if block is not None and block.nbytes:  # also of an array without elements, whose other side may have some
            return int(block.__array_interface__["data"][0])
        return int(x.__array_interface__["data"][0]) - (self.offset if self.bytes else 0)

    def room(self, x: np.ndarray) -> int:
        """Bytes from there on."""
        block = x._block if isinstance(x, Array) else None
        return self.bytes if block is None else max(self.bytes, block.nbytes)


class Started:
    """A transform that ``Plan.start_forward`` or ``start_backward`` began. All ranks start, wait for and drop their runs in
    the same order; ``test`` is free. Its arrays are kept, and must be left alone, until it is done."""

    def __init__(self, run: _core.Started, out: Any, arrays: tuple[np.ndarray, ...]) -> None:
        self._run: Optional[_core.Started] = run
        self._out, self._arrays = out, arrays

    @property
    def done(self) -> bool:
        return self._run is None or self._run.done

    def test(self) -> bool:
        """Goes on as far as that is possible without waiting for other ranks; tells whether all is done."""
        return self._run is None or self._run.test()

    def wait(self) -> Any:
        """Returns the result, when all is done."""
        if self._run is not None:
            self._run.wait()
            self._run, self._arrays = None, ()
        return self._out

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *raised: object) -> None:
        self.wait()

    def __del__(self) -> None:
        # What is under way works on these arrays: they cannot go before it is done.
        if getattr(self, "_run", None) is not None and not MPI.Is_finalized():
            self.wait()

    def __repr__(self) -> str:
        return f"<weft.Started {'done' if self.done else 'under way'}>"


class Plan:
    """Transforms arrays of one shape, type and distribution, as ``weft.plan`` made it. Calls of ``forward`` and
    ``backward`` are collective, and let other threads of the interpreter run meanwhile."""

    def __init__(self, what: _core.Problem, how: _core.Options, comm: MPI.Comm) -> None:
        self._comm = comm
        self._plan = _core.Plan(what, handle(comm), how)
        self._in_place = how.in_place
        self._transformed = len(set(what.axes)) or sum(k != "none" for k in what.kinds) or len(what.shape)
        real = np.dtype("f4" if what.element == _core.Precision.f32 else "f8")
        mode = np.dtype("c8" if what.element == _core.Precision.f32 else "c16")
        self._input = _Side("input", self._plan, mode if what.kind == _core.TransformKind.c2c else real)
        self._output = _Side("output", self._plan, real if what.kind == _core.TransformKind.r2r else mode)

    @property
    def comm(self) -> MPI.Comm:
        """The communicator that it was made from."""
        return self._comm

    @property
    def input(self) -> Distribution:
        """What forward reads and backward writes."""
        return self._input.distribution

    @property
    def output(self) -> Distribution:
        """What forward writes and backward reads."""
        return self._output.distribution

    @property
    def input_dtype(self) -> np.dtype:
        return self._input.dtype

    @property
    def output_dtype(self) -> np.dtype:
        return self._output.dtype

    @property
    def input_layout(self) -> Layout:
        """Where the elements of this rank's inputs lie, with all strides."""
        return self._input.layout

    @property
    def output_layout(self) -> Layout:
        return self._output.layout

    @property
    def in_place(self) -> bool:
        return self._in_place

    @property
    def rank(self) -> int:
        return self._plan.rank

    @property
    def batch(self) -> int:
        return self._plan.batch

    @property
    def report(self) -> Report:
        """Algorithm, engines, schedule, messages, bytes and workspace of this rank."""
        return self._plan.report

    @property
    def schedule(self) -> str:
        """What forward does, stage by stage."""
        return self._plan.report.schedule

    def explain(self) -> Explanation:
        """What there was to choose from, at which price, and why the others lost."""
        return self._plan.explain()

    def make_input(self, over: Any = None) -> Array:
        """Zeros for this side; or, over an array of the other side or any memory, what lies there. Collective
        without ``over``."""
        return self._make(self._input, over)

    def make_output(self, over: Any = None) -> Array:
        """The same for the other side."""
        return self._make(self._output, over)

    @overload
    def forward(self, x: Any, out: None = None) -> Array: ...  # type: ignore[misc]  # None is a type for _Out, too
    @overload
    def forward(self, x: Any, out: _Out) -> _Out: ...
    def forward(self, x: Any, out: Any = None) -> Any:
        """Transforms ``x`` into ``out``, which is returned; without it, into a new array, or in place over ``x``.
        Inputs of another type or order of elements are copied first."""
        return self._run(True, x, out)

    @overload
    def backward(self, x: Any, out: None = None) -> Array: ...  # type: ignore[misc]  # None is a type for _Out, too
    @overload
    def backward(self, x: Any, out: _Out) -> _Out: ...
    def backward(self, x: Any, out: Any = None) -> Any:
        """From the output's distribution back to the input's."""
        return self._run(False, x, out)

    def start_forward(self, x: Any, out: Any = None) -> Started:
        """Starts ``forward(x, out)``, and returns as soon as it would have to wait for messages. Collective. Plans made with
        ``in_place`` work over ``x``."""
        run: Started = self._run(True, x, out, Started)
        return run

    def start_backward(self, x: Any, out: Any = None) -> Started:
        """The same from the output's distribution back to the input's."""
        run: Started = self._run(False, x, out, Started)
        return run

    def stage_times(self) -> list[tuple[str, float]]:
        """Seconds that each stage of forward took since the plan was made, or since the last reset."""
        return self._plan.stage_times()

    def reset_stage_times(self) -> None:
        self._plan.reset_stage_times()

    def record_timeline(self, on: bool = True) -> None:
        """Writes down when forward and backward do what, from now on; what was written down before is forgotten."""
        self._plan.record_timeline(on)

    def timeline(self) -> list[TimelineEntry]:
        """What this rank did while recording, in order of time."""
        return [TimelineEntry(*entry[:4], entry[4].name, *entry[5:]) for entry in self._plan.timeline()]

    def __repr__(self) -> str:
        return f"<weft.Plan {self.input.text} -> {self.output.text}: {self.schedule}>"

    def _make(self, side: _Side, over: Any) -> Array:
        if over is None:
            block = self._plan.allocate(side is self._input)
            block[:] = 0
        elif isinstance(over, Array) and over._block is not None:
            block = over._block
        else:
            memory = as_ndarray(over)
            if not memory.flags.c_contiguous or not memory.flags.writeable:
                raise BufferError("the memory must be contiguous and writable")
            block = memory.reshape(-1).view(np.uint8)
        return Array(side.distribution, self.rank, side.dtype, batch=self.batch, layout=side.layout, block=block)

    def _run(self, forward: bool, x: Any, out: Any, start: Optional[type[Started]] = None) -> Any:
        here, there = (self._input, self._output) if forward else (self._output, self._input)
        if not self._in_place:
            given_out = self._plan.all_say(out is not None, only_some_gave_out)
            out = out if given_out else self._make(there, None)
        try:
            given = as_ndarray(x)
            if self._in_place:
                given = here.exactly(given, writable=True)
                if out is None:
                    out = self._make(there, given)
            else:
                given = here.converted(given)
            result = there.exactly(as_ndarray(out), writable=True)
        except Exception as error:
            # The other ranks are in the call below, or will be; they must not wait for this one.
            code = getattr(error, "code", ArgumentError.code)
            self._plan.refuse(code, f"rank {self.rank}: {error}", start is not None)
            raise
        where = here.address(given), here.room(given), there.address(result), there.room(result)
        if start is not None:
            return start(self._plan.start(forward, *where), out, (given, result))
        self._plan.run(forward, *where)
        return out


def _plan(
    shape: Union[int, Sequence[int]],
    comm: Optional[MPI.Comm] = None,
    dtype: Any = complex,
    **options: Any,
) -> Plan:
    """A plan to transform arrays of ``shape``, the same on every rank of ``comm``. Collective.

    ``dtype`` is the input's: complex64 and complex128 are transformed from complex to complex, float32 and float64
    from real to complex, the last axis halved unless ``real_axis`` says otherwise. ``kinds`` names what becomes of each
    axis instead: "none", "c2c", "r2c", "dct1" to "dct4", "dst1" to "dst4". ``comm`` is MPI.COMM_WORLD unless
    given.

    Of the problem: ``input`` and ``output`` ("any", "[b0 b1 *]", "brick", a Distribution; "same" for the output),
    ``axes``, ``kinds``, ``modes``, ``input_box`` and ``output_box`` (low and high corners), ``real_axis``, ``batch``,
    ``interleaved``, ``like`` (a plan: its input and output). How to do it: ``algorithm``,
    ``exchange``, ``local``, ``grid``, ``threads``, ``planning`` ("estimate", "measure", "patient"),
    ``planning_seconds``, ``on_progress``, ``wisdom``, ``deterministic``, ``message_tolerance``, ``memory_limit``, ``peer_timeout``,
    ``workspace`` (an Arena), ``idle_ranks``,
    ``machine``, ``scaling`` ("none", "forward", "backward", "ortho"), ``in_place``, ``destroy_input``, ``input_layout``, ``output_layout``.
    """
    on = communicator(comm)
    what_names, how_names = split(options)
    raised: list[BaseException] = []
    report: Optional[Progress] = how_names.get("on_progress")
    if report is not None:
        asked = report

        # The library would end, with rank 0 alone: it is told to stop measuring, and all ranks raise afterwards.
        def guarded(*progress: Any) -> bool:
            try:
                return bool(asked(*progress))
            except BaseException as error:
                raised.append(error)
                return False

        how_names["on_progress"] = guarded
    what, how = agreed(on, lambda: (problem_of(shape, dtype, **what_names), options_of(**how_names)))
    made = Plan(what, how, on)
    if report is not None:
        agreed(on, lambda: _raise_first(raised))
    return made


def _raise_first(raised: list[BaseException]) -> None:
    if raised:
        raise raised[0]


def _explain(shape: Union[int, Sequence[int]], ranks: int, dtype: Any = complex, **options: Any) -> Explanation:
    """What a plan on so many ranks would choose from, by the machine model alone: nothing is run, any number of ranks
    can be asked about. Arguments are those of ``plan``."""
    what, how = split(options)
    return _core.explain(problem_of(shape, dtype, **what), options_of(**how), ranks)


if TYPE_CHECKING:
    # What the two take by name, which ``arguments`` has: a mistake in one of these on one rank is an error on all, so
    # that they are not Python's to check.
    def plan(
        shape: Union[int, Sequence[int]],
        comm: Optional[MPI.Comm] = ...,
        dtype: Any = ...,
        *,
        input: Wanted = ...,
        output: Wanted = ...,
        axes: Optional[Sequence[int]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        modes: Optional[Sequence[int]] = ...,
        input_box: Optional[Box] = ...,
        output_box: Optional[Box] = ...,
        real_axis: Optional[int] = ...,
        batch: int = ...,
        interleaved: bool = ...,
        like: Optional[Plan] = ...,
        algorithm: str = ...,
        exchange: str = ...,
        local: str = ...,
        grid: Union[str, Sequence[int]] = ...,
        threads: int = ...,
        planning: str = ...,
        planning_seconds: float = ...,
        on_progress: Optional[Progress] = ...,
        wisdom: str = ...,
        deterministic: bool = ...,
        message_tolerance: float = ...,
        memory_limit: int = ...,
        peer_timeout: float = ...,
        workspace: Optional[Arena] = ...,
        idle_ranks: bool = ...,
        machine: str = ...,
        scaling: str = ...,
        in_place: bool = ...,
        destroy_input: bool = ...,
        input_layout: Optional[Layout] = ...,
        output_layout: Optional[Layout] = ...,
    ) -> Plan: ...

    def explain(
        shape: Union[int, Sequence[int]],
        ranks: int,
        dtype: Any = ...,
        *,
        input: Wanted = ...,
        output: Wanted = ...,
        axes: Optional[Sequence[int]] = ...,
        kinds: Optional[Sequence[str]] = ...,
        modes: Optional[Sequence[int]] = ...,
        input_box: Optional[Box] = ...,
        output_box: Optional[Box] = ...,
        real_axis: Optional[int] = ...,
        batch: int = ...,
        interleaved: bool = ...,
        like: Optional[Plan] = ...,
        algorithm: str = ...,
        exchange: str = ...,
        local: str = ...,
        grid: Union[str, Sequence[int]] = ...,
        threads: int = ...,
        planning: str = ...,
        planning_seconds: float = ...,
        on_progress: Optional[Progress] = ...,
        wisdom: str = ...,
        deterministic: bool = ...,
        message_tolerance: float = ...,
        memory_limit: int = ...,
        peer_timeout: float = ...,
        workspace: Optional[Arena] = ...,
        idle_ranks: bool = ...,
        machine: str = ...,
        scaling: str = ...,
        in_place: bool = ...,
        destroy_input: bool = ...,
        input_layout: Optional[Layout] = ...,
        output_layout: Optional[Layout] = ...,
    ) -> Explanation: ...

else:
    plan, explain = _plan, _explain
    for _function, _name in ((plan, "plan"), (explain, "explain")):
        _function.__name__ = _function.__qualname__ = _name
        _function.__signature__ = signature_of(_function)
