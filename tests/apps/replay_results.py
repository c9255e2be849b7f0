#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what "run.sh --replay" recorded, and tabulates it.

replay_results.py [--json FILE] [--markdown FILE] FOLDER ...
replay_results.py --line FOLDER
replay_results.py --document DOCUMENT [--check] FILE

As results.py, of which this is a part: in FILE an application's rows from one
driver to another are replaced, and others stay.
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
import results  # noqa: E402  pylint: disable=wrong-import-position
from results import Failure, lines_of  # noqa: E402

RUNS = ("cold", "first", "warm")
KEYS = ("application", "version", "runs", "from", "driver", "machine",
        "problems", "replay", "programs_specialised", "launches_specialised",
        "not_there", "reads_files", *RUNS)


# ---- Reading and judging ---------------------------------------------------

def read_json(path):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return json.loads(text) if text.strip() else None


def read_replay(folder):
    """The report of the tool, and the time of its process."""
    report = read_json(folder / "replayed") or {}
    status, ns = (lines_of(folder / "processes") or ["-1 0 replay"])[0] \
        .split()[:2]
    names = ("programs", "kept", "failed", "refused", "left",
             "launches_too_large")
    return {"status": int(status), "ms": int(ns) // 1000000,
            **{name: report.get(name, 0) for name in names}}


def specialised(folder):
    """Of the application's own cold run there: programs that the record has
    not, and launches, of programs that it has; and how many programs the
    record alone has."""
    difference = read_json(folder / "diff")
    if difference is None:
        raise Failure(f"{folder}: the records were not compared")
    alone = [p for p in difference["programs"]
             if p["only_in"].endswith("record_there")]
    launches = sum("class" in p for p in alone)
    other = sum("class" not in p for p in difference["programs"])
    return len(alone) - launches, launches, other - len(alone) + launches


def judge(folder, row):
    """Everything that does not hold."""
    if lines_of(folder / "recorded/status") != ["0"]:
        yield "the recorded run failed"
    if row["replay"]["programs"] == 0:
        yield "nothing was recorded"
    # A device without doubles cannot compile what the record has of them.
    lost = row["replay"]["programs"] - row["replay"]["kept"]
    if row["replay"]["status"] not in (0, 1) or lost > row["not_there"]:
        yield f"replay: exit status {row['replay']['status']}"
    for name in RUNS:
        problems = list(results.run_problems(name, row[name]))
        difference = results.artifact_problem(folder / name / "artifact",
                                              folder / "cold/artifact")
        if difference is not None:
            problems.append(difference)
        yield from (f"{name}: {text}" for text in problems)
    if row["cold"]["compilations"] == 0:
        yield "cold: compiles nothing, so proves nothing"
    if row["warm"]["compilations"] != 0:
        yield f"warm: {row['warm']['compilations']} compilations"
    # What the application makes for this device alone cannot be in the record;
    # a program may be compiled twice before it is kept.
    more = row["first"]["compilations"]
    if row["programs_specialised"] > 0:
        more = row["first"]["kept"] - row["programs_specialised"]
    if more > 0:
        yield f"first: {more} compilations of what was recorded"


def read_application(place):
    folder = pathlib.Path(place)
    runs = {name: results.read_run(folder / name) for name in RUNS}
    missing = [name for name, run in runs.items() if run is None]
    if missing:
        raise Failure(f"{folder}: no run {', '.join(missing)}")
    text = {name: " ".join(lines_of(folder / name))
            for name in ("version", "runs", "from", "driver", "reads_files")}
    programs, launches, not_there = specialised(folder)
    row = {"application": folder.name, **text, "machine": results.machine(),
           "replay": read_replay(folder / "replay"),
           "programs_specialised": programs,
           "launches_specialised": launches, "not_there": not_there, **runs}
    return {**row, "problems": list(judge(folder, row))}


# ---- Tables ----------------------------------------------------------------

def line(row):
    """How one application went."""
    if row["problems"]:
        return "FAILED  " + "; ".join(row["problems"])
    return (f"ok  {row['replay']['kept']:3} replayed in {row['replay']['ms']}"
            f" ms; cold {row['cold']['ms']} ms, first after the replay"
            f" {row['first']['ms']} ms with {row['first']['compilations']}"
            f" compilations, warm {row['warm']['ms']} ms")


def markdown_table(rows):
    """Of applications that hold; a document has no others."""
    failed = [row["application"] for row in rows if row["problems"]]
    if failed:
        raise Failure(f"no table of what failed: {', '.join(failed)}")
    machines = sorted({row["machine"] for row in rows})
    lines = [f"Measured on {'; '.join(machines)}, in milliseconds, of whole "
             "processes:", "",
             "| application | recorded on | replayed and run on | programs |"
             " replayed | cold | first | warm | compiled first | specialised |",
             "| --- | --- | --- |" + " ---: |" * 7]
    for row in rows:
        lines.append(
            f"| {row['version']}{' (`--read-files`)' * bool(row['reads_files'])}"
            f" | {row['from']} | {row['driver']} |"
            f" {row['replay']['programs']} | {row['replay']['kept']} |"
            + "".join(f" {row[name]['ms']} |" for name in RUNS)
            + f" {row['first']['compilations']} |"
              f" {row['programs_specialised']} |")
    return "\n".join(lines)


# ---- The program -----------------------------------------------------------

def key_of(row):
    return row["application"], row["from"], row["driver"]


def add_to(path, rows):
    """Those of the file, these in their place."""
    new = {key_of(row): row for row in rows}
    old = json.loads(path.read_text("utf-8")) if path.exists() else []
    merged = {**{key_of(row): row for row in old}, **new}
    path.write_text(json.dumps([merged[key] for key in sorted(merged)],
                               indent=1) + "\n", encoding="utf-8")


def tabulate(arguments):
    rows = [read_application(place) for place in arguments.places]
    print("\n".join((f"{row['application']:14} " if not arguments.line else "")
                    + line(row) for row in rows))
    if arguments.json:
        add_to(arguments.json, rows)
    if arguments.markdown:
        arguments.markdown.write_text(markdown_table(rows) + "\n",
                                      encoding="utf-8")
    return 1 if any(row["problems"] for row in rows) else 0


def document(arguments):
    table = markdown_table(
        results.read_rows(pathlib.Path(arguments.places[0]), KEYS))
    results.put_table(arguments.document, "tests/apps/run.sh --replay", table,
                      arguments.check, "tests/apps/replay_results.py")
    return 0


def main():
    arguments = results.parser_of(__doc__).parse_args()
    return document(arguments) if arguments.document else tabulate(arguments)


if __name__ == "__main__":
    results.run_main(main)
