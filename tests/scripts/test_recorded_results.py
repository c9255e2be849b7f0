#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/results.py on a copy of documents and results.

usage: test_recorded_results.py ROOT
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import result_tables  # noqa: E402
import results  # noqa: E402

MARKER = re.compile(r"<!-- (\S+): begin, written by scripts/results\.py -->")


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("docs", "bench/results"):
            shutil.copytree(ROOT / name, self.root / name)
        for name in ("README.md", "tests/apps/moves.json",
                     "tests/apps/results.json", "tests/onednn_suite/README.md",
                     "tests/onnx_backend/README.md"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, self.root / name)

    def run_it(self, *words):
        """The exit status, and what was printed."""
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/results.py", "--root", self.root,
             *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def change(self, name, old, new):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def change_row(self, name, application=None, **members):
        """The first row of a file of results, or the first of an application; a
        member of None is none."""
        path = self.root / f"bench/results/{name}.json"
        rows = json.loads(path.read_text(encoding="utf-8"))
        at = next(i for i, row in enumerate(rows)
                  if application in (None, row.get("application")))
        rows[at] = {key: value for key, value in {**rows[at], **members}.items()
                    if value is not None}
        path.write_text(json.dumps(rows), encoding="utf-8")

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def test_documents_and_the_list_have_the_same_tables(self):
        found = [(name, path.relative_to(ROOT).as_posix())
                 for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md"),
                              *ROOT.glob("tests/*/README.md")]
                 for name in MARKER.findall(path.read_text(encoding="utf-8"))]
        self.assertEqual(sorted(found), sorted(
            (name, one.document) for name, one in result_tables.SUBJECTS.items()))

    def test_every_file_of_results_is_in_a_table(self):
        named = {name for one in result_tables.SUBJECTS.values()
                 for name in one.sources}
        files = {path.stem for path in (ROOT / "bench/results").glob("*.json")}
        # The one that scripts/draw_pictures.py alone reads.
        self.assertEqual({"model_caches"}, files - named)

    def test_what_is_measured_here_has_a_script(self):
        said = {name for one in result_tables.SUBJECTS.values()
                for name in re.findall(r"--measure (\w+)", one.measured)}
        self.assertEqual(sorted(said), results.measures())
        for name in said:
            status, words = self.run_it("--measure", name, "--help")
            self.assertEqual((0, True),
                             (status, f"--measure {name}" in words), words)

    def test_a_number_that_was_measured_again(self):
        self.change_row("layer", ratio=0.123456, met=True)
        status, words = self.run_it("--check")
        self.assertEqual(1, status)
        self.assertIn("run scripts/results.py --write layer", words)
        self.assertEqual(1, words.count("does not say"))
        before = self.text("docs/reference/applications.md")
        self.assertEqual(0, self.run_it("--check", "stores")[0])
        self.assertEqual(0, self.run_it("--write", "stores")[0])
        self.assertEqual(before, self.text("docs/reference/applications.md"))
        self.assertEqual(0, self.run_it("--write")[0])
        self.assertIn("| 0.123 |", self.text("docs/reference/applications.md"))
        self.assertEqual((0, ""), self.run_it("--check"))

    def test_rows_of_a_busy_machine_say_so(self):
        for load, busy in ((5.5, True), (0.5, False)):
            self.change_row("starts", "clpeak_latency", load=load)
            self.assertEqual(0, self.run_it("--write", "starts")[0])
            self.assertEqual(busy, "which were busy" in self.text("README.md"))

    def test_the_first_table_has_what_was_measured_alone(self):
        self.change_row("starts", "clpeak_latency", first=5e9,
                        first_ratio=1.25)
        self.assertEqual(0, self.run_it("--write", "starts")[0])
        readme = self.text("README.md")
        self.assertIn(" | 5.00 s (1.25) | ", readme)
        for row, cells in (
                ("ResNet-50 on an H100, in a new container", r"\| \| \| \d"),
                ("30 programs in C, after an update of the driver", r"\| \| \d")):
            self.assertRegex(readme, rf"{row} \| \d+\.\d+ s {cells}")

    def test_all_faults_are_said_at_once(self):
        self.change("README.md", "| every later start |", "| a later start |")
        self.change_row("fleet", target=None)
        self.change("docs/start/python.md", "<!-- python: end -->", "")
        status, words = self.run_it("--check")
        self.assertEqual(1, status)
        for name, why in (("starts", "does not say what was measured"),
                          ("fleet", "a row without target"),
                          ("python", "needs one line <!-- python: begin")):
            self.assertRegex(words, f"(?m){name}: .*{why}")

    def test_results_of_tests_that_failed_are_no_table(self):
        path = self.root / "bench/results/onnx_nodes.json"
        nodes = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**nodes, "failed": ["one"]}),
                        encoding="utf-8")
        status, words = self.run_it("--write", "onnx")
        self.assertEqual(1, status)
        self.assertIn("tests that failed", words)

    def test_a_readme_that_grows_too_long(self):
        self.change("README.md", "\n", "\n" * results.README_LINES)
        status, words = self.run_it("--check", "starts")
        self.assertEqual(1, status)
        self.assertIn("more than 200", words)

    def test_wrong_usage(self):
        for words in ((), ("--check", "nothing"), ("--check", "--write"),
                      ("--measure", "nothing"), ("--measure",),
                      ("--measure", "nvidia")):
            self.assertEqual(2, self.run_it(*words)[0], words)


if __name__ == "__main__":
    unittest.main()
