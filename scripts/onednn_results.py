#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what became of oneDNN's own tests into docs/ONEDNN.md.

bench/results/onednn_suite.json, as tests/onednn_suite/run.py --json writes it
of two runs ("before" and "after"), becomes the text between the marker
comments. With --check nothing is written, and a document that says anything
else than the results is an error, as are results in which a case failed, or
which refuse what their reasons do not say to be wanted. Exit status: 0 fine, 1
not, 2 wrong usage.
"""

import collections
import json
import re
import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    Failure, put_table, run_main, table_options)

MARKERS = ("<!-- onednn: begin, written by scripts/onednn_results.py -->",
           "<!-- onednn: end -->")
LEAST = 40
# What a refusal is for. The last group is what oneDNN has and this library
# has not built.
KINDS = (
    ("backward propagation", r"no backward propagation"),
    ("recurrent primitives", r"no recurrent primitives"),
    ("Winograd", r"no Winograd algorithm"),
    ("reorders within a CPU engine", r"both engines are dnnl_cpu"),
    ("others", r""),
)


def kind_of(reason):
    return next(kind for kind, pattern in KINDS if re.search(pattern, reason))


def cases(result, *verdicts):
    return sum(result["cases"].get(v, 0) for v in verdicts)


def total(run, *verdicts):
    return sum(cases(result, *verdicts) for result in run["files"].values())


def by_kind(results):
    kinds = collections.Counter()
    for result in results:
        for reason, count in result["refusals"].items():
            kinds[kind_of(reason)] += count
    return kinds


def file_rows(before, after):
    lines = ["| file | cases | ran before | ran now | of them wider | refused "
             "before | refused now | skipped | differs |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    rows = [(f"`{name}`", before["files"][name], result)
            for name, result in after["files"].items()]
    whole = [{"cases": {v: total(run, v) for v in
                        ("passed", "wider", "refused", "skipped", "differs",
                         "failed")}} for run in (before, after)]
    for name, old, new in [*rows, ("all", *whole)]:
        lines.append(
            f"| {name} | {sum(new['cases'].values())} | "
            f"{cases(old, 'passed', 'wider')} | "
            f"{cases(new, 'passed', 'wider')} | {cases(new, 'wider')} | "
            f"{cases(old, 'refused')} | {cases(new, 'refused')} | "
            f"{cases(new, 'skipped')} | {cases(new, 'differs')} |")
    return lines


def reason_rows(before, after):
    old, new = (by_kind(run["files"].values()) for run in (before, after))
    lines = ["| refused for | before | now |", "| --- | ---: | ---: |"]
    lines += [f"| {kind} | {old[kind]} | {new[kind]} |" for kind, _ in KINDS
              if old[kind] or new[kind]]
    return lines


def text(results):
    before, after = results["runs"]["before"], results["runs"]["after"]
    failed = sum(len(r["failures"]) for r in before["files"].values())
    lines = [f"oneDNN {results['onednn']}'s files on {after['device']}, at "
             f"{before['commit']} (\"before\") and {after['commit']} "
             f"(\"now\"); {total(after, 'failed')} cases fail, {failed} did:",
             "", *file_rows(before, after), "", *reason_rows(before, after)]
    return "\n".join(lines)


def check(results, path):
    runs = results["runs"]
    if set(runs) != {"before", "after"}:
        raise Failure(f"{path}: no runs before and after")
    files = runs["after"]["files"]
    if set(files) != set(runs["before"]["files"]) or len(files) < LEAST:
        raise Failure(f"{path}: not the same files, or too few")
    for name, result in files.items():
        if result["failures"] or not result["cases"]:
            raise Failure(f"{path}: {name} failed, or has no cases")
    if by_kind(files.values())["others"]:
        raise Failure(f"{path}: refused for what is wanted")


def main():
    options = table_options(__doc__, "docs/ONEDNN.md",
                            results="bench/results/onednn_suite.json")
    results = json.loads(options.results.read_text(encoding="utf-8"))
    check(results, options.results)
    put_table(options.document, MARKERS, text(results), options.check,
              "scripts/onednn_results.py")


if __name__ == "__main__":
    run_main(main)
