#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the product's C sources with another compiler, for a system that is
not this one, and links nothing: what its headers and types do not allow shows.

    scripts/compile_for.py --build DIR --compiler CC [--option=OPTION ...]
                           [--other-processor] [--headers DIR]
                           [--replace FILE=OTHER ...]

    --build DIR       a finished build of gcc's, for its compile_commands.json
    --compiler CC     the compiler (musl-gcc)
    --option=OPTION   one more option of it; -std=... replaces C11
    --other-processor leaves out options for processors of this kind
    --headers DIR     where to put links to the headers of libraries here, for
                      a compiler that must not see the rest of /usr/include
    --replace A=B     compiles B instead of A, as its configuration would choose

Warnings are errors, but for those that need the optimiser. With ccache objects
are made, and thrown away: what has compiled before, in this run's words, is not
compiled again. Prints "N files, M failed" last; a line of each failure before.
Exit status: 0 all compile, 1 some do not, 2 wrong usage.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("src/", "stores/", "layer/", "tools/", "model/")
# Of libraries and of Linux; those of the C library are the compiler's own.
HEADERS = ("CL", "asm", "asm-generic", "curl", "hiredis", "jconfig.h",
           "jerror.h", "jmorecfg.h", "jpeglib.h", "linux", "png.h",
           "pngconf.h", "pnglibconf.h", "protobuf-c", "sodium", "sodium.h",
           "sqlite3.h", "utarray.h", "uthash.h", "utlist.h",
           "xxh_x86dispatch.h", "xxhash.h", "zstd.h", "zstd_errors.h")


def link_headers(folder):
    """Links to those headers, in an empty folder or one of an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [pathlib.Path("/usr/include"),
              *pathlib.Path("/usr/include").glob("*-linux-gnu")]
    for name in HEADERS:
        for place in places:
            link = folder / name
            if (place / name).exists() and not link.exists():
                link.symlink_to(place / name)


def options_of(entry):
    """The options of a command of gcc's, without its output."""
    words = iter(shlex.split(entry["command"]))
    for word in words:
        if word.endswith(("gcc", "/cc")) or word == "cc":
            break
    for word in words:
        if word in ("-o", "-MF", "-MT"):
            next(words)
        elif not word.endswith(".c") and word not in ("-c", "-MD"):
            yield word


def product(build, replaced, without):
    """(source, directory, options) of each C source of the product, once."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = os.path.relpath(entry["file"], ROOT)
        if source in seen or not source.endswith(".c") \
                or not source.startswith(FOLDERS):
            continue
        seen.add(source)
        yield (replaced.get(source, source), entry["directory"],
               [o for o in options_of(entry) if not o.startswith(without)])


def compiled(compiler, scratch, job):
    """scratch: a folder for objects; None: nothing is made, which is less work,
    and which ccache does not know."""
    source, folder, options = job
    output = ["-fsyntax-only"]
    if scratch:
        output = ["-c", "-o", f"{scratch}/{source.replace('/', '.')}.o"]
    done = subprocess.run(
        [*compiler, *options, "-Werror", "-O0", *output, str(ROOT / source)],
        cwd=folder, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "error" in line]
    return source, done.returncode, lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--other-processor", action="store_true")
    parser.add_argument("--headers", type=pathlib.Path)
    parser.add_argument("--replace", action="append", default=[])
    args = parser.parse_args()
    compiler = [args.compiler, *args.option]
    standard = any(option.startswith("-std=") for option in args.option)
    if args.headers:
        link_headers(args.headers)
        compiler += ["-idirafter", str(args.headers)]
    without = ("-m",) * args.other_processor + ("-std=",) * standard
    replaced = dict(r.split("=") for r in args.replace)
    jobs = list(product(args.build, replaced, without))
    if not jobs:
        sys.exit(f"{args.build}: no sources of the product")
    lost = set(replaced.values()) - {source for source, _, _ in jobs}
    if lost:
        sys.exit(f"{args.build}: nothing was replaced by {', '.join(lost)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        scratch = None
        if shutil.which("ccache"):
            compiler.insert(0, "ccache")
            scratch = folder
        for source, status, lines in pool.map(
                lambda job: compiled(compiler, scratch, job), jobs):
            if status != 0:
                failed += 1
                print(f"{source}: {lines[0] if lines else f'status {status}'}")
    print(f"{len(jobs)} files, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
