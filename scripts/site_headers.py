#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A public header as Doxygen reads it, on standard output: its filter.

usage: site_headers.py HEADER

The comments of the headers are plain C comments. Here they become comments of
Doxygen's that hold reStructuredText:

    the first comment, "NAME: text"       the text of the header's page
    "==== TITLE ====", "---- TITLE ----"  a topic, which is a page or a section;
                                          a comment that follows at once, and
                                          then an empty line, is its text
    a comment before a declaration        documents all declarations up to the
                                          next empty line
    a comment behind a member             documents the member

Other comments stay as they are. Exit status: 0 fine, 1 an unreadable header, 2
wrong usage.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                   re.DOTALL)
SECTION = re.compile(r"^/\* [=-]{4} (.*?) [=-]+ \*/", re.MULTILINE)
TEXT = re.compile(r"[ \t]*\n(/\*(?:(?!\*/).)*\*/)[ \t]*\n[ \t]*\n", re.DOTALL)
ENTRY = re.compile(r"(\S(?:.*?\S)?)  +(\S.*)")
NAME = re.compile(r"`[^`]+`|(?<![\w:./])(?:dnnl_\w*[a-z0-9](?![\w.]*\.h)(?:\(\))?|(?:DNNL|ONEDNN|POCL"
                  r"|CUDA|OPENCL)_[A-Z0-9_]*[A-Z0-9]\b(?!\*)|cl[A-Z]\w+(?:\(\))?"
                  r"|dnnl::[\w:]+(?:\(\))?|std::\w+)")


# ---- Comments as reStructuredText ------------------------------------------

def inline(text):
    """Text with its special characters escaped, and names as code or links."""
    out, end = [], 0
    for found in NAME.finditer(text):
        out.append(escape(text[end:found.start()]))
        name, end = found[0].strip("`"), found.end()
        before = text[found.start() - 1:found.start()]
        after = text[end:end + 1]
        role = "c:func" if name.endswith(")") else "c:data"
        mark = (f":{role}:`{name}`" if name.startswith("dnnl_") else
                f"``{name}``")
        # Markup begins and ends at a word's edge.
        out.append(("\\ " if before.strip() else "") + mark +
                   ("\\ " if after.strip() else ""))
    return "".join(out) + escape(text[end:])


def escape(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def blocks_of(lines):
    """Lists of lines without empty lines between."""
    block = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


def indent_of(line):
    return len(line) - len(line.lstrip())


def entries_of(lines):
    """[(term, [lines])] of lines that are a list of terms, with their
    explanations in one column; None if they are none."""
    least = indent_of(lines[0])
    columns = {least + found.start(2) for line in lines
               if indent_of(line) == least
               for found in [ENTRY.fullmatch(line.strip())] if found}
    columns |= {indent_of(line) for line in lines if indent_of(line) > least}
    if len(columns) != 1:
        return None
    column, entries = columns.pop(), []
    for line in lines:
        if indent_of(line) == column:
            entries[-1][1].append(line.strip())
            continue
        term, words = line[:column].strip(), line[column:].strip()
        if words and line[column - 1] != " ":
            term, words = line.strip(), ""
        entries.append((term, [words] if words else []))
    return entries if all(words for _, words in entries) else None


def literal(lines, pad):
    least = min(map(indent_of, lines))
    return [f"{pad}.. code-block:: none", "",
            *(f"{pad}   {line[least:]}" for line in lines), ""]


def nested(lines, pad):
    """A block that is indented: a list, terms, or text to be shown as it is."""
    least = indent_of(lines[0])
    if lines[0].lstrip().startswith("- "):
        out = []
        for line in lines:
            words = line.strip()
            if words.startswith("- ") and indent_of(line) == least:
                out.append(f"{pad}- {inline(words[2:])}")
            else:
                out.append(f"{pad}  {inline(words)}")
        return [*out, ""]
    entries = entries_of(lines) if least < 4 else None
    if entries is None:
        return literal(lines, pad)
    out = []
    for term, words in entries:
        out += [f"{pad}{inline(term)}", *(f"{pad}   {inline(w)}" for w in words)]
    return [*out, ""]


def parts_of(block):
    """Runs of lines of a block that are all indented, or all not."""
    run = []
    for line in block:
        if run and (indent_of(line) > 0) != (indent_of(run[0]) > 0):
            yield run
            run = []
        run.append(line)
    yield run


def restructured(text):
    """The reStructuredText of a comment's text."""
    out = []
    for block in blocks_of(text.split("\n")):
        if indent_of(block[0]) == 0 and entries_of(block):
            out += nested(block, "")
            continue
        for run in parts_of(block):
            if indent_of(run[0]) > 0:
                out += nested(run, "")
            elif len(run) == 1 and len(block) > 1 and run[0] == block[0] and \
                    not run[0].endswith((".", ":", ",")):
                out += [f"**{escape(run[0])}**", ""]
            else:
                out += [*map(inline, run), ""]
    return "\n".join(out)


def body_of(comment):
    """A comment's text without its stars."""
    lines = comment[2:-2].rstrip().rstrip("*").split("\n")
    lines = [lines[0].strip()] + [
        re.sub(r"^\s*\*? ?", "", line, count=1).rstrip() for line in lines[1:]]
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines).rstrip()


def documentation(text, behind=False, group=""):
    inside = f"@ingroup {group}\n" if group else ""
    return (f"/**{'<' if behind else ''}\n{inside}@verbatim embed:rst\n"
            f"{restructured(text)}\n@endverbatim\n*/")


# ---- The header ------------------------------------------------------------

def without_version(text):
    """An inline namespace of a version is not what users write."""
    text = re.sub(r"inline namespace dnnlc_\w+\n\{\n", "\n\n", text)
    return re.sub(r"(\} // namespace dnnlc_\w+|namespace dnnl = ::dnnl;)\n", "\n",
                  text)


class Header:
    """Reads a header once, from its top to its end."""

    def __init__(self, path):
        self.name = path.name
        self.group = re.sub(r"\W", "_", path.name)
        self.text = path.read_text(encoding="utf-8")
        self.out = []
        # In C++ a group would take the members of its classes, too; so each
        # comment names its group there.
        self.named = path.suffix == ".hpp"
        self.current = ""
        self.opened = 0
        # {group: (title, [text])}, the whole header's first.
        self.topics = {}

    def put(self, text):
        self.out.append(text)

    def open_group(self, group, title, text):
        """Of a title that is there twice, the groups are one."""
        known = self.topics.setdefault(group, (title, []))
        known[1].append(restructured(text))
        self.put(f"/** @addtogroup {group} {title}\n"
                 f"{'*/' if self.named else '@{ */'}\n")
        self.current = group
        self.opened += 1

    def close_group(self):
        self.put("\n" if self.named else "/** @} */\n")
        self.opened -= 1

    def topic(self, title, text):
        if self.opened > 1:
            self.close_group()
        slug = re.sub(r"\W+", "_", title.lower()).strip("_")
        self.open_group(f"{self.group}_{slug}", title, text)

    def comment(self, comment, before, after):
        """What a comment becomes; the number of characters of after that it
        takes with it."""
        text = body_of(comment)
        found = SECTION.fullmatch(comment)
        if found and not before.endswith("\n"):
            self.put(comment)
            return 0
        if found:
            more = TEXT.match(after)
            if more and not SECTION.fullmatch(more[1]):
                self.topic(found[1], body_of(more[1]))
                return more.end() - 1
            self.topic(found[1], "")
            return 0
        if text.startswith("SPDX"):
            return 0
        if text.startswith(f"{self.name}: "):
            text = text[len(self.name) + 2:]
            text = text[0].upper() + text[1:]
            self.put("/** @file */\n")
            self.open_group(self.group, self.name, text)
            return 0
        line = before[before.rfind("\n") + 1:]
        if line.strip():
            self.put(documentation(text, True) if line.strip()[-1] in ";,{" or
                     "=" in line or re.fullmatch(r"\s*\w+", line) else comment)
        elif re.match(r"[ \t]*\n[ \t]*\n", after) or "clang-format" in text:
            self.put(comment)
        else:
            group = self.current if self.named and not line else ""
            return self.declarations(documentation(text, group=group), after,
                                     line)
        return 0

    def declarations(self, words, after, indent):
        """Puts the comment before each declaration up to the next empty line or
        comment; returns the number of characters that this takes of after."""
        end = re.search(r"\n[ \t]*\n|[^\n]*/\*|\Z", after)
        self.put(words)
        starts = re.compile(rf"(?<=[;}}])\n(?={indent}[\w~])|"
                            r"(?<=[^\\])\n(?=#define )|"
                            r"(?<=\))\n(?=DNNL_CACHE_KIND\()")
        # The declaration itself begins with the first line end.
        taken = after.find("\n") + 1
        self.put(after[:taken])
        for found in starts.finditer(after, taken, end.start()):
            self.put(after[taken:found.end()] + words + "\n")
            taken = found.end()
        return taken

    def read(self):
        position = 0
        text = self.text
        while position < len(text):
            found = TOKEN.search(text, position)
            if not found:
                break
            self.put(text[position:found.start()])
            position = found.end()
            if found[0].startswith("/*"):
                position += self.comment(found[0], text[:found.start()],
                                         text[position:])
            else:
                self.put(found[0])
        self.put(text[position:])
        while self.opened:
            self.close_group()
        return without_version("".join(self.out))


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        header = Header(pathlib.Path(sys.argv[1]))
    except OSError as error:
        print(f"site_headers.py: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(header.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
