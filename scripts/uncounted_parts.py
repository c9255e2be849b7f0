#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: uncounted_parts.py --tool DNNL_CACHE --compiler COMPILE_CORPUS
       [--platform NAME] [--options all|some|none] [--counts PART]

The proof for parts of a driver whose build is not in IDs
(src/gpu/device/uncounted_parts.c). Each part that `dnnl-cache identity` says
does not count is replaced by a library of the same name, with the same symbols
and versions, whose functions end the process with a message. With these, the
programs of tests/identity are compiled with every line of options; each binary
must have the same bytes as with the real libraries, which are compiled twice,
to show that equal bytes can be expected. --options some: without any, and with
one of the lines, another one each time.

--counts PART does the same with a part that counts, to show that the proof can
fail, and that the parts are in use: the exit status is then 1.
Exit status: 0 proved, 1 not, 2 it could not be tried."""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from driver_trial import device_of, run_trial  # noqa: E402
from measuring import run  # noqa: E402
from recorded import ROOT, Failure  # noqa: E402

CORPUS = sorted((ROOT / "tests/identity").glob("corpus_*.cl"))
# What changes the passes that run, and what debug information asks for.
ALL = ["", "-g -cl-opt-disable", "-cl-fast-relaxed-math -cl-std=CL1.2",
       "-g -gz=zlib", "-cl-std=CL3.0 -w", "-cl-mad-enable -DX=1",
       "-g -cl-std=CL1.2", "-cl-denorms-are-zero -cl-unsafe-math-optimizations",
       "-cl-kernel-arg-info -Werror -I.", "-gz", "-gz=zlib",
       "-Wl,--compress-debug-sections=zlib"]


def environment_with(libraries, **variables):
    environment = dict(os.environ, LC_ALL="C", **variables)
    environment.pop("POCL_EXTRA_BUILD_FLAGS", None)
    if libraries is not None:
        environment["LD_LIBRARY_PATH"] = str(libraries)
    return environment


def identity(tool, platform, libraries=None):
    """The driver's parts by name, and the fields of the device's IDs."""
    device = device_of(tool, platform, environment_with(libraries))
    return {p["name"]: p for p in device["driver_parts"]}, device["fields"]


def find_library(name):
    """The file that the dynamic linker loads for a name."""
    for line in run(["/sbin/ldconfig", "-p"]).splitlines():
        words = line.split()
        if words and words[0] == name and "x86-64" in line:
            return words[-1]
    raise Failure(f"{name}: not found")


def symbols(path):
    """(name, version, is_function, size) of all that a library exports."""
    for line in run(["readelf", "--dyn-syms", "-W", path]).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit():
            continue
        size, kind, bind, index, name = (words[2], words[3], words[4],
                                         words[6], words[7])
        if index in ("UND", "ABS") or bind == "LOCAL":
            continue
        name, _, version = name.partition("@")
        yield (name, version.lstrip("@"), version.startswith("@") or
               not version, kind in ("FUNC", "IFUNC"), int(size, 0))


SOURCE_HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void end(const char *name)
{
    static const char text[] = "uncounted part was called: ";
    if (write(2, text, sizeof text - 1) < 0 || write(2, name, strlen(name)) < 0
            || write(2, "\\n", 1) < 0)
        abort();
    abort();
}
"""


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]",
                      run(["readelf", "-d", "-W", path]))


def make_stand_in(name, folder, parts):
    """A library whose functions end the process. Of what the real one links it
    links the parts that are replaced, too."""
    lines, versions = [SOURCE_HEAD], {}
    links = [n for n in needed(find_library(name)) if n in parts]
    for other in links:
        if not (folder / other).exists():
            make_stand_in(other, folder, parts)
    for number, (symbol, version, is_default, is_function, size) in enumerate(
            sorted(set(symbols(find_library(name))))):
        own = f"stand_in_{number}"
        if is_function:
            lines.append(f'void {own}(void) {{ end("{name} {symbol}"); }}')
        else:
            lines.append(f"char {own}[{max(size, 1)}];")
        if version:
            versions.setdefault(version, [])
            at = "@@" if is_default else "@"
            lines.append(f'__asm__(".symver {own},{symbol}{at}{version}");')
        else:
            lines.append(f'extern __typeof__({own}) alias_{number} '
                         f'__asm__("{symbol}") '
                         f'__attribute__((alias("{own}")));')
    source, script = folder / f"{name}.c", folder / f"{name}.map"
    source.write_text("\n".join(lines) + "\n")
    command = ["gcc", "-w", "-shared", "-fPIC", "-O1", "-fno-lto",
               "-o", folder / name, source, f"-Wl,-soname,{name}"]
    command += [f"-L{folder}", "-Wl,--no-as-needed",
                f"-Wl,-rpath-link,{folder}", *(f"-l:{n}" for n in links)]
    if versions:
        script.write_text("".join(f"{v} {{}};\n" for v in versions))
        command.append(f"-Wl,--version-script={script}")
    run(command)
    source.unlink()


def compile_all(options, compiler, platform, libraries, work):
    """What compile_corpus prints, with an empty cache of the driver's."""
    cache = work / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir()
    environment = environment_with(libraries, POCL_KERNEL_CACHE="0",
                                   POCL_CACHE_DIR=str(cache))
    done = subprocess.run([compiler, platform, *CORPUS], text=True,
                          input="\n".join(options) + "\n", env=environment,
                          capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def check(args, work):
    real, fields = identity(args.tool, args.platform)
    parts = [name for name, part in real.items() if not part["counts"]
             and part["how"] != "name"]  # scripts/kernel_libraries.py
    if args.counts:
        if args.counts not in real or args.counts in parts:
            raise Failure(f"{args.counts}: not a part that counts")
        parts = [args.counts]
    if not parts:
        raise Failure("every part of this driver counts")
    options = {"all": ALL, "some": ["", random.choice(ALL[1:])],
               "none": [""]}[args.options]
    print("options:", options)
    stand_ins = work / "lib"
    stand_ins.mkdir()
    for part in parts:
        make_stand_in(part, stand_ins, parts)
    if not args.counts:
        replaced, same = identity(args.tool, args.platform, stand_ins)
        for part in parts:
            if replaced[part]["digest"] == real[part]["digest"]:
                raise Failure(f"{part}: the stand-in was not loaded")
        if fields != same:
            print("not proved: the stand-ins change the identity")
            return 1
    common = args.compiler, args.platform
    code, first, err = compile_all(options, *common, None, work)
    if code != 0 or "|0|" not in first:
        raise Failure(f"compiling: {err[-2000:]}")
    code, second, _ = compile_all(options, *common, None, work)
    if first != second:
        raise Failure("two runs with the same driver differ")
    code, third, err = compile_all(options, *common, stand_ins, work)
    built = len(re.findall(r"\|0\|\d+\|", first))
    refused = len(first.splitlines()) - built
    print(f"{len(parts)} parts replaced: {', '.join(parts)}")
    print(f"{built} binaries compiled, {refused} refused by the driver")
    if code == 0 and first == third:
        print("equal bytes, and no function of a replaced part was called")
        return 0
    called = re.findall(r"uncounted part was called: (.*)", err)
    print("not proved:", *(called or [err[-500:]]), sep="\n    ")
    for a, b in zip(first.splitlines(), third.splitlines()):
        if a != b:
            print(f"    {a}\n    {b}")
    return 1


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--platform", default="Portable Computing Language")
    parser.add_argument("--options", choices=["all", "some", "none"], default="all")
    parser.add_argument("--counts")
    args = parser.parse_args()
    run_trial(check, args)


if __name__ == "__main__":
    main()
