#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the man page weft(1) from what the program says of itself: man_page.py PROGRAM VERSION FILE."""
import re
import subprocess
import sys

PROGRAM, VERSION, FILE = sys.argv[1:4]

HEAD = r"""'\" t
.TH WEFT 1 "" "weft {version}" "User Commands"
.SH NAME
weft \- Fourier transforms of arrays that are spread over MPI processes
.SH SYNOPSIS
.B weft
.I COMMAND
.RI [ OPTION ]...
.br
.B mpirun \-n
.I RANKS
.B weft
.I COMMAND
.RI [ OPTION ]...
.SH DESCRIPTION
Transforms, checks, times, plans and compares, alone or under
.BR mpirun .
Rank 0 prints; an error is one line on standard error that says what to do instead.
"""

TAIL = r""".SH DISTRIBUTIONS
One term for each axis of the array, on a process grid such as 2x3:
.B *
not distributed,
.B b0
balanced blocks over grid axis 0,
.B c0
cyclic,
.B c0/4
cyclic in blocks of 4,
.B c0/4+1
the first of them on coordinate 1 of grid axis 0,
.B z0
zig-zag,
.B b0c1
blocks over grid axis 0 and inside each cyclic over grid axis 1; the grid may follow:
.BR "[b0 c1 *]@2x3" .
.SH EXIT STATUS
.TP
.B 0
all went well
.TP
.B 1
a check failed: the result is wrong
.TP
.B 2
wrong usage, on every rank
.TP
.B 3
Weft or MPI failed
.SH ENVIRONMENT
.TP
.B WEFT_WISDOM
the file of what was learned by measuring;
.B none
for no file
.SH FILES
.TP
.I ~/.cache/weft/wisdom
that file, unless the environment names another
.SH EXAMPLES
.nf
mpirun \-n 4 weft run \-\-shape 64x48x40 \-\-check full
weft plan \-\-shape 512x512x512 \-\-ranks 384
mpirun \-n 4 weft tune \-\-shape 128x128x128
.fi
.SH SEE ALSO
.BR mpirun (1)
"""


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def help_of(*command):
    return subprocess.run([PROGRAM, *command, "--help"], text=True, capture_output=True, check=True).stdout


def entries(text, section):
    """(what, description) of a section of the help; descriptions of long names are on the next line."""
    lines = re.search(rf"^{section}:\n(.*?)(\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    found = []
    for line in lines.group(1).splitlines() if lines else []:
        match = re.match(r"^  (\S.*?)(?:  +(\S.*))?$", line)
        if match:
            found.append([match.group(1), match.group(2) or ""])
        elif found:
            found[-1][1] += " " + line.strip()
    return found


def main():
    page = [HEAD.format(version=VERSION)]
    try:
        page.append(".SH COMMANDS\n")
        for command, purpose in entries(help_of(), "Subcommands"):
            page.append(f".SS weft {command}\n{roff(purpose)}\n")
            for what, description in entries(help_of(command), "Options"):
                what = re.sub(r"\{false\}| (REQUIRED|Excludes:.*|Needs:.*)", "", what).replace(",", ", ")
                names, _, value = what.partition(" ") if ", " not in what else (what, "", "")
                page.append(f".TP\n\\fB{roff(names)}\\fR" + (f" \\fI{roff(value)}\\fR" if value else "") +
                            f"\n{roff(description.strip())}\n")
    except (OSError, subprocess.CalledProcessError) as problem:  # it cannot run where it was built
        print(f"man_page: {problem}; the page will have no options", file=sys.stderr)
        page = [HEAD.format(version=VERSION)]
    page.append(TAIL)
    with open(FILE, "w", encoding="utf-8") as out:
        out.write("".join(page))


main()
