#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares names that the code knows with those that documents tell of, each
once in a table: the environment variables that are part of every ID and those
that are watched besides (src/gpu/device/environment.c, docs/how_it_works/identity.md), those that
the OpenCL layer reads (settings.c, docs/reference/environment.md, the man page of
dnnl-cache-run, and configuration.c for what files may set), those that the
library and the persistent cache read (docs/reference/library.md), and the layer's
reasons (statistics.c, docs/reference/reasons.md). Exits with 1 and says what differs.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYER = "layer"


def names(path, part, name):
    """The names in a part of a file, with how often each is there."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found = re.search(part, text, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit(f"{path}: what was looked for is not there: {part}")
    counted = collections.Counter(re.findall(name, found.group(1),
                                             re.MULTILINE))
    if not counted:
        sys.exit(f"{path}: no names in what was looked for: {part}")
    return counted


def section(title):
    """A section of a document in Markdown."""
    return rf"^## {title}$(.*?)(?=^## |\Z)"


def differences(code, document, whose, known):
    """What a document lacks, and what it has but the code has not."""
    return [f"{document} lacks {name}" for name in known - whose] + \
        [f"{document} names {name}, which is not in {code}, or twice"
         for name in whose - known]


def identity():
    # A file's name has a dot or a slash.
    return differences(
        "src/gpu/device/environment.c", "docs/how_it_works/identity.md",
        names("docs/how_it_works/identity.md",
              r"^## Environment variables$(.*?)^Of some families",
              r"`([A-Z]+_?\w+)`"),
        names("src/gpu/device/environment.c", r"\benvironment\[\] = \{(.*?)\};",
              r'"(\w+)"'))


def places():
    return differences(
        "src/gpu/device/environment.c", "docs/how_it_works/identity.md",
        names("docs/how_it_works/identity.md",
              r"^Besides the variables of the table(.*?)The latter are in no ID",
              r"`([A-Z]\w+)`"),
        names("src/gpu/device/environment.c", r"\bplaces\[\] = \{(.*?)\};",
              r'"(\w+)"'))


def families():
    return differences(
        "src/gpu/device/environment.c", "docs/how_it_works/identity.md",
        names("docs/how_it_works/identity.md",
              r"^Of some families every variable counts(.*?)\n\n",
              r"`([A-Z]\w+)`"),
        names("src/gpu/device/environment.c",
              r"\b(arguments_family\[\] = .*?\bfamilies\[\] = \{.*?)\};",
              r'"(\w+)"'))


def tools():
    return differences(
        "src/gpu/device/environment.c", "docs/how_it_works/identity.md",
        names("docs/how_it_works/identity.md",
              r"^that start programs \(PoCL\)(.*?)are watched, too",
              r"`([A-Z]\w+)`"),
        names("src/gpu/device/environment.c", r"\btools\[\] = \{(.*?)\};",
              r'"(\w+)"'))


def layer():
    code = f"{LAYER}/settings/settings.c"
    common = "tools/common/state"
    files = f"{common}/configuration.c"
    # Not in files; recording.h: what the store library reads for the layer; owner.h:
    # what all read; run_session.h, ahead_session.h: what dnnl-cache-run
    # reads and sets.
    alone = collections.Counter(
        {name for path in ("include/dnnl_cache/recording.h", "src/platform/owner.h",
                           f"{common}/ahead_session.h",
                           f"{common}/configuration.h",
                           f"{common}/run_session.h")
         for name in names(path, "(.*)", r'"(DNNL_CACHE_\w+)"')})
    known = collections.Counter({name for path in
                                 (code, f"{common}/applications.h",
                                  f"{common}/proof_setting.h",
                                  f"{common}/store_setting.h")
                                 for name in names(path, "(.*)",
                                                   r'"(DNNL_CACHE_\w+)"')})
    in_files = names(files, r"\bsettings\[\] = \{(.*?)\};", r'"(\w+)"')
    wrong = differences(code, files, in_files, known)
    known = known | alone
    page = "tools/run/dnnl-cache-run.1"
    # A man page may name a variable in several places.
    told = names(page, r"^\.SH ENVIRONMENT$(.*?)(?=^\.SH )",
                 r"\b(DNNL_CACHE_\w+)")
    return wrong + differences(
        code, "docs/reference/environment.md",
        names("docs/reference/environment.md", section("Variables of the layer"),
              r"^\| `(DNNL_CACHE_\w+)` \|"), known) + \
        differences(code, page, collections.Counter(set(told)), known)


def library():
    codes = ("src/common/settings.c", "stores/persistent/persistent_environment.c")
    known = collections.Counter({name for code in codes for name in names(
        code, "(.*)", r'"(DNNL_CACHE_\w+)"')})
    return differences(
        " and ".join(codes), "docs/reference/library.md",
        names("docs/reference/library.md", section("What the user of an application sets"),
              r"^\| `(DNNL_CACHE_\w+)` \|"), known)


def reasons():
    rows = names("docs/reference/reasons.md", section("Why something was not found.*?"),
                 r"^\| (`.*?`) \|")
    told = collections.Counter(name for row in rows
                               for name in re.findall(r"`(\w+)`", row))
    code = f"{LAYER}/settings/statistics.c"
    return differences(code, "docs/reference/reasons.md", told, names(
        code, "(.*)", r'\[layer_reason_\w+\] = "(\w+)"'))


def main():
    wrong = identity() + places() + families() + tools() + layer() + library() + reasons()
    print("\n".join(sorted(wrong)) or "environment: documents and code agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
