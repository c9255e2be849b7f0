#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the starts of README.md's first table: what users have without this
library, and with it, all in turns within each round.

    bench/starts.py --apps all --rounds 3 --json bench/results/starts.json
    scripts/results.py --write starts

The applications are those of tests/apps, and two of this script's: "framework" is
bin/framework --mode plain (30 programs), "clpeak_latency" is clpeak
--kernel-latency. A round has these starts of each:

    none     plain; the caches of driver and application are off
    cold     plain; these caches are on and empty, as in a new container
    warm     plain; these caches are on and full
    first    under dnnl-cache-run; all caches and the store are empty
    later    under dnnl-cache-run; all caches and the store are full
    fresh    the same with the store alone full, as in a container that ships it
    updated  fresh, after an update of the driver: a variable that is in the IDs
             of programs, and changes nothing else (SOURCE_DATE_EPOCH)

Two plain starts fill the caches of "warm", and two starts with --wait the caches
and the store of "later". "fresh" and "updated" have a copy of that store each.
Times are of the application's commands, until they end. Options:

    --build DIR      where the project was built (build in the project)
    --applications DIR   others than those of tests/apps/applications
    --apps LIST      names with commas between them, or all: those of the table
    --rounds N       of each application (3)
    --out DIR        for logs (starts in the build)
    --json FILE      writes the rows
    --no-install     fails if a package is missing

A row has medians in nanoseconds, and medians of the ratios within a round: of
"first" and "fresh" and "updated" to "cold", and of "later" to "warm". Exit status:
0 measured, 1 an application failed or made something else, 2 wrong usage.
"""

import os
import pathlib
import shutil
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import first_start  # noqa: E402
import measured_starts  # noqa: E402
import start_options  # noqa: E402
from measured_starts import UPDATE  # noqa: E402

ALL = ("clfft", "framework", "clpeak_latency")
OWN = {
    "framework": measured_starts.FRAMEWORK,
    "clpeak_latency": "packages=(clpeak)\nrun_application() {{ app clpeak "
                      "--kernel-latency >report; }}\n"}
NAMES = ("none", "cold", "warm", "first", "later", "fresh", "updated")
PLAIN = ("none", "cold", "warm")
RATIOS = {"first": "cold", "fresh": "cold", "updated": "cold", "later": "warm"}


class Subject:
    """An application with its full caches."""

    def __init__(self, application, options):
        self.application, self.options = application, options
        self.folder = options.out / "runs" / application.name
        shutil.rmtree(self.folder, ignore_errors=True)
        for _ in range(2):
            self.start("fill", "warm_home").run()
        for _ in range(2):
            self.start("fill", "later_home", self.folder / "full").run_under(
                "--wait")

    def start(self, name, home=None, store=None):
        """A start with a home of its own, if none is given."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        return first_start.Start(
            self.application, "off" if name == "none" else "default", folder,
            self.folder / home if home else folder / "home",
            store or folder / "store", self.options)

    def measure(self, name):
        home = f"{name}_home" if name in ("warm", "later") else None
        store = self.folder / "full" if name == "later" else None
        start = self.start(name, home, store)
        if name in ("fresh", "updated"):
            shutil.copytree(self.folder / "full", start.store, symlinks=True)
        if name in PLAIN:
            return start, start.run()
        return start, start.run_under(**UPDATE if name == "updated" else {})

    def round(self, number):
        turn = number % len(NAMES)
        starts, results = {}, {}
        for name in NAMES[turn:] + NAMES[:turn]:
            starts[name], results[name] = self.measure(name)
        for name, start in starts.items():
            if not first_start.same(starts["none"], start):
                raise first_start.Failure(
                    f"{self.application.name}: {name} made something else; see "
                    f"{self.folder}")
        return results


def row_of(application, rounds, context):
    def median(name, key):
        return round(statistics.median(r[name][key] for r in rounds))

    row = {"row": "starts", "application": application.name,
           "version": application.version, "unit": "ns",
           "samples": len(rounds)}
    for name in NAMES:
        row[name] = median(name, "ns")
    for name, other in RATIOS.items():
        row[f"{name}_ratio"] = round(statistics.median(
            r[name]["ns"] / r[other]["ns"] for r in rounds), 4)
    for name in ("later", "fresh", "updated"):
        row[f"{name}_hits"] = median(name, "hits")
        row[f"{name}_misses"] = median(name, "misses")
    return row | context


def line_of(row):
    return "".join(f"  {start} {row[start] / 1e9:.2f} s" for start in NAMES) \
        + "".join(f"  {start} / {other} {row[f'{start}_ratio']:.3f}"
                  for start, other in RATIOS.items())


def measure(options):
    def measured(application, context):
        subject = Subject(application, options)
        row = row_of(application, [subject.round(number) for number in
                                   range(options.rounds)], context)
        first_start.remove(subject.folder)
        return row

    return measured_starts.measure(options, options.applications, OWN, measured,
                                   line_of)


def main():
    parser = start_options.Parser("starts", __doc__, "all", 3)
    parser.add_argument("--applications", type=pathlib.Path,
                        default=first_start.APPS / "applications")
    options = parser.read()
    if options is None:
        return 0
    if options.apps == "all":
        options.apps = ",".join(ALL)
    known = [*OWN, *first_start.names_in(options.applications)]
    parser.settle(options, known, "starts")
    options.wait = False  # of first_start.py
    return measure(options)


if __name__ == "__main__":
    os.environ.pop("DNNL_CACHE_AHEAD", None)
    first_start.run_main(main)
