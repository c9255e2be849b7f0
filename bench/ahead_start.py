#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the first start of an application after an update of its driver, with
its programs compiled ahead of it by dnnl-cache-run (docs/how_to/record_and_replay.md).

    bench/ahead_start.py --apps framework,darktable --rounds 5 --json FILE

"framework" is bin/framework --mode plain (30 programs); the others are the
applications of tests/apps. Two starts fill a store and its record. The update
is a variable that is in the IDs of programs, and changes nothing else
(SOURCE_DATE_EPOCH). Each round has three starts with it, in turns: plain; under
dnnl-cache-run; and the same with DNNL_CACHE_AHEAD=0. Each of the latter two has
a copy of the store. Caches of drivers and applications are off.

Times are of the application's commands, wall time and processor time; what
dnnl-cache-run does beside them has a number of its own. Options:

    --build DIR      where the project was built (build in the project)
    --apps LIST      names with commas between them (framework)
    --rounds N       of each application (5)
    --load N         so many processes that only compute run meanwhile (0)
    --out DIR        for logs (ahead_start in the build)
    --json FILE      writes the rows
    --no-install     fails if a package is missing

A row has medians in nanoseconds; "ratio" is the median of the ratios to the
plain start of the same round. Exit status: 0 measured, 1 an application failed
or made something else, 2 wrong usage.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import first_start  # noqa: E402
import measured_starts  # noqa: E402
import start_options  # noqa: E402
from measured_starts import UPDATE  # noqa: E402

TARGET = 0.6


class Load:
    """Processes that take processor time from the application."""

    def __init__(self, count):
        self.processes = [subprocess.Popen(
            [sys.executable, "-c", "while True: pass"]) for _ in range(count)]

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def measure_application(application, options):
    """The starts of each round, by their names."""
    folder = options.out / "runs" / application.name
    shutil.rmtree(folder, ignore_errors=True)

    def start(name, store):
        # A home of its own: applications keep programs there, too.
        home = folder / f"{name}_home"
        for used in (folder / name, home):
            shutil.rmtree(used, ignore_errors=True)
        return first_start.Start(application, "off", folder / name, home, store,
                                 options)

    for number in range(2):
        start(f"fill{number}", folder / "store").run_under("--wait")
    rounds = []
    for number in range(options.rounds):
        results, starts = {}, {}
        names = ("plain", "ahead", "not_ahead")
        for name in names[number % 3:] + names[:number % 3]:
            store = folder / f"store_{name}"
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(folder / "store", store, symlinks=True)
            starts[name] = start(name, store)
            load = Load(options.load)
            try:
                if name == "plain":
                    results[name] = starts[name].run(**UPDATE)
                    continue
                off = {"DNNL_CACHE_AHEAD": "0"} if name == "not_ahead" else {}
                results[name] = starts[name].run_under(**UPDATE, **off)
            finally:
                load.end()
            log = store / "layer/refresh.log"
            found = re.findall(
                r"compiled ahead: (\d+) programs, (\d+) not asked for; waited "
                r"for (\d+), ([0-9.]+) s, in vain for (\d+)",
                log.read_text() if log.exists() else "")
            made, unused, waits, seconds, late = found[-1] if found else \
                ("0",) * 5
            results[name] |= {
                "made": int(made), "unused": int(unused), "waits": int(waits),
                "wait_ns": round(1e9 * float(seconds)), "late": int(late)}
        for name in names[1:]:
            if not first_start.same(starts["plain"], starts[name]):
                raise first_start.Failure(f"{application.name}: made something "
                                          f"else; see {folder}")
        rounds.append(results)
    first_start.remove(folder)
    return rounds


def row_of(application, rounds, options, context):
    def median(name, key="ns"):
        return round(statistics.median(r[name][key] for r in rounds))

    def ratio(name, key="ns"):
        return round(statistics.median(
            r[name][key] / r["plain"][key] for r in rounds), 4)

    row = {"row": "ahead_start", "application": application.name,
           "version": application.version, "unit": "ns",
           "ours": median("ahead"), "reference": median("plain"),
           "ratio": ratio("ahead"), "target": TARGET,
           "met": ratio("ahead") <= TARGET, "samples": len(rounds),
           "what": "first start after an update of the driver, compiled ahead "
                   "/ plain start",
           "ours_cpu": median("ahead", "cpu_ns"),
           "reference_cpu": median("plain", "cpu_ns"),
           "beside_cpu": median("ahead", "beside_cpu_ns"),
           "not_ahead": median("not_ahead"),
           "not_ahead_ratio": ratio("not_ahead"), "busy": options.load}
    for key in ("hits", "misses", "made", "unused", "waits", "wait_ns", "late"):
        row[key] = median("ahead", key)
    return row | context


def line_of(row):
    return (f"  plain {row['reference'] / 1e9:6.2f} s  ahead "
            f"{row['ours'] / 1e9:6.2f} s ({row['ratio']:.3f})  without "
            f"{row['not_ahead'] / 1e9:6.2f} s ({row['not_ahead_ratio']:.3f})"
            f"  cpu {row['reference_cpu'] / 1e9:.2f} / "
            f"{row['ours_cpu'] / 1e9:.2f} s, beside it "
            f"{row['beside_cpu'] / 1e9:.2f} s  {row['hits']} hits, "
            f"{row['misses']} misses; made {row['made']}, for nothing "
            f"{row['unused']}, waited for {row['waits']}, "
            f"{row['wait_ns'] / 1e6:.0f} ms, in vain {row['late']}")


def measure(options):
    def measured(application, context):
        return row_of(application, measure_application(application, options),
                      options, context)

    return measured_starts.measure(
        options, first_start.APPS / "applications",
        {"framework": measured_starts.FRAMEWORK}, measured, line_of)


def main():
    parser = start_options.Parser("ahead_start", __doc__, "framework", 5)
    parser.add_argument("--load", type=int, default=0)
    options = parser.read()
    if options is None:
        return 0
    parser.settle(options, ["framework", *first_start.names_in(
        first_start.APPS / "applications")], "ahead_start")
    if options.load < 0:
        parser.error("--load must be at least 0")
    options.wait = False  # of first_start.py
    return measure(options)


if __name__ == "__main__":
    os.environ.pop("DNNL_CACHE_AHEAD", None)
    first_start.run_main(main)
