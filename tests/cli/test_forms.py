"""`--csv` and `--markdown` beside every `--json`: the same table, for spreadsheets, pages and issues."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.cli.shared.output import EventLines, Style, rows_of, write_markdown
from tests.cli.command_lines import READS, whole_parser
from tests.cli.support import Arena
from tests.cli.test_both_adapters import play_beforehand

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
