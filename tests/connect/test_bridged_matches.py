"""How many matches a service can begin with a bot: each is a process on its author's machine."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from arena.connect.bridged_matches import MOST_TAKEN_UP, BridgedMatches, most_at_once
from arena.connect.news import MatchBegan, News, Note
from arena.v1 import play_pb2


class NoProcess:
    """Processes that never come."""

    async def take(self) -> None:
        await asyncio.Future()

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


class Nobody:
    """A witness whom nothing interests."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


async def begun(number: int, matches: int, *, resumed: bool = False) -> tuple[int, list[News]]:
    """How many of so many matches are played by a bot that plays `matches` at once, and what its author is told."""
    news: list[News] = []
    table = BridgedMatches(cast(Any, NoProcess()), cast(Any, None), news.append, cast(Any, Nobody()), matches)
    for index in range(number):
        table.begin(play_pb2.MatchStarted(match_id=f"m{index}", game="foreign_king", seats=2, resumed=resumed))
    played = len(table)
    await table.close()
    return played, news


async def test_a_service_that_begins_more_matches_than_it_was_asked_for_gets_no_more_processes() -> None:
    most = most_at_once(2)
    played, news = await begun(most + 3, 2)
    assert played == sum(isinstance(one, MatchBegan) for one in news) == most
    (note,) = [one for one in news if isinstance(one, Note)]
    assert "more than 2 matches at once" in note.text


async def test_matches_that_an_earlier_connection_began_are_taken_up_within_reason() -> None:
    assert (await begun(200, 1, resumed=True))[0] == MOST_TAKEN_UP
