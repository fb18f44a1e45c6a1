#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The guide: every link leads somewhere, every call of C is described, and mkdocs builds the site: docs_test.py SOURCE BUILD.

Without mkdocs the site is not built, which is said.
"""
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", lambda m: "`" + "x" * (len(m.group(0)) - 2) + "`", text)


def anchors(text):
    """Of the headings, as mkdocs and GitHub make them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        found.add(re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain.lower()).strip()))
    return found


def broken_links():
    pages = sorted((SOURCE / "docs").rglob("*.md")) + [SOURCE / "README.md"]
    texts = {page.resolve(): page.read_text() for page in pages}
    for page in pages:
        for target in LINK.findall(without_code(texts[page.resolve()])):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page.resolve()
            if not file.exists():
                yield f"{page.relative_to(SOURCE)}: {target}: no such file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(texts.get(file) or file.read_text()):
                yield f"{page.relative_to(SOURCE)}: {target}: no such heading"


def undescribed():
    header = (SOURCE / "include/weft/weft.h").read_text()
    described = (SOURCE / "docs/c.md").read_text()
    for name in re.findall(r"\b(weft_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)):
        if f"{name}(" not in described:
            yield f"docs/c.md does not describe {name}"
    for name in re.findall(r'^ *(?:\{|WEFT_\w+\()"(\w+)",', (SOURCE / "src/c/options.cpp").read_text(), re.MULTILINE):
        if f"`{name}`" not in described and name not in ("estimate", "none"):
            yield f"docs/c.md does not describe the option {name}"
    fortran = (SOURCE / "docs/fortran.md").read_text()
    for file in ("weft_plans.F90", "weft_runs.f90", "weft_values.f90", "weft_arrays.F90", "weft_spectra.F90",
                 "weft_waves.F90", "weft_resources.f90"):
        text = (SOURCE / "fortran" / file).read_text()
        for kind in re.findall(r"^  type, public :: .*?^  end type", text, re.DOTALL | re.MULTILINE):
            for name in re.findall(r"^    (?:procedure|generic) :: (\w+)", kind, re.MULTILINE):
                if f"%{name}(" not in fortran:
                    yield f"docs/fortran.md does not describe {name} of {kind.splitlines()[0].split()[-1]}"
    for name in re.findall(r"^  public :: (.*)$", (SOURCE / "fortran/weft_fields.F90").read_text(), re.MULTILINE)[0].split(", "):
        if f"{name}(" not in fortran:
            yield f"docs/fortran.md does not describe {name}"


def unlisted():
    """Pages that the site's table of contents leaves out."""
    nav = (SOURCE / "mkdocs.yml").read_text()
    for page in sorted((SOURCE / "docs").glob("*.md")):
        if not re.search(rf": {re.escape(page.name)}$", nav, re.MULTILINE):
            yield f"mkdocs.yml does not list docs/{page.name}"


def main():
    problems = [*broken_links(), *undescribed(), *unlisted()]
    print("\n".join(problems) or "all links and descriptions are there")
    if problems:
        sys.exit(1)
    if shutil.which("mkdocs") is None:
        print("mkdocs is not installed: the site was not built")
        return
    done = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", str(SOURCE / "mkdocs.yml"),
                           "--site-dir", str(BUILD / "site")], text=True, capture_output=True)
    if done.returncode != 0 or not (BUILD / "site/index.html").exists():
        sys.exit(f"mkdocs: {done.stdout}{done.stderr}")
    print(f"the site is in {BUILD / 'site'}")


main()
