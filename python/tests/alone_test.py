# SPDX-License-Identifier: BSD-3-Clause
"""One process without mpirun, as in a notebook; arrays of other libraries; other threads."""

import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import weft
from mpi4py import MPI


class Exporter:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array):
        self.array, self.asked = array, 0

    def __dlpack__(self, stream=None):
        self.asked += 1
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Interface:
    """An array that has __array_interface__ and nothing else."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class AloneTest(unittest.TestCase):
    def test_communicator_is_the_process(self):
        plan = weft.plan((8, 9, 10))
        self.assertEqual((plan.comm, plan.rank, plan.comm.size), (MPI.COMM_WORLD, 0, 1))
        x = plan.make_input()
        x[...] = np.random.default_rng(1).standard_normal(x.shape)
        self.assertTrue(np.allclose(plan.forward(x), np.fft.fftn(x)))
        with self.assertRaises(weft.ArgumentError):
            weft.plan((8, 8), comm="world")

    @unittest.skipUnless(weft.can_store(), "this build has no HDF5")
    def test_a_writer_that_is_killed_leaves_the_old_file_whole(self):
        program = """
import sys
import numpy as np
import weft
plan = weft.plan((40, 50, 60), dtype=float)
x = plan.make_input()
for k in range(1, 100000):
    x[...] = k
    print(k, flush=True)
    weft.write(sys.argv[1], x)
"""
        plan = weft.plan((40, 50, 60), dtype=float)
        y = plan.make_input()
        killed_inside = 0
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "field.h5")
            for turn in range(30):
                if turn >= 4 and killed_inside > 0:
                    break
                writer = subprocess.Popen([sys.executable, "-c", program, file], stdout=subprocess.PIPE, text=True)
                begun = 0
                while begun < 2 + turn % 5:
                    line = writer.stdout.readline()
                    self.assertTrue(line, "the writer ended by itself")
                    begun = int(line)
                time.sleep(0.0005 * (turn % 7))  # somewhere in that write, or behind it
                writer.kill()
                writer.communicate()
                killed_inside += os.path.exists(file + ".partial")
                weft.read(file, y)
                self.assertEqual(y.min(), y.max())
                self.assertGreaterEqual(y.min(), begun - 1)
        self.assertGreater(killed_inside, 0, "no write was interrupted")

    def test_dlpack(self):
        values = np.random.default_rng(2).standard_normal((6, 8))
        plan = weft.plan((6, 8), MPI.COMM_SELF, float)
        given, out = Exporter(values), Exporter(np.zeros((6, 5), complex))
        self.assertIs(plan.forward(given, out), out)
        self.assertTrue(np.allclose(out.array, np.fft.rfftn(values)))
        self.assertEqual((given.asked, out.asked), (1, 1))
        # and out: what plans make is taken by others, without a copy
        x = plan.make_input()
        there = np.from_dlpack(x)
        x[2, 3] = 5
        self.assertEqual(there[2, 3], 5)
        self.assertFalse(isinstance(there, weft.Array))
        strided = Exporter(np.zeros((12, 8))[::2])
        plan.backward(out.array, Exporter(values.copy()))
        with self.assertRaises(weft.BufferError):
            plan.backward(out.array, strided)
        plan.forward(strided)

    def test_dlpack_capsule_is_used_once(self):
        capsule = np.zeros(3).__dlpack__()
        kept = weft._core.from_dlpack(capsule)
        kept[0] = 4
        with self.assertRaises(weft.BufferError):
            weft._core.from_dlpack(capsule)

    def test_array_interface(self):
        values = np.random.default_rng(3).standard_normal((6, 8)) + 0j
        plan = weft.plan((6, 8), MPI.COMM_SELF)
        out = Interface(np.zeros((6, 8), complex))
        plan.forward(Interface(values), out)
        self.assertTrue(np.allclose(out.array, np.fft.fftn(values)))
        self.assertEqual(plan.make_input().__array_interface__["shape"], (6, 8))

    def test_memory_of_ones_own(self):
        plan = weft.plan((6, 7), MPI.COMM_SELF, float, in_place=True)
        memory = bytearray(6 * 4 * 16 + 64)
        start = -np.frombuffer(memory, np.uint8).__array_interface__["data"][0] % 64
        block = np.frombuffer(memory, np.uint8)[start : start + 6 * 4 * 16]
        x = plan.make_input(block)
        x[...] = np.arange(42).reshape(6, 7)
        modes = plan.forward(x)
        self.assertTrue(np.allclose(modes, np.fft.rfftn(np.arange(42).reshape(6, 7))))
        self.assertTrue(np.shares_memory(modes, block))
        self.assertTrue(np.allclose(plan.backward(modes), 42 * np.arange(42).reshape(6, 7)))
        with self.assertRaises(weft.BufferError):
            plan.make_output(bytearray(100))
        with self.assertRaises(weft.BufferError):
            plan.forward(np.zeros((6, 7)))  # has no room for the modes

    def test_arrays_outlive_plans(self):
        plan = weft.plan((16, 16), MPI.COMM_SELF)
        x = plan.make_input()
        x[...] = 3
        del plan
        self.assertEqual(x.sum(), 3 * 256)

    def test_other_threads_run_meanwhile(self):
        plan = weft.plan((192, 192, 192), MPI.COMM_SELF)
        x, y = plan.make_input(), plan.make_output()
        beats, done = [], threading.Event()

        def beat():
            while not done.is_set():
                beats.append(time.perf_counter())
                time.sleep(0.001)

        other = threading.Thread(target=beat)
        other.start()
        begin = time.perf_counter()
        for _ in range(3):
            plan.forward(x, y)
        end = time.perf_counter()
        done.set()
        other.join()
        self.assertGreater(sum(begin < b < end for b in beats), 3)

    def test_plans_and_arrays_that_outlive_mpi(self):
        code = (
            "import weft\n"
            "plan = weft.plan((8, 8)); x = plan.make_input(); y = plan.forward(x)\n"
            "from mpi4py import MPI; MPI.Finalize()\n"
            "for call in (lambda: weft.plan((8, 8)), lambda: plan.forward(x), lambda: weft.gather(x)):\n"
            "    try:\n        call()\n    except weft.MPIError as error:\n        print('refused')\n"
            "x[...] = 1; del plan; print('fine')\n"
        )
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        self.assertEqual((ran.stdout, ran.returncode), ("refused\n" * 3 + "fine\n", 0), ran.stderr)

    def checked_by_mypy(self, *what):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("no mypy")
        package = os.path.dirname(weft.__file__)
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--allow-any-generics", "--ignore-missing-imports",
             "--cache-dir=" + os.devnull, *what],
            capture_output=True, text=True, timeout=280, cwd=os.path.dirname(package),
            env={**os.environ, "MYPYPATH": os.path.dirname(package)},
        )

    def test_types_check(self):
        ran = self.checked_by_mypy("-p", "weft")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_types_of_what_is_returned(self):
        ran = self.checked_by_mypy("-c", (
            "import numpy as np\nimport weft\n"
            "plan = weft.plan((8, 8))\nx = plan.make_input()\nmine: np.ndarray = np.zeros(64)\n"
            "reveal_type(plan.forward(x))\nreveal_type(plan.backward(x, mine))\n"
            "reveal_type(plan.start_forward(x).wait())\nreveal_type(weft.redistribute(x, '[* b0]'))\n"
        ))
        told = [line.split("is ")[1] for line in ran.stdout.splitlines() if "Revealed" in line]
        self.assertEqual([text.split("[")[0].strip('"').split(".")[-1] for text in told],
                         ["Array", "ndarray", "Any", "Array"], ran.stdout)


if __name__ == "__main__":
    unittest.main()
