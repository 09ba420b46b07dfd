"""Tables on narrow terminals: names are whole, less important columns go, and what is left out is said."""

import re
from pathlib import Path

import pytest

from arena.cli.shared.output import print_table
from arena.cli.shared.terminal import BETWEEN, LAST_TO_GO, NAMES, fold, lay_out, pad, text_width
from arena.model.columns import Column
from tests.cli.command_lines import READS
from tests.cli.support import Arena, write_bot

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
    assert capsys.readouterr().out.splitlines()[-1].startswith("left out for want of room: VERSION, MU, NOTE; ")


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
