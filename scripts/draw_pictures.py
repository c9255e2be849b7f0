#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws all pictures of the documents from recorded results.

usage: draw_pictures.py [--check]
       draw_pictures.py --starts COLD.json WARM.json OUT.svg

Each picture, and what it is drawn from:
  docs/images/applications.svg    tests/apps/results.json
  docs/images/model_caches.svg    bench/results/model_caches.json, nvidia_models.json
  docs/models_*.svg        bench/results/models.json, model_caches.json
  docs/images/stores_scale.svg    bench/results/stores_scale.json
  docs/images/fleet_scale.svg     bench/results/fleet.json

With --check nothing is written, and a picture that shows anything else than the
results is an error. --starts draws two records of model_loader --json. Exit
status: 0 fine, 1 not, 2 wrong usage.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
import bars_chart  # noqa: E402
import fleet_chart  # noqa: E402
import store_chart  # noqa: E402
import timeline_chart  # noqa: E402
from recorded import (  # noqa: E402
    ROOT, Failure, put, read_json, read_rows, run_main)

# As people write them.
NETWORKS = {"bvlc_alexnet": "AlexNet", "squeezenet": "SqueezeNet",
            "shufflenet": "ShuffleNet", "resnet50": "ResNet-50"}
STARTS = ("model", "device", "cold", "warm")


def one_of(rows, name, path):
    for row in rows:
        if row["model"] == name:
            return row
    raise Failure(f"{path}: no row of {name}")


def model_pictures(docs, results):
    """Of a network that was measured with each cache, those starts, since all
    of a picture are of one run."""
    with_caches = {row["model"]: row for row in read_rows(
        results / "model_caches.json", (*STARTS, "own", "driver"))}
    for row in read_rows(results / "models.json", STARTS):
        row = with_caches.get(row["model"], row)
        starts = [("no cache", row["cold"]), ("dnnl_cache", row["warm"])]
        if "own" in row:
            starts.insert(1, ("PoCL's cache", row["own"]))
        yield docs / f"models_{row['model']}.svg", timeline_chart.draw(
            NETWORKS.get(row["model"], row["model"]), starts)
    nvidia = one_of(read_rows(results / "nvidia_models.json",
                              ("model", "device", "cold", "driver", "warm")),
                    "resnet50", results / "nvidia_models.json")
    pocl = one_of(with_caches.values(), "resnet50",
                  results / "model_caches.json")
    yield docs / "model_caches.svg", bars_chart.caches("ResNet-50", pocl, nvidia)


def pictures(docs, results):
    """{path: text}."""
    applications = read_rows(
        results.parents[1] / "tests/apps/results.json",
        ("application", "driver", "machine", "not_kept", "bare", "cold",
         "warm"))
    scale = read_rows(results / "stores_scale.json", (
        "store", "operation", "versus", "entries", "base", "ratio", "target",
        "file_system"))
    unknown = {row["store"] for row in scale} - set(store_chart.STYLES)
    if unknown:
        raise Failure(f"stores_scale.json: no style for {sorted(unknown)}")
    return {
        docs / "applications.svg": bars_chart.applications(applications),
        docs / "stores_scale.svg": store_chart.chart(scale),
        docs / "fleet_scale.svg": fleet_chart.chart(
            read_rows(results / "fleet.json", ("ours", "reference", "target"))),
        **dict(model_pictures(docs, results)),
    }


def draw_starts(cold, warm, out):
    cold, warm = (read_json(pathlib.Path(name)) for name in (cold, warm))
    pathlib.Path(out).write_text(timeline_chart.draw(
        pathlib.PurePath(cold["model"]).name,
        [("no cache", cold), ("dnnl_cache", warm)]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--starts", nargs=3, metavar=("COLD", "WARM", "OUT"))
    options = parser.parse_args()
    if options.starts:
        return draw_starts(*options.starts)
    for path, text in pictures(ROOT / "docs/images", ROOT / "bench/results").items():
        put(path, text, options.check, "scripts/draw_pictures.py")
    return 0


if __name__ == "__main__":
    run_main(main)
