#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures examples/framework.cpp and prints a table: plain, with the library,
under the layer; cold, warm, and after "dnnl-cache refresh".

    scripts/framework_table.py --build build --rounds 5

Each run is a process with an empty driver cache of its own, and PoCL's cache is
off. Wall time is from the start of main to the end of what library and layer do
at exit; CPU is the process's time. Ratios are to "plain" of the same round, and
their median is printed. "compiled" is how often PoCL generated code, counted in
a run of its own. The rows:

    plain          no library, no layer
    MODE nowhere   the library without a store
    MODE cold      an empty store
    MODE half      an empty store; the first kernel of each program only. Its
                   ratios are to a plain run of that
    MODE rest      the next start, which launches all kernels
    MODE warm      the start after a cold one
    MODE refresh   the time "dnnl-cache refresh" takes after a cold start
    MODE fresh     a start after that
    MODE healed    the third start, after half, rest and refresh

Exit status: 0 success; 1 a run failed; 2 wrong usage.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from measuring import run, without_pocl_cache  # noqa: E402
from recorded import Failure, grid, read_json, run_main  # noqa: E402

MODES = ("library", "layer")


class Bench:
    """Runs of one round, each in folders of its own."""

    def __init__(self, build, work, vendors):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.work = pathlib.Path(work)
        self.vendors = vendors
        self.sums = {}

    def environment(self, store, debug):
        env = without_pocl_cache(self.empty("driver"), DNNL_CACHE_DIR=str(store))
        env.pop("POCL_DEBUG", None)
        if debug:
            env["POCL_DEBUG"] = "all"
        if self.vendors:
            env["OCL_ICD_VENDORS"] = str(self.vendors)
        return env

    def empty(self, name):
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def run(self, mode, store=None, half=False, debug=False):
        """One start: its report, with what it compiled if debug."""
        report = self.work / "report.json"
        report.unlink(missing_ok=True)
        command = [self.bin / "framework", "--json", report,
                   "--mode", "library" if mode == "library" else "plain"]
        if mode == "library" and store:
            command += ["--store", store]
        if mode == "layer":
            command = [self.bin / "dnnl-cache-run", "--wait", "--", *command]
        if half:
            command.append("--half")
        began = time.monotonic()
        words = run(command, self.environment(store, debug),
                    stderr=subprocess.STDOUT, errors="replace")
        whole = (time.monotonic() - began) * 1000
        result = read_json(report)
        if self.sums.setdefault(half, result["checksum"]) \
                != result["checksum"]:
            raise Failure(f"{command}: another checksum")
        result["wall"] = result["ready"] + result["exit"]
        result["after"] = max(0.0, whole - result["wall"])
        result["compiled"] = words.count("Built a") if debug else None
        return result

    def refresh(self, store):
        """Drains the journal of a store; False: this tool cannot."""
        began = time.monotonic()
        before = os.times()
        done = subprocess.run(
            [str(self.bin / "dnnl-cache"), "refresh", "--store", str(store)],
            env=self.environment(store, False), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, check=False)
        after = os.times()
        if done.returncode != 0:
            return None
        return {"wall": (time.monotonic() - began) * 1000,
                "cpu": after.children_user + after.children_system
                - before.children_user - before.children_system}


def measure(bench, mode, rows, half_plain, plain):
    """The rows of one mode, of one round."""
    def note(name, result, base):
        rows.setdefault(f"{mode} {name}", []).append((result, base))

    if mode == "library":
        note("nowhere", bench.run(mode), plain)
    store = bench.empty("store")
    note("cold", bench.run(mode, store), plain)
    note("warm", bench.run(mode, store), plain)
    drained = bench.refresh(store)
    if drained:
        note("refresh", drained, plain)
        note("fresh", bench.run(mode, store), plain)
    store = bench.empty("store")
    note("half", bench.run(mode, store, half=True), half_plain)
    note("rest", bench.run(mode, store), plain)
    if bench.refresh(store):
        note("healed", bench.run(mode, store), plain)


def count(bench, mode):
    """How often PoCL compiled, of each row of a mode."""
    def compiled(store, half=False):
        return bench.run(mode, store, half, debug=True)["compiled"]

    store = bench.empty("store")
    counts = {"cold": compiled(store), "warm": compiled(store)}
    if bench.refresh(store):
        counts["fresh"] = compiled(store)
    store = bench.empty("store")
    counts |= {"half": compiled(store, True), "rest": compiled(store)}
    if bench.refresh(store):
        counts["healed"] = compiled(store)
    return {f"{mode} {name}": number for name, number in counts.items()}


def print_table(rows, counts):
    lines = []
    for name, results in rows.items():
        def middle(of):
            return statistics.median(of(*pair) for pair in results)
        wall = middle(lambda r, _: r["wall"])
        cpu = middle(lambda r, _: r["cpu"])
        ratios = [middle(lambda r, base, key=key: r[key] / base[key])
                  for key in ("wall", "cpu")]
        end = middle(lambda r, _: r.get("exit", 0.0))
        lines.append([name, f"{wall:.0f} ms", f"{cpu:.2f} s",
                      *(f"{ratio:.3f}" for ratio in ratios), f"{end:.0f} ms",
                      counts.get(name, "")])
    print("\n".join(grid(["start", "wall", "CPU", "wall/plain", "CPU/plain",
                          "end", "compiled"], lines)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the build's folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--modes", default=",".join(MODES),
                        help="of %(default)s")
    parser.add_argument("--vendors", default=os.environ.get("OCL_ICD_VENDORS"),
                        help="folder of the one driver to use")
    parser.add_argument("--no-count", action="store_true",
                        help="do not count compilations")
    args = parser.parse_args()
    modes = args.modes.split(",")
    if args.rounds < 1 or not set(modes) <= set(MODES):
        parser.error("no such mode, or no round")
    rows, counts = {}, {}
    with tempfile.TemporaryDirectory(prefix="framework-") as work:
        bench = Bench(args.build, work, args.vendors)
        for _ in range(args.rounds):
            plain = bench.run("plain")
            half = bench.run("plain", half=True)
            rows.setdefault("plain", []).append((plain, plain))
            for mode in modes:
                measure(bench, mode, rows, half, plain)
        if not args.no_count:
            counts["plain"] = bench.run("plain", debug=True)["compiled"]
            for mode in modes:
                counts |= count(bench, mode)
    print_table(rows, counts)


if __name__ == "__main__":
    run_main(main)
