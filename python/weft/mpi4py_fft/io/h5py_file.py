# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files, written by all ranks at once through h5py."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from mpi4py import MPI

from .file_base import FileBase


def _several_mpis() -> bool:
    """Whether this process has loaded an Open MPI and an MPICH; where the system tells."""
    try:
        with open("/proc/self/maps") as maps:
            loaded = maps.read()
    except OSError:
        return False
    # Open MPI is libmpi.so.40, MPICH libmpi.so.12, or Debian's libmpich.so.12; MPICH's other libraries name it, too.
    return len(set(re.findall(r"/libmpi(?:ch)?\.so\.(\d+)", loaded))) > 1


class HDF5File(FileBase):
    """An HDF5 file of snapshots. A field ``u`` of a three-dimensional array is in ``/u/3D/STEP``, its slices in
    ``/u/2D/slice_4_slice/STEP``, the domain in ``/u/domain`` or ``/u/mesh``. Needs an h5py for MPI, or one rank."""

    def __init__(self, h5name: Any, domain: Any = None, mode: str = "a", **kw: Any) -> None:
        super().__init__(str(h5name), domain)
        self.open(mode, **kw)
        self.close()

    @staticmethod
    def backend() -> str:
        return "hdf5"

    def open(self, mode: str = "r+", **kw: Any) -> None:
        import h5py

        if h5py.get_config().mpi and _several_mpis():
            raise ImportError("this h5py was built for another MPI library than mpi4py, and would end the program")
        if h5py.get_config().mpi:
            kw = {"driver": "mpio", "comm": MPI.COMM_WORLD, **kw}
        elif MPI.COMM_WORLD.size > 1:
            raise ImportError("this h5py was built without MPI; several ranks need one with it")
        self.f = h5py.File(self.filename, mode, **kw)

    def write(self, step: int, fields: dict[str, Any], as_scalar: bool = False, **kw: Any) -> None:
        self.open()
        try:
            super().write(step, fields, as_scalar, **kw)
        finally:
            self.close()

    def read(self, u: Any, name: str, **kw: Any) -> None:
        self.open("r")
        try:
            u[:] = self.f[f"{name}/{u.dimensions}D/{kw.get('step', 0)}"][u.local_slice()]
        finally:
            self.close()

    def _check_domain(self, group: str, field: Any) -> None:
        if self.domain is None:
            self.domain = ((0, 2 * np.pi),) * field.dimensions
        assert len(self.domain) == field.dimensions
        there = self.f.require_group(group)
        for name, value in (("shape", field.pencil.shape), ("rank", field.rank)):
            if name not in there.attrs:
                there.attrs.create(name, value)
            assert np.all(there.attrs[name] == value), f"{group} has another {name} in {self.filename}"
        kind = there.require_group("mesh" if isinstance(self.domain[0], np.ndarray) else "domain")
        for axis, along in enumerate(self.domain):
            values = np.squeeze(np.asarray(along, dtype=None if isinstance(along, np.ndarray) else float))
            kind.require_dataset(f"x{axis}", shape=values.shape, dtype=values.dtype, data=values)

    def _write_group(self, name: str, u: Any, step: int) -> None:
        there = self.f.require_group(f"{name}/{u.dimensions}D")
        place = there.require_dataset(str(step), shape=u.global_shape, dtype=u.dtype)
        place[u.local_slice()] = np.asarray(u)

    def _write_slice_step(self, name: str, step: int, slices: Any, field: Any) -> None:
        wanted = [s if isinstance(s, slice) else int(s) for s in slices]
        label = "_".join("slice" if isinstance(s, slice) else str(s) for s in wanted)
        free = [isinstance(s, slice) for s in wanted]
        there = self.f.require_group(f"{name}/{sum(free)}D/{label}")
        whole = [slice(None)] * field.rank + wanted
        mine = field.local_slice()
        kept = [a for a, s in enumerate(whole) if isinstance(s, slice)]
        assert all(whole[a] == slice(None) for a in kept), "slices must be whole axes or single indices"
        place = there.require_dataset(
            str(step), shape=tuple(field.global_shape[a] for a in kept), dtype=field.dtype
        )
        here: list[Any] = []
        for s, m in zip(whole, mine):
            if isinstance(s, slice):
                here.append(s)
            elif m.start <= s < m.stop:
                here.append(s - m.start)
            else:
                return  # on other ranks
        place[tuple(mine[a] for a in kept)] = np.asarray(field)[tuple(here)]
