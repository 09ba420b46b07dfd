"""What the page of a table offers, whatever it is told before, between and after the answers to its own requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.browsing import Watched
from tests.support.table_page import SitDown, give_up, wait_until_asked

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
  const { address, grip } = JSON.parse(document.querySelector("#table").dataset.table);
  for (;;) {
    const told = await ask(`${address}/state?grip=${grip}`).then((answer) => answer.json());
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
