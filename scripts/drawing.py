# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that draw docs/pictures share: colours, texts, cells, and where a picture is written."""

import pathlib

COLOURS = ["#3b6fb6", "#e0913a", "#4f9d69", "#a85a9c", "#b5524a", "#5f7f8c", "#8a7a2e", "#2f8f9d"]  # by rank
INK, PALE_INK, WHOLE = "#23303d", "#66737f", "#c9d0d6"
MONO = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"
SANS = "font-family='DejaVu Sans, Helvetica, Arial, sans-serif'"


def text(x, y, size, words, colour=INK, family=SANS, anchor="middle", weight="normal"):
    return (f"<text x='{x:g}' y='{y:g}' font-size='{size}' fill='{colour}' {family} "
            f"text-anchor='{anchor}' font-weight='{weight}'>{words}</text>")


def cell(x, y, size, colour, words=None):
    """A square with a gap of 1.5 to its neighbours, and words in it if given."""
    parts = [f"<rect x='{x:g}' y='{y:g}' width='{size - 1.5:g}' height='{size - 1.5:g}' rx='{size / 9:.1f}' "
             f"fill='{colour}'/>"]
    if words is not None:
        parts.append(text(x + 0.5 * size - 0.75, y + 0.5 * size + 3.6, 11, words, "#ffffff", MONO))
    return parts


def save(name, width, height, label, parts):
    lines = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
             f"width='{width:g}' height='{height:g}' role='img' aria-label='{label}'>",
             f"<rect width='{width:g}' height='{height:g}' rx='10' fill='#ffffff'/>", *parts, "</svg>"]
    target = pathlib.Path(__file__).resolve().parent.parent / "docs" / "pictures" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n")
