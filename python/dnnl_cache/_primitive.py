# SPDX-License-Identifier: Apache-2.0
"""Primitives on NumPy's arrays: matrix products and convolutions."""
from __future__ import annotations

import ctypes
import weakref
from typing import (
    TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union)

from . import _errors, _native
from ._engine import CreationInfo, Engine, creation_info
from ._native import Buffer

if TYPE_CHECKING:
    import numpy

Shape = Tuple[int, ...]
# An array, whose shape and type count, or a shape.
Tensor = Union["numpy.ndarray[Any, Any]", Sequence[int]]
Window = Union[int, Sequence[int]]
Padding = Union[int, Sequence[Union[int, Tuple[int, int]]]]

_F16, _F32 = 1, 3
_FORWARD_INFERENCE = 96
_CONVOLUTION_DIRECT = 1
_ELTWISE_RELU = 0x20
_SRC, _DST, _WEIGHTS, _BIAS = 1, 17, 33, 41
_IN_ORDER = 1
_ALLOCATE = 2**64 - 1


# ---- Handles -----------------------------------------------------------------


class _Handles:
    """Handles that are needed during a call, destroyed in reverse order."""

    def __init__(self) -> None:
        self._made: List[Tuple[str, int]] = []

    def __enter__(self) -> "_Handles":
        return self

    def __exit__(self, *_: object) -> None:
        for destroy, handle in reversed(self._made):
            getattr(_native.lib, destroy)(handle)

    def make(self, destroy: str, create: str, *arguments: Any) -> int:
        handle = _native.create(create, *arguments)
        self._made.append((destroy, handle))
        return handle

    def desc(self, shape: Sequence[int], data_type: int) -> int:
        """A dense tensor in C order."""
        if len(shape) > _native.MAX_NDIMS:
            raise _errors.InvalidArguments(
                f"{len(shape)} dimensions; at most {_native.MAX_NDIMS}")
        return self.make(
            "dnnlc_memory_desc_destroy", "dnnlc_memory_desc_create_with_strides",
            len(shape), _native.Dims(*shape), data_type, None)


def _shape_of(tensor: Tensor, what: str) -> Shape:
    shape = getattr(tensor, "shape", tensor)
    if not hasattr(shape, "__iter__"):
        raise TypeError(
            f"{what} must be an array or a shape, not "
            + type(tensor).__name__)
    return tuple(
        _native.as_number(size, f"a dimension of {what}") for size in shape)


def _type_of(dtype: Any, tensors: Sequence[Tensor]) -> Any:
    import numpy
    if dtype is None:
        types = {tensor.dtype for tensor in tensors
                 if isinstance(tensor, numpy.ndarray)}
        if len(types) > 1:
            raise _errors.InvalidArguments(
                "arrays of different types: "
                + ", ".join(sorted(str(kind) for kind in types)))
        dtype = types.pop() if types else numpy.float32
    kind = numpy.dtype(dtype)
    if kind not in (numpy.float32, numpy.float16):
        raise _errors.Unimplemented(
            f"the type {kind}; float32 and float16 are supported")
    return kind


def _number_of(dtype: Any) -> int:
    return _F16 if dtype.itemsize == 2 else _F32


# ---- Descriptors -------------------------------------------------------------


class PrimitiveDesc:
    """An operation on tensors of certain shapes, before it is compiled. Made by
    :func:`matmul_desc` and :func:`convolution_desc`."""

    def __init__(self) -> None:
        raise TypeError(
            "matmul_desc() and convolution_desc() make descriptors")

    @classmethod
    def _make(cls, engine: Engine, handle: int, dtype: Any,
              inputs: Dict[int, Tuple[str, Shape]],
              dst_shape: Shape) -> "PrimitiveDesc":
        self = cls.__new__(cls)
        self._begin(engine, handle, dtype, inputs, dst_shape)
        return self

    def _begin(self, engine: Engine, handle: int, dtype: Any,
               inputs: Dict[int, Tuple[str, Shape]],
               dst_shape: Shape) -> None:
        self._engine = engine
        self._handle = handle
        self._inputs = inputs
        self.dtype = dtype
        """The type of all arrays."""
        self.dst_shape: Shape = dst_shape
        """The shape of the result."""
        end = weakref.finalize(
            self, _native.destroy, "dnnlc_primitive_desc_destroy", handle,
            engine)
        end.atexit = False

    @property
    def cache_blob_id(self) -> bytes:
        """The ID; nothing is compiled. Empty if the device cannot be
        identified."""
        _native.use_process()
        return _native.read_bytes(
            "dnnl_cache_primitive_desc_get_cache_blob_id", self._handle)

    def create(self) -> "Primitive":
        """The primitive: from memory, from a store, or compiled."""
        _native.use_process()
        return Primitive._make(
            self, _native.create("dnnlc_primitive_create", self._handle))

    def create_from_blob(self, blob: Buffer) -> "Primitive":
        """The primitive from its blob: nothing is compiled. Raises
        :class:`BlobError`."""
        _native.use_process()
        data = _native.as_bytes(blob, "blob")
        return Primitive._make(self, _native.create(
            "dnnlc_primitive_create_from_cache_blob", self._handle, len(data),
            data))


def _check_engine(engine: object) -> Engine:
    if not isinstance(engine, Engine):
        raise TypeError("an Engine is expected, not " + type(engine).__name__)
    return engine


def _attributes(handles: _Handles, relu: bool) -> Optional[int]:
    if not relu:
        return None
    ops = handles.make("dnnlc_post_ops_destroy", "dnnlc_post_ops_create")
    _native.call(
        "dnnlc_post_ops_append_eltwise", ops, _ELTWISE_RELU, 0.0, 0.0)
    attributes = handles.make(
        "dnnlc_primitive_attr_destroy", "dnnlc_primitive_attr_create")
    _native.call("dnnlc_primitive_attr_set_post_ops", attributes, ops)
    return attributes


def matmul_desc(engine: Engine, a: Tensor, b: Tensor, *,
                bias: Optional[Tensor] = None, relu: bool = False,
                dtype: Any = None) -> PrimitiveDesc:
    """Describes ``a @ b + bias``, with ``max(0, ...)`` around it if ``relu``.

    ``a``, ``b`` and ``bias`` are arrays, whose shapes and types count, or shapes.
    All have the same number of dimensions, at least 2; leading dimensions of 1,
    and any of ``bias``, are repeated. The type is float32 or float16."""
    _check_engine(engine)
    kind = _type_of(dtype, [t for t in (a, b, bias) if t is not None])
    number = _number_of(kind)
    left, right = _shape_of(a, "a"), _shape_of(b, "b")
    if len(left) < 2 or len(left) != len(right):
        raise _errors.InvalidArguments(
            f"a has {len(left)} dimensions, and b has {len(right)}: both must "
            "have the same number, at least 2")
    inputs = {_SRC: ("a", left), _WEIGHTS: ("b", right)}
    batch = tuple(
        y if x == 1 else x for x, y in zip(left[:-2], right[:-2]))
    dst = batch + (left[-2], right[-1])
    with _Handles() as handles:
        bias_desc = None
        if bias is not None:
            shape = _shape_of(bias, "bias")
            shape = (1,) * (len(dst) - len(shape)) + shape
            inputs[_BIAS] = ("bias", shape)
            bias_desc = handles.desc(shape, number)
        handle = _native.create(
            "dnnlc_matmul_primitive_desc_create", engine.handle,
            handles.desc(left, number), handles.desc(right, number), bias_desc,
            handles.desc(dst, number), _attributes(handles, relu))
    return PrimitiveDesc._make(engine, handle, kind, inputs, dst)


def _window(value: Window, count: int, what: str,
            least: int) -> Tuple[int, ...]:
    sizes = (tuple(value) if isinstance(value, (tuple, list))
             else (value,) * count)
    if len(sizes) != count:
        raise _errors.InvalidArguments(
            f"{what} has {len(sizes)} values for {count} dimensions")
    return tuple(_native.as_number(size, what, least, 2**31 - 1)
                 for size in sizes)


def _paddings(
        value: Padding, count: int) -> Tuple[Tuple[int, ...], Tuple[int, ...]]:
    pairs: List[Any] = (list(value) if isinstance(value, (tuple, list))
                        else [value] * count)
    low, high = (
        [pair[side] if isinstance(pair, tuple) and len(pair) == 2 else pair
         for pair in pairs] for side in (0, 1))
    return (_window(low, count, "padding", 0),
            _window(high, count, "padding", 0))


def convolution_desc(engine: Engine, src: Tensor, weights: Tensor, *,
                     bias: Optional[Tensor] = None, relu: bool = False,
                     strides: Window = 1, padding: Padding = 0,
                     dilation: Window = 1, groups: int = 1,
                     dtype: Any = None) -> PrimitiveDesc:
    """Describes a convolution (without flipping) of ``src`` [N, C, (D,) (H,) W]
    with ``weights`` [O, C / groups, (KD,) (KH,) KW], plus ``bias`` [O], with
    ``max(0, ...)`` around it if ``relu``.

    ``strides``, ``padding`` and ``dilation`` are one number, or one for each
    spatial dimension; of ``padding`` each may be a pair (before, after).
    ``dilation`` 1 is dense. The rest is as in :func:`matmul_desc`."""
    _check_engine(engine)
    kind = _type_of(
        dtype, [t for t in (src, weights, bias) if t is not None])
    number = _number_of(kind)
    image, filters = _shape_of(src, "src"), _shape_of(weights, "weights")
    count = len(image) - 2
    if not 1 <= count <= 3 or len(filters) != len(image):
        raise _errors.InvalidArguments(
            f"src has {len(image)} dimensions, and weights have "
            f"{len(filters)}: both must have 3, 4 or 5")
    groups = _native.as_number(groups, "groups", 1)
    if filters[0] % groups != 0:
        raise _errors.InvalidArguments(
            f"{filters[0]} outputs cannot be in {groups} groups")
    steps = _window(strides, count, "strides", 1)
    spread = _window(dilation, count, "dilation", 1)
    low, high = _paddings(padding, count)
    out = tuple(
        (size + before + after - (spaced * (width - 1) + 1)) // step + 1
        for size, before, after, spaced, width, step in zip(
            image[2:], low, high, spread, filters[2:], steps))
    if any(size < 0 for size in out):
        raise _errors.InvalidArguments("the weights are larger than src")
    dst = (image[0], filters[0]) + out
    inputs = {_SRC: ("src", image), _WEIGHTS: ("weights", filters)}
    grouped = filters
    if groups > 1:
        grouped = (groups, filters[0] // groups) + filters[1:]
    with _Handles() as handles:
        bias_desc = None
        if bias is not None:
            shape = _shape_of(bias, "bias")
            inputs[_BIAS] = ("bias", shape)
            bias_desc = handles.desc(shape, number)
        handle = _native.create(
            "dnnlc_convolution_forward_primitive_desc_create", engine.handle,
            _FORWARD_INFERENCE, _CONVOLUTION_DIRECT,
            handles.desc(image, number), handles.desc(grouped, number),
            bias_desc, handles.desc(dst, number), _native.Dims(*steps),
            _native.Dims(*(size - 1 for size in spread)), _native.Dims(*low),
            _native.Dims(*high), _attributes(handles, relu))
    return PrimitiveDesc._make(engine, handle, kind, inputs, dst)


# ---- Primitives --------------------------------------------------------------


class Primitive:
    """A compiled operation. Call it with arrays; it returns an array.

    Any thread may call it. A call copies the arrays to the device and back.
    """

    def __init__(self) -> None:
        raise TypeError("matmul(), convolution() and PrimitiveDesc make "
                        "primitives")

    @classmethod
    def _make(cls, desc: PrimitiveDesc, handle: int) -> "Primitive":
        self = cls.__new__(cls)
        self._begin(desc, handle)
        return self

    def _begin(self, desc: PrimitiveDesc, handle: int) -> None:
        self._desc = desc
        self._engine = desc._engine
        self._handle = handle
        end = weakref.finalize(
            self, _native.destroy, "dnnlc_primitive_destroy", handle, desc)
        end.atexit = False
        self._stream = _native.create(
            "dnnlc_stream_create", self._engine.handle, _IN_ORDER)
        end = weakref.finalize(
            self, _native.destroy, "dnnlc_stream_destroy", self._stream,
            self._engine)
        end.atexit = False

    @classmethod
    def from_cache_blob(cls, desc: PrimitiveDesc, blob: Buffer) -> "Primitive":
        """The primitive of a descriptor from its blob: nothing is compiled.
        Raises :class:`BlobError`."""
        if not isinstance(desc, PrimitiveDesc):
            raise TypeError(
                "a PrimitiveDesc is expected, not " + type(desc).__name__)
        return desc.create_from_blob(blob)

    @property
    def desc(self) -> PrimitiveDesc:
        """The descriptor it was made of."""
        return self._desc

    @property
    def cache_blob_id(self) -> bytes:
        """The ID under which :attr:`cache_blob` is kept."""
        return self._desc.cache_blob_id

    @property
    def cache_blob(self) -> bytes:
        """The blob; empty if the device cannot be identified."""
        _native.use_process()
        return _native.read_bytes(
            "dnnlc_primitive_get_cache_blob", self._handle)

    @property
    def creation(self) -> CreationInfo:
        """Where the primitive came from."""
        _native.use_process()
        return creation_info(
            "dnnl_cache_primitive_get_creation_info", self._handle)

    def __call__(self, src: Any, weights: Any, bias: Any = None) -> Any:
        """The result, as a new array. The arguments have the shapes and the type
        of the descriptor."""
        import numpy
        _native.use_process()
        given = {_SRC: src, _WEIGHTS: weights, _BIAS: bias}
        arrays = {}
        for argument, value in given.items():
            known = self._desc._inputs.get(argument)
            if (known is None) != (value is None):
                raise _errors.InvalidArguments(
                    "the operation has " + ("no bias" if known is None
                                            else f"the argument {known[0]}"))
            if known is not None:
                arrays[argument] = self._fit(known, value)
        result = numpy.empty(self._desc.dst_shape, self._desc.dtype)
        self._run(arrays, result)
        return result

    def _fit(self, known: Tuple[str, Shape], value: Any) -> Any:
        import numpy
        name, shape = known
        array = numpy.asarray(value)
        if array.dtype != self._desc.dtype:
            raise _errors.InvalidArguments(
                f"{name} has the type {array.dtype}, not {self._desc.dtype}")
        if array.shape != shape and (
                name != "bias" or array.size != _count(shape)):
            raise _errors.InvalidArguments(
                f"{name} has the shape {array.shape}, not {shape}")
        return numpy.ascontiguousarray(array)

    def _run(self, arrays: Dict[int, Any], result: Any) -> None:
        number = _number_of(self._desc.dtype)
        groups = self._desc
        with _Handles() as handles:
            arguments = (_native.ExecArgStruct * (len(arrays) + 1))()
            memories = []
            for at, (argument, array) in enumerate(
                    [*arrays.items(), (_DST, result)]):
                # As one row: the primitive knows the shape.
                memory = handles.make(
                    "dnnlc_memory_destroy", "dnnlc_memory_create",
                    handles.desc((array.size,), number), groups._engine.handle,
                    _ALLOCATE)
                arguments[at].arg, arguments[at].memory = argument, memory
                memories.append((memory, array))
            for memory, array in memories[:-1]:
                _copy(memory, array, to_device=True)
            _native.call(
                "dnnlc_primitive_execute", self._handle, self._stream,
                len(arguments), arguments)
            _native.call("dnnlc_stream_wait", self._stream)
            _copy(*memories[-1], to_device=False)


def _count(shape: Shape) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _copy(memory: int, array: Any, to_device: bool) -> None:
    address = ctypes.c_void_p()
    _native.call("dnnlc_memory_map_data", memory, ctypes.byref(address))
    if not address.value:
        return  # nothing in it
    try:
        if to_device:
            ctypes.memmove(address.value, array.ctypes.data, array.nbytes)
        else:
            ctypes.memmove(array.ctypes.data, address.value, array.nbytes)
    finally:
        _native.call("dnnlc_memory_unmap_data", memory, address)


def matmul(engine: Engine, a: Tensor, b: Tensor, *,
           bias: Optional[Tensor] = None, relu: bool = False,
           dtype: Any = None) -> Primitive:
    """The primitive of :func:`matmul_desc`: from memory, from a store, or
    compiled. Call it as ``result = primitive(a, b, bias)``."""
    return matmul_desc(
        engine, a, b, bias=bias, relu=relu, dtype=dtype).create()


def convolution(engine: Engine, src: Tensor, weights: Tensor, *,
                bias: Optional[Tensor] = None, relu: bool = False,
                strides: Window = 1, padding: Padding = 0,
                dilation: Window = 1, groups: int = 1,
                dtype: Any = None) -> Primitive:
    """The primitive of :func:`convolution_desc`. Call it as ``result =
    primitive(src, weights, bias)``."""
    return convolution_desc(
        engine, src, weights, bias=bias, relu=relu, strides=strides,
        padding=padding, dilation=dilation, groups=groups,
        dtype=dtype).create()
