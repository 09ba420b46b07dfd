"""Matches that go on: one watch and one beat for all who look on, and a real service whose pages show them."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from arena.model.errors import ClientError
from arena.model.live import MatchEvent
from arena.story.encoding import parts_at
from arena.web.shared.streams import TooManyStreamsError
from arena.web.viewer.broadcast import LiveStory
from arena.web.viewer.spectators import Hub, Spectator, StreamedMatch
from tests.story.played import played, replay_of, spec, watched
from tests.support.browsing import PHONE, Watched
from tests.support.patience import PATIENCE_S, until
from tests.support.places import HELD_NAME, Place, Served, plan, serving, wait_for_counts, write_manifest
from tests.support.processes import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def events() -> list[MatchEvent]:
    """How a match was played."""
    return watched(replay_of(played(spec("foreign_king", 2), seed=1)))


class Play:
    """A match that goes on as far as a test lets it; its opener counts the watches."""

    def __init__(self, events: list[MatchEvent]) -> None:
        self.events = events
        self.watches = 0
        self.failure: Exception | None = None
        self._allowed = 0
        self._changed = threading.Condition()

    def go_on(self, count: int | None = None) -> None:
        with self._changed:
            self._allowed = len(self.events) if count is None else self._allowed + count
            self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        with self._changed:
            self.failure = error
            self._changed.notify_all()

    def open(self, _: bool) -> tuple[Callable[[str], Iterator[MatchEvent]], Callable[[], None]]:
        self.watches += 1
        is_ended = threading.Event()
        return partial(self._watch, is_ended), partial(self._end, is_ended)

    def _end(self, is_ended: threading.Event) -> None:
        with self._changed:
            is_ended.set()
            self._changed.notify_all()

    def _watch(self, is_ended: threading.Event, _: str) -> Iterator[MatchEvent]:
        for number, event in enumerate(self.events):
            with self._changed:
                self._changed.wait_for(
                    lambda: self._allowed > number or is_ended.is_set() or self.failure is not None,  # noqa: B023 - asked now
                    PATIENCE_S,
                )
                if self.failure is not None:
                    raise self.failure
                if is_ended.is_set():
                    return
            yield event


class Browser:
    """What one spectator was told."""

    def __init__(self, hub: Hub, view: StreamedMatch) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.ids: list[str] = []
        self.sent = 0
        self.reads = asyncio.Event()
        self.reads.set()
        self._leaves = asyncio.Event()
        self.task = asyncio.create_task(Spectator(hub, [view])({}, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._leaves.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.reads.wait()
        self.sent += 1
        for block in message.get("body", b"").decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if "data" in lines:
                self.told.append((lines["event"], json.loads(lines["data"])))
            if "id" in lines:
                self.ids.append(lines["id"])

    def leave(self) -> None:
        self._leaves.set()

    @property
    def frames(self) -> list[dict[str, Any]]:
        """All frames that it has."""
        return [frame for _, data in self.told for frame in (data.get("story") or data).get("frames", ())]


@contextmanager
def quick_beat(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("arena.web.viewer.spectators.BEAT_S", 0.02)
    yield


@pytest.fixture
def play(events: list[MatchEvent], monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    with quick_beat(monkeypatch):
        found = Play(events)
        yield found
        found.go_on()


def test_whoever_goes_on_anywhere_gets_what_the_whole_story_says(events: list[MatchEvent]) -> None:
    live_story = LiveStory("en")
    for event in events[:20]:
        live_story.take(event)
    live_story.release()
    early = json.loads(json.dumps(live_story.whole()))
    place = live_story.place
    for event in events[20:]:
        live_story.take(event)
    assert live_story.place == place
    live_story.release()
    whole, more = live_story.whole(), live_story.since(place)
    assert [*early["frames"], *more["frames"]] == whole["frames"]
    assert [*early["parts"], *more["parts"]] == whole["parts"]
    assert more["end"] == whole["end"]
    assert whole["end"]["ranks"]
    latest = live_story.latest()
    assert parts_at(latest, 0) == parts_at(whole, len(whole["frames"]) - 1)
    assert not live_story.knows(f"1.{live_story.count + 1}")
    assert not live_story.knows("no place")


async def test_all_spectators_share_one_watch_and_are_told_the_same_together(play: Play) -> None:
    hub = Hub(play.open)
    broadcast = await hub.broadcast("match", "en")
    browsers = [Browser(hub, StreamedMatch(broadcast, "en")) for _ in range(20)]
    play.go_on(5)
    await until(lambda: all(len(one.frames) == 5 for one in browsers))
    german = Browser(hub, StreamedMatch(await hub.broadcast("match", "de"), "de"))
    play.go_on()
    await asyncio.gather(*(one.task for one in browsers), german.task)
    assert play.watches == 1
    assert len({json.dumps(one.told) for one in browsers}) == 1
    assert browsers[0].told[-1] == ("stop", {"match": "match", "why": ""})
    assert browsers[0].told[-2][1]["end"]["ranks"]
    assert len(german.frames) == len(browsers[0].frames) == len(play.events) - 1
    assert german.frames[3]["words"] != browsers[0].frames[3]["words"]
    assert browsers[0].sent < len(play.events)  # what happens between two beats is told at once
    hub.close()


async def test_a_browser_goes_on_where_it_was_and_a_new_one_by_a_snapshot(play: Play) -> None:
    hub = Hub(play.open)
    broadcast = await hub.broadcast("match", "en")
    first = Browser(hub, StreamedMatch(broadcast, "en"))
    play.go_on(7)
    await until(lambda: len(first.frames) == 7)
    first.leave()
    await first.task
    snapshot = json.loads(gzip.decompress(await asyncio.to_thread(broadcast.snapshot, "en")))
    assert snapshot["story"]["frames"] == first.frames
    again = Browser(hub, StreamedMatch(broadcast, "en", first.ids[-1]))
    other = Browser(hub, StreamedMatch(broadcast, "en", snapshot["at"], only_latest=True))
    play.go_on()
    await asyncio.gather(again.task, other.task)
    assert [kind for kind, _ in again.told][-1] == "stop"
    assert {kind for kind, _ in again.told[:-1]} == {"more"}
    assert again.frames == other.frames
    assert len(first.frames) + len(again.frames) == len(play.events) - 1
    hub.close()


async def test_who_never_reads_is_dropped_and_delays_nobody(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.viewer.spectators.READ_PATIENCE_S", 0.05)
    hub = Hub(play.open)
    broadcast = await hub.broadcast("match", "en")
    deaf, reader = Browser(hub, StreamedMatch(broadcast, "en")), Browser(hub, StreamedMatch(broadcast, "en"))
    play.go_on(3)
    await until(lambda: len(deaf.frames) == len(reader.frames) == 3)
    deaf.reads.clear()
    play.go_on()
    await reader.task
    await deaf.task
    assert deaf.told[-1][0] != "stop"
    assert hub.spectators == 0
    hub.close()


async def test_a_watch_that_fails_is_told_and_the_next_spectator_begins_a_new_one(play: Play) -> None:
    hub = Hub(play.open)
    browser = Browser(hub, StreamedMatch(await hub.broadcast("match", "en"), "en"))
    play.go_on(2)
    await until(lambda: len(browser.frames) == 2)
    play.fail(ClientError("the service is away"))
    await browser.task
    assert browser.told[-1] == ("stop", {"match": "match", "why": "the service is away"})
    await hub.broadcast("match", "en")
    assert play.watches == 2
    hub.close()


async def test_a_hub_that_closes_ends_all_streams_and_one_that_is_full_says_so(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(play.open)
    broadcast = await hub.broadcast("match", "en")
    browser = Browser(hub, StreamedMatch(broadcast, "en"))
    play.go_on(1)
    await until(lambda: hub.spectators == 1 and broadcast.has_begun)
    monkeypatch.setattr("arena.web.viewer.spectators.MOST_SPECTATORS", 1)
    monkeypatch.setattr("arena.web.viewer.spectators.MOST_MATCHES", 1)
    with pytest.raises(TooManyStreamsError, match="come back in a while"):
        hub.need_room()
    with pytest.raises(TooManyStreamsError, match="as many matches"):
        await hub.broadcast("another", "en")
    hub.close()
    await browser.task
    assert hub.spectators == 0


async def test_a_hub_that_is_full_gives_up_what_nobody_looks_at_and_what_has_not_begun(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.viewer.spectators.MOST_MATCHES", 2)
    hub = Hub(play.open)
    broadcasts = {
        "begins later": await hub.broadcast("begins later", "en"),
        "unseen": await hub.broadcast("unseen", "en"),
    }
    waiting = Browser(hub, StreamedMatch(broadcasts["begins later"], "en"))
    await until(lambda: bool(broadcasts["begins later"].wakers))
    await hub.broadcast("third", "en")
    assert [one.is_over for one in broadcasts.values()] == [False, True]
    Browser(hub, StreamedMatch(await hub.broadcast("third", "en"), "en"))
    await until(lambda: hub.spectators == 2)
    await hub.broadcast("fourth", "en")  # nobody plays "begins later" yet, nor "third"
    await until(lambda: hub.spectators == 1)
    play.go_on()
    hub.close()
    await until(lambda: hub.spectators == 0)
    assert waiting.task.done()


BOT = f"""
import os, pathlib, sys, time
from bots.kit import Bot, Decision, run

HELD = pathlib.Path(os.environ["ARENA_BOT_DIR"], "{HELD_NAME}")

class Held(Bot):
    def decide(self, decision: Decision) -> int:
        while decision.match.seat == int(sys.argv[1]) and HELD.exists():
            time.sleep(0.01)
        decision.note = "a thought"
        return decision.legal_actions[0]

run(Held())
"""
NEVER = 9
SEATS = {"first": 1, "last": NEVER, "drawn": NEVER}
"""The seat in which a bot waits while it is held: that of the third match."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    found = Place(tmp_path_factory.mktemp("live"))
    for name, seat in SEATS.items():
        source = found.directory / "sources" / name
        source.mkdir(parents=True)
        (source / "main.py").write_text(BOT, encoding="utf-8")
        found.ok("bot", "add", write_manifest(source, name, str(seat)))
    return found


@pytest.fixture(scope="module")
def served(place: Place) -> Iterator[Served]:
    """A service whose third match waits in a first decision.

    The game has dice and a hidden pile: the last match of a block is shown, for no other will meet its chance.
    """
    with serving(place, "--workers", "1", "--set", "service.leak_checks=0%", web="127.0.0.1:0") as found:
        place.hold()
        plan(place, blocks=1, bots=tuple(SEATS), game="rex_romanorum", options={"round_limit": 4})
        wait_for_counts(place, {"finished": 2, "leased": 1})
        yield found
        place.release()
        assert found.stop() == 0


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def hide(tab: Page, *, is_hidden: bool) -> None:
    """Have a page believe that its tab is in the background, or in front again."""
    tab.evaluate("hidden => Object.defineProperty(document, 'hidden', {value: hidden, configurable: true})", is_hidden)
    tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_a_match_is_watched_from_the_front_page_to_its_end(served: Served, place: Place, page: Watched) -> None:
    front, tab = served.addresses["web"], page.page
    board = tab.locator("[aria-labelledby=now] h3 a")

    def shows_the_match() -> bool:
        tab.goto(f"{front}/")
        return bool(board.count() == 1)

    wait_until(shows_the_match)  # what was read before the match began is shown for a moment more
    assert page.serious_findings() == []
    assert status_of(f"{front}/live?match=ffff") == 404
    assert status_of(f"{front}/live?" + "&".join(f"match={number}" for number in range(9))) == 400
    boards = tab.context.new_page()
    boards.goto(f"{front}/tv")
    match = urlsplit(boards.url).path
    boards.goto(f"{front}/")
    board.click()
    assert urlsplit(tab.url).path == match
    assert tab.locator(".live span").inner_text().startswith("The match has not begun yet")
    tab.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    tab.emulate_media(color_scheme="dark")
    assert page.serious_findings() == []
    assert page.overflows() == 0
    hide(tab, is_hidden=True)
    place.release()  # the referee lets spectators look between two decisions
    boards.locator(".small-board [data-place]").first.wait_for()
    assert tab.locator(".live span").inner_text().startswith("The match has not begun yet"), "it holds no connection"
    hide(tab, is_hidden=False)
    tab.get_by_role("link", name="Show the result").wait_for()
    assert page.serious_findings() == []
    assert page.overflows() == 0
    assert tab.locator(".live span").inner_text() == "The match is over."
    plies = tab.evaluate("document.querySelector('[data-viewer]').viewer.last")
    assert "a thought" not in tab.evaluate("JSON.stringify(document.querySelector('[data-viewer]').viewer.story)")
    boards.goto(f"{front}/tv?after={match.rpartition('/')[2]}")
    assert urlsplit(boards.url).path == "/"
    tab.get_by_role("link", name="Show the result").click()
    tab.locator("[data-viewer][data-ready][data-frames]").wait_for()
    assert tab.evaluate("document.querySelector('[data-viewer]').viewer.last") == plies > 20
    assert "a thought" in tab.evaluate("JSON.stringify(document.querySelector('[data-viewer]').viewer.story)")
