#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does each row of docs/reference/conformance.md name a test that proves it?

Breaks the behaviour of each row that has a tag T, by one edit, and runs the
tests that the row names: at least one has to fail. The edits are in
tests/mutation/rows/*.toml:

    [[edit]]
    rows = ["S2.31"]              # rows that it breaks, usually one
    file = "stores/bucket_evict.c"
    function = "oldest_first"     # or a table; left out: the whole file
    text = "a->created < b->created"     # there once
    replacement = "a->created > b->created"
    why = "..."                   # only where a reader would wonder

 1. The project is copied below the folder that --dir names and built there.
 2. Each row's tests run once without an edit. They have to pass: of a row of
    which some fail, or are skipped, nothing is known.
 3. Each edit is planted in the copy; what depends on it is built, but for the
    tests that its rows do not name; these rows' tests run. A test that crashes
    or hangs has failed. An edit that does not compile proves nothing.

Run again on the same sources, the sweep goes on where it was stopped. A changed
program may do anything that tests of it may do, deleting files included: do not
run this where that matters.

--check looks only whether every row has an edit, and every edit its place.

Exit status: 0 every row's tests noticed; 1 some did not, or have no edit; 2
wrong usage, or something else failed.
"""
import argparse
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the project's folder stays as it is
# pylint: disable=wrong-import-position
import planted
from tree import Build, Test, Tree, environment

PROJECT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\|\s*(S\d+\.\d+)\s*\|\s*(T\*?)\s*\|\s*(.*?)\s*\|\s*$",
                 re.MULTILINE)
TEST_NAME = re.compile(r"ctest:[\w.+-]+|\b[A-Z]\w*\.[A-Z]\w*(?:/\*)?")
# What is not built for an edit unless a row names it.
OTHER_PROGRAMS = re.compile(r"bin/(test_|replay_|onednn_program_|.*bench)")
LINKED = re.compile(r"^(\S+): (C|CXX)_\w+_LINKER__", re.MULTILINE)
LONGEST = 150  # seconds for a row's tests, beyond what they usually take


def say(words):
    """A line of progress."""
    print(words, flush=True)


def read_rows():
    """{row: the tests that it names}, of those with a tag T."""
    text = (PROJECT / "docs/reference/conformance.md").read_text()
    return {row: TEST_NAME.findall(proof)
            for row, _, proof in ROW.findall(text)}


def order(row):
    """Rows in the order of the documents."""
    return [int(part) for part in row[1:].split(".")]


def check(rows, edits):
    """What is wrong with the edits themselves."""
    wrong = []
    edited = {row for edit in edits for row in edit.rows}
    for row in sorted(set(rows) - edited, key=order):
        if rows[row]:
            wrong.append(f"{row} has no edit")
    wrong += [f"{row} has an edit but no tests"
              for row in sorted(edited, key=order) if not rows.get(row)]
    for edit in edits:
        try:
            edit.apply((PROJECT / edit.file).read_text())
        except (planted.EditError, OSError) as error:
            wrong.append(str(error))
    return wrong


class RowsBuild(Build):
    """A build of all that tests use."""

    def prepare(self, jobs):
        """Configures, and builds everything once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log.write_text("")
        if not self.call("cmake", "-S", str(self.tree.folder), "-B",
                         str(self.folder), *self.options):
            raise RuntimeError(f"cannot configure: see {self.log}")
        if not self.make(["all"], jobs):
            raise RuntimeError(f"does not build: see {self.log}")
        self.tests = {one.name: one for one in map(Test, self.ctest())}

    def ctest(self):
        """All of ctest's entries."""
        words = subprocess.run(
            ["ctest", "--test-dir", str(self.folder), "--show-only=json-v1"],
            check=True, capture_output=True, env=environment()).stdout
        return [one for one in json.loads(words)["tests"] if "command" in one]

    def linked(self):
        """The programs and libraries that edits may change, tests left out."""
        words = subprocess.run(
            ["ninja", "-C", str(self.folder), "-t", "targets", "all"],
            check=True, capture_output=True, env=environment()).stdout
        return [name for name, _ in LINKED.findall(words.decode())
                if not OTHER_PROGRAMS.match(name)]


class Sweep:
    """One run."""

    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.dir).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows = read_rows()
        self.edits = planted.read_edits()
        self.tree = Tree(PROJECT, self.folder / "source")
        self.build = RowsBuild(self.tree, self.folder / "rows", [
            "-DCMAKE_BUILD_TYPE=Release"], memory=None)
        self.cases = {}  # {Suite.Case: [(entry, binary)]}
        self.known = self.folder / "rows.json"
        self.results = {}
        self.usual = {}
        self.unsound = {}  # {row: why its tests prove nothing}
        self.name_commit()

    def name_commit(self):
        """Gives the copy, which is no repository, a commit's name.

        As "git archive" would: tests look for it in the library.
        """
        (self.tree.folder / "cmake/commit.txt").write_text(
            "0123456789" * 4 + "\n")

    def load(self):
        """What was found before for these sources."""
        try:
            kept = json.loads(self.known.read_text())
        except (OSError, ValueError):
            return
        if kept.get("digest") == self.tree.digest:
            self.results = kept["results"]
            self.usual = kept["usual"]

    def save(self):
        """Keeps it."""
        part = self.known.with_suffix(".part")
        part.write_text(json.dumps(
            {"digest": self.tree.digest, "results": self.results,
             "usual": self.usual}, indent=1))
        os.replace(part, self.known)

    def find_cases(self):
        """Which program has which test."""
        for test in self.build.tests.values():
            program = pathlib.Path(test.command[0])
            if not program.name.startswith("test_"):
                continue
            words = subprocess.run(
                [str(program), "--gtest_list_tests"], check=False,
                capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
                env=environment(**test.environment)).stdout.decode()
            suite = ""
            for line in words.splitlines():
                name = line.split("#")[0].rstrip()
                if not name.startswith(" "):
                    suite = name
                else:
                    self.cases.setdefault(suite + name.strip(), []).append(
                        test.name)

    def runs_of(self, row):
        """{entry of ctest: filter}: the row's tests, in as few runs as can be.

        A test that several entries have (of tiers, of drivers) runs in the
        first that has no driver but the fake one, and in the first of others.
        """
        runs = {}
        for name in self.rows[row]:
            if name.startswith("ctest:"):
                runs[name.removeprefix("ctest:")] = None
                continue
            names = [case for case in self.cases
                     if case == name or (name.endswith("/*")
                                         and case.startswith(name[:-1]))]
            if not names:
                raise RuntimeError(f"{row}: no program has {name}")
            programs = {}
            for case in names:
                for entry in self.cases[case]:
                    program = self.build.tests[entry].command[0]
                    programs.setdefault(program, entry)
            for entry in programs.values():
                runs.setdefault(entry, []).extend(names)
        return runs

    def run_row(self, row):
        """The first failure of its tests, or None."""
        usual = self.usual.get(row, 0)
        # Entries named as a whole last: scripts and models take their time.
        for entry, names in sorted(self.runs_of(row).items(),
                                   key=lambda run: run[1] is None):
            test = self.build.tests[entry]
            command = list(test.command)
            if names is not None:
                command = [word for word in command
                           if not word.startswith("--gtest_filter=")]
                command.append("--gtest_filter=" + ":".join(names))
            selected = Test({"name": entry, "command": command})
            selected.folder = test.folder
            selected.environment = test.environment
            more = {name: os.environ[name] for name in ("OCL_ICD_VENDORS",)
                    if name in os.environ and name not in test.environment}
            outcome = self.build.run(selected, LONGEST + 4 * usual, **more)
            if outcome.failed:
                return outcome
            if names is not None and "[  PASSED  ] 0 tests" in outcome.output:
                return "skipped"
        return None

    def prove_sound(self, rows):
        """Without an edit, each row's tests pass; notes which do not."""
        for row in rows:
            if row in self.usual:
                continue
            started = time.monotonic()
            outcome = self.run_row(row)
            if outcome == "skipped":
                self.unsound[row] = "some of its tests are skipped here"
            elif outcome:
                print(outcome.output[-3000:], file=sys.stderr)
                self.unsound[row] = f"fails without an edit: {outcome.words}"
            if outcome:
                say(f"{row}: {self.unsound[row]}")
                continue
            self.usual[row] = round(time.monotonic() - started, 1)
            self.save()

    def plant(self, edit, rows):
        """{row: what happened}, with the edit in the copy."""
        path = self.tree.folder / edit.file
        original = path.read_text()
        targets = set(self.linked)
        for row in rows:
            for entry in self.runs_of(row):
                program = pathlib.Path(self.build.tests[entry].command[0])
                if program.is_relative_to(self.build.folder):
                    targets.add(str(program.relative_to(self.build.folder)))
        found = {}
        try:
            path.write_text(edit.apply(original))
            if not self.build.make(sorted(targets), self.options.jobs):
                return dict.fromkeys(rows, "does not compile")
            for row in rows:
                outcome = self.run_row(row)
                found[row] = ("not noticed" if outcome in (None, "skipped")
                              else f"noticed by {outcome.words}")
        finally:
            path.write_text(original)
        return found

    def wanted(self, row):
        """Whether this run is about the row."""
        return not self.options.only or any(
            fnmatch.fnmatchcase(row, one)
            for one in self.options.only.split(","))

    def run(self):
        """All edits; returns the exit status."""
        started = time.monotonic()
        say("building")
        self.build.prepare(self.options.jobs)
        self.linked = self.build.linked()
        say(f"built after {time.monotonic() - started:.0f} s")
        self.find_cases()
        self.load()
        rows = sorted((row for row in self.rows
                       if self.rows[row] and self.wanted(row)), key=order)
        edited = {row for edit in self.edits for row in edit.rows}
        self.prove_sound([row for row in rows if row in edited])
        for edit in self.edits:
            asked = [row for row in edit.rows
                     if self.wanted(row) and row not in self.unsound]
            keys = {row: hashlib.sha256(f"{row}\0{edit.key()}".encode())
                    .hexdigest()[:16] for row in asked}
            left = [row for row in asked if self.options.again
                    or keys[row] not in self.results]
            began = time.monotonic()
            for row, words in (self.plant(edit, left) if left else {}).items():
                self.results[keys[row]] = [row, words]
                self.save()
            for row in asked:
                say(f"{row}: {self.results[keys[row]][1]}  [{edit.name}, "
                    f"{time.monotonic() - began:.0f} s"
                    f"{'' if row in left else ', known before'}]")
        return self.report(rows)

    def report(self, rows):
        """The figure; returns the exit status."""
        current = {hashlib.sha256(f"{row}\0{edit.key()}".encode())
                   .hexdigest()[:16] for edit in self.edits
                   for row in edit.rows}
        found = {}
        for key, (row, words) in self.results.items():
            if key in current:
                found.setdefault(row, []).append(words)
        noticed = [row for row in rows if row in found and all(
            words.startswith("noticed") for words in found[row])]
        for row in rows:
            if row in self.unsound:
                say(f"{row}: {self.unsound[row]}")
            elif row not in found:
                say(f"{row}: no edit")
            elif row not in noticed:
                say(f"{row}: {'; '.join(found[row])}")
        say(f"{len(noticed)} of {len(rows)} rows' tests notice the fault that "
            "is planted for the row")
        return 0 if rows and len(noticed) == len(rows) else 1


def main():
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="look at the edits only")
    parser.add_argument("--only", metavar="ROWS",
                        help="rows or patterns, separated by commas")
    parser.add_argument("--again", action="store_true",
                        help="try again what is known")
    parser.add_argument("--dir", default="build-rows",
                        help="where to build and keep results (build-rows)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="processes at a time (number of processors)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if options.check:
            wrong = check(read_rows(), planted.read_edits())
            print("\n".join(wrong) if wrong else "every row has an edit")
            return 1 if wrong else 0
        return Sweep(options).run()
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, OSError, subprocess.SubprocessError,
            planted.EditError) as error:
        print(f"rows.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
