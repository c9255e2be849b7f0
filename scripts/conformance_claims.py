# SPDX-License-Identifier: Apache-2.0
"""What a sentence of docs/reference/conformance.md claims besides tests, looked up.

Rows of the benchmarks, in bench/results and with the targets that bench has
now; files, functions and structures, in the tree.
"""
import re

from recorded import Failure, read_benchmarks

ROW_NAME = re.compile(r"`([a-z][a-z0-9_]+)`")
MISSED = re.compile(r"missed on (\w+(?: and \w+)*)")
TARGET = re.compile(r"\bX\((\w+),\s*([\d.]+),")
NVIDIA_TARGET = re.compile(r"\bX\((\w+),\s*([\d.]+)\)")
ROW_KEYS = ("row", "ratio", "target", "met")

PATH = re.compile(r"\b(?:src|docs|include|stores|layer|model|examples|tests"
                  r"|tools|bench|scripts)"
                  r"/[\w./-]*\w")
CALL = re.compile(r"\b(\w+)\(")
STRUCT = re.compile(r"\bstruct (\w+)")
SOURCES = ("src", "include", "stores", "layer", "model",
           "examples", "tools")
SYSTEM = {"flock"}  # not ours


class Tree:
    """A checkout: its recorded results and its sources."""

    def __init__(self, root):
        self.root = root
        self.rows = {}  # row name -> {name of the results: row}
        for name, rows in read_benchmarks(root / "bench/results",
                                          ROW_KEYS).items():
            for row in rows:
                self.rows.setdefault(row["row"], {})[name] = row
        targets = (root / "bench" / "targets.h").read_text(encoding="utf-8")
        self.targets = {name: float(value)
                        for name, value in TARGET.findall(targets)}
        self.nvidia_targets = {
            name: float(value)
            for name, value in NVIDIA_TARGET.findall(targets)}
        self.words = set()
        for folder in SOURCES:
            for path in (root / folder).rglob("*.[ch]"):
                self.words |= words_of(path)


def words_of(path):
    return set(re.findall(r"\w+", path.read_text(encoding="utf-8")))


def is_met(row):
    """Whether a recorded row reaches its target; a lie is a Failure."""
    known = row["ratio"] is not None and row["target"] is not None
    met = known and row["ratio"] <= row["target"]
    if known and met != row["met"]:
        raise Failure(f"{row['row']}: recorded as met: {row['met']}, which"
                      f" {row['ratio']} / {row['target']} is not")
    return met


def check_row(name, tree, said_missed):
    """What is wrong with one row of a benchmark as a proof."""
    recorded = tree.rows.get(name)
    if not recorded:
        return [f"no recorded benchmark has a row {name}"]
    met = {results: is_met(row) for results, row in recorded.items()}
    complaints = []
    if not any(met.values()):
        complaints.append(f"{name} reaches its target nowhere")
    for results, row in recorded.items():
        target = tree.targets.get(name, row["target"])
        if results == "nvidia":
            target = tree.nvidia_targets.get(name, target)
        if row["target"] != target:
            complaints.append(f"{name}: {results} was measured against"
                              f" {row['target']}, the target is {target} now")
        if not met[results] and results not in said_missed:
            complaints.append(f"{name} is missed on {results}, which is not"
                              " said")
    return complaints


def check_benchmark(sentence, tree):
    """What is wrong with a sentence that names rows of the benchmarks."""
    names = ROW_NAME.findall(sentence)
    if not names:
        return ["names no row of a benchmark"]
    said_missed = {name for match in MISSED.findall(sentence)
                   for name in match.split(" and ")}
    complaints = []
    for name in names:
        complaints += check_row(name, tree, said_missed)
    for results in sorted(said_missed):
        rows = [tree.rows.get(name, {}).get(results) for name in names]
        if all(row is None or is_met(row) for row in rows):
            complaints.append(f"nothing of it is missed on {results}")
    return complaints


def check_tree(sentence, tree):
    """What a sentence names that the tree does not have.

    A function or structure beside the name of a source must be in such a
    source; any other, somewhere.
    """
    complaints = []
    words = set()
    for name in PATH.findall(sentence):
        path = tree.root / name
        if not path.exists():
            complaints.append(f"there is no {name}")
        elif path.suffix in (".c", ".h"):
            words |= words_of(path)
    for name in CALL.findall(sentence) + STRUCT.findall(sentence):
        if name not in (words or tree.words) and name not in SYSTEM:
            complaints.append(f"{name} is not in the sources"
                              f"{' named beside it' if words else ''}")
    return complaints
