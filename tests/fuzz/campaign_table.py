#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a table of fuzz campaigns from the logs that libFuzzer wrote:
campaign_table.py LOG ..., each named after its target.

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


def main():
    rows = [read(path) for path in sorted(sys.argv[1:])]
    print("| target | executions | seconds | edges, at first and in the end |"
          " new edges in the last quarter | findings |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        seconds = row["seconds"] if row["seconds"] is not None else "stopped"
        print(f"| {row['target']} | {row['runs']:,} | {seconds} |"
              f" {row['first']:,}, {row['last']:,} | {row['late']:,} |"
              f" {row['finding']} |")
    runs = sum(row["runs"] for row in rows)
    open_ones = sum(row["finding"] != "none" for row in rows)
    print(f"\n{len(rows)} targets, {runs:,} executions, {open_ones} findings")


if __name__ == "__main__":
    main()
