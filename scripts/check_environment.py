#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the environment variables that are part of every ID, the list in
src/gpu/device.c, with those that docs/IDENTITY.md names, each once. Exits with
1 and says what differs.
"""
import collections
import pathlib
import re
import sys

LIST = re.compile(r"\benvironment\[\] = \{(.*?)\};", re.DOTALL)
SECTION = re.compile(r"^## Environment variables$(.*?)(?=^## |\Z)",
                     re.DOTALL | re.MULTILINE)


def names(path, part, name):
    """The names in a part of a file, with how often each is there."""
    found = part.search(path.read_text(encoding="utf-8"))
    if found is None:
        sys.exit(f"{path}: the list of environment variables is not there")
    return collections.Counter(name.findall(found.group(1)))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    code = names(root / "src/gpu/device.c", LIST, re.compile(r'"(\w+)"'))
    # Rows of the table only; a file's name has a dot or a slash.
    docs = names(root / "docs/IDENTITY.md", SECTION,
                 re.compile(r"`([A-Z]+_\w+)`"))
    wrong = [f"docs/IDENTITY.md lacks {name}" for name in code - docs]
    wrong += [f"docs/IDENTITY.md names {name}, which does not count, or twice"
              for name in docs - code]
    if not code:
        wrong.append("src/gpu/device.c: no names in the list")
    print("\n".join(sorted(wrong)) or f"environment: {len(code)} variables")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
