#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what dnnl_cache_store_bench measured into the documents.

bench/results/stores.json (--json) becomes the table of docs/STORES.md, and
bench/results/stores_scale.json (--scale --json) the table of
docs/PERFORMANCE.md; scripts/draw_pictures.py draws them. bench/results/stores_copy.json
(--copy STORE --json, for several file systems one after the other in one list)
becomes the second table of docs/STORES.md. The tables stand between marker
comments. With --check nothing is written, and a document that says anything
else than the results is an error. Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import sys

sys.dont_write_bytecode = True
from picture import grouped  # noqa: E402
from recorded import (  # noqa: E402
    read_rows, run_main, with_table, write_documents)

MARKERS = ("<!-- dnnl_cache_store_bench: begin, written by "
           "scripts/store_results.py -->",
           "<!-- dnnl_cache_store_bench: end -->")
COPY_MARKERS = ("<!-- dnnl_cache_store_bench --copy: begin, written by "
                "scripts/store_results.py -->",
                "<!-- dnnl_cache_store_bench --copy: end -->")
KEYS = ("row", "what", "ours", "reference", "ratio", "target", "met",
        "file_system")
SCALE_KEYS = KEYS + ("store", "operation", "versus", "entries", "base")


# ---- Tables ----------------------------------------------------------------

def digits(value):
    """Three significant digits, without an exponent."""
    for places, least in ((0, 100), (1, 10), (2, 1)):
        if abs(value) >= least:
            return f"{value:.{places}f}"
    return f"{value:.3f}"


def duration(ns):
    return f"{digits(ns / 1e6)} ms" if ns >= 1e6 else f"{digits(ns / 1e3)} us"


def ratio_of(row):
    if row is None or row["ratio"] is None:
        return "not measured"
    ratio = digits(row["ratio"])
    return ratio if row["met"] else f"**{ratio}** (missed)"


def where(rows):
    """The line above a table, and an empty one."""
    systems = sorted({row["file_system"] for row in rows})
    return [f"Measured on {', '.join(systems)}:", ""]


def rows_table(rows):
    lines = where(rows) + [
        "| row | ours | reference | ratio | at most |",
        "| --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        times = [duration(row[side]) if row[side] is not None else ""
                 for side in ("ours", "reference")]
        lines.append(f"| `{row['row']}`: {row['what']} | {times[0]} | "
                     f"{times[1]} | {ratio_of(row)} | {row['target']:g} |")
    return "\n".join(lines)


def scale_table(rows):
    """A line for each store and number of entries."""
    cells = {(r["store"], r["entries"], r["operation"], r["versus"]): r
             for r in rows}
    points = dict.fromkeys((r["store"], r["entries"]) for r in rows)
    bases = {r["store"]: r["base"] for r in rows}
    lines = where(rows) + [
        "| store | entries | get | / plain file | / fewest entries | put |"
        " / plain file | / fewest entries |",
        "| --- | ---: |" + " ---: |" * 6]
    for store, entries in points:
        line = [store, grouped(entries).replace("\u202f", " ")]
        for operation in ("get", "put"):
            plain = cells.get((store, entries, operation, "plain"))
            base = cells.get((store, entries, operation, "base"))
            known = plain is not None and plain["ours"] is not None
            line += [duration(plain["ours"]) if known else "",
                     ratio_of(plain),
                     "" if bases[store] == entries else ratio_of(base)]
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines)


def copy_table(rows):
    """A line for each store and file system."""
    cells = {(r["store"], r["file_system"], r["operation"]): r for r in rows}
    lines = [
        "| store | file system | files | bytes on disk | put | start | get |",
        "| --- | --- |" + " ---: |" * 5]
    for store, system in dict.fromkeys((r["store"], r["file_system"])
                                       for r in rows):
        cell = {name: cells[store, system, name]
                for name in ("files", "bytes", "put", "start", "get")}
        lines.append(f"| {store} | {system} | {cell['files']['ours']:.0f} | "
                     + " | ".join(digits(cell[name]["ratio"])
                                  for name in ("bytes", "put", "start", "get"))
                     + " |")
    return "\n".join(lines)


# ---- Documents -------------------------------------------------------------

def document_with(path, tables):
    """The document's text with each table between its markers."""
    text = path.read_text(encoding="utf-8")
    for markers, table in tables:
        text = with_table(text, markers, table, path)
    return text


def documents(root, results):
    """{path: what it has to say}."""
    rows = read_rows(results / "stores.json", KEYS)
    copies = read_rows(results / "stores_copy.json", KEYS + (
        "store", "operation", "entries"))
    scale = read_rows(results / "stores_scale.json", SCALE_KEYS)
    stores, performance = root / "STORES.md", root / "PERFORMANCE.md"
    return {
        stores: document_with(stores, [
            (MARKERS, rows_table(rows)), (COPY_MARKERS, copy_table(copies))]),
        performance: document_with(
            performance, [(MARKERS, scale_table(scale))]),
    }


if __name__ == "__main__":
    run_main(lambda: write_documents(
        "store_results.py", __doc__.splitlines()[0], documents))
