"""What crosses: everything plain comes through as it was, and nothing else harms the reader."""

from __future__ import annotations

import contextlib
import json
import pickle
import socket
import threading
import time
import tracemalloc
from array import array
from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograde.sandbox.inside.wire import (
    HEAD,
    PLAIN_DTYPES,
    Batch,
    Caps,
    Channel,
    ClosedError,
    LateError,
    Message,
    OversizedError,
    UnsupportedError,
    WireError,
    is_changed,
    pack,
    unpack,
)

SMALL = Caps(message=1 << 16, text=1 << 14)


def through(*values, caps=SMALL, share=False) -> list:
    """The values after a trip over the wire."""
    return body_of(pack("value", 7, *values, caps=caps, share=share), caps, share).values


def body_of(frame: bytes, caps: Caps = SMALL, share: bool = False) -> Message:
    size, text_size = HEAD.unpack_from(frame)
    assert size == len(frame) - HEAD.size
    return unpack(frame[HEAD.size :], text_size, caps=caps, share=share)


def frame_of(text: str, blocks: bytes = b"") -> bytes:
    """A frame with this text, whatever it says."""
    raw = text.encode("utf-8", "surrogatepass")
    return HEAD.pack(len(raw) + len(blocks), len(raw)) + raw + blocks


# ------------------------------------------------------------------------ what may cross
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 200), 1 << 200)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.complex_numbers(allow_nan=False)
)
arrays = npst.arrays(
    st.sampled_from(sorted(PLAIN_DTYPES)).map(np.dtype),
    npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)
values = st.recursive(
    scalars | arrays,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(-9, 9), inner, max_size=4)
    ),
    max_leaves=8,
)


def same(one, other) -> bool:
    """Equal in type, form and content, bit for bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return repr(one) == repr(other)


@given(st.lists(values, max_size=3))
@settings(max_examples=200, deadline=None)
def test_plain_values_come_through_as_they_were(sent):
    assert same(through(*sent), sent)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), np.float32(2.5), np.int64(3), np.bool_(True)],
)
def test_special_scalars(value):
    [back] = through(value)
    assert type(back) is type(value)
    assert repr(back) == repr(value)


def test_order_and_access_of_arrays_are_kept():
    columns, locked = np.asfortranarray(np.ones((3, 2))), np.arange(3)
    locked.flags.writeable = False
    back, still_locked, text = through(columns, locked, np.array(["ab", "ç"]))
    assert back.flags.f_contiguous
    assert back.flags.writeable
    assert not still_locked.flags.writeable
    assert text.tolist() == ["ab", "ç"]


def test_views_and_other_byte_orders_become_plain():
    view = np.arange(12.0).reshape(3, 4)[::2, ::-1]
    swapped = np.arange(3, dtype=">i4")
    matrix: np.ndarray = np.arange(2).reshape(1, 2).view(type("Matrix", (np.ndarray,), {}))
    back, turned, plain = through(view, swapped, matrix)
    assert np.array_equal(back, view)
    assert turned.dtype == np.dtype("<i4")
    assert turned.tolist() == [0, 1, 2]
    assert type(plain) is np.ndarray


def test_one_array_sent_twice_is_one_array_only_where_it_may_be():
    array = np.ones(3)
    one, other = through(array, array, share=True)
    assert one is other
    one, other = through(array, array)
    assert one is not other


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        print,
        np.array([None]),
        np.zeros(2, "datetime64[s]"),
        np.zeros(2, "i4,f8"),
        b"x",
    ],
)
def test_what_is_not_plain_does_not_cross(value):
    with pytest.raises(UnsupportedError):
        pack("value", 1, [value], caps=SMALL)


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (deque([1, 2]), [1, 2]),
        (array("d", [1.5, 2]), [1.5, 2]),
        (range(3), [0, 1, 2]),
        ([deque([1]), array("i", [2])], [[1], [2]]),
    ],
)
def test_what_numpy_reads_as_numbers_crosses_as_numbers(value, numbers):
    [back] = through(value)
    assert np.asarray(back).tolist() == numbers


def test_an_endless_container_does_not_cross():
    endless: list = []
    endless.append(endless)
    with pytest.raises(UnsupportedError):
        pack("value", 1, endless, caps=SMALL)


@pytest.mark.parametrize(
    "value", [np.zeros(1 << 14), "x" * (1 << 15), 1 << 2000, dict.fromkeys(range(2000))]
)
def test_too_large_values_are_refused_by_the_writer(value):
    with pytest.raises(OversizedError):
        pack("value", 1, value, caps=SMALL)


# ------------------------------------------------------------------------ what must not harm
def a(
    dtype: str, shape: str, data: bytes = b"", values: str = '["a",0]', order: str = "C"
) -> bytes:
    """A frame of one array, whatever its head says."""
    return frame_of(f'["value",1,[["{dtype}","{order}",{shape}]],[{values}]]', data)


ONES = np.ones(2).tobytes()


MALFORMED = {
    "no JSON": frame_of("{"),
    "nothing": frame_of(""),
    "an object": frame_of('{"value": 1}'),
    "too short": frame_of('["value"]'),
    "kind is no text": frame_of("[1,1,[],[]]"),
    "number is no integer": frame_of('["value",1.5,[],[]]'),
    "number is a truth value": frame_of('["value",true,[],[]]'),
    "NaN": frame_of('["value",1,[],[NaN]]'),
    "Infinity": frame_of('["value",1,[],[-Infinity]]'),
    "deep": frame_of('["value",1,[],' + "[" * 5000 + "]" * 5000 + "]"),
    "deep values": frame_of('["value",1,[],[' + '["l",' * 40 + "1" + "]" * 40 + "]]"),
    "an integer of 5,000 digits": frame_of('["value",1,[],[' + "9" * 5000 + "]]"),
    "an integer of 400 digits": frame_of('["value",1,[],[' + "9" * 400 + "]]"),
    "lone surrogate": frame_of('["value",1,[],["\\ud800"]]'),
    "raw surrogate": frame_of('["value",1,[],["\ud800"]]'),
    "empty list": frame_of('["value",1,[],[[]]]'),
    "unknown tag": frame_of('["value",1,[],[["q",1]]]'),
    "tag is a list": frame_of('["value",1,[],[[["a"],0]]]'),
    "no such block": frame_of('["value",1,[],[["a",0]]]'),
    "negative block": a("<f8", "[2]", ONES, '["a",-1]'),
    "block is a truth value": a("<f8", "[2]", ONES, '["a",true]'),
    "no list of heads": frame_of('["value",1,{},[1]]'),
    "a head that is a size": frame_of('["value",1,[4],[["a",0]]]', b"abcd"),
    "a head with more": frame_of('["value",1,[["<f8","C",[2],1]],[["a",0]]]', ONES),
    "a dtype that is a list": frame_of('["value",1,[[["<f8"],"C",[2]]],[["a",0]]]', ONES),
    "a shape that is a number": a("<f8", "2", ONES),
    "a length that is a truth value": a("|i1", "[true]", b"x"),
    "a length that is a fraction": a("<f8", "[2.0]", ONES),
    "a negative length": a("<f8", "[-2]", ONES),
    "two negative lengths": a("<f8", "[-2,-1]", ONES),
    "an endless length": a("<f8", "[" + "9" * 400 + "]", ONES),
    "40 axes": a("<f8", "[" + ",".join("1" * 40) + "]", ONES[:8]),
    "an unknown order": a("<f8", "[2]", ONES, order="K"),
    "too many heads": frame_of('["value",1,[' + ",".join(['["<f8","C",[0]]'] * 5000) + "],[1]]"),
    "a batch of no message": frame_of('["answers",1,[],[1]]'),
    "a batch of nothing": frame_of('["answers",1,[],[[]]]'),
    "a batch of no kind": frame_of('["answers",1,[],[[1,2]]]'),
    "a batch of too many": frame_of('["answers",1,[],[' + '["x"],' * 5000 + '["x"]]]'),
    "a batch that uses an array twice": frame_of(
        '["answers",1,[["<f8","C",[2]]],[["x",["a",0]],["x",["a",0]]]]', ONES
    ),
    "bytes of no block": frame_of('["value",1,[],[1]]', b"abcd"),
    "block used twice": a("<f8", "[2]", ONES, '["a",0],["a",0]'),
    "function": frame_of('["value",1,[],[["c",0]]]'),
    "name": frame_of('["value",1,[],[["x","scores"]]]'),
    "half an entry": frame_of('["value",1,[],[["d",1]]]'),
    "key is a list": frame_of('["value",1,[],[["d",["l",1],2]]]'),
    "dict of 3,000 entries": frame_of('["value",1,[],[["d",' + ",".join(["1,1"] * 3000) + "]]]"),
    "infinite of another name": frame_of('["value",1,[],[["f","huge"]]]'),
    "an array of objects": a("|O", "[1]", pickle.dumps([1, 2, 3])),
    "an array of dates": a("<M8[s]", "[1]", b"x" * 8),
    "a dtype with code": a("print(1)", "[1]", b"x" * 8),
    "a dtype of fields": a("<f8,<f8", "[1]", b"x" * 16),
    "another byte order": a(">f8", "[1]", b"x" * 8),
    "an array too large": a("<f8", "[99999999,99999999]"),
    "an array empty but wide": a("<f8", "[0,99999999,99999999]"),
    "an array with less data": a("<f8", "[3]", ONES),
    "an array with more data": a("<f8", "[1]", ONES),
    "empty strings": a("<U0", "[9]"),
    "strings of a million letters": a("<U1000000", "[0]"),
    "odd truth": a("|b1", "[1]", b"\x02"),
    "beyond Unicode": a("<U1", "[1]", b"\xff\xff\xff\x7f"),
    "half a letter": a("<U1", "[1]", b"\x00\xd8\x00\x00"),
    "a scalar with axes": a("<f8", "[2]", ONES, '["g",0]'),
}  # fmt: skip


@pytest.mark.parametrize("frame", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_frames_are_faults_of_the_sender(frame):
    start = time.process_time()
    with pytest.raises(WireError):
        body_of(frame)
    assert time.process_time() - start < 2


@given(st.binary(max_size=300), st.integers(0, 300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_message_or_a_fault(body, text_size):
    with contextlib.suppress(WireError):
        assert isinstance(unpack(body, min(text_size, len(body)), caps=SMALL), Message)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
    | st.sampled_from(["l", "t", "d", "a", "r", "g", "f", "z", "c", "x", "nan"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=20,
)  # fmt: skip


@given(
    st.sampled_from(["value", "answers"]),
    json_values,
    st.lists(st.integers(-2, 200), max_size=3),
    st.binary(max_size=200),
)
@settings(max_examples=400, deadline=None)
def test_any_json_is_a_message_or_a_fault(kind, form, sizes, blocks):
    text = json.dumps([kind, 1, sizes, form])
    try:
        message = body_of(frame_of(text, blocks))
    except WireError:
        return
    for one in message.values if kind == "answers" else [message]:
        assert all(is_plain(value) for value in one.values)


@given(arrays, st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_arrays_are_arrays_or_faults(array, data):
    frame = bytearray(pack("value", 1, array, caps=SMALL))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(HEAD.size, len(frame) - 1))
        frame[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(WireError):
        assert all(map(is_plain, body_of(bytes(frame)).values))


def is_plain(value) -> bool:
    """True for what may come out of the decoder: nothing that could run code when it is compared."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(is_plain(part) for item in value.items() for part in item)
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufcU" and value.dtype.fields is None
    return (
        value is None
        or type(value) in (bool, int, float, complex, str)
        or isinstance(value, np.generic)
    )


def test_reading_a_hostile_frame_takes_little_memory():
    caps = Caps()
    frames = [
        frame_of('["value",1,[],[' + ",".join(["[]"] * 500_000) + "]]"),
        a("<f8", "[999999999,2]"),
        frame_of('["value",1,[],["' + "x" * 2_000_000 + '"]]'),
    ]
    for frame in frames:
        tracemalloc.start()
        with contextlib.suppress(WireError):
            body_of(frame, caps)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 256 << 20


# ------------------------------------------------------------------------ the channel
@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Channel(ours, SMALL), theirs


def soon() -> float:
    return time.monotonic() + 0.3


def test_a_batch_holds_messages_that_share_nothing():
    array = np.arange(3.0)
    batch = Batch(SMALL, share=True)
    batch.add("call", [array, array])
    with pytest.raises(UnsupportedError):
        batch.add("call", [array, array + 1, object()])
    with pytest.raises(OversizedError):
        batch.add("call", [array, np.zeros(1 << 14)])
    batch.add("call", [array])
    first, second = body_of(batch.frame("asks", 5), share=True).values
    assert (first.kind, first.number, second.kind) == ("call", 5, "call")
    one, other = first.values[0]
    assert one is other
    one += 1
    np.testing.assert_array_equal(second.values[0][0], array)
    assert [is_changed(arrived) for arrived in (*first.arrays, *second.arrays)] == [True, False]


@given(arrays)
def test_a_change_of_an_array_is_noticed(array):
    [came] = body_of(pack("value", 7, array, caps=Caps(), share=True), Caps(), share=True).arrays
    assert not is_changed(came)
    if array.ndim != 1:
        came[0].shape = (array.size,)
        assert is_changed(came)
        came[0].shape = array.shape
    if array.size:
        came[0].flat[-1] = 0 if array.flat[-1] else 1
        assert is_changed(came)


def test_a_batch_that_is_full_says_so():
    values: list[Any] = [np.zeros(SMALL.message // 80), "x" * (SMALL.text // 10), [[]] * 50]
    for value in values:
        batch = Batch(SMALL)
        with contextlib.suppress(OversizedError):
            while len(batch.parts) < 1000:
                batch.add("value", value)
        assert 5 < len(batch.parts) < 100
        assert len(body_of(batch.frame("answers", 1)).values) == len(batch.parts)


def test_a_frame_in_many_pieces_is_one_message(ends):
    channel, other = ends
    frame = pack("value", 3, np.arange(5), caps=SMALL)

    def trickle():
        for byte in frame:
            other.sendall(bytes([byte]))

    thread = threading.Thread(target=trickle)
    thread.start()
    message = channel.receive(time.monotonic() + 10)
    thread.join()
    assert (message.kind, message.number) == ("value", 3)


@pytest.mark.parametrize("announced", [(0xFFFFFFFF, 1), (1 << 17, 1), (10, 11), (1 << 15, 1 << 15)])
def test_a_frame_that_is_too_long_is_refused_before_it_is_read(ends, announced):
    channel, other = ends
    other.sendall(HEAD.pack(*announced))
    with pytest.raises(WireError):
        channel.receive(soon())


def test_silence_is_late_and_an_end_is_closed(ends):
    channel, other = ends
    with pytest.raises(LateError):
        channel.receive(soon())
    other.sendall(HEAD.pack(100, 50) + b"half")
    with pytest.raises(LateError):
        channel.receive(soon())
    other.close()
    with pytest.raises(ClosedError):
        channel.receive(soon())


def test_two_answers_to_one_question_are_a_fault(ends):
    channel, other = ends
    frame = pack("value", 1, 2.0, caps=SMALL)
    other.sendall(frame + frame)
    with pytest.raises(WireError):
        channel.receive(soon())


def test_an_answer_after_the_last_one_is_noticed(ends):
    channel, other = ends
    assert channel.quiet()
    other.sendall(b"x")
    assert not channel.quiet()
