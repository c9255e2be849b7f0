# SPDX-License-Identifier: Apache-2.0
"""The edits of rows/*.toml: found by function and text, never by line."""
import pathlib
import re
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent / "rows"
KEYS = {"rows", "file", "function", "text", "replacement", "why"}


class EditError(Exception):
    """An edit that is not well formed, or whose place is not found."""


class Edit:
    """One planted fault, and the rows whose behaviour it breaks."""

    def __init__(self, entry, source):
        missing = {"rows", "file", "text", "replacement"} - set(entry)
        if missing or set(entry) - KEYS:
            raise EditError(f"{source}: an edit has rows, file, function, text "
                            f"and replacement, not {sorted(entry)}")
        self.rows = entry["rows"]
        self.file = entry["file"]
        self.function = entry.get("function", "")
        self.text = entry["text"].strip("\n")
        self.replacement = entry["replacement"].strip("\n")
        self.name = f"{source}: {self.file}: {self.function or 'file'}"

    def key(self):
        """What it is, in one text."""
        return "\0".join((self.file, self.function, self.text,
                          self.replacement))

    def apply(self, content):
        """The file's content with the fault planted."""
        if self.text == self.replacement:
            raise EditError(f"{self.name}: changes nothing")
        start, end = 0, len(content)
        if self.function:
            start, end = span_of(content, self.function, self.name)
        body = content[start:end]
        count = body.count(self.text)
        if count != 1:
            raise EditError(f"{self.name}: the text is there {count} times, "
                            f"not once: {self.text!r}")
        return (content[:start] + body.replace(self.text, self.replacement)
                + content[end:])


def span_of(content, name, where):
    """Where a function, or a table, begins and ends.

    Its first line begins in the first column, as does the brace that ends it.
    """
    word = re.compile(rf"^(?![ \t#/*}}]).*\b{re.escape(name)}\b", re.MULTILINE)
    found = []
    for match in word.finditer(content):
        opening = content.find("{", match.end())
        semicolon = content.find(";", match.end())
        if opening < 0 or 0 <= semicolon < opening:
            continue  # a declaration
        closing = content.find("\n}", opening)
        if closing >= 0:
            found.append((match.start(), closing + 2))
    if len(found) != 1:
        raise EditError(f"{where}: {name} is defined {len(found)} times")
    return found[0]


def read_edits(folder=FOLDER):
    """All edits, in the order of the files."""
    edits = []
    for path in sorted(folder.glob("*.toml")):
        try:
            entries = tomllib.loads(path.read_text()).get("edit", [])
        except tomllib.TOMLDecodeError as error:
            raise EditError(f"{path.name}: {error}") from error
        edits += [Edit(entry, path.name) for entry in entries]
    return edits
