#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of scripts/nvidia_results.sh, and the tables of docs/PERFORMANCE.md.

    scripts/nvidia_results.py --take OUT [OUT ...]  makes bench/results of its
                                files; of a row or network that several folders
                                have, the last counts; what none has stays
    scripts/nvidia_results.py [--check]     writes the tables, or compares

nvidia.json are the rows of dnnl_cache_bench, which readme_table.py shows;
nvidia_layer.json those of dnnl_cache_layer_bench; nvidia_models.json has a row for
each network. Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import argparse
import json
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
from layer_results import KEYS as LAYER_KEYS, table as layer_table  # noqa: E402
from recorded import Failure, put_table, read_rows, run_main  # noqa: E402

MARKERS = ("<!-- nvidia: begin, written by scripts/nvidia_results.py -->",
           "<!-- nvidia: end -->")
WAYS = ("cold", "driver", "warm", "ptx")
TIMES = ("ready", "driver_load", "compile", "first_run", "steady_run")
# What a start is good for, and how the table says it: the first result, or in
# records of before that was measured, the network.
FIRST = {"result": ("first result", "from the start of the process to the first "
                    "result; to its end"),
         "ready": ("ready", "until the network can run; of the whole process")}
MODEL_KEYS = ("model", "device", "platform", "rounds", "programs", *WAYS)
BENCH_KEYS = ("row", "what", "target", "ratio", "met", "platform", "device")


# ---- Taking ----------------------------------------------------------------

def record_of(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    times = {name: record[name] for name in TIMES}
    process, begun = map(int, path.with_suffix(".us").read_text(
        encoding="utf-8").split())
    first = next(span for span in record["timeline"]
                 if span["phase"] == "first_run")
    times["result"] = (record["began"] - begun) / 1000 + first["end"]
    times["process"] = process / 1000
    return record, times


def model_row(folder, name, device, platform):
    row = {"model": name, "device": device, "platform": platform}
    for way in WAYS:
        taken = [record_of(path)
                 for path in sorted(folder.glob(f"{name}.{way}.*.json"))]
        if not taken:
            raise Failure(f"{folder}: no {way} start of {name}")
        row[way] = {time: round(statistics.median(t[time] for _, t in taken),
                                3)
                    for time in taken[0][1]}
        row["rounds"] = min(len(taken), row.get("rounds", len(taken)))
        row["programs"] = max(taken[0][0]["programs_compiled"],
                              taken[0][0]["programs_loaded"])
    return row


def merged(old, key, lists):
    """Of rows with one key the last; in the order of the first."""
    rows = {row[key]: row for row in read_rows(old, (key,))}
    for taken in lists:
        rows.update({row[key]: row for row in taken})
    return list(rows.values())


def bench_rows(outs, name, keys):
    """The rows of all files NAME.json and NAME.GROUP.json, by folder."""
    return [[row for path in sorted(out.glob(f"{name}*.json"))
             for row in read_rows(path, keys) if row["ratio"] is not None]
            for out in outs]


def model_rows(out, bench):
    folder = out / "models"
    names = sorted({path.name.split(".")[0]
                    for path in folder.glob("*.json")})
    return [model_row(folder, name, bench[0]["device"], bench[0]["platform"])
            for name in names]


def take(outs, results):
    bench = merged(results / "nvidia.json", "row",
                   bench_rows(outs, "bench", BENCH_KEYS))
    layer = merged(results / "nvidia_layer.json", "row",
                   bench_rows(outs, "layer", LAYER_KEYS))
    models = merged(results / "nvidia_models.json", "model",
                    [model_rows(out, bench) for out in outs])
    for name, rows in (("nvidia", bench), ("nvidia_layer", layer),
                       ("nvidia_models", models)):
        (results / f"{name}.json").write_text(
            json.dumps(rows, indent=2) + "\n", encoding="utf-8")


# ---- The tables ------------------------------------------------------------

def milliseconds(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def models_table(rows):
    first = ("result" if all("result" in row[way] for row in rows for way in WAYS)
             else "ready")
    name, explained = FIRST[first]
    rounds = " or ".join(map(str, sorted({row["rounds"] for row in rows})))
    lines = [
        f"Medians of {rounds} rounds on {rows[0]['device']}, in "
        "milliseconds: to get all programs (compiled by the driver with no cache, "
        "by the driver with its own cache, loaded from our blobs, and from our "
        f"blobs without finalised forms); {explained}; and a later run from machine "
        "code over one from PTX.",
        "",
        "| network | programs: no cache | driver's cache | our store | our store, "
        f"PTX | {name}: no cache | driver's cache | our store | process: no "
        "cache | driver's cache | our store | later runs |",
        "| --- |" + " ---: |" * 11]
    for row in rows:
        cells = [row["cold"]["compile"], row["driver"]["compile"],
                 row["warm"]["driver_load"], row["ptx"]["driver_load"]]
        for what in (first, "process"):
            cells += [row[way][what] for way in ("cold", "driver", "warm")]
        runs = row["warm"]["steady_run"] / row["ptx"]["steady_run"]
        lines.append(f"| {row['model']} | "
                     f"{' | '.join(map(milliseconds, cells))} | {runs:.3f} |")
    return lines


def document(root, check):
    results = root / "bench/results"
    models = results / "nvidia_models.json"
    text = layer_table(read_rows(results / "nvidia_layer.json", LAYER_KEYS))
    if models.exists():
        text += "\n\n" + "\n".join(
            models_table(read_rows(models, MODEL_KEYS)))
    put_table(root / "docs/PERFORMANCE.md", MARKERS, text, check,
              "scripts/nvidia_results.py")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--take", type=pathlib.Path, metavar="OUT", nargs="+")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.take:
        take(options.take, root / "bench/results")
    document(root, options.check)


if __name__ == "__main__":
    run_main(main)
