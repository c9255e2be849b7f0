# SPDX-License-Identifier: Apache-2.0
"""Measures the ten lines of docs/start/python.md on PoCL.

PYTHON, which has the package, pyopencl and NumPy (python/test.sh makes such an
environment), runs them in turn

    none   without dnnl_cache, as pyopencl builds programs
    first  with an empty store
    later  with the store that "first" filled

each with an empty driver cache (POCL_KERNEL_CACHE=0 and a fresh POCL_CACHE_DIR)
and without pyopencl's cache (PYOPENCL_NO_CACHE=1). Two times are taken: of the
process from start to exit, and within the process from the line that builds the
program to the end of the last one.
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

import result_tables
from measuring import (
    machine, median_ratio, package_version, run, write_results)
from recorded import ROOT, Failure

DOCUMENT = ROOT / "docs/start/python.md"
MODES = ("none", "first", "later")


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


def run_one(python, text, folder):
    """Runs a script: milliseconds of the process, and within it."""
    with tempfile.TemporaryDirectory() as cache:
        vendors = pathlib.Path(cache, "vendors")
        vendors.mkdir()
        (vendors / "pocl.icd").write_bytes(
            pathlib.Path("/etc/OpenCL/vendors/pocl.icd").read_bytes())
        script = pathlib.Path(cache, "script.py")
        script.write_text(timed(text), encoding="utf-8")
        pocl = pathlib.Path(cache, "pocl")
        pocl.mkdir()
        environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("DNNL_", "OPENCL_", "PYOPENCL_", "POCL_"))}
        environment.update(
            POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=str(pocl),
            PYOPENCL_NO_CACHE="1", OCL_ICD_VENDORS=str(vendors))
        begun = time.perf_counter()
        printed = run([python, script], environment, cwd=folder, stderr=None)
        whole = time.perf_counter() - begun
    return whole * 1000, float(printed.split("seconds", 1)[1]) * 1000


def measured(python, rounds):
    """The row."""
    text = listing()
    times = {mode: {"process": [], "inside": []} for mode in MODES}
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for mode in MODES:
                whole, inside = run_one(
                    python, without_cache(text) if mode == "none" else text,
                    folder)
                times[mode]["process"].append(whole)
                times[mode]["inside"].append(inside)
        print(f"{number + 1} of {rounds}: " + ", ".join(
            f"{mode} {times[mode]['process'][-1]:.0f} ms "
            f"({times[mode]['inside'][-1]:.0f})" for mode in MODES),
            file=sys.stderr)
    runs = {mode: {kind: {
        "ms": round(statistics.median(taken), 1),
        "faster": round(median_ratio(times["first"][kind], taken), 2)}
        for kind, taken in times[mode].items()} for mode in MODES}
    pyopencl = run([python, "-c", "from importlib.metadata import version; "
                    "print(version('pyopencl'))"])
    return {"driver": "PoCL", "version": package_version("pocl-opencl-icd"),
            "machine": machine(), "pyopencl": pyopencl.strip(),
            "rounds": rounds, "runs": runs}


def add_options(parser):
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--print", action="store_true", dest="only_print",
                        help="print the table, and write nothing")
    parser.add_argument("--least", type=float, default=0, metavar="RATIO",
                        help="fail if a later start is not so many times as fast "
                        "as the first one, by both times, in the median of the "
                        "rounds")


def measure(root, options):
    row = measured(options.python, options.rounds)
    if options.only_print:
        print("\n".join(result_tables.python([row])))
    else:
        write_results(root, "python", [row])
    for kind, of in row["runs"]["later"].items():
        if of["faster"] < options.least:
            raise Failure(f"{kind}: a later start is {of['faster']} times as "
                          f"fast, not {options.least}")
    return not options.only_print
