#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each part of this project costs a warm start of a process: time on
processors (perf) and system calls (strace), as a table.

    bench/start_table.py --starts 20

Two processes are started: "layer", a small OpenCL program under OPENCL_LAYERS,
and "library", a program with a persistent cache; both find all in their stores.
A sample or a call belongs to the innermost function on the stack that is this
project's, a driver's or a loader's, whichever comes first: what a driver does
for us is the driver's. A function's part is told by the source file that the
build compiled it from. Stacks that the tools cannot follow count as driver and
others, and a frame without a name counts as its caller's. Options:

    --build DIR      where the project was built, not stripped (build)
    --starts N       of each, for perf (20)
    --platform TEXT  of the small programs (Portable)
    --process NAME   layer or library alone
    --json FILE      writes the table

perf and strace (with -k) must be there; root, or a low perf_event_paranoid.
Exit status: 0 measured, 1 not, 2 wrong usage.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from recorded import Failure, run_main  # noqa: E402

# The first that matches a source's path. What calls the system for all others
# is nobody's: who called it counts.
SYSTEM = "system"
PARTS = (
    (SYSTEM, r"src/platform/|stores/files/"),
    ("identity", r"src/gpu/device/|src/blob/id|src/includes/|"
                 r"src/gpu/program/describe/|src/common/(content_digest|hash)|"
                 r"layer/programs/(identity|engines)|stores/digests/"),
    ("settings", r"layer/settings/|tools/common/state/|src/common/settings"),
    ("record", r"stores/journal/record|layer/programs/records"),
    ("journal", r"stores/journal/|stores/core/journal|layer/programs/notes"),
    ("store", r"stores/|layer/storage/"),
    ("layer", r"layer/"),
    ("library", r"src/"),
)
OURS = re.compile(r"libdnnl_cache|/bin/(framework|persistent_cache)$")
# Frames of these are nobody's: who called them counts.
NOBODY = re.compile(r"/libc\.so|/libc-|/ld-linux|/libpthread|\[kernel|\[vdso|"
                    r"libsodium|libxxhash|libzstd|libsqlite|unknown|inlined")
ALL = [name for name, _ in PARTS if name != SYSTEM] + ["driver and others"]


def run(command, **more):
    done = subprocess.run(command, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command[:4]))} ...: "
                      f"{done.stderr.strip()[-300:]}")
    return done.stdout


def parts_of_functions(build):
    """By name, of the object files of the build."""
    parts = {}
    objects = [path for path in build.rglob("*.c.o")
               if "/tests/" not in str(path)]
    listing = run(["nm", "--defined-only", "-A", *map(str, objects)])
    for line in listing.splitlines():
        match = re.match(r"(.*\.dir)/(.*)\.o:\S+ [tT] (\S+)", line)
        if not match:
            continue
        folder = match[1].split("/CMakeFiles/")[0].removeprefix(f"{build}/")
        source = os.path.normpath(f"{folder}/{match[2]}")
        for name, pattern in PARTS:
            if re.match(pattern, source):
                parts.setdefault(re.sub(r"\..*", "", match[3]), name)
                break
    return parts


def part_of(frames, parts):
    """frames: (function, object), the innermost first."""
    if_none = ALL[-1]
    for function, file in frames:
        if NOBODY.search(file):
            continue
        if not OURS.search(file):
            return if_none
        name = re.sub(r"[.@+].*", "", function)
        part = parts.get(name, "library" if "libdnnl_cache" in file
                         else ALL[-1])
        if part != SYSTEM:
            return part
        if_none = "library"
    return if_none


def count_time(command, env, starts, parts, folder):
    """Microseconds of processors, a start."""
    data = folder / "perf.data"
    loop = f"for i in $(seq {starts}); do \"$@\" >/dev/null || exit 1; done"
    # Not into a cache of its own, by links to drivers' files: these would look
    # changed to all who use them.
    run(["perf", "record", "-q", "-N", "-F", "10000", "--call-graph",
         "dwarf,16384", "-o", data, "bash", "-c", loop, "bash", *command], env=env)
    text = run(["perf", "script", "--no-inline", "-i", data, "-F",
                "comm,period,ip,sym,dso"])
    times = collections.Counter()
    process = os.path.basename(command[0])[:15]  # as the kernel names it
    for sample in text.split("\n\n"):
        lines = sample.strip().splitlines()
        if not lines or lines[0].split()[0] != process:
            continue
        frames = re.findall(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", sample, re.M)
        times[part_of(frames, parts)] += int(lines[0].split()[-1])
    return {name: times[name] / starts / 1000 for name in ALL}


def count_calls(command, env, parts, folder):
    """System calls of one start, without waits for other threads."""
    trace = folder / "trace"
    run(["strace", "-f", "-k", "-e", "trace=!futex", "-o", trace, *command],
        env=env)
    calls = collections.Counter()
    frames = None
    for line in [*trace.read_text(errors="replace").splitlines(), "0 end("]:
        frame = re.match(r" > (\S*?)\((.*?)\)? \[0x", line)
        if frame:
            frames.append((frame[2] or "unknown", frame[1]))
        elif re.match(r"\d+ +\w+\(", line):
            if frames is not None:
                calls[part_of(frames, parts)] += 1
            frames = []
    return {name: calls[name] for name in ALL}


def measure(name, command, env, parts, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        home = folder / "home"
        home.mkdir()
        env = {**os.environ, "HOME": str(home), "POCL_KERNEL_CACHE": "0",
               "XDG_CACHE_HOME": f"{home}/.cache", "POCL_CACHE_DIR":
               f"{folder}/pocl", **{key: value.format(folder=folder)
                                    for key, value in env.items()}}
        command = [word.format(folder=folder) for word in command]
        for _ in range(3):
            run(command, env=env)
        return {"process": name, "starts": options.starts, "us":
                count_time(command, env, options.starts, parts, folder),
                "calls": count_calls(command, env, parts, folder)}


def print_table(results):
    print("| part | " + " | ".join(
        f"{r['process']}, us | calls" for r in results) + " |")
    print("| --- |" + " ---: | ---: |" * len(results))
    for name in ALL:
        print(f"| {name} | " + " | ".join(
            f"{r['us'][name]:.0f} | {r['calls'][name]}" for r in results)
              + " |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        usage="start_table.py [OPTION ...]", add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--platform", default="Portable")
    parser.add_argument("--process", choices=("layer", "library"))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    if options.starts < 1:
        parser.error("--starts must be at least 1")
    build = options.build.resolve()
    parts = parts_of_functions(build)
    program = [str(build / "bin/framework"), "--programs", "1", "--platform",
               options.platform, "--mode", "plain"]
    processes = {
        "layer": (program, {
            "OPENCL_LAYERS": str(build / "lib/libdnnl_cache_layer.so"),
            "DNNL_CACHE_DIR": "{folder}/store"}),
        "library": ([str(build / "bin/persistent_cache"), "--store",
                     "{folder}/store", "--platform", options.platform], {})}
    results = [measure(name, command, env, parts, options)
               for name, (command, env) in processes.items()
               if options.process in (None, name)]
    print_table(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    run_main(main)
