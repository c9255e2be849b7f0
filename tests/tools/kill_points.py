#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ends an application's first run at random points, runs "dnnl-cache refresh",
and checks that the next start compiles nothing that was built before the end.

    tests/tools/kill_points.py --bin build/bin --points 20 -- \\
        build/bin/framework --mode plain

The application runs under the OpenCL layer; with --library it runs by itself,
and STORE in its arguments stands for the store. Its ends are, in turn: SIGTERM,
SIGKILL, and the end of the first process of its PID namespace, where namespaces
can be made. What was compiled is counted as PoCL's "Built a" lines, so PoCL has
to be the only driver, or the first (OCL_ICD_VENDORS).

With --replay a whole run is recorded, and "dnnl-cache replay" of that is what
is ended. The store must be sound then, the next replay must compile what it
lacks and no more, and both together no more than a replay that is left alone
but for what two workers had begun.

Exit status: 0 nothing was compiled again; 1 something was, or a run failed; 77
there is no PoCL; 2 wrong usage.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NAMESPACE = ["unshare", "--user", "--map-root-user", "--pid", "--fork",
             "--mount-proc", "--kill-child"]
# The first process: it does not wait for the application.
FIRST = ["sh", "-c", '"$@" & sleep "$SECONDS_TO_LIVE"', "first"]


WORKERS = 2


class Runs:
    """Processes, each with an empty driver cache of its own."""

    def __init__(self, args, work):
        self.bin = pathlib.Path(args.bin).resolve()
        self.command = args.command
        self.is_library = args.is_library
        self.work = pathlib.Path(work)

    def environment(self, store):
        cache = self.work / "driver"
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir()
        return dict(os.environ, POCL_KERNEL_CACHE="0", POCL_DEBUG="all",
                    POCL_CACHE_DIR=str(cache), DNNL_CACHE_DIR=str(store))

    def words(self, store):
        command = [word.replace("STORE", str(store))
                   for word in self.command]
        return command if self.is_library else [
            str(self.bin / "dnnl-cache-run"), "--no-wait", "--", *command]

    def run(self, store, end=None, seconds=None, **more):
        """How often the driver compiled, and how long it took."""
        return self.end(self.words(store),
                        dict(self.environment(store), **more), end, seconds)

    def end(self, words, environment, end=None, seconds=None):
        """Likewise, of any command."""
        if end == "namespace":
            words = NAMESPACE + FIRST + words
            environment["SECONDS_TO_LIVE"] = f"{seconds:.2f}"
        began = time.monotonic()
        with tempfile.TemporaryFile(dir=self.work) as errors:
            with subprocess.Popen(words, env=environment, stderr=errors,
                                  stdout=subprocess.DEVNULL) as process:
                if isinstance(end, signal.Signals):
                    try:
                        process.wait(seconds)
                    except subprocess.TimeoutExpired:
                        process.send_signal(end)
                status = process.wait()
            took = time.monotonic() - began
            errors.seek(0)
            text = errors.read()
        if end is None and status != 0:
            tail = text.decode(errors="replace")[-2000:]
            sys.exit(status if status == 77 else
                     f"{' '.join(words)}: exit status {status}\n{tail}")
        return text.count(b"Built a"), took

    def tool(self, *words):
        """Status and report of a command of the tool."""
        done = subprocess.run(
            [str(self.bin / "dnnl-cache"), *map(str, words), "--json"],
            env=self.environment(""), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False, text=True)
        return done.returncode, json.loads(done.stdout or "{}")

    def replay(self, store, end=None, seconds=None):
        words = [str(self.bin / "dnnl-cache"), "replay",
                 str(self.work / "record"), "--store", str(store), "--jobs",
                 str(WORKERS)]
        return self.end(words, self.environment(""), end, seconds)

    def refresh(self, store):
        done = subprocess.run(
            [str(self.bin / "dnnl-cache"), "refresh", "--store", str(store)],
            env=self.environment(store), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False, text=True)
        return done.returncode, done.stdout.strip()


def has_namespaces():
    try:
        return subprocess.run(NAMESPACE + ["true"], check=False,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def end_refreshes(runs, ends, chance, points):
    """How many went wrong."""
    wrong = 0
    whole, seconds = runs.run(runs.work / "whole")
    tell_whole(whole, seconds, ends)
    for point in range(points):
        store = runs.work / f"store{point}"
        end = ends[point % len(ends)]
        at = chance.uniform(0.05, 1.0) * seconds
        before, _ = runs.run(store, end, at)
        status, said = runs.refresh(store)
        after, _ = runs.run(store)
        again = max(0, before + after - whole)
        # Nothing is left to do, and nothing was refused.
        wrong += again > 0 or status != 0
        print(f"{getattr(end, 'name', end)} after {at:.2f} s: {before} "
              f"compiled before, {after} after, {again} again; refresh "
              f"({status}): {said}", flush=True)
        shutil.rmtree(store, ignore_errors=True)
    return wrong


def end_replays(runs, ends, chance, points):
    """How many went wrong."""
    wrong = 0
    record = runs.work / "record"
    runs.run(runs.work / "recorded", DNNL_CACHE_RECORD=str(record))
    whole, seconds = runs.replay(runs.work / "whole")
    tell_whole(whole, seconds, ends)
    _, inspected = runs.tool("record", "inspect", record)
    programs = inspected["programs"]
    begun = WORKERS * max(len(p["launches"]) for p in programs)
    for point in range(points):
        store = runs.work / f"store{point}"
        end = ends[point % len(ends)]
        at = chance.uniform(0.05, 1.0) * seconds
        before, _ = runs.replay(store, end, at)
        is_sound = not store.exists() or \
            runs.tool("verify", "--store", store)[0] == 0
        _, left = runs.tool("replay", record, "--store", store, "--dry-run")
        after, _ = runs.replay(store)
        again = max(0, before + after - whole)
        wrong += not is_sound or again > begun or \
            left["there"] + left["missing"] != len(programs) or \
            (left["missing"] == 0 and after > 0)
        print(f"{end.name} after {at:.2f} s: {left['there']} of "
              f"{len(programs)} programs there, {before} kernels compiled "
              f"before, {after} after, {again} again (at most {begun}); "
              f"{'sound' if is_sound else 'torn'}", flush=True)
        shutil.rmtree(store, ignore_errors=True)
    return wrong


def tell_whole(whole, seconds, ends):
    if whole == 0:
        sys.exit("nothing is compiled: this is not PoCL")
    print(f"{whole} compiled in {seconds:.1f} s; ends: "
          + ", ".join(getattr(end, "name", end) for end in ends), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the build's programs")
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--library", action="store_true", dest="is_library",
                        help="the application uses the library")
    parser.add_argument("--replay", action="store_true",
                        help='end "dnnl-cache replay"')
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.randrange(10**6)
    chance = random.Random(seed)
    ends = [signal.SIGTERM, signal.SIGKILL]
    ends += ["namespace"] if not args.replay and has_namespaces() else []
    ends += [signal.SIGINT] if args.replay else []
    chance.shuffle(ends)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kill-points-") as work:
        runs = Runs(args, work)
        end_all = end_replays if args.replay else end_refreshes
        wrong = end_all(runs, ends, chance, args.points)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
