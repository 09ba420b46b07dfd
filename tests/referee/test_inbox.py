"""How many messages of a seat wait to be judged, and how long their reader waits for one."""

import asyncio

import pytest

from arena.match.decisions import Malformed
from arena.referee.inbox import Arrival, Flood, Inbox
from tests.support.patience import PATIENCE_S

MOST = 16


def arrival(seat: int) -> Arrival:
    return Arrival(seat, 0.0, Malformed(f"noise of seat {seat}"))


async def test_sixteen_messages_of_a_seat_wait_and_one_more_is_a_flood() -> None:
    inbox = Inbox()
    assert [inbox.put(arrival(0)) for _ in range(MOST)] == [True] * MOST
    assert not inbox.put(arrival(0))
    assert [one.what for one in inbox.drain()] == [arrival(0).what] * MOST + [Flood()]


async def test_what_others_sent_does_not_count_against_a_seat() -> None:
    inbox = Inbox()
    others = [inbox.put(arrival(seat)) for seat in (1, 2) for _ in range(MOST)]
    own = [inbox.put(arrival(0)) for _ in range(MOST)]
    assert others + own == [True] * 3 * MOST
    assert not inbox.put(arrival(0))


async def test_a_message_that_was_read_makes_room_for_another() -> None:
    inbox = Inbox()
    for _ in range(MOST):
        inbox.put(arrival(0))
    assert await inbox.get(0.0) is not None
    assert inbox.put(arrival(0))
    assert not inbox.put(arrival(0))


async def test_messages_come_in_their_order_whatever_the_deadline() -> None:
    inbox = Inbox()
    for seat in (2, 0, 1):
        inbox.put(arrival(seat))
    assert [await inbox.get(0.0) for _ in range(4)] == [arrival(2), arrival(0), arrival(1), None]


@pytest.mark.timeout(2 * PATIENCE_S)
async def test_a_reader_that_waits_is_woken_by_what_arrives() -> None:
    inbox = Inbox()
    loop = asyncio.get_running_loop()
    loop.call_soon(inbox.put, arrival(3))
    assert await inbox.get(loop.time() + 1000 * PATIENCE_S) == arrival(3)
