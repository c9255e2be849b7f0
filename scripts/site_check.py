#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documentation site: scripts/site.sh calls it.

usage: site_check.py XML [HTML]

XML is what Doxygen read of the public headers. Each function, type, macro,
variable, member and method has a comment; an enumerator may leave its meaning to
the comment of its type. Not public are names of a namespace "detail", what is
private, protected, deleted, defaulted or a friend, specialisations of
handle_traits, guards of headers, and macros that the header undefines.

HTML is the folder of the pages. Each link, picture, style sheet and script of a
page that leads to the site itself exists, and so does the part after "#". Links
to other sites are not followed.

Exit status: 0 fine, 1 not, 2 wrong usage.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree

GUARD = re.compile(r"DNNL\w*_HP?P?")


# ---- Links -----------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def dead_links(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        sys.exit(f"site_check.py: no pages in {folder}")
    count, dead = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() \
                if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            # Sphinx's scripts make these.
            if not target.is_file() or anchor not in ("", "#") and (
                    target in pages and anchor not in pages[target].anchors):
                dead.append(f"{path.relative_to(folder)}: dead link {link}")
    print(f"links: {count} in {len(pages)} pages, {len(dead)} dead")
    return dead


# ---- Comments --------------------------------------------------------------

def has_comment(element):
    return any("".join(text.itertext()).strip()
               for name in ("briefdescription", "detaileddescription")
               for text in element.findall(name))


def undefined_in(place, known={}):
    """The macros that a header undefines."""
    if place not in known:
        known[place] = set(re.findall(r"^#undef (\w+)", pathlib.Path(
            place).read_text(encoding="utf-8"), re.MULTILINE))
    return known[place]


def is_public(member):
    name, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    place = member.find("location").get("file")
    return not (member.get("prot") in ("private", "protected")
                or member.get("kind") == "friend"
                or arguments.endswith(("=delete", "=default")) or GUARD.fullmatch(name)
                or name in undefined_in(place))


def members_of(compound):
    """(kind, name, element) of what a compound declares."""
    name = compound.findtext("compoundname")
    if "handle_traits<" in name or compound.get("prot") == "private":
        return
    if compound.get("kind") in ("struct", "class", "union"):
        yield compound.get("kind"), name, compound
    if compound.get("kind") in ("dir", "group", "page"):
        return
    for member in compound.iter("memberdef"):
        if is_public(member):
            name = member.findtext("qualifiedname") or member.findtext("name")
            yield (member.get("kind"), name + (member.findtext("argsstring") or ""),
                   member)


def undocumented(folder):
    seen, missing = set(), set()
    for path in sorted(folder.glob("*.xml")):
        for compound in xml.etree.ElementTree.parse(path).getroot().findall(
                "compounddef"):
            for kind, name, element in members_of(compound):
                place = element.find("location").get("file")
                symbol = (place, kind, name)
                seen.add(symbol)
                if not has_comment(element):
                    missing.add(symbol)
    if not seen:
        sys.exit(f"site_check.py: no symbols in {folder}")
    print(f"symbols: {len(seen)}, {len(missing)} not documented")
    return [f"{place}: {kind} {name} is not documented"
            for place, kind, name in sorted(missing)]


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    wrong = undocumented(pathlib.Path(sys.argv[1]))
    if len(sys.argv) == 3:
        wrong += dead_links(pathlib.Path(sys.argv[2]).resolve())
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
