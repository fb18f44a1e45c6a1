# SPDX-License-Identifier: BSD-3-Clause
"""Transforms on one rank under the names that FFTW's have in mpi4py-fft; Weft does them."""

from .factory import (
    cleanup as cleanup,
    export_wisdom as export_wisdom,
    fftlib as fftlib,
    forget_wisdom as forget_wisdom,
    get_fftw_lib as get_fftw_lib,
    get_planned_FFT as get_planned_FFT,
    import_wisdom as import_wisdom,
    set_timelimit as set_timelimit,
)
from .utilities import *
from .utilities import flag_dict as flag_dict
from .xfftn import *
