#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a program that probes a driver by builds that fail: with
DNNL_CACHE_FAILED_BUILDS=1 / plain, in pairs that take turns in being first.

    bench/failed_builds.py --rounds 9 --json FILE

Each start is a process of its own, which makes a context of the first device and
builds as many programs of a few lines, each of which has another error. Two
starts under the layer come before, more than a minute from each other, so that
the failures are kept. The driver's own cache is on, as users have it, in a folder
of the benchmark's. Every start must get the same status from each build and the
same kind of log.

Times are of the whole process by the system's clock, and of the process's part
from the first call of OpenCL to the last answer. Options:

    --build DIR       where the project was built (build in the project)
    --platform NAME   a part of the platform's name (Portable Computing Language)
    --probes N        programs of each start (20)
    --rounds N        pairs (9)
    --pause SECONDS   between the two starts before (61)
    --json FILE       writes the medians, in nanoseconds, and the ratios

Exit status: 0 measured, 1 a start failed or answered otherwise, 2 wrong usage.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ERRORS = ("no_such_type_{0} x;", "int y = no_such_name_{0};",
          "no_such_function_{0}(x);", "x = (half_{0})1;", "#error probe {0}\n")
BUILD_STATUS, BUILD_LOG, PLATFORM_NAME = 0x1181, 0x1183, 0x0902


class Failure(Exception):
    pass


# ---- The program that probes ------------------------------------------------


def load_opencl():
    cl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateProgramWithSource"):
        getattr(cl, name).restype = ctypes.c_void_p
    return cl


def find_device(cl, wanted):
    platforms = (ctypes.c_void_p * 16)()
    count = ctypes.c_uint(0)
    cl.clGetPlatformIDs(16, platforms, ctypes.byref(count))
    for platform in platforms[:count.value]:
        name = ctypes.create_string_buffer(256)
        cl.clGetPlatformInfo(ctypes.c_void_p(platform), PLATFORM_NAME,
                             ctypes.c_size_t(256), name, None)
        device = ctypes.c_void_p()
        if wanted in name.value.decode() and cl.clGetDeviceIDs(
                ctypes.c_void_p(platform), ctypes.c_ulong(0xffffffff), 1,
                ctypes.byref(device), None) == 0:
            return device
    sys.exit(77)


def probe(cl, context, device, number):
    """What the build returns, its status, and whether its log names a place."""
    text = ("kernel void probe(global int *x)\n{\n" +
            ERRORS[number % len(ERRORS)].format(number) + "\n}\n").encode()
    source = ctypes.c_char_p(text)
    program = ctypes.c_void_p(cl.clCreateProgramWithSource(
        context, 1, ctypes.byref(source), None, None))
    returned = cl.clBuildProgram(program, 0, None, b"", None, None)
    status = ctypes.c_int(77)
    cl.clGetProgramBuildInfo(program, device, BUILD_STATUS, ctypes.c_size_t(4),
                             ctypes.byref(status), None)
    log = ctypes.create_string_buffer(65536)
    cl.clGetProgramBuildInfo(program, device, BUILD_LOG, ctypes.c_size_t(65536),
                             log, None)
    cl.clReleaseProgram(program)
    return [returned, status.value, b":3:" in log.value]


def probe_all(platform, probes):
    began = time.monotonic_ns()
    cl = load_opencl()
    device = find_device(cl, platform)
    context = ctypes.c_void_p(cl.clCreateContext(
        None, 1, ctypes.byref(device), None, None, None))
    answers = [probe(cl, context, device, i) for i in range(probes)]
    spent = time.monotonic_ns() - began
    cl.clReleaseContext(context)
    print(json.dumps({"part_ns": spent, "answers": answers}))


# ---- Starts -----------------------------------------------------------------


def start(options, folder, is_layered):
    """Times of a start, what it was answered, what the layer counted."""
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith("DNNL_CACHE_") and name != "OPENCL_LAYERS"}
    environment["POCL_CACHE_DIR"] = str(folder / "pocl")
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    counts = folder / "counts"
    counts.unlink(missing_ok=True)
    if is_layered:
        environment["OPENCL_LAYERS"] = str(
            options.build / "lib" / "libdnnl_cache_layer.so")
        environment.update(
            DNNL_CACHE_CONFIG="0", DNNL_CACHE_FAILED_BUILDS="1",
            DNNL_CACHE_DIR=str(folder / "store"), DNNL_CACHE_STATS=str(counts))
    began = time.monotonic_ns()
    run = subprocess.run(
        [sys.executable, "-B", __file__, "--probe", "--platform",
         options.platform, "--probes", str(options.probes)],
        env=environment, stdout=subprocess.PIPE, check=False)
    spent = time.monotonic_ns() - began
    if run.returncode != 0:
        raise Failure(f"a start ended with {run.returncode}"
                      if run.returncode != 77 else "no such platform")
    result = json.loads(run.stdout)
    result["all_ns"] = spent
    if is_layered:
        result["counts"] = json.loads(counts.read_text(encoding="utf-8"))
    return result


def check(first, result):
    if result["answers"] != first["answers"]:
        raise Failure("a start was answered otherwise")


def measure(options, folder):
    first = start(options, folder, False)
    if any(answer != [-11, -2, True] for answer in first["answers"]):
        raise Failure(f"not all probes fail as they are to: {first['answers']}")
    check(first, start(options, folder, True))
    time.sleep(options.pause)
    check(first, start(options, folder, True))
    pairs = []
    for number in range(options.rounds):
        pair = {}
        for is_layered in (False, True) if number % 2 == 0 else (True, False):
            pair[is_layered] = start(options, folder, is_layered)
            check(first, pair[is_layered])
        answered = pair[True]["counts"]["failed_answered"]
        if answered != options.probes:
            raise Failure(f"{answered} of {options.probes} were answered")
        pairs.append(pair)
    return pairs


def row_of(pairs, key):
    return {
        "ours_ns": round(statistics.median(p[True][key] for p in pairs)),
        "reference_ns": round(statistics.median(p[False][key] for p in pairs)),
        "ratio": round(statistics.median(
            p[True][key] / p[False][key] for p in pairs), 4)}


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__, add_help=True, allow_abbrev=False)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--platform", default="Portable Computing Language")
    parser.add_argument("--probes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pause", type=float, default=61)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--probe", action="store_true")
    options = parser.parse_args()
    if options.probe:
        probe_all(options.platform, options.probes)
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="failed_builds.") as name:
            pairs = measure(options, pathlib.Path(name))
    except Failure as failure:
        print(f"failed_builds.py: {failure}", file=sys.stderr)
        return 1
    rows = {"probes": options.probes, "rounds": len(pairs),
            "process": row_of(pairs, "all_ns"), "part": row_of(pairs, "part_ns")}
    for name in ("process", "part"):
        row = rows[name]
        print(f"{name}: {row['ours_ns'] / 1e6:.1f} ms with failed builds, "
              f"{row['reference_ns'] / 1e6:.1f} ms plain, ratio "
              f"{row['ratio']:.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n",
                                encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
