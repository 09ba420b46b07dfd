"""Messages through a pipe: whole or not at all."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.hosting.pipes import MAX_FRAME_BYTES, FrameError, encode_frame, read_frame
from tests.support.texts import CHARACTERS

HEADS = st.dictionaries(
    st.text(CHARACTERS, max_size=8), st.none() | st.integers(0, 2**53) | st.text(CHARACTERS, max_size=8), max_size=4
)


def read_all(data: bytes) -> list[tuple[dict[str, object], bytes]]:
    async def read() -> list[tuple[dict[str, object], bytes]]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        frames = []
        while (frame := await read_frame(reader)) is not None:
            frames.append(frame)
        return frames

    return asyncio.run(read())


@given(st.lists(st.tuples(HEADS, st.binary(max_size=50)), max_size=3))
def test_messages_are_read_as_they_were_written(frames: list[tuple[dict[str, object], bytes]]) -> None:
    assert read_all(b"".join(encode_frame(head, blob) for head, blob in frames)) == frames


def test_a_message_that_is_cut_off_is_the_end() -> None:
    frame = encode_frame({"event": "ready"}, b"blob")
    assert all(read_all(frame[:size]) == [] for size in range(len(frame)))


@pytest.mark.parametrize(
    "data", [b"Warning: something\n", (MAX_FRAME_BYTES + 1).to_bytes(4, "big") + bytes(4), b"\0\0\0\2\0\0\0\0{]"]
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_all(data)
