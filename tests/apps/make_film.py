#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_film.py WIDTH HEIGHT FRAMES FILE: a YUV4MPEG2 film of moving stripes."""
import sys


def main():
    width, height, frames = (int(word) for word in sys.argv[1:4])
    with open(sys.argv[4], "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n"
                   % (width, height))
        for n in range(frames):
            file.write(b"FRAME\n")
            file.write(bytes((x * 3 + y * 5 + n * 4 + (x * y >> 4)) & 255
                             for y in range(height) for x in range(width)))
            file.write(bytes([128]) * (width * height // 2))


if __name__ == "__main__":
    main()
