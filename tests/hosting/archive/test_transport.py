import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.hosting.archive.errors import ArchiveReason, BotArchiveError
from arena.hosting.archive.transport import CHUNK_BYTES, MOST_RATIO, compress_chunk, expand_chunk


def refusal(frame: bytes) -> ArchiveReason:
    with pytest.raises(BotArchiveError, match="submit the bot again") as caught:
        expand_chunk(frame)
    return caught.value.reason


@given(st.binary(max_size=3000).flatmap(lambda data: st.integers(1, 50).map(lambda times: data * times)))
def test_a_chunk_arrives_as_it_was(data: bytes) -> None:
    assert expand_chunk(compress_chunk(data)) == data


@pytest.mark.parametrize("size_bytes", [CHUNK_BYTES, CHUNK_BYTES - 1])
def test_the_largest_chunk_arrives_whatever_is_in_it(size_bytes: int) -> None:
    for data in (bytes(size_bytes), random.Random(7).randbytes(size_bytes), b"ab" * (size_bytes // 2)):
        assert expand_chunk(compress_chunk(data)) == data


def test_text_becomes_smaller() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000)).encode()
    assert len(compress_chunk(text)) < len(text) / 3


def test_a_chunk_that_is_too_large_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match=f"a chunk has {CHUNK_BYTES + 1} bytes"):
        compress_chunk(bytes(CHUNK_BYTES + 1))


def test_a_frame_never_becomes_more_than_a_chunk() -> None:
    frame = zlib.compress(random.Random(7).randbytes(CHUNK_BYTES + 1))
    assert refusal(frame) is ArchiveReason.COMPRESSION_BOMB


@pytest.mark.hostile("frame-that-unpacks-to-a-giant")
def test_a_frame_never_becomes_more_than_a_hundred_times_its_size() -> None:
    assert MOST_RATIO == 100
    assert refusal(zlib.compress(bytes(CHUNK_BYTES))) is ArchiveReason.COMPRESSION_BOMB
    assert refusal(zlib.compress(bytes(1 << 26))) is ArchiveReason.COMPRESSION_BOMB


@pytest.mark.hostile("damaged-frame")
@given(st.integers(0, 1 << 16), st.integers(1, 255))
def test_a_damaged_frame_is_refused(place: int, flip: int) -> None:
    data = bytes(range(256)) * 40
    frame = bytearray(compress_chunk(data))
    frame[place % len(frame)] ^= flip
    try:
        assert expand_chunk(bytes(frame)) == data  # a bit that deflate does not look at
    except BotArchiveError as error:
        assert error.reason is ArchiveReason.COMPRESSION_DAMAGED  # noqa: PT017


@pytest.mark.parametrize("frame", [b"", b"x", compress_chunk(b"abc")[:-1], compress_chunk(b"abc") + b"x", bytes(100)])
def test_what_is_no_whole_frame_is_refused(frame: bytes) -> None:
    assert refusal(frame) is ArchiveReason.COMPRESSION_DAMAGED
