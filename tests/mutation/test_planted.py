#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where planted.py finds the places of edits, and which edits it refuses."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import planted  # pylint: disable=wrong-import-position

SOURCE = """\
static int second(int a);

/* Calls second(). */
static int first(int a)
{
    if (a > 0 && second(a) > 0) {
        return a + 1;
    }
    return second(a);
}

static int second(
        int a)
{
    return a + 1;
}

static const struct row table[] = {
        {"one", 1},
        {"two", 2},
};

#define OTHER second
enum {
    rows = 2
};
"""


def edit(**more):
    """An edit of that source."""
    entry = {"rows": ["S0.1"], "file": "a.c", "text": "return a + 1;",
             "replacement": "return a;", **more}
    return planted.Edit(entry, "S0.toml")


class Spans(unittest.TestCase):
    """Functions and tables."""

    def span(self, name, source=SOURCE):
        """The text of it."""
        start, end = planted.span_of(source, name, "here")
        return source[start:end]

    def test_of_a_function_ends_with_its_brace(self):
        text = self.span("first")
        self.assertTrue(text.startswith("static int first(int a)\n{\n"))
        self.assertTrue(text.endswith("    return second(a);\n}"))

    def test_is_not_of_a_declaration_a_call_a_comment_or_a_macro(self):
        text = self.span("second")
        self.assertTrue(text.startswith("static int second(\n        int a)"))
        self.assertTrue(text.endswith("    return a + 1;\n}"))

    def test_of_a_table_has_all_rows(self):
        text = self.span("table")
        self.assertTrue(text.startswith("static const struct row table[]"))
        self.assertIn('{"two", 2},', text)
        self.assertTrue(text.endswith("\n}"))
        self.assertNotIn("enum", text)

    def test_is_of_the_whole_name(self):
        with self.assertRaisesRegex(planted.EditError, "fir is defined 0"):
            self.span("fir")

    def test_is_of_one_definition(self):
        with self.assertRaisesRegex(planted.EditError, "first is defined 2"):
            self.span("first", SOURCE + SOURCE)


class Edits(unittest.TestCase):
    """What is changed, and what is refused."""

    def test_changes_its_function_alone(self):
        changed = edit(function="second").apply(SOURCE)
        self.assertEqual(changed, SOURCE.replace(
            "        int a)\n{\n    return a + 1;\n}",
            "        int a)\n{\n    return a;\n}"))

    def test_changes_a_row_of_a_table(self):
        changed = edit(function="table", text='"two", 2',
                       replacement='"two", 3').apply(SOURCE)
        self.assertEqual(changed, SOURCE.replace('{"two", 2}', '{"two", 3}'))

    def test_without_a_function_looks_in_the_whole_file(self):
        changed = edit(text="    rows = 2\n};",
                       replacement="    rows = 1\n};").apply(SOURCE)
        self.assertEqual(changed, SOURCE.replace("rows = 2", "rows = 1"))

    def test_may_have_its_text_on_lines_of_their_own(self):
        changed = edit(text="\na > 0 &&\n", function="first",
                       replacement="\na >= 0 &&\n").apply(SOURCE)
        self.assertEqual(changed, SOURCE.replace("a > 0 ", "a >= 0 "))

    def test_of_a_text_that_is_there_twice_is_refused(self):
        with self.assertRaisesRegex(planted.EditError, "there 2 times"):
            edit().apply(SOURCE)

    def test_of_a_text_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(planted.EditError, "there 0 times"):
            edit(function="first", text="return a - 1;").apply(SOURCE)
        with self.assertRaisesRegex(planted.EditError, "there 0 times"):
            edit(function="second", text="if (a > 0 ").apply(SOURCE)

    def test_of_a_function_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(planted.EditError, "third is defined 0"):
            edit(function="third").apply(SOURCE)

    def test_that_changes_nothing_is_refused(self):
        with self.assertRaisesRegex(planted.EditError, "changes nothing"):
            edit(function="first", replacement="return a + 1;").apply(SOURCE)

    def test_has_all_its_keys_and_no_others(self):
        for missing in ("rows", "file", "text", "replacement"):
            entry = {"rows": [], "file": "", "text": "", "replacement": ""}
            del entry[missing]
            with self.assertRaisesRegex(planted.EditError, "an edit has"):
                planted.Edit(entry, "S0.toml")
        with self.assertRaisesRegex(planted.EditError, "an edit has"):
            edit(line=7)

    def test_is_another_one_if_any_part_of_it_is_changed(self):
        others = [edit(file="b.c"), edit(function="first"), edit(text="x"),
                  edit(replacement="y")]
        keys = {one.key() for one in [edit(), *others]}
        self.assertEqual(len(keys), 5)
        self.assertEqual(edit(why="for a reader").key(), edit().key())


class Files(unittest.TestCase):
    """The edits of a folder."""

    def read(self, **files):
        """The edits of files with these names and contents."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / f"{name}.toml"
                path.write_text(text, encoding="utf-8")
            return planted.read_edits(pathlib.Path(folder))

    def test_are_read_in_order(self):
        entry = ('[[edit]]\nrows = ["{0}"]\nfile = "{0}.c"\ntext = "a"\n'
                 'replacement = "b"\n')
        edits = self.read(S2=entry.format("S2.1"), S0="# none yet\n",
                          S1=entry.format("S1.2") + entry.format("S1.1"))
        self.assertEqual([one.rows for one in edits],
                         [["S1.2"], ["S1.1"], ["S2.1"]])
        self.assertTrue(edits[2].name.startswith("S2.toml: S2.1.c"))

    def test_that_are_no_toml_are_named(self):
        with self.assertRaisesRegex(planted.EditError, "S4.toml"):
            self.read(S4="[[edit]\n")


if __name__ == "__main__":
    unittest.main()
