#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""trace_test.py RANKS COMMAND...: runs `weft run --trace` and checks what it writes: a Chrome trace in which every rank
does every stage, one thing at a time, and a chart that has a row for each rank. No time is compared with another run's."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RANKS = int(sys.argv[1])
SVG = "{http://www.w3.org/2000/svg}"


def run(*options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "timeline.json"
        command = [*sys.argv[2:], "run", "--reps", "1", "--json", "-", "--trace", str(file), *options]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        chart = file.with_suffix(".svg")
        assert report["trace"]["file"] == str(file) and report["trace"]["chart"] == str(chart), report["trace"]
        return report, json.loads(file.read_text()), xml.etree.ElementTree.parse(chart).getroot()


def between_clocks(trace):
    """Microseconds between the device's clock and the host's: a busy machine may stop a rank between its looks at both. A
    small part of the whole, so that what is in the wrong place is found."""
    return min(2e4, 1e5 * trace["otherData"]["seconds"])


def check_copies(trace):
    """What a device copies for `staged` has threads of its own, and lies in the exchange that it is part of."""
    threads = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    apart = between_clocks(trace)
    for rank in range(RANKS):
        exchanges = [e for e in events if e["tid"] == rank and e["cat"] == "exchange"]
        for kind in ("download", "upload"):
            mine = [e for e in events if threads[e["tid"]] == f"rank {rank}, {kind}s"]
            assert mine and {e["cat"] for e in mine} == {kind}, (rank, kind, mine)
            for e in mine:
                around = [x for x in exchanges if x["args"] == e["args"]]
                assert len(around) == 1, (rank, e)
                assert around[0]["ts"] - apart <= e["ts"], (e, around)
                assert e["ts"] + e["dur"] <= around[0]["ts"] + around[0]["dur"] + apart, (e, around)
    return [e for e in trace["traceEvents"] if e["tid"] < RANKS]


def check_events(report, trace, apart=0):
    """`apart`: by how much passes, which a device times, may lie otherwise to what the host times."""
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    assert names == {f"rank {r}" for r in range(RANKS)}, names
    assert {e["tid"] for e in events} == set(range(RANKS))
    end_of_run = 1e6 * trace["otherData"]["seconds"]
    assert report["trace"]["seconds"] == trace["otherData"]["seconds"]
    slack = 1e-3  # microseconds: the times are sums of rounded numbers
    for rank in range(RANKS):
        mine = [e for e in events if e["tid"] == rank]
        assert {e["args"]["direction"] for e in mine} == {"forward", "backward"}, rank
        last = {True: 0, False: 0}  # of passes, and of what else there is
        for e in mine:
            assert e["cat"] in ("transform", "copy", "exchange", "wait"), e
            is_pass = e["cat"] in ("transform", "copy")
            assert e["ts"] >= last[is_pass] - slack and e["dur"] >= 0, (rank, e)
            assert e["ts"] >= last[not is_pass] - slack - apart, (rank, e)
            last[is_pass] = e["ts"] + e["dur"]
        assert max(last.values()) <= end_of_run + slack, (rank, last, end_of_run)
        forward = {e["args"]["stage"] for e in mine if e["args"]["direction"] == "forward"}
        assert forward == {s["stage"] for s in report["stages"]}, (rank, forward, report["stages"])
        # Both ways have what the schedule names: each exchange, and transforms of each axis.
        for way in ("forward", "backward"):
            begun = [e for e in mine if e["args"]["direction"] == way and e["cat"] == "exchange"]
            assert len(begun) == report["exchanges"], (rank, way, begun)
            transforms = ",".join({e["name"][2:-1] for e in mine if e["args"]["direction"] == way and e["cat"] == "transform"})
            assert sorted(transforms.split(",")) == [str(a) for a in report["axes"]], (rank, way, transforms)


def check_balance(report):
    stages = report["trace"]["stages"]
    assert [s["stage"] for s in stages if s["direction"] == "forward"] == [s["stage"] for s in report["stages"]], stages
    for s in stages:
        assert 0 <= s["slowest_rank"] < RANKS and s["kind"] == ("exchange" if s["stage"][0] == "R" else "pass"), s
        assert 0 <= s["others_wait"] <= report["trace"]["seconds"] and s["waiting"] >= 0, s
        # A pass's others cannot be done sooner than at once.
        assert s["kind"] == "exchange" or s["others_wait"] <= s["seconds"], s
    share = report["trace"]["exchanging"]
    assert 0 <= share["least"] <= share["most"] <= 1, share


def check_chart(chart):
    rows = [g for g in chart.iter(SVG + "g") if g.get("class") == "rank"]
    assert [g.get("id") for g in rows] == [f"rank-{r}" for r in range(RANKS)], rows
    for row in rows:
        assert len(list(row.iter(SVG + "rect"))) >= 6, "passes and exchanges, there and back"


for options in (["--engine", "auto"], ["--engine", "p2p", "--transform", "r2c"], ["--engine", "alltoallv"]):
    report, trace, chart = run("--shape", "30x21x14", *options)
    check_events(report, trace)
    check_balance(report)
    check_chart(chart)
report, trace, chart = run("--shape", "30x21x14", "--device", "emulated", "--engine", "staged")
trace["traceEvents"] = check_copies(trace)
check_events(report, trace, between_clocks(trace))
check_balance(report)
check_chart(chart)
run("--shape", "0x8")
