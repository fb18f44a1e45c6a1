#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Debian packages of a build, and installs, upgrades and removes them in an empty root: package_test.py BUILD.

Dependencies are not there, so dpkg is told to go on without; what is tested is what the packages do themselves. Exits
with 77 (skipped) where there is no dpkg.
"""
import os
import pathlib
import shutil
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1])
WORK = BUILD / "package_test"
ADMIN = "var/lib/dpkg"


def call(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def packages(version):
    folder = WORK / version
    call("cpack", "-G", "DEB", "-B", folder, "-R", version, cwd=BUILD)
    shutil.rmtree(folder / "_CPack_Packages")
    return sorted(folder.glob("*.deb"))


def field(package, name):
    return call("dpkg-deb", "-f", package, name).strip()


def dpkg(root, *what):
    return call("dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--force-script-chrootless", *what)


def files(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob("*")
                  if not p.is_dir() and not str(p.relative_to(root)).startswith(ADMIN))


def main():
    if shutil.which("dpkg") is None or shutil.which("cpack") is None or os.geteuid() != 0:
        print("needs dpkg, cpack and root")
        sys.exit(77)
    shutil.rmtree(WORK, ignore_errors=True)
    first, second = packages("0.1.0"), packages("0.1.1")
    names = {field(p, "Package"): p for p in first}
    for wanted in ("libweft0.1", "libweft-dev", "weft", "weft-dropins"):
        if wanted not in names:
            sys.exit(f"there is no package {wanted} among {sorted(names)}")
    if "fftw" in call("dpkg-deb", "-I", names["libweft0.1"], "shlibs"):
        sys.exit("libweft0.1 says that it is FFTW's library")
    for name in ("libweft0.1", "weft"):
        if "libc6" not in field(names[name], "Depends"):
            sys.exit(f"{name} does not say which libraries it needs: {field(names[name], 'Depends')}")
    for package in (p for p in (*first, *second) if field(p, "Package") not in ("libweft0.1", "weft")):
        if f"libweft0.1 (= {field(package, 'Version')})" not in field(package, "Depends"):
            sys.exit(f"{package.name} does not need its library")

    root = WORK / "root"
    for folder in ("info", "updates"):
        (root / ADMIN / folder).mkdir(parents=True)
    for file in ("status", "available"):
        (root / ADMIN / file).touch()
    dpkg(root, "--install", *first)
    there = files(root)
    for wanted in ("bin/weft", "libweft.so.0.1.0", "include/weft/weft.h", "weftConfig.cmake", "man1/weft.1.gz",
                   "completions/weft", "doc/weft/copyright"):
        if not any(f.startswith("usr/") and f.endswith(wanted) for f in there):
            sys.exit(f"{wanted} is in no package; there are\n" + "\n".join(there))
    dpkg(root, "--install", *second)
    if files(root) != there:
        sys.exit("an upgrade leaves other files than an installation")
    dpkg(root, "--purge", *(field(p, "Package") for p in second))
    if files(root):
        sys.exit("left behind:\n" + "\n".join(files(root)))
    print(f"{len(first)} packages installed {len(there)} files, upgraded, and were removed without a trace")


main()
