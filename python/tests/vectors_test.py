# SPDX-License-Identifier: BSD-3-Clause
"""The test vectors that all languages share (tests/vectors)."""

import glob
import os
import unittest

import numpy as np
import on_ranks
import weft

folder = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "vectors")


def element(k, real):
    """What goes in, by a formula; k counts all elements of a batch."""
    k = np.asarray(k, dtype=object)
    re = ((31 * k * k + 7919 * k + 12345) % 65537 - 32768) / 32768
    if real:
        return re.astype(float)
    im = ((17 * k * k + 104729 * k + 54321) % 65537 - 32768) / 32768
    return re.astype(float) + 1j * im.astype(float)


def read(name):
    head, lines = {}, []
    with open(name) as file:
        for line in file:
            words = line.split()
            if "modes" in head and len(lines) < int(head["modes"][0]) and "energy" in head:
                lines.append([float(w) for w in words])
            else:
                head[words[0]] = words[1:]
    return head, np.array(lines)


class VectorsTest(unittest.TestCase):
    def check(self, name, single):
        comm = on_ranks.comm
        head, lines = read(name)
        self.assertIn(head["weft_vector"], (["1"], ["2"]))
        real = head["transform"] != ["c2c"]
        forward = head["direction"] == ["forward"]
        shape = [int(n) for n in head["shape"]]
        batch, halved = int(head["batch"][0]), int(head["halved"][0])
        axes = [a for a, done in enumerate(head["transformed"]) if done == "1"]
        options = {"axes": axes, "batch": batch}
        factor = int(np.prod([shape[a] for a in axes]))
        if real:
            options["real_axis"] = halved
        if "kinds" in head:
            options = {"kinds": head["kinds"], "modes": [int(n) for n in head["kept"]], "batch": batch}
            factor = int(head["factor"][0])
        dtype = np.dtype("f8" if real else "c16")
        if single:
            dtype = np.dtype("f4" if real else "c8")
        plan = weft.plan(shape, comm, dtype, **options)
        x, go, back = plan.make_input(), plan.forward, plan.backward
        if not forward:
            x, go, back = plan.make_output(), plan.backward, plan.forward
        number = np.zeros(x.shape, dtype=np.int64)
        for extent, index in zip(shape, x.mesh):
            number = number * extent + index
        if batch > 1:
            number = number + int(np.prod(shape)) * np.arange(batch).reshape((batch,) + (1,) * len(shape))
        given = element(number, real)
        x[...] = given
        modes = go(x)
        limit = (2e-5 if single else 1e-13) * np.sqrt(float(head["energy"][0]))
        seen = 0
        for line in lines:
            component, index = int(line[0]), [int(i) for i in line[1 : 1 + len(shape)]]
            if modes.owns(index):
                seen += 1
                self.assertLess(abs(modes.at(index, component) - complex(*line[-2:])), limit)
        self.assertEqual(comm.allreduce(seen), len(lines))
        self.assertEqual(len(lines), int(head["modes"][0]))
        again = np.asarray(back(modes))
        if factor:  # else modes are lost
            self.assertTrue(np.allclose(again / factor, given, rtol=0, atol=2e-5 if single else 1e-12))

    def test_all(self):
        names = sorted(glob.glob(os.path.join(folder, "*.txt")))
        for name in names:
            for single in (False, True):
                with self.subTest(name=os.path.basename(name), single=single, ranks=on_ranks.comm.size):
                    self.check(name, single)
        self.assertGreaterEqual(len(names), 20)


if __name__ == "__main__":
    unittest.main()
