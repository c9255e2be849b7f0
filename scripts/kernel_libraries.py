#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: kernel_libraries.py --tool DNNL_CACHE --compiler COMPILE_CORPUS
       [--emulate]

The proof for PoCL's libraries of built-in functions that are not in IDs
(src/gpu/device/kernel_library.c). In a copy of the driver the one that the
device takes is changed, another one is changed, and the one that it takes is
removed: the identity must change, not change, and then depend on all of them.
A program is compiled under strace, which must open the one that counts and no
other. --emulate: the same program on the processors that qemu-x86_64 emulates;
of each row of the table that is met, PoCL must open the row's library.
Exit status: 0 proved, 1 not, 2 it could not be tried, 77 there is no PoCL of
the table, or, with --emulate, no qemu-x86_64."""
import argparse
import os
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
from driver_trial import (  # noqa: E402
    compiled, device_of, devices, run_trial, without_caches)
from recorded import ROOT, Failure  # noqa: E402

SOURCE = ROOT / "src/gpu/device/kernel_library.c"
PLATFORM = "Portable Computing Language"
PREFIX = "kernel-x86_64-pc-linux-gnu-"
# One for each row of the table that qemu can emulate.
PROCESSORS = ["qemu64", "core2duo", "Penryn", "SandyBridge", "IvyBridge",
              "Haswell"]
# Files whose use shows in the trace, and what the program needs.
PROGRAM = "kernel void k(global float *a) { a[0] = sin(a[1]); }\n"


class Absent(Exception):
    """What is not there to be tried."""


def environment_of(work, **variables):
    return without_caches(work, DNNL_CACHE_FILE_DIGESTS="0", **variables)


def identity(args, work, **variables):
    """The digest of all parts of PoCL in an ID, and the parts."""
    device = device_of(args.tool, PLATFORM, environment_of(work, **variables))
    if not device["has_identity"]:
        raise Failure("PoCL's device has no identity")
    fields = {f["name"]: f for f in device["fields"]}
    return fields["driver_components"]["hex"], device["driver_parts"]


def libraries(parts):
    """(names that count, names that do not count)."""
    found = [p for p in parts if p["name"].startswith(PREFIX)]
    return ({p["name"] for p in found if p["counts"]},
            {p["name"] for p in found if not p["counts"]})


def opened(args, work, before, pattern, **variables):
    """Libraries that are opened while a program is compiled."""
    program = work / "program.cl"
    program.write_text(PROGRAM, encoding="utf-8")
    done = compiled([*before, args.compiler, PLATFORM, program], [""],
                    environment_of(work, **variables), cwd=work)
    texts = [done.stderr] + [p.read_text(encoding="utf-8", errors="replace")
                            for p in work.glob("trace.*")]
    return {name for text in texts for name in re.findall(pattern, text)}


def copy_driver(parts, work):
    """PoCL in a folder of its own; where its libraries are, and the variable
    that names it."""
    path = pathlib.Path(next(p["path"] for p in parts
                             if p["name"].startswith("libpocl.so")))
    library = next(pathlib.Path(p["path"]) for p in parts
                   if p["name"].startswith(PREFIX))
    home = work / "driver/lib/x86"
    shutil.copytree(path.parent / "pocl", home / "pocl")
    shutil.copy(path, home / "libpocl.so.2")
    share = work / "driver/share/pocl"
    shutil.copytree(library.parent, share)
    vendors = work / "vendors"
    vendors.mkdir()
    (vendors / "pocl.icd").write_text(f"{home}/libpocl.so.2\n",
                                      encoding="utf-8")
    return share, {"OCL_ICD_VENDORS": str(vendors)}


def append(path):
    with open(path, "ab") as file:
        file.write(b"\0")


def prove_here(args, work):
    _, parts = identity(args, work)
    taken, others = libraries(parts)
    if len(taken) != 1 or not others:
        raise Absent(f"not PoCL of the table: {len(taken)} libraries count, "
                     f"{len(others)} do not")
    taken = next(iter(taken))
    share, variables = copy_driver(parts, work)
    first, parts = identity(args, work, **variables)
    faults = []
    if libraries(parts) != ({taken}, others):
        raise Failure("the copied driver has other libraries")
    trace = ["strace", "-ff", "-qq", "-s", "4096", "-o", str(work / "trace"),
             "-e", "trace=openat"]
    names = opened(args, work, trace, rf'"[^"]*/({PREFIX}[^"]*\.bc)",.* = \d',
                   **variables)
    if names != {taken}:
        faults.append(f"opened: {sorted(names)}, counts: {taken}")
    append(share / sorted(others)[0])
    if identity(args, work, **variables)[0] != first:
        faults.append(f"{sorted(others)[0]} counts")
    append(share / taken)
    if identity(args, work, **variables)[0] == first:
        faults.append(f"{taken} does not count")
    (share / taken).unlink()
    if libraries(identity(args, work, **variables)[1]) != (others, set()):
        faults.append(f"without {taken} others do not count")
    for name in ("POCL_KERNELLIB_NAME", "POCL_BUILDING"):
        if libraries(identity(args, work, **{name: "0"})[1])[1]:
            faults.append(f"with {name} some do not count")
    print(f"{taken} counts, {len(others)} others do not")
    return faults


def rows():
    return dict(re.findall(r'\{"([^"]+)", "([^"]+)"\}',
                           SOURCE.read_text(encoding="utf-8")))


def processor_of(args, work, before):
    """The end of the device's version."""
    for device in devices(args.tool, environment_of(work), before):
        for field in device["fields"]:
            found = re.search(r"pthread-x86_64-pc-linux-gnu-(\S+)$",
                              field.get("text", ""))
            if field["name"] == "device_version" and found:
                return found.group(1)
    raise Failure("PoCL has no device of the table's kind")


def prove_emulated(args, work):
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        raise Absent("no qemu-x86_64")
    table, faults, seen = rows(), [], set()
    for cpu in PROCESSORS:
        processor = processor_of(args, work, [qemu, "-cpu", cpu])
        names = opened(args, work, [qemu, "-strace", "-cpu", cpu],
                       rf'openat\([^\n]*/({PREFIX}[^"]*\.bc)",.* = \d')
        right = f"{PREFIX}{table.get(processor)}.bc"
        print(f"{cpu}: {processor}: {', '.join(sorted(names))}")
        seen.add(processor)
        if names != {right}:
            faults.append(f"{processor}: opened {sorted(names)}, not {right}")
    for processor in sorted(set(table) - seen):
        print(f"not met: {processor}")
    return faults


def prove(args, work):
    try:
        faults = (prove_emulated if args.emulate else prove_here)(args, work)
    except Absent as absent:
        print(f"kernel_libraries.py: {absent}")
        return 77
    print("\n".join(["not proved:", *faults]) if faults else "proved")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("tool", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--emulate", action="store_true")
    args = parser.parse_args()
    args.tool = os.path.abspath(args.tool)
    args.compiler = os.path.abspath(args.compiler)
    run_trial(prove, args)


if __name__ == "__main__":
    main()
