# SPDX-License-Identifier: Apache-2.0
"""Measures this project against other caches, each with its cache on.

Runs tests/apps/applications/arrays.py, a pyopencl application with nine
programs, in whole processes on PoCL and on Mesa's rusticl, in turns:

    start     the application's imports, context and queue; no program
    none      every cache off
    driver    the driver's own cache, full
    pyopencl  pyopencl's own cache, full; the driver's off
    layer     the OpenCL layer of the build, its store full; both others off
    both      the layer and the driver's own cache, both full

and records for each driver and each of these the median time and the median,
over the rounds, of its ratio to "none". A run whose results differ from those
of "none", or a run under the layer that compiles anything, is an error.

Needs Debian's packages python3-pyopencl, python3-numpy, pocl-opencl-icd and
mesa-opencl-icd.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import (
    add_usual_options, machine, median_ratio, package_version, run,
    write_results)
from recorded import Failure

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
                     "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT": "unlimited",
                     "DNNL_CACHE_STATS": str(folder / "statistics")}
    return settings


def run_one(mode, icd, folder, layer, application):
    """(milliseconds, what the application computed) of one process."""
    result = folder / "result"
    result.write_bytes(b"")
    command = [PYTHON, "-c", START] if mode == "start" else [
        PYTHON, application, result]
    settings = environment(mode, icd, folder, layer)
    begin = time.monotonic()
    run(command, settings, stderr=subprocess.STDOUT)
    return (time.monotonic() - begin) * 1000, result.read_bytes()


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
        expected = run_one("none", icd, folder, layer, application)[1]
        for mode in MODES[2:] * 2:  # fill the caches
            run_one(mode, icd, folder, layer, application)
        for number in range(rounds):
            turn = number % len(MODES)
            for mode in MODES[turn:] + MODES[:turn]:
                ms, result = run_one(mode, icd, folder, layer, application)
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
        "ratio": round(median_ratio(times[mode], times["none"]), 4)}
        for mode in MODES}


def measure(root, options):
    layer = options.build.resolve() / "lib/libdnnl_cache_layer.so"
    application = root / "tests/apps/applications/arrays.py"
    rows = []
    for name, file, package in DRIVERS:
        with tempfile.TemporaryDirectory() as icd:
            source = pathlib.Path("/etc/OpenCL/vendors", file)
            (pathlib.Path(icd) / file).write_bytes(source.read_bytes())
            rows.append({
                "driver": name, "version": package_version(package),
                "machine": machine(),
                "application": "python3-pyopencl "
                               + package_version("python3-pyopencl"),
                "rounds": options.rounds,
                "runs": measure_driver(name, pathlib.Path(icd), layer,
                                       application, options.rounds)})
    write_results(root, "peers", rows)
    return True


add_options = add_usual_options
