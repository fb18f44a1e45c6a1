# SPDX-License-Identifier: BSD-3-Clause
"""Plane waves, boxes and arenas on real ranks."""

import gc
import itertools
import random
import unittest

import draws
import numpy as np
import on_ranks
import weft
from mpi4py import MPI


def boxed(dice, shape):
    """A box inside an array, and its slices."""
    low = [dice.randrange(n) for n in shape]
    high = [dice.randint(a + 1, n) for a, n in zip(low, shape)]
    return (low, high), tuple(slice(a, b) for a, b in zip(low, high))


class WavesTest(unittest.TestCase):
    def test_plane_waves(self):
        comm = on_ranks.comm
        for seed in draws.seeds(5, comm):
            dice = random.Random(seed)
            shape = [dice.randint(1, 8) for _ in range(3)]
            radii = [0.49 * n * dice.uniform(0.3, 1) for n in shape]
            bands, dtype = dice.randint(1, 3), np.dtype(dice.choice(["c8", "c16"]))
            by = weft.PlaneWaves(shape, radii, comm, dtype, bands=bands, exchange=dice.choice(["auto", "p2p"]))
            c = by.make_coefficients()
            k0, k1, k2 = by.waves.T
            for band in np.atleast_2d(c):
                band[...] = k0 + 2j * k1 - (1 + 1j) * k2 + dice.random()
            # The whole grid of modes, by all ranks' waves.
            whole = np.zeros([bands, *shape], complex)
            for waves, values in comm.allgather((by.waves, np.atleast_2d(c))):
                whole[(slice(None), *waves.T)] += values
            inside = [
                k
                for k in itertools.product(*(range(-(n // 2), n // 2 + 1) for n in shape))
                if sum((a / r) ** 2 for a, r in zip(k, radii)) <= 1
            ]
            self.assertEqual(comm.allreduce(len(by.waves)), len(inside))
            field = by.to_field(c)
            expected = np.fft.ifftn(whole, axes=(1, 2, 3), norm="forward")
            right = by.make_field()
            draws.scatter(expected if bands > 1 else expected[0], right)
            close = 1e-4 if dtype.char == "F" else 1e-11
            self.assertTrue(np.allclose(field, right, atol=close), seed)
            self.assertTrue(np.allclose(by.to_waves(field), c, atol=close))
            with self.assertRaises(weft.BufferError):
                by.to_field(c[..., :-1] if comm.rank == 0 else c, field)
            with self.assertRaises(weft.BufferError):
                by.to_waves(field, np.zeros(0, "i4") if comm.rank == comm.size - 1 else c)
        with self.assertRaises(weft.ArgumentError):
            weft.PlaneWaves((8, 8, 8), (9, 9, 9), comm)
        with self.assertRaises(weft.ArgumentError):
            weft.PlaneWaves((8, 8, 8), (2, 2, 2), comm, float)

    def test_boxes(self):
        comm = on_ranks.comm
        for seed in draws.seeds(5, comm):
            dice = random.Random(seed)
            shape = tuple(dice.randint(1, 8) for _ in range(dice.randint(1, 3)))
            there, part = boxed(dice, shape)
            wanted, piece = boxed(dice, shape)
            plan = weft.plan(shape, comm, input_box=there, output_box=wanted)
            whole = np.zeros(shape, complex)
            whole[part] = draws.values_of(dice, whole[part].shape, "D")
            x = plan.make_input()
            draws.scatter(whole[part], x)
            modes = plan.forward(x)
            expected = np.fft.fftn(whole)[piece]
            self.assertEqual(modes.global_shape, expected.shape)
            self.assertTrue(np.allclose(modes, expected[modes.mesh]))
        with self.assertRaises(weft.ArgumentError):
            weft.plan((4, 4), comm, input_box=((0, 0), (4, 5)))

    def test_arenas(self):
        comm = on_ranks.comm
        arena = weft.Arena()
        options = {"comm": comm, "output": "same", "exchange": "p2p", "idle_ranks": False}
        plans = [weft.plan((n, 6, 8), workspace=arena, **options) for n in (4, 12)]
        self.assertEqual(arena.bytes, max(plan.report.workspace_bytes for plan in plans))
        room = comm.allreduce(arena.bytes, op=MPI.MAX) + 64  # memory that is given may begin anywhere
        memory = np.zeros(room, np.uint8)
        plan = weft.plan((12, 6, 8), workspace=weft.Arena(memory), **options)
        del memory
        gc.collect()  # the plan keeps what it works in
        x = plan.make_input()
        if x.owns((0, 0, 0)):
            x.put_at((0, 0, 0), 1)
        self.assertTrue(np.allclose(plan.forward(x), 1))
        if comm.size > 1:
            small = weft.Arena(np.zeros(0 if comm.rank == 0 else room, np.uint8))
            with self.assertRaises(weft.BufferError):
                weft.plan((12, 6, 8), workspace=small, **options)
        with self.assertRaises(weft.BufferError):
            weft.Arena(np.zeros((4, 4), order="F"))
        with self.assertRaises(TypeError):
            weft.plan((4, 4), comm, workspace="here" if comm.rank == 0 else arena)
