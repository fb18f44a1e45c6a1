# SPDX-License-Identifier: BSD-3-Clause
"""Runs every block of Python in docs/python.md, one after the other."""

import os
import re
import sys

import matplotlib

matplotlib.use("Agg")

page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md")
with open(page) as file:
    text = file.read()
scope = {}
count = 0
for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
    line = text.count("\n", 0, block.start()) + 1
    exec(compile("\n" * line + block.group(1), page, "exec"), scope)
    count += 1
if count < 10:
    sys.exit(f"{count} blocks of code in {page}: there were more")
