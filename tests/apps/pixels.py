#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pixels.py PNG FILE: the pixels of a picture, without what else is noted in it.

Programs note times, and themselves; two pictures with the same pixels, written
by the same program, have the same bytes in FILE.
"""
import struct
import sys
import zlib


def chunks(data):
    """(kind, content) of each chunk of a PNG file."""
    at = 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8:at + 8 + size]
        at += size + 12


def main():
    with open(sys.argv[1], "rb") as file:
        found = list(chunks(file.read()))
    pixels = zlib.decompress(
        b"".join(content for kind, content in found if kind == b"IDAT"))
    with open(sys.argv[2], "wb") as file:
        file.write(dict(found)[b"IHDR"] + pixels)


if __name__ == "__main__":
    main()
