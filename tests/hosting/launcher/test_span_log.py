"""The bounded log of a match: whatever is written, its beginning, its end and the number of missing bytes are right."""

from __future__ import annotations

import base64
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.launcher.reports import Log
from arena.hosting.launcher.span_log import HEAD_BYTES, TAIL_BYTES, SpanLog

# Pieces around the borders of head and tail, and everything between.
SIZES = st.integers(0, 40) | st.integers(HEAD_BYTES - 5, HEAD_BYTES + 5) | st.integers(TAIL_BYTES - 5, 3 * TAIL_BYTES)
PIECES = st.lists(SIZES, max_size=6)


def written(sizes: list[int]) -> bytes:
    """Bytes of which every stretch of a few tells where it stands."""
    return b"".join(b"%07d " % index for index in range(sum(sizes) // 8 + 1))[: sum(sizes)]


def log_of(sizes: list[int], data: bytes) -> SpanLog:
    log = SpanLog()
    places = [sum(sizes[:index]) for index in range(len(sizes) + 1)]
    for start, end in pairwise(places):
        log.add(data[start:end])
    return log


@settings(max_examples=40)
@given(PIECES)
def test_beginning_and_end_are_kept_and_what_is_missing_is_counted(sizes: list[int]) -> None:
    data = written(sizes)
    head, tail, cut = log_of(sizes, data).since(0)
    assert len(head) + cut + len(tail) == len(data)
    assert data.startswith(head)
    assert data.endswith(tail)
    assert cut == max(len(data) - HEAD_BYTES - TAIL_BYTES, 0)


@settings(max_examples=40)
@given(PIECES, st.integers(0, 5 * TAIL_BYTES))
def test_a_part_of_it_is_the_same_whether_the_launcher_cuts_it_or_its_client(sizes: list[int], start: int) -> None:
    data = written(sizes)
    span = log_of(sizes, data)
    head, tail, cut = span.since(start)
    assert Log(*whole(span)).after(start) == Log(head, tail, cut)
    assert len(head) + cut + len(tail) == max(len(data) - start, 0)
    assert data[start:].startswith(head)
    assert data[start:].endswith(tail)


def whole(span: SpanLog) -> tuple[bytes, bytes, int]:
    return span.since(0)


@settings(max_examples=40)
@given(PIECES, PIECES)
def test_after_a_mark_nothing_older_is_left(before: list[int], after: list[int]) -> None:
    log = log_of(before, written(before))
    log.clear()
    for size in after:
        log.add(b"x" * size)
    assert log.since(0) == log_of(after, b"x" * sum(after)).since(0)


def test_a_log_survives_its_way_through_the_pipe() -> None:
    event = {"data": base64.b64encode(b"\xff\x00headtail").decode(), "head": 6, "cut": 7, "peak": 9, "stdout": 4}
    assert Log.from_event(event) == Log(b"\xff\x00head", b"tail", 7, 9, 4)
    assert Log.from_event(event).total_bytes == 17
