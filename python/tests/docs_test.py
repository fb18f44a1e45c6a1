# SPDX-License-Identifier: BSD-3-Clause
"""Runs every block of Python in the guide, those of a page one after the other."""

import pathlib
import re
import sys

import matplotlib

matplotlib.use("Agg")

docs = pathlib.Path(__file__).parents[2] / "docs"
count = 0
for page in sorted(docs.rglob("*.md")):
    text = page.read_text()
    scope = {}
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start()) + 1
        exec(compile("\n" * line + block.group(1), str(page), "exec"), scope)
        count += 1
if count < 12:
    sys.exit(f"{count} blocks of code in {docs}: there were more")
