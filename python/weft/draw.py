# SPDX-License-Identifier: BSD-3-Clause
"""Pictures with matplotlib: distributions, timelines of plans, and which algorithm wins where. Each function draws on
``ax``, or on new axes, and returns the axes."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

from ._core import Distribution
from .errors import ArgumentError
from .plans import Plan, TimelineEntry, explain

#: Colours of what a rank does.
activities = {"transform": "#4878cf", "copy": "#8fb8de", "exchange": "#e8a33d", "wait": "#c44e52"}


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _colours(count: int) -> Any:
    import matplotlib

    names = "tab10" if count <= 10 else "tab20" if count <= 20 else "nipy_spectral"
    return matplotlib.colormaps[names].resampled(max(2, count))


def owners(how: Distribution, axes: Sequence[int] = (0, 1), at: Optional[Sequence[int]] = None) -> np.ndarray:
    """The rank of each element of a plane through the array, which varies along ``axes`` and passes through ``at``."""
    shape = how.shape
    shown = [a % len(shape) for a in axes[: len(shape)]]
    through = [0] * len(shape) if at is None else [int(i) for i in at]
    if len(through) != len(shape) or len(set(shown)) != len(shown):
        raise ArgumentError(f"axes {tuple(axes)} at {tuple(through)} of an array with {len(shape)} axes")
    plane = np.full([shape[a] for a in shown], -1)
    for rank in range(how.ranks):
        parts = [how.indices(rank, a) for a in range(len(shape))]
        if all(a in shown or through[a] in parts[a] for a in range(len(shape))):
            plane[np.ix_(*(parts[a] for a in shown))] = rank
    return plane


def distribution(
    how: Distribution, axes: Sequence[int] = (0, 1), at: Optional[Sequence[int]] = None, ax: Any = None
) -> Any:
    """Which rank has what of a plane through the array: colours and, where there is room, numbers."""
    ax = _axes(ax)
    plane = owners(how, axes, at)
    picture = plane[np.newaxis, :] if plane.ndim == 1 else plane
    colours = _colours(how.ranks)
    ax.imshow(picture, cmap=colours, vmin=-0.5, vmax=max(2, how.ranks) - 0.5, interpolation="nearest")
    if picture.size <= 400:
        for (i, j), rank in np.ndenumerate(picture):
            bright = np.mean(colours(int(rank))[:3]) > 0.55
            ax.text(j, i, str(rank), ha="center", va="center", fontsize=7, color="black" if bright else "white")
    ax.set_title(how.text, fontsize=9)
    if plane.ndim == 1:
        ax.set_yticks([])
        ax.set_xlabel(f"axis {axes[0]}")
    else:
        ax.set_ylabel(f"axis {axes[0]}")
        ax.set_xlabel(f"axis {axes[1]}")
    return ax


def timeline(of: Union[Plan, Sequence[Sequence[TimelineEntry]]], ax: Any = None) -> Any:
    """What each rank did when: a plan's record of all its ranks, drawn on rank 0 (collective; None elsewhere), or one
    list of entries for each rank."""
    if isinstance(of, Plan):
        gathered = of.comm.gather(of.timeline())
        if gathered is None:
            return None
        of = gathered
    ax = _axes(ax)
    entries = [e for rank in of for e in rank]
    begin = min((e.begin for e in entries), default=0.0)
    span = max((e.end for e in entries), default=1.0) - begin
    factor, unit = next((f, u) for f, u in ((1e6, "µs"), (1e3, "ms"), (1.0, "s")) if span * f < 10000 or u == "s")
    for rank, done in enumerate(of):
        for kind, colour in activities.items():
            bars = [((e.begin - begin) * factor, (e.end - e.begin) * factor) for e in done if e.kind == kind]
            ax.broken_barh(bars, (rank - 0.4, 0.8), facecolors=colour, label=kind if rank == 0 else None)
    ax.set_yticks(range(len(of)))
    ax.set_ylabel("rank")
    ax.invert_yaxis()
    ax.set_xlabel(f"time [{unit}]")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncol=len(activities), fontsize=8)
    return ax


def chosen(shapes: Sequence[Sequence[int]], ranks: Sequence[int], **arguments: Any) -> np.ndarray:
    """The algorithm that the planner would take for each shape (rows) on each number of ranks (columns); "" where none
    applies. Nothing is run. Arguments are those of ``weft.plan``."""
    names = np.full((len(shapes), len(ranks)), "", dtype=object)
    for i, shape in enumerate(shapes):
        for j, count in enumerate(ranks):
            found = explain(shape, count, **arguments).candidates
            names[i, j] = found[0].algorithm if found else ""
    return names


def phases(shapes: Sequence[Sequence[int]], ranks: Sequence[int], ax: Any = None, **arguments: Any) -> Any:
    """A phase diagram: which algorithm wins for which shape on how many ranks, by the machine model."""
    from matplotlib.patches import Patch

    ax = _axes(ax)
    names = chosen(shapes, ranks, **arguments)
    known = sorted(set(names.ravel()))
    colours = _colours(len(known))
    numbers = np.array([[known.index(n) for n in row] for row in names])
    ax.imshow(
        numbers, cmap=colours, vmin=-0.5, vmax=max(2, len(known)) - 0.5, origin="lower", aspect="auto",
        interpolation="nearest",
    )
    ax.set_xticks(range(len(ranks)), [str(r) for r in ranks], rotation=45)
    ax.set_yticks(range(len(shapes)), ["x".join(str(n) for n in np.atleast_1d(s)) for s in shapes])
    ax.set_xlabel("ranks")
    patches = [Patch(color=colours(i), label=name or "none") for i, name in enumerate(known)]
    ax.legend(handles=patches, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return ax
