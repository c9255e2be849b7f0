#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures warm starts of an application with the caches on that users have:
under dnnl-cache-run / plain, in pairs that take turns in being first.

    bench/warm_start.py --rounds 7 --json FILE

The applications are those of tests/apps. "default": every cache is on, the
driver's and the application's own (row's target: 1.05); "driver": the driver's
alone (0.6). Plain starts and starts under the layer have a home each, filled by
two starts before; the store is filled with --wait, so that all is there.

Times are of the application's commands: wall time, and processor time of the
command with all of its children, which a busy machine disturbs less. Options:

    --build DIR      where the project was built (build in the project)
    --apps LIST      names with commas between them (pyopencl_wheel)
    --caches WHICH   driver, default or both (both)
    --rounds N       pairs of each (7)
    --out DIR        for logs and packages of PyPI's (first_start in the build)
    --json FILE      writes the rows
    --no-install     fails if a package is missing

A row has medians in nanoseconds; "ratio" is the median of the ratios of the
pairs. Exit status: 0 measured and met, 1 missed, or an application failed or
made something else, 2 wrong usage.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import first_start  # noqa: E402
import start_options  # noqa: E402

TARGETS = {"default": 1.05, "driver": 0.6}


def measure_application(application, caches, options):
    """Pairs of (plain, under the layer)."""
    folder = options.out / "runs" / f"{application.name}-warm-{caches}"
    shutil.rmtree(folder, ignore_errors=True)

    def start(name):
        shutil.rmtree(folder / name, ignore_errors=True)
        return first_start.Start(application, caches, folder / name,
                                 folder / f"{name}_home", folder / "store",
                                 options)

    pairs = []
    for number in range(-2, options.rounds):
        starts = {name: start(name) for name in ("plain", "layer")}
        results = {}
        for name in sorted(starts, reverse=number % 2 == 0):
            results[name] = starts[name].run() if name == "plain" else \
                starts[name].run_under(*(["--wait"] if number < 0 else []))
        if not first_start.same(starts["plain"], starts["layer"]):
            raise first_start.Failure(
                f"{application.name}, {caches}: made something else; see "
                f"{folder}")
        if number >= 0:
            pairs.append((results["plain"], results["layer"]))
    first_start.remove(folder)
    return pairs


def row_of(application, caches, pairs, context):
    def median(index, key):
        return round(statistics.median(pair[index][key] for pair in pairs))

    def ratio(key):
        return round(statistics.median(
            layer[key] / plain[key] for plain, layer in pairs), 4)

    row = {
        "row": f"warm_start_{caches}", "application": application.name,
        "version": application.version, "caches": caches, "unit": "ns",
        "ours": median(1, "ns"), "reference": median(0, "ns"),
        "ratio": ratio("ns"), "target": TARGETS[caches],
        "met": ratio("ns") <= TARGETS[caches], "samples": len(pairs),
        "what": "warm start under dnnl-cache-run / plain, with " +
                ("every cache on" if caches == "default" else
                 "the driver's cache on and the application's off"),
        "ours_cpu": median(1, "cpu_ns"), "reference_cpu": median(0, "cpu_ns"),
        "cpu_ratio": ratio("cpu_ns"),
    }
    for key in ("hits", "misses"):
        row[key] = pairs[-1][1][key]
    return row | context


def main():
    parser = start_options.Parser("warm_start", __doc__, "pyopencl_wheel", 7)
    parser.add_argument("--caches", choices=("driver", "default", "both"),
                        default="both")
    options = parser.read()
    if options is None:
        return 0
    options.applications = (first_start.APPS / "applications").resolve()
    parser.settle(options, first_start.names_in(options.applications),
                  "first_start")
    options.wait = True  # of the context: how stores are filled
    first_start.use_vendors(options)
    context = first_start.context_of(options)
    rows, failed = [], False
    for name in options.apps:
        for caches in sorted(TARGETS, reverse=True) \
                if options.caches == "both" else [options.caches]:
            try:
                application = first_start.Application(name, options)
                pairs = measure_application(application, caches, options)
            except (first_start.Failure, subprocess.TimeoutExpired) as error:
                print(f"{name:15} FAILED: {error}", flush=True)
                failed = True
                continue
            row = row_of(application, caches, pairs, context)
            rows.append(row)
            print(f"{name:15} {caches:8} plain {row['reference'] / 1e9:6.3f} s"
                  f"  layer {row['ours'] / 1e9:6.3f} s ({row['ratio']:.3f}"
                  f"{'' if row['met'] else ', missed'})  cpu "
                  f"{row['cpu_ratio']:.3f}  {row['hits']} hits,"
                  f" {row['misses']} misses  load {os.getloadavg()[0]:.1f}",
                  flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 1 if failed or not all(row["met"] for row in rows) else 0


if __name__ == "__main__":
    first_start.run_main(main)
