# SPDX-License-Identifier: BSD-3-Clause
"""Every rank raises the same error, also for what only one of them did wrong."""

import unittest

import numpy as np
import on_ranks
import weft


class ErrorsTest(unittest.TestCase):
    def expect(self, kind, act, part=""):
        comm = on_ranks.comm
        with self.assertRaises(kind) as caught:
            act()
        texts = comm.allgather((type(caught.exception).__name__, str(caught.exception)))
        self.assertEqual(len(set(texts)), 1, texts)
        self.assertIn(part, texts[0][1])
        self.assertIsInstance(caught.exception, (weft.Error, TypeError, RuntimeError))

    def test_communicators_that_are_none(self):
        freed = on_ranks.comm.Dup()
        freed.Free()
        for comm in (freed, 3):
            with self.assertRaises(weft.ArgumentError):
                weft.plan((4, 4), comm)

    def test_of_planning(self):
        comm = on_ranks.comm
        self.expect(weft.NameError, lambda: weft.plan((8, 8), comm, algorithm="slap"), "slap")
        self.expect(weft.NameError, lambda: weft.plan((8, 8), comm, planning="lazy"), "lazy")
        self.expect(weft.ArgumentError, lambda: weft.plan((8, 8), comm, dtype=int), "int64")
        self.expect(weft.ArgumentError, lambda: weft.plan((8, 8), comm, axes=[2]), "axis 2")
        self.expect(weft.ArgumentError, lambda: weft.plan((8, 8), comm, peer_timeout=-1), "peer timeout")
        self.expect(weft.DistributionError, lambda: weft.plan((8, 8), comm, input="[b0 q1]"))
        self.expect(TypeError, lambda: weft.plan((8, 8), comm, speed="high"), "speed")
        self.expect(
            weft.DistributionError,
            lambda: weft.plan((8, 8), comm, input=weft.Distribution.parse("[b0 *]", (8, 9), [comm.size])),
        )
        last = comm.rank == comm.size - 1
        # Only the last rank is wrong.
        self.expect(weft.NameError, lambda: weft.plan((8, 8), comm, scaling="half" if last else "none"), "half")
        if comm.size > 1:
            self.expect(weft.MismatchError, lambda: weft.plan((8, 9 if last else 8), comm))

    def test_types(self):
        self.assertTrue(issubclass(weft.ArgumentError, ValueError))
        self.assertTrue(issubclass(weft.BufferError, BufferError))
        self.assertTrue(issubclass(weft.FileError, OSError))
        self.assertTrue(issubclass(weft.NameError, weft.Error))
        self.assertEqual([weft.errors.by_code(n).code for n in range(1, 10)], list(range(1, 10)))

    def test_of_calls(self):
        comm = on_ranks.comm
        where = weft.Distribution.parse("[b0 *]", (8, 6), [comm.size])
        plan = weft.plan((8, 6), comm, input=where, output=where)
        x, y = plan.make_input(), plan.make_output()
        last = comm.rank == comm.size - 1

        def wrong(value, right):
            return value if last else right

        cases = [
            (np.zeros((3, 3), complex), y, "local shape (3, 3)"),
            (np.zeros(x.shape, "U2"), y, "elements of <U2"),
            (x, np.zeros(y.shape, np.float64), "elements of float64"),
            (x, np.zeros(y.shape[::-1], complex).T, "strides"),
            (x, "nothing", "local shape ()"),
        ]
        for given, out, part in cases:
            self.expect(weft.BufferError, lambda: plan.forward(wrong(given, x), wrong(out, y)), part)
            self.expect(weft.BufferError, lambda: plan.backward(wrong(given, y), wrong(out, x)), part)
        fixed = np.zeros(y.shape, complex)
        fixed.flags.writeable = False
        self.expect(weft.BufferError, lambda: plan.forward(x, wrong(fixed, y)), "read-only")
        self.expect(weft.BufferError, lambda: plan.forward(x, wrong(x, y)), "same memory")
        other = weft.Array(weft.Distribution.parse("[* b0]", (8, 6), [comm.size]), comm.rank)
        if comm.size > 1:
            self.expect(weft.BufferError, lambda: plan.forward(wrong(other, x), y), "distributed as [* b0]")
        self.expect(weft.BufferError, lambda: plan.start_forward(wrong(np.zeros((3, 3)), x), y), "local shape (3, 3)")
        run = plan.start_forward(x, y)
        self.expect(weft.BufferError, lambda: plan.start_backward(y, plan.make_input()), "under way")
        run.wait()
        if comm.size > 1:
            self.expect(weft.MismatchError, lambda: plan.forward(x, wrong(None, y)), "ranks passed an output array")
            self.expect(weft.MismatchError, lambda: plan.start_backward(y, wrong(x, None)), "passed an output array")
        # And the plan still works.
        x[...] = 1
        plan.forward(x, y)
        total = comm.allreduce(complex(np.asarray(y).sum()))
        self.assertAlmostEqual(total, 48)

    def test_of_redistributions(self):
        comm = on_ranks.comm
        last = comm.rank == comm.size - 1
        a = weft.Distribution.parse("[b0 *]", (8, 6), [comm.size])
        b = weft.Distribution.parse("[* b0]", (8, 6), [comm.size])
        move = weft.Redistribution(a, b, float, comm)
        x = move.make_source()
        self.expect(weft.BufferError, lambda: move(np.zeros((1, 1)) if last else x), "local shape (1, 1)")
        move(x)
        self.expect(weft.ArgumentError, lambda: weft.Redistribution(None if last else a, b, float, comm), "no Distribution")
        self.expect(weft.ArgumentError, lambda: weft.Redistribution(a, b, object, comm), "objects")
        self.expect(weft.ArgumentError, lambda: weft.redistribute(np.zeros(3), "[b0]", comm), "global indices")
        self.expect(weft.ArgumentError, lambda: weft.Halo(None if last else a, (1, 1), (1, 1), comm=comm), "no Distribution")

    def test_progress_that_raises(self):
        comm = on_ranks.comm

        def report(done, total, seconds, best):
            raise KeyError("stop")

        self.expect(RuntimeError, lambda: weft.plan((32, 32), comm, planning="measure", on_progress=report))


if __name__ == "__main__":
    unittest.main()
