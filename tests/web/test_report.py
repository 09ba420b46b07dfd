"""Reports: what is packed comes back as it was, and the file opens from a disk with nothing beside it."""

import gzip
import html
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.cli.app import run
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.replay import load
from arena.model.errors import HiddenError
from arena.model.port import ArenaPort
from arena.model.tournaments import StandingRow
from arena.story.replays import story_of_replay
from arena.web.app import open_site
from arena.web.drawing.identicons import mark_of
from arena.web.report.match_packing import Packer, pack_all
from arena.web.report.report_file import is_report, write_report
from arena.web.report.tournament_report import TournamentReportFile, draw_curves, write_match
from arena.web.shared.formatting import format_share
from arena.web.viewer.payload import viewer_document
from ratings.store.database import open_database
from ratings.values.states import Scope
from tests.support.browsing import Watched, expect
from tests.support.patience import PATIENCE_S
from tests.support.places import Place

NASTY = "</script><script>alert(1)</script><!-- \u2028\"'><img src=x onerror=alert(1)><svg onload=alert(1)>"


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


def bytes_of(text: bytes) -> bytes:
    """What a block of a file holds: the inverse of yEnc."""
    return re.sub(rb"=(.)", lambda found: bytes([found[1][0] - 64]), text, flags=re.DOTALL)


def unfolded(document: dict[str, Any]) -> list[list[Any]]:
    """The changes of each frame, slot by slot, with the parts themselves."""
    parts = document["parts"]
    return [
        [parts[value] if place % 2 else value for place, value in enumerate(frame.get("parts", ()))]
        for frame in document["frames"]
    ]


def test_what_is_packed_comes_back_in_a_browser_as_the_viewer_takes_it(
    page: Watched, tmp_path: Path, replays: dict[str, dict[str, Any]]
) -> None:
    for game, replay in replays.items():
        document = json.loads(json.dumps(viewer_document(story_of_replay(replay))))
        file = tmp_path / f"{game}.html"
        file.write_bytes(write_match(replay, "en"))
        page.page.goto(f"{file.as_uri()}#ply=3")
        page.page.wait_for_selector("[data-viewer][data-ready]")
        told = page.page.evaluate("document.querySelector('[data-viewer]').viewer.story")
        assert len(told["frames"]) == len(document["frames"])
        assert told["end"] == document["end"]
        assert unfolded(told) == unfolded(document)
        for mine, frame in zip(told["frames"], document["frames"], strict=True):
            for name in ("seat", "action", "words", "chance", "by", "decider", "turn", "note", "title"):
                assert mine.get(name) == frame.get(name), name
            if "values" in frame:
                assert all(abs(a - b) <= 5 for a, b in zip(mine["values"], frame["values"], strict=True))
        assert page.page.evaluate("document.querySelector('[data-viewer]').viewer.index") == 3


def test_a_tournament_opens_from_a_disk_in_any_match(
    page: Watched, tmp_path: Path, arena: ArenaPort, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made as a long one is: by several processes."""
    monkeypatch.setattr("arena.web.report.match_packing._LONG", 0)
    file = tmp_path / "report.html"
    assert run(["report", "three", "--html", str(file), "--lang", "fr", "--db", str(played)]) == 0
    page.page.goto(file.as_uri())
    page.page.wait_for_selector("[data-viewer][data-ready='0']")
    assert page.serious_findings() == []
    assert page.overflows() == 0
    rows = page.page.locator("[data-matches] tr")
    assert rows.count() == len(arena.matches.list_matches("three", limit=None).items)
    page.page.evaluate("document.querySelector('[data-viewer]').viewer.show(2); location.hash = '#match=2'")
    page.page.wait_for_selector("[data-viewer][data-ready='1']")
    rows.last.locator("a").click()
    page.page.wait_for_selector(f"[data-viewer][data-ready='{rows.count() - 1}']")
    assert page.page.locator("[data-reading]").text_content() == f"Partie {rows.count()} sur {rows.count()}"
    expect(page.page.locator("[data-viewer]")).to_be_in_viewport()
    page.page.keyboard.press("End")
    page.page.wait_for_url(f"**#match={rows.count()}&ply=*")
    told = page.page.evaluate("document.querySelector('[data-viewer]').viewer.story")
    replay = load(arena.replays.get_replay(told["match_id"]).data)
    assert unfolded(told) == unfolded(viewer_document(story_of_replay(replay, "fr")))
    assert page.page.locator("html").get_attribute("lang") == "fr"
    assert "Classement" in page.page.content()
    assert page.page.evaluate("document.characterSet") == "windows-1252"
    assert is_report(file.read_bytes()[:2000])
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_an_address_asked_for_while_another_is_noted_stays(
    page: Watched, tmp_path: Path, replays: dict[str, dict[str, Any]]
) -> None:
    """The viewer notes the position in the address a moment later, which took clicks on other matches back."""
    file = tmp_path / "match.html"
    file.write_bytes(write_match(replays["foreign_king"], "en"))
    page.page.clock.install()
    page.page.goto(file.as_uri())
    page.page.wait_for_selector("[data-viewer][data-ready]")
    page.page.evaluate("document.querySelector('[data-viewer]').viewer.show(2)")
    page.page.evaluate("history.pushState(null, '', '#match=2')")
    page.page.clock.run_for(1000)
    assert page.page.evaluate("location.hash") == "#match=2"
    page.page.evaluate("document.querySelector('[data-viewer]').viewer.show(3)")
    page.page.clock.run_for(1000)
    assert page.page.evaluate("location.hash") == "#ply=3"


def nasty_replay(replay: dict[str, Any]) -> dict[str, Any]:
    """A replay with a script wherever somebody else has the word: names, a note, what is said of a fault."""
    made: dict[str, Any] = json.loads(json.dumps(replay))
    for seat in made["seats"]:
        seat["name"] = NASTY
    made["entries"][0]["note"] = NASTY
    fault = {"cause": "BOT_CRASHED", "evidence": {"stderr": NASTY}, "explanation": NASTY, "ply": 0, "seat": 0}
    made["result"] |= {"faults": [fault], "forfeits": [[0, 0]]}
    return made


def nasty_report(replay: dict[str, Any]) -> bytes:
    """A tournament of such names, called so itself."""
    packer = Packer()
    for _ in range(2):
        packer.add(viewer_document(story_of_replay(replay)))
    return write_report(
        NASTY,
        packer.packed(),
        "en",
        facts=[NASTY],
        standings=[StandingRow(1, "id", NASTY, 1, "hash", 2, 1, 1, 2, 1.0, 0, NASTY)],
        crosstable={"names": [NASTY], "rows": [(NASTY, [""])]},
        curves=draw_curves([(NASTY, [1.0, 2.0])]),
        lists=True,
    )


def test_nothing_that_others_wrote_is_interpreted(
    page: Watched, tmp_path: Path, replays: dict[str, dict[str, Any]]
) -> None:
    replay = nasty_replay(replays["foreign_king"])
    for made in (write_match(replay, "en"), nasty_report(replay)):
        file = tmp_path / "nasty.html"
        file.write_bytes(made)
        assert b"alert(1)</script>" not in made
        page.page.goto(file.as_uri())
        page.page.wait_for_selector("[data-viewer][data-ready]")
        assert page.page.locator("[data-part=seats] .name").first.text_content() == NASTY
        page.page.keyboard.press("ArrowRight")
        told = page.page.locator("[data-part=moves]").text_content() or ""
        assert told.count(NASTY) == 3, "the note, who committed the fault, and what is said of it"
        page.page.keyboard.press("End")
        assert page.page.locator("script[type=module]").count() == 1
        assert page.page.locator("img, [onload], [onerror]").count() == 0
    assert page.page.locator("h1").text_content() == NASTY
    assert (page.page.locator("[data-matches]").text_content() or "").count(NASTY) == 4


def test_no_other_file_is_replaced_and_nothing_is_made_for_it(
    arena: ArenaPort,
    played: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("this takes long")

    monkeypatch.setattr("arena.web.report.tournament_report.write_match", refuse)
    monkeypatch.setattr(TournamentReportFile, "pack", refuse)
    match = arena.matches.list_matches("duel", limit=1).items[0].id
    file = tmp_path / "README.md"
    file.write_text("# Mine")
    for words in (["report", "duel", "--html", str(file)], ["replay", "html", match, "--output", str(file)]):
        assert run([*words, "--db", str(played)]) == 2
        assert f"{file} is there, and is no report of the arena; remove it" in capsys.readouterr().err
    assert file.read_text() == "# Mine"


_HELD = """
import signal
from arena.cli.main import main
from arena.web.report import match_packing as packing
from arena.web.report import tournament_report

def held(*arguments, packing=packing.pack_all):
    making = packing(*arguments)
    yield next(making)
    print("making", flush=True)
    signal.pause()

tournament_report.pack_all, packing._LONG = held, 0
main()
"""
"""Makes a report by several processes, and waits when the first match is in it."""


@pytest.mark.needs("minutes")
def test_a_making_that_is_told_to_end_leaves_nothing(played: Path, tmp_path: Path) -> None:
    place = Place(tmp_path)
    command = [sys.executable, "-c", _HELD, "report", "rome", "--html", "rome.html", "--db", str(played)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=place.environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        making = process.stdout.readline(), list(tmp_path.iterdir()), place.processes()
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=PATIENCE_S)
    # Lines of progress come by the clock, so that a busy machine has one before the end.
    assert (process.returncode, told.splitlines()[-1]) == (130, "arena: interrupted")
    assert making[0] == "making\n"
    assert making[1] != []
    assert len(making[2]) > 2
    assert list(tmp_path.iterdir()) == []
    place.wait_until_nothing_runs()


def test_hidden_matches_and_removed_replays_are_left_out_and_counted(
    arena: ArenaPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise HiddenError("later")

    monkeypatch.setattr(type(arena.replays), "get_replay", refuse)
    report = TournamentReportFile(arena, "duel", "en")
    assert [told.left_out for told in report.pack()][-1] == len(arena.matches.list_matches("duel", limit=None).items)
    text = report.write().decode()
    assert "No match can be shown" in text
    assert f"{len(arena.matches.list_matches('duel', limit=None).items)} matches left out" in text
    assert "<script" not in text


def test_the_table_over_all_games_says_what_it_knows_of_the_bots_of_the_tournament(
    arena: ArenaPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = arena.ratings.get_overall_table()
    report = TournamentReportFile(arena, "duel", "de")
    entrants = {row.bot for row in arena.tournaments.get_tournament("duel").standings}
    listed = [row for row in table.rows if entrants & {row.bot, *row.copies}]
    assert listed or any(row.bot in entrants for row in table.apart)
    text = html.unescape(report.write().decode())
    start = text.index("Alle Spiele in einer Tabelle")
    section = text[start : text.index("</section>", start)]
    assert re.findall("<span>([^<]+)</span></span></td>", section) == [row.bot for row in listed]
    assert f"{format_share(table.met)} der Paare" in section
    monkeypatch.setattr("arena.app.overall.MOST_POOLS", 1)
    assert "Pools sind zu viele für eine Tabelle" in html.unescape(report.write().decode())


def test_there_is_no_table_over_all_games_where_there_is_one_pool(
    arena: ArenaPort, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = arena.leaderboards.list_leaderboards(limit=1)
    one = replace(boards, boards=boards.boards[:1])
    monkeypatch.setattr(type(arena.leaderboards), "list_leaderboards", lambda *_, **__: one)
    assert "All games in one table" not in TournamentReportFile(arena, "duel", "en").write().decode()


def test_at_a_service_a_damaged_replay_is_left_out_of_a_report(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(played, copy)
    with closing(sqlite3.connect(copy)) as book, book:
        book.execute(
            "UPDATE replay SET data = x'00' WHERE match_id = (SELECT m.id FROM match m JOIN tournament t"
            " ON t.id = m.tournament_id WHERE t.name = 'match-1')"
        )
    with closing(open_database(copy)) as database:
        programs = StoredPrograms(VersionStore.of_database(copy))
        arena = LocalArena(database, programs, viewer=Viewer(Scope.VIEWER))
        *_, last = TournamentReportFile(arena, "match-1", "en").pack()
    assert (last.done, last.total, last.left_out) == (1, 1, 1)


def test_a_damaged_replay_is_left_out() -> None:
    assert list(pack_all([(b"cut off", ()), (None, ())], 100, "en")) == [False, False]


def test_each_match_of_a_file_is_packed_by_itself(replays: dict[str, dict[str, Any]]) -> None:
    made = nasty_report(replays["foreign_king"])
    assert is_report(made[:2000])
    found = re.findall(rb'<script type="application/octet-stream" id="(\w+)">([^<]+)</script>', made)
    blocks = {name.decode(): json.loads(gzip.decompress(bytes_of(block))) for name, block in found}
    assert list(blocks) == ["tables", "match0", "match1"]
    assert blocks["match1"] == blocks["match0"]
    assert blocks["tables"]["matches"][1]["seats"] == blocks["match1"]["seats"]


@pytest.mark.needs("minutes")
@pytest.mark.parametrize("tournament", ["swiss", "rome"])
def test_a_report_is_small(arena: ArenaPort, tournament: str) -> None:
    """Three hundred of the longest matches, of a thousand plies each, take less than 15 MB."""
    report = TournamentReportFile(arena, tournament, "en")
    plies = [row.plies or 0 for row in arena.matches.list_matches(tournament, limit=None).items]
    *_, last = report.pack()
    assert (last.done, last.left_out) == (len(plies), 0)
    assert len(report.write()) < 150_000 + 50 * sum(plies)


def test_an_empty_report_has_no_match() -> None:
    assert json.loads(gzip.decompress(Packer().packed().tables))["matches"] == []


def test_curves_of_one_colour_are_told_apart_and_all_are_named() -> None:
    bots = ("greedy", "first", "<b>")
    assert mark_of("greedy").colour == mark_of("first").colour
    drawn = draw_curves([(bot, (1.0, 2.0)) for bot in bots])
    root = ElementTree.fromstring(f"<root>{drawn}</root>")
    lines = [(one.get("stroke"), one.get("stroke-dasharray")) for one in root.iter("polyline") if one.get("stroke")]
    assert lines[: len(bots)] == lines[len(bots) :], "the legend shows each line as it is drawn"
    assert len(set(lines)) == len(bots)
    assert ["".join(one.itertext()).split()[-1] for one in root.iter("li")] == list(bots)
