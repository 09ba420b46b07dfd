"""The games on their pages: rules as HTML, the board at the start, options; plain games as text."""

import re
from collections import Counter
from html import unescape

import pytest
from fastapi.testclient import TestClient

from arena.i18n.catalogue import NAMES
from arena.web.pages.games import render_markdown, rules_of
from engine import registry
from tests.support.own_games import OURS


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
    monkeypatch.setattr("arena.web.pages.games.board_size", lambda _game, _seats: None)
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
