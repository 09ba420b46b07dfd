"""Tournaments and the search for matches, without a browser; and what the page of a running tournament shows."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from arena import web
from arena.app.policy import Viewer
from arena.i18n.catalogue import LANGUAGES
from arena.model.tournaments import (
    ConfidencePoint,
    Paired,
    Pairing,
    StandingRow,
    TournamentDetail,
    TournamentSummary,
    elo_text,
)
from arena.tournament.locks import hold
from arena.web.app import make_app
from arena.web.drawing.bracket import can_be_drawn, draw_bracket
from arena.web.drawing.charts import draw_confidence
from arena.web.pages.tournaments import HEAT_STEPS, expected_matches, heat_of, progress_of
from arena.web.shared.answer_cache import AnswerCache
from arena.web.shared.formatting import format_instant, iso_instant, tournament_address
from arena.web.shared.site import Site
from ratings.ledger.ledger import Ledger
from ratings.read import tournament_report
from ratings.values.pools import Pool
from ratings.values.states import Scope
from ratings.values.tournament_incidents import BotFaults, HostLoss
from tests.app.world import World, fresh_world
from tests.support.browsing import Watched, expect
from tests.support.web_pages import served

HOSTILE = "<script>alert(1)</script>"


def test_the_list_links_to_every_tournament(client: TestClient) -> None:
    page = client.get("/tournaments").text
    for one in client.get("/api/v1/tournaments").json()["items"]:
        assert f'href="/tournaments/{one["id"]}"' in page
        assert one["name"] in page


def test_a_tournament_of_any_name_is_found(client: TestClient) -> None:
    assert tournament_address("a cup?") == "/tournaments/a%20cup%3F"
    assert tournament_address("a/../b") == "/tournaments?name=a%2F..%2Fb"
    assert tournament_address("..") == "/tournaments?name=.."
    cup = client.get("/api/v1/tournaments/cup").json()["summary"]["id"]
    answer = client.get("/tournaments?name=cup", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/tournaments/{cup}")
    assert client.get("/tournaments?name=a/b").status_code == 404


def test_a_knockout_has_its_bracket_a_swiss_tournament_its_rounds_and_all_a_crosstable(client: TestClient) -> None:
    cup, swiss, rome = (client.get(f"/tournaments/{name}").text for name in ("cup", "swiss", "rome"))
    assert 'class="bracket"' in cup
    assert 'class="pairings"' in swiss
    assert 'class="bracket"' not in swiss + rome
    assert all('class="h h8"' in page and 'class="h h0"' in page for page in (cup, swiss, rome))
    assert "winner" in cup
    assert "Sieger" in client.get("/tournaments/cup?lang=de").text


def test_a_tournament_that_is_over_asks_for_nothing_more_and_has_its_page_loaded_anew(client: TestClient) -> None:
    state = client.get("/tournaments/cup/state")
    assert "hx-get" not in state.text
    assert state.headers["hx-refresh"] == "true"


def test_the_search_finds_and_its_pages_go_on(client: TestClient) -> None:
    page = client.get("/matches?bot=greedy&fared=won&opponent=first").text
    ids = [row["id"] for row in client.get("/api/v1/matches?bot=greedy&fared=won&opponent=first").json()["items"]]
    assert ids
    assert all(f'href="/matches/{id_}"' in page for id_ in ids)
    assert 'value="greedy"' in page
    ended = client.get(f"/api/v1/matches/{ids[0]}").json()
    at_us = ended["started_at_us"] + ended["duration_us"]
    assert f'<time class="nowrap" datetime="{iso_instant(at_us)}">{format_instant(at_us)}</time>' in page
    assert "No match fits" in client.get("/matches?least_plies=100000").text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/matches?bot=nobody", 404),
        ("/matches?opponent=greedy", 400),
        ("/matches?fared=maybe", 400),
        ("/matches?least_plies=many", 400),
        ("/matches?most_plies=99999999999999999999", 400),
        ("/matches?fault=BOREDOM", 404),
        ("/matches?after=broken", 400),
        ("/matches?bot=" + "x" * 300, 400),
        ("/tournaments/none", 404),
        ("/tournaments/none/state", 404),
        ("/tournaments/none/confidence", 404),
        ("/tournaments?after=%F0%28", 400),
        ("/tournaments/a%00b", 400),
        ("/tournaments/" + "x" * 9000, 414),
    ],
)
def test_what_makes_no_sense_is_told_on_a_page(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "</html>" in answer.text
    assert "Traceback" not in answer.text


def test_what_was_searched_for_is_never_part_of_the_page_but_as_text(client: TestClient) -> None:
    answer = client.get("/matches", params={"bot": HOSTILE, "tournament": f'"{HOSTILE}'})
    assert HOSTILE not in answer.text
    assert "&lt;script&gt;" in answer.text


def paired(bot: str, lost: int, goes_on: bool | None) -> Paired:
    return Paired(bot, bot, 2, lost, goes_on)


DOUBLE = (
    Pairing(1, (paired("a", 0, True), paired("d", 0, False)), 1, True),
    Pairing(1, (paired("b", 0, True), paired(HOSTILE, 0, False)), 1, True),
    Pairing(2, (paired("a", 0, True), paired("b", 0, False)), 1, True),
    Pairing(2, (paired("d", 1, True), paired(HOSTILE, 1, False)), 1, True),
    Pairing(3, (paired("a", 0, True),), 0, True),
    Pairing(3, (paired("b", 1, True), paired("d", 1, False)), 1, True),
    Pairing(4, (paired("a", 0, None), paired("b", 1, None)), 0, False),
)


def test_a_bracket_is_a_picture_in_which_no_two_ties_meet_and_names_are_text() -> None:
    assert can_be_drawn(DOUBLE)
    picture = draw_bracket(DOUBLE, "Bracket", ["1", "2", "3", "4"], "bye", ["Unbeaten", HOSTILE])
    root = ElementTree.fromstring(f'<root xmlns="x">{picture}</root>')
    assert [one for one in root.iter() if one.tag.endswith("script")] == []
    assert " style=" not in picture
    boxes = [one.attrib for one in root.iter() if one.attrib.get("class", "").startswith("br-box")]
    places = [(int(one["x"]), int(one["y"]), int(one["height"])) for one in boxes]
    assert len(places) == len(DOUBLE)
    lanes = [one for one in root.iter() if one.attrib.get("class") == "br-lane"]
    assert [one.text for one in lanes] == ["Unbeaten", HOSTILE]
    second = int(lanes[1].attrib["y"])
    for pairing, (_, y, height) in zip(DOUBLE, places, strict=True):
        assert (y + height < second) is (min(one.lost for one in pairing.entrants) == 0)
    assert "br-lane" not in draw_bracket(DOUBLE[:3], "Bracket", ["1", "2"], "bye", ["Unbeaten", "Once"])
    for number, (x, y, height) in enumerate(places):
        assert not [1 for left, top, _ in places[number + 1 :] if left == x and y <= top < y + height]


def test_tables_and_large_fields_have_no_bracket() -> None:
    table = Pairing(1, tuple(paired(name, 0, True) for name in "abc"), 1, True)
    assert not can_be_drawn([table])
    assert not can_be_drawn([])
    assert not can_be_drawn(DOUBLE * 40)


def test_the_curve_of_confidence_names_those_who_led() -> None:
    points = [ConfidencePoint(4, 0.4, ("a",)), ConfidencePoint(12, 0.96, (HOSTILE,))]
    picture = draw_confidence(points, 0.95, "Confidence", "blocks")
    ElementTree.fromstring(picture)
    assert "96.0 %: &lt;script&gt;" in picture
    assert 'class="goal"' in picture


def test_every_score_has_its_step_and_the_middle_one_is_equal() -> None:
    assert [heat_of(score) for score in (0.0, 0.5, 1.0)] == [0, HEAT_STEPS // 2, HEAT_STEPS - 1]


def test_every_figure_of_the_crosstable_stands_out_from_its_ground() -> None:
    sheet = (Path(web.__file__).parent / "static/css/events.css").read_text(encoding="utf-8")
    grounds = dict(re.findall(r"--(h\d): (#[0-9a-f]{6});", sheet))
    (white,) = re.findall(r"^(.*) \{ color: #ffffff; \}", sheet, re.MULTILINE)
    assert len(grounds) == HEAT_STEPS
    for name, ground in grounds.items():
        text = "#ffffff" if f".{name} a" in white else "#1d1c1a"
        assert contrast(ground, text) >= 4.5, name


def contrast(one: str, other: str) -> float:
    """How much two colours differ, from 1 to 21 (WCAG 2)."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


RUNNING = TournamentSummary(
    "id", "name", "swiss", "running", "g", 2, "1s", "p", True, 0, None,
    planned=6, leased=1, finished=3, void=0, total=10, more_waves=False,
)  # fmt: skip


def test_time_left_is_told_at_the_pace_so_far() -> None:
    found = progress_of(RUNNING, now_us=60e6)
    assert (found.done, found.part, found.left_s, found.is_open) == (3, 0.3, 140.0, False)


@pytest.mark.parametrize(
    ("form", "settings", "matches"),
    [
        ("swiss", {"rounds": 5, "blocks": 2}, 40),
        ("knockout", {"lives": 1, "best_of": 1}, 8),
        ("knockout", {"lives": 2, "best_of": 3}, 54),
        ("adaptive", {"until": "best"}, None),
        ("ladder", {}, None),
    ],
)
def test_time_left_of_more_waves_is_told_where_rounds_and_entrants_give_it(
    client: TestClient, form: str, settings: dict[str, object], matches: int | None
) -> None:
    row = StandingRow(1, "v", "bot", 1, "hash", 0, 0, 0, 0, 0.0, 0, "")
    pool = Pool(**client.get("/api/v1/leaderboards").json()["boards"][0]["pool"])
    one = replace(RUNNING, format=form, more_waves=True)
    detail = TournamentDetail(one, pool, settings, None, (row,) * 5)
    assert expected_matches(detail) == matches
    found = progress_of(one, now_us=60e6, expected=expected_matches(detail))
    left_s = None if matches is None else 20.0 * (max(matches, 10) - 3)
    assert (found.left_s, found.is_open) == (left_s, matches is None)


OVER = {0, 1, 2}
"""The first block of two matches is over, of the second its first match; the others are being played."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with fresh_world(tmp_path_factory.mktemp("running"), OVER, game="rex_romanorum") as made:
        yield made


@pytest.fixture(scope="module")
def running(world: World) -> TestClient:
    return TestClient(make_app(Site(world.asked_by(Viewer(Scope.VIEWER)))))


def test_what_changes_is_asked_for_again_until_it_is_over(running: TestClient, world: World) -> None:
    page = running.get("/tournaments/rex").text
    assert f'hx-get="/tournaments/{world.tournament}/state?lang=en" hx-trigger="every 4s"' in page
    assert "3 of 8 matches" in page
    state = running.get("/tournaments/rex/state")
    assert 'hx-trigger="every 4s"' in state.text
    assert "hx-refresh" not in state.headers


def test_what_the_host_lost_stands_on_the_page_with_the_bot_that_it_has_in_common(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [HostLoss("CHARGE_BOUND", 14, 12, "cat", 1, 11), HostLoss("WORKER_DIED", 2, 1)]
    shown = []
    for losses in ([], found):
        monkeypatch.setattr(tournament_report, "host_losses", lambda *_, losses=losses: losses)
        shown.append(TestClient(make_app(Site(world.asked_by(Viewer(Scope.VIEWER))))).get("/tournaments/rex").text)
    assert "Lost by the host" not in shown[0]
    card = re.sub("<[^>]*>", " ", shown[1].partition("<h2>Lost by the host</h2>")[2].partition("</section>")[0])
    assert "a decision lasted inexplicably long 14 12 C cat v1 11 its process ended 2 1" in " ".join(card.split())


def test_rounds_and_answer_are_sent_again_only_if_they_changed(tmp_path: Path) -> None:
    with fresh_world(tmp_path, OVER, game="rex_romanorum") as made:
        app = make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))
        app.state.answers = AnswerCache(clock=count(0.0, 100.0).__next__)
        client = TestClient(app)
        address = again(client.get("/tournaments/rex").text)
        assert client.get(address).status_code == 204
        made.play_on({3, 4})
        newer = client.get(address)
        assert newer.status_code == 200
        assert again(newer.text) != address


def again(page: str) -> str:
    """Where a page asks for what became of the course of a tournament."""
    found = re.search(r'id="course" hx-get="([^"]+)"', page)
    assert found is not None
    return found[1].replace("&amp;", "&")


def test_a_match_whose_chance_is_to_be_met_again_shows_no_result(running: TestClient, world: World) -> None:
    assert "70 000 002" not in running.get("/matches?tournament=rex").text.replace("\u2009", " ")
    shown = running.get("/matches?tournament=rex&least_plies=1").text
    assert shown.count('class="mono"') == 2
    assert "hidden for now" in running.get("/matches?tournament=rex").text
    matches = world.asked_by(Viewer()).matches.list_matches("rex", limit=None).items
    hidden = next(row.id for row in matches if row.position == 3)
    answer = running.get(f"/api/v1/matches/{hidden}/replay")
    assert answer.status_code == 403
    assert "shown when every other match of its block is over" in answer.json()["error"]["message"]


def test_a_hidden_match_says_what_it_waits_for_until_it_is_shown(running: TestClient, world: World) -> None:
    matches = world.asked_by(Viewer()).matches.list_matches("rex", limit=None).items
    ids = {row.position: row.id for row in matches}
    assert 'class="tag good"' not in running.get(f"/matches/{ids[3]}?lang=en").text, "nobody plays it now"
    with hold(world.database, world.tournament):
        page = running.get(f"/matches/{ids[3]}?lang=en").text
        assert f'hx-get="/matches/{ids[3]}/waiting?lang=en" hx-trigger="every 4s"' in page
        assert "shown when one other is over" in page
        assert re.findall(r'class="tag good" href="/matches/([^"]+)"', page) == [ids[4]]
        assert "move by move" not in page, "it is over"
        going = running.get(f"/matches/{ids[5]}/waiting?lang=en")
        assert "move by move" in going.text
        assert "hx-refresh" not in going.headers
        assert running.get(f"/matches/{ids[4]}/waiting").headers["hx-refresh"] == "true"
        for language in LANGUAGES:
            assert running.get(f"/matches/{ids[5]}?lang={language}").text.count('id="waiting"') == 1


def test_a_tournament_is_read_again_when_something_was_written_and_it_has_rested(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="foreign_king") as made:
        _look_again(made)


def _look_again(world: World) -> None:
    now = [0.0]
    arena = world.asked_by(Viewer(Scope.VIEWER))
    answers = AnswerCache(clock=lambda: now[0])
    question = ("rex", "tournaments.get_tournament")
    first = answers.of_tournament(arena, *question)
    now[0] = 100.0
    assert answers.of_tournament(arena, *question).answer is first.answer, "nothing was written meanwhile"
    Ledger(world.database).cancel(world.tournament)
    again = answers.of_tournament(arena, *question)
    assert (again.answer.summary.status, again.age_s) == ("cancelled", 0.0)


def test_a_comparison_leads_to_the_walk_of_its_test(phone: Watched, tmp_path: Path) -> None:
    everything = set(range(8))
    with fresh_world(tmp_path, everything, game="rex_romanorum", is_comparison=True) as made:
        app = make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))
        with served(app) as address:
            _look_at_the_walk(phone, made, address)
        client = TestClient(app)
        (listed,) = client.get("/api/v1/comparisons").json()
        walk = client.get(f"/api/v1/comparisons/{listed['id']}/walk").json()
        test = client.get("/api/v1/tournaments/rex").json()["comparison"]
        assert walk[-1] == {"pairs": test["pairs"], "log_ratio": pytest.approx(test["log_ratio"])}
        told = [
            f"{test['wins']} / {test['ties']} / {test['losses']}",
            f"{test['new_forfeits']}, {test['old_forfeits']}",
        ]
        told += [elo_text(test["mean"]), f"{elo_text(test['low'])} … {elo_text(test['high'])}"]
        told += [
            f"{test['new_forfeits']}, {test['old_forfeits']}",
            f"{test['mean']:+.3f}",
            f"{100 * test['superiority']:.1f} %",
        ]
        for path in ("/tournaments/rex", f"/compare/{made.tournament}"):
            text = unescape(client.get(path).text)
            assert [one for one in told if f">{one}" not in text and f"({one})" not in text] == []


def _look_at_the_walk(phone: Watched, made: World, address: str) -> None:
    tab = phone.page
    tab.goto(f"{address}/tournaments/rex")
    assert phone.serious_findings() == []
    tab.locator(f'a[href="/compare/{made.tournament}"]').last.click()
    for language in LANGUAGES:
        tab.goto(f"{address}/compare/{made.tournament}?lang={language}")
        expect(tab.locator("figure svg")).to_be_visible()
        assert phone.overflows() == 0
    assert phone.serious_findings() == []
    tab.emulate_media(color_scheme="dark")
    assert phone.serious_findings() == []


def test_the_page_of_a_tournament_follows_it_to_its_end(page: Watched, tmp_path: Path) -> None:
    with (
        fresh_world(tmp_path, OVER, game="rex_romanorum") as made,
        served(make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))) as address,
    ):
        tab = page.page
        tab.goto(f"{address}/tournaments/rex")
        expect(tab.locator("main")).to_contain_text("3 of 8 matches")
        assert page.serious_findings() == []
        made.play_on({3, 4})
        expect(tab.locator("main")).to_contain_text("5 of 8 matches")
        made.play_on({5, 6, 7})
        expect(tab.locator("main")).not_to_contain_text("being played")
        expect(tab.locator("[hx-trigger^=every]")).to_have_count(0)


def test_the_faults_of_bots_are_counted_on_the_page_and_lead_to_their_matches(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = world.matches[1].match_id
    found = [BotFaults("cat", 2, "TIMEOUT", 1234, last)]
    shown = []
    for faults in ([], found):
        monkeypatch.setattr(tournament_report, "bot_faults", lambda *_, faults=faults, **__: faults)
        shown.append(TestClient(make_app(Site(world.asked_by(Viewer(Scope.VIEWER))))).get("/tournaments/rex").text)
    assert "Faults of bots" not in shown[0]
    card = shown[1].partition("<h2>Faults of bots</h2>")[2].partition("</section>")[0]
    words = " ".join(re.sub("<[^>]*>", " ", card).split()).replace("\u2009", " ")
    assert "cat v2 exceeded its time 1 234" in words
    assert f'href="/matches/{last}"' in card
    assert f'href="/matches?tournament={world.tournament}&amp;fault=any"' in card


def test_a_match_in_which_a_bot_was_at_fault_is_found_and_marked(world: World) -> None:
    client = TestClient(make_app(Site(world.asked_by(Viewer()))))
    page = client.get("/matches?fault=any").text
    assert '<option value="any" selected>' in page
    assert page.count('<span class="tag bad">exceeded its time</span>') == 2 * len(OVER)
    lines = client.get("/matches.csv?fault=any").text.splitlines()
    assert len(lines) == 1 + len(OVER)
    assert all(line.endswith("0:TIMEOUT 1:TIMEOUT") for line in lines[1:])


def test_what_nobody_plays_is_stopped_on_its_page_and_who_plays_it_is_told_to_the_organiser_alone(world: World) -> None:
    def shown(path: str, viewer: Viewer) -> str:
        return TestClient(make_app(Site(world.asked_by(viewer)))).get(path).text

    path, spectator = "/tournaments/rex/state", Viewer(Scope.VIEWER)
    stopped = shown(path, spectator)
    assert "nobody plays it now" in stopped
    assert "being played" not in stopped
    assert ">stopped<" in stopped
    assert ">stopped<" in shown("/", spectator)
    assert ">being played<" not in shown("/tournaments/rex", spectator)
    with hold(world.database, world.tournament):
        running = shown(path, spectator)
        assert ">running<" in running
        assert "5 being played" in running
        assert ">being played<" in shown("/tournaments/rex", spectator)
        assert "played by process" not in running
        assert f"played by process {os.getpid()} on {platform.node()} since" in shown(path, Viewer())
        assert ">stopped<" not in shown("/", spectator)


def test_pages_that_are_kept_are_made_anew_when_who_played_is_gone(world: World) -> None:
    overview = world.asked_by(Viewer()).overview
    before = overview.mark()
    with hold(world.database, world.tournament):
        meanwhile = overview.mark()
        assert meanwhile == overview.mark() != before
    assert overview.mark() == before
