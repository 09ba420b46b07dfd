"""The front page, the pages of bots and games; and what holds for every page, in a real browser."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from arena.app.policy import Viewer
from arena.i18n.catalogue import LANGUAGES, NAMES
from arena.model.tournaments import SINGLE_MATCH
from arena.web.app import ROUTERS, make_app
from arena.web.pages import front
from arena.web.pages.game_catalog import render_markdown, rules_of
from arena.web.shared.site import Site
from engine import registry
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.values.states import Scope
from tests.app.world import SEATS, World, circle, fresh_world
from tests.ratings import book
from tests.support.browsing import PHONE, Watched, expect
from tests.support.own_games import OURS

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_last_positions_of_different_tournaments_are_shown_where_nothing_is_played(client: TestClient) -> None:
    page = client.get("/").text
    pictures = re.findall(r'<img src="(/matches/([^/]+)/board.svg[^"]+)"', page)
    assert len(pictures) == 4
    tournaments = {client.get(f"/api/v1/matches/{match}").json()["tournament"] for _, match in pictures}
    assert len(tournaments) == 4
    address, match = pictures[0]
    picture = client.get(address.replace("&amp;", "&"))
    assert "immutable" in picture.headers["cache-control"]
    last = client.get(f"/api/v1/matches/{match}").json()["plies"]
    assert picture.text == client.get(f"/matches/{match}/board.svg?ply={last}").text


def test_each_board_names_who_played_by_rank(client: TestClient) -> None:
    card = client.get("/").text.partition('class="players"')[2].partition("</p>")[0]
    assert re.findall(r">(\d)\.<", card) == sorted(re.findall(r">(\d)\.<", card))
    assert 'class="first"' in card


def test_the_newest_versions_and_their_admission_are_told_but_no_seats_of_people(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        ledger, service = Ledger(made.database), ServiceLedger(made.database)
        service.ensure_people()
        for number, (owner, bot) in enumerate((("ann", "fox"), ("ben", "owl"), ("ann", "elk"), ("people", "guest-1"))):
            version, _ = ledger.add_version(bot=bot, owner=owner, content_hash=f"new{number}", manifest={})
            service.request_admission(version.id)
        taken = service.take_admission()
        assert taken is not None
        service.finish_admission(taken.admission.id, is_admitted=False, summary="It does not start.", findings=[])
        page = TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))).get("/").text
        told = re.findall(
            r'<a class="bot"[^>]*href="/bots/([^"]+)".*?<span class="tag[^>]*>([^<]+)<',
            page.partition("Newest versions</h2>")[2],
        )
        assert told == [
            ("ann/elk", "waiting"),
            ("ben/owl", "waiting"),
            ("ann/fox", "refused"),
            ("dog", "plays"),
            ("cat", "plays"),
            ("ben/owl", "not admitted yet"),
        ]


def test_running_tournaments_are_told_and_no_tables_of_people(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        versions = [found.version.id for found in book.active_versions(made.database)][:SEATS]
        for number in range(front._TOURNAMENTS):
            book.create(
                made.database, versions, SEATS, blocks=circle(versions)[:1], name=f"table-{number}", format=SINGLE_MATCH
            )
        told = front_of(made).partition("Running tournaments</h2>")[2].partition("</section>")[0]
        assert re.findall(r'href="/tournaments/[^"]+">([^<]+)<', told) == ["rex"]
        made.play_on(set(range(8)) - {0})
        assert "Running tournaments" not in front_of(made)


def front_of(made: World) -> str:
    """The front page as it is read now: pages that are up already keep it for a moment."""
    return TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))).get("/").text


def test_bots_are_listed_and_searched(client: TestClient) -> None:
    every = re.findall(r'href="/bots/([^"?]+)"', client.get("/bots").text)
    assert every == sorted(every)
    assert {"first", "greedy", "random"} <= set(every)
    assert re.findall(r'href="/bots/([^"?]+)"', client.get("/bots", params={"name": "GREED"}).text) == ["greedy"]
    assert "no such bot" in client.get("/bots", params={"name": "50%"}).text


def test_a_bot_shows_curve_opponents_seats_and_matches(client: TestClient) -> None:
    text = client.get("/bots/greedy").text
    assert '<svg class="chart"' in text
    assert 'class="band"' in text
    (data,) = re.findall(r'data-curve="([^"]+)"', text)
    matches, middle, low, high = json.loads(unescape(data))
    assert matches == sorted(matches)
    assert all(below < mu < above for below, mu, above in zip(low, middle, high, strict=True))
    assert 'href="/bots/random"' in text
    assert re.search(r'href="/matches/[0-9a-f-]{36}"', text)


def test_a_bot_is_looked_at_pool_by_pool(client: TestClient) -> None:
    text = client.get("/bots/greedy").text
    pools = re.findall(r'href="\?pool=([0-9a-f]{64})&amp;version=1"', text)
    assert len(pools) == 3
    curves = {re.findall(r'data-curve="([^"]+)"', client.get(f"/bots/greedy?pool={pool}").text)[0] for pool in pools}
    assert len(curves) == 3


def test_the_time_that_a_bot_used_is_read_from_its_newest_matches(client: TestClient) -> None:
    text = client.get("/bot-times/greedy").text
    assert 1 <= len(re.findall(r'<tr><td><a class="mono" href="/matches/', text)) <= 10


@pytest.mark.parametrize("path", ["/bots/nobody", "/bots/no/body", "/bot-times/nobody", "/compare/nothing"])
def test_what_is_unknown_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_name_that_is_a_script_is_only_text(client: TestClient) -> None:
    for path in ("/bots/<script>alert(1)</script>", "/bots?name=<script>", "/compare?new=<script>&old=greedy"):
        text = client.get(path).text
        assert "<script>" not in text
        assert "&lt;script&gt;" in text


def test_two_bots_are_compared_where_both_are_rated(client: TestClient) -> None:
    text = client.get("/compare", params={"new": "greedy", "old": "random"}).text
    assert text.count("They met in") == 3
    assert client.get("/compare").status_code == 200
    assert client.get("/compare", params={"new": "greedy", "old": "greedy"}).status_code == 400
    assert client.get("/compare", params={"new": "greedy", "old": "nobody"}).status_code == 404


def test_a_tournament_that_compares_nothing_has_no_walk(client: TestClient) -> None:
    answer = client.get("/compare/duel")
    assert answer.status_code == 400
    assert "compares nothing" in answer.text


def test_older_versions_are_on_the_next_pages(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        for number in range(2, 23):
            Ledger(made.database).add_version(bot="dog", owner=None, content_hash=f"d{number}", manifest={})
        client = TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER)))))
        seen, address = [], "/bots/dog"
        while address:
            page = client.get(address).text.partition('id="versions"')[2]
            seen += re.findall(r"<b>v(\d+)</b>", page)
            link = re.search(r'rel="next" href="([^"]+)#versions"', page)
            address = link[1].replace("&amp;", "&") if link else ""
        assert seen == [str(number) for number in range(22, 0, -1)]


@pytest.mark.parametrize("game", OURS)
def test_a_game_shows_rules_board_and_options_for_each_number_of_seats(client: TestClient, game: str) -> None:
    page = client.get(f"/games/{game}?lang=de").text
    assert '<div lang="de"><' in page
    assert "## " not in page
    assert ">Files<" not in page
    assert "style=" not in page
    assert page.count("<pre>") == len(re.findall(r"<pre><code[^>]* tabindex", page)), "wide ones are moved by keys"
    for seats in registry.get(game).seats:
        picture = client.get(f"/games/{game}/board.svg?seats={seats}&lang=de")
        assert picture.headers["content-type"] == "image/svg+xml"
        assert f"board.svg?seats={seats}" in client.get(f"/games/{game}?seats={seats}").text
    for option in registry.get(game).options.schema()["properties"]:
        assert f"<code>{option}</code>" in page


@pytest.mark.parametrize("game", OURS)
@pytest.mark.parametrize("language", NAMES)
def test_rules_say_the_same_in_every_language(game: str, language: str) -> None:
    """As far as that can be seen: the same headings, tables and lists, with the same figures in them."""
    english, told = rules_of(game, "en"), rules_of(game, language)
    assert english is not None
    assert told is not None
    assert told.language == language
    for element in ("h2", "h3", "table", "tr", "td", "li", "p", "strong", "code"):
        assert told.html.count(f"<{element}") == english.html.count(f"<{element}"), element
    assert set(re.findall(r'href="#([^"]+)"', told.html)) <= {"options", *re.findall(r' id="([^"]+)"', told.html)}
    texts = [re.sub(r"<[^>]*>", " ", one.html) for one in (english, told)]
    first, second = (Counter(re.findall(r"\d+", text)) for text in texts)
    assert first == second


def test_all_games_are_listed(client: TestClient) -> None:
    page = unescape(client.get("/games").text)
    assert all(registry.get(name).title in page for name in registry.names())


def test_an_unknown_game_and_a_wrong_number_of_seats_are_not_found(client: TestClient) -> None:
    assert client.get("/games/chess").status_code == 404
    answer = client.get("/games/foreign_king?seats=9&lang=en")
    assert answer.status_code == 404
    assert "is played by: 2, 3, 4" in answer.text
    assert client.get("/games/foreign_king/board.svg?seats=x").status_code == 400


def test_a_plain_game_is_shown_as_text(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.pages.game_catalog.board_size", lambda _game, _seats: None)
    page = client.get("/games/foreign_king?seats=4").text
    assert '<pre tabindex="0">' in page
    assert "board.svg" not in page


def test_what_stands_in_a_text_as_html_is_shown_and_not_obeyed() -> None:
    text = (
        "# T\n\nHello <script>x</script>\n\n## A part\n\n[a](javascript:x) ![b](http://e/x.png)\n\n## Files\n\nmine\n\n"
    )
    html = render_markdown(text + "## Last\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n")
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert "<img" not in html
    assert "mine" not in html
    assert "style" not in html
    assert "<td>2</td>" in html
    assert '<h2 id="a-part">' in html
    assert '<h2 id="last">' in html


BY_KEYS = ("/", "/leaderboards/{pool}", "/bots/greedy", "/matches", "/matches/{match}", "/tournaments/cup", "/games")
"""A page of each kind; those of owners and of people who play are looked at with what they show."""
SIDES = 0.02
"""How far from its left edge a chart is pointed at, as a part of its width."""


def point_at(tab: Page, part: float) -> None:
    """Put the pointer on the chart so far from its left edge."""
    box = tab.locator(".u-over").bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)


def legend(tab: Page) -> list[str]:
    """What the legend says of the point under the pointer: matches, strength, both ends of the interval."""
    return list(tab.locator(".u-legend .u-value").all_inner_texts())


def test_a_curve_tells_its_figures_under_the_pointer_and_is_enlarged_and_shown_whole_again(
    page: Watched, address: str
) -> None:
    tab = page.page
    tab.goto(f"{address}/bots/greedy")
    tab.locator("#curve-card").scroll_into_view_if_needed()
    expect(tab.locator(".zoom-note")).to_be_visible()
    matches, middle, low, high = tab.evaluate("JSON.parse(document.querySelector('[data-curve]').dataset.curve)")
    point_at(tab, SIDES)
    start = legend(tab)
    assert start == [str(column[0]) for column in (matches, middle, low, high)]
    point_at(tab, 1 - SIDES)
    assert legend(tab)[:2] == [str(matches[-1]), str(middle[-1])]

    point_at(tab, 0.5)
    tab.mouse.down()
    point_at(tab, 0.9)
    tab.mouse.up()
    point_at(tab, SIDES)
    assert float(legend(tab)[0]) > matches[0], "only a part is shown"
    tab.locator(".u-over").dblclick(position={"x": 20, "y": 20})
    point_at(tab, 0.5)
    point_at(tab, SIDES)
    assert legend(tab) == start


def test_a_double_elimination_shows_both_its_parts_and_every_tie(page: Watched, address: str) -> None:
    tab = page.page
    tab.goto(f"{address}/tournaments/cup")
    bracket = tab.locator("svg.bracket")
    expect(bracket).to_be_visible()
    assert bracket.locator(".br-lane").all_text_contents() == ["Unbeaten", "Lost once"]
    unbeaten, beaten = (one.bounding_box() for one in bracket.locator(".br-lane").all())
    assert unbeaten is not None
    assert beaten is not None
    boxes = [one.bounding_box() for one in bracket.locator("rect.br-box:not(.br-bye)").all()]
    places = [box["y"] for box in boxes if box is not None]
    assert len(places) == len(boxes) > 3
    assert min(places) > unbeaten["y"]
    assert any(place > beaten["y"] for place in places)


def test_whatever_can_be_used_is_reached_and_seen_by_the_keyboard_alone(
    page: Watched, address: str, ids: dict[str, str]
) -> None:
    for path in BY_KEYS:
        page.page.goto(address + path.format(**ids))
        if "{match}" in path:
            page.page.wait_for_selector("[data-viewer][data-index]")
        assert page.unreached() == [], path


def test_a_table_is_sorted_matches_are_searched_and_a_match_is_stepped_by_keys(
    page: Watched, address: str, ids: dict[str, str]
) -> None:
    tab = page.page
    tab.goto(f"{address}/leaderboards/{ids['pool']}")
    tab.locator("th a, th button").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**sort=**")
    expect(tab.locator("th[aria-sort]").first).to_be_visible()
    tab.goto(f"{address}/matches")
    tab.locator("input[name=bot]").focus()
    tab.keyboard.type("greedy")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**bot=greedy**")
    tab.locator("table.matches tbody a.mono").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[data-viewer][data-index]")
    for key in ("Home", "ArrowRight", "ArrowRight"):
        tab.keyboard.press(key)
    expect(tab.locator("[data-viewer]")).to_have_attribute("data-index", "2")


PAGES = (
    "/",
    "/bots",
    "/bots/greedy",
    "/bot-times/greedy",
    "/compare?new=greedy&old=random",
    "/leaderboards",
    "/leaderboards/{pool}",
    "/leaderboards/overall",
    "/games",
    "/games/foreign_king",
    "/games/rex_romanorum",
    "/matches/{match}",
    "/matches/{match}?ply=3",
    "/matches/{match}/verified",
    "/matches?bot=greedy&opponent=random&fared=won",
    "/tournaments",
    "/tournaments/cup",
    "/tournaments/swiss",
    "/tournaments/swiss/confidence",
    "/tournaments/duel",
    "/verify",
    "/verify?tournament=swiss",
    "/api/v1",
)
"""The addresses; `{pool}` stands for the id of the busiest pool, `{match}` for that of the match planned last."""

ELSEWHERE = {
    "tests/web/test_spectators.py": ("/tv",),
    "tests/web/owners/test_in_a_browser.py": (
        "/login", "/account", "/account/admission", "/account/bot", "/account/tokens",
    ),
    "tests/web/owners/test_pages.py, without a browser; both are texts by one template": (
        "/account/logs", "/account/build",
    ),
    "tests/web/people/test_in_a_browser.py": ("/play", "/play/{key}"),
    "tests/web/test_tournaments.py": ("/compare/{tournament}", "/tournaments/{tournament}/state"),
}  # fmt: skip
"""The pages that need a service or another database, and where they are looked at."""
NO_PAGE = re.compile(r".*\.(json|svg|csv|arena)|.*/(live|events|state|waiting)")
"""What is fetched by pages, or is a file."""
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def test_no_page_is_left_out() -> None:
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    elsewhere = {path for paths in ELSEWHERE.values() for path in paths}
    paths = [path.partition("?")[0] for path in PAGES]
    left_out = [
        route.path
        for route in routes
        if "GET" in (route.methods or ()) and not NO_PAGE.fullmatch(route.path) and route.path not in elsewhere
        if not any(route.path_regex.fullmatch(path) for path in paths)
    ]
    assert left_out == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_free_of_trouble_and_fits_on_a_phone_in_every_language(
    page: Watched, address: str, ids: dict[str, str], path: str
) -> None:
    tab = page.page
    for language in LANGUAGES:
        tab.goto(f"{address}{path.format(**ids)}{'&' if '?' in path else '?'}lang={language}")
        assert tab.locator("html").get_attribute("lang") == language
        assert tab.title().endswith("Kingmaker Arena")
        if language == LANGUAGES[0]:
            assert page.overflows() == 0
            assert page.serious_findings() == []
            tab.emulate_media(color_scheme="dark")
            assert page.serious_findings("color-contrast") == []  # nothing else depends on it
            tab.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
            tab.wait_for_function(FITS)  # what a script draws follows the window a moment later
            assert page.serious_findings("scrollable-region-focusable") == []  # what a phone has more of
        assert page.overflows() == 0
