# SPDX-License-Identifier: BSD-3-Clause
"""weft.mpi4py_fft on real ranks against numpy.fft and sums written out."""

import functools
import os
import random
import tempfile
import unittest
from unittest import mock

import draws
import numpy as np
import on_ranks
from mpi4py import MPI
from weft.mpi4py_fft import DistArray, HDF5File, PFFT, fftw, generate_xdmf, newDistArray
from weft.mpi4py_fft.libfft import FFT
from weft.mpi4py_fft.mpifft import _Planned, _Staged
from weft.mpi4py_fft.pencil import Pencil, Subcomm


def whole_of(local, slices, shape, comm):
    whole = np.full(shape, np.nan, local.dtype)
    for where, part in comm.allgather((slices, np.asarray(local))):
        whole[where] = part
    return whole


class PFFTTest(unittest.TestCase):
    def transform(self, fft, dice):
        """A random array forward and back through work arrays, given ones and strided ones: (values, modes)."""
        comm = on_ranks.comm
        close = functools.partial(np.allclose, atol=1e-5 if fft.dtype(False).char in "fF" else 1e-12)
        whole = draws.values_of(dice, fft.global_shape(False), fft.dtype(False))
        u = newDistArray(fft, False)
        u[:] = whole[fft.local_slice(False)]
        modes = newDistArray(fft, True)
        self.assertIs(fft.forward(u, modes), modes)
        self.assertTrue(np.array_equal(u, whole[fft.local_slice(False)]))  # kept
        fft.forward.input_array[...] = u
        self.assertTrue(close(fft.forward(), modes))
        self.assertTrue(close(fft.forward(np.asfortranarray(u), normalize=True), modes))
        restored = fft.backward(modes)
        if isinstance(fft.forward, _Planned):
            self.assertTrue(close(restored, u))
            back = np.zeros(u.shape + (2,), u.dtype)
            fft.backward(modes, back[..., 0])
            self.assertTrue(close(back[..., 0], u))
            fft.forward(u, normalize=False)
            scaled = fft.backward(normalize=True)
            self.assertTrue(close(scaled, u))
        return whole, whole_of(modes, fft.local_slice(True), fft.global_shape(True), comm)

    def test_fourier(self):
        comm = on_ranks.comm
        for seed in draws.seeds(8, comm):
            dice = random.Random(seed)
            count = dice.randint(2, 4)
            shape = [dice.randint(14, 18) if count == 2 else dice.randint(7, 9) for _ in range(count)]
            dtype = np.dtype(dice.choice("fdFD"))
            order = dice.sample(range(count), dice.randint(1, count))
            groups = [tuple(order)] if dice.random() < 0.2 and count > 2 else [(a,) for a in order]
            if len(groups[0]) == count:
                groups = [(a,) for a in order]
            with self.subTest(WEFT_SEED=seed, ranks=comm.size, shape=shape, dtype=dtype, groups=groups):
                fft = PFFT(comm, shape, axes=groups, dtype=dtype, collapse=dice.random() < 0.5)
                self.assertIsInstance(fft.forward, _Planned)
                whole, modes = self.transform(fft, dice)
                last = fft.axes[-1][-1]
                transformed = [a for g in fft.axes for a in g]
                factor = np.prod([shape[a] for a in transformed])
                wanted = whole.astype("D")
                others = transformed
                if dtype.kind == "f":
                    wanted = np.fft.rfft(whole, axis=last)
                    others = [a for a in transformed if a != last]
                if others:
                    wanted = np.fft.fftn(wanted, axes=others)
                self.assertEqual(modes.shape, wanted.shape)
                self.assertLess(np.abs(modes - wanted / factor).max(), 1e-6 if dtype.char in "fF" else 1e-14)
                fft.destroy()

    def test_cosines_and_sines(self):
        comm = on_ranks.comm
        dct = functools.partial(fftw.dctn, type=3), functools.partial(fftw.idctn, type=3)
        dst = functools.partial(fftw.dstn, type=1), functools.partial(fftw.idstn, type=1)
        fft = PFFT(comm, (7, 8, 9), axes=((0,), (1,), (2,)), grid=(-1,), transforms={(1,): dct, (2,): dst})
        self.assertIsInstance(fft.forward, _Planned)
        whole, modes = self.transform(fft, random.Random(1))
        wanted = np.fft.rfft(draws.summed("dct3", draws.summed("dst1", whole, 2), 1), axis=0) / (7 * 16 * 20)
        self.assertTrue(np.allclose(modes, wanted))

    def test_stages_and_one_plan_agree(self):
        comm = on_ranks.comm
        if comm.size > 7:
            self.skipTest("too small for so many ranks")
        for dtype in "dD":
            one = PFFT(comm, (8, 9, 14), dtype=dtype)
            with mock.patch.object(PFFT, "_kinds", lambda self: None):
                many = PFFT(comm, (8, 9, 14), dtype=dtype)
            self.assertIsInstance(many.forward, _Staged)
            u = np.random.default_rng(comm.rank).standard_normal(one.shape(False))
            self.assertEqual(one.local_slice(), many.local_slice())
            self.assertTrue(np.allclose(one.forward(u), many.forward(u)))
            self.assertTrue(np.allclose(many.backward(one.forward(u)), u))
            self.assertEqual((len(one.xfftn), len(one.transfer)), (3, 2))

    def test_padding(self):
        comm = on_ranks.comm
        fine = PFFT(comm, (8, 10, 14), padding=[1.5, 1.5, 1.5])
        coarse = PFFT(comm, (8, 10, 14))
        self.assertEqual(fine.global_shape(False), (12, 15, 21))
        self.assertEqual(fine.global_shape(True), coarse.global_shape(True))
        # Modes below the highest of the coarse grid have the same values at finer points.
        whole = np.zeros(fine.global_shape(True), complex)
        whole[1, 2, 3], whole[-2, 1, 0], whole[2, -1, 0] = 1 + 2j, 3, 3
        modes = whole[fine.local_slice(True)]
        values = whole_of(fine.backward(modes), fine.local_slice(False), (12, 15, 21), comm)
        i, j, k = np.ix_(np.arange(12) / 12, np.arange(15) / 15, np.arange(21) / 21)
        wave = functools.partial(lambda a, b, c: np.exp(2j * np.pi * (a * i + b * j + c * k)))
        wanted = 2 * ((1 + 2j) * wave(1, 2, 3)).real
        wanted = wanted + (3 * wave(-2, 1, 0) + 3 * wave(2, -1, 0)).real
        self.assertTrue(np.allclose(values, wanted))
        self.assertTrue(np.allclose(fine.forward(fine.backward(modes)), modes))

    def test_other_backends(self):
        comm = on_ranks.comm
        u = None
        for backend in ("fftw", "numpy"):
            fft = PFFT(comm, (8, 9, 14), backend=backend)
            u = np.random.default_rng(comm.rank).standard_normal(fft.shape(False)) if u is None else u
            modes = fft.forward(u).copy()
            kept = modes if backend == "fftw" else kept
            self.assertTrue(np.allclose(modes, kept))
            self.assertTrue(np.allclose(fft.backward(modes), u))
        with self.assertRaises(NotImplementedError):
            PFFT(comm, (8, 9, 14), backend="mkl_fft")

    def test_of_an_array(self):
        comm = on_ranks.comm
        sizes = MPI.Compute_dims(comm.size, [0, 0, 1])
        grid = Subcomm(comm, sizes)
        z = DistArray((8, 9, 14), subcomm=grid, dtype=float, alignment=2)
        there, transfer = z.get_pencil_and_transfer(0)
        moved = DistArray(z.global_shape, subcomm=there.subcomm, alignment=0)
        z[:] = np.random.default_rng(comm.rank).standard_normal(z.shape)
        transfer.forward(z, moved)
        fft = PFFT(comm, darray=moved)
        self.assertEqual(fft.axes[-1], (0,))
        modes = newDistArray(fft)
        fft.forward(moved, modes)
        whole = whole_of(moved, moved.local_slice(), (8, 9, 14), comm)
        found = whole_of(modes, modes.local_slice(), modes.global_shape, comm)
        axes = [a for g in fft.axes for a in g]
        self.assertTrue(np.allclose(found, np.fft.rfftn(whole, axes=axes) / whole.size))


class PencilTest(unittest.TestCase):
    def test_transfers(self):
        comm = on_ranks.comm
        for shape in ((7, 8), (9, 8, 7)):
            first = Pencil(Subcomm(comm, len(shape) - 1), shape)
            whole = np.arange(np.prod(shape)).reshape(shape)
            for axis in range(len(shape) - 1):
                there = first.pencil(axis)
                self.assertEqual(there.subshape[axis], shape[axis])
                move = first.transfer(there, int)

                def part(pencil):
                    return whole[tuple(slice(s, s + n) for s, n in zip(pencil.substart, pencil.subshape))].copy()

                b = np.zeros(there.subshape, int)
                move.forward(part(first), b)
                self.assertTrue(np.array_equal(b, part(there)))
                a = np.zeros(first.subshape, int)
                move.backward(b, a)
                self.assertTrue(np.array_equal(a, part(first)))
                move.destroy()

    def test_tensors(self):
        if on_ranks.comm.size != MPI.COMM_WORLD.size:
            self.skipTest("arrays without a communicator are on all ranks")
        z = DistArray((3, 3, 7, 8, 9), val=2, rank=2)
        self.assertEqual((z.rank, z[0].rank, z[0, 1].rank), (2, 1, 0))
        self.assertEqual(z.global_shape, (3, 3, 7, 8, 9))
        for c in np.ndindex(3, 3):
            z.v[c][...] = np.add.outer(3 * c[0] + c[1], np.indices((7, 8, 9)).sum(0)[z.local_slice()[2:]])
        y = z.redistribute(0)
        self.assertEqual(y.alignment, 0)
        back = y.redistribute(out=DistArray((3, 3, 7, 8, 9), subcomm=z.pencil.subcomm, alignment=2, rank=2))
        self.assertTrue(np.array_equal(back, z))
        line = y.get((1, 2, slice(None), 4, slice(1, None, 2)))
        if MPI.COMM_WORLD.rank == 0:
            self.assertTrue(np.array_equal(line, 5 + 4 + np.add.outer(np.arange(7), np.arange(1, 9, 2))))
        else:
            self.assertIsNone(line)
        self.assertEqual(np.ndim(z[0, 0][0]), 2)
        self.assertNotIsInstance(z[0, 0][0], DistArray)

    def test_files(self):
        world = MPI.COMM_WORLD
        if on_ranks.comm.size != world.size:
            self.skipTest("files are of all ranks")
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        folder = world.bcast(tempfile.mkdtemp() if world.rank == 0 else None)
        try:
            HDF5File(os.path.join(folder, "first.h5"), mode="w")
        except ImportError as not_for_this_mpi:
            # Debian's is for Open MPI.
            self.assertNotIn("Open MPI", MPI.Get_library_version(), str(not_for_this_mpi))
            self.skipTest(str(not_for_this_mpi))
        fft = PFFT(world, (8, 9, 14))
        for rank in (0, 1):
            name = os.path.join(folder, f"rank{rank}.h5")
            u = newDistArray(fft, False, rank=rank)
            u[:] = np.random.default_rng(world.rank).standard_normal(u.shape)
            file = HDF5File(name, domain=((0, 1.0), (0, 2.0), (0, 3.0)), mode="w")
            for step in (0, 1):
                file.write(step, {"u": [u, (u, [slice(None), 4, slice(None)])]})
            u.write(name, "v", 0, as_scalar=True)
            again = newDistArray(fft, False, rank=rank)
            again.read(name, "u", 1)
            self.assertTrue(np.array_equal(again, u))
            plane = u.get((0,) * rank + (slice(None), 4, slice(None)))
            if world.rank == 0:
                with h5py.File(name, "r") as f:
                    self.assertTrue(np.array_equal(f["u/2D/slice_4_slice/1"][(0,) * rank], plane))
                    self.assertEqual(sorted(f), ["u", "v"] if rank == 0 else ["u", "v0", "v1", "v2"])
                generate_xdmf(name)
                self.assertTrue(os.path.exists(name[:-3] + ".xdmf"))
            world.barrier()


class SerialTest(unittest.TestCase):
    def test_kinds(self):
        x = np.random.default_rng(1).standard_normal((6, 7))
        for kind, plan, back in (("dct", fftw.dctn, fftw.idctn), ("dst", fftw.dstn, fftw.idstn)):
            for number in (1, 2, 3, 4):
                a = fftw.aligned((6, 7))
                forward = plan(a, axes=(0, 1), type=number)
                a[:] = x
                modes = forward()
                wanted = draws.summed(f"{kind}{number}", draws.summed(f"{kind}{number}", x, 0), 1)
                self.assertTrue(np.allclose(modes, wanted), (kind, number))
                inverse = back(forward.output_array, axes=(0, 1), type=number)
                self.assertTrue(np.allclose(inverse(normalize=True), x))
        with self.assertRaises(NotImplementedError):
            fftw.get_planned_FFT(a, a.copy(), kind=fftw.FFTW_DHT)

    def test_fourier(self):
        x = np.random.default_rng(1).standard_normal((6, 7, 5))
        forward = fftw.rfftn(x.copy(), axes=(2, 0))
        modes = forward(x)
        self.assertTrue(np.allclose(modes, np.fft.fft(np.fft.rfft(x, axis=0), axis=2)))
        back = fftw.irfftn(modes.copy(), s=(5, 6), axes=(2, 0))
        self.assertTrue(np.allclose(back(modes, normalize=True), x))
        z = x + 1j
        self.assertTrue(np.allclose(fftw.fftn(z.copy(), axes=(1,))(z), np.fft.fft(z, axis=1)))
        swapped = np.asfortranarray(z)
        self.assertTrue(np.allclose(fftw.ifftn(swapped, axes=(1,))(swapped, normalize=True), np.fft.ifft(z, axis=1)))
        self.assertIsNone(fftw.get_fftw_lib("g"))
        self.assertEqual(fftw.get_alignment(fftw.aligned((3,), 32, "d")), 32)

    def test_padding(self):
        fft = FFT((12, 5), 0, dtype=complex, padding=1.5)
        self.assertEqual(fft.forward.output_array.shape, (8, 5))
        modes = np.random.default_rng(2).standard_normal((8, 5)) + 0j
        self.assertTrue(np.allclose(fft.forward(fft.backward(modes)), modes))


if __name__ == "__main__":
    unittest.main()
