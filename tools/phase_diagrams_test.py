#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""phase_diagrams_test.py MACHINES COMMAND...: runs `weft plan --sweep` and checks what docs/phase-diagrams.md says about
who wins where, by the machine models in the folder MACHINES, and that the picture is one."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MACHINES = pathlib.Path(sys.argv[1])


def sweep(machine, shapes, ranks, *options):
    """Cells by shape and number of ranks."""
    command = [*sys.argv[2:], "plan", "--sweep", "--machine", MACHINES / machine, "--shapes", ",".join(shapes),
               "--rank-counts", ",".join(map(str, ranks)), "--json", "-", *options]
    cells = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["cells"]
    found = {("x".join(map(str, c["shape"])), c["ranks"]): c for c in cells}
    assert list(found) == [(s, p) for s in shapes for p in ranks], list(found)
    return found


def expect(cells, shape, ranks, algorithm, exchanges, used=None):
    """`used`: the ranks that are not left idle; all, if it is not given."""
    for p in ranks:
        cell = cells[shape, p]
        found = cell["algorithm"], cell["exchanges"], cell["ranks_used"]
        assert found == (algorithm, exchanges, used or p) and cell["runner_up"] != algorithm, cell


def lead(cells, shape, ranks):
    return cells[shape, ranks]["runner_up_seconds"] / cells[shape, ranks]["seconds"]


CUBE, SMALL, FIVE = "1024x1024x1024", "64x64x64", "64x64x64x64x64"

# Summit, bricks to bricks: slabs up to 384, though pencils would cost a little less there; then pencils. The border moves
# with the size.
cells = sweep("summit.txt", ["512x512x512", CUBE], [96, 192, 384, 768, 3072], "--in", "brick", "--out", "brick")
expect(cells, CUBE, [96, 192, 384], "slab", 3)
expect(cells, CUBE, [768, 3072], "pencil", 4)
expect(cells, "512x512x512", [96, 192], "slab", 3)
expect(cells, "512x512x512", [384, 768], "pencil", 4)
assert 0.9 < lead(cells, CUBE, 384) < 1 and lead(cells, CUBE, 768) > 1.3 and cells[CUBE, 768]["runner_up"] == "slab", cells
# As the planner likes, one node is as good as four.
expect(sweep("summit.txt", [CUBE], [24]), CUBE, [24], "slab", 1, used=6)

# K computer: one exchange on one grid axis up to the root of the extent, one for each of three beyond 1024 nodes.
cells = sweep("k.txt", [SMALL, CUBE], [2, 8, 32, 512, 1024, 2048, 32768], "--out", "same")
expect(cells, SMALL, [2, 8], "cyclic", 1)
expect(cells, CUBE, [2, 8, 32, 512], "cyclic", 1)
expect(cells, CUBE, [1024], "volumetric", 2)
expect(cells, CUBE, [2048, 32768], "volumetric", 3)
for shape, p, where in ((SMALL, 8, "[c0 * *]@8"), (CUBE, 32, "[c0 * *]@32"), (CUBE, 1024, "[c0 c1 *]@32x32")):
    assert cells[shape, p]["in"] == cells[shape, p]["out"] == where, cells[shape, p]
expect(sweep("k.txt", [SMALL], [2, 8]), SMALL, [2, 8], "slab", 1)
# More nodes do not help 64^3: the planner leaves them idle, and none of the paper's decompositions is faster on them.
expect(cells, SMALL, [512, 1024, 32768], "cyclic", 1, used=16)
beyond = sweep("k.txt", [SMALL], [16, 32, 64, 128, 512], "--out", "same", "--algorithm", "volumetric", "--all-ranks")
assert all(c["ranks_used"] == c["ranks"] and c["seconds"] > cells[SMALL, 8]["seconds"] for c in beyond.values()), beyond

# Snellius: by messages cyclic where the output must lie as the input does, else slabs as far as they go. No ranks are
# left idle.
cells = sweep("snellius.txt", [CUBE, FIVE], [2, 128, 256, 1024, 4096], "--out", "same", "--engine", "alltoallv")
for shape in (CUBE, FIVE):
    expect(cells, shape, [2, 128, 256, 1024, 4096], "cyclic", 1)
    assert all(lead(cells, shape, p) > 1.14 for p in (128, 256, 1024, 4096)), cells
cells = sweep("snellius.txt", [CUBE], [128, 1024, 2048, 4096])
expect(cells, CUBE, [128, 1024], "slab", 1)
expect(cells, CUBE, [2048, 4096], "cyclic", 1)
assert all(cells[CUBE, p]["runner_up"] == "pencil" and lead(cells, CUBE, p) < 1.08 for p in (2048, 4096)), cells

# What has no plan says why, and the picture has a row for each shape and a column for each number of ranks.
with tempfile.TemporaryDirectory() as folder:
    plot = pathlib.Path(folder) / "phases.svg"
    cells = sweep("k.txt", ["64x64", "32x32"], [7, 8], "--algorithm", "mixed", "--in", "[c0 b1]", "--grid", "4x2",
                  "--plot", plot)
    texts = [t.text for t in xml.etree.ElementTree.parse(plot).getroot().iter("{http://www.w3.org/2000/svg}text")]
assert cells["64x64", 8]["algorithm"] == "mixed", cells
assert cells["64x64", 7]["algorithm"] is None and cells["64x64", 7]["reason"], cells
assert {"64x64", "32x32", "7", "8", "mixed"} <= set(texts), texts
