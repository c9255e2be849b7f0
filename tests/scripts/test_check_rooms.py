#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/check_rooms.py on small trees. usage: test_check_rooms.py TOP"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(sys.argv.pop(1)).resolve()
ROOMS = """
room src/low uses | the ground
room src/high uses src/low | on it
    src/more.c
"""
FILES = {
    "src/low/low.h": "int low(void);\n",
    "src/low/low.c": '#include "low.h"\nint low(void) { return 1; }\n',
    "src/high/high.h": "int high(void);\n",
    "src/high/high.c": '#include "../low/low.h"\n#include "high.h"\n'
                       "int high(void) { return low(); }\n",
    "src/more.c": "int high(void);\nint more(void);\n"
                  "int more(void) { return high(); }\n",
}

OBJECTS = {}  # {what the compiler reads: what it makes of it}


def compiled(tree, path):
    """The object of a source file, made once however many trees have it."""
    read = (path.name, path.read_text(), tuple(sorted(
        (str(header.relative_to(tree)), header.read_text())
        for header in tree.rglob("*.h"))))
    if read not in OBJECTS:
        made = tree / "made.o"
        subprocess.run(["cc", "-c", path, "-o", made], check=True)
        OBJECTS[read] = made.read_bytes()
        made.unlink()
    return OBJECTS[read]


class CheckRooms(unittest.TestCase):
    """What the check says of a tree that has one thing wrong."""

    def check(self, *options, rooms=ROOMS, modules=None, **files):
        """(exit status, words) of the check; files: {name with __: text}, and
        modules of Python's, {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "rooms.txt").write_text(rooms)
            named = {f"src/{name.replace('__', '/')}.c": text
                     for name, text in files.items()}
            for name, text in {**FILES, **named, **(modules or {})}.items():
                path = tree / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                if name.endswith(".c"):
                    made = (tree / "build/src/CMakeFiles/all.dir"
                            / f"{name.removeprefix('src/')}.o")
                    made.parent.mkdir(parents=True, exist_ok=True)
                    made.write_bytes(compiled(tree, path))
            done = subprocess.run(
                [sys.executable, "-B", TOP / "scripts/check_rooms.py",
                 "--tree", tree, "--build", tree / "build",
                 "--rooms", tree / "rooms.txt", *options],
                check=False, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def test_a_house_in_order(self):
        status, words = self.check("--strict")
        self.assertEqual(0, status, words)
        self.assertIn("rooms: 2, files: 5, arrows: 1, complaints: 0", words)

    def test_arrows_are_of_calls_as_well(self):
        status, words = self.check(
            low__up="int high(void);\nint up(void);\n"
                    "int up(void) { return high(); }\n")
        self.assertEqual(1, status)
        self.assertIn("a cycle of rooms: src/high src/low", words)
        self.assertIn("src/low/up.c -> src/high/high.c: high", words)
        self.assertIn("src/low may not use src/high:", words)

    def test_arrows_are_of_includes_as_well(self):
        for options in ((), ("--includes",)):
            status, words = self.check(
                *options, low__up='#include "../high/high.h"\n')
            self.assertEqual(1, status)
            self.assertIn("src/low/up.c -> src/high/high.h: #include", words)

    def test_a_file_without_a_room(self):
        status, words = self.check(alone="int alone;\n")
        self.assertEqual(1, status)
        self.assertIn("src/alone.c: in no room", words)

    def test_what_is_not_there(self):
        for line in ("    src/low/absent.c\n", "    src/absent/*\n"):
            status, words = self.check(rooms=ROOMS + line)
            self.assertEqual(1, status)
            self.assertIn("there is no " + line.strip(), words)

    def test_what_is_to_move_counts_where_it_goes(self):
        needs = {"low__up": "int more(void);\nint up(void);\n"
                            "int up(void) { return more(); }\n"}
        rooms = ROOMS + "split src/more.c more -> src/low\n"
        status, words = self.check(rooms=rooms, **needs)
        self.assertEqual(0, status, words)
        self.assertIn("to move: 1 functions", words)
        self.assertEqual(1, self.check("--strict", rooms=rooms, **needs)[0])
        status, words = self.check(
            rooms=ROOMS + "split src/more.c absent -> src/low\n")
        self.assertEqual(1, status)
        self.assertIn("does not define absent", words)

    def test_what_is_to_end_is_let_pass(self):
        needs = {"low__up": '#include "../high/high.h"\n'}
        rooms = ROOMS + "todo src/low/up.c src/high/high.h | strike it\n"
        self.assertEqual(0, self.check(rooms=rooms, **needs)[0])
        self.assertEqual(1, self.check("--strict", rooms=rooms, **needs)[0])
        self.assertEqual(1, self.check(rooms=rooms, low__up="int up;\n")[0])

    def test_public_names_are_of_their_headers(self):
        needs = {"low__up": "int dnnl_high(void);\nint up(void);\n"
                            "int up(void) { return dnnl_high(); }\n",
                 "high__api": "int dnnl_high(void);\n"
                              "int dnnl_high(void) { return 1; }\n"}
        self.assertEqual(1, self.check(**needs)[0])
        rooms = ROOMS + "public src/low src/high/ dnnl_*\n"
        status, words = self.check(rooms=rooms, **needs)
        self.assertEqual(0, status, words)

    def test_headers_of_the_system(self):
        needs = {"low__up": "#include <time.h>\n",
                 "high__up": "#include <time.h>\n"}
        status, words = self.check(rooms=ROOMS + "header ti*.h -> src/hig*\n",
                                   **needs)
        self.assertEqual(1, status)
        self.assertIn("src/low/up.c: <time.h> is not for src/low", words)
        self.assertNotIn("src/high/up.c: <", words)

    def test_headers_of_the_system_in_one_room(self):
        rooms = ROOMS + ("header unistd.h sys/*.h -> src/low\n"
                         "word PATH_MAX nanosleep -> src/low\n")
        has = {"low__up": "#include <unistd.h>\n#include <limits.h>\n"
                          "int up = PATH_MAX;\n"}
        status, words = self.check(rooms=rooms, **has)
        self.assertEqual(0, status, words)
        has["high__up"] = ("#include <sys/stat.h>\n#include <limits.h>\n"
                           "/* neither <unistd.h> nor nanosleep */\n"
                           "char up[PATH_MAX];\n")
        status, words = self.check(rooms=rooms, **has)
        self.assertEqual(1, status)
        self.assertIn("src/high/up.c: <sys/stat.h> is not for src/high", words)
        self.assertIn("src/high/up.c: PATH_MAX is not for src/high", words)
        self.assertIn("complaints: 2", words)

    def test_exceptions_for_headers_are_needed(self):
        rooms = ROOMS + ("header sys/*.h -> src/low\n"
                         "except src/high/up* sys/stat.h | it has no other\n")
        has = {"high__up": "#include <sys/stat.h>\n"}
        status, words = self.check(rooms=rooms, **has)
        self.assertEqual(0, status, words)
        has["high__up"] = "#include <sys/wait.h>\n"
        status, words = self.check(rooms=rooms, **has)
        self.assertEqual(1, status)
        self.assertIn("src/high/up.c: <sys/wait.h> is not for", words)
        self.assertIn("no file needs the exception for src/high/up*", words)

    def test_lines_that_cannot_be_read(self):
        for line in ("rooom src/low uses |\n", "header sys/stat.h src/low\n",
                     "except src/low/* sys/stat.h\n",
                     "except src/low/* | without a header\n"):
            status, words = self.check(rooms=ROOMS + line)
            self.assertEqual(1, status)
            self.assertIn("cannot read", words)

    def test_a_room_within_a_room_has_its_files(self):
        rooms = ROOMS + "room src/low/within uses\n"
        status, words = self.check("--sizes", rooms=rooms, low__within__deep=(
            "int deep(void);\nint deep(void) { return 3; }\n"))
        self.assertEqual(0, status, words)
        self.assertRegex(words, "src/low/within +1 files")
        self.assertRegex(words, "src/low +2 files")
        self.assertIn("there is no src/low/within",
                      self.check(rooms=rooms)[1])

    def test_modules_do_not_import_one_another_in_a_circle(self):
        package = {"python/ours/__init__.py": "from ._high import high\n",
                   "python/ours/_high.py": "from . import _low\n",
                   "python/ours/_low.py": "import os, json\n"}
        status, words = self.check(modules=package)
        self.assertEqual(0, status, words)
        for back in ("def f():\n    from . import _high\n",
                     "def f():\n    from ._high import high\n",
                     "if TYPE_CHECKING:\n    import ours._high\n",
                     "if TYPE_CHECKING:\n    from ours import _high\n"):
            status, words = self.check(
                modules={**package, "python/ours/_low.py": back})
            self.assertEqual(1, status)
            self.assertIn("a cycle of modules: python/ours/_high.py "
                          "python/ours/_low.py\n", words)
            self.assertIn("  python/ours/_low.py:2 -> python/ours/_high.py",
                          words)
        status, words = self.check(modules={
            **package, "python/ours/_low.py": "from . import high\n"})
        self.assertEqual(1, status)
        self.assertIn("python/ours/_low.py:1 -> python/ours/__init__.py", words)

    def test_scripts_do_not_import_one_another_in_a_circle(self):
        status, words = self.check(modules={
            "scripts/one.py": "import two\n",
            "scripts/two.py": "def f():\n    from one import g\n"})
        self.assertEqual(1, status)
        self.assertIn("a cycle of modules: scripts/one.py scripts/two.py", words)

    def test_a_build_without_objects(self):
        self.assertEqual(2, self.check("--build", "/nonexistent")[0])


if __name__ == "__main__":
    unittest.main()
