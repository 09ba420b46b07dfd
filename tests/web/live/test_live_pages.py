"""A real service whose pages show a match while it is played: held bots let it wait for the browser."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support.browsing import PHONE, Watched
from tests.support.patience import PATIENCE_S
from tests.support.places import HELD_NAME, Place, write_manifest
from tests.support.processes import wait_until
from tests.support.serving import Served, plan, serving, wait_for_counts

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
