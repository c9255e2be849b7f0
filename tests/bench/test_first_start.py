#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/first_start.py and bench/starts.py, with small applications on the fake
driver: what a row says, and that it is no row if an application fails or makes
something else. And the options that they share with warm_start.py and
ahead_start.py.

    test_first_start.py SOURCE BUILD CLIENT VENDORS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD, CLIENT, VENDORS = (
    pathlib.Path(a).resolve() for a in sys.argv[1:5])
GOOD = f"""
run_application() {{
    app sh -c 'echo "$PYOPENCL_NO_CACHE" "$POCL_KERNEL_CACHE"' >>"$run/seen"
    PYOPENCL_NO_CACHE=1 app sh -c 'echo "$PYOPENCL_NO_CACHE"' >>"$run/seen"
    app {CLIENT} Fake
    cp "$run/seen" ../seen
    echo made >"$artifact/made"
}}
"""
FAILS = "run_application() { app false; }\n"
DIFFERS = f'run_application() {{ app {CLIENT} Fake; date +%N >"$artifact/a"; }}\n'


class Bench(unittest.TestCase):
    script = "bench/first_start.py"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_bench(self, text, *more):
        applications = self.folder / "applications"
        applications.mkdir()
        (applications / "small.sh").write_text(
            f"packages=()\npypi=()\n{text}", "utf-8")
        done = subprocess.run(
            [sys.executable, "-B", SOURCE / self.script, "--build",
             BUILD, "--applications", applications, "--apps", "small",
             "--rounds", "2", "--out", self.folder / "out", "--json",
             self.folder / "rows", "--no-install", *more],
            env={**os.environ, "DNNL_CACHE_TEST_ICD": str(VENDORS / "fake.icd"),
                 "CI": ""}, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done, json.loads((self.folder / "rows").read_text())

    def refuses(self, text, words):
        done, rows = self.run_bench(text)
        self.assertEqual(done.returncode, 1)
        self.assertIn(words, done.stdout)
        self.assertEqual(rows, [])


class FirstStart(Bench):
    def test_says_what_both_kinds_of_caches_cost(self):
        done, rows = self.run_bench(GOOD)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([(r["row"], r["caches"]) for r in rows], [
            ("first_start", "off"), ("first_start", "default"),
            ("first_start_median", "off"), ("first_start_median", "default")])
        for row in rows[:2]:
            self.assertGreater(row["first_misses"], 0)
            self.assertEqual(row["first_hits"], 0)
            self.assertGreater(row["next_hits"], 0)  # the store of the first
            self.assertGreater(row["reference"], 0)
            self.assertGreater(row["ours"], 0)
            self.assertGreater(row["ours_cpu"], 0)
            self.assertGreater(row["reference_cpu"], 0)
            self.assertEqual(row["samples"], 2)
            self.assertGreaterEqual(row["beside_next_cpu"], 0)
            self.assertEqual(
                row["met"], row["ratio"] <= 1.15
                or row["ours"] <= row["reference"] + 100_000_000)
        self.assertEqual(rows[2]["ratio"], rows[0]["ratio"])

    def test_sets_caches(self):
        for caches, seen in (("off", " 0\n1\n"), ("default", " \n\n")):
            with self.subTest(caches):
                text = GOOD.replace("../seen", f"{self.folder}/seen")
                self.run_bench(text, "--caches", caches)
                self.assertEqual((self.folder / "seen").read_text(), seen)
                (self.folder / "applications/small.sh").unlink()
                (self.folder / "applications").rmdir()

    def test_has_no_row_of_what_fails(self):
        self.refuses(FAILS, "status 1")

    def test_has_no_row_of_what_makes_something_else(self):
        self.refuses(DIFFERS, "made something else")


class Starts(Bench):
    script = "bench/starts.py"

    def test_says_what_each_start_takes(self):
        done, rows = self.run_bench(GOOD)
        self.assertEqual(done.returncode, 0, done.stdout)
        row, = rows
        self.assertEqual((row["row"], row["application"], row["samples"]),
                         ("starts", "small", 2))
        for name in ("none", "cold", "warm", "first", "later", "fresh",
                     "updated"):
            self.assertGreater(row[name], 0)
        for name in ("later", "fresh"):
            self.assertGreater(row[f"{name}_hits"], 0)
        self.assertEqual(row["fresh_misses"], row["later_misses"])
        self.assertGreater(row["updated_misses"] + row["updated_hits"], 0)
        for name in ("first_ratio", "later_ratio", "fresh_ratio",
                     "updated_ratio"):
            self.assertGreater(row[name], 0)

    def test_has_no_row_of_what_fails(self):
        self.refuses(FAILS, "status 1")

    def test_has_no_row_of_what_makes_something_else(self):
        self.refuses(DIFFERS, "made something else")


class StartOptions(unittest.TestCase):
    """Of all four, before anything is measured."""
    def run_one(self, name, *arguments):
        return subprocess.run(
            [sys.executable, "-B", SOURCE / f"bench/{name}.py", *arguments],
            text=True, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def test_are_the_same_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "file").touch()
            wrong = {
                "no application \"none\"": ["--apps", "none"],
                "--rounds must be at least 1": ["--rounds", "0"],
                "holds something else": ["--out", folder],
                "is not a folder": ["--out", f"{folder}/file"]}
            for name in ("first_start", "warm_start", "ahead_start",
                         "starts"):
                for told, arguments in wrong.items():
                    with self.subTest(f"{name}: {told}"):
                        done = self.run_one(name, *arguments)
                        self.assertEqual(done.returncode, 2, done.stderr)
                        self.assertIn(f"{name}.py: error: ", done.stderr)
                        self.assertIn(told, done.stderr)
                done = self.run_one(name, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn(f"bench/{name}.py ", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
