#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the Markdown files of the tree name: links and source files.

usage: check_links.py [ROOT]

Each relative link names a file or folder that exists, and a part after "#" is a
heading of that file. Each path of a source file, such as src/common/log.h, exists;
it may leave out src/, src/gpu/, layer/ or stores/, and NAME in it is a placeholder. Exit
status: 0 all do, 1 one does not, 2 wrong usage.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
SOURCE = re.compile(r"(?<![\w/.<$-])((?:[A-Za-z_][\w.-]*/)+[\w.-]+"
                    r"\.(?:c|h|cl|cpp|hpp|py|sh))\b(?![\w/])")
FOLDERS = (".", "src", "src/gpu", "layer", "stores", "include")
CODE = re.compile(r"^```.*?^```|^    [^\n]*$|`[^`\n]*`",
                  re.MULTILINE | re.DOTALL)


def anchors(text):
    """The names that GitHub gives to a file's headings."""
    found = set()
    for heading in HEADING.findall(re.sub(r"^```.*?^```", "", text,
                                          flags=re.MULTILINE | re.DOTALL)):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 1
        unique = name
        while unique in found:
            unique = f"{name}-{number}"
            number += 1
        found.add(unique)
    return found


def broken(page):
    """The links of a page that lead nowhere."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield link
        elif anchor and anchor not in anchors(
                target.read_text(encoding="utf-8")):
            yield link


def missing(root, page):
    """The source files that a page names and that do not exist."""
    for path in SOURCE.findall(page.read_text(encoding="utf-8")):
        places = [root / folder for folder in FOLDERS] + [page.parent]
        if "NAME" not in path and not any(
                (place / path).exists() for place in places):
            yield path


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else
                        pathlib.Path(__file__).parent.parent)
    pages = [page for pattern in ("*.md", "docs/**/*.md", "tests/*/*.md")
             for page in sorted(root.glob(pattern))]
    if not pages:
        sys.exit(f"check_links.py: no Markdown files in {root}")
    wrong = [f"{page.relative_to(root)}: {name}" for page in pages
             for name in [*broken(page), *missing(root, page)]]
    print("\n".join(wrong) or f"links: {len(pages)} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
