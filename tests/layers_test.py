#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The layer rule of docs/architecture.md: includes point downwards only, MPI calls stay in two folders."""
import pathlib
import re
import sys

# Folder -> folders it may include besides itself.
ALLOWED = {
    "base": set(),
    "index": {"base"},
    "schedule": {"index", "base"},
    "algorithm": {"schedule", "index", "base"},
    "mpi": {"device", "base"},
    "exchange": {"device", "index", "mpi", "base"},
    "device": {"base"},
    "local": {"device", "index", "base"},
    "run": {"schedule", "exchange", "local", "mpi", "device", "index", "base"},
    "planner": {"run", "algorithm", "schedule", "exchange", "local", "mpi", "device", "index", "base"},
    "facade": {"planner", "run", "algorithm", "schedule", "exchange", "local", "mpi", "device", "index", "base"},
    # Calls what users call; errors of one rank are agreed before anyone waits.
    "c": {"mpi"},
}
# An exchange is what a consuming pass waits for, and copies what stays on the rank.
ALSO = {("exchange", "local/pass.hpp"), ("exchange", "local/copy.hpp")}
# Public headers that need MPI or a plan belong to the top; the layers below use the values only.
PUBLIC_TOP = {"weft/convolution.hpp", "weft/file.hpp", "weft/gather.hpp", "weft/halo.hpp", "weft/machine.hpp",
              "weft/plan.hpp", "weft/plane_waves.hpp", "weft/redistribution.hpp", "weft/spectral.hpp", "weft/weft.hpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
MPI_INCLUDE = re.compile(r"^\s*#\s*include\s+<mpi.h>", re.MULTILINE)
# Calls that talk to other ranks, or make objects for that.
COMMUNICATION = re.compile(
    r"\bMPI_(?:I?Alltoall|I?Send|I?[BSR]send|I?Recv|Sendrecv|I?Bcast|I?(?:All)?[Rr]educe|I?(?:All)?[Gg]ather|I?Scatter"
    r"|I?Barrier|Wait|Test(?!_)|Start|Probe|Iprobe|Win_|Put|Get(?:_accumulate)?\b|Accumulate|Neighbor|Ineighbor"
    r"|Request_|Comm_(?:dup|split|create|free)|Type_)\w*", re.IGNORECASE)


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: m.group(0) if "/" in m.group(0) else '""', text)


def problems_of(path, source, text):
    parts = path.relative_to(source).parts
    folder = parts[0]
    text = without_comments(text)
    if folder not in ALLOWED:
        yield f"folder src/{folder} is in no layer; name it in tests/layers_test.py"
        return
    for name in INCLUDE.findall(text):
        first = name.split("/")[0]
        if first not in ALLOWED and first != "weft" and not (source / first).exists():
            continue  # of another library, or a neighbour
        if first == "weft":
            if name in PUBLIC_TOP and folder not in ("facade", "c"):
                yield f"includes {name}, which belongs to the facade"
        elif first != folder and first not in ALLOWED[folder] and (folder, name) not in ALSO:
            yield f"includes {name}: {folder} may not know {first}"
    if folder in ("base", "index", "schedule", "algorithm", "device", "local") and MPI_INCLUDE.search(text):
        yield "includes mpi.h, but this layer is pure"
    if re.search(r"\bgetenv\b", text):
        yield "reads the environment; only programs and drop-ins do"
    talks = folder == "mpi" or parts[:2] == ("exchange", "engines")
    if not talks:
        for call in COMMUNICATION.finditer(text):
            yield f"calls {call.group(0)}; only src/mpi and src/exchange/engines communicate"


def problems_of_public(name, text):
    """Values can be used without MPI: their headers know nothing of it."""
    if re.search(r"^namespace weft\b", text, re.MULTILINE):
        yield 'opens `namespace weft` and not `namespace [[gnu::visibility("default")]] weft`: the shared library hides it'
    text = without_comments(text)
    if name in PUBLIC_TOP:
        return
    if MPI_INCLUDE.search(text):
        yield "includes mpi.h, but is a header of values"
    for other in INCLUDE.findall(text):
        if other in PUBLIC_TOP:
            yield f"includes {other}, which needs MPI"


def self_check():
    """The rule must find what it forbids."""
    source = pathlib.Path("/src")
    bad = [
        ("index/a.cpp", '#include "run/program.hpp"\n'),
        ("schedule/a.cpp", '#include "algorithm/algorithm.hpp"\n'),
        ("local/a.cpp", '#include "exchange/engine.hpp"\n'),
        ("exchange/a.cpp", '#include "local/engine.hpp"\n'),
        ("algorithm/a.cpp", "#include <mpi.h>\n"),
        ("run/a.cpp", "MPI_Alltoallw(a);\n"),
        ("facade/a.cpp", "MPI_Isend(a);\n"),
        ("planner/a.cpp", '#include "weft/plan.hpp"\n'),
        ("misc/a.cpp", "\n"),
    ]
    good = [
        ("exchange/a.cpp", '#include "local/pass.hpp"\n#include "local/copy.hpp"\n'),
        ("mpi/a.cpp", "MPI_Alltoall(a);\n"),
        ("exchange/engines/a.cpp", "MPI_Waitany(a);\n"),
        ("facade/a.cpp", '#include "weft/plan.hpp"\n// MPI_Bcast in words\nMPI_Get_library_version(a);\n'),
    ]
    missed = [name for name, text in bad if not list(problems_of(source / name, source, text))]
    wrong = [name for name, text in good if list(problems_of(source / name, source, text))]
    missed += [text for text in ('#include <mpi.h>\n', '#include "weft/plan.hpp"\n', 'namespace weft {\n')
               if not list(problems_of_public("weft/array.hpp", text))]
    wrong += list(problems_of_public("weft/plan.hpp", '#include <mpi.h>\n'))
    if missed or wrong:
        sys.exit(f"the layer check itself is broken: misses {missed}, rejects {wrong}")


def main():
    self_check()
    source = pathlib.Path(sys.argv[1]) / "src"
    files = sorted(p for p in source.rglob("*") if p.suffix in (".cpp", ".hpp", ".h"))
    if len(files) < 20:
        sys.exit(f"only {len(files)} files under {source}: wrong folder?")
    public = sorted((source.parent / "include" / "weft").glob("*.hpp"))
    problems = [(path, problem) for path in files for problem in problems_of(path, source, path.read_text())]
    problems += [(path, problem) for path in public
                 for problem in problems_of_public(f"weft/{path.name}", path.read_text())]
    for path, problem in problems:
        print(f"{path.relative_to(source.parent)}: {problem}")
    files, found = files + public, len(problems)
    print(f"{len(files)} files, {found} breaches of the layer rule")
    sys.exit(1 if found else 0)


main()
