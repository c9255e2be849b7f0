#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the first seeds of the fuzz targets whose inputs are put together of
pieces: make_seeds.py [FOLDER], by default corpus/ beside this file.

Stores' files are those of tests/data, which the stores wrote; formats of others
(ELF, PTX, ONNX, HTTP) are built here. Checksums that are missing here the
targets make right themselves. The same bytes each time.
"""
import pathlib
import struct
import sys

import encrypted_value

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"


def piece(data):
    """What pieces_next() of pieces.h reads."""
    return struct.pack("<H", len(data)) + data


def text(words):
    """What pieces_text() reads."""
    return words.encode() + b"\0"


# ---- Stores -------------------------------------------------------------------


def store_entries():
    stores = DATA / "stores"
    for folder in sorted((stores / "bucket").glob("*/0")):
        key = (folder / "key.bin").read_bytes()
        blob = (folder / "kernel.bin").read_bytes()
        yield "bucket", b"\0" + piece(key) + piece(b"") + blob
        break
    for path in sorted((stores / "flat").glob("*.cl_cache")):
        file = path.read_bytes()
        id_size, blob_size = struct.unpack("<QQ", file[-48:-32])
        key = file[blob_size:blob_size + id_size]
        yield "flat", b"\1" + piece(key) + piece(b"") + file
        break
    for path in sorted((stores / "tree").rglob("0.bin")):
        key = path.with_suffix(".src").read_bytes()
        time = path.with_name("0_access_time.txt").read_bytes()
        yield "tree", b"\2" + piece(key) + piece(time) + path.read_bytes()
        break
    for which, name in enumerate(("bucket", "flat", "tree")):
        for version in range(4):
            tail = b"\0" * 8 + bytes([version]) + b"\0" * 55
            data = bytes([which]) + piece(b"an ID") + piece(b"1" * 19)
            yield f"{name}_version_{version + 1}", data + b"b" * 200 + tail


def store_totals():
    yield "version_2", struct.pack("<8sII", b"dnnlctot", 2, 3) + struct.pack(
        "<QIIQQQQQQIIIIQIIQ", 1 << 20, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10,
        11, 0, 12) + b"\0" * 40
    yield "all_ones", b"\xff" * 168
    yield "foreign", b"another's file"
    yield "empty", b""


def store_roots():
    stores = DATA / "stores"
    bucket = stores / "bucket"
    yield "bucket", b"\0" + piece((bucket / "size.txt").read_bytes()) + (
        bucket / "index.bin").read_bytes()
    flat = (stores / "flat/config.file").read_bytes()
    tree = (stores / "tree/cache_size.txt").read_bytes()
    yield "flat", b"\1" + piece(b"") + flat
    yield "tree", b"\2" + piece(b"") + tree
    for which, name in enumerate(("bucket", "flat", "tree", "pack")):
        yield f"{name}_empty", bytes([which]) + piece(b"")
        yield f"{name}_foreign", bytes([which]) + piece(b"x") + b"another's"
    yield "bucket_huge", b"\0" + piece(b"18446744073709551615") + b"dnnlcidx"
    yield "pack_cut", b"\3" + piece(b"") + b"SQLite format 3\0" + b"\0" * 84


def directory_index():
    yield "index", (DATA / "stores/bucket/index.bin").read_bytes()
    head = struct.pack("<8sIIQQQQQQ", b"dnnlcidx", 1, 0, 1, 4, 3, 30, 9, 0)
    records = b"".join(
        struct.pack("<QQQIIQ", 7, i, 10, i, i % 2, 0) for i in range(4))
    yield "four_records", head + records


def pack_rows():
    def row(flags, how, key, file):
        return bytes([flags, how]) + piece(key) + piece(file)

    file = b"b" * 180 + b"\0" * 64
    for version in range(4):
        tail = b"\0" * 8 + bytes([version]) + b"\0" * 55
        yield f"version_{version + 1}", b"\1" + row(
            0, 1, b"an ID", b"b" * 200 + tail)
    yield "two_of_an_id", b"\0" + 2 * row(0, 1, b"an ID", file)
    columns = b"".join(bytes([kind]) + piece(b"x" * 9) for kind in range(4))
    yield "odd_columns", b"\1" + row(0xff, 1, b"an ID", file) + 2 * columns
    yield "damaged", b"\1" + row(0, 0, b"an ID", file)


def archive():
    magic = b"\x8bDCA\r\n\x1a\n"
    entry = struct.pack("<IIQQQ16x", 1, 0, 5, 4, 9)
    end = struct.pack("<IIQQQ16x", 0, 0, 1, 0, 0)
    yield "one_entry", magic + struct.pack("<II", 1, 0) + entry + (
        b"a-id" + b"some blob") + end + b"\0" * 48
    yield "no_entry", magic + struct.pack("<II", 1, 0) + b"\0" * 48
    yield "newer", magic + struct.pack("<II", 2, 0) + b"\0" * 48


def key_file():
    digits = "0123456789abcdef" * 4
    yield "secret", bytes(range(32))
    yield "too_short", b"fifteen bytes.."
    yield "too_long", b"s" * 4097
    yield "public_key", f"dnnl_cache-public-key 1 {digits}\n".encode()
    yield "secret_key", f"dnnl_cache-secret-key 1 {digits}\n".encode()
    yield "damaged_key", f"dnnl_cache-secret-key 1 {digits[:-1]}x\n".encode()
    yield "encryption_key", (
        f"dnnl_cache-encryption-key 1 {digits}\n".encode())
    yield "password", b"a password of one line\r\nand more\n"


def state_files():
    key = "0123456789abcdef0000000000000001"
    lines = "".join(f"{key} {word} {1700000000 - age}\n"
                    for word, age in (("crash", 9), ("crash", 8),
                                      ("replaced", 7), ("crash", 6),
                                      ("crash", 5)))
    other = key.replace("1", "2")
    forgiven = f"{other} crash 1699999000\n{other} fine 1699999001\n"
    marker = struct.pack("<QQ", 1, 2) + b"\0" * (63 * 16)
    yield "quarantined", piece(b"") + lines.encode()
    yield "forgiven", piece(b"") + forgiven.encode()
    yield "marker", piece(marker + struct.pack("<QQQ", 1, 0, 0)) + b""
    yield "damaged", piece(b"x") + b"a line without an end"
    # With a damaged key, and without a name.
    parts = "".join(f"{build} build-id 0123456789abcdef {name}\n"
                    for build in ("0123456789abcdef", "fedcba9876543210",
                                  "0123456789ABCDEF")
                    for name in ("libLLVM-14.so.1", "a kernel.bc", ""))
    yield "drivers", piece(b"") + parts.encode()


def prove_state():
    name = "0123456789abcdef" * 2
    now = 1800000000
    lines = "".join(f"{kind} {name} 0000000000000002 {now + age}\n"
                    for kind, age in (("p", 0), ("o", 9), ("x", -9),
                                      ("p", 10**9)))
    other = name.replace("0", "f")
    more = f"t 41 2\np {other} ffffffffffffffff {2**64 - 1}\n"
    day = f"20000 7\n{now // 86400} 1000000000\n"
    failed = f"{name} took too long: blender\n"
    yield "proofs", piece(b"an ID") + (lines + more).encode()
    yield "time", piece(b"an ID") + day.encode()
    yield "time_most", piece(b"an ID") + (
        f"{now // 86400} {2**64 - 1}\n").encode()
    yield "failed", piece(b"") + failed.encode()
    yield "damaged", piece(b"") + b"p without an end"
    yield "nul", piece(b"\0") + b"t 1 2\0\0t 3 4\n"


# ---- Texts --------------------------------------------------------------------


def layer_conf():
    conf = ("# a comment\nDNNL_CACHE_MAX_SIZE = 4000000000\n"
            "DNNL_CACHE_APPLICATIONS_DENY=blender:/opt/*\r\n"
            "\n  DNNL_CACHE_STORE = pack\nUNKNOWN = 1\n")
    yield "good", text("DNNL_CACHE_STORE") + text("flat") + conf.encode()
    yield "taken_out", text("DNNL_CACHE_MAX_SIZE") + text("") + conf.encode()
    yield "carriage_returns", text("DNNL_CACHE_STORE") + text("") + (
        b"\rDNNL_CACHE_STORE\r=\rpack\r\n")
    yield "no_value", text("") + text("") + b"DNNL_CACHE_STORE\n"
    yield "control", text("") + text("") + b"A = \x1b[2J\n"


def setting_text():
    yield "applications", text("blender:/opt/v*/x[a-z]:*") + text(
        "/opt/vendor/xb")
    yield "layers", text("/a/libone.so:/b/libtwo.so:") + text("/c/libtwo.so")
    for number, words in enumerate(
            ("1.5GiB", "90d", "18446744073709551615", "007", "3w")):
        yield f"number_{number}", text(words) + text("")
    yield "options", text('-I "a b" -DX=\'1 2\' -isystem c\\ d -cl-std=CL2.0'
                          ) + text("")
    yield "classes", text("auto-8-1-1-goffs0-smallgrid,64-2-1") + text("")
    yield "processor", text("processor\t: 0\nFeatures\t: fp asimd\n"
                            "CPU implementer\t: 0x41\nCPU variant\t: 0x3\n"
                            "CPU part\t: 0xd0c\n\nprocessor\t: 1\n") + text("")


def layer_settings():
    values = ((0, "1"), (1, "/tmp/x"), (3, "/seed:"),
              (4, "redis://host/1?insecure=1"), (8, "tree"), (9, "100"),
              (10, "7"), (13, "x"), (24, "/trace"), (25, "/home/a"))
    yield "all", b"".join(bytes([n]) + text(v) for n, v in values)
    yield "wrong", b"".join(bytes([n]) + text("-1x") for n in range(29))


def http_answers():
    # The verbs of the target: get, put, head, remove, list.
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nblob"
    chunks = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              b"4;x=y\r\nblob\r\n1\r\n!\r\n0\r\nTrailer: 1\r\n\r\n")
    coded = (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
             b"Content-Length: 3\r\n\r\nabc")
    listed = (b"<?xml version=\"1.0\"?><ListBucketResult>"
              b"<IsTruncated>false</IsTruncated>"
              b"<Contents><Key>cache/0123</Key></Contents>"
              b"</ListBucketResult>")
    yield "get", b"\0" + body
    yield "get_chunks", b"\0" + chunks
    yield "get_coded", b"\0" + coded
    yield "get_too_large", b"\0" + body.replace(b": 4", b": 999999")
    yield "get_without_size", b"\5HTTP/1.1 200 OK\r\n\r\n" + b"b" * 300
    yield "get_absent", b"\0HTTP/1.1 404 Not Found\r\n\r\n"
    yield "put", b"\1HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n"
    yield "head", b"\2HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n"
    yield "remove", b"\3HTTP/1.1 204 No Content\r\n\r\n"
    yield "list", b"\x09HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (
        len(listed), listed)
    yield "list_too_large", b"\4HTTP/1.1 200 OK\r\n\r\n" + listed
    yield "moved", b"\0HTTP/1.1 301 Moved\r\nLocation: http://x/\r\n\r\n"
    yield "no_http", b"\0SSH-2.0-OpenSSH\r\n"


def http_answer():
    for name, data in http_answers():
        yield name, data[:1] + piece(b"") + data[1:]
    # The answer before has a header that the next one must not go on with.
    yield "folded_first", b"\0" + piece(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n") + (
            b"HTTP/#.1 20\rK\n O0Content-Encoding: gzipOK\r\n"
            b"Cont\0Cth: 3: gzipc")


# ---- Programs and models ------------------------------------------------------


def elf(machine, kind, flags=0, sections=(), segments=(), abi=0):
    """A file of 64 bits: sections are (name, type, bytes, link), segments
    (type, address, bytes)."""
    names = b"\0" + b"".join(n.encode() + b"\0" for n, _, _, _ in sections)
    names += b".shstrtab\0"
    body, heads, table, at = b"", [], b"\0" * 64, 64 + 56 * len(segments)
    for kind_of, address, data in segments:
        heads.append(struct.pack("<IIQQQQQQ", kind_of, 4, at + len(body),
                                 address, address, len(data), len(data), 1))
        body += data
    for name, kind_of, data, link in sections + ((".shstrtab", 3, names, 0), ):
        where = names.index(b"\0" + name.encode() + b"\0") + 1
        table += struct.pack("<IIQQQQIIQQ", where, kind_of, 0, 0,
                             at + len(body), len(data), link, 0, 1, 0)
        body += data
    head = struct.pack("<16sHHIQQQIHHHHHH",
                       b"\x7fELF\2\1\1\0" + bytes([abi]) + b"\0" * 7, kind,
                       machine, 1, 0, 64, at + len(body), flags, 64, 56,
                       len(heads), 64, len(sections) + 2, len(sections) + 1)
    return head + b"".join(heads) + body + table


def nvidia_forms():
    ptx = (b"//\n.version 8.0\n.target sm_90\n.address_size 64\n"
           b".entry k(.param .u64 k_p)\n{ ret; }\n\0")
    code = (".text.k", 1, b"\x90" * 16, 0)
    cubin = elf(190, 2, 90, (code, (".text.other", 1, b"\x90", 0)))
    newer = elf(190, 2, 90 << 8, (code, ), abi=8)
    names = piece(b"k\0")
    for name, form in (("cubin", cubin), ("newer_cubin", newer),
                       ("cut", cubin[:-9])):
        yield name, bytes([90]) + names + text(
            "-cl-nv-maxrregcount=32 -cl-nv-verbose") + piece(ptx) + form
    yield "prints", bytes([90]) + names + text("-cl-nv-opt-level 2") + piece(
        ptx.replace(b"ret", b"vprintf")) + cubin
    yield "unknown_option", bytes([90]) + names + text(
        "-cl-nv-x") + piece(ptx) + cubin


def driver_elf():
    note = struct.pack("<III4s", 4, 20, 3, b"GNU\0") + bytes(range(20))
    other = struct.pack("<III4s4s", 4, 4, 1, b"GNU\0", b"abcd")
    yield "build_id", elf(62, 3, segments=((4, 0, other + note), ))
    yield "notes", other + note
    strings = b"\0libmissing.so.1\0/nowhere\0$ORIGIN/../lib\0"
    dynamic = b"".join(
        struct.pack("<QQ", tag, value)
        for tag, value in ((1, 1), (29, 17), (5, 0x1000), (10, len(strings)),
                           (15, 26), (0, 0)))
    yield "program", elf(62, 2, segments=((3, 0, b"/lib64/ld.so\0"),
                                          (1, 0x1000, strings),
                                          (2, 0x2000, dynamic)))
    symbol = b"\0_pocl_kernel_k_workgroup\0"
    symbols = b"\0" * 24 + struct.pack("<IBBHQQ", 1, 17, 0, 1, 64, 8)
    yield "kernel", elf(62, 3, sections=((".dynsym", 11, symbols, 2),
                                         (".dynstr", 3, symbol, 0)))
    yield "script", b"#!/usr/bin/env -S A=1 sh\necho\n"
    yield "script_of_itself", b"#! \t/nowhere/interpreter -x\n"


def memory_desc():
    def blob(dims, strides, blocks=(), kind=1):
        pad = [0] * (12 - len(dims))
        data = b"\0" * 32 + struct.pack("<IIIIQ", len(dims), 3, kind, 0, 0)
        data += struct.pack("<24q", *dims, *pad, *strides, *pad)
        data += struct.pack("<II", len(blocks), 0)
        data += b"".join(struct.pack("<II", *block) for block in blocks)
        return data.ljust(384, b"\0")

    yield "plain", blob((2, 3, 4), (12, 4, 1), kind=2)
    yield "blocked", blob((2, 32, 4, 4), (512, 256, 64, 16), ((16, 1), ),
                          kind=2)
    yield "any", blob((2, 3), (0, 0), kind=1)
    yield "runtime", blob((-1 << 63, 3), (3, 1), kind=2)
    yield "zero", blob((), (), kind=0)


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_external():
    def model(location, count, offset=None, length=None, kind=1):
        entries = [("location", location)]
        entries += [("offset", str(offset))] if offset is not None else []
        entries += [("length", str(length))] if length is not None else []
        tensor = field(1, count) + field(2, kind) + field(8, "w")
        for key, value in entries:
            tensor += field(13, field(1, key) + field(2, value))
        tensor += field(14, 1)
        shape = field(1, field(1, count))
        value = field(1, "x") + field(2, field(1, field(1, 1) + field(2, shape)))
        out = value.replace(b"x", b"y", 1)
        node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add")
        graph = (field(1, node) + field(2, "g") + field(5, tensor)
                 + field(11, value) + field(12, out))
        return field(1, 8) + field(7, graph) + field(8, field(2, 13))

    yield "small", model("data", 3)
    yield "offset", model("data", 3, 4096, 12)
    yield "below", model("below/data", 8, 16)
    yield "large", model("data", 6000, 64, 24000)
    yield "halves", model("data", 9000, 0, 18000, kind=10)
    yield "behind_the_end", model("data", 3, 49152, 12)
    yield "out_of_the_folder", model("../data", 3)
    yield "link", model("link", 3)
    yield "empty", model("empty", 3)


def facts():
    def number(value):
        return struct.pack("<Q", value)

    def words(value):
        return number(len(value)) + value.encode() + b"\0"

    def arg(name):
        return number(0) * 5 + number(0x119b) + number(0x11a3) + number(
            0) + words("float*") + words(name)

    def kernel(name, classes):
        return words(name) + words("vec_type_hint(float)") + number(
            64) + number(1) + arg("a") + arg("") + number(len(classes)) + (
                b"".join(struct.pack("<5Q", *c) for c in classes))

    for version in (4, 5):
        head = number(version) + number(1000) + number(1) + number(4) + number(
            8) + words("-cl-fast") + words("a log\n") + words("k;l") + (
                number(0) * 2)
        yield f"version_{version}", head + number(2) + kernel(
            "k", ((8, 1, 1, 0, 0), (8, 1, 1, 1, 0))) + kernel("l", ())


def failure():
    def number(value):
        return struct.pack("<Q", value & 0xffffffff)

    def answer(value):
        return number(0) + number(len(value)) + value

    log = b"a.cl:7:13: error: no such thing\n\0"
    logs = (b"error: /tmp/b.cl:7:13: no such thing\n", log,
            b"a.cl:1:2: error: x\nfatal error: too many errors emitted, "
            b"stopping now\n", b"x\nCannot allocate memory\n")

    def piece(value):
        return struct.pack("<H", len(value)) + value

    key = b"dnnl_cache failed build 1\0\1" + struct.pack("<Q", 3) + b"-DA"
    key += struct.pack("<Q", 2) + b"ID"
    device = answer(struct.pack("<i", -2)) + answer(b"-DA\0") + answer(
        log) + answer(struct.pack("<I", 0)) + answer(struct.pack("<Q", 0))
    for version in (1, 2):
        record = b"dncfail\0" + number(version) + number(2) + number(
            1234567) + number(1) + number(2) + number(5000000) + number(
                -11) + number(-45) * 4
        for first, second in ((0, 1), (2, 3)):
            yield f"version_{version}_{first}", piece(key) + piece(
                b"ID") + piece(logs[first]) + piece(
                    logs[second]) + record + number(2) + device * 2


def source_macros():
    yield "expanded", text("-D PLACE=/my/headers -DNAME(x)=#x"
                           " -DSTRING(x)=NAME(x)") + text(
                               "STRING(PLACE/types.h)") + b"int x;\n"
    yield "pasted", text("-DM=as") + text("M") + (
        b"#define P(a, b) a##b\n#define S(x) #x\n"
        b"kernel void k() { P(as, m)(S(.incbin) \"x\"); }\n")
    yield "assembly", text("") + text("") + (
        b"#if A\nvoid f(void) { asm volatile (\"nop\" : : \"r\"(1)); }\n"
        b"#else\n#define T(x) asm(#x)\n#endif\nT(nop);\n")
    yield "open_bracket", text("") + text("") + (
        b"f(\n#ifdef A\n)\n#endif\n?\?=define X asm\n")


def bits(*fields):
    """Fields of (width, value) or (width, value, True) for pieces of bits, as a
    module of LLVM has them; None: to the next 32 bits."""
    number, at = 0, 0

    def put(width, value):
        nonlocal number, at
        number |= (value & ((1 << width) - 1)) << at
        at += width

    for item in fields:
        if item is None:
            at += -at % 32
        elif len(item) == 2:
            put(*item)
        else:
            width, value, more = item[0], item[1], 1 << (item[0] - 1)
            while value >= more:
                put(width, (value & (more - 1)) | more)
                value >>= width - 1
            put(width, value)
    return number.to_bytes((at + 31) // 32 * 4, "little")


def bitcode(path=b"/tmp/a.cl", linkage=3):
    """A module with its path, a function, and a table of strings."""
    def record(code, values):
        return [(3, 3), (6, code, True), (6, len(values), True)] + [
            (6, value, True) for value in values]

    fields = [(2, 1), (8, 8, True), (4, 3, True), None, (32, 0)]
    fields += record(1, [2]) + record(16, list(path))
    fields += record(8, [0, 5, 1, linkage]) + record(13, [9])
    fields += [(3, 0), None]
    strings = b"first" + path
    fields += [(2, 1), (8, 23, True), (4, 3, True), None, (32, 0)]
    fields += [(3, 2), (5, 2, True), (1, 1), (8, 1, True), (1, 0), (3, 5)]
    fields += [(3, 4), (6, len(strings), True), None]
    fields += [(8, byte) for byte in strings] + [None, (3, 0), None]
    return b"BC\xc0\xde" + bits(*fields)


def pocl(kernels, module=b"", version=9, kind=4):
    """A binary of PoCL; kernels: name, [(launches, code)]."""
    def file(name, data):
        return struct.pack("<I", len(name)) + name + struct.pack(
            "<I", len(data)) + data

    files = file(b"/program.bc", module)
    out = struct.pack("<8s8sIIQI", b"poclbin", b"device's", version,
                      len(kernels), kind << 32, 1) + b"_".ljust(41, b"\0")
    out += struct.pack("<Q", len(files)) + files
    for name, objects in kernels:
        code = b"".join(file(b"/%s/%s/%s.so" % (name, launches, name), data)
                        for launches, data in objects)
        head = struct.pack("<I", 1) + struct.pack("<I", len(name)) + name
        head += b"arguments"
        out += struct.pack("<QQ", 16 + len(head) + len(code), len(code))
        out += head + code
    return out


def proof():
    note = struct.pack("<III4s", 4, 20, 3, b"GNU\0") + bytes(range(20))
    code = elf(62, 3, sections=((".text", 1, b"\x90" * 16, 0), ),
               segments=((4, 0, note), (1, 0x1000, b"\x90" * 16)))
    other = code.replace(bytes(range(20)), bytes(range(1, 21)))
    module, moved = bitcode(), bitcode(b"/var/tmp/b.cl")
    changed = bitcode(linkage=4)
    record = dict(facts())["version_5"]
    launched = pocl([(b"k", [(b"8-1-1", code)]), (b"l", [])], module)
    again = pocl([(b"k", [(b"8-1-1", other), (b"0-0-0", code)]), (b"l", [])],
                 moved)
    twice = pocl([(b"k", [(b"8-1-1", code)])] * 2, module)
    for name, a, b in (("modules", module, moved),
                       ("other_module", module, changed),
                       ("code", code, other), ("answers", record, record),
                       ("launched", launched, again),
                       ("launched_otherwise", again, launched),
                       ("twice", twice, launched), ("empty", b"", b"")):
        yield name, piece(a) + b


def loader_cache():
    texts = b"libc.so.6\0/lib/libc.so.6\0libm.so.6\0relative/libm.so.6\0"
    count = 2
    at = 48 + 24 * count
    head = b"glibc-ld.so.cache1.1" + struct.pack("<II", count, len(texts))
    head = head.ljust(48, b"\0")
    rows = b"".join(
        struct.pack("<iIIIQ", 3, at + texts.index(name), at + texts.index(path),
                    0, 0)
        for name, path in ((b"libc.so.6", b"/lib/libc"),
                           (b"libm.so.6", b"relative")))
    new = head + rows + texts
    old = b"ld.so-1.7.0".ljust(12, b"\0") + struct.pack("<I", 1) + b"\0" * 12
    yield "new", text("libc.so.6") + new
    yield "relative", text("libm.so.6") + new
    yield "old_before", text("libc.so.6") + old.ljust(32, b"\0") + new
    yield "cut", text("libc.so.6") + new[:-9]
    yield "many", text("") + new.replace(
        struct.pack("<I", count), b"\xff\xff\xff\xff", 1)


def redis_leases():
    hello = b"%1\r\n+server\r\n+redis\r\n"
    channel = b"dnnl_cache::built"

    def push(*words):
        return b">%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    def said(message):
        return push(b"message", channel, message)

    subscribed = b">3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (
        len(channel), channel)
    token = b"0123456789abcdef" * 2
    miss = b"$-1\r\n"
    led = b"+OK\r\n:-2\r\n" + 3 * miss
    waits = miss + b":900\r\n$32\r\n" + token + b"\r\n$3\r\n250\r\n" + miss
    hit = b"$4\r\nblob\r\n"

    def steps(*said_by):
        return b"".join(bytes([how]) + piece(data) for how, data in said_by)

    begun = hello + miss
    yield "leads", steps((0, begun), (0, subscribed), (0, led + led), (0, hit))
    # It holds one lease, and has no answer for the other.
    yield "closed_while_asking", steps((0, begun), (0, subscribed), (0, led))
    yield "waits", steps((0, begun + subscribed), (0, waits + waits),
                         (0, said(b"a " + token + b" 1000")),
                         (80, said(b"a")), (0, hit), (248, b""), (0, led))
    yield "failed", steps((0, begun + subscribed), (0, waits),
                          (0, said(b"a " + token + b" 9")),
                          (0, said(b"a failed") + said(b"b failed")))
    yield "own_connection", steps(
        (0, b"-ERR unknown command\r\n" + hit),
        (0, b"*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"),
        (1, b"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nb\r\n"), (4, led))
    yield "hangs_up", steps((0, begun), (4, subscribed), (4, b""), (0, begun))
    yield "late", steps((0, begun + subscribed), (248, waits), (248, b""),
                        (248, b""), (0, led))
    yield "odd_messages", steps((0, begun + subscribed), (
        0, said(b"a " + b"t" * 90 + b" 5") + said(b"a  5") + said(b" ")
        + said(b"x" * 300) + said(b"a t 99999999999999999") + push(b"message")))


def recording():
    head = b"dnnlcjnl" + struct.pack("<II", 1, 7)
    yield "empty", head
    yield "begun", head[:5]
    yield "foreign", b"another's file"


def remote_cipher():
    """Of the key and the name of the target, and of others."""
    secret = bytes(range(32))
    name = "0" * 64
    nonce = bytes(range(100, 124))
    entries = HERE / "corpus" / "fuzz_remote_entry"
    plain = (entries / "plain").read_bytes()

    def value(entry, key=secret, under=name, **more):
        return encrypted_value.value(key, under, entry, nonce, **more)

    yield "entry", value(plain)
    yield "signed_entry", value((entries / "signed").read_bytes())
    yield "no_entry", value(b"what was encrypted is no entry")
    yield "nothing", value(b"")
    yield "newer", value(plain, version=2)
    yield "another_size", value(plain, size=len(plain) + 1)
    yield "another_key", value(plain, key=bytes(range(1, 33)))
    yield "another_name", value(plain, under="1" * 64)
    yield "cut", value(plain)[:-1]
    yield "head_alone", value(plain)[:64]
    yield "not_encrypted", plain


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus"
    makers = {
        "archive": archive, "directory_index": directory_index,
        "driver_elf": driver_elf, "facts": facts, "failure": failure,
        "http_answer": http_answer,
        "key_file": key_file, "layer_conf": layer_conf,
        "layer_settings": layer_settings, "memory_desc": memory_desc,
        "nvidia_forms": nvidia_forms, "onnx_external": onnx_external,
        "loader_cache": loader_cache, "pack_rows": pack_rows, "proof": proof,
        "prove_state": prove_state, "recording": recording,
        "redis_leases": redis_leases,
        "refresh_jobs": recording, "remote_cipher": remote_cipher,
        "setting_text": setting_text, "source_macros": source_macros,
        "state_files": state_files,
        "store_entry": store_entries, "store_root": store_roots,
        "store_totals": store_totals,
    }
    for target, make in makers.items():
        folder = out / f"fuzz_{target}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in make():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
