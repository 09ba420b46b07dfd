"""The pages at which people play, without a browser: what is refused, what is told, what is escaped."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.frame.site import Rules
from arena.web.opening import open_site
from arena.words.catalogue import LANGUAGES
from tests.support.patience import PATIENCE_S
from tests.support.places import Place

FORM = {
    "game": "foreign_king",
    "seats": "2",
    "seat0": "?person",
    "seat1": "first",
    "name0": "<script>alert(1)</script>",
}
RULES = Rules(most=6, per_visitor=4, per_hour=1000)


@pytest.fixture
def visitor(place: Place) -> Iterator[TestClient]:
    service = f"unix:{place.directory / 'run' / 'owners.sock'}"
    with open_site(str(place.db), service, people=RULES) as site, TestClient(make_app(site)) as client:
        yield client


def sit_down(visitor: TestClient, **changes: str) -> dict[str, object]:
    """Order a table; what its page tells its script."""
    page = visitor.post("/play", data={**FORM, **changes})
    assert page.status_code == 200, page.text
    return told(page.text)


def told(page: str) -> dict[str, object]:
    found = re.search(r'data-table="([^"]*)"', page)
    assert found
    data: dict[str, object] = json.loads(html.unescape(found[1]))
    return data


def wait_until_asked(visitor: TestClient, table: dict[str, object]) -> dict[str, object]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        state: dict[str, object] = visitor.get(f"{table['address']}/state", params={"grip": str(table["grip"])}).json()
        if state["asked"] or state["ending"]:
            return state
    raise AssertionError("nothing was asked")


def resign(visitor: TestClient, table: dict[str, object]) -> None:
    answer = visitor.post(f"{table['address']}/resign", data={"grip": str(table["grip"]), "seat": "all"})
    assert answer.status_code == 204, answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_offers_games_seats_bots_clocks_and_options(visitor: TestClient, language: str) -> None:
    page = visitor.get(f"/play?lang={language}&game=rex_romanorum&seats=5").text
    assert page.count('<select name="seat') == 5
    for text in ('value="drawn"', 'value="brisk"', 'name="option_variant"', "/play?game=foreign_king&amp;seats=4"):
        assert text in page


def test_a_table_is_played_by_requests(visitor: TestClient) -> None:
    table = sit_down(visitor)
    state = wait_until_asked(visitor, table)
    asked = state["asked"]
    assert isinstance(asked, dict)
    choice = {"grip": str(table["grip"]), "ply": str(asked["ply"]), "action": str(asked["actions"][0]["id"])}
    assert visitor.post(f"{table['address']}/choose", data=choice).status_code == 204
    again = visitor.post(f"{table['address']}/choose", data=choice, headers={"accept-language": "de"})
    assert again.status_code == 409
    assert again.json()["error"].startswith("Das ist schon entschieden")
    resign(visitor, table)
    ended = wait_until_asked(visitor, table)
    while not ended["ending"]:
        ended = wait_until_asked(visitor, table)
    assert ended["ending"]["resigned"] == "asked"  # type: ignore[index]


def test_without_script_the_list_of_actions_is_a_form(visitor: TestClient) -> None:
    table = sit_down(visitor)
    wait_until_asked(visitor, table)
    page = visitor.get(str(table["address"])).text
    button = re.search(r'<button name="action" value="(\d+)">', page)
    grip, ply = re.search(r'name="grip" value="(\d+)"', page), re.search(r'name="ply" value="(\d+)"', page)
    assert button
    assert grip
    assert ply
    data = {"grip": grip[1], "ply": ply[1], "action": button[1]}
    answer = visitor.post(f"{table['address']}/choose", data=data, headers={"accept": "text/html"})
    assert answer.status_code == 200
    assert answer.url.path == table["address"]
    picture = visitor.get(f"{table['address']}/board.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    resign(visitor, told(answer.text))


def test_what_people_call_themselves_is_never_markup(visitor: TestClient) -> None:
    table = sit_down(visitor)
    assert table["names"] == ["<script>alert(1)</script>", "first"]
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
        answer = visitor.post(f"{table['address']}/choose", data={"grip": str(table["grip"]), **data})
        assert answer.status_code == 409
        assert answer.json()["kind"] == "refused"
    other = visitor.get(str(table["address"]))
    assert visitor.post(f"{table['address']}/choose", data={"grip": str(table["grip"])}).json()["kind"] == "taken"
    assert wait_until_asked(visitor, told(other.text))["asked"]["ply"] == state["asked"]["ply"]  # type: ignore[index]
    resign(visitor, told(other.text))


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}]
)
def test_a_page_of_another_site_opens_no_table_and_plays_at_none(visitor: TestClient, headers: dict[str, str]) -> None:
    assert visitor.post("/play", data=FORM, headers=headers).status_code == 403
    table = sit_down(visitor)
    assert (
        visitor.post(
            f"{table['address']}/resign", data={"grip": str(table["grip"]), "seat": "all"}, headers=headers
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
        ({"seat1": "nobody/at-all"}, 404),
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


def test_where_nobody_may_sit_down_nothing_of_it_is_there(place: Place) -> None:
    with open_site(str(place.db)) as site, TestClient(make_app(site)) as client:
        assert "/play" not in client.get("/").text
        assert client.get("/play").status_code == 404
        assert client.post("/play", data=FORM).status_code == 404
        assert client.get("/play/abc").status_code == 404


def test_an_unknown_table_is_a_clear_page(visitor: TestClient) -> None:
    for path in (
        "/play/unknown",
        "/play/unknown/state?grip=1",
        "/play/unknown/board.svg",
        "/play/unknown/events?grip=1",
    ):
        assert visitor.get(path).status_code == 404
    assert visitor.get("/play/unknown/state?grip=x").status_code in (400, 404)
