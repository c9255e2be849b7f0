# SPDX-License-Identifier: Apache-2.0
"""What this process did."""
from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Dict, Mapping, Type, TypeVar

from . import _native


@dataclass(frozen=True)
class PrimitiveStatistics:
    """The cache of primitives in memory."""

    entries: int = 0
    hits: int = 0
    misses: int = 0
    waits: int = 0
    evictions: int = 0
    builds: int = 0
    failures: int = 0


@dataclass(frozen=True)
class ProgramStatistics:
    """The cache of programs in memory, compiling and loading."""

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    waits: int = 0
    evictions: int = 0
    builds: int = 0
    failures: int = 0
    compiled: int = 0
    loaded: int = 0
    incomplete: int = 0
    never_captured: int = 0
    """Compiled for a store, and so far neither kept nor in its journal."""
    blobs_rejected: int = 0
    compile_ns: int = 0
    load_ns: int = 0


@dataclass(frozen=True)
class StoreCalls:
    """Calls of the attached stores."""

    hits: int = 0
    misses: int = 0
    puts: int = 0
    failures: int = 0
    notes: int = 0
    read_only: int = 0
    """Programs compiled with a store that cannot be written."""


@dataclass(frozen=True)
class Statistics:
    """Counters since the process started, of all engines together.
    dnnl_cache.h describes each (dnnl_cache_statistics_t)."""

    primitives: PrimitiveStatistics
    programs: ProgramStatistics
    stores: StoreCalls
    saved_ns: int
    raw: Mapping[str, Any]
    """All numbers, as dnnl_cache_get_statistics_json() gives them."""


_T = TypeVar("_T")


def _take(kind: Type[_T], numbers: Dict[str, Any]) -> _T:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{
        name: value for name, value in numbers.items() if name in known})


def statistics() -> Statistics:
    """The counters of this process."""
    raw: Dict[str, Any] = json.loads(
        _native.read_text("dnnl_cache_get_statistics_json"))
    return Statistics(
        primitives=_take(PrimitiveStatistics, raw.get("primitives", {})),
        programs=_take(ProgramStatistics, raw.get("programs", {})),
        stores=_take(StoreCalls, raw.get("stores", {})),
        saved_ns=raw.get("saved_ns", 0), raw=raw)
