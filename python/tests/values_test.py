# SPDX-License-Identifier: BSD-3-Clause
"""Distributions, arrays, layouts, pictures and explanations: nothing here needs other ranks."""

import ast
import copy
import inspect
import pickle
import unittest

import numpy as np
import weft
from weft import plans


class DistributionTest(unittest.TestCase):
    def test_parts(self):
        how = weft.Distribution.parse("[b0 c1/2]@2x3", (5, 14))
        self.assertEqual((how.shape, how.grid, how.ranks, how.ndim), ((5, 14), (2, 3), 6, 2))
        self.assertEqual(how.local_shape(0), (3, 6))
        self.assertEqual(list(how.indices(4, 0)), [3, 4])
        self.assertEqual(list(how.indices(4, 1)), [2, 3, 8, 9])
        seen = np.zeros(how.shape, int)
        for rank in range(how.ranks):
            seen[np.ix_(how.indices(rank, 0), how.indices(rank, 1))] += 1
            for i in how.indices(rank, 0):
                for j in how.indices(rank, 1):
                    self.assertEqual(how.owner((i, j)), rank)
        self.assertTrue(np.all(seen == 1))
        self.assertEqual(how, weft.Distribution.parse(how.text, how.shape))
        self.assertEqual(hash(how), hash(weft.Distribution.parse(how.text, how.shape)))
        self.assertNotEqual(how, weft.Distribution.parse("[b0 c1]@2x3", (5, 14)))
        self.assertEqual(pickle.loads(pickle.dumps(how)), how)
        self.assertEqual(str(how), "[b0 c1/2]@2x3")

    def test_bricks(self):
        boxes = [([0, 0], [2, 5]), ([2, 0], [4, 5])]
        how = weft.Distribution.bricks((4, 5), boxes)
        self.assertTrue(how.is_bricks)
        self.assertEqual([(list(a), list(b)) for a, b in how.boxes], boxes)
        self.assertEqual(pickle.loads(pickle.dumps(how)), how)
        with self.assertRaises(weft.DistributionError):
            weft.Distribution.bricks((4, 5), boxes[:1])
        self.assertEqual(weft.Distribution.balanced_bricks((4, 6), (2, 2)).local_shape(3), (2, 3))


class ArrayTest(unittest.TestCase):
    def setUp(self):
        self.how = weft.Distribution.parse("[b0 c1]@2x2", (6, 9))
        self.x = weft.Array(self.how, 3, float)
        self.x[...] = self.x.mesh[0] * 100 + self.x.mesh[1]

    def test_knows_its_indices(self):
        x = self.x
        self.assertEqual((x.shape, x.global_shape, x.rank, x.batch), ((3, 4), (6, 9), 3, 1))
        self.assertEqual(x.slices, (slice(3, 6, 1), slice(1, 8, 2)))
        whole = np.add.outer(np.arange(6) * 100, np.arange(9))
        self.assertTrue(np.array_equal(whole[x.slices], x))
        self.assertTrue(np.array_equal(whole[x.mesh], x))
        self.assertTrue(x.owns((4, 3)) and not x.owns((4, 2)) and not x.owns((0, 1)) and not x.owns((4,)))
        self.assertEqual(x.at((4, 3)), 403)
        x.put_at((4, 3), -1)
        self.assertEqual(x[1, 1], -1)
        with self.assertRaises(weft.ArgumentError):
            x.at((4, 2))

    def test_what_keeps_its_indices(self):
        x = self.x
        z = x.astype(complex)
        for kept in (x + 1, 2 * x, np.sin(x), x.copy(), copy.deepcopy(x), x[...], x[:], np.zeros_like(x), z, z.real,
                     z.imag, pickle.loads(pickle.dumps(x)), x.view()):
            self.assertEqual(kept.distribution, self.how)
            self.assertEqual(kept.indices[1][2], 5)
        for lost in (x[1:], x[::-1], x[:, ::-1], x.T, x.sum(axis=0), x.reshape(-1), x[0], x[:, :1] + 0):
            self.assertIsNone(lost.distribution)
            with self.assertRaises(weft.ArgumentError):
                lost.indices
        square = weft.Array(weft.Distribution.parse("[b0 *]", (8, 4), [2]), 0)
        self.assertEqual(square.shape, (4, 4))
        self.assertIsNone(square.T.distribution)
        self.assertIsNone(square.T.copy().distribution)
        self.assertIsInstance(x.sum(), float)

    def test_block_cyclic_has_no_slices(self):
        x = weft.Array(weft.Distribution.parse("[c0/2]", (16,), [2]), 1)
        with self.assertRaises(weft.ArgumentError):
            x.slices
        self.assertEqual(list(x.indices[0]), [2, 3, 6, 7, 10, 11, 14, 15])

    def test_batch(self):
        x = weft.Array(self.how, 0, complex, batch=2)
        self.assertEqual((x.shape, x.batch, x.global_shape), ((2, 3, 5), 2, (6, 9)))
        x.put_at((1, 4), 5j, component=1)
        self.assertEqual((x[1, 1, 2], x.at((1, 4), 1), x.at((1, 4))), (5j, 5j, 0))
        with self.assertRaises(weft.ArgumentError):
            x.at((1, 4), 2)

    def test_of_a_rank_that_owns_nothing(self):
        x = weft.Array(weft.Distribution.parse("[b0 *]", (2, 3), [4]), 3)
        self.assertEqual((x.shape, x.size, x.owns((0, 0))), ((0, 3), 0, False))
        self.assertEqual((x + 1).distribution, x.distribution)
        self.assertEqual(x.slices[0].stop - x.slices[0].start, 0)

    def test_arrays_that_lie_otherwise(self):
        one, other, same = (
            weft.Array(weft.Distribution.parse(text, (8, 6), grid), 1)
            for text, grid in (("[b0 *]", [2]), ("[c0 *]", [2]), ("[b0 b1]", [2, 1]))
        )
        with self.assertRaisesRegex(weft.DistributionError, r"\[b0 \*\]@2 and \[c0 \*\]@2"):
            one * other
        with self.assertRaises(weft.DistributionError):
            one += other
        self.assertEqual((one * same).distribution, one.distribution)
        self.assertEqual((one * np.asarray(other)).distribution, one.distribution)

    def test_layout(self):
        layout = weft.ghosted((3, 5), (1, 2), (1, 0))
        x = weft.Array(self.how, 0, float, layout=layout)
        self.assertEqual(x.strides, (7 * 8, 8))
        x[...] = 1
        self.assertEqual(x._block.view(float)[layout.offset], 1)
        self.assertEqual(x._block.view(float).sum(), 15)
        with self.assertRaises(weft.BufferError):
            weft.Array(self.how, 0, float, block=np.zeros(10))


class ExplanationTest(unittest.TestCase):
    def test_of_many_ranks(self):
        found = weft.explain((256, 256, 256), 1024, dtype=float)
        self.assertEqual(found.ranks, 1024)
        self.assertIn(found.chosen.algorithm, weft.algorithm_names())
        self.assertEqual(found.chosen.verdict, "chosen")
        self.assertGreater(found.chosen.seconds, 0)
        self.assertGreater(len(found.chosen.exchanges), 0)
        self.assertIn(found.chosen.algorithm, str(found))
        self.assertTrue(all(found.refused.values()))
        with self.assertRaises(weft.NameError):
            weft.explain((8, 8), 4, algorithm="none such")

    def test_arguments_are_those_that_types_name(self):
        with open(plans.__file__) as file:
            written = [n for n in ast.walk(ast.parse(file.read())) if isinstance(n, ast.FunctionDef)]
        for function in (weft.plan, weft.explain):
            typed = next(n for n in written if n.name == function.__name__ and n.args.kwonlyargs)
            names = [a.arg for a in typed.args.args + typed.args.kwonlyargs]
            self.assertEqual(names, list(inspect.signature(function).parameters))

    def test_names(self):
        self.assertIn("pencil", weft.algorithm_names())
        self.assertIn("p2p", weft.exchange_names())
        self.assertIn("weft", weft.local_names())
        self.assertRegex(weft.__version__, r"\d+\.\d+")


class DrawTest(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        from weft import draw

        self.draw = draw

    def test_distribution(self):
        how = weft.Distribution.parse("[b0 * c1]@2x2", (4, 3, 6))
        plane = self.draw.owners(how, axes=(0, 2), at=(0, 1, 0))
        self.assertEqual(plane.shape, (4, 6))
        for (i, k), rank in np.ndenumerate(plane):
            self.assertEqual(rank, how.owner((i, 1, k)))
        ax = self.draw.distribution(how, axes=(0, 2))
        self.assertEqual(len(ax.texts), 24)
        self.assertEqual(ax.get_title(), how.text)
        ax = self.draw.distribution(weft.Distribution.parse("[c0]", (12,), [3]))
        self.assertEqual([t.get_text() for t in ax.texts][:4], ["0", "1", "2", "0"])
        with self.assertRaises(weft.ArgumentError):
            self.draw.owners(how, axes=(0, 0))

    def test_phases(self):
        shapes, ranks = [(8, 8, 8), (64, 64, 64)], [1, 4, 64]
        names = self.draw.chosen(shapes, ranks)
        self.assertEqual(names[1, 2], weft.explain((64, 64, 64), 64).chosen.algorithm)
        ax = self.draw.phases(shapes, ranks)
        self.assertEqual({t.get_text() for t in ax.get_legend().get_texts()}, set(names.ravel()))

    def test_timeline(self):
        def entry(kind, begin, end):
            return weft.TimelineEntry("forward", 0, 0, "T(0)", kind, begin, end)

        ax = self.draw.timeline([[entry("transform", 10.0, 10.5), entry("wait", 10.5, 11)], [entry("copy", 10.2, 10.3)]])
        drawn = sum(len(c.get_paths()) for c in ax.collections)
        self.assertEqual(drawn, 3)


if __name__ == "__main__":
    unittest.main()
