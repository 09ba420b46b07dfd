"""Tables on narrow terminals: names are whole, less important columns go, and what is left out is said."""

import re
import shutil
from pathlib import Path

import pytest

from arena.cli.shared.layout import BETWEEN, LAST_TO_GO, NAMES, fold, lay_out, pad, text_width
from arena.cli.shared.output import Column, print_table
from arena.hosting.removal import remove_tree
from tests.cli.command_lines import READS
from tests.cli.support import Arena, write_bot

LONG = "a-bot-with-a-very-long-name"
WIDTHS = (40, 60, 80)
TITLES = ("rank", "bot", "version", "mu", "score", "note")
CELLS = [["1", LONG, "12", "29.75", "93.9%", "out in round 2 and back in round 7"], ["2", "b", "1", "1.34", "0.0%", ""]]


def total(widths: tuple[int, ...]) -> int:
    return sum(widths) + BETWEEN * (len(widths) - 1)


@pytest.mark.parametrize("width", range(len(LONG), 120))
def test_a_table_is_no_wider_than_the_terminal_and_its_names_are_whole(width: int) -> None:
    layout = lay_out(TITLES, TITLES, CELLS, width)
    assert total(layout.widths) <= width
    assert layout.widths[layout.shown.index(1)] == len(LONG)


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


@pytest.mark.parametrize("width", range(1, len(LONG)))
def test_on_a_very_narrow_terminal_names_are_folded_and_do_not_vanish(width: int) -> None:
    layout = lay_out(TITLES, TITLES, CELLS, width)
    assert layout.shown == (1,)
    lines = fold(LONG, layout.widths[0])
    assert "".join(lines) == LONG
    assert max(map(len, lines)) <= max(4, width)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one  two", 20, ["one  two"]),
        ("unbreakable as", 5, ["unbre", "akabl", "e as"]),
        ("王王王", 4, ["王王", "王"]),
    ],
)
def test_a_text_is_folded_at_its_words_and_within_one_that_is_too_long(text: str, width: int, lines: list[str]) -> None:
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


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("long")


@pytest.fixture
def cup(table: Arena, tmp_path: Path, long_names: Path) -> Arena:
    """The command with a cup in which bots with long names played, one of which cheated."""
    if not (long_names / "arena.db").exists():
        for name in (LONG, "cheat-with-a-very-long-name"):
            table("bot", "add", write_bot(tmp_path / name, name))
        words = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--name", "cup"]
        assert table(*words, "--bots", f"ada,{LONG},cheat-with-a-very-long-name", "--seed", "1").code == 0
        assert table("ladder", "open", "summer", "--game", "foreign_king", "--seats", "2").code == 0
        shutil.copytree(tmp_path, long_names, dirs_exist_ok=True)
    else:
        remove_tree(str(tmp_path / "arena.bots"))  # whose files nobody may write
        shutil.copytree(long_names, tmp_path, dirs_exist_ok=True)
    return table


LINES = [f"{verb} {words}".strip() for verb, lines in READS.items() for words in lines]


@pytest.mark.parametrize(
    "line", [*LINES, "bot show " + LONG, "match list --fault", "game list", "stats history " + LONG]
)
def test_no_command_cuts_a_name_however_narrow_the_terminal(cup: Arena, line: str) -> None:
    words = line.replace("MATCH", cup("match", "list", "--json").json[0]["id"]).split()
    piped = cup(*words).out
    for width in WIDTHS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout.isatty", lambda: True)
            patch.setenv("COLUMNS", str(width))
            drawn = cup(*words).out
        for name in re.findall(r"[a-z]+-with-a-[a-z-]+", piped):
            assert name in drawn
        assert "…" not in drawn
        assert all(len(rule) <= width for rule in re.findall("─+", drawn))
