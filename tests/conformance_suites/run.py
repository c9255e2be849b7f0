#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs conformance suites of others under the OpenCL layer and compares verdicts.

run.py --cts FOLDER | --piglit FOLDER [OPTION ...] [PATTERN ...]

A FOLDER is where the suite was built, by its own instructions: of OpenCL-CTS
the build folder that has test_conformance/compiler/test_compiler, of piglit the
build folder that has bin/cl-program-tester. Each test is run without the layer,
under it with an empty store (cold), and with the store that this filled (warm).
The verdicts have to be the same; a test that does not always say the same
without the layer, either, is told apart by running it again. PATTERNs (as of
the shell) choose tests by name, "compiler/unload_*" say.

README.md tells more. Exit status: 0 all verdicts are the same, 1 one is not,
2 wrong usage, 3 something needed is missing.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ("bare", "cold", "warm")
UNDER_THE_LAYER = 5  # times the time that the driver alone may take
COMPILATIONS = ("source_builds", "source_compiles", "source_links")
KEPT_VARIABLES = ("LANG", "SHELL", "TERM", "USER", "LOGNAME", "TMPDIR")

Test = collections.namedtuple("Test", "name command folder read")


class Missing(Exception):
    """Something that has to be there is not."""


# ---- The suites ------------------------------------------------------------

def cts_verdict(work, _):
    """What OpenCL-CTS says of its tests, in the file that it is told to write."""
    path = work / "results.json"
    try:
        results = json.loads(path.read_text(encoding="utf-8"))["results"]
    except (OSError, ValueError, KeyError):
        return "no results"
    return "; ".join(f"{name} {what}" for name, what in sorted(results.items()))


def cts_tests(build):
    """One process a test of test_compiler and of test_api."""
    for suite in ("compiler", "api"):
        folder = build / "test_conformance" / suite
        binary = folder / f"test_{suite}"
        if not binary.exists():
            raise Missing(f"no {binary}")
        names = subprocess.run([binary, "--list"], capture_output=True,
                               check=False, text=True).stdout.split("\n")
        names = [n.strip() for n in names if re.fullmatch(r"\s*\w+", n)]
        if not names:
            raise Missing(f"{binary} lists no tests")
        for name in names:
            yield Test(f"{suite}/{name}", [str(binary), name], folder,
                       cts_verdict)


def piglit_verdict(_, output):
    """The lines of piglit's that are for its framework."""
    return "; ".join(line[len("PIGLIT: "):] for line in output.split("\n")
                     if line.startswith("PIGLIT: ")) or "no results"


def piglit_tests(build):
    """The programs that test calls, and the tester with each program text."""
    tester = build / "bin/cl-program-tester"
    if not tester.exists():
        raise Missing(f"no {tester}")
    for binary in sorted((build / "bin").glob("cl-*")):
        if binary != tester:
            yield Test(f"piglit/{binary.name}", [str(binary)], None,
                       piglit_verdict)
    source = pathlib.Path(re.search(
        r"^piglit_SOURCE_DIR:STATIC=(.*)$",
        (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M).group(1))
    places = [(source / "tests/cl/program", "program"),
              (build / "generated_tests/cl", "generated")]
    for place, title in places:
        for path in sorted(place.rglob("*")):
            if path.suffix in (".cl", ".program_test"):
                name = path.relative_to(place).with_suffix("")
                yield Test(f"piglit/{title}/{name}", [str(tester), str(path)],
                           source, piglit_verdict)


# ---- One run of one test ---------------------------------------------------

def sums(path):
    """The sums of the numbers in the JSON lines that processes wrote."""
    total = collections.Counter()
    if not path.exists():
        return total
    for line in path.read_text(encoding="utf-8").splitlines():
        for key, value in json.loads(line).items():
            if isinstance(value, dict):
                total.update({f"{key}.{k}": v for k, v in value.items()})
            elif key != "pid" and isinstance(value, int):
                total[key] += value
    return total


def environment(arguments, place, run):
    """Nothing of a developer's settings; of an earlier run only the store."""
    env = {k: v for k, v in os.environ.items() if k in KEPT_VARIABLES}
    env.update(PATH="/usr/bin:/bin", LC_ALL="C.UTF-8",
               HOME=str(place / "home"), XDG_CACHE_HOME=str(place / "home"),
               OCL_ICD_VENDORS=str(arguments.out / "vendors"),
               POCL_KERNEL_CACHE="1" if arguments.pocl_cache else "0",
               POCL_CACHE_DIR=str(place / "pocl"),
               BUILD_COUNTER_FILE=str(place / "counts"),
               CL_CONFORMANCE_RESULTS_FILENAME=str(place / "work/results.json"))
    layers = [str(arguments.counter)]
    if run != "bare":
        layers.append(str(arguments.layer))
        env.update(DNNL_CACHE_DIR=str(place / "store"),
                   DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT="unlimited",
                   DNNL_CACHE_STATS=str(place / "stats"))
    env["OPENCL_LAYERS"] = ":".join(layers)
    return env


def prepare(place, test, run, keep_pocl):
    """Folders of the same names for each run, all but the store's empty."""
    for name in ("work", "home", "pocl"):
        if not (keep_pocl and name == "pocl" and run == "warm"):
            shutil.rmtree(place / name, ignore_errors=True)
        (place / name).mkdir(parents=True, exist_ok=True)
    for name in ("counts", "stats"):
        (place / name).unlink(missing_ok=True)
    if run != "warm":
        shutil.rmtree(place / "store", ignore_errors=True)
    for entry in test.folder.iterdir() if test.folder else ():
        if entry.is_dir() and entry.name != "CMakeFiles":
            (place / "work" / entry.name).symlink_to(entry)


def ending(process):
    """How a process ended, where its exit status may differ by chance."""
    if process.returncode >= 0:
        return f"exit {min(process.returncode, 1)}"
    return signal.Signals(-process.returncode).name


def run_once(arguments, test, place, run):
    """A process under the layer may take longer: it asks for binaries when it
    ends, and one that compiles hundreds of programs asks for as many."""
    limit = arguments.timeout * (1 if run == "bare" else UNDER_THE_LAYER)
    prepare(place, test, run, arguments.pocl_cache)
    try:
        process = subprocess.run(
            test.command, cwd=place / "work", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env=environment(arguments, place, run), timeout=limit,
            encoding="utf-8", errors="replace")
        output = process.stdout
        verdict = f"{test.read(place / 'work', output)}; {ending(process)}"
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode("utf-8", "replace")
        verdict = "too slow"
    (place / f"{run}.log").write_text(output, encoding="utf-8")
    counts, stats = sums(place / "counts"), sums(place / "stats")
    return {"verdict": verdict,
            "compilations": sum(counts[name] for name in COMPILATIONS),
            **{k: v for k, v in stats.items() if v and not k.endswith("_ns")}}


# ---- Judging ---------------------------------------------------------------

def judge(arguments, test, place):
    """Runs a test until it is known what it says, and says what differs."""
    bare = run_once(arguments, test, place, "bare")
    if bare["verdict"] == "too slow":
        return {"test": test.name, "result": "slow", "bare": ["too slow"],
                "cold": [], "warm": [], "counts": {}}
    runs = {"bare": [bare], "cold": [run_once(arguments, test, place, "cold")],
            "warm": [run_once(arguments, test, place, "warm")]}
    runs["warm"] += [run_once(arguments, test, place, "warm")
                     for _ in range(arguments.warm_runs - 1)]
    verdicts = {n: [r["verdict"] for r in runs[n]] for n in RUNS}
    # A test that says this and that without the layer, too, proves nothing.
    wanted = set(verdicts["bare"])
    for _ in range(arguments.repeat):
        if {v for n in RUNS for v in verdicts[n]} <= wanted:
            break
        wanted.add(run_once(arguments, test, place, "bare")["verdict"])
    different = sorted({v for n in RUNS for v in verdicts[n]} - wanted)
    return {"test": test.name,
            "result": "differs" if different else
            "unsteady" if len(wanted) > 1 else "same",
            "bare": sorted(wanted), "cold": verdicts["cold"],
            "warm": verdicts["warm"],
            "counts": {n: {k: v for k, v in runs[n][0].items()
                           if k != "verdict"} for n in RUNS}}


def tell(row):
    if row["result"] in ("same", "slow"):
        print(f"{row['result']:8} {row['test']}: {row['bare'][0]}")
    else:
        print(f"{row['result']:8} {row['test']}")
        for name in RUNS:
            for verdict, times in collections.Counter(row[name]).items():
                print(f"         {name} {times} times: {verdict}")
    sys.stdout.flush()


def all_tests(arguments):
    tests = []
    if arguments.cts:
        tests += cts_tests(arguments.cts.resolve())
    if arguments.piglit:
        tests += piglit_tests(arguments.piglit.resolve())
    patterns = arguments.patterns or ["*"]
    return [t for t in tests
            if any(fnmatch.fnmatchcase(t.name, p) for p in patterns)]


def run_all(arguments):
    """All tests, each with folders of its own."""
    def one(test):
        place = arguments.out / "tests" / test.name.replace("/", ".")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        row = judge(arguments, test, place)
        for name in ("work", "home", "pocl", "store"):
            shutil.rmtree(place / name, ignore_errors=True)
        return row

    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(one, all_tests(arguments)):
            rows.append(row)
            tell(row)
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="where the project was built")
    parser.add_argument("--cts", type=pathlib.Path)
    parser.add_argument("--piglit", type=pathlib.Path)
    parser.add_argument("--icd", default="/etc/OpenCL/vendors/pocl.icd",
                        help="the driver's ICD file (PoCL's)")
    parser.add_argument("--pocl-cache", action="store_true",
                        help="leave PoCL's own cache on, the warm run's full")
    parser.add_argument("--out", type=pathlib.Path, help="where logs go")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--warm-runs", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5,
                        help="so often a verdict is looked for without the"
                        " layer that was found under it")
    parser.add_argument("--list", action="store_true",
                        help="names of the tests")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    arguments = parser.parse_args()
    if not (arguments.cts or arguments.piglit):
        parser.error("--cts or --piglit names a suite")
    arguments.out = (arguments.out or arguments.build / "suites").resolve()
    library = arguments.build.resolve() / "lib"
    arguments.layer = library / "libdnnl_cache_layer.so"
    arguments.counter = library / "libbuild_counter_layer.so"
    try:
        if arguments.list:
            print("\n".join(test.name for test in all_tests(arguments)))
            return 0
        for path in (arguments.layer, arguments.counter):
            if not path.exists():
                raise Missing(f"no {path}: build the project first")
        (arguments.out / "vendors").mkdir(parents=True, exist_ok=True)
        shutil.copy(arguments.icd, arguments.out / "vendors")
        rows = run_all(arguments)
    except (Missing, OSError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 3
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n",
                                  encoding="utf-8")
    results = collections.Counter(row["result"] for row in rows)
    print(", ".join(f"{n} {what}" for what, n in sorted(results.items())) or
          "no test of that name")
    return 1 if results["differs"] or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
