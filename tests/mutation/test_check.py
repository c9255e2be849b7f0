#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which files check.py changes, and which results it takes for known."""
import pathlib
import shutil
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import check
import operators

PROJECT = pathlib.Path(__file__).resolve().parents[2]


class Files(unittest.TestCase):
    """Every room of src/gpu is in one of the lists."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for path in PROJECT.glob("src/gpu/**/*.c"):
            copy = self.folder / path.relative_to(PROJECT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.touch()
        (self.folder / "src/gpu/kernels").mkdir()

    def test_all_are_listed_once(self):
        self.assertIn("src/gpu/device/environment.c",
                      check.files_of(self.folder)["programs"])
        listed = check.PROGRAMS + check.PRIMITIVES
        self.assertEqual(len(listed), len(set(listed)))

    def test_a_new_one_is_noticed(self):
        (self.folder / "src/gpu/brand_new").mkdir()
        with self.assertRaisesRegex(RuntimeError, "brand_new"):
            check.files_of(self.folder)

    def test_a_missing_one_is_noticed(self):
        shutil.rmtree(self.folder / "src/gpu/engine")
        with self.assertRaisesRegex(RuntimeError, ": engine$"):
            check.files_of(self.folder)


class Results(unittest.TestCase):
    """What is known of a change on some state of the sources."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        text = "int f(int a)\n{\n    g(a);\n    h(a);\n}\n"
        first, second = (
            next(change for change in operators.changes_of(text)
                 if change.line == line) for line in (3, 4))
        self.mutants = [check.Mutant("f.c", text, first, 0),
                        check.Mutant("f.c", text, second, 0)]

    def run_check(self, digest, survivors=False, states=("killed", "killed")):
        """Which of the two changes are tried on these sources."""
        one = object.__new__(check.Check)
        one.options = types.SimpleNamespace(survivors=survivors, seed=1)
        one.tree = types.SimpleNamespace(digest=digest)
        one.results_file = self.folder / "results.json"
        one.explained = {}
        tried = []

        def try_mutant(mutant):
            number = self.mutants.index(mutant)
            tried.append(number)
            return {"state": states[number], "line_number": 1, "tests": 1,
                    "seconds": 0}

        one.try_mutant = try_mutant
        one.load_results()
        for mutant in self.mutants:
            one.result_of(mutant)
        return tried

    def test_are_known_on_the_same_sources_alone(self):
        self.assertEqual(self.run_check("a"), [0, 1])
        self.assertEqual(self.run_check("a"), [])
        self.assertEqual(self.run_check("b"), [0, 1])

    def test_of_survivors_do_not_renew_the_others(self):
        self.run_check("a", states=("killed", "survived"))
        self.assertEqual(self.run_check("b", survivors=True), [1])
        # The first was tried on "a" alone.
        self.assertEqual(self.run_check("b"), [0])


if __name__ == "__main__":
    # check.py prints what it finds.
    unittest.main(buffer=True)
