#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures, and puts what was recorded into the documents, as tables.

usage: results.py --check [SUBJECT ...]   is each table what was recorded?
       results.py --write [SUBJECT ...]   writes the tables
       results.py --list                  what there is, of what and measured how
       results.py --measure SUBJECT ...   measures, records it in bench/results
                                          and writes the tables; with --help
                                          says how

A SUBJECT is a table between two marker comments of its name; without any, all.
result_tables.py has the list of them, and measure_SUBJECT.py what --measure
runs. --root DIR takes documents and results from another folder than this
project's.

Exit status: 0 fine; 1 a table or results that are not as they should be, also
a README of more than 200 lines; 2 wrong usage.
"""
import argparse
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    ROOT, WRONG, Failure, put, read_json, read_rows, run_main, with_table,
    words_of)
from result_tables import SUBJECTS  # noqa: E402

SCRIPT = "scripts/results.py"
README_LINES = 200  # at most, tables included


# ---- Tables ----------------------------------------------------------------

def place_of(root, source):
    return root / (source if "/" in source else f"bench/results/{source}.json")


def lines_of(subject, root):
    """The table of a subject."""
    places = [(place_of(root, source), keys)
              for source, keys in subject.sources.items()]
    return subject.table(*(read_rows(place, keys) if keys else read_json(place)
                           for place, keys in places))


def put_tables(root, names, check):
    """Writes them, or sees that they are there."""
    failures = []
    for name in names:
        subject = SUBJECTS[name]
        path = root / subject.document
        try:
            table = "\n".join(lines_of(subject, root))
            put(path, with_table(path, name, SCRIPT, table), check,
                f"{SCRIPT} --write {name}")
            lines = path.read_text(encoding="utf-8").count("\n")
            if subject.document == "README.md" and lines > README_LINES:
                raise Failure(f"{path} has {lines} lines, more than "
                              f"{README_LINES}")
        except WRONG as error:
            failures.append(f"{name}: {words_of(error)}")
    if failures:
        raise Failure("\n".join(failures))


def print_list():
    for name, subject in SUBJECTS.items():
        print(f"{name:13} {subject.document:20} {', '.join(subject.sources)}: "
              f"{subject.measured}")


# ---- Measuring -------------------------------------------------------------

def measures():
    return sorted(path.stem.removeprefix("measure_") for path in
                  pathlib.Path(__file__).parent.glob("measure_*.py"))


def measure(root, name, words):
    """Records what one subject takes now."""
    module = importlib.import_module(f"measure_{name}")
    parser = argparse.ArgumentParser(
        prog=f"results.py --measure {name}", description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    module.add_options(parser)
    if module.measure(root, parser.parse_args(words)):
        put_tables(root, SUBJECTS, False)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "write", "list"):
        action.add_argument(f"--{name}", action="store_true")
    action.add_argument("--measure", choices=measures())
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    # What follows --measure SUBJECT is that one's.
    words = sys.argv[1:]
    end = words.index("--measure") + 2 if "--measure" in words else len(words)
    options = parser.parse_args(words[:end])
    if options.measure:
        return measure(options.root.resolve(), options.measure, words[end:])
    for name in options.subjects:
        if name not in SUBJECTS:
            parser.error(f"no subject {name}: {', '.join(SUBJECTS)}")
    if options.list:
        return print_list()
    return put_tables(options.root, options.subjects or SUBJECTS, options.check)


if __name__ == "__main__":
    run_main(main)
