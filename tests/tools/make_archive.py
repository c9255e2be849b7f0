#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/archives/good.archive of the good blobs in
tests/data/blobs.

Written from docs/reference/archive.md and docs/reference/format.md alone, as a second
implementation: what dnnl-cache exports is compared with it. A file of a
released format version is never made anew with other bytes. Needs libxxhash's
shared library.

usage: make_archive.py [--check]    --check: compare, write nothing
"""
import ctypes
import pathlib
import struct
import sys

NAMES = ["good-engine", "good-primitive", "good-program"]
DATA = pathlib.Path(__file__).parent.parent / "data"


class Hash128(ctypes.Structure):
    _fields_ = [("low64", ctypes.c_uint64), ("high64", ctypes.c_uint64)]


XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_128bits.restype = Hash128
XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    value = XXHASH.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", value.high64, value.low64)


def id_of(blob):
    """The section with tag 0x10 comes first."""
    tag, _, offset, size = struct.unpack_from("<IIQQ", blob, 48)
    assert tag == 0x10
    return blob[offset:offset + size]


def entry(blob, compile_ns):
    kind, = struct.unpack_from("<I", blob, 12)
    key = id_of(blob)
    head = struct.pack("<IIQQQ", kind, 0, compile_ns, len(key), len(blob))
    return key, head + checksum(head + key + blob) + key + blob


def archive():
    entries = []
    for i, name in enumerate(NAMES):
        blob = (DATA / "blobs" / (name + ".blob")).read_bytes()
        entries.append(entry(blob, 1000 * i))
    entries.sort(key=lambda e: e[0])
    data = b"\x8bDCA\r\n\x1a\n" + struct.pack("<II", 1, 0)
    data += b"".join(e[1] for e in entries)
    data += struct.pack("<IIQQQ", 0, 0, len(entries), len(data) + 48, 0)
    return data + checksum(data)


def main():
    path = DATA / "archives" / "good.archive"
    if sys.argv[1:] == ["--check"]:
        if path.read_bytes() != archive():
            sys.exit(f"{path} is not what docs/reference/archive.md says")
    else:
        path.write_bytes(archive())


if __name__ == "__main__":
    main()
