# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of mpi4py, and what all ranks do together before the library is called."""

from __future__ import annotations

from typing import Any, Callable, Optional, TypeVar

from mpi4py import MPI

from . import _core
from .errors import ArgumentError, Error, MismatchError, MPIError, by_code

_T = TypeVar("_T")

_mpi4py_talks_to = MPI.Get_library_version().replace("\n", ",").split(",")[0].rstrip("\x00")
if _mpi4py_talks_to != _core.mpi_version():
    raise ImportError(
        f"mpi4py talks to {_mpi4py_talks_to}, this build of weft to {_core.mpi_version()}: "
        "both must be built for the same MPI library"
    )


def communicator(comm: Optional[MPI.Comm]) -> MPI.Comm:
    """All ranks of the program unless another communicator is given; in a notebook that is the one process."""
    if comm is None:
        return MPI.COMM_WORLD
    if not isinstance(comm, MPI.Comm):
        raise ArgumentError(f"comm is {comm!r}; pass a communicator of mpi4py")
    if comm == MPI.COMM_NULL:
        raise ArgumentError("comm is MPI.COMM_NULL; pass a valid one")
    return comm


def handle(comm: MPI.Comm) -> int:
    return int(MPI._handleof(comm))


def _forget(comm: MPI.Comm, key: int, own: MPI.Comm) -> None:
    own.Free()


_own_key = MPI.Comm.Create_keyval(delete_fn=_forget)


def _own(comm: MPI.Comm) -> MPI.Comm:
    """A duplicate, kept with the communicator: what ranks tell each other here is never taken for what other threads of
    the program send on theirs. Collective when it is made."""
    own: Any = comm.Get_attr(_own_key)
    if own is None:
        own = comm.Dup()
        comm.Set_attr(_own_key, own)
    return own  # type: ignore[no-any-return]


def _require_mpi() -> None:
    if MPI.Is_finalized():
        raise MPIError("MPI is not running: MPI_Finalize was called before")


def agreed(comm: MPI.Comm, make: Callable[[], _T]) -> _T:
    """What ``make()`` returns. If it raises anywhere, every rank raises what the lowest such rank did. Collective."""
    _require_mpi()
    comm = _own(comm)
    complaint: Optional[BaseException] = None
    value: Any = None
    try:
        value = make()
    except BaseException as error:
        complaint = error
    speaker = comm.allreduce(comm.size if complaint is None else comm.rank, op=MPI.MIN)
    if speaker == comm.size:
        return value  # type: ignore[no-any-return]
    told = (_kind(complaint), str(complaint)) if comm.rank == speaker else None
    kind, text = comm.bcast(told, root=speaker)
    raise kind(text) from (complaint if comm.rank == speaker else None)


only_some_gave_out = "some ranks passed an output array, others did not; pass one on every rank, or on none"


def given_or_new(comm: MPI.Comm, out: Optional[_T], make: Callable[[], _T]) -> _T:
    """``out``, or where nobody passed one what ``make()`` makes, collectively. An error on every rank if only some passed
    one: the others would wait for them. Collective."""
    _require_mpi()
    if comm.size > 1:
        given = _own(comm).allreduce(0 if out is None else 1)
        if 0 < given < comm.size:
            raise MismatchError(only_some_gave_out)
    return make() if out is None else out


def _kind(error: Optional[BaseException]) -> type[Exception]:
    """A type that every rank can make from a text."""
    if isinstance(error, Error):
        return by_code(error.code)
    for kind in (TypeError, ValueError, MemoryError):
        if isinstance(error, kind):
            return kind
    return RuntimeError
