#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/check_parsers.py finds a parser without a target, and
campaign_table.py puts what was run in place of what is in a table:
test_check_parsers.py TREE."""
import pathlib
import sys
import tempfile
import unittest

TREE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TREE / "tests/fuzz"))
import campaign_table  # noqa: E402
import check_parsers  # noqa: E402

PARSER = "#include <x.h>\nint f(void) { return load_le32(p); }\n"
README = "| fuzz_one | bytes | they hold |\n"


class CheckParsers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.put("src/one.c", PARSER)
        self.put("src/none.c", "/* load_le32(p) */ int g(void);\n")
        self.put("tests/fuzz/parsers.txt", "# a comment\nsrc/one.c : fuzz_one\n")
        self.put("tests/fuzz/README.md", README)
        self.put("tests/fuzz/targets.cmake", "set(fuzz_targets fuzz_one)\n")
        self.put("tests/fuzz/fuzz_one.c", "")
        self.put("tests/fuzz/corpus/fuzz_one/seed", "x")

    def put(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, *parts):
        wrong = check_parsers.check(self.tree)
        self.assertEqual(len(wrong), len(parts), wrong)
        for line, part in zip(wrong, parts):
            self.assertIn(part, line)

    def test_a_whole_table_is_right(self):
        self.expect()

    def test_a_new_parser_needs_a_line(self):
        self.put("tools/two.c", PARSER)
        self.expect("tools/two.c: reads bytes from outside")
        self.put("tests/fuzz/parsers.txt",
                 "src/one.c : fuzz_one\ntools/two.c - hashed\n")
        self.expect()

    def test_a_line_names_what_is_there(self):
        self.put("tests/fuzz/parsers.txt",
                 "src/one.c : fuzz_one fuzz_gone\nsrc/gone.c - copied\n")
        self.expect("src/gone.c: in parsers.txt, and not there",
                    "fuzz_gone: in parsers.txt, and there is no such target")

    def test_a_line_has_targets_or_a_reason(self):
        self.put("tests/fuzz/parsers.txt", "src/one.c\nsrc/one.c : fuzz_one\n")
        self.expect("parsers.txt:1: neither targets nor a reason")
        self.put("tests/fuzz/parsers.txt", 2 * "src/one.c : fuzz_one\n")
        self.expect("src/one.c is there twice")

    def test_a_target_has_a_row_a_line_and_a_seed(self):
        self.put("tests/fuzz/fuzz_two.c", "")
        self.expect("fuzz_two: no file of parsers.txt has it",
                    "fuzz_two: not in a table of README.md",
                    "fuzz_two: not in targets.cmake",
                    "fuzz_two: no seed in corpus/fuzz_two")


class CampaignTable(unittest.TestCase):
    LOG = ("#2\tINITED cov: 10 ft: 10 corp: 1/1b exec/s: 0 rss: 30Mb\n"
           "#90\tNEW    cov: 12 ft: 12 corp: 2/2b exec/s: 0 rss: 30Mb\n"
           "#1000\tDONE   cov: 12 ft: 12 corp: 2/2b exec/s: 9 rss: 30Mb\n"
           "Done 1000 runs in 7 second(s)\n"
           "stat::number_of_executed_units: 1000\n")

    def test_rows_replace_those_of_their_targets(self):
        with tempfile.TemporaryDirectory() as folder:
            readme = pathlib.Path(folder) / "README.md"
            log = pathlib.Path(folder) / "fuzz_one.log"
            log.write_text(self.LOG)
            readme.write_text(
                "before\n" + campaign_table.BEGIN
                + "| fuzz_two | 5 | 1 | 1, 1 | 0 | none |\n"
                + "| fuzz_one | 1 | 1 | 1, 1 | 0 | none |\n"
                + campaign_table.END + "after\n")
            campaign_table.put_into(readme, [campaign_table.read(log)])
            text = readme.read_text()
        self.assertIn("| fuzz_one | 1,000 | 7 | 10, 12 | 0 | none |\n"
                      "| fuzz_two | 5 | 1 | 1, 1 | 0 | none |\n", text)
        self.assertIn("2 targets, 1,005 executions.\n", text)
        self.assertTrue(text.startswith("before\n"))
        self.assertTrue(text.endswith("after\n"))
        self.assertEqual(text.count("fuzz_one"), 1)


if __name__ == "__main__":
    unittest.main()
