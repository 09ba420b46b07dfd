"""Pages in a real browser as somebody uses them: a curve under the pointer, a bracket, the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.browsing import Watched, expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
