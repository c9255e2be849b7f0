#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/reference/conformance.md against a run of the tests.

usage: check_conformance.py [--any] DOCUMENT RUN ...

--any: for runs of some of the tests only; of the tests that a row names, one
that ran and passed is enough, and none may have failed.

DOCUMENT holds markdown tables with a row for every item of the acceptance
checklist, in any order, any other text between them:

    | item | tag | proof |
    | --- | --- | --- |
    | S0.1 | T | BucketStore.KeepsABlob, ProgramWarm.CompilesNothing |
    | S0.7 | D | The blob carries a back-end tag; OpenCL is implemented. |
    | S1.40 | T | Windows: docs/PLATFORMS.md has the default. |

  item   S<document>.<number>, each once
  tag    T, D, P or L, as the checklist has it (D if the item is one of
         DECIDED_OTHERWISE)
  proof  T: names Suite.Test, separated by commas, or entries of ctest as
         ctest:NAME; each must have run and passed in one of the RUNs, and not
         have been skipped. A trailing /* names all instances of a
         parameterized test. Items of Windows (see SENTENCE_ITEMS) are decided
         by a sentence.
         P: a sentence that names rows of the benchmarks, as `row`. Each must
         have been recorded in bench/results and reach its target in one of the
         files there; where it does not, "missed on FILE" says so.
         D, L: the sentence that decides it.
         Tests that any sentence names as `Suite.Test` or `ctest:NAME` must
         have passed as those of T; files, functions and structures that it
         names must be in the tree, and items in the checklist.

A tag T* says that all of the row's tests that use a driver use the one of
tests/fake_opencl: a row must have the star if, and only if, that is so (not
looked at with --any). Other tables may end in a column of tests, as `Suite.Test` or `ctest:NAME`.

A line of DOCUMENT says which items it must have:

    Covered: S0.11-S0.13, S2.46

RUN is a folder that scripts/test.sh filled (see test_results.py). Exits with 1
and says what is wrong.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import test_results  # noqa: E402
from conformance_claims import (  # noqa: E402
    Tree, check_benchmark, check_tree)

# The tag of every item of the checklist, in its order.
ITEM_TAGS = {
    "S0": "TTTTTTDTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTDTPPTTTTTTTTT"
          "TTTTTTTTTTPTTTDTTLTTTTTLL",
    "S1": "TTDTTTTDDDDDTTTLTTPTTTTDDTTTTTTTTTDTTTTTTTTTTTTTTT"
          "TTTTTTTTTTTTTTTTTTTTDTTDDPDDDTTDTPTTTPTTDTDDDDDTTT"
          "TTTTTTTTTTTTTTTTTTTTDTPPTDLDDTTTDTTTTTTTTTTTTTTTTT"
          "PTTTLTDD",
    "S2": "DPDDTTTDTTTTTTDDTTTDDTTTTTTTLTTTDTDTTTTTDLTTTDTDTT"
          "TDTDDTTTTTTTTDDDDDTTTTTDDLDTTDT",
    "S3": "TTTTDDDDTDDDDTTDTTTTTTTTTTTT",
    "S4": "DDPDDTTTDTTTTTTDTTTTTTTTDLLDTTTTTTDDPP",
}
# Items for which the design decides the opposite of what the source says: their
# rows have the tag D.
DECIDED_OTHERWISE = {"S3.2", "S3.4"}
# Items that can be proved on Windows or Level Zero only.
SENTENCE_ITEMS = {"S0.9", "S0.26", "S0.27", "S1.40"}

ROW = re.compile(r"^\|\s*`?(S\d+\.\d+)`?\s*\|\s*([A-Z]\*?)\s*\|\s*(.*?)\s*\|\s*$")
OTHER_ROW = re.compile(r"^\|.*\|\s*(.*?)\s*\|\s*$")
COVERED = re.compile(r"^Covered: (.*)$", re.MULTILINE)
RANGE = re.compile(r"^(S\d+)\.(\d+)(?:-(S\d+)\.(\d+))?$")
TEST = re.compile(r"^(ctest:[\w.+-]+|[\w/]+\.[\w/]+(/\*)?)$")
TEST_IN_TEXT = re.compile(r"`(ctest:[\w.+-]+|[A-Z][\w/]*\.[A-Z][\w/]*(?:/\*)?)`")
ITEM_IN_TEXT = re.compile(r"\bS[0-4]\.\d+\b")
SHORTEST_SENTENCE = 12


def read_rows(path):
    """(line number, item, tag, proof) of every row."""
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            match = ROW.match(line)
            if match:
                yield (number, *match.groups())


def read_covered(path):
    """The items that the document says it has."""
    with open(path, encoding="utf-8") as document:
        match = COVERED.search(document.read())
    items = set()
    for part in match.group(1).split(",") if match else []:
        span = RANGE.match(part.strip())
        if not span or span.group(3) not in (None, span.group(1)):
            raise ValueError(f'"{part.strip()}" is no range of items')
        last = int(span.group(4) or span.group(2))
        items |= {f"{span.group(1)}.{number}"
                  for number in range(int(span.group(2)), last + 1)}
    return items


class Outcomes:
    """What the runs say of tests, and of entries of ctest as ctest:NAME."""

    def __init__(self, runs):
        self.results = {}  # name -> results it had
        self.drivers = {}  # name -> drivers it used
        for run in runs:
            for case in test_results.run_cases(run):
                self._add(case.name, case)
            for entry in test_results.ctest_entries(run):
                self._add(f"ctest:{entry.name}", entry)

    def _add(self, name, case):
        self.results.setdefault(name, set()).add(case.result)
        self.drivers.setdefault(name, set()).add(case.driver)

    def _names(self, name):
        """All instances for a name that ends in /*."""
        if not name.endswith("/*"):
            return [name] if name in self.results else []
        return [test for test in self.results if test.startswith(name[:-1])]

    def complaint(self, name):
        """What is wrong with the test as a proof; None if nothing."""
        if not TEST.match(name):
            return f'"{name}" is no name of a test'
        found = set().union(*(self.results[n] for n in self._names(name)))
        if not found:
            return f"{name} did not run"
        if "failed" in found:
            return f"{name} failed"
        if "passed" not in found:
            return f"{name} was skipped"
        return None

    def drivers_of(self, names):
        """The drivers that these tests use; None stands for a test that did
        not run."""
        found = set()
        for name in names:
            known = self._names(name)
            found |= set().union(*(self.drivers[n] for n in known))
            if not known:
                found.add(None)
        return found


def check_tests(names, outcomes, any_is_enough):
    """What is wrong with the tests of one row."""
    complaints = [outcomes.complaint(name) for name in names]
    wrong = [text for text in complaints if text]
    if any_is_enough and len(wrong) < len(complaints):
        return [text for text in wrong if text.endswith(" failed")]
    return wrong


def check_star(names, is_starred, outcomes):
    """Whether the row says that it rests on the fake driver."""
    drivers = outcomes.drivers_of(names)
    if is_starred and "real" in drivers:
        return ["T* says that no test uses a real driver, and one does"]
    if is_starred and drivers <= {"none"}:
        return ["T* says that tests use the fake driver, and none does"]
    if not is_starred and "fake" in drivers and drivers <= {"fake", "none"}:
        return ["all that use a driver use the fake one; the tag has to be T*"]
    return []


def check_proof(item, tag, proof, tree, outcomes, any_is_enough):
    """What is wrong with one row."""
    if tag[0] == "T" and item not in SENTENCE_ITEMS:
        names = [name.strip().strip("`") for name in proof.split(",")]
        complaints = check_tests(names, outcomes, any_is_enough)
        if not any_is_enough:  # a test left out may use a real driver
            complaints += check_star(names, tag == "T*", outcomes)
        return complaints
    complaints = []
    if tag.endswith("*"):
        complaints.append("a star is for rows of tests")
    if len(proof) < SHORTEST_SENTENCE:
        complaints.append("no sentence decides it")
    if tag == "P":
        complaints += check_benchmark(proof, tree)
    return (complaints + check_tree(proof, tree)
            + check_tests(TEST_IN_TEXT.findall(proof), outcomes,
                          any_is_enough))


def check_others(path, expected, outcomes, any_is_enough):
    """What is wrong with the text between the rows, and with other tables."""
    complaints = []
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            place = f"{path}:{number}"
            complaints += [f"{place}: {item} is not in the checklist"
                           for item in ITEM_IN_TEXT.findall(line)
                           if item not in expected]
            if ROW.match(line):
                continue
            other = OTHER_ROW.match(line)
            names = TEST_IN_TEXT.findall(other.group(1) if other else line)
            if other and not names and not re.match(r"^(-+|proof)$",
                                                    other.group(1)):
                complaints.append(f"{place}: no test proves it")
            complaints += [f"{place}: {text}" for text in
                           check_tests(names, outcomes, any_is_enough)]
    return complaints


def main(arguments):
    any_is_enough = arguments[:1] == ["--any"]
    if any_is_enough:
        arguments = arguments[1:]
    if len(arguments) < 2:
        print(__doc__)
        return 2
    document = arguments[0]
    expected = {f"{source}.{number}": tag
                for source, tags in ITEM_TAGS.items()
                for number, tag in enumerate(tags, 1)}
    expected.update(dict.fromkeys(DECIDED_OTHERWISE, "D"))
    outcomes = Outcomes(arguments[1:])
    if not outcomes.results:
        print("the runs hold no result at all")
        return 1
    tree = Tree(pathlib.Path(document).resolve().parents[2])
    seen = {}
    complaints = []
    for number, item, tag, proof in read_rows(document):
        place = f"{document}:{number}: {item}"
        if item in seen:
            complaints.append(f"{place}: again, as in line {seen[item]}")
        seen[item] = number
        if tag[0] != expected.get(item, tag[0]):
            complaints.append(f"{place}: the checklist's tag is"
                              f" {expected[item]}, not {tag}")
        complaints += [f"{place}: {text}"
                       for text in check_proof(item, tag, proof, tree,
                                               outcomes, any_is_enough)]
    complaints += check_others(document, expected, outcomes, any_is_enough)
    covered = read_covered(document)
    if not covered:
        complaints.append(f"{document} has no line that says what it covers")
    complaints += [f"{item}: missing" for item in sorted(covered - set(seen))]
    complaints += [f"{item}: not in the checklist"
                   for item in sorted((set(seen) | covered) - set(expected))]
    for text in complaints:
        print(text)
    print(f"conformance: {len(seen)} rows, {len(covered)} of {len(expected)} items,"
          f" {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
