# SPDX-License-Identifier: BSD-3-Clause
"""Runs a module of tests on the first n ranks for each n of a list: mpirun -n 4 python3 on_ranks.py 1,2,4 plan_test.

Tests take their communicator from ``on_ranks.comm``. A failure on any rank ends all, since the others may be waiting for
it; a test that hangs is ended after three minutes, and where it stood is printed.
"""

import faulthandler
import importlib
import sys
import time
import traceback
import unittest

from mpi4py import MPI

comm = MPI.COMM_WORLD


class _Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(180, exit=True)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)

    def addFailure(self, test, err):
        self._end(test, err)

    def addError(self, test, err):
        self._end(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._end(subtest, err)

    def _end(self, test, err):
        print(f"rank {comm.rank} of {comm.size}: {test} failed", file=sys.stderr)
        traceback.print_exception(*err)
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)


def _sleep_until_all_are_here():
    here = MPI.COMM_WORLD.Ibarrier()
    while not here.Test():
        time.sleep(0.002)


def main(counts, name):
    global comm
    sys.modules["on_ranks"] = sys.modules["__main__"]
    tests = importlib.import_module(name)
    for count in counts:
        mine = MPI.COMM_WORLD.Split(0 if MPI.COMM_WORLD.rank < count else MPI.UNDEFINED)
        if mine != MPI.COMM_NULL:
            comm = mine
            result = _Result()
            unittest.defaultTestLoader.loadTestsFromModule(tests).run(result)
            if mine.rank == 0:
                skipped = "".join(f"; skipped {test}: {why}" for test, why in result.skipped)
                print(f"{name} on {count}: {result.testsRun} tests{skipped}", flush=True)
            if result.testsRun == 0:
                raise SystemExit("no tests")
        _sleep_until_all_are_here()
        if mine != MPI.COMM_NULL:
            mine.Free()


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1].split(",")], sys.argv[2])
