# SPDX-License-Identifier: Apache-2.0
"""Programs for pyopencl, in place of those that it builds itself."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from ._engine import Engine, engine_of
from ._native import Buffer
from ._program import Options, ProgramDesc
from ._store import Store

if TYPE_CHECKING:
    from ._pyopencl_program import Program


def describe(context: Any, source: Union[str, bytes], options: Options = None,
             *, device: Any = None, store: Optional[Store] = None,
             headers: Optional[Mapping[str, str]] = None,
             keys: Sequence[bytes] = ()) -> ProgramDesc:
    """The program that :func:`build` would build, with its ID; nothing is
    compiled. ``context`` may also be an :class:`Engine`."""
    from . import _pyopencl
    engine = (context if isinstance(context, Engine)
              else engine_of(context, device, store=store))
    source, words = _pyopencl.source_and_options(source, options)
    return ProgramDesc(engine, source, words, headers=headers, keys=keys)


def build(context: Any, source: Union[str, bytes], options: Options = None, *,
          device: Any = None, store: Optional[Store] = None,
          headers: Optional[Mapping[str, str]] = None,
          keys: Sequence[bytes] = ()) -> "Program":
    """Builds a program, or loads it: in place of ``pyopencl.Program(context,
    source).build(options)``.

    Returns a ``pyopencl.Program``, which is built for one device: ``device``, or
    the context's only one. ``context`` may be a queue. It comes from memory, from
    ``store`` or that of :func:`set_dir`, or from the compiler, and is then kept
    when the process ends (:func:`keep_at_exit`). ``program.dnnl_cache``, a
    :class:`ProgramHandle`, has its ID and says where it came from.

    Raises :class:`BuildError` with the compiler's log; :class:`Miss` if nothing
    may be compiled (:class:`CompileMode`).
    """
    from ._pyopencl_program import Program
    desc = describe(context, source, options, device=device, store=store,
                    headers=headers, keys=keys)
    return Program(desc.create())


def create_from_blob(context: Any, blob: Buffer, source: Union[str, bytes],
                     options: Options = None, *, device: Any = None,
                     headers: Optional[Mapping[str, str]] = None,
                     keys: Sequence[bytes] = ()) -> "Program":
    """A ``pyopencl.Program`` from the blob of a program with this source and
    these options: nothing is compiled. Raises :class:`BlobError`."""
    from ._pyopencl_program import Program
    desc = describe(context, source, options, device=device, headers=headers,
                    keys=keys)
    return Program(desc.create_from_blob(blob))
