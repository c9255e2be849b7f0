#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the adoptions that need no source of others: the patches keep their
limits, the judge finds what does not hold, and the table is checked."""
import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import adoption_results  # noqa: E402  pylint: disable=wrong-import-position

MAX_LINES = 149
FIELDS = ("a", "program", "MIT", "name", "1.0", "something", "the numbers",
          "own", "debian")


def patches():
    return sorted(HERE.glob("*/*.patch"))


class Patches(unittest.TestCase):
    def test_there_is_one_of_each_kind(self):
        letters = [line.split("=")[1].strip()
                   for path in HERE.glob("*/adoption.sh")
                   for line in path.read_text("utf-8").splitlines()
                   if line.startswith("letter=")]
        self.assertEqual(sorted(letters), ["a", "b", "c", "d"])
        self.assertEqual(len(patches()), 4)

    def test_they_are_short(self):
        for path in patches():
            lines = path.read_text("utf-8").splitlines()
            changed = [line for line in lines if line[:1] in ("+", "-") and
                       not line.startswith(("+++ ", "--- "))]
            self.assertGreater(len(changed), 0, path)
            self.assertLessEqual(len(changed), MAX_LINES, path)

    def test_they_use_the_library(self):
        for path in patches():
            text = path.read_text("utf-8")
            self.assertRegex(text, r"\n\+.*dnnl", path)
            self.assertIn("note_launch", text, path)


class Judge(unittest.TestCase):
    """A recorded adoption that holds, and what is done to it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()) / "program"
        self.addCleanup(shutil.rmtree, self.folder.parent)
        self.write("fields", "\n".join(FIELDS))
        self.write("lines", "10 5 100")
        self.write("driver", "driver 1")
        for i in (1, 2, 3):
            for kind, ms in (("none", 1000), ("cold", 2000), ("warm", 100 * i),
                             ("own", 500)):
                self.add_run(f"{i}/{kind}", ms * i, 1)
        for kind in ("none", "cold", "warm"):
            self.add_run(f"eight1/{kind}", 4000, 8)

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def add_run(self, name, ms, processes):
        kind = name.split("/")[1]
        self.write(f"runs/{name}/ms", str(ms))
        self.write(f"runs/{name}/load", "0.5")
        for i in range(1, processes + 1):
            self.write(f"runs/{name}/process{i}/status", "0")
            self.write(f"runs/{name}/process{i}/artifact/numbers", "1 2 3")
        if kind in ("cold", "warm"):
            self.write(f"runs/{name}/stats", "\n".join(
                [self.report(compiled=3 if kind == "cold" else 0,
                             hits=0 if kind == "cold" else 3)] * processes))

    @staticmethod
    def report(compiled=0, hits=0, rejected=0, failures=0):
        return json.dumps({"library": {
            "programs": {"compiled": compiled, "blobs_rejected": rejected},
            "stores": {"hits": hits, "failures": failures}}})

    def problems(self):
        return adoption_results.read_adoption(self.folder)["problems"]

    def test_what_holds_has_no_problem(self):
        row = adoption_results.read_adoption(self.folder)
        self.assertEqual(row["problems"], [])
        self.assertEqual(row["lines"],
                         {"added": 10, "removed": 5, "removed_files": 100})
        warm = row["starts"]["warm"]
        self.assertEqual(warm["ms"], [100, 400, 900])
        self.assertEqual(warm["median_ms"], 400)
        self.assertEqual(warm["ratio"], 0.2)  # of 0.1, 0.2 and 0.3
        self.assertEqual(row["eight"]["cold"]["compiled"], 24)

    def test_a_process_that_fails_is_found(self):
        self.write("runs/eight1/warm/process7/status", "1")
        self.assertEqual(self.problems(), ["eight1/warm/process7 failed"])

    def test_other_results_are_found(self):
        self.write("runs/2/own/process1/artifact/numbers", "1 2 4")
        self.assertEqual(self.problems(),
                         ["2/own/process1: numbers differs"])

    def test_a_run_that_makes_nothing_is_found(self):
        for path in self.folder.glob("runs/*/*/process*/artifact/numbers"):
            path.unlink()
        self.assertIn("1/none/process1: makes nothing", self.problems())

    def test_compilations_of_a_warm_run_are_found(self):
        self.write("runs/3/warm/stats", self.report(compiled=1, hits=2))
        self.assertEqual(self.problems(), ["warm: 1 compilations"])

    def test_a_warm_run_without_hits_is_found(self):
        for i in (1, 2, 3):
            self.write(f"runs/{i}/warm/stats", self.report())
        self.assertEqual(self.problems(),
                         ["warm: nothing came from the store"])

    def test_a_cold_run_that_compiles_nothing_is_found(self):
        for i in (1, 2, 3):
            self.write(f"runs/{i}/cold/stats", self.report(hits=3))
        self.assertEqual(self.problems(),
                         ["cold: compiles nothing, so proves nothing"])

    def test_a_process_without_the_library_is_found(self):
        (self.folder / "runs/1/warm/stats").unlink()
        self.assertEqual(self.problems(),
                         ["warm: a process ran without the library"])

    def test_a_rejected_blob_and_a_failing_store_are_found(self):
        expected = ["warm: a blob was rejected, or the store failed"]
        for what in ("rejected", "failures"):
            self.write("runs/1/warm/stats", self.report(hits=3, **{what: 1}))
            self.assertEqual(self.problems(), expected)

    def test_rows_of_other_adoptions_stay(self):
        path = self.folder.parent / "results.json"
        path.write_text(json.dumps([{"adoption": "another"},
                                    {"adoption": "program"}]), "utf-8")
        adoption_results.put_rows(
            path, [adoption_results.read_adoption(self.folder)])
        rows = json.loads(path.read_text("utf-8"))
        self.assertEqual([row["adoption"] for row in rows],
                         ["another", "program"])
        self.assertIn("starts", rows[1])

    def test_no_table_of_what_does_not_hold(self):
        self.write("runs/3/warm/stats", self.report(compiled=1, hits=2))
        with self.assertRaises(adoption_results.Failure):
            adoption_results.tables(
                [adoption_results.read_adoption(self.folder)])

    def test_a_document_that_says_other_things_is_found(self):
        results = self.folder.parent / "results.json"
        document = self.folder.parent / "document.md"
        adoption_results.put_rows(
            results, [adoption_results.read_adoption(self.folder)])
        document.write_text(
            "<!-- tests/adoptions/run.sh: begin, written by "
            "tests/adoptions/adoption_results.py -->\n"
            "<!-- tests/adoptions/run.sh: end -->\n", "utf-8")

        def run(*more):
            return subprocess.run(
                [sys.executable, "-B", HERE / "adoption_results.py",
                 "--document", document, *more, results],
                capture_output=True, text=True, check=False)

        self.assertEqual(run("--check").returncode, 1)
        self.assertEqual(run().returncode, 0)
        self.assertEqual(run("--check").returncode, 0)
        text = document.read_text("utf-8")
        self.assertIn("| 2.00 s | 4.00 s (2.00) | 0.40 s (0.20) |", text)
        self.assertIn("| -95 |", text)
        document.write_text(text.replace("0.40 s", "0.30 s"), "utf-8")
        self.assertEqual(run("--check").returncode, 1)


class Script(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([HERE / "run.sh", *arguments], check=False,
                              capture_output=True, text=True)

    def test_it_lists_the_adoptions(self):
        result = self.run_script("--list")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.split(),
                         sorted(path.parent.name for path in patches()))

    def test_wrong_usage_is_told(self):
        for arguments in (["--only", "nothing"], ["--only", "../apps"],
                          ["--rounds", "0"], ["--rounds"], ["--unknown"]):
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("run.sh: ", result.stderr)


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        unittest.main()
