"""Whatever bots, owners and files say, no command writes a character that steers a terminal or turns its text round."""

import io
import json
import os
import shutil
import sqlite3
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.shared import terminal
from arena.cli.shared.output import format_json, print_table
from arena.cli.shared.terminal import EscapedStream, escaped_streams
from arena.i18n.sanitize import is_plain, plain
from arena.match.replay import dump, load
from arena.model.table_columns import Column
from tests.cli.command_lines import READS
from tests.cli.support import Arena
from tests.cli.test_places import play_beforehand

HOSTILE = "x\x1b]0;owned\x07\x9b31m\x7f\x85\x00\x08\r\u200f\u202e\u2066\u2069\u061c\u200b\u2028\u2029\ufeff\U000e0041y"
WORDS = {
    "admission": ["summary"],
    "attempt": ["outcome", "cause", "explanation", "error", "message", "worker"],
    "bot": ["name"],
    "bot_event": ["message", "actor"],
    "fault": ["explanation"],
    "ladder": ["closed_because"],
    "leak_check": ["sentence"],
    "match": ["void_reason"],
    "notice": ["subject", "sentence"],
    "owner": ["name"],
    "pool": ["time_control"],
    "season": ["name"],
    "token": ["name"],
    "version": ["message", "manifest"],
    "runtime": ["name", "contents"],
}
"""Columns that hold what somebody said; those of them that a table does not have are passed over."""
MORE = [("match show", "MATCH --times"), ("match log", "MATCH --seat 1"), ("stats crosstable", "-t cup --csv")]
TELLING = {"bot list", "match show", "replay show", "match log", "match list", "notice", "tournament show"}
KEPT_NAMES = ("ada", "summer", "cup")
"""By these the commands are asked."""


def plant(db: Path) -> None:
    """Write the hostile text wherever a database holds somebody's words, and one more fault, log and notice."""
    with closing(sqlite3.connect(db)) as connection, connection:
        find = "SELECT m.id, tournament_id, version_id FROM match_seat JOIN match m ON m.id = match_id WHERE seat = 1"
        match, tournament, version = connection.execute(find).fetchone()
        words = json.dumps({"stderr": f"{HOSTILE}\n{HOSTILE}", HOSTILE: [HOSTILE]})
        values = (match, HOSTILE, words, tournament, version)
        fault = "match_id, number, seat, cause, ply, explanation, evidence, tournament_id, version_id"
        connection.execute(f"INSERT INTO fault ({fault}) VALUES (?, 90, 1, 'TIMEOUT', 3, ?, ?, ?, ?)", values)
        log = (match, 1, zlib.compress(f"{HOSTILE}\n{HOSTILE}".encode()), 5)
        connection.execute("INSERT INTO seat_log (match_id, seat, data, cut_bytes) VALUES (?, ?, ?, ?)", log)
        notice = "id, owner_id, at_us, subject, sentence"
        connection.execute(f"INSERT INTO notice ({notice}) VALUES ('n', NULL, 1, ?, ?)", (HOSTILE, HOSTILE))
        for table, columns in WORDS.items():
            known = {row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")}
            for column in known.intersection(columns):
                spoil(connection, table, column)
        for name, stored in connection.execute("SELECT match_id, data FROM replay").fetchall():
            connection.execute("UPDATE replay SET data = ? WHERE match_id = ?", (with_notes(stored), name))


def spoil(connection: sqlite3.Connection, table: str, column: str) -> None:
    for rowid, text in connection.execute(f"SELECT rowid, {column} FROM '{table}'").fetchall():
        if text in KEPT_NAMES or table == "pool":
            continue
        said = json.dumps({**json.loads(text), "command": ["python", HOSTILE]}) if column == "manifest" else None
        new = said or (json.dumps({HOSTILE: HOSTILE}) if column == "contents" else f"{text or ''}{HOSTILE}{rowid}")
        connection.execute(f"UPDATE '{table}' SET {column} = ? WHERE rowid = ?", (new, rowid))


def with_notes(stored: bytes) -> bytes:
    document = load(stored)
    for entry in document["entries"]:
        entry["note"] = HOSTILE
    for seat in document["seats"]:
        seat["name"] = HOSTILE
    return dump(document)


def steering(text: str) -> set[str]:
    return {char for char in text if not is_plain(char) and char not in "\n\t"}


@pytest.fixture
def hostile(table: Arena) -> str:
    """A book in which everybody says the hostile text; the id of a match in it."""
    match = play_beforehand(table)
    plant(table.db)
    return match


@pytest.mark.parametrize("forms", [[""], pytest.param(["", "--json"], marks=pytest.mark.needs("minutes"))], ids=str)
def test_no_command_writes_what_steers_a_terminal(table: Arena, hostile: str, forms: list[str]) -> None:
    asked = [*((name, each[0]) for name, each in READS.items()), *MORE]
    lines = [[*name.split(), *words.replace("MATCH", hostile).split()] for name, words in asked]
    shown, leaks = set(), []
    for line in lines:
        for more in [form.split() for form in forms if not form or "--csv" not in line]:
            done = table(*line, *more)
            if steering(done.out + done.err):
                leaks.append((" ".join([*line, *more]), steering(done.out + done.err)))
            if more and done.code == 0:
                assert plain(done.out, keep="\n") == done.out
                for part in done.out.splitlines() if line[:2] == ["match", "watch"] else [done.out]:
                    json.loads(part)
            if r"\u202e" in done.out + done.err:
                shown.add(" ".join(line[:2]))
    assert leaks == []
    assert shown >= TELLING, "the text is told, escaped"


def test_every_character_is_plain_or_escaped_and_reads_back() -> None:
    for code in [*range(0x11000), *range(0x1F000, 0x20000), *range(0xE0000, 0xE0200)]:
        char = chr(code)
        if 0xD800 <= code < 0xE000:
            continue
        written = plain(char)
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            assert written != char, hex(code)
        if written != char:
            assert written.isascii(), hex(code)
            assert json.loads(f'"{written}"') == char
    assert json.loads(format_json({HOSTILE: [HOSTILE]}, indent=2)) == {HOSTILE: [HOSTILE]}
    assert plain("fin\u00a0: é 漢 🙂") == "fin\u00a0: é 漢 🙂"


def test_a_drawn_table_holds_nothing_that_steers(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    monkeypatch.setattr(sys, "stdout", drawn)
    monkeypatch.setattr(drawn, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((500, 40)))
    with escaped_streams():
        print_table([Column("a", HOSTILE, is_name=True)], [{"a": HOSTILE}], as_json=False)
    left = drawn.getvalue()
    for style in ("\x1b[1m", "\x1b[0m"):
        left = left.replace(style, "")
    assert steering(left) == set()
    assert r"\u202e" in left


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    with closing(io.StringIO()) as stream:
        yield stream


def test_the_guard_keeps_lines_and_tabs_and_takes_text_alone(stream: io.StringIO) -> None:
    guarded = EscapedStream(stream)
    guarded.write("a\tb\n")
    guarded.writelines(["\r", "\x9b"])
    assert stream.getvalue() == "a\tb\n\\r\\u009b"
    with pytest.raises(TypeError):
        guarded.write(b"")  # type: ignore[arg-type]
    assert terminal.raw_stream(guarded) is stream  # type: ignore[arg-type]
