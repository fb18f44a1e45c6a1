#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples and draws what they compute, for README.md here: examples/draw.py [folder of the build]."""
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402  after the backend is chosen

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "build" / "release")


def curve(program, *arguments, ranks=2):
    """Columns of the file that a program writes; {} stands for its name."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        words = [str(a).format(file.name) for a in arguments]
        subprocess.run(["mpirun", "-n", str(ranks), BUILD / "examples" / f"weft-{program}", *words], check=True)
        rows = [[float(word) for word in line.split()] for line in open(file.name, encoding="utf-8")]
    return list(zip(*rows))


def save(name):
    plot.tight_layout()
    plot.savefig(HERE / "pictures" / f"{name}.png", dpi=80)
    plot.close()


def taylor_green():
    plot.figure(figsize=(6, 3.6))
    for reynolds, points, end in ((20, 24, 6), (100, 32, 8), (200, 40, 8)):
        time, _, dissipation, series = curve("taylor-green", points, reynolds, end, "{}")
        line, = plot.plot(time, dissipation, label=f"Re {reynolds}, {points}³")
        early = [(t, s) for t, s in zip(time, series) if t < 2.2]
        plot.plot(*zip(*early), ":", color=line.get_color())
    plot.plot([], [], "k:", label="series of 1937")
    plot.xlabel("time")
    plot.ylabel("dissipation")
    plot.ylim(0, None)
    plot.legend()
    save("taylor_green")


def poisson_walls():
    plot.figure(figsize=(5, 3.2))
    x, fixed, exact_fixed, closed, exact_closed = curve("poisson-walls", 28, "{}")
    for computed, exact, label in ((closed, exact_closed, "closed walls, cosines"), (fixed, exact_fixed, "fixed walls, sines")):
        line, = plot.plot(x, exact, "-")
        plot.plot(x, computed, "o", markersize=4, color=line.get_color(), label=label)
    plot.plot([], [], "k-", label="exact")
    plot.xlabel("from wall to wall")
    plot.ylabel("solution")
    plot.legend()
    save("poisson_walls")


def schroedinger():
    plot.figure(figsize=(4, 3))
    x, y = curve("schroedinger", 64, 200, "{}")
    plot.plot(x, y, "o", markersize=3, label="mean place of the packet")
    plot.xlabel("x")
    plot.ylabel("y")
    plot.axis("equal")
    plot.legend()
    save("schroedinger")


def particle_mesh():
    plot.figure(figsize=(5, 3))
    x, force, expected = zip(*sorted(zip(*curve("particle-mesh", 32, "{}", ranks=1))))
    plot.plot(x, expected, "-", label="linear theory")
    plot.plot(x, force, "o", markersize=4, label="from the mesh")
    plot.xlabel("x")
    plot.ylabel("force along x")
    plot.legend()
    save("particle_mesh")


def spectrum():
    plot.figure(figsize=(5, 3.2))
    k, power, _ = curve("spectrum", 96, "{}")
    plot.loglog(k, power, ".", label="shells of the field")
    at = k.index(min(k, key=lambda value: abs(value - 8)))
    plot.loglog(k, [power[at] * (value / k[at]) ** (-5 / 3) for value in k], "k:", label="k^(-5/3)")
    plot.xlabel("wavenumber")
    plot.ylabel("power")
    plot.legend()
    save("spectrum")


(HERE / "pictures").mkdir(exist_ok=True)
for draw in (taylor_green, poisson_walls, schroedinger, particle_mesh, spectrum):
    draw()
