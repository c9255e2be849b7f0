# SPDX-License-Identifier: Apache-2.0
"""What the scripts named measure_*.py share: processes, medians, this machine."""
import json
import os
import pathlib
import statistics
import subprocess

from recorded import Failure


def run(command, environment=None, **more):
    """What a process printed."""
    done = subprocess.run([str(word) for word in command], env=environment,
                          text=True, check=False, **{
                              "stdout": subprocess.PIPE,
                              "stderr": subprocess.PIPE, **more})
    if done.returncode != 0:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n"
                      f"{(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


def without_pocl_cache(folder, **more):
    """An environment with PoCL's cache off, and its folder this one."""
    return dict(os.environ, POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=str(folder),
                **more)


def median_ratio(ours, reference):
    """The median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(ours, reference))


def package_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text(
            encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def write_results(root, name, results, indent=1):
    """Writes bench/results/NAME.json."""
    (root / f"bench/results/{name}.json").write_text(
        json.dumps(results, indent=indent) + "\n", encoding="utf-8")


def add_usual_options(parser):
    parser.add_argument("--build", type=pathlib.Path,
                        default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, default=5)
