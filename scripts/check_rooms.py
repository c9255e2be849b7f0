#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the rooms of the house form a graph without cycles.

usage: check_rooms.py [--tree DIR] [--build DIR | --includes] [--rooms FILE]
                      [--strict]
                      [--edges | --sizes | --files | --room NAME]

The graph is measured, not declared: an arrow A -> B stands where an object file
of A needs a symbol that an object file of B defines (nm), or where a file of A
includes a header of B. rooms.txt says which files are in which room, and which
rooms a room may use:

    room NAME uses [ROOM ...] | purpose in one line
                              the files below the folder NAME that no room within
                              it has
        PATTERN ...           files elsewhere (fnmatch on paths from the top)
    split FILE SYMBOL ... -> ROOM symbols of FILE that are to move to another room
    todo FILE FILE | WHAT         an arrow that is to go, and how
    public ROOM PREFIX PATTERN ...
                                  names that files under PREFIX define and others
                                  see through the headers of ROOM alone: an arrow
                                  to them from outside PREFIX goes to ROOM
    external PATTERN ...          symbols that no file of ours is meant to provide,
                                  though one defines them, too (a stub of OpenCL)
    header PATTERN ... -> ROOM ...
                                  headers in angle brackets that only these rooms
                                  include (rooms: fnmatch on their names)
    word NAME ... -> ROOM ...     names that only these rooms use, for headers that
                                  all may include (PATH_MAX of limits.h)
    except FILES PATTERN ... | WHY
                                  files (fnmatch on paths from the top) that have
                                  such headers or names all the same

A pattern is stronger than a folder; the first that matches a file decides.
Python's modules have no rooms, but must not import one another in a circle either;
imports in functions count, and those for the sake of types.

Exit status: 1 for a cycle between rooms or modules, an arrow or a header that is
not allowed, a file without a room, a room or a line of rooms.txt that no file
meets; with --strict also for split and todo. 2: the build has no object files.

Needs Python 3.9 and binutils' nm; a build without link-time optimisation.
"""
import argparse
import ast
import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

TOPS = ("include", "src", "stores", "layer", "model", "tools", "bench",
        "examples", "python")
SOURCE = re.compile(r"\.(c|h|cc|cpp|hpp|cl)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]',
                     re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
OBJECT = re.compile(r"^(.*?)/?CMakeFiles/[^/]+\.dir(?:/(.*))?$")
DEFINED = frozenset("TDBRVWCGSiu")
INCLUDED = "#include"


class Rooms:
    """What rooms.txt says."""

    def __init__(self, path):
        self.path = path
        self.uses = {}     # {room: rooms that it may use}
        self.globs = []    # [(pattern, room)]
        self.split = {}    # {(file, symbol): room}
        self.todo = set()  # {(file, header)}
        self.public = []   # [(room, prefix, patterns)]
        self.external = []
        self.headers = []  # [(pattern, rooms)], of headers and of words
        self.words = set()
        self.exceptions = []  # [(files, patterns)]
        room = None
        text = pathlib.Path(path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            words, _, why = line.split("#", 1)[0].partition("|")
            words = words.split()
            if not words:
                continue
            try:
                if line[0].isspace():
                    self._files(room, words)
                elif words[0] == "room":
                    room = self._room(words)
                else:
                    self._rule(words, why.strip())
            except (ValueError, IndexError):
                sys.exit(f'{path}:{number}: cannot read "{line}"')

    def _room(self, words):
        name, uses = words[1], words[2]
        if uses != "uses" or name in self.uses:
            raise ValueError(name)
        self.uses[name] = set(words[3:])
        return name

    def _files(self, room, words):
        if room is None:
            raise ValueError(words[0])
        self.globs += [(word, room) for word in words]

    def _rule(self, words, why):
        kind, first = words[0], words[1]
        if kind == "split":
            arrow = words.index("->")
            for symbol in words[2:arrow]:
                self.split[first, symbol] = words[arrow + 1]
        elif kind == "todo":
            self.todo.add((first, words[2]))
        elif kind == "public":
            self.public.append((first, words[2], words[3:]))
        elif kind == "external":
            self.external += words[1:]
        elif kind in ("header", "word"):
            arrow = words.index("->")
            self.headers += [(one, words[arrow + 1:])
                             for one in words[1:arrow]]
            if kind == "word":
                self.words.update(words[1:arrow])
        elif kind == "except" and why and len(words) > 2:
            self.exceptions.append((first, words[2:]))
        else:
            raise ValueError(kind)

    def room_of(self, path):
        """The room of a file, or None."""
        for pattern, room in self.globs:
            if fnmatch.fnmatchcase(path, pattern):
                return room
        folder = os.path.dirname(path)
        while folder and folder not in self.uses:
            folder = os.path.dirname(folder)
        return folder or None

    def may_include(self, path, name):
        """May the file have this header or word, but for exceptions?"""
        room = self.room_of(path) or ""
        return all(any(fnmatch.fnmatchcase(room, one) for one in allowed)
                   for pattern, allowed in self.headers
                   if fnmatch.fnmatchcase(name, pattern))

    def misplaced(self, found):
        """What is wrong with [(file, header or word)], and with exceptions."""
        unneeded = set(range(len(self.exceptions)))
        wrong = []
        for path, name in found:
            if self.may_include(path, name):
                continue
            met = {i for i, (files, names) in enumerate(self.exceptions)
                   if fnmatch.fnmatchcase(path, files)
                   and any(fnmatch.fnmatchcase(name, one) for one in names)}
            unneeded -= met
            if not met:
                shown = name if name in self.words else f"<{name}>"
                wrong.append(f"{path}: {shown} is not for "
                             f"{self.room_of(path)}")
        return wrong + [
            f"{self.path}: no file needs the exception for "
            f"{self.exceptions[i][0]}" for i in sorted(unneeded)]

    def target(self, source, target, name):
        """The room that an arrow goes to."""
        for room, prefix, patterns in self.public:
            if (target.startswith(prefix) and not source.startswith(prefix)
                    and any(fnmatch.fnmatchcase(name, one)
                            for one in patterns)):
                return room
        return self.split.get((target, name), self.room_of(target))

    def unmet(self, files):
        """What rooms.txt names and is not there."""
        wrong = [pattern for pattern, _ in self.globs
                 if not fnmatch.filter(files, pattern)]
        wrong += sorted(set(self.uses) - {self.room_of(one) for one in files})
        wrong += [room for rooms in self.uses.values() for room in rooms
                  if room not in self.uses]
        return [f"{self.path}: there is no {one}" for one in wrong]


class Tree:
    """The files, and what each needs of the others."""

    def __init__(self, tree, build, rooms):
        self.tree = tree
        self.files = []
        for top in TOPS:
            for folder, folders, names in os.walk(tree / top):
                folders.sort()
                self.files += [
                    (pathlib.Path(folder) / name).relative_to(tree).as_posix()
                    for name in sorted(names) if SOURCE.search(name)]
        self.arrows = collections.defaultdict(set)  # {(file, file): names}
        self.system = []      # [(file, header in angle brackets, or word)]
        self.ambiguous = set()
        self.defines = {}     # {file: symbols}
        self._includes(rooms.words)
        if build:
            self._symbols(build, rooms.external)

    def _includes(self, words):
        words = re.compile(rf"\b(?:{'|'.join(sorted(words)) or '(?!)'})\b")
        by_name = collections.defaultdict(list)
        for path in self.files:
            if path.endswith((".h", ".hpp")):
                by_name[os.path.basename(path)].append(path)
        for path in self.files:
            if path.endswith(".cl"):
                continue
            text = (self.tree / path).read_text(encoding="utf-8")
            for bracket, name in INCLUDE.findall(text):
                found = self._header(path, name, by_name)
                if found is None and bracket == "<":
                    self.system.append((path, name))
                elif found not in (None, path):
                    self.arrows[path, found].add(INCLUDED)
            self.system += [(path, word) for word in sorted(set(
                words.findall(COMMENT.sub(" ", text))))]

    @staticmethod
    def _header(path, name, by_name):
        """Our file that an include means, or None."""
        known = by_name.get(os.path.basename(name), ())
        found = [one for one in known
                 if ("/" + one).endswith("/" + name.lstrip("./"))]
        if not found and name.startswith("dnnl_cache/"):
            found = list(known)
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if beside in found:
            return beside
        if len(found) > 1:
            top = path.split("/", maxsplit=1)[0] + "/"
            found = [one for one in found if one.startswith(top)] or found
        return found[0] if len(found) == 1 else None

    def _objects(self, build):
        """{source: object}, one of each."""
        found = {}
        for folder, folders, names in os.walk(build):
            relative = os.path.relpath(folder, build)
            if relative in ("tests", "CMakeFiles"):
                folders.clear()
                continue
            match = OBJECT.match(relative)
            for name in names if match else ():
                if name.endswith(".o"):
                    source = self._source(match[1], match[2] or "", name[:-2])
                    if source:
                        found.setdefault(source, os.path.join(folder, name))
        return found

    def _source(self, base, inside, name):
        """The file that an object was made of; of a generated one, its .cl."""
        source = os.path.normpath(os.path.join(
            base, inside.replace("__", ".."), name))
        stem = re.sub(r"\.c$", "", source)
        kernel = os.path.join(
            os.path.dirname(stem), "kernels",
            os.path.basename(stem).removeprefix("kernel_") + ".cl")
        for path in (source, kernel, stem + ".cl"):
            if (self.tree / path).exists():
                return path
        return None

    def _symbols(self, build, external):
        objects = self._objects(build)
        if not objects:
            print(f"check_rooms.py: no object files in {build}",
                  file=sys.stderr)
            sys.exit(2)
        tables = read_symbols(list(objects.values()))
        owners = collections.defaultdict(set)
        for source, path in objects.items():
            self.defines[source] = tables[path][0]
            for name in tables[path][0]:
                owners[name].add(source)
        for source, path in objects.items():
            for name in tables[path][1] - tables[path][0]:
                found = owners.get(name, set()) - {source}
                if not found or any(fnmatch.fnmatchcase(name, one)
                                    for one in external):
                    continue
                if len(found) > 1:
                    found = {one for one in found if os.path.dirname(one)
                             == os.path.dirname(source)}
                if len(found) == 1:
                    self.arrows[source, found.pop()].add(name)
                else:
                    self.ambiguous.add(name)


def read_symbols(paths):
    """{object: (names that it defines, names that it needs)}."""
    found = {path: (set(), set()) for path in paths}
    for at in range(0, len(paths), 200):
        words = subprocess.run(["nm", "-P", "-A", *paths[at:at + 200]],
                               check=True, capture_output=True, text=True)
        for line in words.stdout.splitlines():
            path, _, rest = line.partition(": ")
            name, kind = (rest.split() + ["", ""])[:2]
            if kind in ("U", "w"):
                found[path][1].add(name)
            elif kind in DEFINED:
                found[path][0].add(name)
    return found


def components(graph):
    """The cycles: strongly connected parts of more than one node (Tarjan)."""
    index, low, held, stack, found = {}, {}, set(), [], []

    def enter(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        held.add(node)
        return node, iter(sorted(graph.get(node, ())))

    for root in sorted(graph):
        work = [] if root in index else [enter(root)]
        while work:
            node, rest = work[-1]
            other = next(rest, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = stack[stack.index(node):]
                    del stack[-len(part):]
                    held -= set(part)
                    if len(part) > 1:
                        found.append(sorted(part))
            elif other not in index:
                work.append(enter(other))
            elif other in held:
                low[node] = min(low[node], index[other])
    return sorted(found, key=len, reverse=True)


def imported(node, folder):
    """The modules that an import statement may mean, of those in a folder."""
    if isinstance(node, ast.Import):
        level, names = 0, [one.name for one in node.names]
    else:
        level, names = node.level, [
            f"{node.module}.{one.name}" if node.module else one.name
            for one in node.names]
    folder = folder.parents[level - 2] if level > 1 else folder
    for name in names:
        words = name.split(".")
        named = level == 0 and words[0] == folder.name  # the package that it is in
        words = words[named:]
        while words and not (folder / f"{'/'.join(words)}.py").is_file():
            words.pop()
        if words or named or level > 0:
            yield folder / f"{'/'.join(words) or '__init__'}.py"


def python_imports(tree):
    """{(module, module that it imports): lines}, of modules in one folder."""
    arrows = collections.defaultdict(list)
    for top in (*TOPS, "scripts", "tests"):
        for path in sorted((tree / top).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
                if not isinstance(node, (ast.Import, ast.ImportFrom)):
                    continue
                for found in set(imported(node, path.parent)) - {path}:
                    if found.is_file():
                        arrows[path, found].append(node.lineno)
    return {tuple(path.relative_to(tree).as_posix() for path in pair): lines
            for pair, lines in arrows.items()}


def python_complaints(tree):
    """The circles of modules."""
    arrows = python_imports(tree)
    graph = collections.defaultdict(set)
    for source, target in arrows:
        graph[source].add(target)
    for part in components(graph):
        yield "a cycle of modules: " + " ".join(part)
        for (source, target), lines in sorted(arrows.items()):
            if source in part and target in part:
                yield f"  {source}:{lines[0]} -> {target}"


class Graph:
    """The arrows between rooms."""

    def __init__(self, rooms, tree):
        self.arrows = collections.defaultdict(set)  # {room: rooms}
        self.why = collections.defaultdict(dict)    # {(room, room): {...}}
        self.rooms, self.tree = rooms, tree
        for (source, target), names in tree.arrows.items():
            if (source, target) in rooms.todo:
                continue
            ours = rooms.room_of(source)
            moving = {name for name in names - {INCLUDED}
                      if (target, name) in rooms.split}
            for name in names:
                # An include for the sake of what is to move alone.
                if name == INCLUDED and moving and moving == names - {INCLUDED}:
                    continue
                theirs = rooms.target(source, target, name)
                if ours and theirs and ours != theirs:
                    self.arrows[ours].add(theirs)
                    self.why[ours, theirs].setdefault(
                        (source, target), set()).add(name)

    def words(self, ours, theirs, most=12):
        """The pairs of files that make an arrow."""
        lines = sorted(self.why[ours, theirs].items())
        return [f"    {source} -> {target}: {' '.join(sorted(names))[:150]}"
                for (source, target), names in lines[:most]]

    def complaints(self):
        """What is wrong."""
        rooms, files = self.rooms, self.tree.files
        wrong = [f"{path}: in no room" for path in files
                 if rooms.room_of(path) is None]
        wrong += rooms.unmet(files)
        wrong += [f"{rooms.path}: {path} does not define {symbol}"
                  for path, symbol in rooms.split
                  if symbol not in self.tree.defines.get(path, (symbol,))]
        wrong += [f"{rooms.path}: {path} uses nothing of {header}"
                  for path, header in rooms.todo
                  if path in self.tree.defines
                  and (path, header) not in self.tree.arrows]
        for part in components(self.arrows):
            wrong.append("a cycle of rooms: " + " ".join(part))
            for ours in part:
                for theirs in sorted(self.arrows[ours] & set(part)):
                    wrong += [f"  {ours} -> {theirs}",
                              *self.words(ours, theirs)]
        for ours in sorted(self.arrows):
            for theirs in sorted(self.arrows[ours] - rooms.uses[ours]):
                wrong += [f"{ours} may not use {theirs}:",
                          *self.words(ours, theirs)]
        return wrong + rooms.misplaced(self.tree.system)

    def show(self, options):
        """What was asked for, beside the complaints."""
        if options.edges:
            for room in sorted(self.rooms.uses):
                print(f"{room} -> "
                      + (" ".join(sorted(self.arrows[room])) or "(nothing)"))
        for ours, theirs in sorted(self.why) if options.room else ():
            if options.room in (ours, theirs):
                print(f"{ours} -> {theirs}",
                      *self.words(ours, theirs, most=None), sep="\n")
        if options.sizes:
            sizes = collections.defaultdict(lambda: [0, 0])
            for path in self.tree.files:
                size = sizes[self.rooms.room_of(path)]
                size[0] += 1
                size[1] += (self.tree.tree / path).read_bytes().count(b"\n")
            for room in self.rooms.uses:
                print(f"{room:34} {sizes[room][0]:4} files "
                      f"{sizes[room][1]:6} lines")
        if options.files:
            graph = collections.defaultdict(set)
            for source, target in self.tree.arrows:
                if not target.endswith((".h", ".hpp")):
                    graph[source].add(target)
            for part in components(graph):
                print(f"{len(part)} files: {' '.join(part)}")


def main():
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--tree", type=pathlib.Path, default=here.parent)
    parser.add_argument("--build", type=pathlib.Path,
                        default=here.parent / "build")
    parser.add_argument("--includes", action="store_true",
                        help="without a build: look at includes alone")
    parser.add_argument("--rooms", default=here / "rooms.txt")
    parser.add_argument("--strict", action="store_true",
                        help="what is still to move is an error")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--edges", action="store_true",
                       help="print every arrow between rooms")
    shown.add_argument("--sizes", action="store_true",
                       help="print files and lines of each room")
    shown.add_argument("--files", action="store_true",
                       help="print cycles of object files")
    shown.add_argument("--room", help="print by what a room uses others, and "
                       "by what they use it")
    options = parser.parse_args()
    rooms = Rooms(options.rooms)
    tree = Tree(options.tree, None if options.includes else options.build,
                rooms)
    graph = Graph(rooms, tree)
    graph.show(options)
    wrong = graph.complaints() + list(python_complaints(options.tree))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    left = len(rooms.split) + len(rooms.todo)
    arrows = sum(len(graph.arrows[room]) for room in rooms.uses)
    print(f"rooms: {len(rooms.uses)}, files: {len(tree.files)}, arrows: "
          f"{arrows}, complaints: {len(wrong)}"
          + (f"; to move: {len(rooms.split)} functions, to end: "
             f"{len(rooms.todo)} includes" if left else ""))
    return 1 if wrong or (options.strict and left) else 0


if __name__ == "__main__":
    sys.exit(main())
