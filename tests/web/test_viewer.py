"""The replay viewer in a real browser: a whole match of each game, by keys alone, by clicks, on a phone."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from arena.model.port import ArenaPort
from arena.web.opening import open_site
from tests.support.browsing import Watched

INDEX = "document.querySelector('[data-viewer]').viewer.index"
TOTAL = "document.querySelector('[data-viewer]').viewer.total"


@pytest.fixture(scope="module")
def arena(played: Path) -> Iterator[ArenaPort]:
    with open_site(str(played)) as site:
        yield site.arena


def shortest(arena: ArenaPort, game: str) -> str:
    """The match of a game that is over soonest by its rules."""
    rows = arena.matches.list_matches(limit=None).items
    details = [(row, arena.matches.get_match(row.id)) for row in rows]
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
    page: Watched, address: str, arena: ArenaPort, client: TestClient, game: str
) -> None:
    match = shortest(arena, game)
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


def test_the_keyboard_alone_goes_everywhere(page: Watched, address: str, arena: ArenaPort) -> None:
    open_match(page, address, shortest(arena, "foreign_king"))
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


def test_clicks_links_and_the_slider_lead_to_positions(page: Watched, address: str, arena: ArenaPort) -> None:
    open_match(page, address, shortest(arena, "foreign_king"), "#ply=5")
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
    page: Watched, address: str, arena: ArenaPort
) -> None:
    open_match(page, address, shortest(arena, "foreign_king"), "#ply=1")
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
    page: Watched, address: str, arena: ArenaPort, client: TestClient
) -> None:
    match = shortest(arena, "foreign_king")
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


def test_a_phone_shows_it_whole_and_steps_by_a_swipe(phone: Watched, address: str, arena: ArenaPort) -> None:
    open_match(phone, address, shortest(arena, "rex_romanorum"), "?lang=de")
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
