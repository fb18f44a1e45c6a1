# SPDX-License-Identifier: BSD-3-Clause
"""A program of someone else, which knows Weft by its installed package alone."""

import numpy as np
import weft
from weft.mpi4py_fft import PFFT, newDistArray

plan = weft.plan((12, 10, 8), dtype=float, scaling="backward")
x = plan.make_input()
x[...] = np.cos(2 * np.pi * x.mesh[0] / 12)
modes = plan.forward(x)
wanted = np.where((np.isin(modes.mesh[0], (1, 11))) & (modes.mesh[1] == 0) & (modes.mesh[2] == 0), 480, 0)
good = np.allclose(modes, wanted) and np.allclose(plan.backward(modes), x)

fft = PFFT(plan.comm, (12, 10, 8), dtype=float)
u = newDistArray(fft, False)
u[:] = 1
good = good and np.allclose(fft.backward(fft.forward(u)), u)
good = plan.comm.allreduce(good, min)
if plan.rank == 0:
    print("ok" if good else "wrong")
