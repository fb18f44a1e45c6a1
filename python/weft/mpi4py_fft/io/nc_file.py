# SPDX-License-Identifier: BSD-3-Clause
"""NetCDF files are not written."""

from __future__ import annotations

from typing import Any

from .file_base import FileBase


class NCFile(FileBase):
    """There in name only: netCDF4 for several ranks is rarely built. HDF5File has the same methods."""

    def __init__(self, ncname: Any, domain: Any = None, mode: str = "a", clobber: bool = True, **kw: Any) -> None:
        raise NotImplementedError("weft.mpi4py_fft writes no NetCDF files; use HDF5File")
