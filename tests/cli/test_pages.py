import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared.paging import ask_for
from ratings.values.page import Page
from tests.cli.support import Arena, Finished, write_bot
from tests.cli.test_stopped import Interrupted
from tests.cli.test_tournament import play_monday

NEXT = re.compile(r"^there are more: arena (.*)$", re.MULTILINE)


def pages(arena: Arena, *words: str) -> list[Finished]:
    """The pages of a list, each by the command that the page before names."""
    found, following = [], list(words)
    while True:
        found.append(arena(*following))
        assert found[-1].code == 0, found[-1]
        named = NEXT.search(found[-1].err if "--json" in words else found[-1].out)
        if named is None:
            return found
        following = shlex.split(named[1])


LISTS = [
    (["match", "list", "monday", "--state", "finished", "--bot", "ada"], 6, (1, 50)),
    (["match", "list"], 6, (2,)),
    (["bot", "list"], 3, (2,)),
    (["bot", "show", "ada"], 2, (1,)),
    (["tournament", "list"], 1, (1,)),
]


def test_a_list_that_was_cut_names_the_command_for_the_rest(table: Arena, tmp_path: Path) -> None:
    def read(page: Finished) -> list[Any]:
        return list(page.json["versions"] if isinstance(page.json, dict) else page.json)

    play_monday(table)
    table("bot", "add", write_bot(tmp_path / "newer", "ada", body="# newer\n"))
    for words, rows, limits in LISTS:
        whole = read(table(*words, "--limit", "0", "--json"))
        for limit in limits:
            parts = pages(table, *words, "--limit", str(limit), "--json")
            assert [row for part in parts for row in read(part)] == whole, words
            assert len(pages(table, *words, "--limit", str(limit))) == len(parts) == -(-rows // limit), words


def test_a_cursor_of_another_list_is_refused(table: Arena) -> None:
    play_monday(table)
    named = NEXT.search(table("bot", "list", "--limit", "1").out)
    assert named is not None
    cursor = shlex.split(named[1])[-1]
    for words in (["match", "list", "--after", cursor], ["bot", "list", "--after", "nonsense"]):
        assert "is no cursor of this list" in table.refusal(*words)


def test_a_whole_list_is_read_page_by_page_and_comes_out_the_same(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_monday(table)
    lists = ("match list", "bot list", "tournament list", "stats history ada", "bot log ada", "tournament show monday")
    asked = [
        [*words.split(), *(["--matches"] if "show" in words else []), "--limit", "0", *form.split()]
        for words in lists
        for form in (("", "--json", "--csv", "--markdown") if words == "match list" else ("", "--json"))
    ]
    wholes = [table(*words) for words in asked]
    monkeypatch.setattr("arena.cli.shared.paging.MOST_LIMIT", 1)
    for words, whole in zip(asked, wholes, strict=True):
        in_pages = table(*words)
        assert (in_pages.code, in_pages.err) == (0, ""), words
        assert in_pages.out.split() == whole.out.split(), words  # widths are those of the first page


def test_a_whole_list_begins_with_the_first_page_that_has_rows() -> None:
    pages: list[Page[str]] = [Page((), "a"), Page((), "b"), Page(("x",), "c"), Page(("y",), None)]
    given = dict(zip((None, "a", "b", "c"), pages, strict=True))
    page, rest = ask_for(lambda _, after: given[after], 0, None)
    assert (page.items, list(rest)) == (("x",), ["y"])


def test_a_whole_list_tells_how_to_go_on_with_what_stands_on_a_later_page(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob"]
    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.shared.play.LocalExecutor", Interrupted)
        assert table(*order, "--blocks", "2", "--name", "stopped", "--workers", "1").code == 130
    assert table(*order, "--blocks", "1", "--name", "newer").code == 0
    monkeypatch.setattr("arena.cli.shared.paging.MOST_LIMIT", 1)
    shown = table("tournament", "list", "--limit", "0").out
    assert [line.split()[0] for line in shown.splitlines()[1:3]] == ["newer", "stopped"]
    assert "resume" in shown.splitlines()[-1]
