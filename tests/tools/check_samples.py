#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A document shows what dnnl-cache prints.

usage: check_samples.py DOCUMENT TOOL APPLICATION

Fills a store with APPLICATION (the reference application persistent_cache) on
the platform whose name contains DNNL_CACHE_TEST_PLATFORM, or PoCL: twice, the
second time with the build option of the document's sample. Then runs each
command that the document shows as "    $ dnnl-cache ..." and compares what it
prints, except sizes, times, names of entries, driver and device, and the width
of columns.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

STORE = ".cache/my_app"
PROMPT = "    $ dnnl-cache "
# What is another one in each run, in the order in which it is looked for.
VARIABLE = (
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b"), "<when>"),
    (re.compile(r"\b[\d.]+ (B|KiB|MiB)(?= |$)"), "<size>"),
    (re.compile(r"\b[\d.]+ (ns|us|ms|s)(?= |$)"), "<time>"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "<name>"),
)
# The last row of a table of devices: whose they are differs.
DEVICE = re.compile(r"^(\d+ <size> <time>) (?!engine$|primitive$|program$).+")


def samples(document):
    """(arguments, lines) of each command shown."""
    found = []
    shown = None
    for line in document.read_text(encoding="utf-8").splitlines():
        if line.startswith(PROMPT):
            shown = []
            found.append((line[len(PROMPT):].split(), shown))
        elif shown is not None and (line.startswith("    ") or not line):
            shown.append(line)
        else:
            shown = None
    return found


def essence(lines):
    """The lines without what differs from run to run."""
    result = []
    for line in lines:
        for pattern, name in VARIABLE:
            line = pattern.sub(name, line)
        line = " ".join(line.split())
        result.append(DEVICE.sub(r"\1 <driver and device>", line))
    while result and not result[-1]:
        result.pop()
    return result


def run(*command):
    """Standard output; exit status 1 means that something was found."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode > 1:
        sys.exit(f"{' '.join(map(str, command))}: exit status"
                 f" {done.returncode}")
    return done.stdout


def programs(tool):
    """The names of all programs in the store."""
    entries = json.loads(run(tool, "--store", STORE, "--json", "list"))
    return [entry["name"] for entry in entries["entries"]
            if entry["kind"] == "program"]


def outputs(tool, arguments):
    """What the command may print. The document names an entry that is not in
    this store: any program in the store may take its place."""
    if arguments[2] != "why":
        return [run(tool, *arguments)]
    return [run(tool, *arguments[:3], name) for name in programs(tool)]


def compare(document, tool, application):
    """In an empty folder, the current one."""
    pathlib.Path("pocl").mkdir()
    os.environ.update(POCL_KERNEL_CACHE="0",
                      POCL_CACHE_DIR=str(pathlib.Path("pocl").resolve()))
    os.environ.pop("DNNL_CACHE_STORE", None)
    platform = os.environ.get("DNNL_CACHE_TEST_PLATFORM", "Portable Computing")
    for option in ([], ["--build-option", "-DX=1"]):
        run(application, "--store", STORE, "--platform", platform, *option)

    shown = samples(document)
    broken = len(shown) < 2
    for arguments, lines in shown:
        if arguments[:2] != ["--store", STORE]:
            sys.exit(f"{document.name}: no --store {STORE}: {' '.join(arguments)}")
        wanted = essence(lines)
        printed = [essence(text.splitlines())
                   for text in outputs(tool, arguments)]
        if wanted in printed:
            continue
        broken = True
        print(f"{document.name} shows of {' '.join(arguments)}:", *wanted,
              "but that prints:", *printed[0], sep="\n    ")
    print(f"{document.name}: {len(shown)} samples of dnnl-cache")
    return 1 if broken else 0


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    paths = [pathlib.Path(argument).resolve() for argument in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as work:
        before = os.getcwd()
        os.chdir(work)
        try:
            return compare(*paths)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    sys.exit(main())
