#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what run.sh recorded, and tabulates it.

results.py [--json FILE] [--markdown FILE] [--counts FILE] FOLDER ...
results.py --line FOLDER
results.py --document DOCUMENT [--check] FILE [COUNTS]
results.py --compare FILE FILE

A FOLDER has the runs of one application. --line says how they went, and that
is all. --document puts the table of the JSON file, and one of what --counts
wrote, into the document between its markers; with --check nothing is written,
and a document that says anything else is an error. --compare takes two files
that --counts wrote: of no application may fewer programs be kept in the second,
and none that can be kept may be compiled when warm. Exit status: 0 all hold,
1 one does not, 2 wrong usage.
"""
import argparse
import collections
import filecmp
import json
import pathlib
import platform
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from recorded import Failure, put_table, read_rows, run_main  # noqa: E402

RUNS = ("bare", "cold", "warm", "own")
COMPILATIONS = ("source_builds", "source_compiles", "source_links")
LAYER = ("hits", "partial_hits", "misses", "kept", "not_kept", "bytes_written",
         "bytes_read", "overhead_ns", "capture_ns", "saved_ns")
KEYS = ("application", "version", "runs", "compared", "not_kept", "problems",
        "machine", "driver", *RUNS)
# A rate measured under the layer is at most so many times another one.
RATE_FACTOR = 5


# ---- Reading a run ---------------------------------------------------------

def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def sums(path, names):
    """The sums of numbers over the JSON lines that processes wrote."""
    documents = [json.loads(line) for line in lines_of(path)]
    return {name: sum(d[name] for d in documents) for name in names}


def read_run(folder):
    """What is known of one run, or None where there was none."""
    if not (folder / "status").exists():
        return None
    processes = [line.split(maxsplit=2) for line in
                 lines_of(folder / "processes")]
    counts = sums(folder / "counts", COMPILATIONS + ("binary_builds",))
    reasons = collections.Counter()
    for text in lines_of(folder / "stats"):
        reasons.update(json.loads(text)["misses_by"])
    return {
        "status": int(lines_of(folder / "status")[0]),
        "processes": len(processes),
        "ms": sum(int(ns) for _, ns, _ in processes) // 1000000,
        "compilations": sum(counts[name] for name in COMPILATIONS),
        "binary_builds": counts["binary_builds"],
        "counters": len(lines_of(folder / "counts")),
        "layers": len(lines_of(folder / "stats")),
        "misses_by": dict(sorted(reasons.items())),
        **sums(folder / "stats", LAYER),
    }


# ---- Judging ---------------------------------------------------------------

def same_rates(path, other):
    """Lines of a name and a rate: the names equal, the rates near."""
    rows = [[line.split() for line in lines_of(p)] for p in (path, other)]
    if [r[0] for r in rows[0]] != [r[0] for r in rows[1]]:
        return False
    return all(0 < float(b[1]) and
               1 / RATE_FACTOR < float(a[1]) / float(b[1]) < RATE_FACTOR
               for a, b in zip(*rows))


def artifact_problem(folder, other):
    """How what two runs made differs; None if it doesn't."""
    names = [sorted(p.name for p in f.iterdir()) for f in (folder, other)]
    if not names[0] or names[0] != names[1]:
        return "makes other files" if names[0] else "makes nothing"
    for name in names[0]:
        path = folder / name
        if path.stat().st_size == 0:
            return f"{name} is empty"
        same = same_rates(path, other / name) if name == "rates" else \
            filecmp.cmp(path, other / name, shallow=False)
        if not same:
            return f"{name} differs"
    return None


def run_problems(name, run):
    """What does not hold of a run by itself."""
    if run["status"] != 0 or run["processes"] == 0:
        yield f"failed with status {run['status']}"
    if run["counters"] < run["processes"]:
        yield "a process was not counted"
    if name == "bare" and run["compilations"] == 0:
        yield "compiles nothing, so proves nothing"
    if name != "bare" and run["layers"] < run["processes"]:
        yield "a process ran without the layer"
    if name == "own" and run["compilations"] != 0:
        yield f"{run['compilations']} compilations below the layer"


def kept_problems(runs, passed_on):
    """What does not hold of an application whose programs are kept, but those
    that the layer passes on for a reason that the application names."""
    cold, warm = runs["cold"], runs["warm"]
    if cold["kept"] == 0:
        yield "cold: nothing was kept"
    if warm["compilations"] != 0:
        yield f"warm: {warm['compilations']} compilations below the layer"
    if warm["hits"] == 0:
        yield "warm: no hit"
    missed = warm["misses"] + warm["partial_hits"] - sum(
        warm["misses_by"].get(reason, 0) for reason in passed_on)
    if missed != 0:
        yield f"warm: {missed} misses"


def passed_problems(runs):
    """What does not hold of one whose programs have to pass through."""
    for name in ("cold", "warm"):
        if runs[name]["compilations"] != runs["bare"]["compilations"]:
            yield f"{name}: compiles another number of programs"
        if runs[name]["misses"] == 0 or runs[name]["hits"] != 0:
            yield f"{name}: something was kept, which is not expected"


def judge(folder, runs, not_kept, passed_on):
    """Everything that does not hold of an application."""
    if any(runs[name] is None for name in ("bare", "cold", "warm")):
        return ["a run is missing"]
    problems = list(passed_problems(runs) if not_kept else
                    kept_problems(runs, passed_on.split()))
    for name, run in runs.items():
        if run is None:
            continue
        found = list(run_problems(name, run))
        difference = artifact_problem(folder / name / "artifact",
                                      folder / "bare/artifact")
        if difference is not None:
            found.append(difference)
        problems += [f"{name}: {text}" for text in found]
    return problems


def machine():
    """The processor, as people call it."""
    for line in lines_of(pathlib.Path("/proc/cpuinfo")):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def read_application(folder):
    folder = pathlib.Path(folder)
    runs = {name: read_run(folder / name) for name in RUNS}
    text = {name: " ".join(lines_of(folder / name))
            for name in ("version", "runs", "compared", "not_kept",
                         "passed_on", "driver")}
    return {"application": folder.name, **text, "machine": machine(),
            "problems": judge(folder, runs, text["not_kept"],
                              text["passed_on"]), **runs}


# ---- Counts ----------------------------------------------------------------

COUNT_KEYS = ("application", "version", "runs", "compared", "driver",
              "programs", "cacheable", "not_cacheable", "compiled_bare",
              "warm_hits", "compiled_warm")


def counts_of(row):
    """What no clock measured, and is the same on every machine."""
    cold, warm = row["cold"], row["warm"]
    seen = cold["hits"] + cold["partial_hits"] + cold["misses"]
    reasons = {reason: n for reason, n in cold["misses_by"].items()
               if reason != "missing"}
    return {**{key: row[key] for key in
               ("application", "version", "runs", "compared", "driver")},
            "programs": seen, "cacheable": seen - sum(reasons.values()),
            "not_cacheable": reasons, "kept": cold["kept"],
            "compiled_bare": row["bare"]["compilations"],
            "warm_hits": warm["hits"], "compiled_warm": warm["compilations"]}


def fewer(before, after):
    """What an application lost between two counts."""
    if after is None:
        yield "was not run"
        return
    if after["cacheable"] * before["programs"] < \
            before["cacheable"] * after["programs"]:
        yield (f"{after['cacheable']} of {after['programs']} programs can be"
               f" kept, before {before['cacheable']} of {before['programs']}")
    of_others = sum(n for reason, n in after["not_cacheable"].items()
                    if reason != "binary")
    if after["compiled_warm"] > of_others:
        yield f"{after['compiled_warm']} compilations in the second run"


def compare(places):
    """Says what was lost from the first file of counts to the second."""
    before, after = ({row["application"]: row for row in
                      json.loads(pathlib.Path(place).read_text("utf-8"))}
                     for place in places)
    lost = [f"{name}: {text}" for name, row in before.items()
            for text in fewer(row, after.get(name))]
    print("\n".join(lost) or f"{len(before)} applications lost nothing")
    return 1 if lost else 0


# ---- Tables ----------------------------------------------------------------

def milliseconds(run):
    return "" if run is None else str(run["ms"])


def line(row):
    """How one application went."""
    if row["problems"]:
        return "FAILED  " + "; ".join(row["problems"])
    if row["not_kept"]:
        return f"ok  passes through: {row['not_kept']}"
    own = f", own cache {row['own']['ms']} ms" if row["own"] else ""
    return (f"ok  {row['bare']['compilations']:3} compilations,"
            f" without {row['bare']['ms']} ms, cold {row['cold']['ms']} ms,"
            f" warm {row['warm']['ms']} ms{own}")


def text_table(rows):
    columns = ("compiled", "kept", "warm hits", "compiled", "without", "cold",
               "warm", "own")
    lines = [f"{'application':14}" + "".join(f"{c:>10}" for c in columns)]
    for row in rows:
        bare, cold, warm = (row[n] or {} for n in ("bare", "cold", "warm"))
        cells = (bare.get("compilations"), cold.get("kept"), warm.get("hits"),
                 warm.get("compilations"), bare.get("ms"), cold.get("ms"),
                 warm.get("ms"), (row["own"] or {}).get("ms"))
        lines.append(f"{row['application']:14}" + "".join(
            f"{'' if c is None else c:>10}" for c in cells) +
            ("  FAILED" if row["problems"] else
             "  passes through" if row["not_kept"] else ""))
    return "\n".join(lines)


def markdown_table(rows):
    """Of applications that hold; a document has no others, so that the warm run of
    each compiles nothing, but for what passes through."""
    failed = [row["application"] for row in rows if row["problems"]]
    if failed:
        raise Failure(f"no table of what failed: {', '.join(failed)}")
    drivers = sorted({f"{row['driver']}, {row['machine']}" for row in rows})
    lines = [f"Measured on {'; '.join(drivers)}, in milliseconds:", "",
             "| application | what runs | compiled without the layer"
             " | hits | without | cold | warm | with its own cache |",
             "| --- | --- |" + " ---: |" * 6]
    for row in rows:
        lines.append(
            f"| {row['version']} | {row['runs']} |"
            f" {row['bare']['compilations']} | {row['warm']['hits']} | {milliseconds(row['bare'])} |"
            f" {milliseconds(row['cold'])} | {milliseconds(row['warm'])} |"
            f" {milliseconds(row['own'])} |")
    lines += [""] + [f"{row['version']} is compiled as without the layer:"
                     f" {row['not_kept']}." for row in rows if row["not_kept"]]
    return "\n".join(lines)


def counts_table(rows):
    """Of applications that are counted only."""
    drivers = sorted({row["driver"] for row in rows})
    lines = ["", f"Counted on {'; '.join(drivers)}:", "",
             "| application | what runs | programs | can be kept | hits |",
             "| --- | --- |" + " ---: |" * 3]
    for row in rows:
        lines.append(
            f"| {row['version']} | {row['runs']} |"
            f" {row['programs']} | {row['cacheable']} | {row['warm_hits']} |")
    reasons = [f"{n} programs of {row['version']} (`{reason}`)" for row in rows
               for reason, n in row["not_cacheable"].items()]
    if reasons:
        lines += ["", f"Passed to the driver: {', '.join(reasons)}."]
    return "\n".join(lines) + "\n"


# ---- The program -----------------------------------------------------------

def tabulate(arguments):
    rows = [read_application(folder) for folder in arguments.places]
    if arguments.line:
        print("\n".join(line(row) for row in rows))
        return 0
    print(text_table(rows))
    if arguments.counts:
        text = json.dumps([counts_of(row) for row in rows
                           if row["cold"] and row["warm"] and row["bare"]],
                          indent=1)
        arguments.counts.write_text(text + "\n", encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n",
                                  encoding="utf-8")
    failed = sum(bool(row["problems"]) for row in rows)
    if arguments.markdown and not failed:
        arguments.markdown.write_text(markdown_table(rows) + "\n",
                                      encoding="utf-8")
    print(f"{len(rows) - failed} hold, {failed} failed")
    return 1 if failed else 0


def document(arguments):
    table = markdown_table(read_rows(pathlib.Path(arguments.places[0]), KEYS))
    for place in arguments.places[1:]:
        table += counts_table(read_rows(pathlib.Path(place), COUNT_KEYS))
    put_table(arguments.document, "tests/apps/run.sh", table, arguments.check,
              "tests/apps/results.py")
    return 0


def parser_of(description):
    """The options that replay_results.py has, too."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--line", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("places", nargs="+")
    return parser


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--counts", type=pathlib.Path)
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(arguments.places)
    return document(arguments) if arguments.document else tabulate(arguments)


if __name__ == "__main__":
    run_main(main)
