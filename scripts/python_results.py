#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: python_results.py [--check] | --measure [--python PYTHON] [--rounds N]
                         [--print] [--least RATIO]

Writes the table of docs/PYTHON.md from bench/results/python.json. --measure first
records the file: PYTHON, which has the package, pyopencl and NumPy (python/test.sh
makes such an environment), runs the ten lines of docs/PYTHON.md on PoCL, in turn

    none   without dnnl_cache, as pyopencl builds programs
    first  with an empty store
    later  with the store that "first" filled

each with an empty driver cache (POCL_KERNEL_CACHE=0 and a fresh POCL_CACHE_DIR) and
without pyopencl's cache (PYOPENCL_NO_CACHE=1). Two times are taken: of the process
from start to exit, and within the process from the line that builds the program to
the end of the last one. --print shows the table, and writes nothing. --least fails
if a later start is not RATIO times as fast as the first one, by both times, in the
median of the rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from recorded import Failure, put_table, read_rows, run_main

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results/python.json"
DOCUMENT = ROOT / "docs/PYTHON.md"
MARKERS = ("<!-- measured: begin, written by scripts/python_results.py -->",
           "<!-- measured: end -->")
MODES = ("none", "first", "later")
KEYS = ("driver", "version", "machine", "pyopencl", "rounds", "runs")


def listing():
    """The ten lines."""
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = text.split("<!-- listing: start -->\n```python\n", 1)[1].split(
        "```", 1)[0]
    if len(lines.splitlines()) != 10:
        raise Failure(f"{DOCUMENT}: the listing has not ten lines")
    return lines


def without_cache(text):
    """The same as pyopencl builds programs."""
    lines = [line for line in text.splitlines() if "set_dir" not in line]
    changed = "\n".join(lines).replace(", dnnl_cache", "").replace(
        "dnnl_cache.build(ctx, source)", "cl.Program(ctx, source).build()")
    if "dnnl_cache" in changed:
        raise Failure(f"{DOCUMENT}: the listing cannot do without dnnl_cache")
    return changed + "\n"


def timed(text):
    """The same, with the time of all from the build on printed at the end."""
    before, after = text.split("\nprogram =", 1)
    return (f"{before}\nimport time\nbegun = time.perf_counter()\n"
            f"program ={after}"
            "print('seconds', time.perf_counter() - begun)\n")


def run(python, text, folder):
    """Runs a script: milliseconds of the process, and within it."""
    with tempfile.TemporaryDirectory() as cache:
        vendors = pathlib.Path(cache, "vendors")
        vendors.mkdir()
        (vendors / "pocl.icd").write_bytes(
            pathlib.Path("/etc/OpenCL/vendors/pocl.icd").read_bytes())
        script = pathlib.Path(cache, "script.py")
        script.write_text(timed(text), encoding="utf-8")
        environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("DNNL_", "OPENCL_", "PYOPENCL_", "POCL_"))}
        environment.update(
            POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=cache + "/pocl",
            PYOPENCL_NO_CACHE="1", OCL_ICD_VENDORS=str(vendors))
        os.mkdir(cache + "/pocl")
        begun = time.perf_counter()
        done = subprocess.run([python, str(script)], cwd=folder,
                              env=environment, stdout=subprocess.PIPE,
                              text=True, check=True)
        whole = time.perf_counter() - begun
    inside = float(done.stdout.split("seconds", 1)[1])
    return whole * 1000, inside * 1000


def measure(python, rounds):
    text = listing()
    times = {mode: {"process": [], "inside": []} for mode in MODES}
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for mode in MODES:
                whole, inside = run(
                    python, without_cache(text) if mode == "none" else text,
                    folder)
                times[mode]["process"].append(whole)
                times[mode]["inside"].append(inside)
        print(f"{number + 1} of {rounds}: " + ", ".join(
            f"{mode} {times[mode]['process'][-1]:.0f} ms "
            f"({times[mode]['inside'][-1]:.0f})" for mode in MODES),
            file=sys.stderr)
    runs = {}
    for mode in MODES:
        runs[mode] = {
            kind: {"ms": round(statistics.median(taken), 1),
                   "faster": round(statistics.median(
                       first / mine for first, mine in zip(
                           times["first"][kind], taken)), 2)}
            for kind, taken in times[mode].items()}
    return {"driver": "PoCL", "version": package_version("pocl-opencl-icd"),
            "machine": machine(), "pyopencl": installed(python),
            "rounds": rounds, "runs": runs}


def package_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def installed(python):
    done = subprocess.run(
        [python, "-c", "from importlib.metadata import version; "
         "print(version('pyopencl'))"], stdout=subprocess.PIPE, text=True,
        check=True)
    return done.stdout.strip()


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text(
            encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def table(row):
    def cell(run, kind):
        return f"{run[kind]['ms'] / 1000:.2f} s"

    names = {"none": "without dnnl_cache", "first": "first start",
             "later": "every later start"}
    lines = ["| | whole process | build and launch |",
             "| --- | ---: | ---: |"]
    for mode in MODES:
        run = row["runs"][mode]
        lines.append(f"| {names[mode]} | {cell(run, 'process')} | "
                     f"{cell(run, 'inside')} |")
    none, later = row["runs"]["none"], row["runs"]["later"]
    lines.append(f"| first start / later start | "
                 f"{later['process']['faster']:.0f} | "
                 f"{later['inside']['faster']:.0f} |")
    without = [none[kind]["ms"] / later[kind]["ms"]
               for kind in ("process", "inside")]
    lines.append(f"| without dnnl_cache / later start | {without[0]:.0f} | "
                 f"{without[1]:.0f} |")
    lines += ["", f"pocl-opencl-icd {row['version']}, pyopencl "
              f"{row['pyopencl']} on an {row['machine']}; medians of "
              f"{row['rounds']} rounds."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0)
    arguments = parser.parse_args()
    if arguments.measure:
        row = measure(arguments.python, arguments.rounds)
        if arguments.only_print:
            print(table(row))
        else:
            RESULTS.write_text(json.dumps([row], indent=1) + "\n",
                               encoding="utf-8")
        for kind, of in row["runs"]["later"].items():
            if of["faster"] < arguments.least:
                raise Failure(f"{kind}: a later start is {of['faster']} times "
                              f"as fast, not {arguments.least}")
        if arguments.only_print:
            return 0
    row, = read_rows(RESULTS, KEYS)
    put_table(DOCUMENT, MARKERS, table(row), arguments.check,
              "scripts/python_results.py")
    return 0


if __name__ == "__main__":
    run_main(main)
