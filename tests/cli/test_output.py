"""What commands write: tables, JSON, shared firsts, progress that nobody may read, and files, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared.cells import format_instant, printable
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.files import write_file, written
from arena.cli.shared.match_annotations import Reasons
from arena.cli.shared.output import Style, print_facts, print_json, print_table
from arena.cli.shared.process_signals import ignore_broken_stderr
from arena.cli.shared.progress import LazyProgress, ProgressDisplay, progress_text
from arena.model.table_columns import (
    LEADERBOARD,
    STANDINGS,
    TOGETHER,
    Column,
    ColumnKind,
    format_duration,
    pick,
    without,
    without_empty,
)
from tests.cli.support import ROUND_ROBIN, Arena
from tests.support.patience import PATIENCE_S

COLUMNS = (Column("name", "bot"), Column("matches", "matches", ColumnKind.COUNT))
ROWS = [{"name": "random", "matches": 5, "id": "a"}, {"name": "search", "matches": 12, "id": "b"}]


def test_a_table_in_a_pipe_is_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, ROWS, as_json=False)
    assert capsys.readouterr().out == "BOT     MATCHES\nrandom        5\nsearch       12\n"


def test_json_has_every_key_also_those_without_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, ROWS, as_json=True)
    assert json.loads(capsys.readouterr().out) == ROWS


@pytest.mark.hostile("steer-the-terminal")
def test_what_steers_a_terminal_is_not_printed_but_a_space_that_holds_words_together_is() -> None:
    assert printable("fin\u00a0: \x1b[31m\u202e") == "fin\u00a0: \\u001b[31m\\u202e"


def test_a_table_without_rows_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [], as_json=False, empty="no bots yet")
    assert capsys.readouterr().out == "no bots yet\n"


def test_a_table_without_rows_is_an_empty_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [], as_json=True, empty="no bots yet")
    assert json.loads(capsys.readouterr().out) == []


def test_a_table_on_a_terminal_is_drawn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_table(COLUMNS, [{"name": "[red]odd", "matches": None}], as_json=False)
    written = capsys.readouterr().out
    assert "[red]odd" in written
    assert "─" in written


@pytest.mark.parametrize("columns", ["0", "1", "16"])
def test_a_name_that_is_wider_than_the_terminal_is_folded_and_not_cut_off(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", columns)
    print_table(COLUMNS, [{"name": "x" * 90, "matches": 1}], as_json=False)
    assert "x" * 90 in capsys.readouterr().out.replace("\n", "")


@pytest.mark.hostile("steer-the-terminal-in-json")
def test_json_steers_no_terminal_and_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m\x7f\x9b\u202eÄ王\U000e0001\n"
    print_json({"note": hostile})
    written = capsys.readouterr().out
    assert json.loads(written) == {"note": hostile}
    assert written.replace("\n", "").isprintable()
    assert "Ä王" in written


def test_facts_stand_below_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"name": "random", "owner": None})
    assert capsys.readouterr().out == "name   random\nowner  -\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.12, "120 ms"),
        (59.4, "59.4 s"),
        (59.97, "1 min"),
        (125, "2 min 5 s"),
        (3599.8, "1 h"),
        (10920, "3 h 2 min"),
        (86399, "1 d"),
        (187200, "2 d 4 h"),
        (-1, "0 s"),
    ],
)
def test_durations_are_written_for_people(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_instants_are_utc() -> None:
    assert format_instant(0) == "1970-01-01 00:00:00"
    assert format_instant(None) == "-"


def test_progress_tells_rate_and_time_left() -> None:
    assert progress_text(20, 120, 2.0) == "20/120 matches, 2.0/s, 50 s left"


def test_progress_before_the_first_match_promises_nothing() -> None:
    assert progress_text(0, 120, 0.0) == "0/120 matches"


def test_progress_says_that_it_does_not_know_the_time_left_yet() -> None:
    assert progress_text(1, 120, None) == "1/120 matches, estimating the time left"
    assert progress_text(120, 120, None) == "120/120 matches"


def test_progress_at_the_end_has_no_time_left() -> None:
    assert progress_text(120, 120, 2.0) == "120/120 matches, 2.0/s"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_a_line_only_every_few_seconds() -> None:
    log, clock = io.StringIO(), Clock()
    display = ProgressDisplay(0, 10, log, clock)
    for done in range(1, 10):
        clock.now += 1
        display.update(done)
    display.end(10)
    assert log.getvalue() == "5/10 matches, 1.0/s, 5 s left\n10/10 matches, 1.1/s\n"


def test_a_resumed_run_counts_its_rate_from_where_it_went_on() -> None:
    log, clock = io.StringIO(), Clock()
    display = ProgressDisplay(100, 110, log, clock)
    clock.now = 5.0
    display.update(105, "search leads")
    assert log.getvalue() == "105/110 matches, 1.0/s, 5 s left; search leads\n"


def test_a_run_tells_the_speed_that_it_is_given_and_at_its_end_that_of_the_whole() -> None:
    log, clock = io.StringIO(), Clock()
    display = ProgressDisplay(0, 40, log, clock)
    for done, speed in ((1, None), (20, 4.0)):
        clock.now += 5.0
        display.update(done, speed=speed)
    display.end(40)
    assert log.getvalue().splitlines() == [
        "1/40 matches, estimating the time left",
        "20/40 matches, 4.0/s, 5 s left",
        "40/40 matches, 4.0/s",
    ]


def test_what_is_done_at_once_shows_no_progress_and_what_lasts_does() -> None:
    log, clock = io.StringIO(), Clock()
    shown = LazyProgress(log, clock)
    shown.update(1, 10)
    shown.end()
    assert log.getvalue() == ""
    for done in (2, 3, 8):
        clock.now += 5.0
        shown.update(done, 10)
    shown.end()
    assert log.getvalue().splitlines() == [
        "3/10 matches, 0.2/s, 35 s left",
        "8/10 matches, 0.6/s, 3 s left",
        "10/10 matches, 0.8/s",
    ]


def test_a_line_that_is_wider_than_the_terminal_is_shown_whole_and_overwritten_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal, clock = Terminal(), Clock()
    display = ProgressDisplay(0, 10, terminal, clock)
    for done, note in ((1, "2 lost by the host"), (2, "3 lost by the host"), (3, "")):
        clock.now += 1
        display.update(done, note)
    display.end(10)
    first, second, third, last = terminal.getvalue().split("\r")[1:]
    assert first == "\x1b[J1/10 matches, 1.0/s, 9 s left; 2 lost\nby the host"
    assert second == "\x1b[1A\x1b[J2/10 matches, 1.0/s, 8 s left; 3 lost\nby the host"
    assert third == "\x1b[1A\x1b[J3/10 matches, 1.0/s, 7 s left"
    assert last == "10/10 matches, 3.3/s         \n"


def test_a_terminal_gets_one_line_that_is_overwritten_whole() -> None:
    terminal, clock = Terminal(), Clock()
    display = ProgressDisplay(0, 10, terminal, clock)
    clock.now = 1.0
    display.update(5, "a long note")
    clock.now = 2.0
    display.update(6)
    display.end(10)
    lines = terminal.getvalue().split("\r")
    assert terminal.getvalue().count("\n") == 1
    assert len(lines[2]) == len(lines[1])


@pytest.mark.parametrize("form", list(Style))
def test_rows_that_come_one_by_one_are_written_like_those_that_are_all_there(
    form: Style, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.shared.output.wanted_style", lambda: form)
    written = []
    for known in (1, 2):
        print_table(COLUMNS, ROWS[:known], as_json=form is not Style.PEOPLE, rest=iter(ROWS[known:]))
        written.append(capsys.readouterr().out)
    assert written[0] == written[1] != ""


def test_a_row_is_written_before_the_next_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    def following() -> Iterator[dict[str, Any]]:
        for row in ROWS:
            assert json.dumps(row["id"]) not in capsys.readouterr().out
            yield row
            assert json.dumps(row["id"]) in capsys.readouterr().out

    print_table(COLUMNS, [{"name": "first", "matches": 1, "id": "c"}], as_json=True, rest=following())


def test_in_a_pipe_a_text_wider_than_those_before_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, ROWS, as_json=False, rest=[{"name": "a very long name", "matches": 7, "id": "c"}])
    assert capsys.readouterr().out.endswith("search       12\na very long name        7\n")


def test_csv_loses_nothing_of_a_row_that_comes_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.shared.output.wanted_style", lambda: Style.CSV)
    rows: list[dict[str, Any]] = [{"name": "new", "played_by": None}, {"name": "old", "played_by": {"host": "here"}}]
    print_table([Column("name", "name")], rows[:1], as_json=True, rest=iter(rows[1:]))
    assert list(csv.reader(capsys.readouterr().out.splitlines())) == [
        ["name", "played_by"],
        ["new", ""],
        ["old", '{"host": "here"}'],
    ]


def test_a_column_that_did_not_fit_is_named_if_something_stands_in_it_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.shared.output.width_of", lambda _: 10)
    columns = [Column("name", "name"), Column("why", "reason")]
    rows = [{"name": "greedy", "why": "-"}, {"name": "random", "why": "three attempts failed"}]
    print_table(columns, rows[:1], as_json=False, rest=iter(rows[1:]))
    late = capsys.readouterr().out
    print_table(columns, rows[:1], as_json=False)
    assert ("REASON" in late, "REASON" in capsys.readouterr().out) == (True, False)


def test_of_a_reason_that_many_matches_share_the_first_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = Reasons("cli_shared.counts_not")
    for number in range(25):
        reasons.note(f"{number:08}", "it was a test")
    reasons.note("another1", "it crashed")
    reasons.print()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "match 00000000 does not count: it was a test"
    assert lines[10:] == ["15 more matches: it was a test", "match another1 does not count: it crashed"]


LONG = "a-bot-with-a-long-name"


def row(shared: int | None, draws: int | None) -> dict[str, Any]:
    return {"wins": 3, "shared": shared, "draws": draws}


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ([], ["wins", "shared", "draws"]),
        ([row(0, 0), row(0, 0)], ["wins"]),
        ([row(0, 0), row(0, 2)], ["wins", "draws"]),
        ([row(1, 0), row(0, 2)], ["wins", "shared", "draws"]),
        ([row(None, None)], ["wins"]),
    ],
)
def test_a_column_of_firsts_in_which_nothing_is_counted_is_left_out(
    rows: list[dict[str, Any]], shown: list[str]
) -> None:
    assert [column.key for column in without_empty(pick(STANDINGS, "wins", *TOGETHER), rows)] == shown


@pytest.mark.parametrize("columns", [without(LEADERBOARD, "owner"), STANDINGS], ids=["leaderboard", "tournament"])
def test_with_all_kinds_of_firsts_a_table_fits_80_columns_and_names_are_whole(
    columns: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    line = {column.key: 1000 for column in columns} | {"bot": LONG, "status": "out in round 2"}
    print_table(columns, [line], as_json=False)
    head, _, told, *_ = capsys.readouterr().out.splitlines()
    assert {"WINS", "DRAWS"} <= set(head.split())
    assert LONG in told
    assert len(told) <= 80


def test_a_file_appears_whole_and_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    file.write_text("before")
    file.chmod(0o640)
    with written(file, "--html") as stream:
        stream.write(b"after")
        assert file.read_text() == "before"
    assert file.read_text() == "after"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_broken_off_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    with pytest.raises(KeyboardInterrupt):
        _break_off(file)
    assert list(tmp_path.iterdir()) == []


def _break_off(file: Path) -> None:
    with written(file, "--html") as stream:
        stream.write(b"half")
        raise KeyboardInterrupt


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_signal_breaks_off_leaves_everything_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # tests may run under nohup
    try:
        with pytest.raises(KeyboardInterrupt):
            _tell_twice(tmp_path / "made.html", number)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert list(tmp_path.iterdir()) == []


def _tell_twice(file: Path, number: signal.Signals) -> None:
    with written(file, "--html"):
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), number)  # a terminal that is closed may tell so twice


def test_a_file_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("# Mine")
    with pytest.raises(MisuseError, match=r"README.md is there, .*; remove it, or name another file after --html"):
        written(file, "--html", lambda beginning: beginning.startswith(b"<")).__enter__()
    assert file.read_text() == "# Mine"
    file.write_text("")
    for text in (b"<one>", b"<two>"):
        with written(file, "--html", lambda beginning: beginning.startswith(b"<")) as stream:
            stream.write(text)
    assert file.read_bytes() == b"<two>"
    with written(Path("/dev/null"), "--html", lambda _beginning: False) as stream:
        stream.write(b"a device")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "there", tmp_path / "link"
    link.symlink_to(file)
    write_file(link, "text", "--html")
    assert link.is_symlink()
    assert file.read_text() == "text"


def test_a_place_that_cannot_be_written_is_told_before_anything_is_made(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "made.html"):
        with pytest.raises(MisuseError, match=r"cannot write .*; name another file after --html"):
            written(place, "--html").__enter__()
    write_file(Path("/dev/null"), "text", "--html")
    assert not Path("/dev/null").is_file()


TABLE_RUN = """
import arena.cli.main, arena.cli.shared.play_tournament
from tests.cli.table import TableExecutor
arena.cli.shared.play_tournament.LocalExecutor = TableExecutor
arena.cli.main.main()
"""


@contextmanager
def pipe_without_a_reader() -> Iterator[int]:
    ours, its = os.pipe()
    os.close(ours)
    yield its
    os.close(its)


@contextmanager
def full_disk() -> Iterator[int]:
    with Path("/dev/full").open("wb") as full:
        yield full.fileno()


@pytest.mark.host_fault("progress-that-nobody-reads", "progress-on-a-full-disk")
@pytest.mark.parametrize("nowhere", [pipe_without_a_reader, full_disk])
def test_a_run_does_not_mind_that_its_progress_cannot_be_written(table: Arena, nowhere: Any) -> None:
    with nowhere() as place, open(place, "w", closefd=False) as stderr, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        ignore_broken_stderr()
        with sys.stderr:
            played = table(*ROUND_ROBIN, "--json")
    assert (played.code, len(played.json)) == (0, 3)
    assert {row["state"] for row in table("match", "list", "--json").json} == {"finished"}


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("progress-that-nobody-reads")
def test_a_run_goes_on_where_its_progress_cannot_be_written(tmp_path: Path, three_bots: Path) -> None:
    shutil.copytree(three_bots, tmp_path, dirs_exist_ok=True)
    with pipe_without_a_reader() as stderr:
        command = [sys.executable, "-c", TABLE_RUN, *ROUND_ROBIN, "--db", str(tmp_path / "arena.db")]
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=PATIENCE_S)
    assert (finished.returncode, "eve" in finished.stdout) == (0, True)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        assert connection.execute("SELECT state, count(*) FROM match GROUP BY state").fetchall() == [("finished", 3)]
