#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures this project against other caches, each with its cache on.

    scripts/peer_results.py --measure [--build build] [--rounds 5]

runs tests/apps/applications/arrays.py, a pyopencl application with nine
programs, in whole processes on PoCL and on Mesa's rusticl, in turns:

    start     the application's imports, context and queue; no program
    none      every cache off
    driver    the driver's own cache, full
    pyopencl  pyopencl's own cache, full; the driver's off
    layer     the OpenCL layer of the build, its store full; both others off
    both      the layer and the driver's own cache, both full

and writes bench/results/peers.json: for each driver and each of these the
median time and the median, over the rounds, of its ratio to "none". A run whose
results differ from those of "none", or a run under the layer that compiles
anything, is an error. scripts/readme_table.py puts the file into README.md.

Needs Debian's packages python3-pyopencl, python3-numpy, pocl-opencl-icd and
mesa-opencl-icd. Exit status: 0 fine, 1 not, 2 wrong usage.
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

sys.dont_write_bytecode = True
from recorded import Failure, run_main  # noqa: E402

PYTHON = "/usr/bin/python3"
START = ("import numpy, pyopencl, pyopencl.array, pyopencl.scan; "
         "pyopencl.CommandQueue("
         "pyopencl.create_some_context(interactive=False))")
# Name of a driver, its ICD file, the package that has it.
DRIVERS = (("PoCL", "pocl.icd", "pocl-opencl-icd"),
           ("rusticl", "rusticl.icd", "mesa-opencl-icd"))
MODES = ("start", "none", "driver", "pyopencl", "layer", "both")


def environment(mode, icd, folder, layer):
    """The environment of one process. Only the mode's caches are on; the
    folders of all others are empty."""
    empty = tempfile.mkdtemp(dir=folder)
    own = folder / mode
    own.mkdir(mode=0o700, exist_ok=True)
    driver_on = mode in ("driver", "both")
    driver = own if driver_on else empty
    settings = {
        "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(empty),
        "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder),
        "OCL_ICD_VENDORS": str(icd), "RUSTICL_ENABLE": "llvmpipe",
        "POCL_KERNEL_CACHE": "1" if driver_on else "0",
        "POCL_CACHE_DIR": str(driver),
        "MESA_SHADER_CACHE_DISABLE": "false" if driver_on else "true",
        "MESA_SHADER_CACHE_DIR": str(driver),
        "XDG_CACHE_HOME": str(own if mode == "pyopencl" else empty),
    }
    if mode != "pyopencl":
        settings["PYOPENCL_NO_CACHE"] = "1"
    if mode in ("layer", "both"):
        settings |= {"OPENCL_LAYERS": str(layer),
                     "DNNL_CACHE_DIR": str(own / "store"),
                     "DNNL_CACHE_HARVEST_SECONDS_AT_EXIT": "unlimited",
                     "DNNL_CACHE_STATS": str(folder / "statistics")}
    return settings


def run(mode, icd, folder, layer, application):
    """(milliseconds, what the application computed) of one process."""
    result = folder / "result"
    result.write_bytes(b"")
    command = [PYTHON, "-c", START] if mode == "start" else [
        PYTHON, str(application), str(result)]
    settings = environment(mode, icd, folder, layer)
    begin = time.monotonic()
    done = subprocess.run(command, env=settings, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    passed = (time.monotonic() - begin) * 1000
    if done.returncode != 0:
        raise Failure(f"{mode}: exit status {done.returncode}:\n"
                      f"{done.stdout[-2000:]}")
    return passed, result.read_bytes()


def check_layer(folder):
    """The layer's last process found every program, with all launches."""
    lines = (folder / "statistics").read_text(encoding="utf-8").splitlines()
    last = json.loads(lines[-1])
    if last["hits"] == 0 or last["misses"] != 0:
        raise Failure(f"the layer had {last['hits']} hits and "
                      f"{last['misses']} misses")
    if last["incomplete_hits"] != 0:
        raise Failure("the driver compiled at launches")


def measure_driver(name, icd, layer, application, rounds):
    times = {mode: [] for mode in MODES}
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        expected = run("none", icd, folder, layer, application)[1]
        for mode in MODES[2:] * 2:  # fill the caches
            run(mode, icd, folder, layer, application)
        for number in range(rounds):
            turn = number % len(MODES)
            for mode in MODES[turn:] + MODES[:turn]:
                ms, result = run(mode, icd, folder, layer, application)
                if mode != "start" and result != expected:
                    raise Failure(f"{name}, {mode}: another result")
                if mode in ("layer", "both"):
                    check_layer(folder)
                times[mode].append(ms)
            print(f"{name}: {number + 1} of {rounds}: " + ", ".join(
                f"{mode} {times[mode][-1]:.0f} ms" for mode in MODES),
                file=sys.stderr)
    return {mode: {
        "ms": round(statistics.median(times[mode]), 1),
        "ratio": round(statistics.median(
            ms / none for ms, none in zip(times[mode], times["none"])), 4)}
        for mode in MODES}


def version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def measure(root, build, rounds):
    layer = build / "lib/libdnnl_cache_layer.so"
    application = root / "tests/apps/applications/arrays.py"
    rows = []
    for name, file, package in DRIVERS:
        with tempfile.TemporaryDirectory() as icd:
            source = pathlib.Path("/etc/OpenCL/vendors", file)
            (pathlib.Path(icd) / file).write_bytes(source.read_bytes())
            rows.append({
                "driver": name, "version": version(package),
                "machine": machine(),
                "application": "python3-pyopencl "
                               + version("python3-pyopencl"),
                "rounds": rounds,
                "runs": measure_driver(name, pathlib.Path(icd), layer,
                                       application, rounds)})
    path = root / "bench/results/peers.json"
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", required=True)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    measure(root, arguments.build.resolve(), arguments.rounds)


if __name__ == "__main__":
    run_main(main)
