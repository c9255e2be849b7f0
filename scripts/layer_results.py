#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what dnnl_cache_layer_bench measured into docs/LAYER.md.

bench/results/layer.json, as --json writes it, becomes the table between the
marker comments. With --check nothing is written, and a document that says
anything else than the results is an error. Exit status: 0 fine, 1 not, 2 wrong
usage.
"""

import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    put_table, read_rows, run_main, table_options)

MARKERS = ("<!-- dnnl_cache_layer_bench: begin, written by "
           "scripts/layer_results.py -->",
           "<!-- dnnl_cache_layer_bench: end -->")
KEYS = ("row", "what", "ours", "reference", "ratio", "target", "met",
        "platform", "device")


def duration(ns):
    """Three significant digits with the unit that suits them."""
    for unit, size in (("ms", 1e6), ("us", 1e3), ("ns", 1)):
        if abs(ns) >= size or size == 1:
            places = 0 if abs(ns) >= 100 * size else 1
            return f"{ns / size:.{places}f} {unit}"
    raise AssertionError


def ratio_of(row):
    text = f"{row['ratio']:.3f}"
    return text if row["met"] else f"**{text}** (missed)"


def table(rows):
    platform = " ".join(rows[0]["platform"].split())
    device = " ".join(rows[0]["device"].split())
    lines = [f"Measured on {platform}; {device}:", "",
             "| row | ours / reference | ours | reference | ratio | at most |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        target = f"{row['target']:g}" if row["target"] is not None else ""
        if row["ratio"] is None:
            cells = ["", "", "not measured", target]
        else:
            cells = [duration(row["ours"]), duration(row["reference"]),
                     ratio_of(row), target]
        lines.append(f"| `{row['row']}` | {row['what']} | "
                     f"{' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    options = table_options(__doc__, "docs/LAYER.md",
                            results="bench/results/layer.json")
    put_table(options.document, MARKERS, table(read_rows(options.results, KEYS)),
              options.check, "scripts/layer_results.py")


if __name__ == "__main__":
    run_main(main)
