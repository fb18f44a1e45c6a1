#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The code in the guide: whole programs are compiled and run, other snippets are those of an example that is.

snippets_test.py SOURCE BUILD MPIEXEC NUMPROC_FLAG MPI_C_COMPILER [MPI_Fortran_COMPILER]

A program must exit with 0, and say "ok" and not "wrong" if it has these words. Programs for other libraries are compiled
where those are installed, in CMAKE_PREFIX_PATH too, and counted as skipped elsewhere.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
MPIEXEC, NUMPROC, MPICC = sys.argv[3:6]
MPIFORT = sys.argv[6] if len(sys.argv) > 6 else None
WORK = BUILD / "snippets_test"
FENCE = re.compile(r"^```(cpp|c|fortran)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# heFFTe's interface is ours, too; others have no packages in Debian.
LIBRARIES = {"<fftw3-mpi.h>": ["-lfftw3_mpi", "-lfftw3", "-lm"],
             "<heffte.h>": [f"-I{SOURCE}/compat/heffte/include", f"-L{BUILD}/compat", f"-Wl,-rpath,{BUILD}/compat",
                            "-lweft_heffte"],
             "<pfft.h>": ["-lpfft", "-lfftw3_mpi", "-lfftw3", "-lm"],
             "<p3dfft.h>": ["-lp3dfft", "-lfftw3", "-lmpi_mpifh", "-lgfortran", "-lm"],
             "use decomp_2d\n": ["-ldecomp2d", "-lfftw3", "-lfftw3f"]}
# Behind our own folders: one of these may have another Weft.
PREFIXES = [flag for prefix in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if prefix
            for flag in (f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib")]
RANKS = 3


def call(*command, cwd=None):
    return subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, cwd=cwd)


def wrapper_flags():
    """How to compile and link with the build's MPI, in any language."""
    for query in (["-showme:compile"], ["-showme:link"]), (["-compile-info"], ["-link-info"]):
        answers = [call(MPICC, *q) for q in query]
        if all(a.returncode == 0 for a in answers):
            words = [a.stdout.split() for a in answers]
            return [[w for w in some if w.startswith(("-I", "-L", "-l", "-Wl"))] for some in words]
    sys.exit(f"{MPICC} does not say what it does")


COMPILE, LINK = wrapper_flags()
OURS = [f"-I{SOURCE}/include", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *COMPILE]
LIBRARY = [f"-L{BUILD}/src", f"-Wl,-rpath,{BUILD}/src", "-lweft", *LINK]


def compiled(language, file, program, code):
    """None, or why there is no program."""
    foreign = [flag for sign, flags in LIBRARIES.items() if sign in code for flag in flags]
    if language == "fortran":
        if MPIFORT is None:
            return "skipped: no Fortran module in this build"
        done = call(MPIFORT, "-O0", f"-I{BUILD}/fortran/modules", file, "-o", program, f"-L{BUILD}/fortran",
                    f"-Wl,-rpath,{BUILD}/fortran", *foreign, "-lweft_fortran", *LIBRARY, *PREFIXES, cwd=WORK)
    elif language == "cpp":
        done = call("c++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", *OURS, file, "-o", program, *foreign,
                    *LIBRARY, *PREFIXES)
    else:
        done = call("cc", "-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", *OURS, file, "-o", program, *foreign, *LIBRARY,
                    "-lm", *PREFIXES)
    if done.returncode == 0:
        return None
    missing = re.search(r"fatal error: (\S+?): No such file|Cannot open module file \W(\w+\.mod)", done.stdout)
    needed = missing and (missing.group(1) or missing.group(2))
    if needed and not needed.startswith(("weft", "mpi")):
        return f"skipped: needs {needed}"
    return done.stdout


def foreign_to_mpi(code):
    """Debian's FFTW-MPI is built for OpenMPI."""
    return "fftw3-mpi.h" in code and "openmpi" not in " ".join(COMPILE + LINK)


def tried(page, number, language, code, examples):
    """(where, None if good, or what is wrong or why it was skipped)"""
    where = f"{page.relative_to(SOURCE)}, block {number}"
    if not re.search(r"\bint main\(|^program ", code, re.MULTILINE):
        lines = [line.strip() for line in code.splitlines() if line.strip()]
        missing = [line for line in lines if line not in examples]
        return where, f"not a program, and not in examples/:\n  {missing[0]}" if missing else None
    if foreign_to_mpi(code):
        return where, "skipped: FFTW-MPI is of another MPI"
    name = f"{page.stem}_{number}".replace("-", "_")
    file = WORK / f"{name}.{ {'cpp': 'cpp', 'c': 'c', 'fortran': 'f90'}[language] }"
    file.write_text(code)
    problem = compiled(language, file, WORK / name, code)
    if problem:
        return where, problem
    alone = "MPI_Init" not in code
    launcher = [] if alone else [MPIEXEC, NUMPROC, RANKS]
    ran = call(*launcher, WORK / name, cwd=WORK)  # where 2DECOMP&FFT may leave its log
    bad = ran.returncode != 0 or "wrong" in ran.stdout or ('"ok' in code + code.replace("\\nok", '"ok') and
                                                           "ok" not in ran.stdout)
    return where, f"exit code {ran.returncode}: {ran.stdout}" if bad else None


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    examples = {line.strip() for file in (SOURCE / "examples").glob("*.cpp") for line in file.read_text().splitlines()}
    jobs = [(page, number, language, code, examples) for page in sorted((SOURCE / "docs").rglob("*.md"))
            for number, (language, code) in enumerate(FENCE.findall(page.read_text()), 1)]
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        results = list(pool.map(lambda job: tried(*job), jobs))
    skipped = [r for r in results if r[1] and r[1].startswith("skipped")]
    wrong = [r for r in results if r[1] and not r[1].startswith("skipped")]
    for where, why in skipped + wrong:
        print(f"{where}: {why}")
    print(f"{len(results) - len(skipped) - len(wrong)} blocks good, {len(skipped)} skipped, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(results) < 10 else 0)


main()
