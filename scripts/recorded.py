# SPDX-License-Identifier: Apache-2.0
"""Recorded results, and the tables between markers that documents have of them.

What results.py, draw_pictures.py and all other scripts share that write a table.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Failure(Exception):
    """Something a person has to see to; its text says what."""


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Failure(f"{path}: {error}") from error


def commit(root=ROOT):
    """The commit of the sources, twelve digits; "-dirty" behind it if they were
    changed since, "unknown" without git."""
    done = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12",
         "--exclude=*"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=False)
    return done.stdout.strip() or "unknown"


def read_rows(path, keys):
    """The rows of a file of results, each of which has the keys."""
    rows = read_json(path)
    if not isinstance(rows, list) or not rows:
        raise Failure(f"{path}: not a list of rows")
    for row in rows:
        missing = [key for key in keys if key not in row]
        if missing:
            raise Failure(f"{path}: a row without {', '.join(missing)}")
    return rows


def read_benchmarks(folder, keys):
    """{name: rows} of the files of a folder that benchmarks wrote: lists of rows
    that have a "row" and a "ratio", and so all of the keys. Those of several
    starts (bench/starts.py) have a ratio for each."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        rows = read_json(path)
        if isinstance(rows, list) and any(
                "row" in row and "ratio" in row for row in rows):
            found[path.stem] = read_rows(path, keys)
    if not found:
        raise Failure(f"{folder}: no results")
    return found


def grid(heads, rows, left=1):
    """The lines of a table. Columns after the first ones are of numbers, to the
    right. A cell of None has one space, an empty one two."""
    def line(cells):
        return "|" + "|".join(" " if cell is None else f" {cell} "
                              for cell in cells) + "|"

    return [line(heads),
            line(["---"] * left + ["---:"] * (len(heads) - left)),
            *map(line, rows)]


def markers(name, script):
    """The lines of a document that a table of that name stands between."""
    return f"<!-- {name}: begin, written by {script} -->", f"<!-- {name}: end -->"


def with_table(path, name, script, table):
    """A document's text with the table between the markers of that name."""
    text = path.read_text(encoding="utf-8")
    begin, end = markers(name, script)
    if text.count(begin) != 1 or text.count(end) != 1:
        raise Failure(f"{path} needs one line {begin} and one {end}")
    head, rest = text.split(begin)
    if end not in rest:
        raise Failure(f"{path}: its markers are in the wrong order")
    return f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"


def put(path, text, check, command):
    """Writes a file; with check, sees that it says this already."""
    old = path.read_text(encoding="utf-8") if path.exists() else None
    if old == text:
        return
    if check:
        raise Failure(f"{path} does not say what was measured: run {command}")
    path.write_text(text, encoding="utf-8")


def put_table(path, name, table, check, script):
    """Puts a table between a document's markers, likewise."""
    put(path, with_table(path, name, script, table), check, script)


# What is not as it should be, in what a script reads or measures.
WRONG = (Failure, OSError, KeyError, ValueError)


def words_of(error):
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def run_main(main):
    """Ends a script with what its main function gives, or with 1 and a message
    if something is WRONG."""
    try:
        sys.exit(main() or 0)
    except WRONG as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {words_of(error)}")


def table_options(description, document, **sources):
    """The options of a script that writes one table: --check, --document, and one
    for each file or folder that the table is made of, with its default."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if the document says "
                             "something else")
    parser.add_argument("--document", type=pathlib.Path,
                        default=ROOT / document)
    for name, path in sources.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, default=ROOT / path)
    return parser.parse_args()
