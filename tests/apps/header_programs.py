#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts applications whose programs have header programs (clCompileProgram's
input_headers) three times under "dnnl-cache-run --wait", the first time with an
empty store, and prints what was compiled and how long that took, as a table.

    tests/apps/header_programs.py [--build DIR] [--apps pygpu,refresh_client]

pygpu is Debian's python3-pygpu; refresh_client is a test program, built with the
tests. Each is measured with the caches that users have by default, in a new home,
and with PoCL's own cache off. The driver is PoCL, or that of OCL_ICD_VENDORS.
Exit status: 0 nothing is compiled in the second and third starts, 1 something is,
or an application failed.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
APPS = pathlib.Path(__file__).resolve().parent
ROOT = APPS.parents[1]
sys.path += [str(ROOT / "scripts")]
sys.path.insert(0, str(APPS))
from results import sums  # noqa: E402

ARRAYS = """
import numpy, pygpu
from pygpu import elemwise
context = pygpu.init("opencl0:0")
a = pygpu.array(numpy.arange(12, dtype="float32").reshape(3, 4), context=context)
b = numpy.asarray(a.transpose().copy("C").astype("int32"))
c = numpy.asarray(elemwise.elemwise2(a, "*", a, a))
assert (b == numpy.arange(12).reshape(3, 4).T).all() and c[2, 3] == 121
"""


def commands(build, folder):
    """By name: what it is, in words, and its command."""
    return {
        "pygpu": ("pygpu (libgpuarray): an array transposed and converted, an "
                  "element-wise kernel", ["/usr/bin/python3", "-c", ARRAYS]),
        "refresh_client": ("a source with three header programs, compiled and "
                           "linked (`refresh_client`)",
                           [build / "bin/refresh_client", "plain",
                            folder / "unused", "1"]),
    }


def start(build, folder, number, command, is_off):
    """How many programs the driver compiled for the application, as the layer
    counts them, and the seconds until all is stored."""
    counts = folder / f"stats{number}"
    environment = dict(os.environ, HOME=str(folder),
                       XDG_CACHE_HOME=str(folder / "cache"),
                       REFRESH_CLIENT_HEADER_PROGRAMS="1",
                       DNNL_CACHE_STATS=str(counts))
    environment.pop("POCL_CACHE_DIR", None)
    environment.pop("POCL_KERNEL_CACHE", None)
    if is_off:
        environment["POCL_KERNEL_CACHE"] = "0"
    began = time.monotonic()
    subprocess.run([build / "bin/dnnl-cache-run", "--wait", "--dir", folder / "store",
                    "--", *command], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    return sums(counts, ("misses",))["misses"], seconds


def measure(name, build):
    """Prints the lines of an application; true if nothing was compiled again."""
    is_warm = True
    for is_off in (False, True):
        with tempfile.TemporaryDirectory(prefix="dnnl_cache_headers.") as text:
            folder = pathlib.Path(text)
            words, command = commands(build, folder)[name]
            starts = [start(build, folder, i, command, is_off) for i in range(3)]
        again = starts[1][0] + starts[2][0]
        is_warm = is_warm and starts[0][0] > 0 and again == 0
        cells = ["" if is_off else words, "PoCL's off" if is_off else "default",
                 starts[0][0], again, *(f"{seconds:.1f} s" for _, seconds in starts[:2])]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    return is_warm


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--apps", default="pygpu,refresh_client")
    options = parser.parse_args()
    print("| application | caches | compiled in the first start | in the second and "
          "third | first start | second start |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    try:
        warm = [measure(name, options.build.resolve())
                for name in options.apps.split(",")]
    except subprocess.CalledProcessError as error:
        print(f"header_programs.py: {error}", file=sys.stderr)
        return 1
    return 0 if all(warm) else 1


if __name__ == "__main__":
    sys.exit(main())
