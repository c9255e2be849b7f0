#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice small faults? Plants some, and runs the tests.

Chooses lines of src/blob, of src/common, of the programs' part of src/gpu and
of the sample stores, evenly over these, makes one small change in each (another
comparison, a statement less, a constant off by one ...), builds what depends on
it, and runs the tests that reach the line, until one fails.

 1. A build with coverage, in which each test runs once, tells which tests reach
    which lines. Only lines that are reached are chosen. The tests are those
    that need no driver but the fake one.
 2. A change is made in a copy of the project, under the folder that --dir
    names; nothing else is written but what tests write, and temporary files,
    whose paths are short, as those of sockets must be. A change that does not
    compile, or compiles to the same object file, is replaced by another.
 3. A change that no test notices is tried again in a build with
    AddressSanitizer and UndefinedBehaviorSanitizer, as they run in
    scripts/test.sh --merge: they notice leaks and reads past an end.
 4. What is left has survived: a test is missing, or the change makes no
    difference. tests/mutation/explained.toml lists changes of the second kind,
    each with the reason, by the text of the line, so that lines may move.

The same seed chooses the same changes as long as the lines are the same. Run
again with the same seed on the same sources, the check goes on where it was
stopped. A changed program may do anything that tests of it may do, deleting
files included: do not run this where that matters.

Exit status: 0 enough changes were noticed (of those that make a difference, the
share that --threshold names); 1 too few; 2 wrong usage, or something else
failed.
"""
import argparse
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import tomllib

sys.dont_write_bytecode = True  # the project's folder stays as it is
# pylint: disable=wrong-import-position
import lines as coverage
import operators
from tree import Build, Tree

AREAS = ("blob", "common", "programs", "stores")
# Rooms of src/gpu that are about engines, programs and stores, and the others.
PROGRAMS = ("device", "engine", "program")
PRIMITIVES = ("kernels", "kinds", "memory", "primitive")
SANITIZERS = {
    "ASAN_OPTIONS": "intercept_tls_get_addr=0:use_sigaltstack=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def say(words):
    """A line of progress."""
    print(words, flush=True)


def files_of(folder):
    """{area: files}, as named in the project."""
    def sources(*patterns):
        return sorted(str(path.relative_to(folder)) for pattern in patterns
                      for path in folder.glob(pattern))
    there = {path.name for path in folder.glob("src/gpu/*") if path.is_dir()}
    wrong = there.symmetric_difference(PROGRAMS + PRIMITIVES)
    if wrong:
        raise RuntimeError("not both in src/gpu and in a list of check.py: "
                           + ", ".join(sorted(wrong)))
    return {
        "blob": sources(*(f"src/{room}/*.[ch]"
                          for room in ("binaries", "blob", "includes"))),
        "common": sources("src/common/*.c", "src/common/*.h"),
        "programs": sources(*(f"src/gpu/{room}/**/*.c" for room in PROGRAMS)),
        "stores": sources("stores/**/*.[ch]"),
    }


class Mutant:
    """A change of one line of one file."""

    def __init__(self, file, text, change, occurrence):
        self.file = file
        self.change = change
        self.original = text
        self.changed = operators.apply(text, change)
        self.line = text.split("\n")[change.line - 1].strip()
        self.becomes = self.changed.split("\n")[change.line - 1].strip()
        self.key = json.dumps([file, self.line, occurrence, change.operator,
                               self.becomes])

    def rank(self, seed):
        """Where it stands among all."""
        return hashlib.sha256(f"{seed}:{self.key}".encode()).hexdigest()


def choose(folder, area_files, reached, seed):
    """The changes of an area, one a line, in the order of the seed."""
    chosen = []
    for file in area_files:
        text = (folder / file).read_text()
        by_line = {}
        seen = {}
        for change in operators.changes_of(text):
            if change.line not in reached.get(file, {}):
                continue
            words = text.split("\n")[change.line - 1].strip()
            occurrences = seen.setdefault(words, [])
            if change.line not in occurrences:
                occurrences.append(change.line)
            by_line.setdefault(change.line, []).append(Mutant(
                file, text, change, occurrences.index(change.line)))
        for mutants in by_line.values():
            chosen.append(min(mutants, key=lambda one: one.rank(seed)))
    # The line's place in the order does not depend on what is changed in it.
    return sorted(chosen, key=lambda one: hashlib.sha256(json.dumps(
        [seed, *json.loads(one.key)[:3]]).encode()).hexdigest())


class Check:
    """One run."""

    def __init__(self, options):
        self.options = options
        project = pathlib.Path(__file__).resolve().parents[2]
        self.folder = pathlib.Path(options.dir).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tree = Tree(project, self.folder / "source")
        self.files = files_of(self.tree.folder)
        explained = tomllib.loads((pathlib.Path(__file__).parent
                                   / "explained.toml").read_text())
        self.explained = {(one["file"], one["line"], one["becomes"]):
                          one["reason"] for one in explained["mutant"]}
        self.results_file = self.folder / f"results-{options.seed}.json"
        self.plain = Build(self.tree, self.folder / "plain", [])
        # Its memory is not limited: AddressSanitizer reserves terabytes.
        self.sanitized = Build(
            self.tree, self.folder / "sanitized",
            ["-DCMAKE_BUILD_TYPE=RelWithDebInfo",
             "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g",
             "-DDNNL_CACHE_SANITIZE=address,undefined"], memory=None)
        self.sanitized_ready = False
        self.map = {}  # {file: {line: [tests]}}
        self.seconds = {}  # of each test
        self.results = {}

    def load_results(self):
        """What was found before for these sources, or all that was found."""
        kept = self.load(self.results_file) or {"results": {}}
        self.results = {
            key: result for key, result in kept["results"].items()
            if self.options.survivors
            or result.get("digest") == self.tree.digest}

    def load(self, path):
        """What was kept for these sources; None if nothing was."""
        try:
            kept = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        same = kept.get("digest") == self.tree.digest
        return kept if same or self.options.survivors else None

    def save(self, path, content):
        """Keeps it for these sources."""
        content["digest"] = self.tree.digest
        part = path.with_suffix(".part")
        part.write_text(json.dumps(content))
        os.replace(part, path)

    def prepare(self):
        """Builds, the map, and what was found before."""
        started = time.monotonic()
        say("building")
        self.plain.prepare(self.options.jobs)
        say(f"built after {time.monotonic() - started:.0f} s")
        self.make_map(self.folder / "map.json")
        say(f"ready after {time.monotonic() - started:.0f} s")
        self.load_results()

    def make_map(self, path):
        """Which tests reach which lines, and how long they take."""
        kept = self.load(path) or {"reached": {}, "seconds": {}}
        missing = [] if self.options.survivors and kept["reached"] else [
            test for name, test in self.plain.tests.items()
            if name not in kept["reached"]]
        if missing:
            build = Build(
                self.tree, self.folder / "coverage",
                ["-DCMAKE_BUILD_TYPE=Debug", "-DDNNL_CACHE_COVERAGE=ON"])
            build.prepare(self.options.jobs)
        files = set(sum(self.files.values(), []))
        for number, test in enumerate(missing):
            plain = self.plain.run(test, coverage.LONGEST)
            found, words = coverage.reached_by(build, build.tests[test.name],
                                               files)
            fails = plain.failed and not plain.hung
            if fails or found is None:
                say("left out, as it fails without a change: "
                    + (plain.words if fails else words))
                found = {}
            kept["reached"][test.name] = found
            kept["seconds"][test.name] = round(plain.seconds, 2)
            self.save(path, kept)
            if sys.stdout.isatty() or number % 10 == 9:
                say(f"{number + 1} of {len(missing)} tests mapped")
        self.seconds = kept["seconds"]
        for name, found in kept["reached"].items():
            for file, lines in found.items():
                for line in lines:
                    self.map.setdefault(file, {}).setdefault(
                        line, []).append(name)

    def tests_of(self, mutant):
        """The tests that reach its line."""
        return self.map.get(mutant.file, {}).get(mutant.change.line, ())

    def prepare_sanitized(self):
        """The build with sanitizers; less the tests that fail there anyway."""
        if self.sanitized_ready:
            return
        say("  building with sanitizers")
        self.sanitized.prepare(self.options.jobs)
        for test in self.sanitized.tests.values():
            for name, value in SANITIZERS.items():
                test.environment[name] = ":".join(
                    filter(None, (value, test.environment.get(name))))
        self.sanitized_ready = True

    def fails_anyway(self, build, mutant, outcome):
        """Whether it may be no news, or the machine may be busy."""
        path = self.tree.folder / mutant.file
        path.write_text(mutant.original)
        build.make([outcome.test], self.options.jobs)
        again = build.run(build.tests[outcome.test], self.options.seconds)
        path.write_text(mutant.changed)
        return again.failed or (outcome.hung and
                                again.seconds > outcome.seconds / 2)

    def fails_in(self, build, mutant, names):
        """(the words on what happened, failed?) of a change in a build."""
        path = self.tree.folder / mutant.file
        if not build.make(names, self.options.jobs):
            return "does not compile", False
        if build is self.plain and build.is_unchanged(path):
            return "same object", False
        end = time.monotonic() + self.options.seconds
        left = list(names)
        notes = []
        while True:
            outcome, late = build.first_failure(
                left, self.seconds, end - time.monotonic(), self.options.jobs)
            if outcome is None:
                notes += [f"no time for {', '.join(late)}"] if late else []
                return "; ".join(notes), False
            if build is not self.sanitized and not outcome.hung:
                return outcome.words, True
            if not self.fails_anyway(build, mutant, outcome):
                return outcome.words, True
            notes.append(f"{outcome.words} without the change, too")
            left.remove(outcome.test)
            build.make(left, self.options.jobs)

    def try_mutant(self, mutant):
        """Plants it and runs the tests; returns the result."""
        names = self.tests_of(mutant)
        path = self.tree.folder / mutant.file
        started = time.monotonic()
        result = {"line_number": mutant.change.line, "tests": len(names)}
        try:
            path.write_text(mutant.changed)
            words, failed = self.fails_in(self.plain, mutant, names)
            if words in ("does not compile", "same object"):
                result["state"] = words
            elif failed:
                result.update(state="killed", by=words)
            else:
                path.write_text(mutant.original)
                self.prepare_sanitized()
                path.write_text(mutant.changed)
                under, failed = self.fails_in(self.sanitized, mutant, names)
                if failed:
                    result.update(state="killed", by=f"sanitized {under}")
                else:
                    result.update(state="survived", note="; ".join(
                        filter(None, (words, under and "sanitized: " + under))))
        finally:
            path.write_text(mutant.original)
        result["seconds"] = round(time.monotonic() - started, 1)
        return result

    def result_of(self, mutant):
        """From before, or by trying it."""
        result = self.results.get(mutant.key)
        new = result is None or (self.options.survivors
                                 and result["state"] == "survived")
        if new:
            result = self.try_mutant(mutant)
            # Others that are kept may be of other sources (--survivors).
            result["digest"] = self.tree.digest
            self.results[mutant.key] = result
            self.save(self.results_file, {
                "seed": self.options.seed, "results": self.results})
        reason = self.explained.get((mutant.file, mutant.line, mutant.becomes))
        if result["state"] == "survived" and reason:
            result = {**result, "state": "explained", "note": reason}
        words = result["state"]
        if "by" in result:
            words += f" by {result['by']}"
        if result.get("note"):
            words += f" ({result['note']})"
        say(f"{mutant.file}:{result['line_number']}: {mutant.change.operator}: "
            f"{words}  [{result['seconds']} s, {result['tests']} tests"
            f"{'' if new else ', known before'}]")
        if result["state"] in ("survived", "explained"):
            say(f"    - {mutant.line}\n    + {mutant.becomes}")
        return result

    def run(self):
        """Tries as many changes as are wanted; returns the exit status."""
        self.prepare()
        queues = {area: iter(choose(self.tree.folder, self.files[area],
                                    self.map, self.options.seed))
                  for area in AREAS}
        counts = {}
        for number in range(self.options.count):
            area = AREAS[number % len(AREAS)]
            for mutant in queues[area]:
                if not self.tests_of(mutant):
                    continue
                state = self.result_of(mutant)["state"]
                count = counts.setdefault(area, {})
                count[state] = count.get(state, 0) + 1
                if state not in ("does not compile", "same object"):
                    break
        return self.report(counts)

    def report(self, counts):
        """The table at the end; returns the exit status."""
        columns = ("killed", "survived", "explained", "does not compile",
                   "same object")
        say(f"\nseed {self.options.seed}")
        say(f"{'':10}" + "".join(f"{column:>18}" for column in columns))
        total = dict.fromkeys(columns, 0)
        for area, count in counts.items():
            for column in columns:
                total[column] += count.get(column, 0)
            say(f"{area:10}" + "".join(f"{count.get(column, 0):18}"
                                       for column in columns))
        say(f"{'all':10}" + "".join(f"{total[column]:18}"
                                    for column in columns))
        tried = total["killed"] + total["survived"] + total["explained"]
        say(f"{total['killed']} of {tried} killed, "
            f"{total['explained']} make no difference, "
            f"{total['survived']} survived")
        enough = self.options.threshold * (tried - total["explained"])
        return 0 if tried and total["killed"] >= enough else 1


def main():
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30,
                        help="how many changes (30)")
    parser.add_argument("--seed", type=int, default=1,
                        help="which changes (1)")
    parser.add_argument("--dir", default="build-mutation",
                        help="where to build and keep results "
                        "(build-mutation)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="processes at a time (number of processors)")
    parser.add_argument("--seconds", type=float, default=120,
                        help="for the tests of a change, in either build "
                        "(120)")
    parser.add_argument("--threshold", type=float, default=0.9,
                        help="the share that must be noticed (0.9)")
    parser.add_argument("--survivors", action="store_true",
                        help="try the survivors again, on sources that have "
                        "changed since: keeps the map and all other results")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return Check(options).run()
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
