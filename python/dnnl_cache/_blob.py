# SPDX-License-Identifier: Apache-2.0
"""What blobs and IDs hold. Needs no device."""
from __future__ import annotations

import ctypes
import enum
from ctypes import byref
from dataclasses import dataclass
from typing import List, Optional, Union

from . import _errors, _native
from ._native import Buffer


class BlobKind(enum.IntEnum):
    """What a blob is of."""

    UNDEF = 0
    ENGINE = 1
    PRIMITIVE = 2
    PROGRAM = 3


@dataclass(frozen=True)
class BlobInfo:
    """The contents of a blob."""

    kind: BlobKind
    format_version: int
    total_size: int
    """Bytes of the blob."""
    program_count: int
    kernel_count: int
    binary_bytes: int
    """Bytes of the driver's binaries, decoded."""
    stored_bytes: int
    """The same as they are stored."""
    id: bytes
    build_log: str
    user_data: Optional[bytes]
    finalised_count: int
    """Programs with a form that loads faster than the driver's binary."""
    binary_text: str
    """Whose binary it is, for people; "" if that is not known."""


@dataclass(frozen=True)
class IdField:
    """One ingredient of an ID."""

    name: str
    value: Union[str, bytes]


def inspect_blob(blob: Buffer) -> BlobInfo:
    """The contents of a blob, after checking every byte. Raises
    :class:`BlobCorrupt`, :class:`BlobUnsupported`."""
    data = _native.as_bytes(blob, "blob")
    # The pointers of info point into these bytes.
    held = ctypes.create_string_buffer(data, max(len(data), 1))
    info = _native.BlobInfoStruct()
    _native.call("dnnl_cache_blob_inspect", len(data), held, byref(info))

    text = ctypes.create_string_buffer(64)
    if info.program_count > 0:
        _native.call(
            "dnnl_cache_blob_get_binary_text", len(data), held, 0, text)

    def part(address: Optional[int], size: int) -> bytes:
        return ctypes.string_at(address, size) if address and size else b""

    return BlobInfo(
        kind=BlobKind(info.kind), format_version=info.format_version,
        total_size=info.total_size, program_count=info.program_count,
        kernel_count=info.kernel_count, binary_bytes=info.binary_bytes,
        stored_bytes=info.stored_bytes, id=part(info.id, info.id_size),
        build_log=part(info.build_log, info.build_log_size).decode(
            "utf-8", "replace"),
        user_data=(part(info.user_data, info.user_data_size)
                   if info.user_data else None),
        finalised_count=info.finalised_count,
        binary_text=text.value.decode("utf-8", "replace"))


def blob_binary(blob: Buffer, index: int = 0) -> bytes:
    """The driver's binary of program number ``index`` of a blob."""
    data = _native.as_bytes(blob, "blob")
    if not 0 <= index < 2**32:
        raise _errors.InvalidArguments(f"no program {index}")
    return _native.read_bytes(
        "dnnl_cache_blob_get_program_binary", len(data), data, index)


def id_fields(cache_blob_id: Buffer) -> List[IdField]:
    """What an ID is made of, in its order. Raises :class:`BlobCorrupt`."""
    data = _native.as_bytes(cache_blob_id, "ID")
    held = ctypes.create_string_buffer(data, max(len(data), 1))
    fields: List[IdField] = []
    position = ctypes.c_size_t(0)
    while True:
        field = _native.IdFieldStruct()
        _native.begin()
        status = _native.lib.dnnl_cache_id_next_field(
            len(data), held, byref(position), byref(field))
        if status == _errors.NOT_REQUIRED:
            return fields
        _native.check(status, "dnnl_cache_id_next_field")
        value = (ctypes.string_at(field.value, field.size)
                 if field.value and field.size else b"")
        fields.append(IdField(
            name=(field.name or b"").decode("utf-8", "replace"),
            value=(value.decode("utf-8", "replace") if field.is_text
                   else value)))


def id_difference(first: Buffer, second: Buffer) -> List[str]:
    """The names of the ingredients in which two IDs differ."""
    a = _native.as_bytes(first, "ID")
    b = _native.as_bytes(second, "ID")
    names = _native.read_text("dnnl_cache_id_diff", len(a), a, len(b), b)
    return [name for name in names.split(", ") if name]
