#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table "To add something, touch these files" of docs/architecture.md is true of what is there: every file that it
names for an algorithm, an engine or a peer exists and names it, and no other source file does. And documents name no
file that does not exist."""
import pathlib
import re
import sys

# What is named elsewhere too, and why: see below the table.
EXCEPTIONS = {
    ("a local engine", "weft"): {"src/planner/survey.cpp"},
    ("a local engine", "fftw"): {"src/local/engines/fftw_absent.cpp"},
    ("a local engine", "gpu"): {"src/local/engines/cufft.cpp"},
}
# Options that may differ between ranks.
OF_A_RANK = {"on_progress", "input_layout", "output_layout"}
NAMED_FILE = re.compile(r"`([\w./*-]+\.(?:cpp|hpp|py|md|cmake|txt|in))`")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def read(path):
    return path.read_text(encoding="utf-8")


def code_of(text):
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def rows_of(document):
    """What is to be added -> the files that its row names, of the second and of the third column."""
    section = document.split("## To add something, touch these files", 1)[-1]
    rows = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "to add":
            # Behind a semicolon stand files that only some additions need.
            rows[cells[0]] = [re.findall(r"`([\w.-]*/[\w./-]+|README.md)`", cell.split(";")[0]) for cell in cells[1:]]
    return rows


def stems(folder, besides=()):
    return sorted(p.stem for p in folder.glob("*.cpp") if p.stem not in besides)


class additions:
    """What there is of a kind: names, and how source files name one of them."""

    def __init__(self, kind, names, pattern):
        self.kind, self.names, self.pattern = kind, names, pattern

    def names_in_code(self, name):
        return re.compile(self.pattern.replace("NAME", re.escape(name)))


def kinds_of(root):
    source = root / "src"
    algorithms = re.findall(r'\{"(\w+)", propose_', read(source / "algorithm/table.cpp"))
    return [
        additions("an algorithm", algorithms, r"\bpropose_NAME\b"),
        additions("an exchange engine", stems(source / "exchange/engines", ("loopback", "mail")),
                  r'\bNAME_engine\b|"NAME"|exchange/engines/NAME\.'),
        additions("a local engine", stems(source / "local/engines", ("fftw_absent",)),
                  r"\bNAME_engine\b|local/engines/NAME\."),
        additions("a peer to compare with", stems(root / "tools/peers"), r"\bpeer NAME\(\)"),
    ]


def names(text, path, name):
    """Whether a file of the table names what was added."""
    if path.endswith("CMakeLists.txt"):
        return f"/{name}.cpp" in text
    if path.endswith("peers.cmake"):
        return f"weft_add_peer({name} " in text
    if path.startswith("tools/peers/"):
        return re.search(r"\bpeer \w+\(\)", text) is not None
    if path.endswith(".cpp") or path.endswith(".hpp"):
        return re.search(rf"(?<![a-z]){name}(?![a-z])", code_of(text)) is not None
    # People may write "fftw-mpi" or "2DECOMP&FFT" for what a file calls fftw_mpi or decomp2d.
    return re.search(rf"(?<![a-z]){name.split('_')[0]}(?![a-z])", text, re.IGNORECASE) is not None


def problems_of_table(files, rows, kinds):
    """`files`: path -> text of everything in the repository that matters."""
    for kind in kinds:
        if kind.kind not in rows:
            yield f"docs/architecture.md: the table has no row for {kind.kind}"
            continue
        if not kind.names:
            yield f"{kind.kind}: there is none"
        for name in kind.names:
            claimed = [path.replace("NAME", name) for column in rows[kind.kind] for path in column]
            for path in claimed:
                if path not in files:
                    yield f"{kind.kind}, {name}: {path} does not exist"
                elif not names(files[path], path, name):
                    yield f"{kind.kind}, {name}: {path} does not name it"
            allowed = set(claimed) | EXCEPTIONS.get((kind.kind, name), set())
            for path, text in files.items():
                if path.startswith("src/") and path not in allowed and path.endswith((".cpp", ".hpp")):
                    if kind.names_in_code(name).search(code_of(text)):
                        yield f"{kind.kind}, {name}: {path} names it, which the table does not say"


def block(text, start, end="};"):
    return text.split(start, 1)[1].split(end, 1)[0]


def problems_of_lists(files):
    """What tables in the source hold is where the rows say that it is."""
    def missing(what, path, words):
        for word in words:
            if not re.search(rf"\b{word}\b", files[path]):
                yield f"{path} does not have the {what} '{word}'"

    kinds = re.findall(r"\w+", block(files["src/index/line_kind.hpp"], "enum class line_kind : char {"))
    yield from missing("line kind", "src/index/line_kind.cpp", kinds)
    yield from missing("line kind", "tests/line_kind_test.cpp", kinds)

    operations = re.search(r"element_operation = std::variant<([^>]*)>", files["src/local/operations.hpp"]).group(1)
    fused = [o for o in re.findall(r"\w+", operations) if o != "pointwise"]
    yield from missing("element operation", "src/local/fused.hpp", fused)
    yield from missing("element operation", "tests/local/operations_test.cpp", fused)

    options = re.findall(r"^  [^/\n]*?(\w+) = [^\n]*;", block(files["include/weft/problem.hpp"], "struct options {", "\n};"),
                         re.MULTILINE)
    if len(options) < 15:
        yield "include/weft/problem.hpp: this test does not see its options"
    yield from missing("option", "src/planner/arguments.cpp", [f"how.{o}" for o in options if o not in OF_A_RANK])
    for o in options:
        if not any(re.search(rf"\b{o}\b", files[page]) for page in ("docs/using.md", "docs/planner.md")):
            yield f"neither docs/using.md nor docs/planner.md tells of the option '{o}'"

    figures = re.findall(r'\{"(\w+)", \[\]\(machine&', files["src/planner/machine.cpp"])
    if len(figures) < 10:
        yield "src/planner/machine.cpp: this test does not see its figures"
    yield from missing("figure of the machine model", "docs/planner.md", figures)


def problems_of_names(page, text, paths):
    """`page` and `paths` are relative to the root. A name without a folder may be anywhere."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for name in NAMED_FILE.findall(text):
        if "NAME" in name or "FILE" in name:
            continue
        pattern = re.compile(r"(?:.*/)?" + re.escape(name).replace(r"\*", "[^/]*"))
        found = any(pattern.fullmatch(path) for path in paths)
        # With a top folder, it is a path from the root.
        if name.split("/")[0] in {"src", "tests", "tools", "include", "docs", "scripts", "examples", "bench", "python"}:
            found = any(re.fullmatch(re.escape(name).replace(r"\*", "[^/]*"), path) for path in paths)
        if not found:
            yield f"{page} names {name}, which does not exist"
    folder = pathlib.PurePosixPath(page).parent
    for target in LINK.findall(text):
        parts = []
        for part in (folder / target).parts:
            parts = parts[:-1] if part == ".." else parts + [part]
        if "/".join(parts) not in paths:
            yield f"{page} links to {target}, which does not exist"


def self_check():
    """The test must find what it is for."""
    kind = additions("an exchange engine", ["swap"], r'\bNAME_engine\b|"NAME"')
    rows = rows_of("## To add something, touch these files\n| to add | touch | and |\n|---|---|---|\n"
                   "| an exchange engine | `src/e/NAME.cpp`, `src/e/table.cpp`; `src/other.cpp` | `docs/NAME.md` |\n")
    good = {"src/e/swap.cpp": "engine swap_engine;", "src/e/table.cpp": "&swap_engine", "docs/swap.md": "# swap",
            "src/run/a.cpp": "// swap_engine in words\nstd::swap(a, b);"}
    wrong = list(problems_of_table(good, rows, [kind]))
    bad = [
        {**good, "src/run/a.cpp": 'if (name == "swap") {}'},
        {**good, "src/run/a.cpp": "open(swap_engine);"},
        {**good, "src/e/table.cpp": "nothing"},
        {path: text for path, text in good.items() if path != "docs/swap.md"},
    ]
    missed = [files for files in bad if not list(problems_of_table(files, rows, [kind]))]
    missed += [{}] if not list(problems_of_table(good, {}, [kind])) else []
    paths = {"docs/a.md", "src/e/swap.cpp", "README.md"}
    wrong += problems_of_names("docs/a.md", "`swap.cpp`, `src/e/swap.cpp`, `e/*.cpp`, [x](../README.md#y)", paths)
    missed += [text for text in ("`gone.cpp`", "`src/swap.cpp`", "[x](b.md)")
               if not list(problems_of_names("docs/a.md", text, paths))]
    if missed or wrong:
        sys.exit(f"this test itself is broken: misses {missed}, rejects {wrong}")


def main():
    self_check()
    root = pathlib.Path(sys.argv[1])
    tops = ("src", "include", "tests", "tools", "docs", "scripts", "examples", "bench", "cmake", "machines",
            "compat", "fortran", "packaging", "python")
    paths = {p.relative_to(root).as_posix(): p for top in tops for p in (root / top).rglob("*")
             if p.is_file() and "__pycache__" not in p.parts}
    paths.update({p.name: p for p in root.glob("*") if p.is_file()})
    texts = {path: read(p) for path, p in paths.items() if p.suffix in (".cpp", ".hpp", ".md", ".txt", ".cmake")}
    rows = rows_of(texts["docs/architecture.md"])
    kinds = kinds_of(root)
    problems = list(problems_of_table(texts, rows, kinds)) + list(problems_of_lists(texts))
    for kind, columns in rows.items():
        for path in columns[0] + columns[1]:
            if "NAME" not in path and path.rstrip("/") not in paths and not (root / path).is_dir():
                problems.append(f"docs/architecture.md: the row for {kind} names {path}, which does not exist")
    for page, text in texts.items():
        if page.endswith(".md"):
            problems += problems_of_names(page, text, set(paths))
    for problem in problems:
        print(problem)
    print(f"{sum(len(k.names) for k in kinds)} additions of {len(rows)} kinds, {len(problems)} untruths in the table")
    sys.exit(1 if problems else 0)


main()
