#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what the library lacks into docs/reference/onednn.md, from src/gpu/engine/lacks.h.

With --check nothing is written, and a document that says anything else is an
error. Either way the sources are read, too: every lack is told somewhere, and
no call of a primitive, a descriptor or memory answers dnnl_unimplemented
without telling one. A line that may do that has a comment above it that begins
with "No refusal:". Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import re
import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    Failure, grid, put_table, run_main, table_options)

LEAST = 50
# Where calls of oneDNN's answer, and the files that tell.
ROOMS = ("memory", "primitive", "kinds")
TELLERS = ("primitive/verbose.c",)
TEXT = r'"(?:[^"\\]|\\.)*"'


def joined(literals):
    """The text of C string literals side by side."""
    return "".join(t[1:-1] for t in re.findall(TEXT, literals))


def without_comments(text):
    """C without comments, in as many lines."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text,
                  flags=re.S)


def read_list(text, name, fields):
    """The rows of the X-macro of that name: names, then texts."""
    body = re.search(rf"#define {name}\(X\)((?:.*\\\n)+.*\n)", text)
    if body is None:
        raise Failure(f"no list {name}")
    names, texts = fields
    pattern = (r"X\(" + r"\s*,\s*".join([r"(\w+)"] * names +
                                       [rf"((?:{TEXT}\s*)+)"] * texts) + r"\)")
    body = body.group(1).replace("\\\n", "\n")
    rows = re.findall(pattern, body)
    if len(rows) != len(re.findall(r"\bX\(", body)):
        raise Failure(f"{name}: a row that cannot be read")
    return [row[:names] + tuple(joined(t) for t in row[names:]) for row in rows]


def read_lacks(path):
    """{NAME: words} and [(where, what, words)]."""
    text = path.read_text(encoding="utf-8")
    words = dict(read_list(text, "LACKS", (1, 1)))
    cases = read_list(text, "LACK_CASES", (2, 2))
    for name, told in words.items():
        if "," in told or not told:
            raise Failure(f"LACK_{name}: commas separate the fields of a line")
        if not any(case[1] == name for case in cases):
            raise Failure(f"LACK_{name} has no case")
    if len(set(words.values())) != len(words):
        raise Failure(f"{path}: two lacks with the same words")
    places = [case[2] for case in cases]
    if len(cases) < LEAST:
        raise Failure(f"{path}: only {len(cases)} cases")
    if any(places[i] != places[i - 1] and places[i] in places[:i]
           for i in range(1, len(places))):
        raise Failure(f"{path}: cases of one place do not stand together")
    return words, [(where, what, words[name]) for _, name, where, what in cases]


def check_sources(gpu, words):
    """Is every lack told, and nothing refused without telling one?"""
    faults = []
    told = set()
    for path in sorted(gpu.glob("**/*.[ch]")):
        source = path.read_text(encoding="utf-8")
        code = without_comments(source).splitlines()
        lines = source.splitlines()
        if path.name not in ("lacks.h", "lacks.c"):
            told.update(re.findall(r"\bLACK_(\w+)", "\n".join(code)))
        name = f"{path.parent.name}/{path.name}"
        if path.parent.name not in ROOMS or name in TELLERS:
            continue
        for number, line in enumerate(code):
            answers = re.findall(r"(?:[=!]= ?)?\bdnnl_unimplemented\b", line)
            if all(a.startswith(("==", "!=")) for a in answers):
                continue
            if "/* No refusal:" not in "\n".join(lines[max(0, number - 3):number]):
                faults.append(f"src/gpu/{name}:{number + 1}: refuses without "
                              "telling a lack")
    faults += [f"LACK_{name} is told nowhere" for name in words
               if name not in told]
    if faults:
        raise Failure("\n".join(["", *faults]))


def main():
    options = table_options(__doc__, "docs/reference/onednn.md",
                            sources="src/gpu")
    words, cases = read_lacks(options.sources / "engine" / "lacks.h")
    check_sources(options.sources, words)
    places = {}
    for where, what, _ in cases:
        places.setdefault(where, []).append(what)
    table = grid(["where", "what"], [[where, "; ".join(dict.fromkeys(what))]
                                     for where, what in places.items()], left=2)
    put_table(options.document, "lacks", "\n".join(table), options.check,
              "scripts/lack_table.py")


if __name__ == "__main__":
    run_main(main)
