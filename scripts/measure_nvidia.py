# SPDX-License-Identifier: Apache-2.0
"""Takes what scripts/nvidia_results.sh measured on another machine.

Makes three files of bench/results of its folders: nvidia.json are the rows of
dnnl_cache_bench, nvidia_layer.json those of dnnl_cache_layer_bench, and
nvidia_models.json has a row for each network. Of a row or network that several
folders have, the last counts; what none has stays.
"""
import pathlib
import statistics

from measuring import write_results
from recorded import Failure, read_json, read_rows
from result_tables import BENCH, LAYER, NVIDIA_WAYS

TIMES = ("ready", "driver_load", "compile", "first_run", "steady_run")


def record_of(path):
    record = read_json(path)
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
    for way in NVIDIA_WAYS:
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


def add_options(parser):
    parser.add_argument("folders", type=pathlib.Path, metavar="OUT", nargs="+")


def measure(root, options):
    outs, results = options.folders, root / "bench/results"
    bench = merged(results / "nvidia.json", "row",
                   bench_rows(outs, "bench", BENCH))
    layer = merged(results / "nvidia_layer.json", "row",
                   bench_rows(outs, "layer", LAYER))
    models = merged(results / "nvidia_models.json", "model",
                    [model_rows(out, bench) for out in outs])
    for name, rows in (("nvidia", bench), ("nvidia_layer", layer),
                       ("nvidia_models", models)):
        write_results(root, name, rows, indent=2)
    return True
