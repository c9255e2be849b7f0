#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_image.py WIDTH HEIGHT FILE: a colourful picture as PNG, always the same.

It has soft areas and hard edges, so that filters have something to do.
"""
import struct
import sys
import zlib


def pixel(x, y, width, height):
    square = 255 if (x // 8 + y // 8) % 2 else 40
    return bytes((x * 255 // width, y * 255 // height,
                  square if x > y else (x * y) % 256))


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data +
            struct.pack(">I", zlib.crc32(kind + data)))


def main():
    width, height = int(sys.argv[1]), int(sys.argv[2])
    lines = b"".join(
        b"\0" + b"".join(pixel(x, y, width, height) for x in range(width))
        for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(sys.argv[3], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
