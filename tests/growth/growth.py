#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading text takes time at most linear in its size, times a logarithm.

growth.py PROGRAM SIZE [SHAPE ...] runs growth.c's program under callgrind, which
counts the instructions of each reading of SIZE bytes, of twice and of four times
as many, and fails if twice the size takes more than MOST times the instructions, or
more than MEAN times in the mean of both. Time is not looked at, so that a busy machine
changes nothing. Without valgrind: skipped.
"""
import glob
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Twice the size costs twice as much and, with a logarithm, a little more; the C
# library's memory, once in a while, adds a part. A step of a quadratic reading costs
# four times as much.
MOST, MEAN = 3.0, 2.5


def counts(folder):
    """The instructions of each call, in order."""
    found = []
    for name in glob.glob(os.path.join(folder, "calls.*")):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if "--dump-after=measured" not in text:
            continue  # the rest of the process
        part = int(re.search(r"^part: (\d+)", text, re.MULTILINE).group(1))
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        found.append((part, int(total.group(1))))
    return [count for _, count in sorted(found)]


def measure(program, size, shapes):
    """(shape, size, instructions) of each call."""
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run(
            ["valgrind", "--tool=callgrind", "--zero-before=measured",
             "--dump-after=measured",
             "--callgrind-out-file=" + os.path.join(folder, "calls"),
             os.path.abspath(program), str(size), *shapes],
            check=True, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd=folder).stdout
        calls = [line.split() for line in printed.splitlines()]
        numbers = counts(folder)
    if len(calls) != len(numbers):
        sys.exit(f"{len(calls)} calls, but {len(numbers)} counts")
    return [(name, int(length), number)
            for (name, length), number in zip(calls, numbers)]


def main(program, size, *shapes):
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        return 77
    rows = measure(program, int(size), shapes)
    if not rows or len(rows) < 3 * len(shapes):
        sys.exit("no such shape")
    bad = 0
    print(f"{'shape':32} {'bytes':>8} {'instructions':>13} {'twice':>6} {'again':>6}")
    for three in zip(rows[::3], rows[1::3], rows[2::3]):
        (name, size, number), *_ = three
        ratios = [second / first * 2 * small / large
                  for (_, small, first), (_, large, second)
                  in zip(three, three[1:])]
        is_bad = max(ratios) > MOST or math.prod(ratios) > MEAN ** 2
        verdict = "  more than linear" if is_bad else ""
        bad += is_bad
        print(f"{name:32} {size:8} {number:13}"
              + "".join(f" {ratio:6.2f}" for ratio in ratios) + verdict)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
