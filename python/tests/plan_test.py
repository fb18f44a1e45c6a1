# SPDX-License-Identifier: BSD-3-Clause
"""Plans on real ranks against numpy.fft."""

import random
import unittest

import draws
import numpy as np
import on_ranks
import weft


def draw(seed, ranks):
    """(shape, dtype, arguments of weft.plan)"""
    dice = random.Random(1000 * ranks + seed)
    axes_count = dice.randint(1, 4)
    shape = [dice.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16]) for _ in range(axes_count)]
    dtype = np.dtype(dice.choice(["F", "D", "D", "f", "d", "d"]))
    how = {}
    axes = sorted(dice.sample(range(axes_count), dice.randint(1, axes_count)))
    if dice.random() < 0.5:
        how["axes"] = axes
    else:
        axes = list(range(axes_count))
    real_axis = axes[-1]
    if dtype.kind == "f" and dice.random() < 0.5:
        how["real_axis"] = real_axis = dice.choice(axes)
    kinds = None
    if dice.random() < 0.35:
        names = ["none", "c2c", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"]
        kinds = [dice.choice(names) for _ in shape]
        kinds = ["dct2" if k == "dct1" and n < 2 else k for k, n in zip(kinds, shape)]
        if dtype.kind == "c":
            kinds[dice.randrange(axes_count)] = "c2c"
        elif "c2c" in kinds or dice.random() < 0.5:
            real_axis = dice.randrange(axes_count)
            kinds[real_axis] = "r2c"
        elif set(kinds) == {"none"}:
            kinds[0] = "dct2"
        how = {"kinds": kinds}
    else:
        kinds = ["c2c" if a in axes else "none" for a in range(axes_count)]
        if dtype.kind == "f":
            kinds[real_axis] = "r2c"
    how["input"] = draws.distribution_of(dice, shape, ranks)
    halved = list(shape)
    if "r2c" in kinds:
        halved[real_axis] = shape[real_axis] // 2 + 1
    how["output"] = draws.distribution_of(dice, halved, ranks)
    if dice.random() < 0.3:
        how["batch"] = dice.randint(2, 3)
        how["interleaved"] = dice.random() < 0.5
    how["scaling"] = dice.choice(["none", "forward", "backward", "ortho"])
    how["in_place"] = dice.random() < 0.3
    if dice.random() < 0.2:
        how["threads"] = 2
    return shape, dtype, how, kinds, dice


def numpy_forward(x, kinds, first):
    """Axis by axis, nothing scaled."""
    for axis, kind in enumerate(kinds):
        if kind[0] == "d":
            x = draws.summed(kind, x, axis + first)
    if "r2c" in kinds:
        x = np.fft.rfft(x, axis=kinds.index("r2c") + first)
    for axis, kind in enumerate(kinds):
        if kind == "c2c":
            x = np.fft.fft(x, axis=axis + first)
    return x


class PlanTest(unittest.TestCase):
    def check(self, seed):
        comm = on_ranks.comm
        shape, dtype, how, kinds, dice = draw(seed, comm.size)
        plan = weft.plan(shape, comm, dtype, **how)
        tolerance = 1e-5 if dtype.char in "fF" else 1e-13
        batch = how.get("batch", 1)
        lead = (batch,) if batch > 1 else ()
        whole = draws.values_of(dice, lead + tuple(shape), dtype)
        N = float(np.prod([draws.factor_of(k, n) for k, n in zip(kinds, shape)]))
        wanted = numpy_forward(whole, kinds, len(lead)) * {"forward": 1 / N, "ortho": N**-0.5}.get(how["scaling"], 1)
        scale = max(1.0, np.abs(wanted).max())

        x = plan.make_input()
        draws.scatter(whole, x)
        modes = plan.forward(x)
        self.assertIsInstance(modes, weft.Array)
        self.assertEqual(modes.distribution, plan.output)
        found = draws.whole_of(modes, comm)
        self.assertLess(np.abs(found - wanted).max() / scale, tolerance)
        if how["in_place"]:
            self.assertEqual(x.size > 0 and modes.size > 0, np.shares_memory(modes, x))
        else:
            self.assertTrue(np.array_equal(draws.whole_of(x, comm), whole))

        # Back; twice with arrays of the user's own, which the plan has not made.
        factor = N if how["scaling"] == "none" else 1
        if how["in_place"]:
            back = plan.backward(modes)
        else:
            mine = weft.Array(plan.output, plan.rank, plan.output_dtype, batch=batch, layout=plan.output_layout)
            mine[...] = modes
            back = weft.Array(plan.input, plan.rank, plan.input_dtype, batch=batch, layout=plan.input_layout)
            self.assertIs(plan.backward(mine, out=back), back)
            plain = np.empty(back.shape, back.dtype)
            if how.get("interleaved"):
                plain = np.moveaxis(np.empty(back.shape[1:] + (batch,), back.dtype), -1, 0)
            self.assertIs(plan.backward(np.asfortranarray(np.asarray(modes)), plain), plain)
            self.assertTrue(np.array_equal(plain, back))
        restored = draws.whole_of(back, comm)
        self.assertLess(np.abs(restored / factor - whole).max(), 4 * tolerance * max(1, np.abs(whole).max()))

    def test_random_problems(self):
        for seed in draws.seeds(18, on_ranks.comm):
            with self.subTest(WEFT_SEED=seed, ranks=on_ranks.comm.size):
                self.check(seed)

    def test_started(self):
        """Several at once, of any problems, there and back."""
        comm = on_ranks.comm
        for seed in draws.seeds(6, comm):
            shape, dtype, how, kinds, dice = draw(seed, comm.size)
            plan = weft.plan(shape, comm, dtype, **how)
            lead = (how["batch"],) if how.get("batch", 1) > 1 else ()
            fields = [draws.values_of(dice, lead + tuple(shape), dtype) for _ in range(3)]
            N = float(np.prod([draws.factor_of(k, n) for k, n in zip(kinds, shape)]))
            arrays = [plan.make_input() for _ in fields]
            for whole, x in zip(fields, arrays):
                draws.scatter(whole, x)
            runs = [plan.start_forward(x) for x in arrays]
            while not runs[1].test():
                pass
            self.assertTrue(runs[1].done)
            modes = [run.wait() for run in runs]
            self.assertIs(runs[0].wait(), modes[0])
            for whole, found in zip(fields, modes):
                wanted = numpy_forward(whole, kinds, len(lead)) * {"forward": 1 / N, "ortho": N**-0.5}.get(how["scaling"], 1)
                error = np.abs(draws.whole_of(found, comm) - wanted).max() / max(1.0, np.abs(wanted).max())
                self.assertLess(error, 1e-5 if dtype.char in "fF" else 1e-13)
            # The second is dropped, not waited for; arrays that nobody else has stay until it is done.
            with plan.start_backward(modes[0]) as first:
                second = plan.start_backward(modes.pop())
            self.assertTrue(first.done)
            back, factor = first.wait(), N if how["scaling"] == "none" else 1
            restored = draws.whole_of(back, comm) / factor
            del second, plan
            self.assertLess(np.abs(restored - fields[0]).max(), 4e-5 if dtype.char in "fF" else 4e-13)

    def test_fewer_modes(self):
        comm = on_ranks.comm
        shape = (12, 9, 10)
        for dtype in (float, complex):
            plan = weft.plan(shape, comm, dtype, modes=(7, 9, 5), scaling="forward")
            whole = draws.values_of(random.Random(5), shape, dtype)
            x = plan.make_input()
            draws.scatter(whole, x)
            found = draws.whole_of(plan.forward(x), comm)
            kept = [[i if i <= m // 2 else i - m for i in range(m)] for m in (7, 9, 5)]
            if dtype is float:
                kept[2] = [0, 1, 2]
            self.assertTrue(np.allclose(found, np.fft.fftn(whole)[np.ix_(*kept)] / whole.size))
            again = plan.forward(plan.backward(plan.forward(x)))
            self.assertTrue(np.allclose(draws.whole_of(again, comm), found))

    def test_ghost_cells(self):
        comm = on_ranks.comm
        shape = (9, 6, 5)
        where = weft.Distribution.parse("[b0 * *]", shape, [comm.size])
        mine = where.local_shape(comm.rank)
        plan = weft.plan(shape, comm, input=where, input_layout=weft.ghosted(mine, (1, 1, 1), (2, 1, 1)))
        # The user's own memory: a block with cells around, of which the plan gets the inside.
        field = np.full(tuple(n + a for n, a in zip(mine, (3, 2, 2))), 7 + 0j)
        inside = field[1 : 1 + mine[0], 1:-1, 1:-1]
        whole = draws.values_of(random.Random(1), shape, complex)
        x = plan.make_input()
        self.assertEqual(x.shape, inside.shape)
        draws.scatter(whole, x)
        inside[...] = x
        for given in (x, inside, np.ascontiguousarray(x)):
            modes = plan.forward(given)
            found = draws.whole_of(modes, comm)
            self.assertTrue(np.allclose(found, np.fft.fftn(whole)))
        inside[...] = 0
        plan.backward(modes, out=inside)
        self.assertTrue(np.allclose(inside, np.asarray(x) * whole.size))
        outside = np.ones(field.shape, bool)
        outside[1 : 1 + mine[0], 1:-1, 1:-1] = False
        self.assertTrue(np.all(field[outside] == 7))

    def test_inputs_of_other_types(self):
        comm = on_ranks.comm
        plan = weft.plan((6, 5), comm, complex, input="[b0 *]", grid=[comm.size])
        x = plan.make_input()
        i, j = x.mesh
        modes = plan.forward(np.broadcast_to((i + 10 * j).astype(np.int16), x.shape))
        wanted = np.fft.fftn(np.add.outer(np.arange(6), 10 * np.arange(5)))
        self.assertTrue(np.allclose(draws.whole_of(modes, comm), wanted))

    def test_redistribution(self):
        comm = on_ranks.comm
        for seed in draws.seeds(6, comm):
            dice = random.Random(seed)
            shape = tuple(dice.randint(1, 9) for _ in range(dice.randint(1, 3)))
            ends = []
            while len(ends) < 2:
                drawn = draws.distribution_of(dice, shape, comm.size)
                if isinstance(drawn, weft.Distribution):
                    ends.append(drawn)
            dtype = np.dtype(dice.choice(["i2", "f8", "c16", "i1"]))
            whole = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
            batch = dice.choice([1, 1, 3])
            if batch > 1:
                whole = np.stack([whole + b for b in range(batch)])
            move = weft.Redistribution(*ends, dtype, comm, batch=batch)
            x = move.make_source()
            draws.scatter(whole, x)
            for moved in (move(x), weft.redistribute(x, ends[1], comm)):
                self.assertEqual(moved.distribution, ends[1])
                self.assertTrue(np.array_equal(np.asarray(moved), whole[(..., *moved.mesh)]))

    def test_reports(self):
        comm = on_ranks.comm
        plan = weft.plan((16, 12, 10), comm, output="same")
        self.assertEqual(plan.schedule, plan.report.schedule)
        self.assertIn(plan.report.algorithm, weft.algorithm_names())
        self.assertIn("chosen", str(plan.explain()))
        self.assertEqual(plan.explain().chosen.algorithm, plan.report.algorithm)
        x, y = plan.make_input(), plan.make_output()
        plan.record_timeline()
        plan.forward(x, y)
        plan.backward(y, x)
        plan.record_timeline(False)
        entries = plan.timeline()
        self.assertEqual({e.way for e in entries}, {"forward", "backward"})
        self.assertTrue(all(e.end >= e.begin for e in entries))
        self.assertTrue(any(e.kind == "transform" for e in entries) or x.size == 0)
        self.assertGreater(sum(seconds for _, seconds in plan.stage_times()), 0)
        plan.reset_stage_times()
        self.assertEqual(sum(seconds for _, seconds in plan.stage_times()), 0)
        again = weft.plan((16, 12, 10), comm, output="same", planning="measure", planning_seconds=0.2)
        self.assertEqual(again.explain().ranks, comm.size)

    def test_progress(self):
        comm = on_ranks.comm
        calls = []

        def report(done, total, seconds, best):
            calls.append((done, total, seconds, best))
            return done < 2

        weft.plan((32, 32), comm, planning="measure", on_progress=report)
        if comm.rank == 0:
            self.assertLessEqual(len(calls), 2)
            self.assertGreaterEqual(len(calls), 1)
        else:
            self.assertEqual(calls, [])


if __name__ == "__main__":
    unittest.main()
