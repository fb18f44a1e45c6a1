#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""exchanges_test.py EXCHANGES COMMAND...: runs `weft run ... --json -` and reads from its report that the check passed,
with that many exchanges."""
import json
import subprocess
import sys

report = json.loads(subprocess.run(sys.argv[2:], check=True, stdout=subprocess.PIPE).stdout)
assert report["ok"] is True, report
assert report["exchanges"] == int(sys.argv[1]), report["exchanges"]
