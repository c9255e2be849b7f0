#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs oneDNN's own gtest files on this library and says what became of each case.

run.py --onednn CHECKOUT [OPTION ...] [PATTERN ...]

CHECKOUT is oneDNN 3.8's source tree. Its tests are compiled against this
library's headers, in a folder of their own, and run with a program around them
that writes each case's verdict (main.cpp). PATTERNs (as of the shell) choose
files by name, "test_pool*" say.

README.md tells more. Exit status: 0 no case failed, 1 one did, 2 wrong usage,
3 something needed is missing.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VERDICTS = ("passed", "wider", "refused", "skipped", "differs", "failed")
# The driver, and what it needs; nothing else of a developer's settings.
KEPT_VARIABLES = ("LANG", "PATH", "OCL_ICD_VENDORS", "RUSTICL_ENABLE",
                  "OCLGRIND_CHECK_API", "OCLGRIND_DATA_RACES")
# Left out, with the reason: what is tested is not on a GPU, or is not here.
LEFT_OUT = (
    ("test_gemm_*", "products without an engine"),
    ("test_isa_*", "instruction sets of a CPU engine"),
    ("test_convolution_format_any", "layouts that a CPU engine chooses"),
    ("test_global_scratchpad", "a CPU engine's memory"),
    ("test_iface_threadpool", "a CPU engine's threads"),
    ("test_iface_sparse", "sparse tensors"),
    ("test_ip_formats", "nightly; types that a CPU engine tells"),
    ("test_reorder_formats", "nightly; fields of oneDNN's own descriptors"),
    ("test_malloc", "replaces oneDNN's own allocations"),
    ("ocl_memory_usm", "USM"),
)
# Cases that assert what this library does otherwise on purpose.
OTHERWISE = (
    ("*engine_test_t.TestMultithreading*",
     "there is a `dnnl_cpu` engine, which holds memory"),
    ("InvalidArgs/ocl_engine_test_t.*/0",
     "OpenCL devices that are CPUs are taken"),
    ("Forward_Simple_NCHW_expected_failures*.TestConvolution/[01]",
     "convolutions without channels compute sums of nothing"),
    ("TestInnerProductForwardEF/*/0",
     "inner products without channels compute sums of nothing"),
    ("attr_test_t.TestZeroPointsDataTypes",
     "zero points of dst may be of s8 and u8"),
    # In one run of fifty: nothing depends on the context, so nothing keeps it.
    ("primitive_cache_test.TestCacheHit",
     "a primitive of nothing has no program: two contexts, the second at the "
     "first one's address, may share it"),
)


class Missing(Exception):
    """Something that has to be there is not."""


# ---- Building --------------------------------------------------------------

def sources(onednn):
    """{program: its files}: each file of tests/gtests, and those of api/ and of
    ocl/api/ together."""
    tests = onednn / "tests" / "gtests"
    if not (tests / "main.cpp").exists():
        raise Missing(f"{onednn} has no tests/gtests")
    found = {path.stem: [path] for path in sorted(tests.glob("test_*.cpp"))}
    found["api"] = sorted((tests / "api").glob("test_*.cpp"))
    found["ocl_api"] = [path for path in
                        sorted((tests / "ocl" / "api").glob("test_*.cpp"))
                        if path.stem != "test_memory_usm"]
    return {name: paths for name, paths in found.items()
            if not any(fnmatch.fnmatch(name, left) for left, _ in LEFT_OUT)}


class Builder:
    """Compiles and links in a folder; what is newer than its source is kept."""

    def __init__(self, options):
        self.onednn = options.onednn.resolve()
        self.folder = options.out / "build"
        self.library = options.build.resolve() / "lib"
        self.folder.mkdir(parents=True, exist_ok=True)
        ours = list(HERE.glob("shim/**/*.hpp"))
        ours += (ROOT / "include").glob("**/*.h*")
        self.newest = max(path.stat().st_mtime for path in ours)
        tests = self.onednn / "tests" / "gtests"
        gtest = self.onednn / "third_party" / "gtest"
        folders = (HERE / "shim", HERE / "shim" / "src",
                   ROOT / "include" / "compat", ROOT / "include", ROOT / "src",
                   self.onednn, tests, tests / "in", gtest.parent, gtest)
        cache = [shutil.which("ccache")] if shutil.which("ccache") else []
        self.compiler = cache + [
            options.compiler, "-std=c++14", "-O1", "-w", "-fopenmp",
            "-DCL_TARGET_OPENCL_VERSION=300", "-DDNNL_TEST_WITH_ENGINE_PARAM",
            *(f"-I{folder}" for folder in folders)]
        self.linker = [options.compiler, "-fopenmp"]

    def compile(self, path):
        name = path.relative_to(path.parents[2]).with_suffix(".o")
        out = self.folder / "-".join(name.parts)
        newest = max(self.newest, path.stat().st_mtime)
        if not out.exists() or out.stat().st_mtime < newest:
            subprocess.run([*self.compiler, "-c", path, "-o", out], check=True)
        return out

    def common(self):
        return [self.compile(path) for path in (
            HERE / "main.cpp", self.onednn / "tests" / "test_thread.cpp",
            self.onednn / "third_party" / "gtest" / "src" / "gtest-all.cc")]

    def program(self, name, paths, common):
        objects = [self.compile(path) for path in paths] + common
        out = self.folder / name
        if not out.exists() or any(o.stat().st_mtime > out.stat().st_mtime
                                   for o in objects):
            subprocess.run([*self.linker, *objects, f"-L{self.library}",
                            "-ldnnl_cache", "-lOpenCL", "-o", out], check=True)
        return out


# ---- Running ---------------------------------------------------------------

def reason_of(line):
    """The kind of primitive, and the words at the end of its line."""
    kind, rest = line.split(",create:dispatch,", 1)[1].split(",", 1)
    if rest.startswith("gpu,"):
        rest = rest.split(",", 7)[-1]
    return f"{kind}: {rest}"


def read_cases(path, onednn):
    """The verdicts of one program, those that differ on purpose told apart."""
    counts = collections.Counter()
    reasons, failures = collections.Counter(), {}
    if not path.exists():
        return counts, reasons, failures
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        verdict = case["verdict"]
        if verdict in ("failed", "refused") and any(
                fnmatch.fnmatchcase(case["case"], name)
                for name, _ in OTHERWISE):
            verdict = "differs"
        counts[verdict] += 1
        if verdict == "refused":
            reasons[reason_of(case["refusal"])] += 1
        elif verdict == "failed":
            failures[case["case"]] = case["failure"].replace(
                str(onednn.resolve()), "oneDNN")
    return counts, reasons, failures


def run(program, options):
    """Runs one program; what it became as a dict for the JSON file."""
    out = options.out.resolve()
    work = out / "runs" / program.name
    shutil.rmtree(work, ignore_errors=True)
    for folder in (work / "home", work / "tmp", out / "pocl"):
        folder.mkdir(parents=True, exist_ok=True)
    results = work / "cases.jsonl"
    env = {k: v for k, v in os.environ.items() if k in KEPT_VARIABLES}
    env |= {"HOME": str(work / "home"), "TMPDIR": str(work / "tmp"),
            "POCL_CACHE_DIR": str(out / "pocl"), "OMP_NUM_THREADS": "2",
            "LD_LIBRARY_PATH": str(options.library.resolve()),
            "ONEDNN_VERBOSE": "check,dispatch",
            "ONEDNN_SUITE_RESULTS": str(results)}
    end = "exit"
    with open(work / "output.txt", "wb") as output:
        try:
            code = subprocess.run([program], env=env, cwd=work, stdout=output,
                                  stderr=output, timeout=options.limit,
                                  check=False).returncode
            if code < 0:
                end = f"signal {-code}"
        except subprocess.TimeoutExpired:
            end = "timeout"
    counts, reasons, failures = read_cases(results, options.onednn)
    if end != "exit":
        failures["the program"] = end
    print(f"{program.name}: " + ", ".join(
        f"{counts[v]} {v}" for v in VERDICTS if counts[v]), flush=True)
    for case, what in failures.items():
        print(f"  {case}: {what.splitlines()[0]}", flush=True)
    return {"cases": {v: counts[v] for v in VERDICTS if counts[v]},
            "refusals": dict(reasons.most_common()), "failures": failures}


def write_json(options, files):
    """Adds the run to the file under the name that --as gives."""
    path = options.json
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known["onednn"] = "3.8"
    runs = known.setdefault("runs", {})
    runs[options.name] = {"device": options.device, "commit": options.commit,
                          "files": dict(sorted(files.items()))}
    known["otherwise"] = {name: why for name, why in OTHERWISE}
    known["left_out"] = dict(LEFT_OUT)
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onednn", type=pathlib.Path, required=True,
                        help="oneDNN's source tree")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="where this library was built")
    parser.add_argument("--library", type=pathlib.Path,
                        help="folder of another libdnnl_cache.so to run with")
    parser.add_argument("--out", type=pathlib.Path,
                        default=ROOT / "build" / "onednn_suite")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=1800,
                        help="seconds that a program may take")
    parser.add_argument("--json", type=pathlib.Path, help="add the run to it")
    parser.add_argument("--as", dest="name", default="after",
                        help="the run's name in the JSON file")
    parser.add_argument("--device", default="unknown",
                        help="driver and device, for the JSON file")
    parser.add_argument("--commit", default="unknown",
                        help="commit of the library, for the JSON file")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    if options.library is None:
        options.library = options.build / "lib"
    return options


def main():
    options = parse()
    chosen = {name: paths for name, paths in sources(options.onednn).items()
              if not options.patterns or any(fnmatch.fnmatch(name, p)
                                             for p in options.patterns)}
    if options.list:
        print("\n".join(chosen))
        return 0
    if not (options.library / "libdnnl_cache.so").exists():
        raise Missing(f"no {options.library}/libdnnl_cache.so")
    builder = Builder(options)
    common = builder.common()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(
            lambda item: builder.program(*item, common), chosen.items()))
        results = pool.map(lambda program: run(program, options), programs)
        files = dict(zip(chosen, results))
    if options.json:
        write_json(options, files)
    failed = sum(len(result["failures"]) for result in files.values())
    print(f"{len(files)} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as missing:
        print(f"run.py: {missing}", file=sys.stderr)
        sys.exit(3)
