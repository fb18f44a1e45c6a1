# SPDX-License-Identifier: BSD-3-Clause
"""XDMF files, which tell viewers what is in an HDF5 file of snapshots."""

from __future__ import annotations

import os
from typing import Any, Sequence, Union
from xml.etree import ElementTree as xml

import numpy as np


def _item(parent: xml.Element, text: str, dimensions: Sequence[int], **attributes: str) -> None:
    size = " ".join(str(n) for n in dimensions)
    item = xml.SubElement(parent, "DataItem", {"NumberType": "Float", "Dimensions": size, **attributes})
    item.text = text


class _Field:
    """Where the points of a field, or of a slice of one, are: axes of the viewer's space, slowest first."""

    def __init__(self, group: Any, name: str, part: str, periodic: Sequence[bool], file: str) -> None:
        extents = [int(n) for n in group.attrs["shape"]]
        picks = part.split("_") if part != "whole" else ["slice"] * len(extents)
        # An axis with a single point stays if that makes three of them.
        axes = [a for a, s in enumerate(picks) if s == "slice" or len(extents) == 3]
        self.shape = [extents[a] if picks[a] == "slice" else 1 for a in axes]
        self.file, self.group, self.is_mesh = file, name, "mesh" in group
        self.axes = axes
        self.points: list[tuple[float, float]] = []  # first point and step; of a mesh: whether there are several
        for a in axes:
            fixed = 0 if picks[a] == "slice" else int(picks[a])
            if self.is_mesh:
                self.points.append((float(group[f"mesh/x{a}"][fixed]), float(picks[a] == "slice")))
            else:
                origin, length = (float(v) for v in group[f"domain/x{a}"][:])
                step = length / max(1, extents[a] - (0 if periodic[a] else 1))
                self.points.append((origin + fixed * step, step))

    def describe(self, grid: xml.Element, flip: bool) -> None:
        size = [1] * (3 - len(self.shape)) + self.shape
        kind = "3DRectMesh" if self.is_mesh else "3DCoRectMesh"
        xml.SubElement(grid, "Topology", {"Dimensions": " ".join(map(str, size)), "Type": kind})
        order = list(range(len(self.axes)))
        if flip and len(order) == 2:
            order.reverse()
        if not self.is_mesh:
            names = {2: "ORIGIN_DXDY", 3: "ORIGIN_DXDYDZ"}
            geometry = xml.SubElement(grid, "Geometry", {"Type": names[len(order)]})
            for which in (0, 1):
                text = " ".join(repr(float(self.points[i][which])) for i in order)
                _item(geometry, text, [len(order)], Format="XML")
            return
        geometry = xml.SubElement(grid, "Geometry", {"Type": "VXVYVZ"})
        for i in reversed(order) if len(order) == 3 else order:
            if self.points[i][1]:
                text = f"{self.file}:/{self.group}/mesh/x{self.axes[i]}"
                _item(geometry, text, [self.shape[i]], Format="HDF", Precision="8")
            else:
                _item(geometry, repr(self.points[i][0]), [1], Format="XML", Precision="8")
        if len(order) == 2:
            _item(geometry, "0", [1], Format="XML", Precision="8")


def generate_xdmf(h5filename: Any, periodic: Union[bool, Sequence[bool]] = True, order: str = "paraview") -> None:
    """Writes, beside an HDF5 file, an XDMF file for the whole scalar fields in it and one for each kind of slice, of
    those with two or three dimensions. ``periodic``, of all axes or of each: whether the last point is left out of the
    domain. ``order`` is the viewer's, "paraview" or "visit", which differ in two dimensions. One rank does this."""
    import h5py

    assert order.lower() in ("paraview", "visit")
    h5filename = str(h5filename)
    file = os.path.basename(h5filename)
    with h5py.File(h5filename, "r") as f:
        found: dict[str, dict[int, list[str]]] = {}

        def look(key: str, thing: Any) -> None:
            parts = key.split("/")
            if not isinstance(thing, h5py.Dataset) or parts[1] not in ("2D", "3D"):
                return
            if f[parts[0]].attrs["rank"] == 0:
                steps = found.setdefault(parts[2] if len(parts) == 4 else "whole", {})
                steps.setdefault(int(parts[-1]), []).append(key)

        f.visititems(look)
        for part, steps in found.items():
            root = xml.Element("Xdmf", {"Version": "2.1"})
            series = xml.SubElement(
                xml.SubElement(root, "Domain"),
                "Grid",
                {"Name": "Structured Grid", "GridType": "Collection", "CollectionType": "Temporal"},
            )
            time = xml.SubElement(series, "Time", {"TimeType": "List"})
            _item(time, " ".join(str(s) for s in sorted(steps)), [len(steps)], Format="XML")
            for step in sorted(steps):
                grid = xml.SubElement(series, "Grid", {"GridType": "Uniform"})
                for number, key in enumerate(steps[step]):
                    name, data = key.split("/")[0], f[key]
                    assert data.dtype.kind == "f", "complex values cannot be shown"
                    count = len(f[name].attrs["shape"])
                    ends = [bool(periodic)] * count if np.ndim(periodic) == 0 else list(periodic)  # type: ignore
                    field = _Field(f[name], name, part, ends, file)
                    if number == 0:
                        field.describe(grid, order.lower() == "visit")
                    attribute = xml.SubElement(grid, "Attribute", {"Name": name, "Center": "Node"})
                    size = [1] * (3 - len(field.shape)) + field.shape
                    _item(attribute, f"{file}:/{key}", size, Format="HDF", Precision=str(data.dtype.itemsize))
            ending = ".xdmf" if part == "whole" else f"_{part}.xdmf"
            xml.indent(root)
            xml.ElementTree(root).write(h5filename[:-3] + ending, encoding="utf-8", xml_declaration=True)
