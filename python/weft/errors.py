# SPDX-License-Identifier: BSD-3-Clause
"""What Weft raises, one type for each kind. Every rank of a communicator raises the same error with the same text."""

from __future__ import annotations

import builtins


class Error(Exception):
    """Base of everything Weft raises. ``code`` is the number of its kind in the C interface."""

    code = 0


class ArgumentError(Error, ValueError):
    """A value outside its limits."""

    code = 1


class DistributionError(Error, ValueError):
    """A distribution that does not fit its array, or boxes that do not tile."""

    code = 2


class BufferError(Error, builtins.BufferError):
    """Memory that is too small, of the wrong type, or the same where it must not be."""

    code = 3


class MismatchError(Error, ValueError):
    """Ranks passed different arguments."""

    code = 4


class NameError(Error, ValueError):
    """No algorithm, engine or option of that name."""

    code = 5


class ApplicabilityError(Error, ValueError):
    """The named algorithm or engine cannot do this problem."""

    code = 6


class MPIError(Error, RuntimeError):
    """An MPI call failed."""

    code = 7


class InternalError(Error, RuntimeError):
    """A defect in Weft."""

    code = 8


class FileError(Error, OSError):
    """A file that cannot be read, written or understood."""

    code = 9


_types: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (
        ArgumentError,
        DistributionError,
        BufferError,
        MismatchError,
        NameError,
        ApplicabilityError,
        MPIError,
        InternalError,
        FileError,
    )
}


def by_code(code: int) -> type[Error]:
    """The type of an error of the library."""
    return _types.get(code, Error)
