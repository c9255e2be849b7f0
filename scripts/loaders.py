#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the layer below OpenCL's loaders of several kinds, on a real driver.

usage: loaders.py [--build DIR] [--folder DIR] [--sources URL] [--intel DIR]
                  [--json FILE] [--must] [NAME ...]

  system            the loader that this system has
  khronos-TAG       Khronos' loader, built from its sources; see --list
  pyopencl, nvidia-cuda-opencl, intel-opencl-rt   those inside wheels of PyPI

Each loader has an application (loader_client) start four times on PoCL: cold and
warm with OPENCL_LAYERS, cold and warm by dnnl-cache-run. "works": the outputs are
the same, all programs were kept by the first start and found by the second; with
OPENCL_LAYERS the driver compiled nothing for it, as a layer below counts. "ignored": the loader
knows nothing of layers; the application works as without one, and dnnl-cache-run
says on standard error that nothing will be kept, and why. A loader that layers
work with is also unloaded and loaded again (test_layer_unload).

  --build DIR    a finished build (build)
  --folder DIR   where loaders are built and unpacked, and stay (DIR/loaders)
  --sources URL  what OpenCL-ICD-Loader and OpenCL-Headers are cloned from
                 (https://github.com/KhronosGroup)
  --intel DIR    the folder of scripts/intel_runtime.sh (FOLDER/intel); 830 MB are
                 loaded if it is not there
  --json FILE    the results, for "scripts/results.py --measure loaders FILE"
  --must         a loader that cannot be had is a failure
  --list         the loaders

Without names: all. What cannot be had, as without a network, is skipped and named.
Exit status: 0 each works or is said not to, 1 one does neither, 2 wrong usage.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
from driver_trial import device_of, without_caches  # noqa: E402
from measuring import package_version, run  # noqa: E402
from recorded import ROOT, Failure, commit  # noqa: E402

# (commit of the loader, of the headers). v2020.06.16 is the last one without
# layers; v2020.12.18 reads OCL_ICD_LAYERS instead of OPENCL_LAYERS; v2025.07.22 is
# the last one that does not look for clInitLayerWithProperties.
KHRONOS = {
    "v2020.06.16": ("bbdf079426d859fb8a68c332b41b714f9c87d6ad",
                    "b04034a17e214322772c19e7ccd2adf0cd306920"),
    "v2020.12.18": ("1d5315c3ed30d026acb79a1aa53a276fc833ffa7",
                    "c57ba81c460ee97b6b9d0b8d18faf5ba6883114b"),
    "v2023.02.06": ("2cde5d09953a041786d1cfdcb1c08704a82cb904",
                    "4c82e9cfaaad18c340f48af3cf5d09ff33e8c1b7"),
    "v2023.12.14": ("229410f86a8c8c9e0f86f195409e5481a2bae067",
                    "2368105c0531069fe927989505de7d125ec58c55"),
    "v2025.07.22": ("ad770a1b64c6b8d5f2ed4e153f22e4f45939f27f",
                    "8a97ebc88daa3495d6f57ec10bb515224400186f"),
    "v2026.05.29": ("b7bd2803acc779c03d96588e9ca9e9568a18698a",
                    "6fe718c31a45fe25151362a72ef041c3a1047cbd"),
}
# Of any Python: the loader alone is taken out.
WHEELS = {
    "pyopencl": (
        "pyopencl==2026.1.4", "31bed2c185b395ace1315afaf14bb60e4ce740ef8e6a74033de64d8984decd87"),
    "nvidia-cuda-opencl": (
        "nvidia-cuda-opencl==13.5.25", "5a0931586885e03b02b7b80e22bb80440f161d1f16e0d97f0094229c8cae696d"),
}
INTEL = "intel-opencl-rt"
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
PROGRAMS = 3  # of loader_client
CLONED = "https://github.com/KhronosGroup"


# PYOPENCL_HOME: the loader in pyopencl's wheels dies without it.


class Absent(Exception):
    """A loader that cannot be had here; its text says why."""


def last_line(text):
    return (text.strip().splitlines() or ["nothing said"])[-1]


def had(command, **more):
    """Runs what needs the network or a compiler."""
    try:
        return run(command, **more)
    except (Failure, OSError) as failure:
        raise Absent(last_line(str(failure))) from failure


# ---- Loaders -----------------------------------------------------------------

def cloned(sources, name, tag, expected, folder):
    if folder.exists():
        shutil.rmtree(folder)
    had(["git", "-c", "advice.detachedHead=false", "clone", "--quiet",
         "--depth", "1", "--branch", tag, f"{sources}/{name}", folder],
        environment=dict(os.environ, GIT_TERMINAL_PROMPT="0"))
    found = had(["git", "-C", folder, "rev-parse", "HEAD"]).strip()
    if found != expected:
        raise Failure(f"{name} {tag} is {found}, not {expected}")


def put(path, content):
    """Whole, or not at all: a file that is there is not made again."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)


def khronos(options, tag):
    """Its folder, in which it is libOpenCL.so.1."""
    folder = options.folder / f"khronos-{tag}"
    built = folder / "built/libOpenCL.so.1"
    if not built.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, expected in zip(("OpenCL-ICD-Loader", "OpenCL-Headers"),
                                  KHRONOS[tag]):
            cloned(options.sources, name, tag, expected, folder / name)
        run(["cmake", "-S", folder / "OpenCL-ICD-Loader", "-B", folder / "build",
             "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
             "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
             f"-DOPENCL_ICD_LOADER_HEADERS_DIR={folder / 'OpenCL-Headers'}"])
        run(["cmake", "--build", folder / "build", "--target", "OpenCL"])
        made = sorted((folder / "build").glob("**/libOpenCL.so.1"))
        if not made:
            raise Failure(f"{folder / 'build'} has no libOpenCL.so.1")
        built.parent.mkdir()
        put(built, made[0].read_bytes())
    return built.parent, tag


def loader_in(path):
    try:
        with zipfile.ZipFile(path) as file:
            names = [each for each in file.namelist()
                     if re.search(r"/libOpenCL[^/]*\.so[.\d]*$", each)]
            if len(names) != 1:
                raise Failure(f"{path.name} has {len(names)} loaders")
            return file.read(names[0])
    except zipfile.BadZipFile as error:
        raise Failure(f"{path.name}: {error}") from error


def try_pip(command):
    """Another file than the one that is pinned is no want of a network."""
    try:
        had(command)
    except Absent as absent:
        if "HASHES" in str(absent.__cause__):
            raise Failure(str(absent)) from absent
        raise


def wheel(options, name):
    requirement, digest = WHEELS[name]
    folder = options.folder / requirement.replace("==", "-")
    loader = folder / "libOpenCL.so.1"
    if platform.machine() != "x86_64":
        raise Absent(f"{requirement} is for x86_64")
    if not loader.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as work:
            wanted = pathlib.Path(work) / "wanted.txt"
            wanted.write_text(f"{requirement} --hash=sha256:{digest}\n",
                              encoding="utf-8")
            try_pip([sys.executable, "-m", "pip", "download", "--quiet",
                     "--no-deps", "--disable-pip-version-check",
                     "--only-binary", ":all:", "--python-version", "3.11",
                     "--platform", "manylinux_2_28_x86_64",
                     "--platform", "manylinux1_x86_64", "--require-hashes",
                     "--requirement", wanted, "--dest", work])
            put(loader, loader_in(next(pathlib.Path(work).glob("*.whl"))))
    return folder, requirement.split("==")[1]


def intel(options):
    folder = options.intel or options.folder / "intel"
    had([ROOT / "scripts/intel_runtime.sh", folder])
    pinned = (ROOT / "scripts/intel_runtime.txt").read_text(encoding="utf-8")
    return folder / "loader", re.search(rf"^{INTEL}==(\S+)", pinned,
                                        re.MULTILINE).group(1)


def loader_of(options, name):
    """(folder or None for the system's, version)"""
    if name == "system":
        return None, package_version("ocl-icd-libopencl1") or "unknown"
    if name.startswith("khronos-"):
        return khronos(options, name.removeprefix("khronos-"))
    return intel(options) if name == INTEL else wheel(options, name)


# ---- Trials ------------------------------------------------------------------

class Trial:
    """One loader in one way, with a store of its own."""

    def __init__(self, options, loader, work, way):
        self.options, self.way, self.work = options, way, work
        library = options.build / "lib"
        # Named first, so next to the driver.
        counter = str(library / "libbuild_counter_layer.so")
        layer = str(library / "libdnnl_cache_layer.so")
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("DNNL_", "OPENCL_", "POCL_"))}
        self.environment.update(
            HOME=str(work), OCL_ICD_VENDORS=options.vendors, XDG_CACHE_HOME=str(work / "cache"),
            POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=str(work / "pocl"),
            PYOPENCL_HOME="", LC_ALL="C", DNNL_CACHE_DIR=str(work / way))
        if loader is not None:
            self.environment["LD_LIBRARY_PATH"] = str(loader)
        self.command = [str(options.build / "bin/loader_client")]
        if way == "variable":
            self.environment.update(
                OPENCL_LAYERS=f"{counter}:{layer}",
                DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT="unlimited")
        else:
            self.command = [str(options.build / "bin/dnnl-cache-run"),
                            "--layer", layer, "--wait", "--", *self.command]

    def start(self, name):
        """(what was printed, the layer's statistics or None, builds from source
        or None, standard error)"""
        stats = self.work / f"{self.way}.{name}.stats"
        counts = self.work / f"{self.way}.{name}.counts"
        done = subprocess.run(
            self.command, text=True, capture_output=True, check=False,
            timeout=300, stdin=subprocess.DEVNULL,
            env=dict(self.environment, DNNL_CACHE_STATS=str(stats),
                     BUILD_COUNTER_FILE=str(counts)))
        if done.returncode != 0:
            raise Failure(f"{name}: exit status {done.returncode}: "
                          f"{last_line(done.stderr)}")
        return (done.stdout, read_first(stats), built_from_source(counts),
                done.stderr)

    def result(self):
        """"works" or "ignored"; Failure."""
        cold = self.start("cold")
        warm = self.start("warm")
        if cold[0] != warm[0] or len(cold[0].split()) != PROGRAMS:
            raise Failure("the outputs differ")
        if cold[1] is None and warm[1] is None:
            return self.ignored(cold[3])
        self.expect(cold, PROGRAMS, hits=0, misses=PROGRAMS)
        self.expect(warm, 0, hits=PROGRAMS, misses=0)
        return "works"

    def expect(self, start, built, **expected):
        _, stats, counted, said = start
        for name, number in expected.items():
            if stats is None or stats[name] != number:
                raise Failure(f"{name}: {stats and stats[name]}, not {number}")
        # dnnl-cache-run puts no layer below its own.
        if self.way == "variable" and counted != built:
            raise Failure(f"the driver built {counted} programs, not {built}")
        if "warning" in said:
            raise Failure(f"warns although it works: {last_line(said)}")

    def ignored(self, said):
        if self.way == "run" and "will be kept: the loader" not in said:
            raise Failure("the layer is ignored, and dnnl-cache-run says nothing")
        return "ignored"


def read_first(path):
    """The first line of JSON; None: there is no such file."""
    if not path.exists():
        return None
    return json.loads(path.read_text(encoding="utf-8").splitlines()[0])


def built_from_source(path):
    counts = read_first(path)
    return None if counts is None else counts["source_builds"]


def is_reloaded(options, loader):
    """Whether the loader can be unloaded, with the layer, and loaded again."""
    environment = dict(
        os.environ, PYOPENCL_HOME="",
        OCL_ICD_VENDORS=str(options.build / "tests/fake_opencl/vendors"))
    tests = "KeepsWhatWasCompiledBefore:LayerUnload.ServesALoaderThatIsLoadedAgain"
    if loader is not None:
        environment["DNNL_CACHE_TEST_LOADER"] = str(loader)
        tests = "WorksWithTheLoaderThatIsNamed"
    said = run([options.build / "bin/test_layer_unload",
                f"--gtest_filter=LayerUnload.{tests}"], environment, timeout=300)
    if "[  PASSED  ]" not in said or "SKIPPED" in said:
        raise Failure(f"test_layer_unload: {last_line(said)}")
    return "works"


def entry_of(options, loader, work):
    """By which function dnnl-cache-run finds that the layer is taken in."""
    environment = without_caches(work, PYOPENCL_HOME="",
                                 OCL_ICD_VENDORS=options.vendors)
    if loader is not None:
        environment["LD_LIBRARY_PATH"] = str(loader)
    done = subprocess.run(
        [options.build / "bin/dnnl-cache-run", "--layer",
         options.build / "lib/libdnnl_cache_layer.so", "--status",
         options.build / "bin/loader_client"],
        text=True, capture_output=True, check=False, env=environment)
    found = re.search(r"takes the layer in by (\w+)", done.stdout)
    return found.group(1) if found else None


def tried(options, name, commit_now):
    loader, version = loader_of(options, name)
    row = {"loader": name, "version": version, "commit": commit_now,
           "driver": options.driver}
    with tempfile.TemporaryDirectory() as work:
        for way in ("variable", "run"):
            row[way] = Trial(options, loader, pathlib.Path(work), way).result()
        row["entry"] = entry_of(options, loader, pathlib.Path(work))
    works = row["variable"] == "works"
    if (row["entry"] is not None) != works or row["run"] != row["variable"]:
        raise Failure(f"one way works, another does not: {row}")
    row["reloaded"] = is_reloaded(options, loader) if works else None
    return row


def only_pocl(options):
    """A folder that names PoCL alone; old loaders want the slash."""
    vendors = options.folder / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    (vendors / "pocl.icd").write_bytes(POCL.read_bytes())
    return f"{vendors}/"


def driver_of(options):
    """PoCL's version, as the tool says it."""
    with tempfile.TemporaryDirectory() as work:
        device = device_of(
            options.build / "bin/dnnl-cache", "Portable Computing Language",
            without_caches(pathlib.Path(work), OCL_ICD_VENDORS=options.vendors))
    return next(field["text"] for field in device["fields"]
                if field["name"] == "driver_version")


def names_of_all():
    return ["system", *(f"khronos-{tag}" for tag in KHRONOS), *WHEELS, INTEL]


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--sources", default=CLONED)
    parser.add_argument("--intel", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--must", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        if name not in names_of_all():
            parser.error(f"no loader {name}: {', '.join(names_of_all())}")
    options.build = options.build.resolve()
    options.folder = (options.folder or options.build / "loaders").resolve()
    return options


def main():
    options = parsed()
    if options.list:
        print("\n".join(names_of_all()))
        return 0
    options.vendors = only_pocl(options)
    options.driver = driver_of(options)
    rows, failed = [], False
    commit_now = commit()
    print(f"{'loader':20} {'version':12} {'OPENCL_LAYERS':14} "
          f"{'dnnl-cache-run':15} reloaded", flush=True)
    for name in options.names or names_of_all():
        try:
            row = tried(options, name, commit_now)
        except Absent as absent:
            failed |= options.must
            print(f"{name:20} skipped: {absent}", flush=True)
            continue
        except (Failure, OSError, KeyError, ValueError,
                subprocess.SubprocessError) as failure:
            failed = True
            print(f"{name:20} FAILED: {failure}", flush=True)
            continue
        rows.append(row)
        print(f"{name:20} {row['version']:12} {row['variable']:14} "
              f"{row['run']:15} {row['reloaded'] or '-'}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n",
                                encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        sys.exit(f"loaders.py: {error}")
