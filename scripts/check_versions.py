#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the versions in IDs change with the code that they stand for.

IDs of the application's programs name versions instead of a commit. The table
scripts/versions.json has, for each version, where its number is, the files
behind it, and a digest of each file without comments and white space.

usage: check_versions.py [--root DIR]
       check_versions.py --update [SET ...] [--same-behaviour REASON]

Without --update the exit status is 1 if a file or a number is not as recorded,
or if a file of the listed folders is in no set; each is named. --update records
the files as they are. It asks for a higher number where a file changed, unless
--same-behaviour says why programs that are kept remain what this code would
make. To put another file in a set, or to remove one, edit the table first: the
digest may be "".
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

TABLE = "scripts/versions.json"
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<space>[ \t\v\f\r]+)
  | (?P<line>\n)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<quoted>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<mark>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|&&|\|\||\#\#|[<>=!+*/%&|^-]=|.)
    """, re.DOTALL | re.VERBOSE)


class Failure(Exception):
    """Something a person has to see to; its text says what."""


def tokens(text):
    """The tokens of C code; a line's end counts behind a directive only."""
    directive = False
    before = []  # the kinds of the two tokens before, without a gap
    for match in TOKEN.finditer(text.replace("\\\n", "")):
        kind, token = match.lastgroup, match.group()
        if kind == "line":
            if directive:
                yield "\n"
            directive = False
            before = []
        elif kind in ("comment", "space"):
            before = before[-1:] + [None] if before else []
        else:
            if not before and token == "#":
                directive = True
            # #define f(x) and #define f (x) are two things.
            if directive and token == "(" and before[-2:] == ["define", "word"]:
                token = "f("
            yield token
            if token == "define":
                before = ["define"]
            elif before == ["define", None]:
                before = ["define", "word"]
            else:
                before = [kind]


def digest(path):
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    joined = "\0".join(tokens(text))
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def number_of(root, place):
    path, name = place
    found = re.search(rf'#define {name} "?(\d+)u?"?$',
                      (root / path).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Failure(f"{path}: no number {name}")
    return int(found.group(1))


def changes(root, files):
    """What became of the files since they were recorded."""
    found = []
    for path, recorded in files.items():
        now = digest(root / path)
        if now is None:
            found.append(f"{path} is gone")
        elif now != recorded:
            found.append(f"{path} changed")
    return found


def without_set(root, table):
    known = set(table["nothing"])
    for one in table["sets"].values():
        known.update(one["files"])
    paths = [path.relative_to(root).as_posix()
             for folder in table["folders"]
             for path in (root / folder).glob("**/*.[ch]")]
    return [f"{path} is in no set of {TABLE}, nor in \"nothing\""
            for path in sorted(paths) if path not in known] + \
        [f"{path} is gone" for path in table["nothing"]
         if not (root / path).exists()]


def check(root, table):
    wrong = without_set(root, table)
    for name, one in table["sets"].items():
        number = number_of(root, one["number"])
        for change in changes(root, one["files"]):
            wrong.append(f"{name}: {change} since version {one['version']}")
        if number != one["version"]:
            wrong.append(f"{name}: the version is {number}, and "
                         f"{one['version']} in {TABLE}")
        if (number > 0) != bool(one["files"]):
            wrong.append(f"{name}: a version is 0 while there are no files")
    return wrong


def update_set(root, name, one, reason):
    """Records one set; what is wrong, if it cannot be."""
    number = number_of(root, one["number"])
    found = changes(root, one["files"])
    if number < one["version"]:
        return [f"{name}: version {number} was used before"]
    if number == one["version"] and found and reason is None:
        path, constant = one["number"]
        return [f"{name}: {change}" for change in found] + [
            f"{name}: change {constant} in {path}, or give --same-behaviour "
            "and a reason"]
    if number > one["version"]:
        one["same_behaviour"] = []
    elif found:
        one["same_behaviour"].append(reason)
    one["version"] = number
    one["files"] = {path: digest(root / path)
                    for path in sorted(one["files"])
                    if (root / path).exists()}
    return []


def update(root, table, names, reason):
    unknown = [f"no set {name}" for name in names if name not in table["sets"]]
    if unknown:
        return unknown
    return [wrong for name, one in table["sets"].items()
            if not names or name in names
            for wrong in update_set(root, name, one, reason)]


def main(arguments):
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0],
        description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--same-behaviour", metavar="REASON")
    parser.add_argument("sets", nargs="*", metavar="SET")
    given = parser.parse_args(arguments)
    if not given.update and (given.sets or given.same_behaviour is not None):
        parser.error("SET and --same-behaviour need --update")
    if given.same_behaviour is not None and not given.same_behaviour.strip():
        parser.error("--same-behaviour needs a reason")
    path = given.root / TABLE
    table = json.loads(path.read_text(encoding="utf-8"))
    try:
        if given.update:
            wrong = update(given.root, table, given.sets, given.same_behaviour)
            if not wrong:
                path.write_text(json.dumps(table, indent=4) + "\n",
                                encoding="utf-8")
        else:
            wrong = check(given.root, table)
    except Failure as failure:
        wrong = [str(failure)]
    if wrong and not given.update:
        wrong.append("scripts/check_versions.py --help says what to do")
    print("\n".join(wrong) or ("versions: recorded" if given.update else
                               "versions: as recorded"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
