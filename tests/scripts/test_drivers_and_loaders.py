#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what scripts/loaders.py makes of starts, and scripts/driver_record.py of
runs of tests.

usage: test_drivers_and_loaders.py ROOT
"""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import driver_record  # noqa: E402
import loaders  # noqa: E402
import measure_drivers  # noqa: E402
import result_tables  # noqa: E402
from recorded import Failure  # noqa: E402

OUTPUT = "1\n2\n3\n"
WARNING = "dnnl-cache-run: warning: nothing will be kept: the loader x ignores"


def stats(hits, misses):
    return {"hits": hits, "misses": misses}


class Starts(loaders.Trial):
    """A trial whose two starts are known."""

    def __init__(self, way, cold, warm):
        self.way, self.starts = way, [cold, warm]

    def start(self, name):
        return self.starts.pop(0)


class Loaders(unittest.TestCase):
    cold = (OUTPUT, stats(0, 3), 3, "")
    warm = (OUTPUT, stats(3, 0), 0, "")

    def assert_fails(self, way, cold, warm, words):
        with self.assertRaisesRegex(Failure, words):
            Starts(way, cold, warm).result()

    def test_one_that_works(self):
        for way in ("variable", "run"):
            self.assertEqual(Starts(way, self.cold, self.warm).result(), "works")

    def test_one_that_finds_nothing(self):
        self.assert_fails("variable", self.cold, self.cold, "hits: 0, not 3")

    def test_one_whose_driver_compiles_what_was_found(self):
        warm = (OUTPUT, stats(3, 0), 3, "")
        self.assert_fails("variable", self.cold, warm, "built 3 programs, not 0")
        self.assertEqual(Starts("run", self.cold, warm).result(), "works")

    def test_one_whose_results_differ(self):
        self.assert_fails("run", self.cold, ("1\n2\n4\n", *self.warm[1:]),
                          "outputs differ")

    def test_one_that_ignores_the_layer(self):
        silent, said = (OUTPUT, None, 3, ""), (OUTPUT, None, 3, WARNING)
        self.assertEqual(Starts("run", said, said).result(), "ignored")
        self.assertEqual(Starts("variable", silent, silent).result(), "ignored")
        self.assert_fails("run", silent, silent, "says nothing")

    def test_one_of_which_is_warned_although_it_works(self):
        self.assert_fails("run", (*self.cold[:3], WARNING), self.warm,
                          "warns although")


JUNIT = """<testsuite name="all">
<testcase name="on_device" status="run" time="1"/>
<testcase name="on_fake" status="run" time="1"/>
<testcase name="crashed" status="fail" time="1"/></testsuite>"""
GTEST = """<testsuites><testsuite name="S">
<testcase name="A" classname="S" status="run" result="completed"/>
<testcase name="B" classname="S" status="run" result="skipped">
<skipped message="no threads"/></testcase>
<testcase name="C" classname="S" status="run" result="completed">
<failure message="x"/></testcase></testsuite></testsuites>"""


def entry(name, label):
    return {"name": name, "properties": [{"name": "LABELS", "value": [label]}]}


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_folder(self, label):
        (self.root / "gtest").mkdir(exist_ok=True)
        (self.root / "ctest.xml").write_text(JUNIT, encoding="utf-8")
        (self.root / "gtest/on_device.xml").write_text(GTEST, encoding="utf-8")
        (self.root / "tests.json").write_text(json.dumps({"tests": [
            entry("on_device", label), entry("crashed", label),
            entry("on_fake", "unit")]}), encoding="utf-8")
        return self.root

    def test_tests_on_the_driver_count(self):
        self.assertEqual(
            driver_record.counted([self.run_folder("device")]),
            {"passed": 1, "failed": 2, "skipped": 1,
             "failures": ["S.C", "crashed"]})

    def test_a_run_without_any_is_no_record(self):
        with self.assertRaisesRegex(Failure, "no test of"):
            driver_record.counted([self.run_folder("unit")])

    def record(self, name, **members):
        row = dict.fromkeys(measure_drivers.DRIVER, "") | {
            "platform": "rusticl", "driver": "22.3.6", "system": "Debian",
            "tier": "quick", "failures": []} | members
        path = self.root / name
        path.write_text(json.dumps([row]), encoding="utf-8")
        return path

    def test_changed_sources_are_no_commit(self):
        self.assertEqual(driver_record.tested("a" * 40, "a" * 12), "a" * 40)
        changed = driver_record.tested("a" * 40, "a" * 12 + "-dirty")
        self.assertEqual(changed, "a" * 40 + "-dirty")
        row = dict.fromkeys(measure_drivers.DRIVER, "") | {
            "commit": changed, "failures": []}
        self.assertIn(f"`{'a' * 12}-dirty`",
                      "\n".join(result_tables.drivers([row])))

    def test_the_last_run_of_a_tier_on_a_driver_counts(self):
        (self.root / "bench/results").mkdir(parents=True)
        files = [self.record("a", commit="old"), self.record("b", commit="new"),
                 self.record("c", driver="25.0", commit="old"),
                 self.record("d", tier="merge", commit="other")]
        for given in (files[:2], files[2:]):
            measure_drivers.measure(
                self.root, type("Options", (), {"files": given}))
        written = json.loads((self.root / "bench/results/drivers.json").read_text(
            encoding="utf-8"))
        self.assertEqual(
            [(row["driver"], row["tier"], row["commit"]) for row in written],
            [("22.3.6", "merge", "other"), ("22.3.6", "quick", "new"),
             ("25.0", "quick", "old")])


if __name__ == "__main__":
    unittest.main()
