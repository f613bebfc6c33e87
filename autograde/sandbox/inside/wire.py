"""What crosses between tests and student code: JSON scalars, containers and the bytes of plain arrays.

Used on both sides. A frame is two lengths, one JSON text and the blocks of the arrays in it; nothing in it is ever
evaluated, unpickled or looked up. Whatever the decoder does not know is a `WireError`, found in bounded time and
memory; the trusted side books it on the process that sent it. Never starts or stops a process.

The text is ``[kind, number, heads, values]``; a head is ``[dtype, order, shape]`` of one block, as ``["<f8","C",[2,3]]``.
Form of a value in the JSON text: None, True, False, integers, finite floats and strings stand for themselves;
everything else is a list that starts with a tag:

====  =====================================================
l, t  list, tuple: the items follow
d     dict: key, value, key, value … follow
a, r  array, read-only array: number of its block
g     NumPy scalar: number of its block
f     float that is not finite: "nan", "inf" or "-inf"
z     complex: real part, imaginary part
c     a function of the trusted side: its handle
x     one of the learner's own functions: its name
====  =====================================================

Three kinds of frames cross. ``asks`` and ``answers`` are batches: their values are messages, each a kind and
values. ``callback`` is a call of a function of the trusted side; a single ``value`` or ``raised`` answers it.

=========================  ====================================================================
ask                        answers
=========================  ====================================================================
uses  cells                used  which trigger names each cell reads
cell, example              ran  why it stopped (or None), whether it may have spoilt what was there
  title, source
draws                      drew
call  name, args, kwargs   value  result, arguments if they changed
                           raised  type, text, place, built-in base
                           absent (no such function), foreign (a result that cannot cross)
any                        memory, output, oversized, unknown
=========================  ====================================================================
"""

from __future__ import annotations

import json
import math
import re
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np


class WireError(Exception):
    """The other side sent something that is not a frame of this protocol."""


class UnsupportedError(Exception):
    """A value that cannot cross; the text names its type."""


class OversizedError(Exception):
    """A value that is larger than a message may be."""


@dataclass(frozen=True)
class Caps:
    """How large a message may be.

    Attributes
    ----------
    message: bytes of a whole frame.
    text: bytes of its JSON part.
    depth: containers within containers.
    blocks: arrays in one frame, and messages in one batch.
    entries: entries of one dict (chosen keys can make every look-up walk all of them).
    """

    message: int = 16 << 20
    text: int = 2 << 20
    depth: int = 16
    blocks: int = 4096
    entries: int = 1024


Functions = Callable[[Any], list[Any] | None]
"""Gives the tagged form of a function that may cross, or None."""
Resolve = Callable[[str, Any], Any]
"""Gives what a tag ``c`` or ``x`` with this handle or name stands for."""

HEAD = struct.Struct("!II")
PLAIN_DTYPES = frozenset(
    ["|b1", "|i1", "|u1"]
    + [f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)]
    + ["<f2", "<f4", "<f8", "<c8", "<c16"]
)
TEXT_DTYPE = re.compile(r"<U[1-9]\d{0,5}")
MOST_AXES = 32
LARGEST_ARRAY = 1 << 31
"""Entries, counting an empty axis as one."""
LEAVES = frozenset("argfcx")
"""Tags of values that hold no other value."""
BATCHES = ("asks", "answers")
"""Kinds of frames whose values are messages."""
LONGEST_INT = 1024  # bits


def _no_constant(name: str) -> float:
    raise WireError(f"{name} in the text")


_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_decode = json.JSONDecoder(parse_constant=_no_constant).decode
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


# ------------------------------------------------------------------------ writing
def pack(
    kind: str,
    number: int,
    *values: Any,
    caps: Caps,
    functions: Functions | None = None,
    share: bool = False,
) -> bytes:
    """One frame that is no batch. With `share` an array that occurs twice is sent once and arrives as one array.

    Raises UnsupportedError or OversizedError if a value cannot cross.
    """
    batch = Batch(caps, functions=functions, share=share)
    batch.put(list(values))
    return batch.framed(kind, number, batch.parts[0])


class Batch:
    """A frame that holds many messages, of a kind in `BATCHES`. With `share` as in `pack`, within each message.

    Attributes
    ----------
    parts, heads: messages and heads of arrays, as JSON.
    blocks: the data of the arrays.
    text, data: letters of the text, at least, and bytes of the blocks.
    known: id of an array -> number of its block, and the array, so that no id is used twice.
    """

    def __init__(
        self, caps: Caps, *, functions: Functions | None = None, share: bool = False
    ) -> None:
        self.caps, self.functions, self.share = caps, functions, share
        self.parts: list[str] = []
        self.heads: list[str] = []
        self.blocks: list[bytes] = []
        self.text, self.data = 100, 0  # what stands around all messages
        self.known: dict[int, tuple[int, np.ndarray]] = {}

    def add(self, kind: str, *values: Any) -> None:
        """Add a message. Raises UnsupportedError or OversizedError if a value cannot cross or the frame is full."""
        self.put([*values], [kind])

    def put(self, values: list[Any], form: Sequence[Any] = ()) -> None:
        """Add the values, after forms that are ready. Raises as `add` does."""
        count, text, data = len(self.blocks), self.text, self.data
        self.known.clear()
        try:
            part = _encode([*form, *[self.form(value, 0) for value in values]])
            self.text += len(part) + 1
            is_full = self.text > self.caps.text or self.text + self.data > self.caps.message
            if is_full or len(self.parts) >= self.caps.blocks:
                raise OversizedError(f"{self.text + self.data} bytes")
        except BaseException:
            del self.blocks[count:], self.heads[count:]
            self.text, self.data = text, data
            raise
        self.parts.append(part)

    def frame(self, kind: str, number: int) -> bytes:
        """The frame."""
        return self.framed(kind, number, f"[{','.join(self.parts)}]")

    def framed(self, kind: str, number: int, values: str) -> bytes:
        """A frame around forms that are JSON already."""
        text = f'["{kind}",{number},[{",".join(self.heads)}],{values}]'.encode()
        return b"".join([HEAD.pack(len(text) + self.data, len(text)), text, *self.blocks])

    def form(self, value: Any, depth: int) -> Any:
        """The form of a value in the text. Raises UnsupportedError or OversizedError."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is np.ndarray:
            return ["a" if value.flags.writeable else "r", self.block(value)]
        if kind is int:
            if value.bit_length() > LONGEST_INT:
                raise OversizedError("an integer of more than 300 digits")
            return value
        if kind is float:
            return value if math.isfinite(value) else ["f", repr(value)]
        if depth >= self.caps.depth:
            raise UnsupportedError("containers nested too deep")
        if kind is list or kind is tuple:
            return [kind.__name__[0], *[self.form(item, depth + 1) for item in value]]
        if kind is dict:
            if len(value) > self.caps.entries:
                raise OversizedError(f"a dict of {len(value)} entries")
            return ["d", *[self.form(part, depth + 1) for item in value.items() for part in item]]
        if kind is complex:
            return ["z", self.form(value.real, depth + 1), self.form(value.imag, depth + 1)]
        if self.functions is not None and (form := self.functions(value)) is not None:
            return form
        return self.subclass(value, depth)

    def subclass(self, value: Any, depth: int) -> Any:
        """A subclass of something plain crosses as the plain thing."""
        if isinstance(value, np.ndarray):
            return ["a", self.block(np.array(value, subok=False))]
        if isinstance(value, np.generic):
            return ["g", self.block(np.asarray(value))]
        plain: Any
        for plain in (int, float, str, list, tuple, dict, complex):
            if isinstance(value, plain):
                return self.form(plain(value), depth)
        try:  # what NumPy reads as numbers is a table of numbers: a deque, an array.array, a range
            array = np.asarray(value)
        except Exception:
            array = np.zeros(0, object)
        if array.dtype.kind not in "biufc":
            raise UnsupportedError(f"a {type(value).__name__}"[:80])
        return ["a", self.block(array)]

    def block(self, array: np.ndarray) -> int:
        """The number of the block that holds `array`."""
        number = len(self.blocks)
        if self.share and id(array) in self.known:
            return self.known[id(array)][0]
        if array.nbytes > self.caps.message or number >= self.caps.blocks:
            raise OversizedError(f"an array of {array.nbytes} bytes")
        self.known[id(array)] = number, array
        head, data = raw(array)
        self.heads.append(head)
        self.blocks.append(data)
        self.text += len(head) + 1
        self.data += len(data)
        return number


def raw(array: np.ndarray) -> tuple[str, bytes]:
    """The head of an array as JSON, and its data. Raises UnsupportedError if its dtype cannot cross."""
    descr = array.dtype.str
    if descr not in PLAIN_DTYPES:
        kind, size = array.dtype.kind, array.dtype.itemsize
        if kind in "fciu":  # other byte order, long double
            descr = f"<{kind}{min(size, 16 if kind == 'c' else 8)}"
            array = array.astype(descr)
        elif not TEXT_DTYPE.fullmatch(descr):
            raise UnsupportedError(f"an array of {array.dtype}"[:80])
    columns_first = not array.flags.c_contiguous and array.flags.f_contiguous
    return _head(descr, "F" if columns_first else "C", array.shape), array.tobytes("A")


@lru_cache(4096)
def _head(descr: str, order: str, shape: tuple[int, ...]) -> str:
    return _encode([descr, order, shape])


# ------------------------------------------------------------------------ reading
def unpack(
    body: bytes,
    text_size: int,
    *,
    caps: Caps,
    resolve: Resolve | None = None,
    share: bool = False,
) -> Message:
    """The message in the body of a frame. Raises WireError if it is anything else.

    Without `share` each array block may be used once: a short text that names a large block a thousand times
    would fill the memory of whoever makes one array of it.
    """
    try:
        parts = _decode(body[:text_size].decode("utf-8"))
        kind, number, heads, form = parts
    except WireError:
        raise
    except (ValueError, TypeError, RecursionError, MemoryError) as fault:
        raise WireError("the text is not JSON of a message") from fault
    if type(kind) is not str or type(number) is not int or type(form) is not list:
        raise WireError("a message is a kind, a number and values")
    reader = _Reader(_cut(body, text_size, heads, caps), caps, resolve, share)
    if kind not in BATCHES:
        return reader.message(kind, number, form)
    if len(form) > caps.blocks:
        raise WireError("too many messages in one frame")
    return Message(kind, number, [reader.part(part, number) for part in form], [])


@dataclass(slots=True)
class Message:
    """A decoded frame: what it is, which request it belongs to, and its values (messages, if it is a batch).

    `arrays`: the arrays in its values, if the channel shares arrays.
    """

    kind: str
    number: int
    values: list[Any]
    arrays: list[Arrived]


Form = tuple[np.dtype, Literal["C", "F"], tuple[int, ...], int]
"""dtype, order and shape of an array, and the bytes of its data."""
Arrived = tuple[np.ndarray, bytes, tuple[int, ...], np.dtype, tuple[int, ...]]
"""An array as it came: the array, its data, shape, dtype and strides."""


def is_changed(arrived: Arrived) -> bool:
    """True if an array does not hold any more what came."""
    array, data, shape, dtype, strides = arrived
    same_form = array.shape == shape and array.dtype is dtype and array.strides == strides
    return not (same_form and array.base == data)


def _cut(body: bytes, start: int, heads: Any, caps: Caps) -> list[tuple[Form, bytes]]:
    """The form and the data of each array; together they must take all of the body after the text."""
    if type(heads) is not list or len(heads) > caps.blocks:
        raise WireError("no list of heads")
    blocks = []
    for head in heads:
        match head:
            case [str(descr), str(order), list(shape)] if len(shape) <= MOST_AXES:
                form = _form(descr, order, tuple([n for n in shape if type(n) is int]))
            case _:
                raise WireError("not the head of an array")
        if len(form[2]) != len(shape) or form[3] > len(body) - start:
            raise WireError("an array that reaches beyond the frame")
        blocks.append((form, body[start : start + form[3]]))
        start += form[3]
    if start != len(body):
        raise WireError("bytes that belong to no array")
    return blocks


@lru_cache(4096)
def _form(descr: str, order: str, shape: tuple[int, ...]) -> Form:
    """What a head says. Raises WireError if it is not that of a plain array."""
    if descr not in PLAIN_DTYPES and not TEXT_DTYPE.fullmatch(descr):
        raise WireError("an array of something else than numbers or text")
    if order not in ("C", "F") or min(shape, default=0) < 0:
        raise WireError("not the head of an array")
    if math.prod(max(n, 1) for n in shape) > LARGEST_ARRAY:
        raise WireError("an array that is too large")
    dtype = np.dtype(descr)
    return dtype, "F" if order == "F" else "C", shape, math.prod(shape) * dtype.itemsize


def array_of(form: Form, block: bytes) -> np.ndarray:
    """A new, writable array of this form and data. Raises WireError if no array can hold them."""
    dtype, order, shape, size = form
    data = bytearray(block)
    if size and dtype.kind == "b" and np.frombuffer(data, np.uint8).max() > 1:
        raise WireError("a truth value that is neither")
    if size and dtype.kind == "U":
        letters = np.frombuffer(data, np.uint32)
        if letters.max() > 0x10FFFF or ((letters >= 0xD800) & (letters <= 0xDFFF)).any():
            raise WireError("an array of strings that are not Unicode text")
    return np.ndarray(shape, dtype, data, order=order)


class _Reader:
    """Turns tagged forms back into plain values."""

    def __init__(
        self, blocks: list[tuple[Form, bytes]], caps: Caps, resolve: Resolve | None, share: bool
    ) -> None:
        self.blocks, self.caps, self.resolve, self.share = blocks, caps, resolve, share
        self.arrays: dict[int, np.ndarray] = {}

    def part(self, form: Any, number: int) -> Message:
        """A message within a batch. No array of it is one of another's."""
        if type(form) is not list or not form or type(form[0]) is not str:
            raise WireError("a message in a batch is a kind and values")
        if self.share:
            self.arrays = {}
        return self.message(form[0], number, form[1:])

    def message(self, kind: str, number: int, form: list[Any]) -> Message:
        values = [self.value(part, 0) for part in form]
        arrays: list[Arrived] = []
        if self.share:
            for place, array in self.arrays.items():
                data = self.blocks[place][1]
                arrays.append((array, data, array.shape, array.dtype, array.strides))
        return Message(kind, number, values, arrays)

    def value(self, form: Any, depth: int) -> Any:
        kind = type(form)
        if form is None or kind is bool or kind is float:
            return form
        if kind is int:
            if form.bit_length() > LONGEST_INT:
                raise WireError("an integer that is too long")
            return form
        if kind is str:
            return _text(form)
        if kind is not list or not form or depth > self.caps.depth:
            raise WireError("not the form of a value, or nested too deep")
        tag = form[0]
        if len(form) == 2 and type(tag) is str and tag in LEAVES:
            return self.leaf(tag, form[1])
        rest = form[1:]
        if tag == "l":
            return [self.value(item, depth + 1) for item in rest]
        if tag == "t":
            return tuple([self.value(item, depth + 1) for item in rest])
        if tag == "d":
            return self.mapping(rest, depth + 1)
        if tag == "z" and len(rest) == 2:
            parts = [self.value(part, depth + 1) for part in rest]
            if all(type(part) is float for part in parts):
                return complex(*parts)
        raise WireError("an unknown tag")

    def leaf(self, tag: Any, what: Any) -> Any:
        """A tagged value that holds no other value."""
        if tag in "arg" and type(what) is int and 0 <= what < len(self.blocks):
            array = self.arrays.get(what)
            if array is None:
                array = self.arrays[what] = array_of(*self.blocks[what])
            elif not self.share:
                raise WireError("an array that is used twice")
            if tag == "r":
                array.flags.writeable = False
            if tag != "g":
                return array
            if array.ndim:
                raise WireError("a scalar with axes")
            return array[()]
        if tag == "f" and type(what) is str and what in NOT_FINITE:
            return NOT_FINITE[what]
        if tag in ("c", "x") and self.resolve is not None and type(what) in (int, str):
            return self.resolve(tag, what)
        raise WireError("an unknown tag")

    def mapping(self, rest: list[Any], depth: int) -> dict[Any, Any]:
        if len(rest) % 2 or len(rest) > 2 * self.caps.entries:
            raise WireError("a dict with half an entry, or too many")
        found = {}
        for position in range(0, len(rest), 2):
            key = self.value(rest[position], depth)
            try:
                found[key] = self.value(rest[position + 1], depth)
            except TypeError as fault:
                raise WireError("a key that cannot be one") from fault
        return found


def _text(text: str) -> str:
    """The string, which must be one that can be written down (no lone surrogate)."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as fault:
            raise WireError("a string that is not Unicode text") from fault
    return text


# ------------------------------------------------------------------------ the channel
class ClosedError(Exception):
    """The other side is gone."""


class LateError(Exception):
    """The other side did not answer in time."""


class Channel:
    """One end of the socket: whole messages, each before a deadline."""

    def __init__(self, end: socket.socket, caps: Caps, *, share: bool = False) -> None:
        self.end, self.caps, self.share = end, caps, share
        self.buffer = bytearray()

    def send(self, frame: bytes, deadline: float | None = None) -> None:
        """Send a frame made by `pack`. Raises ClosedError or LateError."""
        self._patience(deadline)
        try:
            self.end.sendall(frame)
        except TimeoutError as fault:
            raise LateError from fault
        except OSError as fault:
            raise ClosedError from fault

    def receive(self, deadline: float | None = None, resolve: Resolve | None = None) -> Message:
        """The next message. Raises WireError, ClosedError or LateError; a byte after its end is a fault too."""
        frame = self.receive_frame(deadline)
        if self.buffer:
            raise WireError("a message nobody asked for")
        return self.read(frame, resolve)

    def receive_frame(self, deadline: float | None = None) -> bytes:
        """The next frame, unread. Raises WireError, ClosedError or LateError."""
        while len(self.buffer) < HEAD.size:
            self._more(deadline, 1 << 14)
        size, text_size = HEAD.unpack_from(self.buffer)
        if size > self.caps.message or text_size > min(size, self.caps.text):
            raise WireError("a frame that is too long")
        while (missing := HEAD.size + size - len(self.buffer)) > 0:
            self._more(deadline, min(missing + 1, 1 << 20))
        frame = bytes(self.buffer[: HEAD.size + size])
        self.buffer = self.buffer[HEAD.size + size :]
        return frame

    def read(self, frame: bytes, resolve: Resolve | None = None) -> Message:
        """The message in a frame. Raises WireError."""
        text_size = HEAD.unpack_from(frame)[1]
        body = frame[HEAD.size :]
        return unpack(body, text_size, caps=self.caps, resolve=resolve, share=self.share)

    def quiet(self) -> bool:
        """True if nothing has arrived that was not asked for."""
        self.end.settimeout(0)
        try:
            return not self.buffer and not self.end.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            return not self.buffer

    def close(self) -> None:
        self.end.close()

    def _patience(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise LateError
        self.end.settimeout(left)

    def _more(self, deadline: float | None, most: int) -> None:
        self._patience(deadline)
        try:
            piece = self.end.recv(most)
        except TimeoutError as fault:
            raise LateError from fault
        except OSError as fault:
            raise ClosedError from fault
        if not piece:
            raise ClosedError
        self.buffer += piece
