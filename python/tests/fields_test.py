# SPDX-License-Identifier: BSD-3-Clause
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

    def test_convolutions(self):
        comm = on_ranks.comm
        for seed in draws.seeds(4, comm):
            dice = random.Random(seed)
            shape = tuple(dice.randint(1, 9) for _ in range(dice.randint(1, 3)))
            dtype = np.dtype(dice.choice(["f4", "f8", "c8", "c16"]))
            batch = dice.randint(1, 2)
            scaling = dice.choice(["none", "forward", "ortho"])
            by = weft.Convolution(shape, comm, dtype, batch=batch, scaling=scaling)
            all_shape = ((batch,) if batch > 1 else ()) + shape
            whole, kernel = draws.values_of(dice, all_shape, "D"), draws.values_of(dice, shape, "D")
            if dtype.kind == "f":
                whole, kernel = whole.real, kernel.real
            axes = tuple(range(-len(shape), 0))
            x = by.make_field()
            draws.scatter(whole.astype(dtype), x)
            space = weft.Array(by.input, by.rank, dtype)
            draws.scatter(kernel.astype(dtype), space)
            limit = 1e-3 if dtype.itemsize == 4 or dtype == np.dtype("c8") else 1e-10
            transformed = np.fft.fftn(kernel, axes=axes)

            def close(part, want):
                wanted = weft.Array(by.input, by.rank, dtype, batch=batch)
                draws.scatter(want.astype(dtype), wanted)
                return np.allclose(part, wanted, rtol=0, atol=limit)

            by.kernel_in_space(space)
            want = np.fft.ifftn(np.fft.fftn(whole, axes=axes) * transformed, axes=axes)
            self.assertTrue(close(by.convolve(x), want if dtype.kind == "c" else want.real))
            want = np.fft.ifftn(np.fft.fftn(whole, axes=axes) * transformed.conj(), axes=axes)
            by.kernel_in_modes(lambda *mesh: transformed[mesh])
            self.assertTrue(close(by.correlate(x, x), want if dtype.kind == "c" else want.real))
        with self.assertRaises(weft.BufferError):  # of one rank, on all
            by.convolve(x if comm.rank else x.astype("i2"), by.make_field())
        with self.assertRaises(weft.ArgumentError):
            weft.Convolution((4, 4), comm, float, kinds=["dct2", "dct2"])
        with self.assertRaises(weft.ArgumentError):
            weft.Convolution((4, 4), comm, complex, kinds=["dct2", "c2c"])
        none = weft.Convolution((4, 4), comm, float)
        with self.assertRaisesRegex(weft.ArgumentError, "no kernel"):
            none.convolve(none.make_field())

        by = weft.Convolution((12, 12), comm, float, scaling="forward")
        a = by.make_modes()
        for index in ((1, 2), (11, 2)):  # 2 cos(x) cos(2 y), twice
            if a.owns(index):
                a.put_at(index, 0.5)
        product = by.product(a, a)  # 4 cos(x)^2 cos(2y)^2 = (1 + cos 2x)(1 + cos 4y); 4 is beyond 12/3
        for index, value in (((0, 0), 1), ((2, 0), 0.5), ((10, 0), 0.5), ((0, 4), 0), ((2, 4), 0)):
            if product.owns(index):
                self.assertAlmostEqual(product.at(index), value)

    def test_ghost_cells(self):
        comm = on_ranks.comm
        shape = (7, 5)
        low, high = (7 * comm.rank // comm.size, 0), (7 * (comm.rank + 1) // comm.size, 5)
        how = weft.bricks_of(shape, low, high, comm)
        self.assertEqual(how.local_shape(comm.rank), (high[0] - low[0], 5))
        for dtype in ("f4", "c16"):
            for batch in (1, 2):
                halo = weft.Halo(how, (1, 2), (2, 0), dtype, comm, batch)
                x = halo.make()
                x[...] = 100 * x.mesh[0] + x.mesh[1]
                if batch == 2:
                    x[1] += 0.5
                halo.fill(x)
                cells = halo.cells(x)
                if x.size:
                    i = np.arange(low[0] - 1, high[0] + 2).reshape(-1, 1) % 7
                    want = 100 * i + np.arange(-2, 5) % 5
                    self.assertTrue(np.array_equal(cells, want if batch == 1 else [want, want + 0.5]))
                cells[...] = 1
                halo.accumulate(cells)
                self.assertAlmostEqual(weft.sum(x, comm), comm.allreduce(cells.size))
                plan = weft.plan(shape, comm, complex, input=how, batch=batch, input_layout=halo.layout)
                if dtype == "c16":
                    plan.forward(x)
        with self.assertRaises(weft.BufferError):
            halo.fill(np.zeros(3))
        with self.assertRaises(weft.DistributionError):
            weft.bricks_of(shape, (0, 0), (1, 1), comm)

    def test_like(self):
        comm = on_ranks.comm
        one = weft.plan((6, 8, 4), comm, input="[* c0 *]")
        other = weft.plan((6, 8, 4), comm, np.float32, batch=3, like=one)
        self.assertEqual(other.input, one.input)
        with self.assertRaises(weft.ArgumentError):
            weft.plan((6, 8, 4), comm, like=one, input="[b0 * *]")

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

    def test_spectral_between_walls(self):
        comm = on_ranks.comm
        for dtype in (np.float64, np.float32):
            plan = weft.plan((8, 6), comm, dtype, kinds=["dct2", "dst2"], scaling="backward")
            helper = weft.Spectral(plan, (2.0, 3.0))
            x = plan.make_input()
            at = [(i + 0.5) * length / n for i, length, n in zip(x.mesh, (2.0, 3.0), (8, 6))]
            x[...] = np.cos(np.pi * at[0]) * np.sin(np.pi / 3 * at[1])  # two half waves, and one
            modes = plan.forward(x)
            tight = dict(atol=1e-4) if dtype is np.float32 else dict(atol=1e-12)
            square = np.pi**2 * (1 + 1 / 9)
            self.assertTrue(np.allclose(plan.backward(helper.laplacian(modes)), -square * x, **tight))
            self.assertTrue(np.allclose(plan.backward(helper.poisson(modes)), x / -square, **tight))
            self.assertAlmostEqual(helper.mean_squares(modes)[0], 0.25, places=5)
            self.assertAlmostEqual(sum(s.power for s in helper.spectrum(modes)), 0.25, places=5)


if __name__ == "__main__":
    unittest.main()
