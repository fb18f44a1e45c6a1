# SPDX-License-Identifier: BSD-3-Clause
"""Runs the demos and tests of mpi4py-fft on weft.mpi4py_fft: python3 upstream.py CHECKOUT [RANKS...]

CHECKOUT is a copy of mpi4py-fft's repository, of which this one has nothing. Its programs run in a temporary folder with
``mpi4py_fft`` in their imports replaced, on 1, 2 and 4 ranks unless others are named. Prints a table.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

serial = ["tests/test_fftw.py", "tests/test_libfft.py"]
parallel = [
    "tests/test_pencil.py",
    "tests/test_darray.py",
    "tests/test_io.py",
    "tests/test_mpifft.py",
    "tests/spectral_dns_solver.py",
    "examples/darray.py",
    "examples/transforms.py",
    "examples/spectral_dns_solver.py",
]


def functions_of(source):
    """The tests of a module that the module itself would run, or the module as a whole."""
    return re.findall(r"^def (test_\w+)\(\)", source, re.MULTILINE) or [None]


def main(checkout, ranks):
    folder = tempfile.mkdtemp()
    failed = 0
    for program in serial + parallel:
        with open(os.path.join(checkout, program)) as file:
            source = re.sub(r"\bmpi4py_fft\b", "weft.mpi4py_fft", file.read())
        name = program.replace("/", "_")
        with open(os.path.join(folder, name), "w") as file:
            file.write(source)
        for function in functions_of(source):
            command = [sys.executable, "-m", "mpi4py", name]
            if function is not None:
                command = [sys.executable, "-m", "mpi4py", "-c", f"import {name[:-3]} as m; m.{function}()"]
            for count in [1] if program in serial else ranks:
                begin = time.perf_counter()
                ran = subprocess.run(
                    ["mpirun", "-n", str(count)] + command, cwd=folder, capture_output=True, text=True, timeout=1800
                )
                result = "passes" if ran.returncode == 0 else "FAILS"
                failed += ran.returncode != 0
                took = time.perf_counter() - begin
                print(f"{result}  {program} {function or ''} on {count} in {took:.1f} s", flush=True)
                if ran.returncode != 0:
                    print(ran.stdout[-2000:], ran.stderr[-3000:], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1], [int(n) for n in sys.argv[2:]] or [1, 2, 4]) else 0)
