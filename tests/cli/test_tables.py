"""Tables in other forms: on narrow terminals, page by page, and as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared.output import EventLines, Style, print_table, rows_of, write_markdown
from arena.cli.shared.paging import ask_for
from arena.cli.shared.terminal import BETWEEN, LAST_TO_GO, NAMES, fold, lay_out, pad
from arena.i18n.sanitize import text_width
from arena.model.table_columns import Column
from ratings.values.page import Page
from tests.cli.command_lines import READS, whole_parser
from tests.cli.support import Arena, Finished, write_bot
from tests.cli.test_places import play_beforehand
from tests.cli.test_tournament import play_monday
from tests.cli.test_tournament_watching import Interrupted

LONG = "a-bot-with-a-very-long-name"
CHEAT = "cheat-with-a-very-long-name"
TITLES = ("rank", "bot", "version", "mu", "score", "note")
CELLS = [["1", LONG, "12", "29.75", "93.9%", "out in round 2 and back in round 7"], ["2", "b", "1", "1.34", "0.0%", ""]]


def total(widths: tuple[int, ...]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1)


def test_a_table_is_no_wider_than_the_terminal_and_its_names_are_whole() -> None:
    for width in range(len(LONG), 120):
        layout = lay_out(TITLES, TITLES, CELLS, width)
        assert total(layout.widths) <= width
        assert layout.widths[layout.shown.index(1)] == len(LONG), width


def test_the_least_important_columns_go_first_and_those_that_no_list_names_before_them() -> None:
    gone: list[str] = []
    for width in range(120, len(LONG) - 1, -1):
        shown = {TITLES[at] for at in lay_out(TITLES, TITLES, CELLS, width).shown}
        gone += [title for title in TITLES if title not in shown and title not in gone]
        assert "bot" in shown
    assert gone == ["mu", *sorted(set(TITLES) - {"mu", "bot"}, key=LAST_TO_GO.index, reverse=True)]


def test_a_column_in_which_nothing_stands_goes_before_one_with_something() -> None:
    titles = ("bot", "rank", "mu")
    layout = lay_out(titles, titles, [["ada", "-", "1.00"], ["bob", "", "2.00"]], 9)
    assert layout.shown == (0, 2)


def test_of_a_column_in_which_nothing_stands_nobody_is_told_that_it_was_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "9")
    columns = [Column(title, title) for title in ("bot", "rank", "mu")]
    print_table(columns, [{"bot": "ada", "rank": None, "mu": "1.00"}], as_json=False)
    assert capsys.readouterr().out.splitlines()[-1] == "ada  1.00"


def test_a_table_without_names_keeps_its_first_column() -> None:
    titles = ("seat", "matches", "wins")
    assert not NAMES & set(titles)
    assert lay_out(titles, titles, [["1", "20", "3"]], 4).shown == (0,)


def test_several_names_in_a_row_are_folded_between_them_after_what_is_worth_less_has_gone() -> None:
    titles, row = ("match", "seats_rank", "sandbox"), ["01234567", "ada(1) bob(2)", "none"]
    assert lay_out(titles, titles, [row], 40).shown == (0, 1, 2)
    assert lay_out(titles, titles, [row], 24).shown == (0, 1)
    assert lay_out(titles, titles, [row], 20).widths == (8, 10)
    assert fold(row[1], 10) == ["ada(1)", "bob(2)"]


def test_on_a_very_narrow_terminal_names_are_folded_and_do_not_vanish() -> None:
    for width in range(1, len(LONG)):
        layout = lay_out(TITLES, TITLES, CELLS, width)
        assert layout.shown == (1,), width
        lines = fold(LONG, layout.widths[0])
        assert "".join(lines) == LONG
        assert max(map(len, lines)) <= max(4, width)


def test_a_text_is_folded_at_its_words_and_within_one_that_is_too_long() -> None:
    for text, width, lines in (
        ("", 5, [""]),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one  two", 20, ["one  two"]),
        ("unbreakable as", 5, ["unbre", "akabl", "e as"]),
        ("王王王", 4, ["王王", "王"]),
    ):
        assert fold(text, width) == lines


def test_wide_characters_take_two_places_and_marks_above_a_letter_none() -> None:
    assert [text_width(text) for text in ("ada", "王", "e\u0301")] == [3, 2, 1]
    assert (pad("王", 4, right=True), pad("王", 4, right=False)) == ("  王", "王  ")


def test_what_is_left_out_is_said_below_the_table_and_a_pipe_gets_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, rows = [Column(title, title) for title in TITLES], [dict(zip(TITLES, CELLS[0], strict=True))]
    print_table(columns, rows, as_json=False)
    whole = capsys.readouterr().out
    assert len(whole.splitlines()) == 2
    assert "left out" not in whole
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    print_table(columns, rows, as_json=False)
    assert capsys.readouterr().out.splitlines()[-1].startswith("left out for lack of room: VERSION, MU, NOTE; ")


@pytest.fixture
def cup(table: Arena, tmp_path: Path) -> Arena:
    """The command with a cup in which bots with long names played, one of which cheated."""
    for name in (LONG, CHEAT):
        write_bot(tmp_path / name, name)
    play = "tournament run round-robin --game foreign_king --seats 3 --name cup --option max_rounds=4"
    done = table.played(
        f"bot add {LONG} {CHEAT}",
        f"{play} --bots ada,{LONG},{CHEAT} --seed 1",
        "ladder open summer --game foreign_king --seats 2",
    )
    assert [one.code for one in done] == [0, 0, 0]
    return table


FIRST = [f"{verb} {lines[0]}".strip() for verb, lines in READS.items()]
OTHERS = [f"{verb} {words}".strip() for verb, lines in READS.items() for words in lines[1:]]
OF_EACH_KIND = [
    "bot list",
    f"bot show {LONG}",
    "leaderboard",
    "match list",
    "match list --fault",
    "match show MATCH",
    "match watch MATCH",
    "replay show MATCH",
    "stats crosstable -t cup",
    "tournament show cup",
    "tournament standings cup",
    "tournament watch cup",
]
MORE = [f"bot show {LONG}", "match list --fault", "game list", f"stats history {LONG}"]


@pytest.mark.parametrize(
    ("lines", "widths"),
    [
        (OF_EACH_KIND, [40]),
        pytest.param([*FIRST, *MORE, *OTHERS], [40, 80], marks=pytest.mark.needs("minutes")),
    ],
    ids=["tables of each kind", "all commands"],
)
def test_no_command_cuts_a_name_however_narrow_the_terminal(cup: Arena, lines: list[str], widths: list[int]) -> None:
    match = cup("match", "list", "--json").json[0]["id"]
    for line in lines:
        words = line.replace("MATCH", match).split()
        piped = cup(*words).out
        for width in widths:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("sys.stdout.isatty", lambda: True)
                patch.setenv("COLUMNS", str(width))
                drawn = cup(*words).out
            missing = {name for name in re.findall(r"[a-z]+-with-a-[a-z-]+", piped) if name not in drawn}
            assert (line, width, missing, "…" in drawn) == (line, width, set(), False)
            assert all(len(rule) <= width for rule in re.findall("─+", drawn)), (line, width)


FORMS = ("--json", "--csv", "--markdown")
AT_A_BAR = re.compile(r"(?<!\\)\|")


def commands(parser: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command with its options."""
    for name, below in getattr(parser, "commands", {}).items():
        yield from commands(below, (*path, name))
    if not hasattr(parser, "commands"):
        yield path, {flag for parameter in parser.params for flag in parameter.opts}


def cells_of_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def cells_of_markdown(text: str) -> list[list[str]]:
    lines = text.splitlines()
    assert len(lines) > 1, text
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines), text
    assert set(lines[1]) <= set("| -:")
    return [AT_A_BAR.split(line[2:-2]) for line in lines if line != lines[1]]


def test_every_command_for_programs_has_all_forms() -> None:
    of_programs = {path: flags for path, flags in commands(whole_parser()) if "--json" in flags}
    assert len(of_programs) > 70
    for path, flags in of_programs.items():
        assert set(FORMS) <= flags, path


@pytest.mark.parametrize(("style", "cells_of"), [(Style.CSV, cells_of_csv), (Style.MARKDOWN, cells_of_markdown)])
def test_events_of_several_kinds_are_rows_below_one_line_of_headings(
    style: Style, cells_of: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.cli.shared.output.wanted_style", lambda: style)
    lines = EventLines(["event", "ply", "ranks"])
    lines.write({"move": {"ply": 3}}, {"event": "move", "ply": 3})
    lines.write({"event": "end", "ranks": (1, 2), "more": "is in no column"})
    nothing = "" if style is Style.CSV else "-"
    assert [[cell.strip() for cell in cells] for cells in cells_of(capsys.readouterr().out)] == [
        ["event", "ply", "ranks"],
        ["move", "3", nothing],
        ["end", nothing, "[1, 2]"],
    ]


@pytest.mark.parametrize(
    ("lines", "least"),
    [(slice(1), 25), pytest.param(slice(1, None), 20, marks=pytest.mark.needs("minutes"))],
    ids=["plain", "with options"],
)
def test_every_question_is_answered_in_every_form_by_one_table(table: Arena, lines: slice, least: int) -> None:
    match = play_beforehand(table)
    asked = 0
    for name, each in READS.items():
        for words in each[lines]:
            line = [*name.split(), *words.replace("MATCH", match).split()]
            if "--csv" in line or (comma := table(*line, "--csv")).code:
                continue
            tables = cells_of_csv(comma.out), cells_of_markdown(table(*line, "--markdown").out)
            for cells in tables:
                assert {len(row) for row in cells} <= {len(cells[0])}, line
            assert len(tables[0]) == len(tables[1]) or name == "stats crosstable", line
            asked += 1
    assert asked > least


def test_what_is_one_thing_has_a_row_for_each_key(table: Arena) -> None:
    facts = table("game", "show", "foreign_king", "--json").json
    rows = dict(cells_of_csv(table("game", "show", "foreign_king", "--csv").out))
    assert rows["key"] == "value"
    assert rows["name"] == facts["name"]


def test_two_forms_at_once_are_refused_in_whatever_order(table: Arena) -> None:
    for words in (("--json", "--csv"), ("--markdown", "--json"), ("--csv", "--markdown")):
        for command in (("match", "list"), ("stats", "seats")):
            assert "--json, --csv and --markdown exclude each other" in table.refusal(*command, *words)


def test_the_next_page_is_told_in_the_form_of_this_one(table: Arena) -> None:
    play_beforehand(table)
    for form in FORMS:
        assert form in table("match", "list", "--limit", "1", form).err.split()


@pytest.mark.parametrize(
    ("data", "table", "keys", "rows"),
    [
        ({"a": 1, "b": {"c": True, "d": {}}}, None, ["key", "value"], [["a", 1], ["b.c", "true"], ["b.d", "{}"]]),
        ([{"a": None}, {"b": [1, "é"]}], None, ["a", "b"], [[None, None], [None, '[1, "é"]']]),
        (["one", 2], None, ["value"], [["one"], [2]]),
        ({"n": 1, "t": [{"x": 2}]}, "t", ["x"], [[2]]),
        ([{"n": 1, "x": 0, "t": [{"x": 2}, {"x": 3}]}, {"n": 4, "t": []}], "t", ["n", "x"], [[1, 2], [1, 3]]),
        ([], None, [], []),
    ],
)
def test_data_becomes_rows(data: object, table: str | None, keys: list[str], rows: list[list[object]]) -> None:
    found, flat = rows_of(data, table)
    assert (found, [[row.get(key) for key in keys] for row in flat]) == (keys, rows)


def test_nothing_in_a_cell_ends_it_or_begins_a_tag() -> None:
    stream = io.StringIO()
    write_markdown(["a|b", "n"], [["<b>\\|", "1"]], stream, [False, True])
    assert stream.getvalue() == "| a\\|b | n |\n| --- | ---: |\n| \\<b>\\\\\\| | 1 |\n"


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
        patch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
        assert table(*order, "--blocks", "2", "--name", "stopped", "--workers", "1").code == 130
    assert table(*order, "--blocks", "1", "--name", "newer").code == 0
    monkeypatch.setattr("arena.cli.shared.paging.MOST_LIMIT", 1)
    shown = table("tournament", "list", "--limit", "0").out
    assert [line.split()[0] for line in shown.splitlines()[1:3]] == ["newer", "stopped"]
    assert "resume" in shown.splitlines()[-1]
