#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every parser of bytes from outside has a fuzz target.

usage: check_parsers.py [TREE]

A file of src, stores, layer, model, tools or python that calls a function which
reads a file, a socket, a message or a number from bytes or text needs a line in
tests/fuzz/parsers.txt: with its targets, or with the reason why it needs none.
Every target is in that list, in a table of tests/fuzz/README.md and has seeds;
the sources that targets.cmake gives it are there.

Exit status: 1 if anything is missing, or names what is not there.
"""
import pathlib
import re
import sys

READERS = re.compile(
    r"\b(load_le(16|32|64)"
    r"|file_read_(whole|up_to|at|some|some_at|open)|file_stream"
    r"|state_folder_read|state_lines_next|message_receive|channel_receive"
    r"|socket_receive|sscanf|strto(u?ll?|d|f|umax|imax)|ato(i|l|ll|f)|fgets"
    r"|getline|getdelim|fread|pread|sqlite3_column_\w+"
    r"|protobuf_c_message_unpack|png_image_begin_read\w*|jpeg_read_header"
    r"|redisReaderFeed)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TOPS = ("src", "stores", "layer", "model", "tools", "python")


def readers(tree):
    """Files that call one of the functions."""
    found = set()
    for top in TOPS:
        for path in sorted((tree / top).rglob("*.c")):
            code = COMMENT.sub("", path.read_text(errors="replace"))
            if READERS.search(code):
                found.add(path.relative_to(tree).as_posix())
    return found


def read_table(path):
    """{file: targets}; none: a reason stands in their place."""
    rows, wrong = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+(?: \S+)*?) (:|-) (\S.*)", line)
        if match is None:
            wrong.append(f"{path.name}:{number}: neither targets nor a reason")
            continue
        targets = match[3].split() if match[2] == ":" else []
        for name in match[1].split():
            if name in rows:
                wrong.append(f"{path.name}:{number}: {name} is there twice")
            rows[name] = targets
    return rows, wrong


def targets_of(folder):
    return {path.stem for path in folder.glob("fuzz_*.c")}


def missing_sources(folder, cmake):
    """Files that targets.cmake names and that are not there: only the full tier
    builds the targets."""
    cmake = re.sub(r"#[^\n]*", "", cmake)
    names = dict(re.findall(r"set\((\w+) ([^\s()$]+)\)", cmake))
    paths = (re.sub(r"\$\{(\w+)\}", lambda m: names.get(m[1], m[0]), path)
             for path in re.findall(r"[^\s()]+\.c\b", cmake))
    return sorted({path for path in paths
                   if "$" not in path and not (folder / path).is_file()})


def check(tree):
    folder = tree / "tests/fuzz"
    rows, wrong = read_table(folder / "parsers.txt")
    targets = targets_of(folder)
    readme = (folder / "README.md").read_text()
    cmake = (folder / "targets.cmake").read_text()
    described = set(re.findall(r"^\| (fuzz_\w+) \|[^|]*\|[^|]*\|$", readme, re.M))
    used = {target for row in rows.values() for target in row}
    wrong += [f"{name}: in targets.cmake, and not there"
              for name in missing_sources(folder, cmake)]
    for name in sorted(readers(tree) - set(rows)):
        wrong.append(f"{name}: reads bytes from outside, and is not in "
                     "parsers.txt: name its fuzz target, or why it needs none")
    for name in sorted(rows):
        if not (tree / name).is_file():
            wrong.append(f"{name}: in parsers.txt, and not there")
    for target in sorted(used - targets):
        wrong.append(f"{target}: in parsers.txt, and there is no such target")
    for target in sorted(targets):
        if target not in used and target not in SELF:
            wrong.append(f"{target}: no file of parsers.txt has it")
        if target not in described:
            wrong.append(f"{target}: not in a table of README.md")
        if not re.search(rf"\b{target}\b", cmake):
            wrong.append(f"{target}: not in targets.cmake")
        if not any((folder / "corpus" / target).glob("*")):
            wrong.append(f"{target}: no seed in corpus/{target}")
    return wrong


# Their parsers read from memory alone: no file of theirs calls a reader.
SELF = {"fuzz_header_set", "fuzz_npy_reader", "fuzz_source_macros"}


def main():
    tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong = check(tree)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
