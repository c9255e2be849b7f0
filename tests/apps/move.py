#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves applications of others: a first start in one place fills a store, and a
first start in another place, with that store, must compile nothing.

    tests/apps/move.py --apps pyopencl_wheel,silx --json tests/apps/moves.json

The applications are those of tests/apps (--list names those that can be moved;
"all" is all of them). Each is started here, with an empty store; and there, with
a copy of that store. There, what is named in "moves" of the application's file is
a copy under another prefix ($place), and packages of PyPI's are in a second virtual
environment; home, folder for temporary files and working directory are others.
There are three such places:

    copy       another folder, deeper
    link       the same, by a symbolic link
    container  the paths of a container, made by bubblewrap

The driver's cache is off, and each process has an empty folder for it. A layer
below ours counts what the driver compiles. Both starts must make the same.
Options:

    --applications DIR  where their files are (tests/apps/applications)
    --build DIR      where the project was built (build in the project)
    --apps LIST      names with commas between them (pyopencl_wheel)
    --places LIST    of the three (all; without bubblewrap no container)
    --out DIR        for logs and packages of PyPI's; an empty folder or one of
                     an earlier run (moves in the build)
    --json FILE      writes a row for each application, and keeps the rows of
                     others that are there
    --no-install     fails if a package is missing

The driver is PoCL; DNNL_CACHE_TEST_ICD names another driver's ICD file. Exit
status: 0 nothing is compiled there, 1 something is, or an application failed or
made something else, 2 wrong usage, 3 a package or program is missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
APPS = pathlib.Path(__file__).resolve().parent
ROOT = APPS.parents[1]
sys.path += [str(ROOT / "bench"), str(ROOT / "scripts")]
# First, because scripts/ has a results.py, too.
from results import (  # noqa: E402
    COMPILATIONS, artifact_problem, lines_of, machine, sums)
import first_start  # noqa: E402
from recorded import Failure, read_json, run_main  # noqa: E402

PLACES = ("copy", "link", "container")
USR = pathlib.Path("/usr")
MODULES = "lib/python3/dist-packages"
# Where a container has them.
RUN_THERE, PREFIX_THERE, VENDORS_THERE = "/srv/run", "/opt/app", "/opt/vendors"
LISTS = r"""
. "$applications/$application.sh"
printf '%s\n' "stays ${stays-}" "passed_on ${passed_on-}"
printf 'file %s\n' ${moves:+"${moves[@]}"}
"""


class Missing(Exception):
    """What is needed and is not there."""


# ---- What an application consists of ---------------------------------------

def below(path):
    """Where a file is below a prefix."""
    return path.relative_to(USR if path.is_relative_to(USR) else "/")


class Moved(first_start.Application):
    """An application, and which of its files are moved."""

    def __init__(self, name, options):
        try:
            super().__init__(name, options)
        except Failure as error:
            raise Missing(str(error)) from error
        lines = [line.partition(" ")[::2] for line in first_start.bash(
            LISTS, application=name,
            applications=str(options.applications)).stdout.splitlines()]
        told = dict(lines)
        self.stays, self.passed_on = told["stays"], told["passed_on"].split()
        self.files = [pathlib.Path(text) for key, text in lines
                      if key == "file" and text]
        self.is_venv = self.python != "python3"
        if not self.files and not self.is_venv:
            raise Failure(f"{name}: nothing of it can be moved")

    def copy_to(self, prefix):
        """A second virtual environment, or the files under another prefix."""
        for path in self.files:
            target = prefix / below(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, target, symlinks=True)
            else:
                shutil.copy2(path, target, follow_symlinks=False)
        if self.is_venv:
            first = pathlib.Path(self.python).parents[1]
            subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip",
                            prefix], check=True)
            for packages in first.glob("lib/python*/site-packages"):
                shutil.copytree(packages, prefix / packages.relative_to(first),
                                symlinks=True, dirs_exist_ok=True)

    def variables(self, prefix):
        """With which what is there is found."""
        libraries = {str(prefix / below(path).parent)
                     for path in self.files
                     if ".so" in path.name and MODULES not in str(path)}
        variables = {
            "PATH": f"{prefix}/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LD_LIBRARY_PATH": ":".join(sorted(libraries)),
            "PYTHONPATH": f"{prefix}/{MODULES}" if any(
                MODULES in str(path) for path in self.files) else "",
            "python": f"{prefix}/bin/python" if self.is_venv else "python3",
            "place": str(prefix)}
        return {name: value for name, value in variables.items() if value}

    def words(self):
        """What is moved, for a table."""
        if self.is_venv:
            return "virtual environment"
        return ", ".join(f"`{name}`" for name in dict.fromkeys(
            re.split(r"\.so|\.cpython", path.name)[0] for path in self.files))


# ---- One start -------------------------------------------------------------

class Start:
    """A first start: where its folder is, and how the application sees that."""

    def __init__(self, application, folder, options, *, seen=None, more=None,
                 wrap=(), vendors=None):
        self.application, self.folder, self.options = (application, folder,
                                                       options)
        self.seen = str(seen or folder)
        self.more, self.wrap = more or {}, [str(word) for word in wrap]
        self.vendors = vendors or options.out / "vendors"
        for name in ("work", "artifact", "tmp", "home/.cache", "home/.config"):
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.store = folder / "store"

    def environment(self):
        lib, seen = self.options.build / "lib", self.seen
        layers = ["as_gpu"] if self.application.as_gpu else []
        env = {name: os.environ[name] for name in (
            "LANG", "SHELL", "TERM", "USER", "LOGNAME") if name in os.environ}
        return env | {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": f"{seen}/home",
            "XDG_CACHE_HOME": f"{seen}/home/.cache",
            "XDG_CONFIG_HOME": f"{seen}/home/.config",
            "XDG_DATA_HOME": f"{seen}/home/.local/share",
            "XDG_RUNTIME_DIR": f"{seen}/home", "TMPDIR": f"{seen}/tmp",
            "OCL_ICD_VENDORS": str(self.vendors), "POCL_KERNEL_CACHE": "0",
            "RUSTICL_ENABLE": "llvmpipe", "MESA_SHADER_CACHE_DISABLE": "true",
            # The one that is named first is next to the driver.
            "OPENCL_LAYERS": ":".join(f"{lib}/lib{name}_layer.so" for name in (
                *layers, "build_counter", "dnnl_cache")),
            "BUILD_COUNTER_FILE": f"{seen}/counts",
            "DNNL_CACHE_DIR": f"{seen}/store",
            "DNNL_CACHE_STATS": f"{seen}/stats",
            "DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT": "unlimited",
            "FIRST_START_CACHES": "off", "step": "run_application",
            "here": str(APPS), "application": self.application.name,
            "applications": str(self.options.applications),
            "python": self.application.python, "run": seen,
            "work": f"{seen}/work", "artifact": f"{seen}/artifact",
            "timer": str(ROOT / "bench/first_start.py"),
            "times": f"{seen}/times", "place": ""} | self.more

    def run(self):
        """What the application did, the layer, and the driver below it."""
        with open(self.folder / "output", "wb") as output:
            status = subprocess.run(
                [*self.wrap, "bash", "-c", first_start.SCRIPT],
                env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, check=False,
                timeout=first_start.MOST_SECONDS).returncode
        times = [json.loads(line) for line in lines_of(self.folder / "times")]
        counted = lines_of(self.folder / "counts")
        told = [json.loads(line) for line in lines_of(self.folder / "stats")]
        reasons = {}
        for of_process in told:
            for reason, number in of_process["misses_by"].items():
                reasons[reason] = reasons.get(reason, 0) + number
        if status != 0 or not times or len(told) < len(times) \
                or len(counted) < len(times):
            raise Failure(f"{self.application.name}: status {status}, {len(told)}"
                          f" of {len(times)} processes under the layer; see "
                          f"{self.folder}/output")
        return {"compiled": sum(sums(self.folder / "counts",
                                     COMPILATIONS).values()),
                **sums(self.folder / "stats", ("hits", "misses",
                                               "partial_hits")),
                "misses_by": reasons,
                "ms": round(sum(t["ns"] for t in times) / 1e6)}


def in_container(folder, prefix, options):
    """The command that runs another with the paths of a container."""
    words = ["bwrap", "--die-with-parent", "--dev", "/dev", "--proc", "/proc",
             "--tmpfs", "/tmp", "--dir", "/var/tmp"]
    for path in ("/usr", "/etc", "/sys"):
        words += ["--ro-bind", path, path]
    for path in (pathlib.Path("/") / name for name in
                 ("bin", "sbin", "lib", "lib32", "lib64")):
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), path]
        elif path.is_dir():
            words += ["--ro-bind", path, path]
    for path in (ROOT, options.build, options.applications):
        words += ["--ro-bind", path, path]
    return [*words, "--ro-bind", options.out / "vendors", VENDORS_THERE,
            "--ro-bind", prefix, PREFIX_THERE, "--bind", folder, RUN_THERE,
            "--chdir", RUN_THERE]


def start_there(application, place, base, options):
    """A start that is ready to run; base has the copied prefix."""
    folder, prefix = base / place, base / "prefix"
    if place == "container":
        return Start(application, folder, options, seen=RUN_THERE,
                     more=application.variables(pathlib.Path(PREFIX_THERE)),
                     wrap=in_container(folder, prefix, options),
                     vendors=VENDORS_THERE)
    if place == "link":
        link = base.parents[1] / "by_link"
        link.symlink_to(base)
        return Start(application, folder, options, seen=link / place,
                     more=application.variables(link / "prefix"))
    return Start(application, folder, options,
                 more=application.variables(prefix))


# ---- One application -------------------------------------------------------

def problems_of(application, here, place, run):
    """What does not hold of a start there."""
    stays = bool(application.stays)
    if stays and run["compiled"] != here["compiled"]:
        yield f"{place}: compiles {run['compiled']}, not as often as here"
    if not stays and run["compiled"] != 0:
        yield f"{place}: {run['compiled']} compilations: {run['misses_by']}"
    missed = run["misses"] + run["partial_hits"] - sum(
        run["misses_by"].get(reason, 0) for reason in application.passed_on)
    if not stays and (missed != 0 or run["hits"] == 0):
        yield f"{place}: {run['hits']} hits, {missed} misses"


def move(name, options):
    """A row of one application."""
    application = Moved(name, options)
    top = options.out / "runs" / name
    shutil.rmtree(top, ignore_errors=True)
    here = Start(application, top / "here", options)
    row = {"application": name, "version": application.version,
           "driver": options.driver, "machine": machine(),
           "moved": application.words(), "stays": application.stays,
           "here": here.run(), **dict.fromkeys(PLACES)}
    problems = [] if row["here"]["compiled"] else ["here: compiles nothing"]
    base = top / "there/deeper"
    base.mkdir(parents=True)
    application.copy_to(base / "prefix")
    for place in options.places:
        start = start_there(application, place, base, options)
        shutil.copytree(here.store, start.store, symlinks=True)
        row[place] = start.run()
        difference = artifact_problem(start.folder / "artifact",
                                      here.folder / "artifact")
        problems += [] if difference is None else [f"{place}: {difference}"]
        problems += problems_of(application, row["here"], place, row[place])
    if not problems:
        shutil.rmtree(top)
    return row | {"problems": problems}


def line_of(row):
    said = [f"{place} {row[place]['compiled']} compiled, {row[place]['hits']} "
            f"hits, {row[place]['ms']} ms" for place in ("here", *PLACES)
            if row[place] is not None]
    return f"{row['application']:15} " + "; ".join(
        [*said, *(f"FAILED: {text}" for text in row["problems"])])


def keep_row(path, row):
    """With those of other applications that the file has."""
    old = read_json(path) if path.exists() else []
    named = {row["application"]: row for row in (*old, row)}
    path.write_text(json.dumps([named[name] for name in sorted(named)],
                               indent=1) + "\n", encoding="utf-8")


def move_all(options):
    first_start.use_vendors(options)
    failed = False
    for name in options.apps:
        try:
            row = move(name, options)
        except (Failure, subprocess.TimeoutExpired) as error:
            print(f"{name:15} FAILED: {error}", flush=True)
            failed = True
            continue
        print(line_of(row), flush=True)
        failed = failed or bool(row["problems"])
        if options.json:
            keep_row(options.json, row)
    return 1 if failed else 0


# ---- The program -----------------------------------------------------------

def movable(folder):
    """Of which the file says what moves, or that come from PyPI."""
    return sorted(path.stem for path in folder.glob("*.sh") if any(
        line.startswith(("moves=", "pypi=(")) and line != "pypi=()"
        for line in lines_of(path)))


def driver_name():
    if "DNNL_CACHE_TEST_ICD" in os.environ:
        return pathlib.Path(os.environ["DNNL_CACHE_TEST_ICD"]).stem
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Version}", "pocl-opencl-icd"],
        check=False, text=True, stdout=subprocess.PIPE).stdout.strip()


def take_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        usage="move.py [OPTION ...]", add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--applications", type=pathlib.Path,
                        default=APPS / "applications")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--apps", default="pyopencl_wheel")
    parser.add_argument("--places")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--no-install", action="store_true")
    options = parser.parse_args()
    options.applications = options.applications.resolve()
    options.known = movable(options.applications)
    options.apps = options.known if options.apps == "all" \
        else options.apps.split(",")
    if not set(options.apps) <= set(options.known):
        parser.error("no such application that can be moved; --list names them")
    options.places = PLACES if options.places is None \
        else options.places.split(",")
    if not set(options.places) <= set(PLACES):
        parser.error(f"the places are {', '.join(PLACES)}")
    options.build = options.build.resolve()
    options.out = (options.out or options.build / "moves").resolve()
    if options.out.exists() and any(options.out.iterdir()) \
            and not (options.out / "vendors").is_dir():
        parser.error(f"{options.out} holds something else")
    return options


def main():
    options = take_options()
    if options.help:
        print(__doc__.strip())
        return 0
    if options.list:
        print("\n".join(options.known))
        return 0
    if "container" in options.places and shutil.which("bwrap") is None:
        print("no container without bubblewrap (bwrap)", file=sys.stderr)
        options.places = [p for p in options.places if p != "container"]
    options.driver = driver_name()
    try:
        return move_all(options)
    except Missing as error:
        print(f"move.py: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    run_main(main)
