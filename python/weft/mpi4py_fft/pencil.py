# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are whole along one axis and in blocks along others, and how they turn into each other."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from .._core import Distribution
from ..redistributions import Redistribution

# Communicators whose ranks count the points of a grid, by their ranks in MPI.COMM_WORLD. They stay: what Weft keeps with
# a communicator then serves all plans on the same grid. All ranks of one have asked for the same ones in the same order.
_grids: dict[tuple[int, ...], MPI.Comm] = {}


class Subcomm(tuple):
    """A tuple of communicators, one for each axis of a process grid.

    ``dims`` has one entry for each axis: its size, or 0 where MPI may choose. One number stands for so many zeros. A
    communicator with a Cartesian topology brings its own grid.
    """

    def __new__(cls, comm: Any, dims: Union[None, int, Sequence[int]] = None, reorder: bool = True) -> Subcomm:
        assert not comm.Is_inter()
        if comm.Get_topology() == MPI.CART:
            assert dims is None
            cart = comm
        else:
            if dims is None:
                sizes = [0]
            elif np.ndim(dims) == 0:
                sizes = [0] * int(dims)  # type: ignore[arg-type]
            else:
                sizes = [max(0, int(n)) for n in dims]  # type: ignore[union-attr]
            assert sizes
            cart = comm.Create_cart(MPI.Compute_dims(comm.size, sizes), reorder=reorder)
        axes = cart.Get_dim()
        assert axes > 0
        self = super().__new__(cls, [cart.Sub([a == axis for a in range(axes)]) for axis in range(axes)])
        if cart is not comm:
            cart.Free()
        return self

    def destroy(self) -> None:
        for comm in self:
            if comm:
                comm.Free()


def grid_communicator(subcomm: Sequence[MPI.Comm]) -> MPI.Comm:
    """A communicator of all ranks that these connect, in row-major order of the grid. Collective."""
    members = np.array(MPI.Group.Translate_ranks(MPI.COMM_SELF.group, [0], MPI.COMM_WORLD.group))
    for comm in reversed(subcomm):
        if comm.size > 1:
            members = np.concatenate(comm.allgather(members))
    key = tuple(int(rank) for rank in members)
    if key not in _grids:
        world = MPI.COMM_WORLD
        if key == tuple(range(world.size)):
            _grids[key] = world
        else:
            chosen = world.group.Incl(key)
            _grids[key] = world.Create_group(chosen)
            chosen.Free()
    return _grids[key]


def block_of(extent: int, parts: int, number: int) -> tuple[int, int]:
    """How many of an axis the number-th of so many parts has, and which is the first."""
    smallest, larger = divmod(extent, parts)
    return smallest + (number < larger), number * smallest + min(number, larger)


class Transfer:
    """Moves arrays between two pencils over one communicator; ``shape`` is that of the array which its ranks share."""

    def __init__(
        self,
        comm: MPI.Comm,
        shape: Sequence[int],
        dtype: Any,
        subshapeA: Sequence[int],
        axisA: int,
        subshapeB: Sequence[int],
        axisB: int,
    ) -> None:
        self.comm, self.shape, self.dtype = comm, tuple(shape), np.dtype(dtype)
        self.subshapeA, self.axisA = tuple(subshapeA), axisA
        self.subshapeB, self.axisB = tuple(subshapeB), axisB
        self._moves: dict[bool, Redistribution] = {}

    def _move(self, forward: bool) -> Redistribution:
        if forward not in self._moves:

            def split(axis: int) -> Distribution:
                terms = ["b0" if a == axis else "*" for a in range(len(self.shape))]
                return Distribution.parse("[" + " ".join(terms) + "]", list(self.shape), [self.comm.size])

            # What is whole along A is in blocks along B.
            ends = split(self.axisB), split(self.axisA)
            self._moves[forward] = Redistribution(*(ends if forward else ends[::-1]), self.dtype, self.comm)
        return self._moves[forward]

    def forward(self, arrayA: np.ndarray, arrayB: np.ndarray) -> None:
        """From pencil A to pencil B. Collective."""
        self._run(True, arrayA, arrayB)

    def backward(self, arrayB: np.ndarray, arrayA: np.ndarray) -> None:
        """From pencil B to pencil A. Collective."""
        self._run(False, arrayB, arrayA)

    def _run(self, forward: bool, source: np.ndarray, target: np.ndarray) -> None:
        assert source.shape == (self.subshapeA if forward else self.subshapeB)
        assert target.shape == (self.subshapeB if forward else self.subshapeA)
        assert source.dtype == self.dtype and target.dtype == self.dtype
        if target.flags.c_contiguous:
            self._move(forward)(np.asarray(source), np.asarray(target))
        else:
            target[...] = self._move(forward)(np.asarray(source))

    def destroy(self) -> None:
        self._moves.clear()


class Pencil:
    """How a global array lies on the ranks: whole along ``axis``, in blocks over ``subcomm[i]`` along axis i."""

    def __init__(self, subcomm: Sequence[MPI.Comm], shape: Sequence[int], axis: int = -1) -> None:
        axes = len(shape)
        assert axes >= 2 and min(shape) >= 1
        assert -axes <= axis < axes
        assert 1 <= len(subcomm) <= axes
        axis %= axes
        comms = list(subcomm)
        if len(comms) < axes:
            comms += [MPI.COMM_SELF] * (axes - 1 - len(comms))
            comms.insert(axis, MPI.COMM_SELF)
        assert comms[axis].size == 1
        assert all(extent >= comm.size for extent, comm in zip(shape, comms))
        blocks = [block_of(int(extent), comm.size, comm.rank) for extent, comm in zip(shape, comms)]
        self.shape = tuple(int(extent) for extent in shape)
        self.axis = axis
        self.subcomm = tuple(comms)
        self.subshape = tuple(count for count, _ in blocks)
        self.substart = tuple(first for _, first in blocks)

    def pencil(self, axis: int) -> Pencil:
        """The same array whole along another axis, with which this one's blocks change places."""
        assert -len(self.shape) <= axis < len(self.shape)
        axis %= len(self.shape)
        comms = list(self.subcomm)
        comms[axis], comms[self.axis] = comms[self.axis], comms[axis]
        return Pencil(comms, self.shape, axis)

    def transfer(self, pencil: Pencil, dtype: Any) -> Transfer:
        """What moves arrays from here to another pencil."""
        assert self.shape == pencil.shape and self.axis != pencil.axis
        for a in range(len(self.shape)):
            if a not in (self.axis, pencil.axis):
                assert self.subcomm[a] == pencil.subcomm[a]
                assert self.subshape[a] == pencil.subshape[a]
        assert self.subcomm[pencil.axis] == pencil.subcomm[self.axis]
        shape = list(self.subshape)
        shape[pencil.axis] = self.shape[pencil.axis]
        comm = self.subcomm[pencil.axis]
        return Transfer(comm, shape, dtype, self.subshape, self.axis, pencil.subshape, pencil.axis)

    def distribution(self, subcomm: Optional[Sequence[MPI.Comm]] = None) -> Distribution:
        """The same for Weft, on the grid of ``subcomm``, which has this pencil's communicators in any order."""
        grid = list(self.subcomm if subcomm is None else subcomm)
        terms = ["*" if c.size == 1 else f"b{next(i for i, g in enumerate(grid) if g is c)}" for c in self.subcomm]
        return Distribution.parse("[" + " ".join(terms) + "]", list(self.shape), [c.size for c in grid])
