#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a table of fuzz campaigns from the logs that libFuzzer wrote:
campaign_table.py [--into README.md] LOG ..., each named after its target.

--into: puts the rows into that file's table of campaigns, in place of those of the
same targets.

A target is done when the last quarter of its executions found no new edge.
"""
import pathlib
import re
import sys

STATE = re.compile(r"^#(\d+)\s+(\w+)\s+cov: (\d+)", re.M)
RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.M)
DONE = re.compile(r"^Done (\d+) runs in (\d+) second", re.M)
FAILED = re.compile(r"^SUMMARY: .*|^.*does not hold:.*", re.M)


def read(path):
    log = pathlib.Path(path).read_text(errors="replace")
    states = [(int(n), word, int(edges))
              for n, word, edges in STATE.findall(log)]
    done = DONE.search(log)
    runs = int(done[1]) if done else max((n for n, _, _ in states), default=0)
    counted = RUNS.search(log)
    runs = max(runs, int(counted[1]) if counted else 0)
    first = [edges for _, word, edges in states if word == "INITED"]
    last = states[-1][2] if states else 0
    before = [edges for n, _, edges in states if 4 * n <= 3 * runs]
    late = last - before[-1] if before else last
    failed = FAILED.search(log)
    return {"target": pathlib.Path(path).stem, "runs": runs,
            "seconds": int(done[2]) if done else None,
            "first": first[-1] if first else 0, "last": last, "late": late,
            "finding": failed[0].strip() if failed else "none"}


HEAD = ("| target | executions | seconds | edges, at first and in the end |"
        " new edges in the last quarter | findings |\n"
        "| --- | --- | --- | --- | --- | --- |\n")
BEGIN = "<!-- campaign_table.py writes this table -->\n"
END = "<!-- to here -->\n"


def row_of(log):
    seconds = log["seconds"] if log["seconds"] is not None else "stopped"
    return (f"| {log['target']} | {log['runs']:,} | {seconds} |"
            f" {log['first']:,}, {log['last']:,} | {log['late']:,} |"
            f" {log['finding']} |\n")


def rows_of(table):
    """{target: line} of a table in Markdown."""
    rows = {}
    for line in table.splitlines(keepends=True):
        match = re.match(r"\| (fuzz_\w+) \|", line)
        if match:
            rows[match[1]] = line
    return rows


def put_into(path, logs):
    text = path.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    rows = rows_of(text[begin:end])
    rows.update((log["target"], row_of(log)) for log in logs)
    runs = sum(int(row.split("|")[2].replace(",", "")) for row in rows.values())
    table = HEAD + "".join(rows[target] for target in sorted(rows))
    table += f"\n{len(rows)} targets, {runs:,} executions.\n"
    path.write_text(text[:begin] + table + text[end:])


def main():
    args = sys.argv[1:]
    into = None
    if args[:1] == ["--into"]:
        into, args = pathlib.Path(args[1]), args[2:]
    logs = [read(path) for path in sorted(args)
            if not path.endswith("-merge.log")]
    if into is not None:
        put_into(into, logs)
    print(HEAD + "".join(row_of(log) for log in logs))
    runs = sum(log["runs"] for log in logs)
    open_ones = sum(log["finding"] != "none" for log in logs)
    print(f"{len(logs)} targets, {runs:,} executions, {open_ones} findings")


if __name__ == "__main__":
    main()
