#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_json_test.py COMMAND...: runs `weft run --json -` and checks that the floor is what docs/cli.md says it is.
No time is compared with anything but the floor's own definition."""
import json
import math
import subprocess
import sys


def report_of(*options):
    command = [*sys.argv[1:], "run", "--reps", "2", "--json", "-", *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9)


def check(passes, byte_count, flops, *options):
    report = report_of(*options)
    floor = report["floor"]
    for field in ("seconds", "share", "passes", "bytes", "bandwidth", "flops", "rate"):
        assert math.isfinite(floor[field]) and floor[field] > 0, (options, field, floor)
    assert floor["passes"] == passes and floor["bytes"] == byte_count, (options, floor)
    assert close(floor["flops"], flops), (options, floor)
    assert close(floor["seconds"], floor["bytes"] / floor["bandwidth"] + floor["flops"] / floor["rate"]), floor
    assert close(floor["share"], floor["seconds"] / report["forward"]["min"]), (floor, report["forward"])


# One transform for two ranks: the array is stored and loaded once more between.
check(2, 4 * 16 * 16 * 12 * 10, 5 * 1920 * math.log2(1920), "--shape", "16x12x10")
# Each rank has whole transforms to itself: one pass.
check(1, 2 * 16 * 16 * 12 * 10, 5 * 1920 * math.log2(120), "--shape", "16x12x10", "--axes", "1,2", "--threads", "2")
# A real input has half the bytes, and what follows is halved along the last axis.
check(2, 7 * 8 * (9 * 4 + 3 * 5 * 8), 2.5 * 504 * math.log2(504), "--shape", "7x8x9", "--transform", "r2c",
      "--precision", "f32", "--local", "reference")
assert report_of("--shape", "0x8")["floor"] is None
assert report_of("--shape", "16x12x10", "--no-floor")["floor"] is None
