# SPDX-License-Identifier: BSD-3-Clause
"""Random problems, the same on every rank, and what NumPy makes of them."""

import os
import random

import numpy as np
import weft

# Two draws in three are the same each time; WEFT_FRESH repeats the others.
fresh = int(os.environ.get("WEFT_FRESH", "0")) or random.SystemRandom().randrange(1, 2**31)


def seeds(count, comm):
    """WEFT_SEED=N: this draw and no other."""
    if "WEFT_SEED" in os.environ:
        return [int(os.environ["WEFT_SEED"])]
    begin = comm.bcast(fresh)
    return [begin + i if i % 3 == 2 else i for i in range(count)]


def grid_of(dice, ranks, most):
    """A factorization of the ranks into up to so many axes."""
    grid, left = [], ranks
    for _ in range(dice.randint(1, most) - 1):
        factor = dice.choice([f for f in range(1, left + 1) if left % f == 0])
        grid.append(factor)
        left //= factor
    return grid + [left]


def distribution_of(dice, shape, ranks):
    """What ``input`` and ``output`` of a plan take, with its grid."""
    kind = dice.randrange(6)
    if kind == 0:
        return "any"
    if kind == 1:
        return "brick"
    if kind == 2:  # slabs of random thickness
        axis = dice.randrange(len(shape))
        cuts = sorted(dice.randint(0, shape[axis]) for _ in range(ranks - 1))
        boxes = []
        for low, high in zip([0] + cuts, cuts + [shape[axis]]):
            box = [[0] * len(shape), list(shape)]
            box[0][axis], box[1][axis] = low, high
            boxes.append(tuple(box))
        return weft.Distribution.bricks(shape, boxes)
    grid = grid_of(dice, ranks, len(shape))
    free = list(range(len(grid)))
    dice.shuffle(free)
    terms = []
    for _ in shape:
        if free and dice.random() < 0.7:
            terms.append(dice.choice([f"b{free[-1]}", f"c{free[-1]}", f"c{free[-1]}/{dice.randint(2, 4)}"]))
            free.pop()
        else:
            terms.append("*")
    text = "[" + " ".join(terms) + "]@" + "x".join(map(str, grid))
    return text if kind > 3 else weft.Distribution.parse(text, shape)


def whole_of(x, comm):
    """The global array on every rank, gathered by the indices that the parts say they have."""
    lead = (x.batch,) if x.batch > 1 else ()
    whole = np.full(lead + x.global_shape, np.nan, x.dtype)
    for indices, part in comm.allgather((x.indices, np.asarray(x))):
        where = np.ix_(*indices)
        whole[(slice(None),) + where if lead else where] = part
    return whole


def scatter(whole, x):
    """This rank's part of a global array."""
    x[...] = whole[(slice(None),) + x.mesh if x.batch > 1 else x.mesh]


def values_of(dice, shape, dtype):
    noise = np.random.default_rng(dice.randrange(2**31))
    values = noise.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * noise.standard_normal(shape)
    return values.astype(dtype)


def summed(kind, x, axis):
    """Cosine and sine transforms by their definition."""
    n = x.shape[axis]
    j, k = np.arange(n), np.arange(n)[:, None]
    name, number = kind[:3], int(kind[3])
    if name == "dct":
        matrix = {
            1: 2 * np.cos(np.pi * j * k / max(1, n - 1)) * np.where((j == 0) | (j == n - 1), 0.5, 1),
            2: 2 * np.cos(np.pi * (j + 0.5) * k / n),
            3: 2 * np.cos(np.pi * j * (k + 0.5) / n) * np.where(j == 0, 0.5, 1),
            4: 2 * np.cos(np.pi * (j + 0.5) * (k + 0.5) / n),
        }[number]
    else:
        matrix = {
            1: 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1)),
            2: 2 * np.sin(np.pi * (j + 0.5) * (k + 1) / n),
            3: 2 * np.sin(np.pi * (j + 1) * (k + 0.5) / n) * np.where(j == n - 1, 0.5, 1),
            4: 2 * np.sin(np.pi * (j + 0.5) * (k + 0.5) / n),
        }[number]
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def factor_of(kind, n):
    """What there and back multiplies by."""
    return {"none": 1, "c2c": n, "r2c": n, "dct1": 2 * (n - 1), "dst1": 2 * (n + 1)}.get(kind, 2 * n)
