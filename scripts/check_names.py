#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: check_names.py HEADER ...
Macros, types, enumerators and functions that these C headers declare begin with
dnnl_ or DNNL_: a program's own names stay its own."""
import re
import sys

# OpenCL's headers ask for CL_TARGET_OPENCL_VERSION; const_dnnl_ is oneDNN's.
OURS = re.compile(r"(const_)?dnnl_|DNNL_|CL_TARGET_OPENCL_VERSION$")
WORD = re.compile(r"[A-Za-z_]\w*|[{}();,*=\[\]]|[^\s\w]")
NO_NAMES = {"__attribute__", "extern", "defined", "sizeof"}


def declared(text):
    """The names of macros, and those declared outside of braces, or as
    enumerators."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = text.replace("\\\n", " ")
    text = re.sub(r'extern\s+"C"\s*{|"(\\.|[^"\\])*"', " ", text)
    code = []
    for line in text.split("\n"):
        macro = re.match(r"\s*#\s*define\s+(\w+)", line)
        if macro:
            yield macro.group(1)
        if not line.lstrip().startswith("#"):
            code.append(line)
    words = WORD.findall("\n".join(code))
    braces = parens = 0
    in_enum = is_typedef = False
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        is_name = re.match(r"[A-Za-z_]", word) and word not in NO_NAMES
        if word == "{":
            braces += 1
            in_enum = "enum" in words[max(0, at - 2):at]
        elif word == "}":
            braces = max(0, braces - 1)
            in_enum = in_enum and braces > 0
        elif word in "()":
            parens += 1 if word == "(" else -1
        elif is_name and in_enum and before in "{,":
            yield word
        elif is_name and before in ("struct", "union", "enum") and after in "{;":
            yield word
        elif braces == 0 and word == "typedef":
            is_typedef = True
        elif braces == 0 and word == ";":
            is_typedef = False
        elif is_name and braces == 0 and parens == 0 and (
                words[at + 1:at + 3] not in (["(", "*"], ["(", "("])
                and (after == "(" or (is_typedef and after == ";"))):
            yield word
        elif is_name and is_typedef and braces == 0 and parens == 1 and (
                words[at - 2:at] == ["(", "*"] and after == ")"):
            yield word


def main(paths):
    count = 0
    foreign = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            names = set(declared(file.read()))
        count += len(names)
        foreign += [f"{path}: {name}" for name in sorted(names)
                    if not OURS.match(name)]
    if not count:
        sys.exit("found no declaration at all")
    if foreign:
        sys.exit("neither dnnl_ nor DNNL_:\n  " + "\n  ".join(foreign))
    print(f"names: {count} in {len(paths)} headers, all ours")


if __name__ == "__main__":
    main(sys.argv[1:])
