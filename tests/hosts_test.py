# SPDX-License-Identifier: BSD-3-Clause
"""A selection of tests across hosts: scripts/hosts makes three, with two ranks on each.

hosts_test.py HOSTS WEFT PROPERTY_TEST openmpi|mpich [--preload LIBRARY] --fftw CLIENT FOLDER --heffte HEFFTE_TEST
WEFT is the program; LIBRARY goes with every rank; CLIENT is written for FFTW-MPI, and FOLDER has our libfftw3_mpi.so.3;
HEFFTE_TEST is the test of the drop-in for heFFTe. Ends with 77 where there can be no hosts.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("hosts")
parser.add_argument("weft")
parser.add_argument("property_test")
parser.add_argument("mpi", choices=["openmpi", "mpich"])
parser.add_argument("--preload")
parser.add_argument("--fftw", nargs=2, required=True)
parser.add_argument("--heffte", required=True)
given = parser.parse_args()

NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
HOSTS, PER = 3, 2


def run(command, **environment):
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=120, check=False, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    print(f"{time.monotonic() - begin:5.1f} s: {' '.join(map(os.path.basename, command))}", flush=True)
    return done.stdout


def across(*command, per=PER, **environment):
    preload = [f"LD_PRELOAD={given.preload}"] if given.preload else []
    return run([given.hosts, given.mpi, str(per), "env", *preload, *command], **environment)


def properties():
    text = across(given.property_test, f"--ranks={HOSTS},{HOSTS * PER}", "--gtest_filter=properties.*", WEFT_DRAWS="8")
    assert text.count("[  PASSED  ]") == 2, text


def program(*options):
    report = json.loads(across(given.weft, "run", "--check", "full", "--reps", "2", "--json", "-", *options))
    assert report["ok"] and report["ranks"] == HOSTS * PER, report
    return report


def command_line():
    program("--shape", "48x36x30", "--engine", "window", "--out", "same", "--all-ranks")
    program("--shape", "37x29x11", "--engine", "streamed,nodewise", "--algorithm", "pencil", "--transform", "r2c", "--grid", "3x2")
    program("--shape", "36x36x16", "--in", "[c0 * *]", "--out", "same")


def drop_ins():
    text = across(given.heffte, f"--ranks={HOSTS * PER}", "--gtest_filter=*vectors_and_factors")
    assert text.count("[  PASSED  ]") == 1, text
    client, folder = given.fftw
    # On one rank, and by FFTW itself where that is there. The last two numbers grow with the ranks, and
    # it has no room for more than four.
    want = [float(x) for x in NUMBER.findall(run([client]))][:-2]
    got = [float(x) for x in NUMBER.findall(across(client, per=1, LD_LIBRARY_PATH=folder))][:-2]
    assert want and len(want) == len(got), (want, got)
    assert all(abs(w - g) <= 1e-9 * max(abs(w), 1e-3) for w, g in zip(want, got)), (want, got)


def front():
    link = json.loads(run(["ip", "-j", "link", "show", "eth0"]))[0]
    return link["address"]


def killed():
    """Whoever is left must find the front where it was, or launchers wait for the last words of hosts that live."""
    before = front()
    for i in range(HOSTS):
        run([given.hosts, "kill", str(i)])
    until = time.monotonic() + 10
    while any(link["ifname"] == f"p{i}" for link in json.loads(run(["ip", "-j", "link"])) for i in range(HOSTS)):
        assert time.monotonic() < until, "cables of killed hosts are still there"
        time.sleep(0.2)
    assert front() == before, (before, front())


def main():
    if "WEFT_HOSTS" not in os.environ:
        with tempfile.TemporaryDirectory() as folder:  # ours, to see that it is empty in the end
            possible = subprocess.call([given.hosts, "check"])
            if possible != 0:
                return possible
            done = subprocess.call([given.hosts, "with", str(HOSTS), sys.executable, *sys.argv],
                                   env={**os.environ, "TMPDIR": folder})
            assert not os.listdir(folder), f"left behind: {os.listdir(folder)}"
            return done
    properties()
    command_line()
    drop_ins()
    killed()
    return 0


sys.exit(main())
