# SPDX-License-Identifier: BSD-3-Clause
"""Tells CMake of this interpreter: folder of its headers, ending of its modules, where packages go below a prefix, 
where pybind11 may be, and which Pythons of Debian's can use its modules. Fails, saying why, unless NumPy and an mpi4py for the given MPI libraries are there."""

import os
import sys
import sysconfig


def fail(why):
    sys.exit(f"{sys.executable}: {why}")


try:
    import numpy
    import mpi4py

    mpi4py.rc.initialize = False
    from mpi4py import MPI
except ImportError as missing:
    fail(missing)

with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "/" in line}
needed = [os.path.realpath(library) for library in sys.argv[1:] if os.path.basename(library).startswith("libmpi")]
if needed and not loaded.intersection(needed):
    fail(f"its mpi4py is for {MPI.Get_library_version().splitlines()[0].split(',')[0]}, not for {' '.join(needed)}")

try:
    import pybind11

    hint = pybind11.get_include()
except ImportError:
    hint = ""
packages = "lib/python3/dist-packages"
if "deb_system" not in sysconfig.get_scheme_names():
    packages = os.path.relpath(sysconfig.get_path("platlib", "posix_prefix", {"platbase": "/"}), "/")
major, minor = sys.version_info[:2]
debian = f"python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1})"
print(";".join([sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX"), packages, hint, debian]))
