"""People play in a real browser: by clicks on the board, by keys, on a phone; what a browser does wrong is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from arena.i18n.catalogue import LANGUAGES
from engine import registry
from tests.support.browsing import WIDE, Watched
from tests.support.own_games import OURS
from tests.support.patience import PATIENCE_S
from tests.support.people import SitDown, give_up, wait_until_asked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLAY = """async ([end, curious, patience]) => {
  const until = performance.now() + patience;
  for (let clicks = 0; ; await new Promise(resolve => setTimeout(resolve, 5))) {
    if (document.querySelector(end)) return clicks;
    if (performance.now() > until) throw new Error(`${clicks} clicks: ${document.querySelector("#table").innerText}`);
    const shown = document.querySelector("#board").shadowRoot?.querySelectorAll(".choice") ?? [];
    const steps = clicks < curious ? [...shown, ...document.querySelectorAll("#steps button")] : [];
    const all = steps.length ? steps : [...document.querySelectorAll("#actions button[type=button]")];
    if (!all.length) continue;
    const chosen = clicks < curious || clicks % 2 ? Math.floor(Math.random() * all.length) : all.length - 1;
    all[chosen].dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
    clicks++;
  }
}"""
"""Clicks until something is there, and returns how often: at first on anything that is marked on the board or is a step
beside it, and then on whole actions of the list, every other time on the last one, which ends turns soon."""
CURIOUS = 30
LONG_MS = 3000 * PATIENCE_S
OVER = "#result:not([hidden])"
TABLES = [(game, of(registry.get(game).seats)) for game, of in zip(OURS, (max, min), strict=True)]
"""The largest table of one game, the smallest of the other: the script only makes more lines of more seats."""


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_whole_match_is_played_by_clicking(page: Watched, sit_down: SitDown, game: str, seats: int) -> None:
    sit_down(page.page, game, seats)
    assert page.page.evaluate(PLAY, [OVER, CURIOUS, LONG_MS]) > 10
    assert "Anna <b>" in page.page.inner_text("#verdict")
    page.page.wait_for_selector("#scoring tbody tr")
    assert page.page.is_visible("#result .button")
    assert not page.page.is_visible("#problem")


def test_it_is_played_by_keys_alone(page: Watched, sit_down: SitDown) -> None:
    sit_down(page.page)
    wait_until_asked(page.page)
    before = page.page.inner_text("#actions")
    page.page.focus(".play-actions button")
    page.page.keyboard.press("Enter")
    page.page.wait_for_function("(before) => document.querySelector('#actions').innerText !== before", arg=before)
    wait_until_asked(page.page)
    page.page.wait_for_selector("#choices button:focus")
    page.page.focus("#resign summary")
    for key in ("Enter", "Tab", "Enter"):
        page.page.keyboard.press(key)
    page.page.wait_for_selector("#result:not([hidden])")
    assert "resigned" in page.page.inner_text("#verdict")


def test_a_reload_in_the_middle_goes_on_and_a_second_window_takes_over(
    page: Watched, browser: Browser, sit_down: SitDown
) -> None:
    sit_down(page.page)
    wait_until_asked(page.page)
    page.page.evaluate(PLAY, ["#moves li", CURIOUS, LONG_MS])
    wait_until_asked(page.page)
    moves = page.page.locator("#moves li").count()
    page.page.reload()
    wait_until_asked(page.page)
    assert page.page.locator("#moves li").count() >= moves > 0
    context = browser.new_context(viewport={"width": WIDE["width"], "height": WIDE["height"]})
    second = Watched(context.new_page())
    second.page.goto(page.page.url)
    wait_until_asked(second.page)
    page.page.wait_for_selector("#status:has-text('another window')")
    assert page.page.is_hidden("#choices")
    give_up(second.page)
    second.page.wait_for_selector("#result:not([hidden])")
    context.close()
    assert second.troubles == []


@pytest.mark.parametrize("path", ["/play", "/play?game=rex_romanorum&seats=5"])
def test_the_form_is_free_of_trouble(page: Watched, address: str, path: str) -> None:
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        page.page.goto(address + path)
        assert page.serious_findings() == []
        assert page.overflows() == 0
    assert page.unreached() == []


@pytest.mark.parametrize("game", OURS)
def test_a_table_is_free_of_trouble_and_fits_on_a_phone_in_every_language(
    phone: Watched, sit_down: SitDown, game: str
) -> None:
    sit_down(phone.page, game, 2)
    wait_until_asked(phone.page)
    address = phone.page.url
    for language in LANGUAGES:
        phone.page.goto(f"{address}?lang={language}")
        wait_until_asked(phone.page)
        assert phone.overflows() == 0
    for scheme in ("light", "dark"):
        phone.page.emulate_media(color_scheme=scheme)
        assert phone.serious_findings() == []
    give_up(phone.page)
    phone.page.wait_for_selector("#result:not([hidden])")


def test_two_people_play_each_in_his_own_browser(page: Watched, browser: Browser, address: str) -> None:
    host = page.page
    host.emulate_media(reduced_motion="reduce")
    host.goto(f"{address}/play?game=rex_romanorum&seats=2")
    host.select_option("select[name=seat1]", "?invited")
    host.click("form.order button.main")
    host.wait_for_selector("#status:has-text('Waiting for Player 2')")
    start = host.locator("#start")
    assert start.evaluate("picture => picture.complete && picture.naturalWidth > 0"), "the board stands there already"
    context = browser.new_context(viewport={"width": WIDE["width"], "height": WIDE["height"]}, reduced_motion="reduce")
    guest = Watched(context.new_page())
    guest.page.goto(host.input_value("#link-1"))
    guest.page.fill("input[name=name]", "Bob <b>")
    guest.page.click("form[action$=sit] button")
    wait_until_asked(host)
    assert host.is_hidden("#invitations")
    host.wait_for_selector("#board")
    assert start.count() == 0
    guest.page.wait_for_selector("#status:has-text('Player 1 is deciding')")
    assert guest.page.is_hidden("#choices")
    host.click(".play-actions button >> text=Harvest")
    wait_until_asked(guest.page)
    assert "Habsburg" in guest.page.inner_text("#moves li")
    for player, watched in (("Bob <b>", host), ("Bob <b>", guest.page)):
        assert player in watched.inner_text(".play-seats")
    give_up(guest.page)
    host.wait_for_selector(OVER)
    context.close()
    assert guest.troubles == []


def test_steps_are_taken_back_and_the_last_one_is_asked_about(page: Watched, sit_down: SitDown) -> None:
    sit_down(page.page)
    wait_until_asked(page.page)
    choices = page.page.inner_text("#actions")
    page.page.check("#ask-first")
    page.page.click("text=Receive coins")
    page.page.wait_for_selector("#send:not([hidden])")
    assert "nothing is sent yet" in page.page.inner_text("#hint")
    page.page.keyboard.press("Escape")
    wait_until_asked(page.page)
    assert page.page.inner_text("#actions") == choices
    page.page.click("#actions >> text=Build a factory")
    page.page.wait_for_selector("#hint:has-text('Build a factory: what next?')")
    page.page.click("#back")
    assert page.page.inner_text("#actions") == choices
    assert page.page.locator("#moves li").count() == 0, "nothing was sent"
    page.page.click("#actions >> text=Receive coins")
    page.page.click("#send")
    page.page.wait_for_selector("#moves li.own")
    give_up(page.page)
    page.page.wait_for_selector(OVER)


def test_what_one_of_two_at_one_screen_sees_is_covered_for_the_other(page: Watched, sit_down: SitDown) -> None:
    sit_down(page.page, people=2)
    wait_until_asked(page.page)
    table = page.page.url
    told = page.page.evaluate(
        "fetch(`${location.pathname}/state?session=${JSON.parse(document.querySelector('#table').dataset.table).session}`)"
        ".then(answer => answer.json())"
    )
    body = f"event: told\ndata: {json.dumps({**told, 'private': True})}\n\n"
    page.page.route("**/events*", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.page.reload()
    page.page.wait_for_selector("#cover:not([hidden])")
    assert page.page.is_hidden("#board")
    assert page.page.is_hidden("#choices")
    page.page.click("#uncover")
    wait_until_asked(page.page)
    assert page.page.is_visible("#board")
    page.page.unroute("**/events*")
    page.page.goto(table)
    wait_until_asked(page.page)
    give_up(page.page)
    page.page.wait_for_selector(OVER)


TOLD_BY_TEST = """
window.EventSource = class extends EventTarget {
  constructor() { super(); window.source = this; }
  close() {}
};
window.tell = (told) => source.dispatchEvent(new MessageEvent("told", { data: JSON.stringify(told) }));
window.ask = window.fetch;
window.fetch = async (...request) => {
  const answer = await ask(...request);
  window.onAnswer?.();
  setTimeout(() => { window.answered = answer.status; });
  return answer;
};
"""
"""Has a page hear by `tell` alone; `onAnswer` is called when an answer has come that the page has not seen yet, and
`answered` is set when it has."""
STATE = """async () => {
  const { address, session } = JSON.parse(document.querySelector("#table").dataset.table);
  for (;;) {
    const told = await ask(`${address}/state?session=${session}`).then((answer) => answer.json());
    if (told.asked) return told;
  }
}"""
"""Returns what such a page would have heard, once somebody is asked."""


def hear_a_question(page: Page) -> dict[str, Any]:
    """Tell such a page what it would have heard, once its script listens and somebody is asked; returns that."""
    page.wait_for_function("() => window.source")
    told: dict[str, Any] = page.evaluate(STATE)
    page.evaluate("told => tell(told)", told)
    wait_until_asked(page)
    return told


def answer(page: Page, choice: str = "Receive coins") -> None:
    """Choose what others go on after, and wait until the page has seen that it was taken."""
    page.evaluate("window.answered = 0")
    page.click(f"#actions >> text={choice}")
    page.wait_for_function("() => window.answered")
    assert page.evaluate("window.answered") == 204


def test_what_was_answered_is_offered_no_more_if_it_is_told_anew_before_the_answer_comes(
    page: Watched, sit_down: SitDown
) -> None:
    page.page.add_init_script(TOLD_BY_TEST)
    sit_down(page.page)
    told = hear_a_question(page.page)
    page.page.evaluate("told => { window.onAnswer = () => tell({ ...told, fresh: true }); }", told)
    answer(page.page)
    assert page.page.is_hidden("#choices")
    page.page.evaluate("window.onAnswer = null")
    give_up(page.page)


def test_what_was_answered_is_offered_no_more_if_the_table_is_told_anew_without_a_question_before_the_answer_comes(
    page: Watched, sit_down: SitDown
) -> None:
    page.page.add_init_script(TOLD_BY_TEST)
    sit_down(page.page)
    hear_a_question(page.page)
    answer(page.page)  # a page that has answered nothing yet takes no question for one that was answered
    told = hear_a_question(page.page)
    page.page.evaluate("told => { window.onAnswer = () => tell({ ...told, fresh: true, asked: null }); }", told)
    answer(page.page, "Congress")
    assert page.page.is_hidden("#choices")
    page.page.evaluate("window.onAnswer = null")
    give_up(page.page)


def test_a_question_that_has_passed_is_taken_away_before_what_came_of_it_is_shown(
    page: Watched, sit_down: SitDown
) -> None:
    page.page.add_init_script(TOLD_BY_TEST)
    sit_down(page.page)
    page.page.emulate_media(reduced_motion="no-preference")  # moves of others are shown one after another
    page.page.reload()
    told = hear_a_question(page.page)
    ply = told["asked"]["ply"]
    moves = [{"ply": ply + more, "seat": 1, "words": ["waits"], "chance": None} for more in range(2)]
    shown = """told => {
      tell(told);
      return [document.querySelector("#hurry").hidden, document.querySelector("#choices").hidden];
    }"""
    assert page.page.evaluate(shown, {**told, "fresh": False, "moves": moves}) == [False, False]
    page.page.click("#hurry")
    assert page.page.evaluate(shown, {**told, "fresh": False, "moves": moves, "asked": None}) == [False, True]
    page.page.click("#hurry")
    assert page.page.is_hidden("#choices")
    give_up(page.page)
