"""Tournaments and the search for matches, asked without a browser."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from arena import web
from arena.model.tournaments import ConfidencePoint, Paired, Pairing, StandingRow, TournamentDetail, TournamentSummary
from arena.web.drawing.bracket import can_be_drawn, draw_bracket
from arena.web.drawing.confidence import draw_confidence
from arena.web.drawing.heat import STEPS, heat_of
from arena.web.shared.formats import format_instant, iso_instant, tournament_address
from arena.web.shared.progress import expected_matches, progress_of
from ratings.values.pools import Pool

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
    assert [heat_of(score) for score in (0.0, 0.5, 1.0)] == [0, STEPS // 2, STEPS - 1]


def test_every_figure_of_the_crosstable_stands_out_from_its_ground() -> None:
    sheet = (Path(web.__file__).parent / "static/css/events.css").read_text(encoding="utf-8")
    grounds = dict(re.findall(r"--(h\d): (#[0-9a-f]{6});", sheet))
    (white,) = re.findall(r"^(.*) \{ color: #ffffff; \}", sheet, re.MULTILINE)
    assert len(grounds) == STEPS
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
