#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures cold and warm starts of models, and puts them into docs/MODELS.md.

    scripts/model_results.py --measure [--build build] [--rounds 5]

runs model_loader on the networks of tests/data/onnx/networks, each with an
empty store and then with what it left there, PoCL's own cache off and its
folder empty for each process, and model_floor (what the driver alone needs for
the same programs); writes bench/results/models.json. With --light FOLDER it runs the
other networks of ONNX's Python package instead (its folder
onnx/backend/test/data/light), and writes bench/results/models_light.json. Without
--measure those results become the table of docs/MODELS.md; with --check nothing is
written, and a document that says anything else is an error.
scripts/draw_pictures.py draws the first.

--measure-caches runs one network in three ways, in turns: with no cache (cold),
with our store (warm), and with PoCL's own cache alone, at its second start (own);
writes bench/results/model_caches.json, which scripts/draw_pictures.py draws.
--draw COLD.json WARM.json OUT.svg draws two records of model_loader --json.

Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import timeline_chart  # noqa: E402
from recorded import (  # noqa: E402
    Failure, put_table, read_rows, run_main)

NETWORKS = ("bvlc_alexnet", "squeezenet", "shufflenet", "resnet50")
LIGHT = ("densenet121", "inception_v1", "inception_v2", "vgg19", "zfnet512")
SCRIPT = "scripts/model_results.py"
MARKERS = ("<!-- models: begin, written by scripts/model_results.py -->",
           "<!-- models: end -->")
KEYS = ("model", "device", "cold", "warm", "ready", "result", "first_run",
        "load", "rounds")
# At most: ready warm / cold, start to first result likewise, first run / steady
# run, programs / driver floor.
MOST_READY, MOST_RESULT, MOST_FIRST, MOST_FLOOR = 0.05, 0.06, 1.2, 1.2


# ---- Measuring -------------------------------------------------------------

def run(command, folder, own=None):
    """One process with an empty folder for PoCL, or with its cache in the folder
    own; what it printed."""
    with tempfile.TemporaryDirectory(dir=folder) as pocl:
        environment = dict(os.environ, POCL_KERNEL_CACHE="1" if own else "0",
                           POCL_CACHE_DIR=own or pocl, CUDA_CACHE_DISABLE="1")
        done = subprocess.run(command, env=environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n"
                      f"{done.stderr[-2000:]}")
    return done.stdout


def start(loader, model, store, folder, *more, own=None):
    """The record of one start."""
    record = pathlib.Path(folder) / "record.json"
    run([loader, model, "--store", store, "--weights", "random:1",
         "--platform", "Portable", "--repeat", "7", "--json", str(record),
         *more], folder, own)
    return json.loads(record.read_text(encoding="utf-8"))


def middle(records):
    """The record whose time until ready is the median, so that its parts
    belong together."""
    return sorted(records, key=lambda record: record["ready"])[
        len(records) // 2]


def result(record):
    """From the start of the process to the first result."""
    return record["ready"] + record["first_run"]


def measure_one(build, networks, name, rounds):
    loader, floor = str(build / "bin/model_loader"), build / "bin/model_floor"
    model = str(networks / f"light_{name}.onnx")
    cold, warm, alone = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            store = f"{folder}/store{number}"
            cold.append(start(loader, model, store, folder))
            warm.append(start(loader, model, store, folder, "--cached-only"))
            printed = json.loads(run(
                [str(floor), f"{store}/programs", "portable"], folder))
            alone.append(printed["ms"])
            print(f"{name}: {number + 1} of {rounds}: ready "
                  f"{cold[-1]['ready']:.0f} ms cold, {warm[-1]['ready']:.0f} "
                  "ms warm", file=sys.stderr)
    for record in cold + warm:
        record["model"] = name
    median = statistics.median
    return {"model": name, "device": warm[0]["device"], "cold": middle(cold),
            "warm": middle(warm), "rounds": rounds,
            "ready": median(w["ready"] / c["ready"]
                            for c, w in zip(cold, warm)),
            "result": median(result(w) / result(c)
                             for c, w in zip(cold, warm)),
            "first_run": median(w["first_run"] / w["steady_run"]
                                for w in warm),
            "load": median((w["store"] + w["driver_load"]) / ms
                           for w, ms in zip(warm, alone))}


def measure_caches(root, build, rounds, name="resnet50"):
    """One network with no cache, with our store, and with PoCL's own cache: a
    file is in the place of the store then."""
    loader = str(build / "bin/model_loader")
    model = str(root / f"tests/data/onnx/networks/light_{name}.onnx")
    records = {"cold": [], "warm": [], "own": []}
    with tempfile.TemporaryDirectory() as folder:
        none = pathlib.Path(folder) / "none"
        none.touch()
        for number in range(rounds):
            store, own = f"{folder}/store{number}", f"{folder}/own{number}"
            os.mkdir(own)
            records["cold"].append(start(loader, model, store, folder))
            start(loader, model, str(none), folder, own=own)
            for way in ("warm", "own") if number % 2 else ("own", "warm"):
                records[way].append(
                    start(loader, model, store, folder, "--cached-only")
                    if way == "warm" else
                    start(loader, model, str(none), folder, own=own))
            print(f"{name}: {number + 1} of {rounds}: ready " + ", ".join(
                f"{way} {taken[-1]['ready']:.0f} ms"
                for way, taken in records.items()), file=sys.stderr)
    row = {"model": name, "rounds": rounds,
           "device": records["warm"][0]["device"], "driver": pocl_version(),
           "ready": {way: statistics.median(
               record["ready"] / cold["ready"]
               for record, cold in zip(taken, records["cold"]))
               for way, taken in records.items()}}
    for way, taken in records.items():
        row[way] = dict(middle(taken), model=name)
    (root / "bench/results/model_caches.json").write_text(
        json.dumps([row], indent=1) + "\n", encoding="utf-8")


def pocl_version():
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Version}", "pocl-opencl-icd"],
        text=True, check=False, stdout=subprocess.PIPE)
    return done.stdout or "PoCL"


def measure(root, build, rounds, light):
    networks = light or root / "tests/data/onnx/networks"
    rows = [measure_one(build, networks, name, rounds)
            for name in (LIGHT if light else NETWORKS)]
    path = root / "bench/results" / (
        "models_light.json" if light else "models.json")
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


# ---- The document ----------------------------------------------------------

def ratio(value, most):
    words = f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
    return words if value <= most else f"**{words}** (missed)"


def table_of(rows, light):
    lines = [
        f"Medians of {rows[0]['rounds']} rounds, ratios within each, on "
        f"{rows[0]['device']}; the last {len(light)} are of ONNX's Python "
        f"package, on {light[0]['device']}:", "",
        "| network | primitives | programs compiled cold, warm | ready cold | "
        "ready warm | warm / cold (0.05) | start to first result, warm / cold "
        "(0.06) | first run / steady, warm (1.2) | "
        "look-up and load / driver alone (1.2) |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows + light:
        cold, warm = row["cold"], row["warm"]
        lines.append(
            f"| {row['model']} | {warm['primitives']} | "
            f"{cold['programs_compiled']}, {warm['programs_compiled']} | "
            f"{cold['ready']:.0f} ms | {warm['ready']:.0f} ms | "
            f"{ratio(row['ready'], MOST_READY)} | "
            f"{ratio(row['result'], MOST_RESULT)} | "
            f"{ratio(row['first_run'], MOST_FIRST)} | "
            f"{ratio(row['load'], MOST_FLOOR)} |")
    lines.append("")
    for row in rows:
        lines.append(f"![Phases of a cold and a warm start of {row['model']}]"
                     f"(models_{row['model']}.svg)")
    return "\n".join(lines)


def document(root, check):
    results = root / "bench/results"
    table = table_of(read_rows(results / "models.json", KEYS),
                     read_rows(results / "models_light.json", KEYS))
    put_table(root / "docs/MODELS.md", MARKERS, table, check, SCRIPT)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--measure-caches", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--light", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--draw", nargs=3, metavar=("COLD", "WARM", "OUT"))
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments.draw:
        cold, warm = (json.loads(pathlib.Path(name).read_text(
            encoding="utf-8")) for name in arguments.draw[:2])
        pathlib.Path(arguments.draw[2]).write_text(timeline_chart.draw(
            pathlib.PurePath(cold["model"]).name,
            [("no cache", cold), ("dnnl_cache", warm)]),
            encoding="utf-8")
        return
    if arguments.measure_caches:
        measure_caches(root, arguments.build.resolve(), arguments.rounds)
        return
    if arguments.measure:
        measure(root, arguments.build.resolve(), arguments.rounds,
                arguments.light and arguments.light.resolve())
    document(root, arguments.check)


if __name__ == "__main__":
    run_main(main)
