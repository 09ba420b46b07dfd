from __future__ import annotations

import itertools
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.store.identifiers import IdSource, new_id, now_us


def test_an_id_is_a_uuid_of_version_7_in_its_one_spelling() -> None:
    text = new_id()
    parsed = uuid.UUID(text)
    assert (parsed.version, parsed.variant, str(parsed)) == (7, uuid.RFC_4122, text)


def test_an_id_begins_with_its_millisecond() -> None:
    before = time.time_ns() // 1_000_000
    stamp = uuid.UUID(IdSource()()).int >> 80
    assert before <= stamp <= time.time_ns() // 1_000_000


@pytest.mark.host_fault("clock-jumps-back")
@given(st.lists(st.integers(0, 2**48 - 2), min_size=2, max_size=50))
def test_ids_ascend_whatever_the_system_clock_does(instants: list[int]) -> None:
    clock = iter(instants)
    source = IdSource(lambda: next(clock))
    ids = [source() for _ in instants]
    assert all(earlier < later for earlier, later in itertools.pairwise(ids))


def test_an_exhausted_counter_moves_on_to_the_next_millisecond() -> None:
    source = IdSource(lambda: 5)
    first = source()
    source._counter = 2**42 - 1
    second = source()
    assert first < second
    assert uuid.UUID(second).int >> 80 == 6


def test_threads_never_get_the_same_id() -> None:
    source = IdSource()
    with ThreadPoolExecutor(4) as threads:
        ids = list(threads.map(lambda _: source(), range(1000)))
    assert len(set(ids)) == 1000


def test_instants_are_microseconds_since_1970() -> None:
    assert abs(now_us() - time.time() * 1e6) < 60e6
