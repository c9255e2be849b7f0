#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts recorded results into README.md and docs/PERFORMANCE.md, as tables.

    README.md, starts   tests/apps/results.json (tests/apps/run.sh) and
                        bench/results/models.json (scripts/model_results.py)
    README.md, peers    bench/results/peers.json (scripts/peer_results.py)
    PERFORMANCE.md      all other bench/results/NAME.json, as dnnl_cache_bench
                        --json writes them, one column each; stores*.json,
                        layer.json and fleet.json have scripts of their own

A table stands between two marker comments. With --check nothing is written,
and a document that says anything else is an error, as is a README of more than
200 lines. Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from recorded import (OTHER_FORMS, Failure, put_table, read_rows,  # noqa: E402
                      run_main)

STARTS = ("<!-- starts: begin, written by scripts/readme_table.py -->",
          "<!-- starts: end -->")
PEERS = ("<!-- peers: begin, written by scripts/readme_table.py -->",
         "<!-- peers: end -->")
RATIOS = ("<!-- dnnl_cache_bench: begin, written by "
          "scripts/readme_table.py -->",
          "<!-- dnnl_cache_bench: end -->")
KEYS = ("row", "what", "target", "ratio", "met", "platform", "device")
OTHERS = ("fleet", "layer", "nvidia_layer", "replay") + OTHER_FORMS
# Columns of drivers with targets of their own, which their cells name.
OTHER_TARGETS = ("nvidia",)
README_LINES = 200  # at most, tables included

# What the first table of the README shows, of all that was recorded.
APPLICATIONS = (("darktable", "darktable, exporting a picture"),
                ("pyopencl", "pyopencl, arrays, a reduction and a scan"),
                ("clfft", "clFFT's client, two transforms"),
                ("ffmpeg", "FFmpeg, three OpenCL filters"),
                ("opencv", "OpenCV from Python, four filters"))
NETWORKS = (("resnet50", "ResNet-50"), ("squeezenet", "SqueezeNet"))


# ---- The README ------------------------------------------------------------

def seconds(ms):
    return f"{ms / 1000:.2f} s"


def cpu_of(device):
    """PoCL's name of a device without its threads and target."""
    name = device.rsplit("-", 1)[-1]
    return name.replace("(R)", "").replace(" Processor", "")


def starts_table(root):
    """Whole processes of applications, and networks until they can run."""
    applications = {row["application"]: row for row in read_rows(
        root / "tests/apps/results.json",
        ("application", "driver", "machine", "bare", "cold", "warm"))}
    networks = {row["model"]: row for row in read_rows(
        root / "bench/results/models.json",
        ("model", "device", "cold", "warm"))}
    lines = ["| | no cache | first start | every later start |",
             "| --- | ---: | ---: | ---: |"]
    for name, words in APPLICATIONS:
        times = [applications[name][run]["ms"]
                 for run in ("bare", "cold", "warm")]
        lines.append(f"| {words} | {' | '.join(map(seconds, times))} |")
    for name, words in NETWORKS:
        cold, warm = (networks[name][run]["ready"] for run in ("cold", "warm"))
        lines.append(f"| {words}, until it can run | | {seconds(cold)} | "
                     f"{seconds(warm)} |")
    nvidia = {row["model"]: row for row in read_rows(
        root / "bench/results/nvidia_models.json",
        ("model", "device", "cold", "driver", "warm"))}
    for name, words in NETWORKS[:1]:
        cold, warm = (nvidia[name][run]["ready"] for run in ("cold", "warm"))
        lines.append(f"| {words} on an H100, likewise | | {seconds(cold)} | "
                     f"{seconds(warm)} |")
    one = applications[APPLICATIONS[0][0]]
    cpu = cpu_of(networks[NETWORKS[0][0]]["device"])
    also = "" if cpu == one["machine"] else f" (the networks: {cpu})"
    lines += ["", f"{one['driver']} on an {one['machine']} CPU{also}, and NVIDIA's "
              "driver on an H100 GPU."]
    return "\n".join(lines)


def peers_table(root):
    """Processes of one application, with one cache or another."""
    rows = read_rows(root / "bench/results/peers.json",
                     ("driver", "version", "machine", "application", "rounds",
                      "runs"))
    lines = ["| driver | no cache | the driver's own | pyopencl's own | "
             "dnnl_cache (layer) | layer and driver's own | "
             "no OpenCL program |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        cells = []
        for mode in ("none", "driver", "pyopencl", "layer", "both",
                     "start"):
            run = row["runs"][mode]
            of_none = "" if mode == "none" else f" ({run['ratio']:.2f})"
            cells.append(f"{run['ms']:.0f} ms{of_none}")
        lines.append(f"| {row['driver']} {row['version']} | "
                     f"{' | '.join(cells)} |")
    one = rows[0]
    lines += ["", f"{one['application']} on an {one['machine']} CPU; medians of "
              f"{one['rounds']} rounds."]
    return "\n".join(lines)


# ---- docs/PERFORMANCE.md ---------------------------------------------------

def read_results(folder):
    """{name: entries}, by name, of all files of results."""
    results = {}
    for path in sorted(folder.glob("*.json")):
        if path.stem.startswith("stores") or path.stem in OTHERS:
            continue
        results[path.stem] = read_rows(path, KEYS)
    if not results:
        raise Failure(f"{folder}: no results")
    return results


def number(value):
    """Three significant digits, without an exponent."""
    digits = 3
    size = abs(value)
    while size < 1 and size > 0 and digits < 8:
        size *= 10
        digits += 1
    text = f"{value:.{digits - 1}f}" if abs(value) < 10 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell(entry, target):
    """What a column says of a row, whose usual target it is."""
    if entry is None or entry["ratio"] is None:
        return "not measured"
    text = number(entry["ratio"])
    own = "" if entry["target"] == target else (
        f"at most {number(entry['target'])}")
    if not entry["met"]:
        return f"**{text}** ({', '.join(filter(None, ('missed', own)))})"
    return f"{text} ({own})" if own else text


def rows_of(results):
    """[(row, what, target)], in the order of the files, which must agree but
    for the targets of OTHER_TARGETS."""
    rows = {}
    for name, entries in sorted(results.items(),
                                key=lambda item: item[0] in OTHER_TARGETS):
        for entry in entries:
            known = rows.setdefault(entry["row"],
                                    (entry["what"], entry["target"]))
            if known[0] != entry["what"] or (
                    known[1] != entry["target"]
                    and name not in OTHER_TARGETS):
                raise Failure(
                    f"{name}.json: another target or meaning of "
                    f"{entry['row']} than in the files before it")
    return [(row, what, target) for row, (what, target) in rows.items()]


def ratios_table(root):
    """All results of dnnl_cache_bench, a column for each file."""
    results = read_results(root / "bench/results")
    names = list(results)
    lines = [
        "| row | ratio | at most | " + " | ".join(names) + " |",
        "| --- | --- | ---: |" + " ---: |" * len(names),
    ]
    by_name = {
        name: {entry["row"]: entry for entry in entries}
        for name, entries in results.items()
    }
    for row, what, target in rows_of(results):
        cells = [cell(by_name[name].get(row), target) for name in names]
        lines.append(f"| `{row}` | {what} | {number(target)} | "
                     f"{' | '.join(cells)} |")
    lines.append("")
    for name in names:
        entry = results[name][0]
        platform = " ".join(entry["platform"].split())
        device = " ".join(entry["device"].split())
        lines.append(f"- {name}: {platform}; {device}")
    return "\n".join(lines)


# ---- The documents ---------------------------------------------------------

TABLES = (("README.md", STARTS, starts_table),
          ("README.md", PEERS, peers_table),
          ("docs/PERFORMANCE.md", RATIOS, ratios_table))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if a table is another one")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the folder of documents and results")
    options = parser.parse_args()
    for name, markers, table in TABLES:
        put_table(options.root / name, markers, table(options.root),
                  options.check, "scripts/readme_table.py")
    lines = (options.root / "README.md").read_text(
        encoding="utf-8").count("\n")
    if lines > README_LINES:
        raise Failure(f"README.md has {lines} lines, more than "
                      f"{README_LINES}")


if __name__ == "__main__":
    run_main(main)
