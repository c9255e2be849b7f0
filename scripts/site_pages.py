#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages that Sphinx reads: scripts/site.sh calls it.

usage: site_pages.py ROOT OUT
       site_pages.py --headers ROOT

OUT gets the Markdown files of ROOT at the same places, README.md as index.md
with the navigation (docs/site/navigation.txt), and a page for each topic of the
public headers, api/*.rst. A link to a file that is no page leads to a copy of
the file; a link to a folder becomes text. --headers prints the public headers.
Exit status: 0 fine, 1 something is missing, 2 wrong usage.
"""
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
from site_headers import Header  # noqa: E402

PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md",
         "python/README.md", "tests/*/README.md")
LINK = re.compile(r"(\[(?:[^][]|\[[^][]*\])*\])\(([^)\s:]+)\)")
# Included by others for names that those document; of models, docs/start/model.md.
INTERNAL = ("symbols.h", "opencl.h", "dnnl_cache_model.h")


def fail(message):
    print(f"site_pages.py: {message}", file=sys.stderr)
    sys.exit(1)


def public_headers(root):
    """The headers that are installed, except those that others document."""
    return [path for folder in ("include", "include/dnnl_cache",
                                      "include/dnnl_cache/onednn",
                                      "include/dnnl_cache/sys")
            for path in sorted((root / folder).glob("*.h*"))
            if path.suffix in (".h", ".hpp") and path.name not in INTERNAL]


# ---- Markdown --------------------------------------------------------------

def with_one_title(text):
    """A second heading of the first level, and all after it, one level down:
    the navigation has a line for each page."""
    titles, fenced, out = 0, False, []
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            titles += line.startswith("# ")
            line = "#" * (titles > 1) + line
        out.append(line)
    return "\n".join(out)


class Site:
    """What leads where."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.headers = public_headers(root)
        self.pages = [path for pattern in PAGES
                      for path in sorted(root.glob(pattern))]

    def place_of(self, page):
        """Where a page is in the site."""
        path = page.relative_to(self.root)
        return pathlib.Path("index.md") if str(path) == "README.md" else path

    def link(self, page, words, target):
        """A link of a page, as the site has it."""
        path, sharp, anchor = target.partition("#")
        if not path:
            return f"{words}({target})"
        up = "../" * (len(page.relative_to(self.root).parts) - 1)
        found = (page.parent / path).resolve()
        if found in self.pages:
            return f"{words}({up}{self.place_of(found)}{sharp}{anchor})"
        if found in self.headers:
            return f"{words}({up}api/{page_name(found)}.rst)"
        if found.is_dir():
            return words[1:-1]
        if not found.exists():
            fail(f"{page.relative_to(self.root)}: dead link {target}")
        copy = self.out / found.relative_to(self.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found, copy)
        return f"{words}({up}{found.relative_to(self.root)})"

    def markdown(self, page):
        return LINK.sub(lambda found: self.link(page, found[1], found[2]),
                        with_one_title(page.read_text(encoding="utf-8")))

    def write(self, place, text):
        path = self.out / place
        path.parent.mkdir(parents=True, exist_ok=True)
        # An unchanged page is not read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# ---- Headers ---------------------------------------------------------------

def page_name(header):
    return re.sub(r"\W", "_", header.name)


def heading(title, line):
    return f"{title}\n{line * len(title)}\n\n"


def group(name):
    return f".. doxygengroup:: {name}\n   :content-only:\n   :members:\n\n"


def header_pages(site, header):
    name, reader = page_name(header), Header(header)
    reader.read()
    (_, (title, texts)), *topics = reader.topics.items()
    text = heading(title, "=") + "\n".join(texts) + "\n" + group(name)
    for topic, (title, texts) in topics:
        text += heading(title, "-") + "\n".join(texts) + "\n" + group(topic)
    site.write(f"api/{name}.rst", text)


def api_page(site, listed):
    """The page of all headers, in the order of the navigation."""
    text = heading("API reference", "=") + (
        "Every function, type and macro of the installed headers. "
        ":ref:`genindex` lists all names.\n\n")
    by_name = {header.name: header for header in site.headers}
    unknown = [name for names in listed.values() for name in names
               if name not in by_name]
    if unknown:
        fail(f"docs/site/navigation.txt names no public header: {unknown}")
    left = set(by_name) - {name for names in listed.values() for name in names}
    listed["Other headers"] = sorted(left)
    for caption, names in listed.items():
        if names:
            text += heading(caption, "-") + ".. toctree::\n   :maxdepth: 2\n\n"
            text += "".join(f"   {page_name(by_name[name])}\n"
                            for name in names) + "\n"
    site.write("api/index.rst", text)


# ---- Navigation ------------------------------------------------------------

def navigation(root):
    """{caption: [page]} and, of the API's page, {caption: [header]}."""
    lists, headers, current = {}, {}, None
    text = (root / "docs/site/navigation.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if line == words:
            api = words.startswith("API: ")
            current = (headers if api else lists).setdefault(
                words[5:] if api else words, [])
        elif current is None:
            fail(f"docs/site/navigation.txt: no caption before {words}")
        else:
            current.append(words)
    return lists, headers


def index(site, lists):
    """README.md, and the navigation of the whole site."""
    places = {str(site.place_of(page)) for page in site.pages} - {"index.md"}
    named = {name for names in lists.values() for name in names}
    lists = {caption: [name for name in names
                       if name in places or name == "api/index"]
             for caption, names in lists.items()}
    lists["More"] = sorted(places - named)
    text = site.markdown(site.root / "README.md")
    for caption, names in lists.items():
        if names:
            text += (f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" +
                     "".join(f"{name.removesuffix('.md')}\n" for name in names) +
                     "```\n")
    return text


def main():
    if sys.argv[1:2] == ["--headers"] and len(sys.argv) == 3:
        root = pathlib.Path(sys.argv[2]).resolve()
        for header in public_headers(root):
            print(header.relative_to(root))
        return 0
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1]).resolve()
    site = Site(root, pathlib.Path(sys.argv[2]).resolve())
    lists, headers = navigation(root)
    for page in site.pages:
        if site.place_of(page).name != "index.md":
            site.write(site.place_of(page), site.markdown(page))
    site.write("index.md", index(site, lists))
    for header in site.headers:
        header_pages(site, header)
    api_page(site, headers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
