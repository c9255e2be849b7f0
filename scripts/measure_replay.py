# SPDX-License-Identifier: Apache-2.0
"""Measures records and replays on PoCL: the rows that are named, or all. In
bench/results/replay.json other rows stay.

    programs   a replay of 200 programs by two workers, and one process that
               builds and launches them without a store and without the layer
    record     starts under the layer, cold and warm, recorded and not
    ready      ResNet-50 until it is ready: after a replay, and warm
    large      a record of 100 000 notes

PoCL has to be the only driver (OCL_ICD_VENDORS). Its cache is off, and its
folder empty for each process. CPU is user and system time of a process and of
those that it waited for. What two idle processors would make of a replay is
half of its CPU time and of the time that workers had no job, so that others on
this machine do not count; the same of one process is its CPU time.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import (
    add_usual_options, median_ratio, without_pocl_cache, write_results)
from recorded import Failure, read_json

PROGRAMS = 134  # of the application; every second one is compiled and linked
NOTES = 100000


class Bench:
    """Processes, each with an empty folder for the driver."""

    def __init__(self, root, build, work, rounds):
        self.root = root
        self.rounds = rounds
        self.bin = build / "bin"
        self.layer = str(build / "lib/libdnnl_cache_layer.so")
        self.work = pathlib.Path(work)

    def empty(self, name):
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def run(self, *words, **more):
        """What it printed, its wall time and its CPU time, in ms, and the most
        memory that it had, in MiB."""
        cache = self.empty("driver")
        cache.mkdir()
        environment = without_pocl_cache(cache, **more)
        began = time.monotonic()
        with tempfile.TemporaryFile("w+", dir=self.work) as out:
            with subprocess.Popen([str(word) for word in words], stdout=out,
                                  stderr=subprocess.DEVNULL,
                                  env=environment) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.monotonic() - began
            out.seek(0)
            text = out.read(1 << 20) # more would count as memory of the next
        if process.returncode not in (0, 1):
            raise Failure(f"{words}: exit status {process.returncode}")
        return {"out": text, "wall": 1e3 * wall,
                "cpu": 1e3 * (usage.ru_utime + usage.ru_stime),
                "mib": usage.ru_maxrss / 1024}

    def tool(self, *words):
        return self.run(self.bin / "dnnl-cache", *words)

    def under_layer(self, store, *words, **more):
        return self.run(self.bin / "dnnl-cache-run", "--layer", self.layer,
                        "--no-wait", "--dir", store, "--", *words, **more)

    def replay(self, record, store, *more):
        done = self.tool("replay", record, "--store", store, "--layer",
                         self.layer, "--json", *more)
        return {**done, **json.loads(done["out"])}


def row(name, what, ours, reference, unit, target, ratio=None):
    ratio = ours / reference if ratio is None else ratio
    return {"row": name, "what": what, "ours": ours, "reference": reference,
            "unit": unit, "target": target, "ratio": ratio,
            "met": target is None or ratio <= target}


# ---- The rows --------------------------------------------------------------

def measure_programs(bench):
    client = [bench.bin / "refresh_client", "plain", bench.work / "unused",
              PROGRAMS]
    record = bench.work / "record"
    alone = bench.run(*client)
    bench.under_layer(bench.work / "recorded", *client,
                      DNNL_CACHE_RECORD=str(record))
    two = bench.replay(record, bench.empty("store"), "--jobs", "2")
    if two["kept"] < 200 or two["kept"] != two["programs"]:
        raise Failure(f"not all was compiled: {two['out']}")
    half = (two["cpu"] + two["idle_ms"]) / 2
    print(f"one process: {alone['wall']:.0f} ms, CPU {alone['cpu']:.0f} ms; "
          f"two workers: {two['wall']:.0f} ms, CPU {two['cpu']:.0f} ms, "
          f"without a job {two['idle_ms']} ms", file=sys.stderr)
    what = (f"{two['kept']} programs: replayed by two workers / compiled by "
            "one process")
    return [row("programs", what, two["wall"], alone["wall"], "ms", 1 / 1.8),
            row("programs_cpu", "the same, as two idle processors would do it",
                half, alone["cpu"], "ms", 1 / 1.8)]


def start(bench, store, record):
    """CPU time, which others on this machine change less than wall time."""
    return bench.under_layer(
        store, bench.bin / "framework", "--mode", "plain", "--programs", 8,
        DNNL_CACHE_RECORD=str(record) if record else "")["cpu"]


def measure_record(bench):
    rows = []
    warm = bench.work / "warm"
    start(bench, warm, None)
    bench.tool("refresh", "--store", warm)  # what was not waited for
    for name, rounds in (("cold", bench.rounds), ("warm", 10 * bench.rounds)):
        ours, others = [], []
        for number in range(rounds):
            pair = {}
            turns = (None, bench.work / "starts")
            for record in turns if number % 2 == 0 else reversed(turns):
                store = warm
                if name == "cold":
                    store = bench.empty("cold")
                    (bench.work / "starts").unlink(missing_ok=True)
                pair[record is None] = start(bench, store, record)
            ours.append(pair[False])
            others.append(pair[True])
            print(f"{name}: {number + 1} of {rounds}", file=sys.stderr)
        if name == "cold":
            rows.append(row("record_cold", "CPU time of a cold start of 8"
                            " programs: recorded / not", min(ours),
                            min(others), "ms", 1.02))
        else:
            rows.append(row("record_warm", "CPU time of a warm start of 8"
                            " programs, more if recorded / 1 ms",
                            statistics.median(a - b for a, b in
                                              zip(ours, others)), 1, "ms", 1))
    return rows


def measure_ready(bench):
    model = bench.root / "tests/data/onnx/networks/light_resnet50.onnx"
    words = [bench.bin / "model_loader", model, "--weights", "random:1",
             "--platform", "Portable", "--repeat", "1", "--store"]
    record = bench.work / "model"
    warm, replayed = bench.work / "model_warm", bench.work / "model_replayed"
    bench.run(*words, warm, "--record", record)
    bench.replay(record, replayed / "programs")
    ours, others = [], []
    for number in range(2 * bench.rounds):
        for store, found in ((replayed, ours), (warm, others)):
            copy = bench.empty("model_copy")
            shutil.copytree(store, copy)
            out = bench.run(*words, copy)["out"]
            if "0 programs compiled" not in out:
                raise Failure(f"a start compiled: {out}")
            found.append(float(out.split("ready in ")[1].split()[0]))
        print(f"ready: {number + 1}", file=sys.stderr)
    return [row("ready", "ResNet-50 ready: first start after a replay / warm",
                statistics.median(ours), statistics.median(others), "ms", 1.1,
                median_ratio(ours, others))]


def measure_large(bench):
    client = bench.bin / "refresh_client"
    few, many = bench.work / "few", bench.work / "many"
    added = [bench.run(client, "record", path, count)
             for path, count in ((few, NOTES // 10), (many, NOTES))]
    read = [bench.tool("record", "inspect", path, "--json")
            for path in (few, many)]
    merged = [bench.tool("record", "merge", path, "--output",
                         bench.work / f"{path.name}_merged")
              for path in (few, many)]
    again = [bench.run(client, "record", path, 10) for path in (few, many)]
    size = many.stat().st_size / 1048576
    rows = []
    for name, what, done in (
            ("added by a process", "large_add", added),
            ("inspected", "large_inspect", read),
            ("merged", "large_merge", merged),
            ("ten notes that it has, added by another process", "large_again",
             again)):
        print(f"{what}: {done[1]['wall']:.0f} ms, {done[1]['mib']:.0f} MiB",
              file=sys.stderr)
        rows.append(row(what, f"{NOTES} notes, {size:.0f} MiB, "
                        f"{done[1]['mib']:.0f} MiB of memory: {name} / a tenth"
                        " of the notes", done[1]["wall"], done[0]["wall"],
                        "ms", None if what == "large_again" else 15))
    return rows


MEASURES = {"programs": measure_programs, "record": measure_record,
            "ready": measure_ready, "large": measure_large}


def add_options(parser):
    add_usual_options(parser)
    parser.add_argument("rows", nargs="*", metavar="ROW", default=list(MEASURES),
                        choices=MEASURES, help="of those above")


def measure(root, options):
    path = root / "bench/results/replay.json"
    rows = {r["row"]: r for r in (read_json(path) if path.exists() else [])}
    with tempfile.TemporaryDirectory(prefix="replay-") as work:
        bench = Bench(root, options.build.resolve(), work, options.rounds)
        for name in options.rows:
            for new in MEASURES[name](bench):
                rows[new["row"]] = new
                print(f"{new['row']}: {new['ratio']:.3f}", file=sys.stderr)
    write_results(root, "replay", list(rows.values()))
    return True
