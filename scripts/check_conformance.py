#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/CONFORMANCE.md against a run of the tests.

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
  tag    T, D, P or L, as the checklist has it
  proof  T: names Suite.Test, separated by commas, or entries of ctest as
         ctest:NAME; each must have run and passed in one of the RUNs, and not
         have been skipped. A trailing /* names all instances of a
         parameterized test. Items of Windows (see SENTENCE_ITEMS) are decided
         by a sentence.
         P: a sentence that names the row of the benchmark.
         D, L: the sentence that decides it; names of tests may stand in it as
         `Suite.Test`, and those must exist.

A line of DOCUMENT says which items it must have:

    Covered: S0.11-S0.13, S2.46

RUN is a folder that scripts/test.sh filled (see test_results.py). Exits with 1
and says what is wrong.
"""
import re
import sys

import test_results

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
# Items that can be proved on Windows or Level Zero only.
SENTENCE_ITEMS = {"S0.9", "S0.26", "S0.27", "S1.40"}

ROW = re.compile(r"^\|\s*`?(S\d+\.\d+)`?\s*\|\s*([A-Z])\s*\|\s*(.*?)\s*\|\s*$")
COVERED = re.compile(r"^Covered: (.*)$", re.MULTILINE)
RANGE = re.compile(r"^(S\d+)\.(\d+)(?:-(S\d+)\.(\d+))?$")
TEST = re.compile(r"^(ctest:[\w.+-]+|[\w/]+\.[\w/]+(/\*)?)$")
TEST_IN_TEXT = re.compile(r"`([A-Z]\w+\.[A-Z]\w+)`")
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


def read_results(runs):
    """Test name -> results it had in the runs."""
    results = {}
    for run in runs:
        for case in test_results.run_cases(run):
            results.setdefault(case.name, set()).add(case.result)
        for entry in test_results.ctest_entries(run):
            results.setdefault(f"ctest:{entry.name}", set()).add(entry.result)
    return results


def results_of(name, results):
    """The results of a test; of all instances for a name that ends in /*."""
    if not name.endswith("/*"):
        return results.get(name, set())
    start = name[:-1]
    found = set()
    for test, outcome in results.items():
        if test.startswith(start):
            found |= outcome
    return found


def check_test(name, results):
    """What is wrong with the test as a proof; None if nothing."""
    if not TEST.match(name):
        return f'"{name}" is no name of a test'
    outcome = results_of(name, results)
    if not outcome:
        return f"{name} did not run"
    if "failed" in outcome:
        return f"{name} failed"
    if "passed" not in outcome:
        return f"{name} was skipped"
    return None


def check_tests(names, results, any_is_enough):
    """What is wrong with the tests of one row."""
    complaints = [check_test(name, results) for name in names]
    wrong = [text for text in complaints if text]
    if any_is_enough and len(wrong) < len(complaints):
        return [text for text in wrong if text.endswith(" failed")]
    return wrong


def check_proof(item, tag, proof, results, any_is_enough):
    """What is wrong with one row."""
    if tag == "T" and item not in SENTENCE_ITEMS:
        names = [name.strip().strip("`") for name in proof.split(",")]
        return check_tests(names, results, any_is_enough)
    complaints = []
    if len(proof) < SHORTEST_SENTENCE:
        complaints.append("no sentence decides it")
    return complaints + check_tests(TEST_IN_TEXT.findall(proof), results,
                                    any_is_enough)


def main(arguments):
    any_is_enough = arguments[:1] == ["--any"]
    if any_is_enough:
        arguments = arguments[1:]
    if len(arguments) < 2:
        print(__doc__)
        return 2
    expected = {f"{document}.{number}": tag
                for document, tags in ITEM_TAGS.items()
                for number, tag in enumerate(tags, 1)}
    results = read_results(arguments[1:])
    if not results:
        print("the runs hold no result at all")
        return 1
    seen = {}
    complaints = []
    for number, item, tag, proof in read_rows(arguments[0]):
        place = f"{arguments[0]}:{number}: {item}"
        if item in seen:
            complaints.append(f"{place}: again, as in line {seen[item]}")
        seen[item] = number
        if tag != expected.get(item, tag):
            complaints.append(f"{place}: the checklist's tag is"
                              f" {expected[item]}, not {tag}")
        complaints += [f"{place}: {text}"
                       for text in check_proof(item, tag, proof, results,
                                               any_is_enough)]
    covered = read_covered(arguments[0])
    if not covered:
        complaints.append(f"{arguments[0]} has no line that says what it covers")
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
