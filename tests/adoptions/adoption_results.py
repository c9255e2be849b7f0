#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what tests/adoptions/run.sh recorded, and tabulates it.

adoption_results.py [--json FILE] FOLDER ...
adoption_results.py --line FOLDER
adoption_results.py --document DOCUMENT [--check] FILE

A FOLDER has the runs of one adoption. --line says how they went. --json puts
their rows into FILE, in place of rows of the same adoptions. --document puts the
tables of FILE into the document between its markers; with --check nothing is
written, and a document that says anything else is an error. Exit status: 0 all
hold, 1 one does not, 2 wrong usage.
"""
import json
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "apps"))
import results  # noqa: E402  pylint: disable=wrong-import-position
from results import Failure, lines_of  # noqa: E402

FIELDS = ("letter", "title", "licence", "name", "version", "runs", "compared",
          "own_cache", "origin")
KINDS = ("none", "cold", "warm", "own", "driver")
ORIGINS = {"debian": "Debian", "pypi": "PyPI"}
KEYS = ("adoption", *FIELDS, "lines", "driver", "machine", "load", "problems",
        "starts", "eight")


# ---- Reading ---------------------------------------------------------------

def counted(folder):
    """What the library counted in all processes of a run."""
    documents = [json.loads(text)["library"]
                 for text in lines_of(folder / "stats")]
    return {"reports": len(documents),
            "compiled": sum(d["programs"]["compiled"] for d in documents),
            "rejected": sum(d["programs"]["blobs_rejected"] for d in documents),
            "hits": sum(d["stores"]["hits"] for d in documents),
            "failures": sum(d["stores"]["failures"] for d in documents)}


def read_runs(folders):
    """A kind of runs, in the order of the rounds."""
    runs = {}
    for kind in KINDS:
        places = [f / kind for f in folders if (f / kind / "ms").exists()]
        if not places:
            continue
        ms = [int(lines_of(p / "ms")[0]) for p in places]
        counts = [counted(p) for p in places]
        runs[kind] = {
            "ms": ms, "median_ms": round(statistics.median(ms)),
            **{name: sum(c[name] for c in counts) for name in counts[0]}}
    for run in runs.values():
        ratios = [a / b for a, b in zip(run["ms"], runs["none"]["ms"])]
        run["ratio"] = round(statistics.median(ratios), 3)
    return runs


def read_load(folders):
    values = [float(lines_of(path)[0]) for folder in folders
              for path in sorted(folder.glob("*/load"))]
    return {"least": min(values), "most": max(values)} if values else None


# ---- Judging ---------------------------------------------------------------

def process_problems(folder):
    """What does not hold of all processes of an adoption: each ends well, and
    makes what the first one did."""
    processes = sorted(folder.glob("runs/*/*/process*"))
    first = folder / "runs/1/none/process1/artifact"
    for process in processes:
        name = process.relative_to(folder / "runs")
        if lines_of(process / "status") != ["0"]:
            yield f"{name} failed"
        else:
            difference = results.artifact_problem(process / "artifact", first)
            if difference is not None:
                yield f"{name}: {difference}"


def count_problems(starts, eight):
    """What does not hold of the library's part."""
    for runs, processes, when in ((starts, 1, ""), (eight, 8, "eight, ")):
        for kind in ("cold", "warm"):
            run = runs.get(kind)
            if run is None:
                continue
            if run["reports"] != processes * len(run["ms"]):
                yield f"{when}{kind}: a process ran without the library"
            if run["rejected"] or run["failures"]:
                yield f"{when}{kind}: a blob was rejected, or the store failed"
            if kind == "cold" and run["compiled"] == 0:
                yield f"{when}cold: compiles nothing, so proves nothing"
            if kind == "warm" and run["compiled"] != 0:
                yield f"{when}warm: {run['compiled']} compilations"
            if kind == "warm" and run["hits"] == 0:
                yield f"{when}warm: nothing came from the store"


def read_adoption(place):
    folder = pathlib.Path(place)
    single = sorted((f for f in folder.glob("runs/*") if f.name.isdigit()),
                    key=lambda f: int(f.name))
    together = sorted(folder.glob("runs/eight*"))
    if not single or not (single[0] / "none/ms").exists():
        raise Failure(f"{folder}: no runs")
    starts, eight = read_runs(single), read_runs(together)
    added, removed, whole = map(int, lines_of(folder / "lines")[0].split())
    return {"adoption": folder.name,
            **dict(zip(FIELDS, lines_of(folder / "fields"))),
            "lines": {"added": added, "removed": removed,
                      "removed_files": whole},
            "driver": lines_of(folder / "driver")[0],
            "machine": results.machine(),
            "load": read_load(single + together),
            "problems": [*process_problems(folder),
                         *count_problems(starts, eight)],
            "starts": starts, "eight": eight}


# ---- Tables ----------------------------------------------------------------

def seconds(ms):
    return f"{ms / 1000:.2f} s"


def cell(runs, kind):
    run = runs.get(kind)
    if run is None:
        return ""
    ratio = "" if kind == "none" else f" ({run['ratio']:.2f})"
    return seconds(run["median_ms"]) + ratio


def line(row):
    """How one adoption went."""
    if row["problems"]:
        return "FAILED  " + "; ".join(row["problems"])
    text = ", ".join(f"{kind} {cell(row['starts'], kind)}" for kind in KINDS
                     if kind in row["starts"])
    lines = row["lines"]
    return f"ok  +{lines['added']} -{lines['removed']} lines; {text}"


def lines_table(rows):
    lines = ["| | program | from | licence | lines of the patch | lines of "
             "removed files | lines in all |",
             "| --- | --- | --- | --- | ---: | ---: | ---: |"]
    for row in rows:
        n = row["lines"]
        lines.append(
            f"| ({row['letter']}) | {row['title']} |"
            f" {ORIGINS[row['origin']]}: {row['name']} {row['version']} |"
            f" {row['licence']} | +{n['added']} -{n['removed']} |"
            f" {-n['removed_files'] if n['removed_files'] else ''} |"
            f" {n['added'] - n['removed'] - n['removed_files']:+} |")
    return lines


def times_table(rows, name, head):
    lines = ["", head, "",
             "| | runs | no cache | cold | warm | its own cache | the driver's"
             " cache |", "| --- | --- |" + " ---: |" * 5]
    for row in rows:
        lines.append(f"| ({row['letter']}) {row['name']} | {row['runs']} | " +
                     " | ".join(cell(row[name], kind) for kind in KINDS) + " |")
    return lines


def tables(rows):
    """Of adoptions that hold; a document has no others."""
    failed = [row["adoption"] for row in rows if row["problems"]]
    if failed:
        raise Failure(f"no table of what failed: {', '.join(failed)}")
    rows = sorted(rows, key=lambda row: (row["letter"], row["adoption"]))
    where = sorted({f"{row['driver']}, {row['machine']}" for row in rows})
    rounds = sorted({len(row["starts"]["none"]["ms"]) for row in rows})
    load = (min(row["load"]["least"] for row in rows),
            max(row["load"]["most"] for row in rows))
    together = [row for row in rows if row["eight"]]
    text = lines_table(rows)
    text += times_table(
        rows, "starts",
        f"Measured on {'; '.join(where)}, as medians of"
        f" {' or '.join(map(str, rounds))} rounds; the load of the machine was"
        f" {load[0]:.1f} to {load[1]:.1f}. In brackets: the median ratio to \"no"
        " cache\" in the same round. From start to exit:")
    if together:
        text += times_table(together, "eight",
                            "Eight processes that start at once, until the "
                            "last has ended:")
    return "\n".join(text)


# ---- The program -----------------------------------------------------------

def put_rows(path, rows):
    """These rows in the place of those of the same adoptions."""
    old = json.loads(path.read_text("utf-8")) if path.exists() else []
    merged = {row["adoption"]: row for row in old + rows}
    path.write_text(json.dumps([merged[name] for name in sorted(merged)],
                               indent=1) + "\n", encoding="utf-8")


def main():
    arguments = results.parser_of(__doc__).parse_args()
    if arguments.document:
        rows = results.read_rows(pathlib.Path(arguments.places[0]), KEYS)
        results.put_table(arguments.document, "tests/adoptions/run.sh",
                          tables(rows), arguments.check,
                          "tests/adoptions/adoption_results.py")
        return 0
    rows = [read_adoption(place) for place in arguments.places]
    if arguments.line:
        print("\n".join(line(row) for row in rows))
    if arguments.json:
        put_rows(arguments.json, rows)
    return 1 if any(row["problems"] for row in rows) else 0


if __name__ == "__main__":
    results.run_main(main)
