#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the entries of every store that tests leave.

    tests/tools/prove_stores.py --bin build/bin --layer LAYER -- \\
        build/bin/test_layer_device '--gtest_filter=LayerWarm.*'

Runs a test program with its directories kept (DNNL_CACHE_TEST_KEEP) and with one
record of all that its processes build (DNNL_CACHE_RECORD), then "dnnl-cache
prove" on each store that it has left. Tests that put wrong entries into a store
on purpose have to be left out by the filter. A store that prove does not open,
as one that a test has damaged, is told.

    --bin FOLDER    where dnnl-cache is
    --layer FILE    the OpenCL layer
    --least NUMBER  so many entries must be proved (1)
    --out FOLDER    where directories and the record go; it must be empty or not
                    be there, and stays (a temporary folder that is removed)

Exit status: 0 no entry differs and enough are proved; 1 one differs, or too few
are proved; 77 all tests were skipped; 2 wrong usage.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# What is counted of a document of prove's.
NUMBERS = ("proved", "differed", "no_record", "other_driver", "refused",
           "not_compiled", "not_comparable", "not_tried")
SECONDS_OF_TESTS = 3600
SECONDS_OF_STORE = 1800


def environment(scratch):
    """That of the tests, and of the proofs: IDs have variables."""
    temporary = scratch / "tests"
    temporary.mkdir(mode=0o711)
    cache = scratch / "driver"
    cache.mkdir()
    record = str(scratch / "record")
    changed = dict(os.environ, TMPDIR=str(temporary), DNNL_CACHE_TEST_KEEP="1",
                   DNNL_CACHE_TEST_RECORD=record, DNNL_CACHE_RECORD=record,
                   POCL_CACHE_DIR=str(cache))
    # They are the test's entry in ctest, which this one is not.
    for name in ("DNNL_CACHE_TEST_ENTRY", "GTEST_OUTPUT"):
        changed.pop(name, None)
    return changed


def run_tests(command, variables, scratch):
    """How many tests ran, and were not skipped."""
    report = scratch / "report.json"
    status = subprocess.run(
        [*command, f"--gtest_output=json:{report}"], env=variables,
        timeout=SECONDS_OF_TESTS, check=False).returncode
    if not report.exists():
        raise SystemExit(f"the tests did not end: status {status}")
    suites = json.loads(report.read_text())["testsuites"]
    results = [test.get("result") for suite in suites
               for test in suite["testsuite"]]
    return results.count("COMPLETED")


def find_stores(root):
    """The stores below a folder, by the files that each type has."""
    found = set()
    for folder, folders, files in os.walk(root):
        path = pathlib.Path(folder)
        # What failed to build has nothing to prove.
        if path.name == "failed" and path.parent.name == "layer":
            continue
        # A pack is a file.
        found.update(path / name for name in files if name.endswith(".pack"))
        if any(name.endswith(".cl_cache") for name in files) \
                or "cache_size.txt" in files \
                or ("size.txt" in files and any(
                    name.isdecimal() for name in folders)):
            found.add(path)
    return sorted(found)


class Proofs:
    """What came of the stores."""

    def __init__(self, args, variables, scratch):
        self.tool = str(pathlib.Path(args.bin) / "dnnl-cache")
        self.layer = args.layer
        self.scratch = scratch
        self.record = scratch / "record"
        own = scratch / "prove"
        own.mkdir()
        self.variables = {
            name: value for name, value in variables.items()
            if not name.startswith("DNNL_CACHE_")}
        self.variables.update(TMPDIR=str(own), XDG_CACHE_HOME=str(own),
                              DNNL_CACHE_CONFIG="0")
        self.sums = collections.Counter()
        self.reasons = collections.Counter()
        self.stores = 0
        self.unread = 0

    def prove(self, store):
        """One store: what it says."""
        done = subprocess.run(
            [self.tool, "prove", "--json", "--keep", "--again", "--read-files",
             "--record", str(self.record), "--layer", self.layer, str(store)],
            env=self.variables, timeout=SECONDS_OF_STORE, check=False,
            capture_output=True, text=True, errors="replace")
        name = store.relative_to(self.scratch)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            self.unread += 1
            lines = done.stderr.strip().splitlines()
            print(f"{name}: not proved, exit status {done.returncode}: "
                  f"{lines[-1] if lines else 'nothing is said'}")
            return
        self.stores += 1
        numbers = {what: document[what] for what in NUMBERS}
        self.sums.update(numbers)
        for one in document["stores"]:
            for reason in one["reasons"]:
                self.reasons[(reason["result"], reason["why"])] += \
                    reason["count"]
        print(f"{name}: " + ", ".join(
            f"{what} {count}" for what, count in numbers.items() if count))
        if numbers["differed"]:
            print(done.stderr.strip())

    def report(self):
        """The sums, and why entries are not proved."""
        for (result, why), count in self.reasons.most_common():
            print(f"  {count} {result}: {why}")
        print(f"{self.stores} stores, {sum(self.sums.values())} programs: "
              + ", ".join(f"{what} {self.sums[what]}" for what in NUMBERS)
              + f"; {self.unread} stores not read")


def prove_all(args, scratch):
    """The exit status."""
    variables = environment(scratch)
    if run_tests(args.command, variables, scratch) == 0:
        print("all tests were skipped")
        return 77
    proofs = Proofs(args, variables, scratch)
    for store in find_stores(scratch / "tests"):
        proofs.prove(store)
    proofs.report()
    if proofs.sums["differed"]:
        print("an entry is not what the driver makes of its program")
        return 1
    if proofs.sums["proved"] < args.least:
        print(f"fewer than {args.least} entries are proved")
        return 1
    return 0


def main():
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--layer", required=True)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    if args.out is None:
        with tempfile.TemporaryDirectory(prefix="dnnl_cache.") as folder:
            os.chmod(folder, 0o711)  # tests become other users
            return prove_all(args, pathlib.Path(folder).resolve())
    args.out.mkdir(parents=True, exist_ok=True)
    if any(args.out.iterdir()):
        parser.error(f"{args.out} is not empty")
    return prove_all(args, args.out.resolve())


if __name__ == "__main__":
    sys.exit(main())
