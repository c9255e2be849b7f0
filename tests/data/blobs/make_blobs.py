#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the blob files beside it.

Written from docs/reference/format.md alone, as a second implementation of the format:
what the library reads and writes is tested against it. A file of a released
format version is never made anew with other bytes; a new format version gets
new files. Needs the Python module xxhash (Debian: python3-xxhash).
"""
import hashlib
import pathlib
import struct

import xxhash

ENGINE, PRIMITIVE, PROGRAM = 1, 2, 3
(ID, PROGRAMS, KERNELS, ENGINE_FACTS, LOGS, USER_DATA, INCLUDED, BINARIES,
 FINALISED) = (0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x100, 0x110)
MANDATORY, OPTIONAL = 1, 0


def field(tag, value):
    return struct.pack("<HHI", tag, 0, len(value)) + value


def blob_id(kind, fields, version=1):
    return b"DCID" + struct.pack("<II", version, kind) + fields


LIBRARY = field(0x0101, b"0.1.0")
DEVICE = (LIBRARY + field(0x0301, b"Sample GPU")
          + field(0x0307, struct.pack("<I", 64)) + field(0x0503, b"A=1")
          + field(0x0503, b"B=2"))


# What IDs of the application's programs have in the library's place.
VERSIONS = b"".join(
    field(0x0104 + i, struct.pack("<I", version))
    for i, version in enumerate([1, 1, 0, 1, 1]))


def program_id(source, options, device=DEVICE):
    digest = hashlib.blake2b(source, digest_size=32).digest()
    return blob_id(PROGRAM,
                   device + field(0x0801, digest) + field(0x0806, options))


APPLICATIONS = program_id(b"kernel void copy() {}", b"-cl-std=CL3.0",
                          VERSIONS + DEVICE[len(LIBRARY):])
COPY = program_id(b"kernel void copy() {}", b"-cl-std=CL3.0")
FILL = program_id(b"kernel void fill() {}", b"")
PRIMITIVE_ID = blob_id(
    PRIMITIVE,
    DEVICE + field(0x0701, struct.pack("<I", 7)) + field(0x0704,
                                                         bytes(range(10))))
LOG = b"warning: a sample\n"
PLAIN = b"thirteen byte"
OF_USERS = b"eighteen \0 of user"
# One zstd frame that holds one run: a hundred times 'x'.
RUN = bytes.fromhex("28b52ffd2064230300") + b"x"


def pad(data):
    return data + bytes(-len(data) % 8)


def seal(data):
    """Puts the total size and the checksum into a finished blob."""
    data = data[:16] + struct.pack("<Q", len(data)) + data[24:]
    checksum = xxhash.xxh3_128_digest(data[:32] + data[48:])
    return data[:32] + checksum + data[48:]


def blob(kind, sections, version=1):
    """A blob of (tag, flags, bytes) sections."""
    at = 48 + 24 * len(sections)
    table, body = b"", b""
    for tag, flags, content in sections:
        body = pad(body)
        table += struct.pack("<IIQQ", tag, flags, at + len(body),
                             len(content))
        body += content
    header = b"\x8bDCB\r\n\x1a\n" + struct.pack("<IIQII", version, kind, 0,
                                               len(sections), 0)
    return seal(header + bytes(16) + table + body)


def programs(entries, ids=b""):
    """Entries of (backend, codec, raw size, id offset, id size, binary
    offset, binary size, log offset, log size)."""
    return struct.pack("<II", len(entries), 0) + b"".join(
        struct.pack("<II7Q", *e) for e in entries) + ids


def kernels(entries, rest):
    """Entries of (program, name offset, name size, facts offset, size)."""
    return struct.pack("<II", len(entries), 0) + b"".join(
        struct.pack("<II4Q", e[0], 0, *e[1:]) for e in entries) + rest


ids_at = 8 + 64 * 2
fill_at = ids_at + len(pad(COPY))
TWO_PROGRAMS = [
    (1, 0, 13, ids_at, len(COPY), 0, 13, 0, len(LOG)),
    (1, 1, 100, fill_at, len(FILL), 16, len(RUN), 0, 0),
]
TWO_IDS = pad(COPY) + FILL
names_at = 8 + 40 * 3
THREE_KERNELS = [
    (0, names_at, 4, names_at + 8, 5),
    (1, names_at + 16, 4, 0, 0),
    (1, names_at + 24, 4, names_at + 32, 8),
]
NAMES = (pad(b"copy\0") + pad(bytes(range(1, 6))) + pad(b"fill\0")
         + pad(b"copy\0") + bytes(range(1, 9)))


def finalised(forms, name_size=None, spoil=False):
    """Forms of (program, its ID, its binary as stored, codec, decoded size,
    name, form as stored; b"": the binary itself)."""
    end = 8 + 64 * len(forms)
    entries, rest = b"", b""
    for index, id_, binary, codec, raw_size, name, form in forms:
        rest = pad(rest)
        name_at = end + len(rest)
        rest += name + b"\0"
        form_at = 0
        if form:
            rest = pad(rest)
            form_at = end + len(rest)
            rest += form
        entry = struct.pack("<IIQQQQQ", index, codec, raw_size, form_at,
                            len(form), name_at, name_size or len(name))
        binding = xxhash.xxh3_128_digest(
            entry + id_ + binary + name + form)
        entries += entry + (bytes(16) if spoil else binding)
    return struct.pack("<II", len(forms), 0) + entries + rest


FORM = (0, COPY, PLAIN, 0, 11, b"sample 1", b"eleven byte")
ALONE = (1, FILL, RUN, 0, 0, b"sample 2", b"")


def included(files, count=None, reserved=0):
    """Files of (name, what they held)."""
    section = struct.pack("<II", len(files) if count is None else count,
                          reserved)
    for name, text in files:
        digest = hashlib.blake2b(text, digest_size=32).digest()[:16]
        section += digest + struct.pack("<H", len(name)) + name + b"\0"
    return section


TWO_FILES = [(b"tile.h", b"#define TILE 16\n"), (b"math/half.h", b"")]


def with_files(section, flags=OPTIONAL):
    return program([(INCLUDED, flags, section)])


def form_with(**changes):
    names = ("program", "id", "binary", "codec", "raw_size", "name", "form")
    return tuple(changes.get(n, v) for n, v in zip(names, FORM))


def engine(kind=ENGINE, id_kind=ENGINE, id_version=1, facts=True, extra=(),
           version=1):
    sections = [(ID, MANDATORY, blob_id(id_kind, DEVICE, id_version))]
    if facts:
        sections.append((ENGINE_FACTS, MANDATORY, b"twenty-four bytes, facts"))
    return blob(kind, sorted(sections + list(extra)), version)


def primitive(entries=None, kernel_entries=None, names=NAMES, extra=()):
    return blob(PRIMITIVE, [
        (ID, MANDATORY, PRIMITIVE_ID),
        (PROGRAMS, MANDATORY, programs(entries or TWO_PROGRAMS, TWO_IDS)),
        (KERNELS, MANDATORY, kernels(kernel_entries or THREE_KERNELS, names)),
        (LOGS, OPTIONAL, LOG + b"\0"),
        (BINARIES, MANDATORY, pad(PLAIN) + RUN),
    ] + list(extra))


def program(extra=(), identifier=COPY):
    entry = (1, 0, 13, 0, 0, 0, 13, 0, len(LOG))
    return blob(PROGRAM, sorted([
        (ID, MANDATORY, identifier),
        (PROGRAMS, MANDATORY, programs([entry])),
        (LOGS, OPTIONAL, LOG + b"\0"),
        (BINARIES, MANDATORY, PLAIN),
    ] + list(extra)))


def patch(data, at, layout, value):
    """The blob with one number replaced, its checksum right again."""
    size = struct.calcsize(layout)
    return seal(data[:at] + struct.pack(layout, value) + data[at + size:])


def changed(entries, index, position, value):
    entries = list(entries)
    entry = list(entries[index])
    entry[position] = value
    entries[index] = tuple(entry)
    return entries


SECOND = 48 + 24  # the second section's table entry

FILES = {
    "good-engine": engine(),
    "good-primitive": primitive(),
    "good-program": program(),
    "good-applications-program": program(identifier=APPLICATIONS),
    "good-no-program": blob(PRIMITIVE, [(ID, MANDATORY, PRIMITIVE_ID)]),
    "good-optional-section": engine(extra=[(0x7777, OPTIONAL, b"later")]),
    "good-user-data": program([(USER_DATA, OPTIONAL, OF_USERS)]),
    "good-included": with_files(included(TWO_FILES)),
    "good-finalised": program([(FINALISED, OPTIONAL, finalised([FORM]))]),
    "good-finalised-alone": primitive(
        extra=[(FINALISED, OPTIONAL, finalised([FORM, ALONE]))]),

    "bad-magic": b"\x8aDCB" + engine()[4:],
    "bad-text-mode": engine().replace(b"\r\n", b"\n"),
    "bad-cut-header": engine()[:40],
    "bad-cut-body": primitive()[:-1],
    "bad-trailing-byte": primitive() + b"\0",
    "bad-trailing-byte-counted": seal(primitive() + b"\0"),
    "bad-checksum": primitive()[:-1] + b"y",
    "bad-version-0": engine(version=0),
    "bad-newer-version-cut": engine(version=2)[:-1],
    "bad-section-count": patch(engine(), 24, "<I", 0xffffffff),
    "bad-section-overlap": patch(engine(), SECOND + 8, "<Q", 96),
    "bad-section-gap": patch(engine(), SECOND + 8, "<Q", 1 << 20),
    "bad-section-huge": patch(engine(), SECOND + 16, "<Q", 1 << 40),
    "bad-section-wraps": patch(engine(), SECOND + 16, "<Q", (1 << 64) - 8),
    "bad-section-empty": engine(extra=[(0x7777, OPTIONAL, b"")]),
    "bad-section-twice": engine(
        extra=[(0x7777, OPTIONAL, b"a"), (0x7777, OPTIONAL, b"b")]),
    "bad-section-flags": engine(extra=[(0x7777, 2, b"a")]),
    "bad-no-id": blob(ENGINE, [(ENGINE_FACTS, MANDATORY, b"facts")]),
    "bad-no-facts": engine(facts=False),
    "bad-id": blob(PRIMITIVE, [(ID, MANDATORY, PRIMITIVE_ID[:-1])]),
    "bad-id-kind": engine(id_kind=PROGRAM),
    "bad-kind-contents": patch(program(), 12, "<I", PRIMITIVE),
    "bad-binary-size": primitive(changed(TWO_PROGRAMS, 0, 2, 14)),
    "bad-binary-offset": primitive(changed(TWO_PROGRAMS, 1, 5, 0)),
    "bad-raw-size": primitive(changed(TWO_PROGRAMS, 1, 2, 1 << 62)),
    "bad-log-size": primitive(changed(TWO_PROGRAMS, 0, 8, (1 << 64) - 1)),
    "bad-kernel-program": primitive(
        kernel_entries=changed(THREE_KERNELS, 1, 0, 2)),
    "bad-kernel-twice": primitive(
        kernel_entries=changed(THREE_KERNELS, 0, 0, 1)),
    "bad-kernel-name": primitive(names=NAMES.replace(b"fill\0", b"fillx")),
    "bad-padding": primitive(names=NAMES.replace(b"fill\0\0", b"fill\0x")),
    "bad-user-data-flags": program([(USER_DATA, MANDATORY, OF_USERS)]),
    "bad-user-data-kind": engine(extra=[(USER_DATA, OPTIONAL, OF_USERS)]),
    "bad-included-flags": with_files(included(TWO_FILES), MANDATORY),
    "bad-included-kind": engine(
        extra=[(INCLUDED, OPTIONAL, included(TWO_FILES))]),
    "bad-included-head": with_files(included(TWO_FILES)[:7]),
    "bad-included-reserved": with_files(included(TWO_FILES, reserved=1)),
    "bad-included-none": with_files(included([])),
    "bad-included-count": with_files(included(TWO_FILES, count=3)),
    "bad-included-huge-count": with_files(
        included(TWO_FILES, count=0xffffffff)),
    "bad-included-fewer": with_files(included(TWO_FILES, count=1)),
    "bad-included-cut": with_files(included(TWO_FILES)[:-1]),
    "bad-included-end": with_files(included(TWO_FILES)[:-1] + b"x"),
    "bad-included-empty-name": with_files(included([(b"", b"")])),
    "bad-included-nul": with_files(included([(b"a\0h", b"")])),
    "bad-included-place": with_files(included([(b"/home/a.h", b"")])),
    "bad-included-long-name": with_files(included([(b"n" * 4096, b"")])),
    "bad-finalised-flags": program([(FINALISED, MANDATORY,
                                     finalised([FORM]))]),
    "bad-finalised-kind": engine(
        extra=[(FINALISED, OPTIONAL, finalised([FORM]))]),
    "bad-finalised-program": program(
        [(FINALISED, OPTIONAL, finalised([form_with(program=1)]))]),
    "bad-finalised-order": primitive(
        extra=[(FINALISED, OPTIONAL, finalised([ALONE, FORM]))]),
    "bad-finalised-swapped": program(
        [(FINALISED, OPTIONAL, finalised([form_with(id=FILL)]))]),
    "bad-finalised-binding": program(
        [(FINALISED, OPTIONAL, finalised([FORM], spoil=True))]),
    "bad-finalised-name": program(
        [(FINALISED, OPTIONAL, finalised([form_with(name=b"sam\0ple")]))]),
    "bad-finalised-long-name": program(
        [(FINALISED, OPTIONAL, finalised([form_with(name=b"n" * 65)]))]),
    "bad-finalised-size": program(
        [(FINALISED, OPTIONAL, finalised([form_with(raw_size=12)]))]),
    "bad-finalised-cut": program(
        [(FINALISED, OPTIONAL, finalised([FORM])[:-1])]),

    "unsupported-finalised-codec": program(
        [(FINALISED, OPTIONAL, finalised([form_with(codec=2)]))]),
    "unsupported-version": engine(version=2),
    "unsupported-section": engine(extra=[(0x18, MANDATORY, b"later")]),
    "unsupported-kind": engine(kind=4),
    "unsupported-codec": primitive(changed(TWO_PROGRAMS, 1, 1, 2)),
    "unsupported-backend": primitive(changed(TWO_PROGRAMS, 0, 0, 2)),
    "unsupported-id-version": engine(id_version=2),
}

if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent
    for name, data in FILES.items():
        (folder / (name + ".blob")).write_bytes(data)
