"""A match on its page: what is told, kept and hidden; and its viewer in a real browser, by keys, clicks, on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from markupsafe import escape

from arena.i18n.catalogue import translate
from arena.model.matches import FaultFact, MatchDetail
from arena.model.port import ArenaPort
from arena.story.encoding import parts_at
from arena.web.app import open_site
from arena.web.pages import matches as match_page
from arena.web.viewer.payload import viewer_words
from arena.web.viewer.stories import ByteCache, QueueingSemaphore, TooManyWaitingError
from engine import registry
from ratings.values.states import MatchState
from tests.support.browsing import Watched


@pytest.fixture(scope="module")
def arena(client: TestClient) -> ArenaPort:
    app = client.app
    assert isinstance(app, FastAPI)
    found: ArenaPort = app.state.site.arena
    return found


@pytest.fixture(scope="module")
def matches(arena: ArenaPort) -> dict[str, str]:
    """A short match of each game, without a fault."""
    found = {"foreign_king": "duel", "rex_romanorum": "rome"}
    rows = {game: arena.matches.list_matches(name, limit=None).items for game, name in found.items()}
    return {game: min(of_game, key=lambda row: row.plies or 0).id for game, of_game in rows.items()}


@pytest.fixture
def king(matches: dict[str, str]) -> str:
    return matches["foreign_king"]


@pytest.fixture
def changed(arena: ArenaPort, king: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Changes what the arena tells of the match."""
    detail = arena.matches.get_match(king)

    def change(**changes: Any) -> None:
        class Matches:
            def get_match(self, _match: str) -> MatchDetail:
                return replace(detail, **changes)

        class Arena:
            matches = Matches()

        monkeypatch.setattr(match_page, "arena_of", lambda _request: Arena())

    return change


def test_the_frames_of_each_game_draw_what_the_picture_draws(client: TestClient, matches: dict[str, str]) -> None:
    for match in matches.values():
        document = client.get(f"/matches/{match}/frames.json?lang=de").json()
        assert document["language"] == "de"
        seats = len(document["seats"])
        assert len(document["marks"]) == seats
        assert document["colours"] == list(registry.get(document["game"]).shown.seat_colours[:seats])
        number = len(document["frames"]) // 2
        svg = client.get(f"/matches/{match}/board.svg?ply={number}&lang=de")
        assert svg.headers["content-type"] == "image/svg+xml"
        assert "".join(parts_at(document, number)) in svg.text


def test_what_is_asked_for_by_its_content_is_kept_for_ever(client: TestClient, king: str) -> None:
    first = client.get(f"/matches/{king}/frames.json")
    tag = first.headers["etag"]
    assert "no-cache" in first.headers["cache-control"]
    again = client.get(f"/matches/{king}/frames.json", headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    named = client.get(f"/matches/{king}/frames.json", params={"v": tag.strip('"')})
    assert "immutable" in named.headers["cache-control"]
    plain = client.get(f"/matches/{king}/frames.json", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == first.json()
    german = client.get(f"/matches/{king}/frames.json?lang=de")
    assert german.headers["etag"] != tag


def test_a_position_is_shown_without_a_script(client: TestClient, king: str) -> None:
    text = client.get(f"/matches/{king}?ply=3&lang=en").text
    assert f"/matches/{king}/board.svg?ply=3&amp;lang=en" in text
    assert "?ply=2" in text
    assert "?ply=4" in text
    assert "Position 3 of" in text


@pytest.mark.parametrize("place", ["?ply=99999", "/board.svg?ply=99999"])
def test_a_position_beyond_the_end_is_a_page_that_names_the_last(client: TestClient, king: str, place: str) -> None:
    answer = client.get(f"/matches/{king}{place}", headers={"accept-language": "en"})
    assert answer.status_code == 404
    assert "The match has positions 0 to" in answer.text


@pytest.mark.parametrize("place", ["?ply=-1", "?ply=x", "?ply=99999999999", "/board.svg?ply=-1"])
def test_a_position_that_is_none_is_refused(client: TestClient, king: str, place: str) -> None:
    assert client.get(f"/matches/{king}{place}").status_code == 400


@pytest.mark.parametrize("place", ["", "/frames.json", "/board.svg", "/replay.json", "/verified"])
def test_an_unknown_match_is_not_found(client: TestClient, place: str) -> None:
    assert client.get(f"/matches/no-such-match{place}").status_code == 404


def test_the_replay_is_sent_as_a_file(client: TestClient, king: str) -> None:
    answer = client.get(f"/matches/{king}/replay.json")
    assert answer.json()["match_id"] == king
    assert "attachment" in answer.headers["content-disposition"]


def test_the_check_is_a_part_of_the_page_or_a_page(client: TestClient, king: str) -> None:
    part = client.get(f"/matches/{king}/verified?lang=de", headers={"hx-request": "true"}).text
    assert "geprüft" in part
    assert "<html" not in part
    assert "<html" in client.get(f"/matches/{king}/verified").text


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"hidden": True, "why_hidden": "Wait."}, 403, "This match is shown"),
        ({"replay_removed_at_us": 1_700_000_000_000_000}, 410, "was removed on 2023-11-14"),
        ({"state": MatchState.VOID, "void_reason": "the host failed"}, 404, "no result: the host failed"),
        ({"state": MatchState.LEASED}, 404, "not over yet"),
    ],
)
def test_a_match_without_a_replay_says_why(
    client: TestClient, king: str, changed: Callable[..., None], changes: dict[str, Any], status: int, sentence: str
) -> None:
    changed(**changes)
    page = client.get(f"/matches/{king}", headers={"accept-language": "en"})
    assert page.status_code == 200
    assert sentence in page.text
    assert "data-frames" not in page.text
    for place in ("frames.json", "board.svg", "verified"):
        answer = client.get(f"/matches/{king}/{place}", headers={"accept-language": "en"})
        assert answer.status_code == status
        assert sentence in answer.text


def test_a_match_in_which_nobody_acted_has_no_valid_result(
    client: TestClient, arena: ArenaPort, king: str, changed: Callable[..., None]
) -> None:
    seats = tuple(replace(seat, rank=None, ended="forfeited") for seat in arena.matches.get_match(king).seats)
    changed(seats=seats, rated=False, by_rules=False, valid_result=False)
    assert "No valid result: every bot failed" in client.get(f"/matches/{king}?lang=en").text


def test_the_place_of_each_bot_is_told_and_whose_notes_were_left_out(
    client: TestClient, arena: ArenaPort, king: str, changed: Callable[..., None]
) -> None:
    first, second, *rest = arena.matches.get_match(king).seats
    strict = replace(first, sandbox="strict", notes_left_out=True)
    changed(seats=(strict, replace(second, sandbox=None, remote=True), *rest))
    text = client.get(f"/matches/{king}?lang=en").text
    assert "<td>strict</td>" in text
    assert "<td>remote</td>" in text
    assert text.count("its notes are not in the replay") == 1
    changed(seats=(replace(first, person="Ada"), second, *rest))
    assert "<td>Mensch</td>" in client.get(f"/matches/{king}?lang=de").text


def test_a_fault_is_told_in_words_and_never_interpreted(
    client: TestClient, king: str, changed: Callable[..., None]
) -> None:
    changed(faults=(FaultFact(0, "<script>x", "TIMEOUT", 7, "<b>late</b>", {}),))
    text = client.get(f"/matches/{king}?lang=en").text
    assert "&lt;script&gt;x: exceeded its time" in text
    assert "&lt;b&gt;late" in text
    assert "#ply=8" in text


def test_what_is_kept_is_made_once_and_dropped_where_there_is_no_room() -> None:
    kept, made = ByteCache(10), list[str]()

    def make(key: str) -> bytes:
        made.append(key)
        return b"123456"

    for key in ("a", "a", "b", "a"):
        assert kept.get(key, partial(make, key)) == b"123456"
    assert made == ["a", "b", "a"]


def test_what_fails_is_tried_again() -> None:
    kept = ByteCache(10)
    with pytest.raises(LookupError):
        kept.get("a", lambda: dict[str, bytes]()["a"])
    assert kept.get("a", lambda: b"1") == b"1"


def test_the_script_gets_its_words_with_their_places() -> None:
    assert viewer_words("de")["place"] == "Stellung {ply} von {last}"
    assert json.loads(json.dumps(viewer_words("fr")))["fault_timeout"]


def test_a_gate_lets_some_wait_and_sends_the_others_away() -> None:
    gate = QueueingSemaphore(1, 1)
    with gate.acquired(), pytest.raises(TooManyWaitingError, match="try again"), gate.acquired():
        pass
    with gate.acquired():
        pass


def test_a_fault_is_told_in_the_language_of_the_page(client: TestClient, arena: ArenaPort) -> None:
    match = arena.matches.list_matches(fault="any", limit=1).items[0].id
    (fault,) = arena.matches.get_match(match).faults
    german = translate(fault.explanation, "de")
    assert german != fault.explanation
    assert escape(german) in client.get(f"/matches/{match}?lang=de").text
    story = client.get(f"/matches/{match}/frames.json?lang=de").json()
    assert german in [one["explanation"] for one in story["end"]["faults"]]


INDEX = "document.querySelector('[data-viewer]').viewer.index"
TOTAL = "document.querySelector('[data-viewer]').viewer.total"


@pytest.fixture(scope="module")
def played_arena(played: Path) -> Iterator[ArenaPort]:
    with open_site(str(played)) as site:
        yield site.arena


def shortest(played_arena: ArenaPort, game: str) -> str:
    """The match of a game that is over soonest by its rules."""
    rows = played_arena.matches.list_matches(limit=None).items
    details = [(row, played_arena.matches.get_match(row.id)) for row in rows]
    of_game = [row for row, found in details if found.pool.game == game and found.by_rules]
    return min(of_game, key=lambda row: row.plies or 0).id


def parts_of(svg: str) -> list[ElementTree.Element]:
    """The parts of a picture: behind title, style and what they refer to comes the ground, then they."""
    own = ("title", "style", "defs")
    return [node for node in ElementTree.fromstring(svg) if node.tag.rpartition("}")[2] not in own][1:]


def open_match(watched: Watched, address: str, match: str, place: str = "") -> None:
    watched.page.goto(f"{address}/matches/{match}{place}")
    watched.page.wait_for_selector("[data-viewer][data-ready]")


@pytest.mark.parametrize("game", ["foreign_king", "rex_romanorum"])
def test_a_whole_match_is_stepped_through_and_every_picture_is_the_servers(
    page: Watched, address: str, played_arena: ArenaPort, client: TestClient, game: str
) -> None:
    match = shortest(played_arena, game)
    open_match(page, address, match, "?lang=en")
    last = page.page.evaluate("document.querySelector('[data-viewer]').viewer.last")
    drawn = page.page.evaluate(
        """async last => {
          const viewer = document.querySelector('[data-viewer]').viewer, drawn = {};
          for (let at = 0; at <= last; at++) {
            viewer.show(at);
            if (at % Math.ceil(last / 4) === 0 || at === last) drawn[at] = [...viewer.board.picture.children].slice(1)
              .map(node => node.textContent).join("|");
          }
          return drawn;
        }""",
        last,
    )
    assert len(drawn) >= 4
    for ply, texts in drawn.items():
        svg = client.get(f"/matches/{match}/board.svg?ply={ply}&lang=en").text
        theirs = "|".join("".join(part.itertext()) for part in parts_of(svg))
        assert texts == theirs, ply
    assert page.page.locator("[data-part=moves] li").count() == last + 1
    assert page.page.locator("[data-part=seats] .rank").first.text_content() != ""


def test_the_keyboard_alone_goes_everywhere(page: Watched, address: str, played_arena: ArenaPort) -> None:
    open_match(page, address, shortest(played_arena, "foreign_king"))
    press = page.page.keyboard.press

    def where() -> int:
        at: int = page.page.evaluate(INDEX)
        return at

    total = page.page.evaluate(TOTAL)
    assert where() == 0
    press("ArrowRight")
    press("ArrowRight")
    assert where() == 2
    press("ArrowLeft")
    assert where() == 1
    press("PageDown")
    assert where() > 1
    press("PageUp")
    press("PageUp")
    assert where() == 0
    press("End")
    assert where() == total
    assert page.page.locator("[data-part=scoring] .now-scored").count() == 1
    page.page.wait_for_url(f"**#ply={total}")
    press("Home")
    assert where() == 0
    press("Space")
    page.page.wait_for_selector("[data-viewer]:not([data-index='0']):not([data-index='1'])")
    press("Space")
    assert page.page.locator("[data-part=play]").get_attribute("aria-pressed") == "false"


def test_clicks_links_and_the_slider_lead_to_positions(page: Watched, address: str, played_arena: ArenaPort) -> None:
    open_match(page, address, shortest(played_arena, "foreign_king"), "#ply=5")
    assert page.page.evaluate(INDEX) == 5
    assert page.serious_findings() == []
    page.page.locator("[data-part=moves] a").nth(7).click()
    assert page.page.evaluate(INDEX) == 7
    page.page.locator("[data-part=slider]").fill("9")
    assert page.page.evaluate(INDEX) == 9
    page.page.locator("[data-part=graph] svg").click(position={"x": 1, "y": 20})
    assert page.page.evaluate(INDEX) == 0
    page.page.goto(page.page.url.split("#")[0] + "#ply=3")
    page.page.wait_for_selector("[data-viewer][data-index='3']")
    page.page.wait_for_selector(".tag.good")


def test_a_place_of_the_board_is_chosen_by_a_click_once_it_is_marked(
    page: Watched, address: str, played_arena: ArenaPort
) -> None:
    open_match(page, address, shortest(played_arena, "foreign_king"), "#ply=1")
    page.page.evaluate(
        """() => {
          const { board } = document.querySelector('[data-viewer]').viewer;
          window.chosen = [];
          board.addEventListener("place", event => window.chosen.push(event.detail));
          board.mark(["LIE"]);
        }"""
    )
    place = page.page.locator("[data-part=board] [data-place=LIE]").first
    assert "choice" in (place.get_attribute("class") or "")
    place.focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("ArrowRight")
    assert "choice" in (page.page.locator("[data-part=board] [data-place=LIE]").first.get_attribute("class") or "")
    assert page.page.evaluate("window.chosen") == ["LIE"]


def test_frames_are_appended_as_a_live_match_brings_them(
    page: Watched, address: str, played_arena: ArenaPort, client: TestClient
) -> None:
    match = shortest(played_arena, "foreign_king")
    open_match(page, address, match)
    document = client.get(f"/matches/{match}/frames.json").json()
    told = page.page.evaluate(
        """async whole => {
          const { Viewer } = await import("/static/js/viewer.js");
          const root = document.querySelector("[data-viewer]");
          root.viewer.close();
          const first = whole.frames.slice(0, 1);
          const known = 1 + Math.max(...first[0].parts.filter((_, at) => at % 2));
          const start = { ...whole, end: null, frames: first, parts: whole.parts.slice(0, known) };
          const viewer = new Viewer(root, start);
          viewer.show(0);
          viewer.append(whole.frames[1], whole.parts.slice(known));
          for (const frame of whole.frames.slice(2)) viewer.append(frame);
          const faults = [{ seat: 0, cause: "TIMEOUT", ply: 3, explanation: "<b>late</b>" }];
          viewer.finish({ ...whole.end, faults });
          const text = root.querySelector(".faults").textContent;
          return [viewer.index, viewer.last, text, root.querySelectorAll(".tick").length];
        }""",
        document,
    )
    assert told[0] == told[1] == len(document["frames"]) - 1
    assert "<b>late</b>" in told[2]
    assert told[3] == 1


def test_a_phone_shows_it_whole_and_steps_by_a_swipe(phone: Watched, address: str, played_arena: ArenaPort) -> None:
    open_match(phone, address, shortest(played_arena, "rex_romanorum"), "?lang=de")
    assert phone.overflows() == 0
    swiped = """(way) => {
      const board = document.querySelector("[data-part=board]");
      const touch = x => new Touch({ identifier: 1, target: board, clientX: x, clientY: 5 });
      board.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(200)], changedTouches: [touch(200)] }));
      board.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: [touch(200 + way)] }));
    }"""
    phone.page.evaluate(swiped, -80)
    assert phone.page.evaluate(INDEX) == 1
    phone.page.evaluate(swiped, 80)
    assert phone.page.evaluate(INDEX) == 0
