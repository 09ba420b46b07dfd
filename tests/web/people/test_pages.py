"""The pages at which people play, without a browser: what is refused, what is told, what is escaped."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from unittest.mock import AsyncMock

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.i18n.catalogue import LANGUAGES
from arena.model.human_play import PlayLimits
from arena.web.app import make_app, open_site
from arena.web.people.errors import NotReachedError, SeatRefusedError
from arena.web.people.game_table import GameTable
from arena.web.people.tables import GameTables
from tests.support.patience import PATIENCE_S
from tests.support.places import Place
from tests.support.processes import wait_until

FORM = {
    "game": "foreign_king",
    "seats": "2",
    "seat0": "?person",
    "seat1": "first",
    "name0": "<script>alert(1)</script>",
}
RULES = PlayLimits(most=6, per_visitor=4, per_hour=1000)


@pytest.fixture
def visitor(place: Place) -> Iterator[TestClient]:
    service = f"unix:{place.directory / 'run' / 'owners.sock'}"
    with open_site(str(place.db), service, people=RULES) as site, TestClient(app := make_app(site)) as client:
        yield client
        wait_until(
            lambda: app.state.game_tables.free == RULES.most
        )  # pages that start anew go on with tables that are played


def sit_down(visitor: TestClient, **changes: str) -> dict[str, object]:
    """Order a table; what its page tells its script."""
    page = visitor.post("/play", data={**FORM, **changes})
    assert page.status_code == 200, page.text
    return told(page.text)


def told(page: str) -> dict[str, object]:
    found = re.search(r'data-table="([^"]*)"', page)
    assert found, re.sub(r"<[^>]*>|\s+", " ", page)
    data: dict[str, object] = json.loads(html.unescape(found[1]))
    return data


def wait_until_asked(visitor: TestClient, table: dict[str, object]) -> dict[str, object]:
    """What is told once somebody is asked, or all is over."""
    app, portal, address = visitor.app, visitor.portal, str(table["address"])
    assert isinstance(app, FastAPI)
    assert portal is not None
    found: GameTable = app.state.game_tables.find(address.rpartition("/")[2])
    while True:
        before = found.sequence
        state: dict[str, object] = visitor.get(f"{address}/state", params={"session": str(table["session"])}).json()
        if state["asked"] or state["ending"]:
            return state
        assert portal.call(found.wait, before, PATIENCE_S) > before, "nothing was asked"


def resign(visitor: TestClient, table: dict[str, object]) -> None:
    answer = visitor.post(f"{table['address']}/resign", data={"session": str(table["session"]), "seat": "all"})
    assert answer.status_code == 204, answer.text


def test_the_form_offers_games_seats_bots_clocks_and_options(visitor: TestClient) -> None:
    languages = (LANGUAGES[0], LANGUAGES[-1])
    pages = [visitor.get(f"/play?lang={language}&game=rex_romanorum&seats=5").text for language in languages]
    assert [page.count('<select name="seat') for page in pages] == [5, 5]
    for text in ('value="drawn"', 'value="brisk"', 'name="option_variant"', "/play?game=foreign_king&amp;seats=4"):
        assert all(text in page for page in pages), text


def test_the_form_says_how_bots_come_to_an_arena_without(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    advice = "arena bot add random greedy search"
    assert advice not in visitor.get("/play").text
    monkeypatch.setattr("arena.web.people.new_table_form.offered_bots", lambda *_: [])
    assert advice in visitor.get("/play").text


def test_a_table_is_played_by_requests(visitor: TestClient) -> None:
    table = sit_down(visitor)
    state = wait_until_asked(visitor, table)
    asked = state["asked"]
    assert isinstance(asked, dict)
    choice = {"session": str(table["session"]), "ply": str(asked["ply"]), "action": str(asked["actions"][0]["id"])}
    assert visitor.post(f"{table['address']}/choose", data=choice).status_code == 204
    again = visitor.post(f"{table['address']}/choose", data=choice, headers={"accept-language": "de"})
    assert again.status_code == 409
    assert again.json()["error"].startswith("Das ist schon entschieden")
    resign(visitor, table)
    assert wait_until_asked(visitor, table)["ending"]["resigned"] == "asked"  # type: ignore[index]


def test_without_script_the_list_of_actions_is_a_form(visitor: TestClient) -> None:
    table = sit_down(visitor)
    wait_until_asked(visitor, table)
    page = visitor.get(str(table["address"])).text
    button = re.search(r'<button name="action" value="(\d+)">', page)
    session, ply = re.search(r'name="session" value="(\d+)"', page), re.search(r'name="ply" value="(\d+)"', page)
    assert button
    assert session
    assert ply
    data = {"session": session[1], "ply": ply[1], "action": button[1]}
    answer = visitor.post(f"{table['address']}/choose", data=data, headers={"accept": "text/html"})
    assert answer.status_code == 200
    assert answer.url.path == table["address"]
    picture = visitor.get(f"{table['address']}/board.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    resign(visitor, told(answer.text))


@pytest.mark.hostile("web-markup-as-text")
def test_what_people_call_themselves_is_never_markup(visitor: TestClient) -> None:
    table = sit_down(visitor)
    assert wait_until_asked(visitor, table)["names"] == ["<script>alert(1)</script>", "first"]
    page = visitor.get(str(table["address"])).text
    assert "<script>alert" not in page
    assert "<script>alert" not in visitor.get("/play").text
    resign(visitor, told(page))


def test_bad_choices_are_refused_in_words_and_cost_nothing(visitor: TestClient) -> None:
    table = sit_down(visitor)
    state = wait_until_asked(visitor, table)
    for data in (
        {},
        {"ply": "x", "action": "1"},
        {"ply": "0", "action": "99999"},
        {"ply": "-1", "action": "²"},
        {"action": "1" * 99},
    ):
        answer = visitor.post(f"{table['address']}/choose", data={"session": str(table["session"]), **data})
        assert answer.status_code == 409
        assert answer.json()["kind"] == "refused"
    other = visitor.get(str(table["address"]))
    assert visitor.post(f"{table['address']}/choose", data={"session": str(table["session"])}).json()["kind"] == "taken"
    assert wait_until_asked(visitor, told(other.text))["asked"]["ply"] == state["asked"]["ply"]  # type: ignore[index]
    resign(visitor, told(other.text))


@pytest.mark.hostile("web-page-of-another-site-acts")
@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}]
)
def test_a_page_of_another_site_opens_no_table_and_plays_at_none(visitor: TestClient, headers: dict[str, str]) -> None:
    assert visitor.post("/play", data=FORM, headers=headers).status_code == 403
    table = sit_down(visitor)
    assert (
        visitor.post(
            f"{table['address']}/resign", data={"session": str(table["session"]), "seat": "all"}, headers=headers
        ).status_code
        == 403
    )
    resign(visitor, table)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"game": "chess"}, 404),
        ({"seats": "99"}, 400),
        ({"seats": "-1"}, 400),
        ({"seat1": "nobody/at-all"}, 409),
        ({"seat0": "first"}, 400),
        ({"option_rulebook": "klingon"}, 400),
        (
            {
                "game": "rex_romanorum",
                "seats": "5",
                "seat1": "?person",
                "seat2": "?person",
                "seat3": "?person",
                "seat4": "?person",
            },
            409,
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_a_page(
    visitor: TestClient, changes: dict[str, str], status: int
) -> None:
    answer = visitor.post("/play", data={**FORM, **changes})
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_whoever_is_not_let_in_is_told_why_and_what_to_do(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = (
        (SeatRefusedError("full", why="the arena is full"), "does not let you in: the arena is full"),
        (NotReachedError("late", time="15"), "within 15 seconds"),
    )
    for error, sentence in refusals:
        monkeypatch.setattr(GameTables, "open", AsyncMock(side_effect=error))
        answer = visitor.post("/play", data=FORM)
        assert answer.status_code == 409
        assert sentence in answer.text


def test_where_nobody_may_sit_down_nothing_of_it_is_there(place: Place) -> None:
    with open_site(str(place.db)) as site, TestClient(make_app(site)) as client:
        assert "/play" not in client.get("/").text
        closed = client.get("/play")
        assert closed.status_code == 404
        assert "arena serve" in closed.text  # where people can sit down instead
        assert client.post("/play", data=FORM).status_code == 404
        assert client.get("/play/abc").status_code == 404


def test_an_unknown_table_is_a_clear_page(visitor: TestClient) -> None:
    for path in (
        "/play/unknown",
        "/play/unknown/state?session=1",
        "/play/unknown/board.svg",
        "/play/unknown/events?session=1",
    ):
        assert visitor.get(path).status_code == 404
    assert visitor.get("/play/unknown/state?session=x").status_code in (400, 404)


def test_a_bot_that_was_not_admitted_is_not_offered_and_refused_at_once(visitor: TestClient) -> None:
    assert "ada/hopeful" not in visitor.get("/play").text
    answer = visitor.post("/play", data={**FORM, "seat1": "ada/hopeful"}, headers={"accept-language": "de"})
    assert answer.status_code == 409
    assert "ada/hopeful kann hier gerade nicht spielen" in answer.text


def test_one_click_leads_to_a_table_against_bots(visitor: TestClient) -> None:
    assert 'action="/play/quick"' in visitor.get("/games/rex_romanorum").text
    page = visitor.post("/play/quick", data={"game": "rex_romanorum", "seats": "4"})
    assert page.status_code == 200
    table = told(page.text)
    names = wait_until_asked(visitor, table)["names"]
    assert isinstance(names, list)
    assert len(names) == 4
    resign(visitor, table)
    assert visitor.post("/play/quick", data={"game": "chess"}).status_code == 404


def test_steps_are_looked_ahead_to_and_sent_only_when_the_turn_is_whole(visitor: TestClient) -> None:
    table = sit_down(visitor)
    asked = wait_until_asked(visitor, table)["asked"]
    assert isinstance(asked, dict)
    labels = {action["label"]: action["id"] for action in asked["actions"]}
    build, form = str(labels["Build a factory"]), {"session": str(table["session"]), "ply": str(asked["ply"])}
    address = f"{table['address']}/choose"
    looked = visitor.post(address, data={**form, "action": build, "mode": "plan"}).json()
    assert looked["words"] == ["A wants to build a factory."]
    assert looked["board"]["changes"]
    place = looked["choices"]["actions"][0]["id"]
    whole = visitor.post(address, data={**form, "action": f"{build},{place}", "mode": "look"}).json()
    assert whole["choices"] is None or whole["choices"]["actions"]
    assert visitor.post(address, data={**form, "action": f"{build},{build}", "mode": "plan"}).status_code == 409
    assert wait_until_asked(visitor, table)["count"] == 0, "nothing was sent"
    assert visitor.post(address, data={**form, "action": f"{build},{place}", "mode": "send"}).status_code == 204
    resign(visitor, table)


def test_an_invitation_leads_to_a_seat_and_opens_nothing_afterwards(visitor: TestClient) -> None:
    page = visitor.post("/play", data={**FORM, "seat1": "?invited", "name1": "Bob"})
    table = told(page.text)
    found = re.search(r'id="link-1" value="http://testserver(/play/[^"]+)"', page.text)
    assert found
    link, state = found[1], f"{table['address']}/state?session={table['session']}"
    assert visitor.get(state).json()["missing"] == ["Bob"]
    visitor.cookies.clear()  # somebody else, in a browser of his own
    invitation = visitor.get(link)
    assert "<script>alert" not in invitation.text
    assert invitation.text.count('class="tag"') == 2
    sat = visitor.post(f"{link}/sit", data={"name": "<b>Bo"})
    assert sat.status_code == 200
    other = told(sat.text)
    assert (table["own"], other["own"]) == ([0], [1])
    for again in (visitor.get(link), visitor.post(f"{link}/sit", data={"name": "Bo"})):
        assert again.url.path == other["address"], "the one who came by it is led to his seat"
    other = told(visitor.get(str(other["address"])).text)
    own = dict(visitor.cookies)
    visitor.cookies.clear()
    for answer in (visitor.get(link), visitor.post(f"{link}/sit", data={"name": "Eve"})):
        assert answer.status_code == 404
        assert "Somebody has taken this seat" in answer.text
    visitor.cookies.update(own)
    ready = wait_until_asked(visitor, table)
    assert ready["names"] == ["<script>alert(1)</script>", "<b>Bo"]
    seen = visitor.get(f"{other['address']}/state", params={"session": str(other["session"])}).json()
    assert (seen["asked"], seen["decider"]) == (None, 0)
    for one in (table, other):
        resign(visitor, one)
