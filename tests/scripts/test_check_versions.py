#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_versions.py finds in a copy of the sources.

usage: test_check_versions.py ROOT
"""
import contextlib
import io
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

root = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(root / "scripts"))
import check_versions  # noqa: E402

TABLE = json.loads((root / check_versions.TABLE).read_text(encoding="utf-8"))
FILES = sorted({path for one in TABLE["sets"].values()
                for path in list(one["files"]) + [one["number"][0]]})


class CheckVersions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in FILES + TABLE["nothing"] + [check_versions.TABLE]:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, self.root / path)

    def run_script(self, *arguments):
        """The exit status and what was printed."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(said):
            try:
                status = check_versions.main(
                    ["--root", str(self.root), *arguments])
            except SystemExit as end:
                status = end.code
        return status, said.getvalue()

    def expect(self, status, *arguments, says=()):
        got, said = self.run_script(*arguments)
        self.assertEqual(status, got, said)
        for part in says:
            self.assertIn(part, said)

    def append(self, path, text):
        with (self.root / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def set_number(self, name, more):
        """Makes a version what it is in the sources, and so much more."""
        number = TABLE["sets"][name]["version"] + more
        path, constant = TABLE["sets"][name]["number"]
        text = (self.root / path).read_text(encoding="utf-8")
        changed = re.sub(rf'(#define {constant} "?)\d+', rf"\g<1>{number}",
                         text)
        (self.root / path).write_text(changed, encoding="utf-8")

    def table(self):
        return json.loads((self.root / check_versions.TABLE).read_text(
            encoding="utf-8"))

    def test_each_file_counts_for_its_sets(self):
        self.expect(0)
        for path in FILES:
            self.append(path, "int one_more;\n")
        self.expect(1, says=[f"{name}: {path} changed since version"
                             for name, one in TABLE["sets"].items()
                             for path in one["files"]])

    def test_comments_and_white_space_do_not_count(self):
        for path in FILES:
            text = (self.root / path).read_text(encoding="utf-8")
            text = "// one more\n\n" + text.replace("    ", "\t  ") + "\n/* */\n"
            (self.root / path).write_text(text, encoding="utf-8")
        self.expect(0)

    def test_a_change_needs_a_version_or_a_reason(self):
        path = "src/gpu/program/describe/program_binary.c"
        number = TABLE["sets"]["capture"]["version"]
        self.append(path, "int one_more;\n")
        self.expect(1, "--update", says=[path, "CAPTURE_VERSION"])
        self.expect(1)
        self.set_number("capture", 1)
        self.expect(1, says=[f"capture: the version is {number + 1}"])
        self.expect(0, "--update")
        self.expect(0)
        self.assertEqual(number + 1,
                         self.table()["sets"]["capture"]["version"])
        self.append(path, "int another;\n")
        self.expect(2, "--update", "--same-behaviour", " ")
        self.expect(0, "--update", "--same-behaviour", "a name")
        self.expect(0)
        one = self.table()["sets"]["capture"]
        self.assertEqual((number + 1, ["a name"]),
                         (one["version"], one["same_behaviour"]))
        self.set_number("capture", 2)
        self.expect(0, "--update")
        self.assertEqual([], self.table()["sets"]["capture"]["same_behaviour"])

    def test_a_version_is_not_used_again(self):
        self.set_number("capture", 1)
        self.expect(0, "--update")
        self.set_number("capture", 0)
        self.expect(1)
        self.expect(1, "--update", "--same-behaviour", "it is",
                    says=["was used before"])

    def test_one_set_at_a_time(self):
        path = "src/common/hash.c"
        self.append(path, "int one_more;\n")
        self.expect(0, "--update", "identity", "--same-behaviour", "a name")
        self.expect(1, says=["blob_format"])
        self.expect(1, "--update", "nonsense", says=["no set nonsense"])

    def test_a_new_file_belongs_somewhere(self):
        self.append("src/gpu/program/new.c", "int new;\n")
        self.expect(1, says=["src/gpu/program/new.c is in no set"])
        table = self.table()
        table["sets"]["finaliser"]["files"]["src/gpu/program/new.c"] = ""
        (self.root / check_versions.TABLE).write_text(json.dumps(table),
                                                      encoding="utf-8")
        self.expect(1, "--update", says=["FINALISER_VERSION"])
        self.set_number("finaliser", 2)
        self.expect(0, "--update")
        self.expect(0)

    def test_a_file_that_is_gone_is_a_change(self):
        (self.root / "src/gpu/program/describe/il.c").unlink()
        self.expect(1, says=["capture: src/gpu/program/describe/il.c is gone"])
        self.expect(0, "--update", "--same-behaviour", "moved")
        self.expect(0)

    def test_what_makes_other_tokens_counts(self):
        same = [("a  b", "a\tb"), ("a /* c */ b", "a b"), ("a\nb", "a b"),
                ("#define a  1\nb", "#  define a 1 // c\nb"),
                ("#define a \\\n1\n", "#define a 1\n"),
                ("f (x)", "f(x)")]
        other = [("a b", "ab"), ("+ +", "++"), ('"a b"', '"a  b"'),
                 ('"// a"', '"// b"'), ("'/*' a", "'/*' b"),
                 ("#define f(x)\n", "#define f (x)\n"),
                 ("#define a\nb", "#define a b"),
                 ("1.5e+3", "1.5e + 3"), ("/* a */ b", "/* a */ c")]
        for a, b in same:
            self.assertEqual(list(check_versions.tokens(a)),
                             list(check_versions.tokens(b)))
        for a, b in other:
            self.assertNotEqual(list(check_versions.tokens(a)),
                                list(check_versions.tokens(b)))


if __name__ == "__main__":
    unittest.main()
