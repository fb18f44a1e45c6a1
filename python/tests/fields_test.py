"""Gathering, scattering, sums and derivatives on real ranks."""

import os
import random
import tempfile
import unittest

import draws
import numpy as np
import on_ranks
import weft


class FieldsTest(unittest.TestCase):
    def test_gather_and_scatter(self):
        comm = on_ranks.comm
        for seed in draws.seeds(6, comm):
            dice = random.Random(seed)
            shape = tuple(dice.randint(1, 8) for _ in range(dice.randint(1, 3)))
            how = "any"
            while not isinstance(how, weft.Distribution):
                how = draws.distribution_of(dice, shape, comm.size)
            dtype = np.dtype(dice.choice(["i2", "f4", "f8", "c8", "c16"]))
            batch, root = dice.randint(1, 2), dice.randrange(comm.size)
            whole = draws.values_of(dice, ((batch,) if batch > 1 else ()) + shape, "D")
            whole = (100 * whole.real).astype(dtype) if dtype.kind != "c" else whole.astype(dtype)
            x = weft.Array(how, comm.rank, dtype, batch=batch)
            weft.scatter(whole if comm.rank == root else None, x, comm, root)
            draws_own = weft.Array(how, comm.rank, dtype, batch=batch)
            draws.scatter(whole, draws_own)
            self.assertTrue(np.array_equal(x, draws_own))
            back = weft.gather(x.copy(order="F"), comm, root)
            if comm.rank == root:
                self.assertTrue(np.array_equal(back, whole))
            else:
                self.assertIsNone(back)
            total = weft.sum(x, comm)
            self.assertTrue(np.isclose(total, whole.astype("D").sum(), atol=1e-3 if dtype.char in "fF" else 1e-12))
        with self.assertRaises(weft.ArgumentError):
            weft.gather(np.zeros(3), comm)
        with self.assertRaises(weft.BufferError):
            weft.scatter(np.zeros((1, 1, 1, 1)), x, comm)

    def test_files(self):
        comm = on_ranks.comm
        if not weft.can_store():
            self.skipTest("built without parallel HDF5")
        folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
        shape = (9, 6, 7)
        rows = weft.Distribution.parse("[b0 * *]", shape, [comm.size])
        columns = weft.Distribution.parse("[* c0 *]", shape, [comm.size])
        for dtype in ("f4", "f8", "c8", "c16"):
            for batch in (1, 2):
                name = os.path.join(folder, f"{dtype}_{batch}.h5")
                x = weft.Array(rows, comm.rank, dtype, batch=batch)
                x[...] = np.random.default_rng(comm.rank).standard_normal(x.shape)
                weft.write(name, x, comm)
                found = weft.look_into(name, comm)
                self.assertEqual(found, (shape, batch, np.dtype(dtype), rows.text))
                y = weft.read(name, weft.Array(columns, comm.rank, dtype, batch=batch), comm)
                self.assertTrue(np.array_equal(draws.whole_of(y, comm), draws.whole_of(x, comm)))
        with self.assertRaises(weft.FileError):
            weft.look_into(os.path.join(folder, "none.h5"), comm)
        with self.assertRaises(weft.ArgumentError):
            weft.write(name, weft.Array(rows, comm.rank, np.int32), comm)

    def test_spectral(self):
        comm = on_ranks.comm
        shape, lengths = (12, 10, 8), (2 * np.pi, 1.0, 3.0)
        for dtype in (float, complex, np.float32):
            plan = weft.plan(shape, comm, dtype, scaling="backward")
            helper = weft.Spectral(plan, lengths)
            x = plan.make_input()
            at = [i * length / n for i, length, n in zip(x.mesh, lengths, shape)]
            k, q = 2 * np.pi / lengths[1], 2 * np.pi / lengths[2]
            x[...] = np.sin(at[0]) * np.cos(2 * k * at[1]) + np.sin(q * at[2])
            modes = plan.forward(x)
            tight = dict(atol=1e-3) if dtype is np.float32 else dict(atol=1e-10)
            slope = plan.backward(helper.derivative(modes, 1))
            self.assertTrue(np.allclose(slope, np.sin(at[0]) * -2 * k * np.sin(2 * k * at[1]), **tight))
            gradient = helper.gradient(modes)
            self.assertEqual(gradient.batch, 3)
            self.assertTrue(np.allclose(gradient[1], helper.derivative(modes, 1)))
            flat = helper.laplacian(modes)
            self.assertTrue(np.allclose(helper.divergence(gradient), flat, **tight))
            self.assertTrue(np.allclose(helper.curl(gradient), 0, atol=1e-2 if dtype is np.float32 else 1e-9))
            again = plan.backward(helper.poisson(flat))
            self.assertTrue(np.allclose(again, x, **tight))
            self.assertAlmostEqual(helper.mean_squares(modes)[0], 0.25 + 0.5, places=5)
            shells = helper.spectrum(modes)
            self.assertAlmostEqual(sum(s.power for s in shells), 0.75, places=5)
            mesh = helper.mesh
            self.assertEqual(np.broadcast_shapes(*(m.shape for m in mesh)), modes.shape)
            if 0 not in modes.shape:
                expected = np.fft.fftfreq(12, 1 / 12)[modes.indices[0][0]]
                # NumPy calls the mode in the middle negative.
                self.assertEqual(mesh[0].ravel()[0], abs(expected) if expected == -6 else expected)


if __name__ == "__main__":
    unittest.main()
