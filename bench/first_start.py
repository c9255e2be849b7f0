#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the first start of an application under dnnl-cache-run costs,
until the prompt returns: pairs of a plain start and a first start with an empty
store, then the next start with what the first one left.

    bench/first_start.py --apps pyopencl_wheel,gegl --rounds 5 --json FILE

The applications are those of tests/apps (--list names them; "all" is all). Each
pair is measured with the driver's cache off ("off": PoCL's kernel cache off and
an empty folder of its own for each process, and the application's cache as
tests/apps has it), and with what users have by default ("default": every cache
on, the home of each start empty; the next start has the home of the first).
Plain and first start take turns in being the first of a pair.

Times are of the application's commands, without what prepares them: wall time,
and processor time of the command with all of its children. What dnnl-cache-run
does beside the next start is not part of that start's processor time: it has a
number of its own. Options:

    --applications DIR  where their files are (tests/apps/applications)
    --build DIR      where the project was built (build in the project)
    --apps LIST      names with commas between them (hcxkeys,gegl)
    --caches WHICH   off, default or both (both)
    --rounds N       pairs of each application (5)
    --wait           first starts with --wait, as before there was a refresh
                     beside the next command
    --out DIR        for logs and packages of PyPI's; an empty folder or one of
                     an earlier run (first_start in the build)
    --json FILE      writes the rows
    --no-install     fails if a package is missing

A row has medians in nanoseconds; "ratio" is the median of the ratios of the
pairs. It is met if the first start takes at most 1.15 of the plain one, or 100
ms more, whichever is larger; "first_start_median", for each kind of caches, if
the median of the ratios of all applications is at most 1.05. Exit status: 0
measured, 1 an application failed or made something else, 2 wrong usage.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "bench")]
import start_options  # noqa: E402
from recorded import Failure, run_main  # noqa: E402

APPS = ROOT / "tests/apps"
MOST_SECONDS = 900
APPLICATION_RATIO, APPLICATION_NS, MEDIAN_RATIO = 1.15, 100_000_000, 1.05
# What tests/apps sets so that an application does not use a cache of its own.
OWN_CACHES_OFF = ("PYOPENCL_NO_CACHE=1",)

# One application, as tests/apps/run.sh runs it. app runs a timed command.
SCRIPT = r"""
set -uo pipefail
fail() { echo "${*:2}" >&2; exit "$1"; }
app() { "$timer" --timed "$times" -- ${under:+"${under[@]}"} "$@" </dev/null; }
app_without_layers() { POCL_CACHE_DIR=$run/prepare "$@" </dev/null; }
prepare_application() { :; }
. "$applications/$application.sh"
cd "$work" && "$step"
"""
INSTALL = r"""
fail() { echo "${*:2}" >&2; exit "$1"; }
. "$here/packages.sh"
install_packages "$@" >&2
"""
LISTS = r"""
. "$applications/$application.sh"
printf '%s\n' "packages ${packages[*]-}" "pypi ${pypi[*]-}" \
    "as_gpu ${as_gpu-}" "reads_files ${reads_files-}"
"""


# ---- One command -----------------------------------------------------------

def timed(times, command):
    """Runs a command, and adds its times to a file: a line of JSON."""
    caches = os.environ.pop("FIRST_START_CACHES", "off")
    if caches == "default":
        for setting in OWN_CACHES_OFF:
            os.environ.pop(setting.split("=")[0], None)
        command = [word for word in command if word not in OWN_CACHES_OFF]
    elif caches == "off":
        os.environ["POCL_CACHE_DIR"] = tempfile.mkdtemp(
            dir=os.environ["TMPDIR"])
    begin = time.monotonic_ns()
    # No process of this one's but the command's are its children.
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, used = os.wait4(child, 0)
    passed = time.monotonic_ns() - begin
    with open(times, "a", encoding="ascii") as out:
        out.write(json.dumps({"ns": passed, "cpu_ns": round(
            1e9 * (used.ru_utime + used.ru_stime))}) + "\n")
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


# ---- What is needed --------------------------------------------------------

def names_in(folder):
    return sorted(path.stem for path in folder.glob("*.sh"))


def bash(script, *arguments, **variables):
    return subprocess.run(
        ["bash", "-c", script, "bash", *arguments], check=False, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "here": str(APPS),
                                     **variables})


class Application:
    """An application with what it needs."""

    def __init__(self, name, options):
        self.name = name
        lists = dict(line.partition(" ")[::2] for line in bash(
            LISTS, application=name,
            applications=str(options.applications)).stdout.splitlines())
        self.as_gpu = bool(lists["as_gpu"])
        self.python = "python3"
        done = bash(INSTALL, *lists["packages"].split(),
                    out=str(options.out),
                    install="" if options.no_install else "1")
        if done.returncode != 0:
            raise Failure(f"{name}: its packages cannot be had")
        if lists["pypi"]:
            self.install_pypi(lists["pypi"].split(), options)
        self.version = lists["pypi"].split()[0].replace("==", " ") if \
            lists["pypi"] else subprocess.run(
                ["dpkg-query", "-W", "-f", "${Package} ${Version}",
                 *lists["packages"].split()[:1]], check=False, text=True,
                stdout=subprocess.PIPE).stdout if lists["packages"] else ""

    def install_pypi(self, packages, options):
        folder = options.out / "python" / "-".join(
            re.sub(r"[^\w.]+", "_", package) for package in packages)
        self.python = str(folder / "bin/python")
        if (folder / "complete").exists():
            return
        if options.no_install:
            raise Failure(f"{self.name}: missing: {' '.join(packages)}")
        shutil.rmtree(folder, ignore_errors=True)
        for command in (["/usr/bin/python3", "-m", "venv", folder],
                        [folder / "bin/pip", "install", "--quiet", *packages]):
            if subprocess.run(command, check=False).returncode != 0:
                raise Failure(f"{self.name}: {' '.join(packages)} cannot be "
                              "installed")
        (folder / "complete").touch()


# ---- One start -------------------------------------------------------------

class Start:
    """One start of an application, in a folder of its own."""

    def __init__(self, application, caches, folder, home, store, options):
        self.application, self.caches = application, caches
        self.folder, self.home, self.store = folder, home, store
        self.options = options
        self.work, self.artifact = folder / "work", folder / "artifact"
        for path in (self.work, self.artifact, folder / "tmp",
                     home / ".cache", home / ".config"):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def environment(self, under):
        options = self.options
        env = {name: os.environ[name] for name in ("LANG", "SHELL", "TERM",
                                                   "USER", "LOGNAME")
               if name in os.environ}
        env |= {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.home),
            "XDG_CACHE_HOME": f"{self.home}/.cache",
            "XDG_CONFIG_HOME": f"{self.home}/.config",
            "XDG_DATA_HOME": f"{self.home}/.local/share",
            "XDG_RUNTIME_DIR": str(self.home), "TMPDIR": f"{self.folder}/tmp",
            "OCL_ICD_VENDORS": str(options.out / "vendors"),
            "here": str(APPS), "application": self.application.name,
            "applications": str(options.applications),
            "python": self.application.python, "run": str(self.folder),
            "folder": str(self.folder),
            "work": str(self.work), "artifact": str(self.artifact),
            "timer": str(pathlib.Path(__file__).resolve()),
            "times": f"{self.folder}/times",
        }
        if self.application.as_gpu:
            env["OPENCL_LAYERS"] = str(options.build /
                                       "lib/libas_gpu_layer.so")
        env["FIRST_START_CACHES"] = self.caches
        if self.caches == "off":
            env |= {"POCL_KERNEL_CACHE": "0",
                    "MESA_SHADER_CACHE_DISABLE": "true"}
        return env | under

    def bash(self, step, under, words):
        script = SCRIPT
        if words:
            script = "under=(" + " ".join(
                f"'{word}'" for word in words) + ")\n" + SCRIPT
        with open(self.folder / "output", "ab") as output:
            return subprocess.run(
                ["bash", "-c", script], env={**self.environment(under),
                                             "step": step},
                stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                timeout=MOST_SECONDS, check=False).returncode

    def run(self, words=(), **under):
        """The sums of the times of its commands."""
        status = self.bash("prepare_application", {}, ()) or \
            self.bash("run_application", under, words)
        lines = self.folder / "times"
        if status != 0 or not lines.exists():
            raise Failure(f"{self.application.name}, {self.caches}: status "
                          f"{status}; see {self.folder}/output")
        times = [json.loads(line) for line in lines.read_text().splitlines()]
        return {key: sum(t[key] for t in times) for key in ("ns", "cpu_ns")}

    def run_under(self, *more, **under):
        """The same under the layer, with what the layer did, and what was done
        beside it."""
        log = self.store / "layer/refresh.log"
        before = len(log.read_text()) if log.exists() else 0
        words = [str(self.options.build / "bin/dnnl-cache-run"), "--layer",
                 str(self.options.build / "lib/libdnnl_cache_layer.so"),
                 "--dir", str(self.store), "--verbose", *more, "--"]
        result = self.run(words, DNNL_CACHE_STATS=f"{self.folder}/stats",
                          **under)
        text = log.read_text()[before:] if log.exists() else ""
        beside = sum(float(seconds) for seconds in re.findall(
            r"beside the command took ([0-9.]+) s of processor", text))
        result["beside_cpu_ns"] = round(1e9 * beside)
        result["cpu_ns"] -= result["beside_cpu_ns"]
        stats = [json.loads(line) for line in
                 (self.folder / "stats").read_text().splitlines()]
        for key in ("hits", "misses", "kept", "deferred"):
            result[key] = sum(s[key] for s in stats)
        return result


def made(path):
    """What the application wrote, without what dnnl-cache-run says, since some
    print their results to standard error."""
    return [line for line in path.read_bytes().splitlines()
            if not line.startswith(b"dnnl-cache-run: ")]


def same(start, other):
    """Both made the same; a file of rates is measured, and differs."""
    names = sorted(path.name for path in start.artifact.iterdir())
    return names == sorted(p.name for p in other.artifact.iterdir()) and all(
        name == "rates" or
        made(start.artifact / name) == made(other.artifact / name)
        for name in names)


# ---- Rounds ----------------------------------------------------------------

def remove(folder):
    """A refresh that goes on behind the last start may still write there."""
    for _ in range(MOST_SECONDS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(1)
    raise Failure(f"{folder} cannot be removed")


def measure_round(application, caches, number, options):
    """(plain, first, next) of one round."""
    folder = options.out / "runs" / f"{application.name}-{caches}"
    shutil.rmtree(folder, ignore_errors=True)
    store, home = folder / "store", folder / "home"

    def start(name, home):
        return Start(application, caches, folder / name, home, store, options)

    plain = start("plain", folder / "plain_home")
    first = start("first", home)
    following = start("next", home if caches == "default"
                      else folder / "next_home")
    results = {}
    for name in ("plain", "first") if number % 2 == 0 else ("first", "plain"):
        results[name] = plain.run() if name == "plain" else first.run_under(
            *(["--wait"] if options.wait else []))
    results["next"] = following.run_under()
    for other in (first, following):
        if not same(plain, other):
            raise Failure(f"{application.name}, {caches}: {other.folder.name} "
                          f"made something else; see {folder}")
    remove(folder)
    return results["plain"], results["first"], results["next"]


def median(rounds, index, key):
    return round(statistics.median(r[index][key] for r in rounds))


def row_of(application, caches, rounds, context):
    ratio = statistics.median(f["ns"] / p["ns"] for p, f, _ in rounds)
    ours, plain = median(rounds, 1, "ns"), median(rounds, 0, "ns")
    row = {
        "row": "first_start", "application": application.name,
        "version": application.version, "caches": caches, "unit": "ns",
        "ours": ours, "reference": plain, "ratio": round(ratio, 4),
        "target": APPLICATION_RATIO,
        "met": ratio <= APPLICATION_RATIO or ours <= plain + APPLICATION_NS,
        "samples": len(rounds),
        "what": "first start with an empty store / plain start, until the "
                "prompt returns",
        "ours_cpu": median(rounds, 1, "cpu_ns"),
        "reference_cpu": median(rounds, 0, "cpu_ns"),
        "cpu_ratio": round(statistics.median(
            f["cpu_ns"] / p["cpu_ns"] for p, f, _ in rounds), 4),
        "next": median(rounds, 2, "ns"),
        "next_cpu": median(rounds, 2, "cpu_ns"),
        "next_ratio": round(statistics.median(
            n["ns"] / p["ns"] for p, _, n in rounds), 4),
        "beside_next_cpu": median(rounds, 2, "beside_cpu_ns"),
    }
    for name, index in (("first", 1), ("next", 2)):
        for key in ("hits", "misses", "kept", "deferred"):
            row[f"{name}_{key}"] = rounds[-1][index][key]
    return row | context


def median_row(caches, rows, context):
    ratio = statistics.median(row["ratio"] for row in rows)
    return {"row": "first_start_median", "application": "all",
            "caches": caches, "unit": "ratio", "ours": round(ratio, 4),
            "reference": 1, "ratio": round(ratio, 4), "target": MEDIAN_RATIO,
            "met": ratio <= MEDIAN_RATIO, "samples": len(rows),
            "what": "median of the ratios of all applications"} | context


def context_of(options):
    def output(*command):
        return subprocess.run(command, check=False, text=True, cwd=ROOT,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.strip()

    device = next((line.split(":", 1)[1].strip() for line in
                   pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                   if line.startswith("model name")), os.uname().machine)
    version = output(str(options.build / "bin/dnnl-cache-run"), "--version")
    return {"library": version.split()[-1] if version else "",
            "git": output("git", "rev-parse", "HEAD"),
            "platform": output("dpkg-query", "-W", "-f",
                               "${Package} ${Version}", "pocl-opencl-icd"),
            "device": device, "processors": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2), "wait": options.wait}


def use_vendors(options):
    """One driver alone, for all starts."""
    vendors = options.out / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    shutil.copy(os.environ.get("DNNL_CACHE_TEST_ICD",
                               "/etc/OpenCL/vendors/pocl.icd"), vendors)


def measure(options):
    use_vendors(options)
    context = context_of(options)
    rows, failed = [], False
    for name in options.apps:
        try:
            application = Application(name, options)
            for caches in options.caches:
                rounds = [measure_round(application, caches, n, options)
                          for n in range(options.rounds)]
                row = row_of(application, caches, rounds, context)
                rows.append(row)
                print(f"{name:15} {caches:8} plain {row['reference'] / 1e9:7.2f}"
                      f" s  first {row['ours'] / 1e9:7.2f} s ({row['ratio']:.3f}"
                      f"{'' if row['met'] else ', missed'})  cpu "
                      f"{row['cpu_ratio']:.3f}  next {row['next'] / 1e9:7.2f} s"
                      f"  beside it {row['beside_next_cpu'] / 1e9:.2f} s of cpu"
                      f"  next: {row['next_hits']} hits,"
                      f" {row['next_misses']} misses", flush=True)
        except (Failure, subprocess.TimeoutExpired) as error:
            print(f"{name:15} FAILED: {error}", flush=True)
            failed = True
    for caches in options.caches:
        of_kind = [row for row in rows if row["caches"] == caches]
        if of_kind:
            rows.append(median_row(caches, of_kind, context))
            print(f"{'all':15} {caches:8} median {rows[-1]['ratio']:.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 1 if failed else 0


def main():
    if sys.argv[1:2] == ["--timed"]:
        return timed(sys.argv[2], sys.argv[4:])
    parser = start_options.Parser("first_start", __doc__, "hcxkeys,gegl", 5)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--applications", type=pathlib.Path,
                        default=APPS / "applications")
    parser.add_argument("--caches", choices=("off", "default", "both"),
                        default="both")
    parser.add_argument("--wait", action="store_true")
    options = parser.read()
    if options is None:
        return 0
    options.applications = options.applications.resolve()
    known = names_in(options.applications)
    if options.list:
        print("\n".join(known))
        return 0
    parser.settle(options, known, "first_start")
    options.caches = ["off", "default"] if options.caches == "both" \
        else [options.caches]
    return measure(options)


if __name__ == "__main__":
    run_main(main)
