#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the recorded benchmark results into README.md, as a table.

Each bench/results/NAME.json, as dnnl_cache_bench --json writes it, becomes one
column NAME; stores*.json, layer.json and models.json are other programs'
(store_results.py, layer_results.py, model_results.py). The table stands between
the two marker comments below; with --check nothing is written, and a README
whose table is not the one that the results give is an error. Exit
status: 0 fine, 1 not, 2 wrong usage.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from recorded import Failure, read_rows, with_table  # noqa: E402

MARKERS = ("<!-- dnnl_cache_bench: begin, written by "
           "scripts/readme_table.py -->",
           "<!-- dnnl_cache_bench: end -->")
KEYS = ("row", "what", "target", "ratio", "met", "platform", "device")


def read_results(folder):
    """{name: entries}, by name, of all files of results."""
    results = {}
    for path in sorted(folder.glob("*.json")):
        if path.stem.startswith("stores") or path.stem in ("layer", "models"):
            continue
        results[path.stem] = read_rows(path, KEYS)
    if not results:
        raise Failure(f"{folder}: no results")
    return results


def number(value):
    """Three significant digits, without an exponent."""
    digits = 3
    size = abs(value)
    while size < 1 and size > 0 and digits < 8:
        size *= 10
        digits += 1
    text = f"{value:.{digits - 1}f}" if abs(value) < 10 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell(entry):
    """What a column says of a row."""
    if entry is None or entry["ratio"] is None:
        return "not measured"
    text = number(entry["ratio"])
    return text if entry["met"] else f"**{text}** (missed)"


def rows_of(results):
    """[(row, what, target)], in the order of the files; they must agree."""
    rows = {}
    for name, entries in results.items():
        for entry in entries:
            known = (entry["what"], entry["target"])
            if rows.setdefault(entry["row"], known) != known:
                raise Failure(
                    f"{name}.json: another target or meaning of "
                    f"{entry['row']} than in the files before it")
    return [(row, what, target) for row, (what, target) in rows.items()]


def table(results):
    """The text between the markers."""
    names = list(results)
    lines = [
        "| ratio | at most | " + " | ".join(names) + " |",
        "| --- | ---: |" + " ---: |" * len(names),
    ]
    by_name = {
        name: {entry["row"]: entry for entry in entries}
        for name, entries in results.items()
    }
    for row, what, target in rows_of(results):
        cells = [cell(by_name[name].get(row)) for name in names]
        lines.append(f"| {what} | {number(target)} | {' | '.join(cells)} |")
    lines.append("")
    for name in names:
        entry = results[name][0]
        platform = " ".join(entry["platform"].split())
        device = " ".join(entry["device"].split())
        lines.append(f"- {name}: {platform}; {device}")
    return "\n".join(lines)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if the table is another one")
    parser.add_argument("--readme", type=pathlib.Path,
                        default=root / "README.md")
    parser.add_argument("--results", type=pathlib.Path,
                        default=root / "bench" / "results")
    options = parser.parse_args()
    try:
        old = options.readme.read_text(encoding="utf-8")
        new = with_table(old, MARKERS,
                         table(read_results(options.results)),
                         "README", "README's")
        if old == new:
            return 0
        if options.check:
            raise Failure(
                f"{options.readme}: its table is not that of "
                f"{options.results}; run scripts/readme_table.py")
        options.readme.write_text(new, encoding="utf-8")
    except (OSError, Failure) as error:
        print(f"readme_table.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
