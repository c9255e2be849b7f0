#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/lack_table.py finds in a copy of the sources.

usage: test_lack_table.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(sys.argv.pop(1))
LIST = "engine/lacks.h"
DESCRIBED = "primitive/primitive_desc_finish.c"


class LackTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.gpu = pathlib.Path(folder.name) / "gpu"
        self.document = pathlib.Path(folder.name) / "onednn.md"
        shutil.copytree(root / "src" / "gpu", self.gpu)
        shutil.copyfile(root / "docs/reference/onednn.md", self.document)

    def check(self, *arguments):
        """The exit status, and what was printed."""
        done = subprocess.run(
            [sys.executable, "-B", root / "scripts" / "lack_table.py",
             "--sources", self.gpu, "--document", self.document, *arguments],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def replace(self, name, old, new):
        path = self.gpu / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def expect_fault(self, words):
        status, said = self.check("--check")
        self.assertEqual(1, status, said)
        self.assertIn(words, said)

    def test_takes_the_sources_as_they_are(self):
        self.assertEqual((0, ""), self.check("--check"))

    def test_finds_an_answer_that_tells_nothing(self):
        self.replace(DESCRIBED, "return decline_of(pd, LACK_BLOCKS)",
                     "return dnnl_unimplemented")
        self.expect_fault(f"{DESCRIBED}:")

    def test_takes_an_answer_with_a_reason(self):
        self.replace(DESCRIBED, "        if (memory_desc_has_runtime(md))",
                     "        /* No refusal: a test. */\n"
                     "        if (md == 0) return dnnl_unimplemented;\n"
                     "        if (memory_desc_has_runtime(md))")
        self.assertEqual((0, ""), self.check("--check"))

    def test_finds_a_lack_without_a_case(self):
        self.replace(LIST, 'X(USM, "no unified', 'X(NEW, "new") X(USM, "no unified')
        self.expect_fault("LACK_NEW has no case")

    def test_finds_a_lack_that_is_told_nowhere(self):
        self.replace("memory/memory.c", "LACK_USM", "LACK_TYPES")
        self.expect_fault("LACK_USM is told nowhere")

    def test_finds_words_with_a_comma(self):
        self.replace(LIST, "no unified shared memory", "no shared, memory")
        self.expect_fault("LACK_USM: commas")

    def test_writes_a_row_that_was_changed(self):
        self.replace(LIST, 'X(usm, USM, "memory", "USM")',
                     'X(usm, USM, "memory", "shared memory")')
        self.expect_fault("run scripts/lack_table.py")
        self.assertEqual((0, ""), self.check())
        self.assertEqual((0, ""), self.check("--check"))
        self.assertIn("| memory | shared memory; parts of a tensor that begin",
                      self.document.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
