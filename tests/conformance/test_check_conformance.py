#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_conformance.py finds wrong with a document.

usage: test_check_conformance.py SCRIPTS
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

scripts = sys.argv.pop(1)
sys.path.insert(0, scripts)
import check_conformance  # noqa: E402

REPORT = ('<testsuites>'
          '<testcase classname="{0}" name="Passes" status="run"/>'
          '<testcase classname="{0}" name="Fails" status="run"><failure/>'
          '</testcase>'
          '<testcase classname="{0}" name="IsSkipped" result="skipped"/>'
          '</testsuites>')
# Entry of ctest, its suite and its properties.
ENTRIES = {
    "unit": ("Plain", []),
    "api": ("Fake", [{"name": "ENVIRONMENT", "value": [
        "OCL_ICD_VENDORS=/build/tests/fake_opencl/vendors"]}]),
    "device": ("Real", [{"name": "LABELS", "value": ["api", "device"]}]),
}
RESULTS = {
    "fast": [("quick_row", 0.5, 1.0, True), ("slow_row", 2.0, 1.0, False),
             ("old_row", 0.5, 3.0, True)],
    "slow": [("quick_row", 3.0, 1.0, False)],
}


class CheckConformance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("bench/targets.h", 'X(quick_row, 1.0, "ns", "a row")\n'
                                      'X(old_row, 1.0, "ns", "a row")\n')
        for name, rows in RESULTS.items():
            keys = ("row", "ratio", "target", "met")
            self.write(f"bench/results/{name}.json",
                       json.dumps([dict(zip(keys, row)) for row in rows]))
        self.write("src/here.c", "int work_here(void);\n")
        self.write("src/there.c", "int work_there(void);\n")
        tests = [{"name": name, "properties": properties}
                 for name, (_, properties) in ENTRIES.items()]
        self.write("run/tests.json", json.dumps({"tests": tests}))
        self.write("run/ctest.xml", "<testsuite>" + "".join(
            f'<testcase name="{name}" status="run"/>'
            for name in ENTRIES) + "</testsuite>")
        for name, (suite, _) in ENTRIES.items():
            self.write(f"run/gtest/{name}.xml", REPORT.format(suite))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, row, covered="S0.1", options=()):
        """What is said of a document with this row; "" for nothing."""
        self.write("docs/reference/conformance.md",
                   f"Covered: {covered}\n\n| item | tag | proof |\n"
                   f"| --- | --- | --- |\n{row}\n")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = check_conformance.main(
                [*options, str(self.root / "docs/reference/conformance.md"),
                 str(self.root / "run")])
        lines = said.getvalue().splitlines()[:-1]
        self.assertEqual(status, 1 if lines else 0)
        return "\n".join(lines)

    def expect(self, row, complaint, **given):
        said = self.check(row, **given)
        self.assertEqual(said.count("\n") + 1 if said else 0,
                         1 if complaint else 0, said)
        self.assertIn(complaint, said)

    def test_rows_are_those_of_the_checklist(self):
        self.expect("| S0.1 | T | Plain.Passes |", "")
        self.expect("| S0.1 | D | Decided so and so. |", "tag is T, not D")
        self.expect("| S0.1 | T | Plain.Passes |", "S0.2: missing",
                    covered="S0.1-S0.2")

    def test_tests_have_passed(self):
        for name, complaint in (("Plain.Fails", "failed"),
                                ("Plain.IsSkipped", "was skipped"),
                                ("Plain.Is", "did not run"),
                                ("ctest:unit", ""),
                                ("ctest:other", "did not run")):
            self.expect(f"| S0.1 | T | {name} |", complaint)

    def test_tests_in_sentences_have_passed(self):
        for item in ("S0.7 | D", "S0.68 | L"):
            number = item.split()[0]
            for name, complaint in (("Plain.Passes", ""),
                                    ("Plain.Fails", "failed"),
                                    ("ctest:other", "did not run")):
                self.expect(f"| {item} | Decided: `{name}`. |", complaint,
                            covered=number)

    def test_other_tables_end_in_tests(self):
        row = "| S0.1 | T | Plain.Passes |\n\n| a | b |\n| --- | --- |\n"
        self.expect(row + "| 1 | `Plain.Passes` |", "no test proves it")
        row = row.replace("| a | b |", "| a | proof |")
        self.expect(row + "| 1 | `Plain.Passes` |", "")
        self.expect(row + "| 1 | `Plain.Fails` |", "failed")
        self.expect(row + "| 1 | model_cache_entry |", "no test proves it")

    def test_stars_are_where_only_the_fake_driver_is_used(self):
        for tag, names, complaint in (
                ("T", "Fake.Passes, Plain.Passes", "has to be T*"),
                ("T*", "Fake.Passes, Plain.Passes", ""),
                ("T", "Fake.Passes, Real.Passes", ""),
                ("T*", "Fake.Passes, Real.Passes", "and one does"),
                ("T*", "Plain.Passes", "and none does")):
            self.expect(f"| S0.1 | {tag} | {names} |", complaint)

    def test_some_tests_are_enough_where_not_all_run(self):
        any_of = {"options": ("--any",)}
        self.expect("| S0.1 | T | Plain.Passes, Plain.Other |", "", **any_of)
        self.expect("| S0.1 | T | Fake.Passes, Real.Other |", "", **any_of)
        self.expect("| S0.1 | T* | Fake.Passes, Fake.Other |", "", **any_of)

    def test_benchmarks_reach_their_targets(self):
        for sentence, complaint in (
                ("There is no row yet.", "names no row"),
                ("Row `no_row`.", "no recorded benchmark has"),
                ("Row `slow_row`; missed on fast.", "its target nowhere"),
                ("Row `quick_row`.", "is missed on slow, which is not said"),
                ("Row `quick_row`; missed on slow.", ""),
                ("Row `quick_row`; missed on slow and fast.",
                 "nothing of it is missed on fast"),
                ("Row `old_row`.", "against 3.0, the target is 1.0")):
            self.expect(f"| S0.40 | P | {sentence} |", complaint,
                        covered="S0.40")

    def test_sentences_name_what_there_is(self):
        for sentence, complaint in (
                ("By work_here() of src/here.c.", ""),
                ("By work_there() somewhere.", ""),
                ("By work_there() of src/here.c.", "work_there is not in"),
                ("By work_elsewhere() somewhere.", "work_elsewhere is not in"),
                ("By struct what of ours.", "what is not in"),
                ("By all of src/gone.c.", "there is no src/gone.c"),
                ("See S0.999 for it.", "S0.999 is not in the checklist")):
            self.expect(f"| S0.7 | D | {sentence} |", complaint,
                        covered="S0.7")


if __name__ == "__main__":
    unittest.main()
