# SPDX-License-Identifier: Apache-2.0
"""Measures cold and warm starts of models.

Runs model_loader on the networks of tests/data/onnx/networks, each with an empty
store and then with what it left there, PoCL's own cache off and its folder empty
for each process, and model_floor (what the driver alone needs for the same
programs). scripts/draw_pictures.py draws the results, too.
"""
import json
import os
import pathlib
import sys
import tempfile

from measuring import (
    add_usual_options, median_ratio, package_version, run, without_pocl_cache,
    write_results)

NETWORKS = ("bvlc_alexnet", "squeezenet", "shufflenet", "resnet50")
POCL = "pocl-opencl-icd"
LIGHT = ("densenet121", "inception_v1", "inception_v2", "vgg19", "zfnet512")


def run_one(command, folder, own=None):
    """What one process printed, which had an empty folder for PoCL, or its cache
    in the folder own."""
    with tempfile.TemporaryDirectory(dir=folder) as pocl:
        environment = without_pocl_cache(own or pocl, CUDA_CACHE_DISABLE="1")
        if own:
            environment["POCL_KERNEL_CACHE"] = "1"
        return run(command, environment)


def start(loader, model, store, folder, *more, own=None):
    """The record of one start."""
    record = pathlib.Path(folder) / "record.json"
    run_one([loader, model, "--store", store, "--weights", "random:1",
             "--platform", "Portable", "--repeat", "7", "--json", record, *more],
            folder, own)
    return json.loads(record.read_text(encoding="utf-8"))


def middle(records):
    """The record whose time until ready is the median, so that its parts
    belong together."""
    return sorted(records, key=lambda record: record["ready"])[
        len(records) // 2]


def all_of(records, *names):
    """Of each record the sum of these times."""
    return [sum(record[name] for name in names) for record in records]


def measure_one(build, networks, name, rounds):
    loader, floor = build / "bin/model_loader", build / "bin/model_floor"
    model = networks / f"light_{name}.onnx"
    cold, warm, alone = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            store = f"{folder}/store{number}"
            cold.append(start(loader, model, store, folder))
            warm.append(start(loader, model, store, folder, "--cached-only"))
            alone.append(json.loads(run_one(
                [floor, f"{store}/programs", "portable"], folder))["ms"])
            print(f"{name}: {number + 1} of {rounds}: ready "
                  f"{cold[-1]['ready']:.0f} ms cold, {warm[-1]['ready']:.0f} "
                  "ms warm", file=sys.stderr)
    for record in cold + warm:
        record["model"] = name

    def ratio(*names):
        return median_ratio(all_of(warm, *names), all_of(cold, *names))

    # "result": from the start of the process to the first result.
    return {"model": name, "device": warm[0]["device"], "cold": middle(cold),
            "warm": middle(warm), "rounds": rounds, "ready": ratio("ready"),
            "result": ratio("ready", "first_run"),
            "first_run": median_ratio(all_of(warm, "first_run"),
                                      all_of(warm, "steady_run")),
            "load": median_ratio(all_of(warm, "store", "driver_load"), alone)}


def measure_caches(root, build, rounds, name="resnet50"):
    """One network with no cache, with our store, and with PoCL's own cache: a
    file is in the place of the store then."""
    loader = build / "bin/model_loader"
    model = root / f"tests/data/onnx/networks/light_{name}.onnx"
    records = {"cold": [], "warm": [], "own": []}
    with tempfile.TemporaryDirectory() as folder:
        none = pathlib.Path(folder) / "none"
        none.touch()
        for number in range(rounds):
            store, own = f"{folder}/store{number}", f"{folder}/own{number}"
            os.mkdir(own)
            records["cold"].append(start(loader, model, store, folder))
            start(loader, model, none, folder, own=own)
            for way in ("warm", "own") if number % 2 else ("own", "warm"):
                records[way].append(
                    start(loader, model, store, folder, "--cached-only")
                    if way == "warm" else
                    start(loader, model, none, folder, own=own))
            print(f"{name}: {number + 1} of {rounds}: ready " + ", ".join(
                f"{way} {taken[-1]['ready']:.0f} ms"
                for way, taken in records.items()), file=sys.stderr)
    row = {"model": name, "rounds": rounds,
           "device": records["warm"][0]["device"],
           "driver": f"{POCL} {package_version(POCL)}",
           "ready": {way: median_ratio(all_of(taken, "ready"),
                                       all_of(records["cold"], "ready"))
                     for way, taken in records.items()}}
    for way, taken in records.items():
        row[way] = dict(middle(taken), model=name)
    write_results(root, "model_caches", [row])


def add_options(parser):
    add_usual_options(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--light", type=pathlib.Path, metavar="FOLDER",
                       help="the other networks of ONNX's Python package instead "
                       "(its folder onnx/backend/test/data/light)")
    which.add_argument("--caches", action="store_true",
                       help="ResNet-50 in three ways instead, in turns: with no "
                       "cache (cold), with our store (warm), and with PoCL's own "
                       "cache alone, at its second start (own)")


def measure(root, options):
    build = options.build.resolve()
    if options.caches:
        measure_caches(root, build, options.rounds)
        return True
    networks = options.light or root / "tests/data/onnx/networks"
    write_results(root, "models_light" if options.light else "models", [
        measure_one(build, networks.resolve(), name, options.rounds)
        for name in (LIGHT if options.light else NETWORKS)])
    return True
