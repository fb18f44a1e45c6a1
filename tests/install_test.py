#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs a build, moves what was installed elsewhere, and uses it as others would: by CMake's package, by pkg-config,
and embedded as a subdirectory. Also looks at what the shared library shows.

install_test.py SOURCE BUILD MPIEXEC NUMPROC_FLAG MPI_C_COMPILER [MPI_Fortran_COMPILER]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE, BUILD, MPIEXEC, NUMPROC, MPICC = sys.argv[1:6]
WITH_FORTRAN = "ON" if len(sys.argv) > 6 else "OFF"
SOURCE, BUILD = pathlib.Path(SOURCE), pathlib.Path(BUILD)
WORK = BUILD / "install_test"
INTERNAL = "core|planner|run|mpi|exchange|local|algorithm|schedule|facade|tool|testing"


# Users of an installed tree have no part in how it was built.
for inherited in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"):
    os.environ.pop(inherited, None)


def call(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def mpirun(ranks, program, **more):
    said = call(MPIEXEC, NUMPROC, ranks, program, **more)
    if not re.search(r"^ok\b", said, re.MULTILINE):
        sys.exit(f"{program} on {ranks} ranks said:\n{said}")


def installed():
    """The moved tree."""
    shutil.rmtree(WORK, ignore_errors=True)
    call("cmake", "--install", BUILD, "--prefix", WORK / "first")
    (WORK / "first").rename(WORK / "moved")
    tree = WORK / "moved"
    for file in tree.rglob("*"):
        if file.is_file() and file.suffix in (".cmake", ".pc"):
            text = file.read_text()
            for folder in (WORK, BUILD, SOURCE):
                if str(folder) in text:
                    sys.exit(f"{file} names {folder}, and is wrong wherever else it lies")
    return tree


def check_symbols(library):
    """Only what the public headers declare, with a version."""
    if "SONAME" not in call("readelf", "-d", library):
        sys.exit(f"{library} has no soname")
    shown = call("nm", "-DC", "--defined-only", "--with-symbol-versions", library).splitlines()
    allowed = re.compile(r"^(guard variable for |typeinfo name for |typeinfo for |vtable for |VTT for )?weft::(?!(" +
                         INTERNAL + r")::)|^weft_\w+@@|^WEFT_[\d.]+")
    names = [line.split(maxsplit=2)[2] for line in shown]
    strangers = [n for n in names if not allowed.match(n)]
    if strangers:
        sys.exit(f"{library} shows what is not for users:\n" + "\n".join(strangers))
    for wanted in ("weft::plan::forward(", "weft::redistribution::redistribution(", "weft::wisdom::load(", "weft_plan_create@@",
                   "weft_f_plan_create@@"):
        if not any(n.startswith(wanted) for n in names):
            sys.exit(f"{library} hides {wanted}")


def check_man_and_completion(tree):
    page = tree / "share/man/man1/weft.1"
    if page.exists():
        for wanted in ("weft run", r"\-\-shape", "EXIT STATUS"):
            if wanted not in page.read_text():
                sys.exit(f"the man page does not have {wanted}")
        if shutil.which("man"):
            complaints = call("man", "--warnings", "-l", page, env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            if "warning" in complaints:
                sys.exit(complaints)
    completion = tree / "share/bash-completion/completions/weft"
    if completion.exists():
        said = call("bash", "-c", f'PATH={tree}/bin:$PATH; source {completion}; COMP_WORDS=(weft run --algorithm ""); '
                    'COMP_CWORD=3; _weft; echo "${COMPREPLY[*]}"')
        if "slab" not in said.split():
            sys.exit(f"bash completes weft run --algorithm with: {said}")


def check_python(tree):
    """With the interpreter that the build was given, or the first that the installed module is for and that has what it needs."""
    module = next(tree.rglob("weft/_core*.so"), None)
    if module is None:
        return "skipped: Python, whose package needs an mpi4py for this MPI (Debian's is for OpenMPI)"
    asked = "import sys, sysconfig, numpy, mpi4py; sys.exit(not sys.argv[1].endswith(sysconfig.get_config_var('EXT_SUFFIX')))"
    given = re.search(r"^WEFT_PYTHON_EXECUTABLE:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    for python in ([given.group(1)] if given else [sys.executable, "/usr/bin/python3"]):
        if subprocess.run([python, "-c", asked, str(module)], stderr=subprocess.DEVNULL).returncode == 0:
            script = SOURCE / "tests/downstream/main.py"
            said = call(MPIEXEC, NUMPROC, 3, python, script, env={**os.environ, "PYTHONPATH": str(module.parent.parent)})
            if "ok" not in said.split():
                sys.exit(f"{script} said:\n{said}")
            return "Python too"
    return "no interpreter for the Python package"


def check_other_projects(tree):
    """Of one language, which is not the library's, and with the package found in a folder and then in the one above."""
    outer = WORK / "of_c_alone"
    (outer / "below").mkdir(parents=True)
    found = "find_package(weft REQUIRED COMPONENTS static)\n"
    (outer / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(outer C)\nadd_subdirectory(below)\n" + found +
        f"add_executable(with_static {SOURCE}/tests/downstream/main.c)\ntarget_link_libraries(with_static PRIVATE weft::static m)\n")
    (outer / "below/CMakeLists.txt").write_text(
        found + f"add_executable(below {SOURCE}/tests/downstream/main.c)\ntarget_link_libraries(below PRIVATE weft::weft m)\n")
    call("cmake", "-S", outer, "-B", outer / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tree}")
    call("cmake", "--build", outer / "build")
    for program in (outer / "build/with_static", outer / "build/below/below"):
        mpirun(2, program)


def follow_the_guide(tree):
    """What its pages tell to write and to type, but for how Weft is built."""
    home, here = WORK / "home", WORK / "guide"
    home.mkdir()
    here.mkdir()
    (home / "weft").symlink_to(tree)
    mpi = f'mpirun() {{ "{MPIEXEC}" "$@"; }}; export PATH="$HOME/weft/bin:$PATH"; set -euo pipefail\n'
    typed = []
    for page in ("start.md", "tasks/tune.md"):
        text = (SOURCE / "docs" / page).read_text()
        for file, code in re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            (here / file).write_text(code)
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if "--preset" in block or ("weft " in block and not (tree / "bin/weft").exists()):
                continue
            said = call("bash", "-c", mpi + block, cwd=here, env={**os.environ, "HOME": str(home)})
            if "build/first" in block and not re.search(r"^ok$", said, re.MULTILINE):
                sys.exit(f"{page} leads to:\n{said}")
            typed.append(block)
    if len(typed) < (4 if (tree / "bin/weft").exists() else 1):
        sys.exit(f"the guide told to type only: {typed}")


def main():
    tree = installed()
    library = next(tree.rglob("libweft.so"))
    check_symbols(library)

    # by CMake's package
    build = WORK / "downstream"
    call("cmake", "-S", SOURCE / "tests/downstream", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tree}",
         "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror",
         f"-DWITH_FORTRAN={WITH_FORTRAN}")
    call("cmake", "--build", build)
    for program in sorted(p for p in build.glob("with_*") if p.is_file() and os.access(p, os.X_OK)):
        for ranks in (1, 3):
            mpirun(ranks, program)

    # by pkg-config
    found = {**os.environ, "PKG_CONFIG_PATH": str(next(tree.rglob("weft.pc")).parent)}
    flags = call("pkg-config", "--cflags", "--libs", "weft", env=found).split()
    program = WORK / "by_pkg_config"
    call("c++", "-std=c++20", SOURCE / "tests/downstream/main.cpp", "-o", program, *flags)
    mpirun(2, program, env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)})

    check_other_projects(tree)
    follow_the_guide(tree)
    check_man_and_completion(tree)
    python = check_python(tree)

    # as a subdirectory: configured only, since it is this very build again
    outer = WORK / "outer"
    outer.mkdir()
    (outer / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(outer CXX C)\n"
        f"add_subdirectory({SOURCE} weft)\nadd_executable(user {SOURCE}/tests/downstream/main.cpp)\n"
        "target_link_libraries(user PRIVATE weft::weft)\n")
    call("cmake", "-S", outer, "-B", outer / "build", "-G", "Ninja", f"-DMPI_C_COMPILER={MPICC}")
    targets = call("ninja", "-C", outer / "build", "-t", "targets", "all")
    unwanted = [t for t in ("weft-cli", "mpi_plan_test", "weft-first") if t in targets]
    commands = call("ninja", "-C", outer / "build", "-t", "commands", "user")
    if unwanted or "-Werror" in commands or "-std=gnu++20" not in commands:
        sys.exit(f"embedded, it brings {unwanted or 'warnings as errors, or no C++20'}")
    print(f"installed, moved, found, linked and run; {python}")


main()
