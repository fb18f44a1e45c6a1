# SPDX-License-Identifier: BSD-3-Clause
"""What all kinds of files have in common."""

from __future__ import annotations

from typing import Any

import numpy as np


class FileBase:
    """A file of snapshots. ``domain`` has, for each axis, (origin, length) or an array of coordinates."""

    def __init__(self, filename: Any = None, domain: Any = None) -> None:
        self.f: Any = None
        self.filename, self.domain = filename, domain

    def write(self, step: int, fields: dict[str, Any], as_scalar: bool = False, **kw: Any) -> None:
        """Writes snapshots: ``fields`` has lists of arrays, or of arrays with slices of the global one, by name. With
        ``as_scalar`` each component of a tensor gets a name of its own. Collective."""
        for name, listed in fields.items():
            assert isinstance(name, str) and isinstance(listed, (tuple, list))
            for field in listed:
                u, part = field if isinstance(field, (tuple, list)) else (field, None)
                components = np.ndindex(u.shape[: u.rank] if as_scalar else ())
                for c in components:
                    written = u[c] if c else u
                    group = name + "".join(str(i) for i in c)
                    self._check_domain(group, written)
                    if part is None:
                        self._write_group(group, written, step)
                    else:
                        self._write_slice_step(group, step, part, written)

    def read(self, u: Any, name: str, **kw: Any) -> None:
        """Reads snapshot ``step`` into an array. Collective."""
        raise NotImplementedError

    def open(self, mode: str = "r+") -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.f.close()

    @staticmethod
    def backend() -> str:
        raise NotImplementedError

    def _check_domain(self, group: str, field: Any) -> None:
        raise NotImplementedError

    def _write_group(self, name: str, u: Any, step: int) -> None:
        raise NotImplementedError

    def _write_slice_step(self, name: str, step: int, slices: Any, field: Any) -> None:
        raise NotImplementedError
