#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `weft tune` learns is used by `weft run`, and survives Ctrl-C. Arguments: the command that starts the program."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

WEFT = sys.argv[1:]


def report(*words):
    return json.loads(subprocess.run([*WEFT, *words, "--json", "-"], check=True, stdout=subprocess.PIPE).stdout)


with tempfile.TemporaryDirectory() as folder:
    os.environ["WEFT_WISDOM"] = str(pathlib.Path(folder) / "usual")
    tuned = report("tune", "--shape", "12x10x8,16x16", "--effort", "measure", "--budget", "60")
    assert [t["shape"] for t in tuned["tuned"]] == [[12, 10, 8], [16, 16]], tuned
    assert tuned["wisdom"] == os.environ["WEFT_WISDOM"] and not tuned["stopped"], tuned
    for case in tuned["tuned"]:
        assert case["timed"] > 0 and case["seconds"] > 0, case
        ran = report("run", "--shape", "x".join(map(str, case["shape"])), "--reps", "1")
        assert ran["ok"] and ran["ways_timed"] == 0 and ran["wisdom"].startswith("from "), ran
        assert ran["schedule"] == case["schedule"] and ran["engine"] == case["exchange"], (ran, case)

    # What another file knows is taken in, and nothing is measured again.
    other = pathlib.Path(folder) / "other"
    again = report("tune", "--shape", "12x10x8", "--effort", "measure", "--wisdom", str(other), "--import", tuned["wisdom"])
    assert [t["timed"] for t in again["tuned"]] == [0], again

    # Interrupted: the file is whole and has what was learned so far.
    stopped = pathlib.Path(folder) / "stopped"
    job = subprocess.Popen([*WEFT, "tune", "--shape", "96x96x96", "--budget", "600", "--wisdom", str(stopped)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while job.poll() is None and not (stopped.exists() and "effort partial" in stopped.read_text()):
        time.sleep(0.05)
    assert job.poll() is None, "ended by itself"
    job.send_signal(signal.SIGINT)
    job.wait()
    ran = report("run", "--shape", "96x96x96", "--reps", "1", "--check", "none", "--wisdom", str(stopped))
    assert ran["wisdom"].startswith("from "), ran
