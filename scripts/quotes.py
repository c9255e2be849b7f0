#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what documents show of examples/start into them.

usage: quotes.py --check [--root DIR]   does each document show the file's text?
       quotes.py --write [--root DIR]   writes it into the documents

A quotation stands between two comments,

    <!-- examples/start/program.c, What is new: begin, written by scripts/quotes.py -->
    <!-- examples/start/program.c, What is new: end -->

and is the part of the file below the line "---- What is new ----", to the next
such line or to the end, without the indentation that all of its lines have. Without
a name it is all of the file but these lines and the comment that it begins with.
Every file of examples/start is shown somewhere.

Exit status: 0 fine; 1 another text, or a file that is not shown; 2 wrong usage.
"""
import argparse
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    ROOT, WRONG, Failure, markers, put, run_main, with_table, words_of)

SCRIPT = "scripts/quotes.py"
EXAMPLES = "examples/start"
DOCUMENTS = ("README.md", "python/README.md", "docs/**/*.md")
BEGIN = re.compile(rf"<!-- ({EXAMPLES}/[^\s,]+)(?:, ([^:]+))?: begin, written by "
                   rf"{re.escape(SCRIPT)} -->")
PART = re.compile(r"^ *(?:/\*|//|#) -{4} (.+?) -{4,}(?: \*/)?$")
COMMENT = re.compile(r"^(?:#|//|/\*| \*)")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".py": "python", ".sh": "sh",
             "": "dockerfile"}


def parts_of(path):
    """{name: lines} of a file; None is the name of all of it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines + [""])
                 if not COMMENT.match(line))
    parts = {None: [line for line in lines[first:] if not PART.match(line)]}
    name = None
    for line in lines:
        found = PART.match(line)
        if found:
            name = found[1]
            if name in parts:
                raise Failure(f"{path}: two parts {name}")
            parts[name] = []
        elif name:
            parts[name].append(line)
    return parts


def quotation(root, file, part):
    """A part of a file as a document shows it."""
    path = root / file
    parts = parts_of(path)
    if part not in parts:
        raise Failure(f"{path}: no part \"{part}\"")
    text = textwrap.dedent("\n".join(parts[part])).strip("\n")
    if not text:
        raise Failure(f"{path}: nothing in \"{part}\"")
    return f"```{LANGUAGES[path.suffix]}\n{text}\n```"


def put_quotations(root, check):
    failures = []
    shown = set()
    for path in sorted({path for pattern in DOCUMENTS
                        for path in root.glob(pattern)}):
        for file, part in BEGIN.findall(path.read_text(encoding="utf-8")):
            shown.add(file)
            name = f"{file}, {part}" if part else file
            try:
                text = quotation(root, file, part or None)
                new = with_table(path, name, SCRIPT, text)
                if check and new != path.read_text(encoding="utf-8"):
                    raise Failure(f"{path} shows another text: run {SCRIPT} "
                                  "--write")
                put(path, new, check, f"{SCRIPT} --write")
            except WRONG as error:
                failures.append(f"{name}: {words_of(error)}")
    for path in sorted((root / EXAMPLES).iterdir()):
        file = path.relative_to(root).as_posix()
        if file not in shown:
            failures.append(f"{file}: no document shows it between the lines\n"
                            + "\n".join(markers(file, SCRIPT)))
    if failures:
        raise Failure("\n".join(failures))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "write"):
        action.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    put_quotations(options.root.resolve(), options.check)


if __name__ == "__main__":
    run_main(main)
