#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the test vectors of this folder, by the definition of the transform alone; --check compares instead."""
import cmath
import itertools
import math
import pathlib
import sys

# name: transform, direction, shape, transformed axes, halved axis or -1, batch
CASES = {
    "c2c_12": ("c2c", "forward", (12,), (0,), -1, 1),
    "c2c_144": ("c2c", "forward", (144,), (0,), -1, 1),
    "c2c_7x6": ("c2c", "forward", (7, 6), (0, 1), -1, 1),
    "c2c_11x13": ("c2c", "forward", (11, 13), (0, 1), -1, 1),
    "c2c_6x5x4": ("c2c", "forward", (6, 5, 4), (0, 1, 2), -1, 1),
    "c2c_8x8x8": ("c2c", "forward", (8, 8, 8), (0, 1, 2), -1, 1),
    "c2c_1x9x2": ("c2c", "forward", (1, 9, 2), (0, 1, 2), -1, 1),
    "c2c_backward_6x4x5": ("c2c", "backward", (6, 4, 5), (0, 1, 2), -1, 1),
    "c2c_axes_4x3x5": ("c2c", "forward", (4, 3, 5), (0, 2), -1, 1),
    "c2c_batch_4x5x6": ("c2c", "forward", (4, 5, 6), (0, 1, 2), -1, 3),
    "c2c_3x4x2x5": ("c2c", "forward", (3, 4, 2, 5), (0, 1, 2, 3), -1, 1),
    "r2c_10": ("r2c", "forward", (10,), (0,), 0, 1),
    "r2c_9x8": ("r2c", "forward", (9, 8), (0, 1), 1, 1),
    "r2c_6x5x4": ("r2c", "forward", (6, 5, 4), (0, 1, 2), 2, 1),
    "r2c_5x4x7": ("r2c", "forward", (5, 4, 7), (0, 1, 2), 2, 1),
    "r2c_axis0_8x3x5": ("r2c", "forward", (8, 3, 5), (0, 1, 2), 0, 1),
    "r2c_batch_4x3x6": ("r2c", "forward", (4, 3, 6), (0, 1, 2), 2, 2),
}

# name: transform, shape, kind of each axis, modes that are kept, batch; forward
KINDS = {
    "kinds_r2r_5x6x4": ("r2r", (5, 6, 4), ("dct2", "dst1", "dct4"), (5, 6, 4), 1),
    "kinds_r2r_7x4": ("r2r", (7, 4), ("dct1", "dst3"), (7, 4), 1),
    "kinds_r2r_batch_4x3x5": ("r2r", (4, 3, 5), ("dct3", "none", "dst2"), (4, 3, 5), 2),
    "kinds_r2r_cosines_4x3x5": ("r2r", (4, 3, 5), ("dct2", "dct2", "dct2"), (4, 3, 5), 1),
    "kinds_r2c_4x6x5": ("r2c", (4, 6, 5), ("dst4", "r2c", "dct2"), (4, 6, 5), 1),
    "kinds_c2c_5x4x3": ("c2c", (5, 4, 3), ("c2c", "dct3", "none"), (5, 4, 3), 1),
    "kept_c2c_8x6x5": ("c2c", (8, 6, 5), ("c2c", "c2c", "c2c"), (5, 4, 5), 1),
    "kept_r2c_6x8x9": ("r2c", (6, 8, 9), ("c2c", "c2c", "r2c"), (4, 5, 6), 1),
    "kept_r2r_6x8": ("r2r", (6, 8), ("dct2", "dst2"), (4, 5), 1),
}


def inputs(k, real):
    """The value at linear index k: multiples of 2^-15, which both precisions hold exactly."""
    re = ((31 * k * k + 7919 * k + 12345) % 65537 - 32768) / 32768
    im = ((17 * k * k + 104729 * k + 54321) % 65537 - 32768) / 32768
    return complex(re, 0 if real else im)


def expected(case):
    """(array of the batch, index, mode) for every mode that is stored: one sum over all elements for each."""
    transform, direction, shape, axes, halved, batch = case
    stored = [n // 2 + 1 if l == halved else n for l, n in enumerate(shape)]
    sign = -1 if direction == "forward" else 1
    roots = {n: [cmath.exp(sign * 2j * math.pi * j / n) for j in range(n)] for n in set(shape)}
    elements = list(itertools.product(*map(range, shape)))
    for b in range(batch):
        values = [inputs(b * len(elements) + k, transform == "r2c") for k in range(len(elements))]
        for mode in itertools.product(*map(range, stored)):
            terms = []
            for index, value in zip(elements, values):
                if any(index[l] != mode[l] for l in range(len(shape)) if l not in axes):
                    continue
                for l in axes:
                    value *= roots[shape[l]][index[l] * mode[l] % shape[l]]
                terms.append(value)
            yield b, mode, complex(math.fsum(t.real for t in terms), math.fsum(t.imag for t in terms))


def along(kind, n, kept, real):
    """What element j adds to mode m of those that are kept: a function of both."""
    pi = math.pi

    def fourier(j, m):
        # Of an even number of modes, fewer than there are, the middle one: that of -kept/2, or none with real data.
        if real and kept < n and 2 * m == kept:
            return 0
        k = m if 2 * m < kept or (2 * m == kept and kept == n) else m - kept
        return cmath.exp(-2j * pi * (j * k % n) / n)

    return {
        "none": lambda j, k: 1 if j == k else 0,
        "c2c": fourier,
        "r2c": fourier,
        "dct1": lambda j, k: (1 if j in (0, n - 1) else 2) * math.cos(pi * j * k / (n - 1)),
        "dct2": lambda j, k: 2 * math.cos(pi * (j + 0.5) * k / n),
        "dct3": lambda j, k: (1 if j == 0 else 2) * math.cos(pi * j * (k + 0.5) / n),
        "dct4": lambda j, k: 2 * math.cos(pi * (j + 0.5) * (k + 0.5) / n),
        "dst1": lambda j, k: 2 * math.sin(pi * (j + 1) * (k + 1) / (n + 1)),
        "dst2": lambda j, k: 2 * math.sin(pi * (j + 0.5) * (k + 1) / n),
        "dst3": lambda j, k: (1 if j == n - 1 else 2) * math.sin(pi * (j + 1) * (k + 0.5) / n),
        "dst4": lambda j, k: 2 * math.sin(pi * (j + 0.5) * (k + 0.5) / n),
    }[kind]


def expected_of_kinds(case):
    transform, shape, kinds, kept, batch = case
    factors = [along(kind, n, m, transform == "r2c") for kind, n, m in zip(kinds, shape, kept)]
    stored = [m // 2 + 1 if kind == "r2c" else m for kind, m in zip(kinds, kept)]
    elements = list(itertools.product(*map(range, shape)))
    for b in range(batch):
        values = [inputs(b * len(elements) + k, transform != "c2c") for k in range(len(elements))]
        for mode in itertools.product(*map(range, stored)):
            terms = [v * math.prod(f(j, m) for f, j, m in zip(factors, i, mode)) for i, v in zip(elements, values)]
            yield b, mode, complex(math.fsum(t.real for t in terms), math.fsum(t.imag for t in terms))


def back_and_forth(case):
    """What backward after forward multiplies by; 0 if it does not give the input back."""
    _, shape, kinds, kept, _ = case
    if kept != shape:
        return 0
    of = {"none": lambda n: 1, "c2c": lambda n: n, "r2c": lambda n: n, "dct1": lambda n: 2 * (n - 1),
          "dst1": lambda n: 2 * (n + 1)}
    return math.prod(of.get(kind, lambda n: 2 * n)(n) for kind, n in zip(kinds, shape))


def text_of(case):
    if len(case) == 5:
        return text_of_kinds(case)
    transform, direction, shape, axes, halved, batch = case
    modes = list(expected(case))
    energy = math.fsum(abs(m) ** 2 for _, _, m in modes)
    lines = ["weft_vector 1", f"transform {transform}", f"direction {direction}", f"axes {len(shape)}",
             "shape " + " ".join(map(str, shape)),
             "transformed " + " ".join("1" if l in axes else "0" for l in range(len(shape))),
             f"halved {halved}", f"batch {batch}", f"modes {len(modes)}", f"energy {energy:.16e}"]
    return with_modes(lines, modes)


def text_of_kinds(case):
    transform, shape, kinds, kept, batch = case
    modes = list(expected_of_kinds(case))
    energy = math.fsum(abs(m) ** 2 for _, _, m in modes)
    lines = ["weft_vector 2", f"transform {transform}", "direction forward", f"axes {len(shape)}",
             "shape " + " ".join(map(str, shape)),
             "transformed " + " ".join("0" if kind == "none" else "1" for kind in kinds),
             f"halved {kinds.index('r2c') if 'r2c' in kinds else -1}", f"batch {batch}",
             "kinds " + " ".join(kinds), "kept " + " ".join(map(str, kept)), f"factor {back_and_forth(case)}",
             f"modes {len(modes)}", f"energy {energy:.16e}"]
    return with_modes(lines, modes)


def with_modes(lines, modes):
    for b, mode, value in modes:
        lines.append(f"{b} {' '.join(map(str, mode))} {value.real:.16e} {value.imag:.16e}")
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(__file__).parent
    files = {folder / f"{name}.txt": case for name, case in {**CASES, **KINDS}.items()}
    if sys.argv[1:] != ["--check"]:
        for file, case in files.items():
            file.write_text(text_of(case))
        return
    strangers = sorted(set(folder.glob("*.txt")) - set(files))
    wrong = [f"{file.name} is not in CASES" for file in strangers]
    for file, case in files.items():
        have, want = file.read_text().split(), text_of(case).split()
        same = len(have) == len(want) and all(
            a == b or ("e" in a and abs(float(a) - float(b)) < 1e-12 * max(1, abs(float(b)))) for a, b in zip(have, want))
        if not same:
            wrong.append(f"{file.name} is not what make.py writes")
    print("\n".join(wrong) if wrong else f"{len(files)} vectors are what the definition gives")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
