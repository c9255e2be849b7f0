#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: driver_reads.py --tool DNNL_CACHE --compiler COMPILE_CORPUS
       --shim TRACE_GETENV [--platform NAME] [--some] [--write DOCUMENT]

Holds the identity of a driver against what the driver does. The programs of
tests/identity are compiled with lines of options, with nothing cached, while
strace notes the files that are opened and looked for, also by programs that
the driver starts, and TRACE_GETENV (a library for LD_PRELOAD) the environment
variables that are asked for. Each file must be a part that `dnnl-cache identity
--json` tells of or match a line of driver_reads.toml, which has the reason.
Each name that a started program looks for in vain must be one that the identity
looks for, too. Each variable, and each text in the driver's own objects that
looks like one, must be in src/gpu/device/environment.c or in
driver_reads.toml. --some: one program, few lines of options. --write: the table of
tests/identity/README.md for this driver.
Exit status: 0 all is known, 1 not, 2 it could not be tried."""
import argparse
import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True
from driver_trial import (  # noqa: E402
    compiled, device_of, run_trial, without_caches)
from recorded import ROOT, Failure  # noqa: E402

CORPUS = sorted((ROOT / "tests/identity").glob("*.cl"))
SOME = ["", "-g -cl-std=CL1.2", "-cl-fast-relaxed-math -DWITH_FILE -I."]
ALL = SOME + ["-cl-opt-disable", "-cl-std=CL2.0 -w", "-cl-std=CL3.0",
              "-cl-kernel-arg-info -cl-mad-enable -DX=1",
              "-g -cl-opt-disable -DWITH_FILE -I folder -I .",
              "-cl-denorms-are-zero -cl-unsafe-math-optimizations -Werror",
              "-cl-single-precision-constant -cl-finite-math-only -O1"]
# What makes a variable's name in the texts of a driver's objects.
NAMES = {"Portable Computing Language": r"^POCL_[A-Z0-9_]+$",
         "rusticl": r"^(RUSTICL|MESA|GALLIUM|GALLIVM|LP|NIR|CLC|DRAW|LIBGL)"
                    r"_[A-Z0-9_]+$",
         "Oclgrind": r"^OCLGRIND_[A-Z0-9_]+$",
         "Intel(R) OpenCL": r"^(CL_CONFIG|OCL|OPENCL|VOLCANO|SYCL_CPU)"
                            r"_[A-Z0-9_]+$"}
BEGIN = "<!-- scripts/driver_reads.py: {} -->"
END = "<!-- end -->"


def compile_all(args, work, before, **variables):
    """Compiles every program with every line of options, and runs some; or
    some. On Oclgrind none is run."""
    programs, lines = CORPUS, SOME if args.some else ALL
    if args.some or args.platform == "Oclgrind":
        programs = [p for p in CORPUS if p.name == "reads_all.cl"]
    if args.platform == "Oclgrind":
        lines = [f"{line} -DNO_LAUNCH" for line in lines]
    done = compiled([*before, args.compiler, args.platform, *programs], lines,
                    without_caches(work) | variables, cwd=work)
    return len(re.findall(r"\|0\|\d+\|", done.stdout))


# ---- Files -------------------------------------------------------------------

CALL = re.compile(r'^(\w+)\((?:AT_FDCWD, )?"((?:[^"\\]|\\.)*)"(.*) = (-?\d+)')
OPENS = {"open", "openat", "execve"}
LOOKS = OPENS | {"access", "faccessat", "faccessat2", "stat", "lstat",
                 "newfstatat"}


def traced(folder):
    """(process started by the driver, call, path, rest, result) of all calls;
    each thread has a file of its own."""
    for path in sorted(folder.glob("trace.*"),
                       key=lambda p: int(p.suffix[1:])):
        text = path.read_text(encoding="utf-8", errors="replace")
        is_started = False
        for number, line in enumerate(text.splitlines()):
            found = CALL.match(line)
            if found is None:
                continue
            call, name, rest, result = found.groups()
            if call == "execve" and int(result) == 0:
                is_started = number > 0
            yield is_started, call, name, rest, int(result)


def place(path):
    """Without links in its folder; a link itself remains."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def is_below(path, folders):
    return any(path == f or path.startswith(f + "/") for f in folders)


def files_of(args, work):
    """Files that were opened, and those that a started program, or the driver,
    looked for in vain."""
    compile_all(args, work, ["strace", "-ff", "-qq", "-s", "4096", "-o",
                             str(work / "trace"), "-e", "trace=%file"])
    own = [str(work), str(CORPUS[0].parent), os.path.realpath(args.compiler)]
    opened, missing = set(), set()
    for is_started, call, name, rest, result in traced(work):
        path = os.path.normpath(name) if name.startswith("/") else \
            os.path.join(str(work), name)
        if call in OPENS and result >= 0 and "O_DIRECTORY" not in rest:
            path = os.path.realpath(name if name.startswith("/") else path)
            if not is_below(path, own) and not os.path.isdir(path):
                opened.add(path)
        elif call in LOOKS and result < 0 and name.startswith("/") \
                and not is_below(place(name), own):
            missing.add((is_started, place(name)))
    return opened, missing


def reasons(kind):
    with open(ROOT / "scripts/driver_reads.toml", "rb") as file:
        return tomllib.load(file)[kind]


def reason_of(name, table):
    for row in table:
        if any(fnmatch.fnmatchcase(name, p) for p in row["names"]):
            return row["reason"]
    return None


class Identified:
    """What an identity says of files."""

    def __init__(self, device):
        self.parts = collections.defaultdict(list)
        for part in device["driver_parts"]:
            if part["path"] is not None:
                self.parts[os.path.realpath(part["path"])].append(part)
        looked = device["driver_looks_for"]
        self.missing = {place(p) for p in looked if not p.endswith("/*")}
        self.listed = {os.path.realpath(p[:-2]) for p in looked
                       if p.endswith("/*")}

    def looks_for(self, path):
        """Would the identity change if the file were there, or what is looked
        for below the folder?"""
        if any(m.startswith(path + "/") for m in self.missing):
            return True
        while path != "/":
            if path in self.missing or os.path.dirname(path) in self.listed:
                return True
            path = os.path.dirname(path)
        return False


def check_files(args, work, device, table):
    identified = Identified(device)
    opened, missing = files_of(args, work)
    rows, unknown = [], []
    for path in sorted(opened):
        parts = identified.parts.get(path)
        reason = reason_of(path, table)
        if parts and all(part["how"] == "name" for part in parts):
            unknown.append(f"opened, and only its name is in the ID: {path}")
        elif parts:
            rows.append((path, parts))
        elif reason is not None:
            rows.append((path, reason))
        else:
            unknown.append(f"opened, in no ID and without a reason: {path}")
    loaded = {os.path.basename(p) for p in identified.parts} | {
        part["name"] for parts in identified.parts.values() for part in parts}
    for is_started, path in sorted(missing):
        # Of what the process itself loads, what was loaded counts.
        if not is_started and (".so" in os.path.basename(path) or
                               os.path.basename(path) in loaded):
            continue
        if not identified.looks_for(path) and reason_of(path, table) is None:
            unknown.append("looked for in vain, and not by the identity: "
                           + path)
    return rows, unknown


# ---- Variables ---------------------------------------------------------------

def known_variables():
    text = (ROOT / "src/gpu/device/environment.c").read_text(encoding="utf-8")
    lists = {name: re.findall(r'"(\w+)"', re.search(
        rf"\b{name}\[\] = \{{(.*?)\}};", text, re.DOTALL).group(1))
        for name in ("environment", "places", "tools", "families")}
    return ({*lists["environment"], *lists["places"], *lists["tools"]},
            tuple(lists["families"]))


def check_variables(args, work, device, table):
    log = work / "variables"
    log.touch()
    compile_all(args, work, [], LD_PRELOAD=os.path.abspath(args.shim),
                TRACE_GETENV=str(log))
    asked = set(log.read_text(encoding="utf-8").split())
    if not asked:
        raise Failure("no getenv() was traced")
    pattern = re.compile(NAMES[args.platform])
    texts = set()
    objects = [p["path"] for p in device["driver_parts"]
               if p["path"] and is_own(p["name"], args.platform)]
    if not objects:
        raise Failure("the driver's own objects are not among its parts")
    for path in objects:
        out = subprocess.run(["strings", "-n", "4", path], text=True,
                             capture_output=True, check=True).stdout
        texts |= {t for t in out.splitlines() if pattern.match(t)}
    known, families = known_variables()
    unknown = [
        f"{'asked for' if name in asked else 'in the driver'}, in no list "
        f"and without a reason: {name}" for name in sorted(asked | texts)
        if name not in known and not name.startswith(families)
        and reason_of(name, table) is None]
    return len(asked), len(texts), unknown


def is_own(name, platform):
    return name.startswith({"Portable Computing Language": "libpocl",
                            "rusticl": "libRusticlOpenCL",
                            "Oclgrind": "liboclgrind",
                            "Intel(R) OpenCL": "libintelocl"}[platform])


# ---- The table ---------------------------------------------------------------

def told(path, what):
    """How a file is identified, in words."""
    if isinstance(what, str):
        return f"not in the ID: {what}"
    if not any(part["counts"] for part in what):
        return f"name only: {what[0]['why_not']}"
    ways = {"content": "by its content", "build-id": "by its build-id"}
    part = next(part for part in what if part["counts"])
    return ways[part["how"]]


def shown(path, home):
    """The driver's own folder, where it is not a system's, has no name."""
    if is_below(path, ["/usr", "/lib", "/etc", "/proc", "/sys", "/dev"]):
        return re.sub(r"^/proc/\d+/", "/proc/self/", path)
    return "DRIVER" + path[len(home):] if is_below(path, [home]) \
        else os.path.basename(path)


def table_of(rows, home):
    """Files with the same answer are one row."""
    groups = collections.defaultdict(set)
    for path, what in rows:
        path = shown(path, home)
        folder = os.path.dirname(path)
        groups[(folder if isinstance(what, list) else "", told(path, what))
               ].add(path)
    lines = ["| folder | files | how identified |", "| --- | --- | --- |"]
    for (folder, how), paths in sorted(groups.items()):
        names = ", ".join(f"`{os.path.relpath(p, folder) if folder else p}`"
                          for p in sorted(paths))
        lines.append(f"| {f'`{folder}`' if folder else ''} | {names} | {how} |")
    return "\n".join(lines)


def write_table(document, device, rows):
    path = pathlib.Path(document)
    text = path.read_text(encoding="utf-8")
    begin = BEGIN.format(device["platform"])
    before, found, rest = text.partition(begin)
    if not found:
        raise Failure(f"{document} has no place for {device['platform']}")
    after = rest[rest.index(END):]
    home = os.path.dirname(next(
        part["path"] for part in device["driver_parts"]
        if is_own(part["name"], device["platform"])))
    path.write_text(f"{before}{begin}\n\n{table_of(rows, home)}\n\n{after}",
                    encoding="utf-8")


def check(args, work):
    (work / "folder").mkdir()
    (work / "included.h").write_text("#define INCLUDED 1\n", encoding="utf-8")
    device = device_of(args.tool, args.platform, without_caches(work))
    if not device["has_identity"]:
        raise Failure("the device has no identity")
    rows, unknown = check_files(args, work, device, reasons("files"))
    asked, texts, more = check_variables(args, work, device,
                                         reasons("variables"))
    unknown += more
    print(f"{len(rows) + len(unknown)} files and variables in question; "
          f"{len(rows)} files opened and known, {asked} variables asked for, "
          f"{texts} in texts")
    print("\n".join(unknown) if unknown else "each is in the ID, or has a "
          "reason")
    if args.write and not unknown:
        write_table(args.write, device, rows)
    return 1 if unknown else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("tool", "compiler", "shim"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--platform", default="Portable Computing Language",
                        choices=sorted(NAMES))
    parser.add_argument("--some", action="store_true")
    parser.add_argument("--write")
    args = parser.parse_args()
    run_trial(check, args)


if __name__ == "__main__":
    main()
