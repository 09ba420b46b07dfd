"""Reports: what is packed comes back as it was, and the file opens from a disk with nothing beside it."""

import base64
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run
from arena.client.arena import ArenaPort
from arena.client.errors import HiddenError
from arena.match.replay import load
from arena.story.encoding import parts_at
from arena.story.replays import story_of_replay
from arena.web.opening import open_site
from arena.web.report.gathering import TournamentReport, write_match
from arena.web.report.packing import Packer, varints
from arena.web.report.tables import Strings, Templates
from arena.web.viewing.document import viewer_document
from tests.support.browsing import Watched

NASTY = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def arena(played: Path) -> Iterator[ArenaPort]:
    with open_site(str(played)) as site:
        yield site.arena


@pytest.fixture(scope="module")
def replays(arena: ArenaPort) -> dict[str, dict[str, Any]]:
    """The replay of a short match of each game."""
    found: dict[str, dict[str, Any]] = {}
    rows = arena.matches.list_matches(limit=None).items
    for row in sorted(rows, key=lambda row: row.plies or 0):
        game = arena.matches.get_match(row.id).pool.game
        if game not in found:
            found[game] = load(arena.replays.get_replay(row.id).data)
    return found


def test_whole_numbers_are_packed_short() -> None:
    assert varints([0, -1, 1, 63, -64, 64, 300]) == bytes([0, 1, 2, 126, 127, 128, 1, 216, 4])


def test_a_part_is_its_template_and_what_fills_its_holes() -> None:
    strings = Strings()
    templates = Templates(strings)
    part = '<g data-place="LIE"><text x="5" class="c">Gold 3</text></g>'
    assert templates.filled(part) == (0, (0, 0, 0, 0))
    assert templates.filled(part.replace("Gold 3", "Gold 4")) == (0, (0, 0, 0, 1))
    [[text, *holes]] = templates.to_json()
    values = [strings.texts[hole[0]] for hole in holes]
    filled = "".join(piece + value for piece, value in zip(text.split("\0"), [*values, ""], strict=True))
    assert filled == part


def test_what_is_packed_comes_back_in_a_browser_as_the_viewer_takes_it(
    page: Watched, tmp_path: Path, replays: dict[str, dict[str, Any]]
) -> None:
    for game, replay in replays.items():
        document = json.loads(json.dumps(viewer_document(story_of_replay(replay))))
        file = tmp_path / f"{game}.html"
        file.write_text(write_match(replay, "en"), encoding="utf-8")
        page.page.goto(f"{file.as_uri()}#ply=3")
        page.page.wait_for_selector("[data-viewer][data-ready]")
        told = page.page.evaluate("document.querySelector('[data-viewer]').viewer.story")
        assert len(told["frames"]) == len(document["frames"])
        assert told["end"] == document["end"]
        for number in (0, 1, len(told["frames"]) // 2, len(told["frames"]) - 1):
            assert parts_at(told, number) == parts_at(document, number)
        for mine, frame in zip(told["frames"], document["frames"], strict=True):
            for name in ("seat", "action", "words", "chance", "by", "decider", "turn", "note"):
                assert mine.get(name) == frame.get(name), name
            if "values" in frame:
                assert all(abs(a - b) <= 5 for a, b in zip(mine["values"], frame["values"], strict=True))
        assert page.page.evaluate("document.querySelector('[data-viewer]').viewer.index") == 3


def test_a_tournament_opens_from_a_disk_in_any_match(
    page: Watched, tmp_path: Path, arena: ArenaPort, played: Path
) -> None:
    file = tmp_path / "report.html"
    assert run(["report", "three", "--html", str(file), "--lang", "fr", "--db", str(played)]) == 0
    page.page.goto(file.as_uri())
    page.page.wait_for_selector("[data-viewer][data-ready='0']")
    assert page.serious_findings() == []
    assert page.overflows() == 0
    rows = page.page.locator("[data-matches] tr")
    assert rows.count() == len(arena.matches.list_matches("three", limit=None).items)
    rows.last.locator("a").click()
    page.page.wait_for_selector(f"[data-viewer][data-ready='{rows.count() - 1}']")
    page.page.keyboard.press("End")
    page.page.wait_for_url(f"**#match={rows.count()}&ply=*")
    assert page.page.locator("html").get_attribute("lang") == "fr"
    assert "Classement" in page.page.content()


def test_no_name_breaks_out_of_the_file(page: Watched, tmp_path: Path, replays: dict[str, dict[str, Any]]) -> None:
    replay = json.loads(json.dumps(replays["foreign_king"]))
    for seat in replay["seats"]:
        seat["name"] = NASTY
    replay["entries"][0]["note"] = NASTY
    file = tmp_path / "nasty.html"
    file.write_text(write_match(replay, "en"), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    assert "alert(1)</script>" not in text
    page.page.goto(file.as_uri())
    page.page.wait_for_selector("[data-viewer][data-ready]")
    assert page.page.locator("[data-part=seats] .name").first.text_content() == NASTY
    assert page.page.locator("script").count() == 3


def test_hidden_matches_and_removed_replays_are_left_out_and_counted(
    arena: ArenaPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise HiddenError("later")

    monkeypatch.setattr("arena.web.report.gathering.pack_match", refuse)
    report = TournamentReport(arena, "duel", "en")
    assert [told.left_out for told in report.tell()][-1] == len(arena.matches.list_matches("duel", limit=None).items)
    assert "data-matches" in report.write()


def test_the_blocks_are_deflated_base64(replays: dict[str, dict[str, Any]]) -> None:
    text = write_match(replays["foreign_king"], "de")
    blocks = re.findall(r'<script type="application/octet-stream" id="(\w+)">([A-Za-z0-9+/=]+)</script>', text)
    assert [name for name, _ in blocks] == ["tables", "columns"]
    tables = json.loads(zlib.decompress(base64.b64decode(blocks[0][1]), -15))
    assert tables["matches"][0]["seats"]


def test_an_empty_report_has_no_match() -> None:
    assert json.loads(Packer().head())["matches"] == []
