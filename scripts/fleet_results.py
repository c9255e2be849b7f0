#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what dnnl_cache_fleet_bench measured into the documents.

bench/results/fleet.json (--json) becomes the table of docs/STORES.md, between
marker comments; scripts/draw_pictures.py draws it. With --check nothing is written, and a
document that says anything else than the results is an error. Exit status: 0
fine, 1 not, 2 wrong usage.
"""

import sys

sys.dont_write_bytecode = True
from picture import grouped  # noqa: E402
from recorded import (  # noqa: E402
    Failure, read_rows, run_main, with_table, write_documents)
from store_results import digits, duration, ratio_of  # noqa: E402

MARKERS = ("<!-- dnnl_cache_fleet_bench: begin, written by "
           "scripts/fleet_results.py -->",
           "<!-- dnnl_cache_fleet_bench: end -->")
KEYS = ("row", "what", "ours", "reference", "ratio", "target", "met",
        "compile")


def cost_table(rows):
    lines = ["| row | ours | reference | ratio | at most |",
             "| --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        lines.append(f"| `{row['row']}`: {row['what']} | "
                     f"{duration(row['ours'])} | {duration(row['reference'])} "
                     f"| {ratio_of(row)} | {row['target']:g} |")
    return lines


def fleet_table(rows):
    """A line for each number of hosts."""
    cells = {(row["entries"], row["operation"]): row for row in rows}
    lines = ["| hosts | compiled | last host ready | / compiling once "
             "(at most 2) | commands | for each program of a host |",
             "| ---: |" + " ---: |" * 5]
    for hosts in sorted({row["entries"] for row in rows}):
        cell = {name: cells[hosts, name]
                for name in ("compiled", "ready", "requests")}
        lines.append(
            f"| {grouped(hosts)} | {cell['compiled']['ours']:.0f} "
            f"| {duration(cell['ready']['ours'])} | "
            f"{ratio_of(cell['ready'])} | "
            f"{grouped(round(cell['requests']['ours']))} | "
            f"{digits(cell['requests']['ratio'])} |")
    return [line.replace("\u202f", " ") for line in lines]


def documents(root, results):
    """{path: what it has to say}."""
    rows = read_rows(results / "fleet.json", KEYS)
    fleet = [row for row in rows if row.get("operation")]
    if not fleet or len(fleet) == len(rows):
        raise Failure("fleet.json: rows of one host or of many are missing")
    table = cost_table([row for row in rows if not row.get("operation")])
    path = root / "STORES.md"
    text = with_table(path.read_text(encoding="utf-8"), MARKERS,
                      "\n".join(table + [""] + fleet_table(fleet)), path)
    return {path: text}


if __name__ == "__main__":
    run_main(lambda: write_documents(
        "fleet_results.py", __doc__.splitlines()[0], documents))
