"""What holds for every page, in a real browser: no trouble, nothing serious for axe, nothing wider than the window."""

import re

import pytest
from fastapi.routing import APIRoute

from arena.i18n.catalogue import LANGUAGES
from arena.web.app import ROUTERS
from tests.support.browsing import PHONE, Watched

PAGES = (
    "/",
    "/bots",
    "/bots/greedy",
    "/bot-times/greedy",
    "/compare?new=greedy&old=random",
    "/leaderboards",
    "/leaderboards/{pool}",
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
    "/api/v1",
)
"""The addresses; `{pool}` stands for the id of the busiest pool, `{match}` for that of the match planned last."""

ELSEWHERE = {
    "tests/web/live/test_spectators.py": ("/tv",),
    "tests/web/owners/test_in_a_browser.py": (
        "/login", "/account", "/account/admission", "/account/bot", "/account/tokens",
    ),
    "tests/web/owners/test_account.py, without a browser; both are texts by one template": (
        "/account/logs", "/account/build",
    ),
    "tests/web/people/test_in_a_browser.py": ("/play", "/play/{key}"),
    "tests/web/test_tournaments.py": ("/compare/{tournament}", "/tournaments/{tournament}/state"),
}  # fmt: skip
"""The pages that need a service or another database, and where they are looked at."""
NO_PAGE = re.compile(r".*\.(json|svg|csv)|.*/(live|events|state|waiting)")
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
