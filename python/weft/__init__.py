# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms of arrays spread over many MPI processes: any distribution in, any distribution out.

    import weft

    plan = weft.plan((64, 48, 40), dtype=complex)
    x = plan.make_input()
    i, j, k = x.mesh  # global indices
    x[...] = i + 10 * j
    modes = plan.forward(x)

A notebook or a plain ``python3`` is a program of one rank; ``mpirun -n 8 python3 ...`` is one of eight.
"""

from ._core import (
    Arena,
    Distribution,
    Explanation,
    Layout,
    Report,
    algorithm_names,
    exchange_names,
    ghosted,
    local_names,
    mpi_version,
    version,
)
from .array import Array
from .communicators import communicator as _communicator
from .communicators import handle as _handle
from .convolutions import Convolution, Halo, bricks_of
from .errors import (
    ApplicabilityError,
    ArgumentError,
    BufferError,
    DistributionError,
    Error,
    FileError,
    InternalError,
    MismatchError,
    MPIError,
    NameError,
)
from .fields import Shell, Spectral, Stored, can_store, gather, look_into, read, scatter, sum, write
from .plans import Plan, Started, TimelineEntry, explain, plan
from .redistributions import Redistribution, redistribute
from .waves import PlaneWaves

__version__ = version()

# Without BufferError, NameError and sum, which would hide Python's own.
__all__ = [
    "ApplicabilityError",
    "Arena",
    "ArgumentError",
    "Array",
    "Convolution",
    "Distribution",
    "DistributionError",
    "Error",
    "Explanation",
    "FileError",
    "Halo",
    "InternalError",
    "Layout",
    "MPIError",
    "MismatchError",
    "Plan",
    "PlaneWaves",
    "Redistribution",
    "Report",
    "Shell",
    "Spectral",
    "Started",
    "Stored",
    "TimelineEntry",
    "algorithm_names",
    "bricks_of",
    "can_store",
    "exchange_names",
    "explain",
    "gather",
    "ghosted",
    "local_names",
    "look_into",
    "measure_machine",
    "mpi_version",
    "plan",
    "read",
    "redistribute",
    "scatter",
    "version",
    "write",
]


def measure_machine(comm: object = None, wisdom: str = "") -> str:
    """A machine model of the ranks, as text for the option ``machine``. Takes about a second. Collective."""
    from . import _core

    return _core.measure_machine(_handle(_communicator(comm)), wisdom)  # type: ignore[arg-type]
