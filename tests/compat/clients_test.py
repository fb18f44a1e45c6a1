# SPDX-License-Identifier: BSD-3-Clause
"""Programs that know nothing of Weft run on its drop-in libraries; their numbers must be those of the stock libraries.

clients_test.py fftw MPIEXEC FOLDER CLIENT...  FOLDER has our libfftw3_mpi.so.3; CLIENTs are built with FFTW's own, linked
                                               in either order
clients_test.py packages MPIEXEC FOLDER WORK   mpb, PETSc and a Fortran program, where Debian's packages are installed
clients_test.py lammps MPIEXEC LIBRARY         Debian's LAMMPS with LIBRARY preloaded
Ends with 77 if nothing could run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent / "clients"
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
SKIPPED = 77


def run(mpiexec, ranks, command, **environment):
    """Standard output and error of `command` on so many ranks."""
    result = subprocess.run(
        [mpiexec, "-n", str(ranks), "env", *(f"{k}={v}" for k, v in environment.items()), *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250, check=False)
    assert result.returncode == 0, f"{command} on {ranks} ranks: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout, result.stderr


def numbers(text):
    return [float(x) for x in NUMBER.findall(text)]


def compare(what, want, got, tolerance):
    assert want and len(want) == len(got), f"{what}: {len(want)} numbers expected, {len(got)} there"
    different = [(w, g) for w, g in zip(want, got) if abs(w - g) > tolerance * max(abs(w), 1e-3)]
    assert not different, f"{what}: {different[:3]}"
    print(f"{what}: {len(want)} numbers are the same", flush=True)


def by_weft(report):
    """Transforms of Weft and of FFTW by the line that WEFT_FFTW_REPORT asks for."""
    found = re.search(r"(\d+) plans, (\d+) transforms; by FFTW: \d+ plans, (\d+) transforms", report)
    assert found, f"no report: {report}"
    return int(found[2]), int(found[3])


def ways(folder):
    """How a program finds our library."""
    return {"LD_LIBRARY_PATH": folder, "LD_PRELOAD": os.path.join(folder, "libfftw3_mpi.so.3")}


def fftw(mpiexec, folder, *clients):
    stock = {n: numbers(run(mpiexec, n, [clients[0]])[0]) for n in (1, 2, 3, 4)}
    for ranks in (1, 2, 3, 4):
        for client in clients:
            for way, value in ways(folder).items():
                out, err = run(mpiexec, ranks, [client], WEFT_FFTW_REPORT=1, **{way: value})
                compare(f"{client} by {way} on {ranks} ranks", stock[ranks], numbers(out), 1e-9)
                weft, passed_on = by_weft(err)
                assert weft == 4 and passed_on == 1, err
    out, err = run(mpiexec, 3, [clients[0], "late"], LD_LIBRARY_PATH=folder)
    compare("plans that outlive MPI", stock[3], numbers(out), 1e-9)
    return 0


def installed_clients(work):
    """By name: command, what to keep of its output, the file of expected numbers, tolerance."""
    found = {}
    frequencies = r"freqs:,(?! *k index)(.*)"
    for binary, problem in (("mpb-mpi", "mpb_sq2d"), ("mpbi-mpi", "mpb_diamond3d")):
        if shutil.which(binary):
            found[binary] = ([binary, HERE / f"{problem}.ctl"], frequencies, problem, 5e-6)
    for kind in ("complex", "real"):
        header = pathlib.Path("/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-" + kind) / "include"
        if header.exists() and shutil.which("mpicc.openmpi"):
            program = work / f"petsc_{kind}"
            subprocess.run(["mpicc.openmpi", "-O1", "-w", f"-I{header}", "-o", program, HERE / "petsc_fftw.c",
                            f"-L{header}/../lib", f"-lpetsc_{kind}", "-lm"], check=True)
            for name, extra in ((f"petsc_{kind}", []), (f"petsc_{kind} -dup", ["-dup"])):
                found[name] = ([program, *extra], r"(power.*)", f"petsc_{kind}", 1e-10)
    if shutil.which("mpif90.openmpi"):
        program = work / "f03"
        built = subprocess.run(["mpif90.openmpi", "-I/usr/include", "-o", program, HERE / "fftw_mpi_f03.f90",
                                "-lfftw3_mpi", "-lfftw3"], check=False)
        if built.returncode == 0:
            found["Fortran"] = ([program], r"(.*)", "f03", 1e-12)
    return found


def packages(mpiexec, folder, work):
    work = pathlib.Path(work)
    work.mkdir(exist_ok=True)
    clients = installed_clients(work)
    for missing in {"mpb-mpi", "mpbi-mpi", "petsc_complex", "petsc_real", "Fortran"} - set(clients):
        print(f"skipped: {missing} is not installed")
    asked = os.environ.get("WEFT_RANKS")  # as for the other tests: a list
    for number, (name, (command, keep, expected, tolerance)) in enumerate(clients.items()):
        want = numbers((HERE / "expected" / expected).read_text())
        for ranks in map(int, asked.split(",")) if asked else (1, 2, 3, 4):
            if ranks == 1 and name.startswith("petsc"):
                continue  # there PETSc calls the serial library
            for turn, (way, value) in enumerate(ways(folder).items()):
                if not asked and name.startswith("mpb") and (number + ranks + turn) % 2 == 0:
                    continue  # of the slow ones every other
                out, err = run(mpiexec, ranks, command, WEFT_FFTW_REPORT=1, **{way: value})
                kept = re.findall(keep, out)
                if name.endswith("-dup"):
                    kept = kept[1:]
                compare(f"{name} by {way} on {ranks} ranks", want, numbers("\n".join(kept)), tolerance)
                assert by_weft(err)[0] > 0, err
    return 0 if clients else SKIPPED


def lammps(mpiexec, library):
    if not shutil.which("lmp"):
        print("skipped: LAMMPS is not installed")
        return SKIPPED
    for diff in ("ik", "ad"):
        for ranks in (1, 2, 3, 4):
            command = ["lmp", "-in", HERE / "in.nacl_pppm", "-var", "diff", diff, "-log", "none"]
            lines = []
            for environment in ({}, {"LD_PRELOAD": library, "WEFT_LAMMPS_REPORT": 1}):
                out, err = run(mpiexec, ranks, command, OMP_NUM_THREADS=1, **environment)
                lines.append(re.findall(r"^ +(?:0|10|20) .*$", out, re.MULTILINE))
            assert len(lines[0]) == 3 and lines[0] == lines[1], lines
            assert re.search(r"Weft for LAMMPS: [1-9]\d* transforms", err), err
            print(f"LAMMPS ({diff}) on {ranks} ranks: all digits are the same", flush=True)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit({"fftw": fftw, "packages": packages, "lammps": lammps}[sys.argv[1]](*sys.argv[2:]))
