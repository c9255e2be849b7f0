#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the documentation site and of pictures make of samples.

usage: test_site.py ROOT
"""
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

root = pathlib.Path(sys.argv.pop(1)).resolve()
os.chdir(root)  # where Doxygen's paths begin
sys.path.insert(0, str(root / "scripts"))
import draw_pictures  # noqa: E402
import picture  # noqa: E402
import site_check  # noqa: E402
import site_headers  # noqa: E402
import site_pages  # noqa: E402

HEADER = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h: a sample of a_header.
 */
#ifndef DNNL_SAMPLE_H
#define DNNL_SAMPLE_H

/* ==== Calls ==== */
/* About all calls. */

/* Calls *one* of dnnl_two(). */
void dnnl_one(void);
void dnnl_two(void);

void dnnl_three(void);

struct dnnl_four {
    int five; /* the fifth */
    int six;
};

#endif /* DNNL_SAMPLE_H */
"""
MEMBER = """<doxygen><compounddef kind="file"><compoundname>f</compoundname>
<memberdef kind="function" prot="public"><name>dnnl_one</name>
<argsstring>(void)</argsstring><detaileddescription>{}</detaileddescription>
<location file="include/dnnl_cache/base.h"/></memberdef></compounddef></doxygen>
"""


class Sample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Headers(Sample):
    def filtered(self):
        return site_headers.Header(self.file("sample.h", HEADER)).read()

    def test_a_comment_documents_up_to_the_next_empty_line(self):
        text = self.filtered()
        comment = "Calls \\*one\\* of :c:func:`dnnl_two()`"
        self.assertEqual(text.count(comment), 2)
        for call, documented in (("one", 1), ("two", 1), ("three", 0)):
            before = text[:text.index(f"void dnnl_{call}(void)")]
            self.assertEqual(before.rstrip().endswith("*/"), documented, call)

    def test_a_comment_behind_a_member_documents_it(self):
        text = self.filtered()
        self.assertRegex(text, r"int five; /\*\*<\n@verbatim[^@]*the fifth")
        self.assertRegex(text, r"\*/\n    int six;\n")

    def test_topics_are_groups_with_their_text(self):
        header = site_headers.Header(self.file("sample.h", HEADER))
        text = header.read()
        self.assertEqual(list(header.topics), ["sample_h", "sample_h_calls"])
        self.assertEqual(header.topics["sample_h_calls"][1][0].strip(),
                         "About all calls.")
        self.assertEqual(text.count("@{"), text.count("@}"))

    def test_terms_are_lists_and_other_indented_lines_are_code(self):
        self.assertIn("one\n   first\n   more", site_headers.restructured(
            "Text:\n  one    first\n         more\n  second third\n"
            "         fourth"))
        self.assertIn(".. code-block:: none", site_headers.restructured(
            "Text\n\n    int a = 1;\n    use(a);"))

    def test_declarations_stay_as_they_are(self):
        """But for comments, the filter changes no public header."""
        def code(text):
            text = re.sub(r'/\*.*?\*/', "", site_headers.without_version(text),
                          flags=re.DOTALL)
            return text.split()
        for path in site_pages.public_headers(root):
            with self.subTest(path.name):
                self.assertEqual(
                    code(site_headers.Header(path).read()),
                    code(path.read_text(encoding="utf-8")))


class Check(Sample):
    def dead(self, **pages):
        for name, text in pages.items():
            self.file(f"{name}.html", text)
        with contextlib.redirect_stdout(io.StringIO()):
            return site_check.dead_links(self.folder)

    def test_links_that_lead_somewhere(self):
        self.assertEqual(self.dead(
            a='<a href="b.html#x">b</a><a href="#y"></a><p id="y">'
              '<a href="https://example.org/none">', b='<h1 id="x">'), [])

    def test_dead_links(self):
        self.assertEqual(self.dead(
            a='<a href="b.html#z"></a><img src="none.svg"><a href="#y">',
            b='<h1 id="x">'), [
                "a.html: dead link b.html#z", "a.html: dead link none.svg",
                "a.html: dead link #y"])

    def undocumented(self, words):
        self.file("f.xml", MEMBER.format(words))
        with contextlib.redirect_stdout(io.StringIO()):
            return site_check.undocumented(self.folder)

    def test_a_symbol_without_a_comment(self):
        self.assertEqual(self.undocumented("<para>x</para>"), [])
        self.assertEqual(self.undocumented("<para> </para>"), [
            "include/dnnl_cache/base.h: function dnnl_one(void) is not "
            "documented"])


class Pages(unittest.TestCase):
    def test_a_page_has_one_title(self):
        self.assertEqual(
            site_pages.with_one_title("# A\n## b\n# C\n```\n# d\n```\n## e"),
            "# A\n## b\n## C\n```\n# d\n```\n### e")

    def test_the_navigation_names_public_headers(self):
        _, headers = site_pages.navigation(root)
        names = {path.name for path in site_pages.public_headers(root)}
        listed = [name for group in headers.values() for name in group]
        self.assertTrue(listed)
        self.assertEqual(set(listed) - names, set())


class Pictures(unittest.TestCase):
    def setUp(self):
        self.pictures = {path.name: xml.etree.ElementTree.fromstring(text)
                         for path, text in draw_pictures.pictures(
                             root / "docs", root / "bench/results").items()}

    def test_all_are_read_on_telephones_and_by_screen_readers(self):
        space = "{http://www.w3.org/2000/svg}"
        for name, picture_ in self.pictures.items():
            with self.subTest(name):
                self.assertEqual(picture_.get("role"), "img")
                for part in ("title", "desc"):
                    self.assertTrue(picture_.findtext(space + part).strip())
                for text in picture_.iter(space + "text"):
                    # Of a page of 390 pixels 350 are left between margins.
                    size = float(text.get("font-size"))
                    self.assertGreaterEqual(size * 350 / picture.WIDTH, 11)

    def test_nothing_is_outside(self):
        space = "{http://www.w3.org/2000/svg}"
        for name, picture_ in self.pictures.items():
            height = float(picture_.get("height"))
            for box in picture_.iter(space + "rect"):
                right = float(box.get("x", 0)) + float(box.get("width"))
                bottom = float(box.get("y", 0)) + float(box.get("height"))
                self.assertLessEqual(right, picture.WIDTH, name)
                self.assertLessEqual(bottom, height, name)
            for text in picture_.iter(space + "text"):
                width = picture.width_of(text.text, float(text.get("font-size")))
                left = float(text.get("x")) - width * {
                    "start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
                self.assertGreaterEqual(left, 0, (name, text.text))
                self.assertLessEqual(left + width, picture.WIDTH,
                                     (name, text.text))
                self.assertLessEqual(float(text.get("y")), height, name)

    def test_colours_are_of_both_pages(self):
        style = picture.style()
        light, dark = style.split("@media(prefers-color-scheme:dark)")
        for name in picture.COLOURS:
            self.assertIn(f".{name}{{", light)
            self.assertIn(f".{name}{{", dark)


if __name__ == "__main__":
    unittest.main()
