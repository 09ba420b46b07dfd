"""Whatever bots, owners and files say, no command writes what steers a terminal, and each writes in every encoding."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import run
from arena.cli.shared import terminal
from arena.cli.shared.output import format_json, print_table
from arena.cli.shared.terminal import EscapedStream, escaped_streams, fit_encodings
from arena.i18n.sanitize import is_plain, plain, write_csv
from arena.match.replay import dump, load
from arena.model.table_columns import Column
from tests.cli.command_lines import READS, whole_parser
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


FOREIGN = "шахматы ♔ \N{RIGHT SINGLE QUOTATION MARK}“…→ éß 漢"
ENCODINGS = ["ascii", "iso8859-1", "cp1252", "koi8-r", "big5"]
FORMS = ["", "--json", "--csv", "--markdown"]


class Encoded(io.TextIOWrapper):
    """A standard stream in an encoding, which is a terminal or none."""

    def __init__(self, encoding: str, *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="\n")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def told(self, encoding: str = "") -> str:
        """What was written; raises UnicodeDecodeError if it is in another encoding than this."""
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(encoding or self.encoding)


def run_encoded(words: Sequence[str], encoding: str, *, is_terminal: bool = False) -> tuple[int, Encoded, str]:
    """Run a command line; return its exit code, standard output, and what it wrote to standard error."""
    out, err = Encoded(encoding, is_terminal=is_terminal), Encoded(encoding, is_terminal=is_terminal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        code = run(words)
    return code, out, err.told()


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
    assert not hasattr(EscapedStream(Encoded("ascii")), "buffer"), "nothing is written past the guard"
    with pytest.raises(TypeError):
        guarded.write(b"")  # type: ignore[arg-type]
    assert terminal.raw_stream(guarded) is stream  # type: ignore[arg-type]


def name_all(db: Path, text: str) -> None:
    """Give people, tokens, tournaments and what was said a text in place of theirs."""
    said = ["owner.name", "token.name", "notice.sentence", "bot_event.message", "version.message", "season.name"]
    with closing(sqlite3.connect(db)) as connection, connection:
        for table, column in (one.split(".") for one in said):
            connection.execute(f"UPDATE '{table}' SET {column} = ? || rowid", (text,))
        connection.execute("UPDATE tournament SET name = ? WHERE name = 'cup'", (text,))
        connection.execute("UPDATE ladder SET closed_because = ?", (text,))


@pytest.fixture
def foreign(table: Arena) -> str:
    """A book in which people have names that few encodings can write; the id of a match in it."""
    match = play_beforehand(table)
    name_all(table.db, FOREIGN)
    return match


@pytest.mark.parametrize(
    "is_whole", [False, pytest.param(True, marks=pytest.mark.needs("minutes"))], ids=["few", "all"]
)
def test_every_command_writes_in_every_encoding_and_language(table: Arena, foreign: str, is_whole: bool) -> None:
    ways = list(product(["en", "fr", "it", "de"], FORMS, ENCODINGS, [False, True]))
    some = cycle(ways[:: 2 * len(ENCODINGS) + 3])
    asked = [*((name, words[0]) for name, words in READS.items()), ("game list", ""), ("game show", "foreign_king")]
    for name, words in asked:
        line = [{"MATCH": foreign, "cup": FOREIGN}.get(word, word) for word in [*name.split(), *words.split()]]
        for language, form, encoding, is_terminal in ways if is_whole else [next(some)]:
            called = [*line, *([form] if form and form not in line else []), "--lang", language]
            code, out, said = run_encoded(called, encoding, is_terminal=is_terminal)
            assert "fault of the arena" not in said, (called, encoding)
            if code == 0 and form == "--json" and name != "match watch":
                json.loads(out.told("" if is_terminal else "utf-8"))


@pytest.mark.parametrize("form", FORMS[1:])
def test_what_programs_read_is_utf8_in_a_file_and_what_people_read_is_not(
    monkeypatch: pytest.MonkeyPatch, table: Arena, foreign: str, form: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    _, out, _ = run_encoded(["tournament", "list", form], "koi8-r")
    assert FOREIGN in out.told("utf-8")
    _, out, _ = run_encoded(["tournament", "list", form], "koi8-r", is_terminal=True)
    assert "шахматы ? ''...-> ess ??" in out.told("koi8-r")
    _, out, _ = run_encoded(["tournament", "list"], "iso8859-1", is_terminal=True)
    assert "\x1b[0m------" in out.told("iso8859-1")
    assert "??????? ? ''...-> éß ??" in out.told("iso8859-1")


@pytest.mark.parametrize("encoding", ["ascii", "iso8859-1", "cp1252", "koi8-r", "cp037", "utf-8"])
def test_every_character_is_written_in_every_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    stream = Encoded(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    fit_encodings(is_for_programs=False)
    stream.write("".join(map(chr, range(0x110000))))
    assert "'" in stream.told()


def test_a_process_on_a_terminal_of_another_encoding_says_everything(table: Arena) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "iso8859-1", "ARENA_LANG": "fr"}
    command = [sys.executable, "-m", "arena.cli.main"]
    shown = subprocess.run([*command, "game", "show", "foreign_king"], env=environment, capture_output=True, check=True)
    assert "'" in shown.stdout.decode("iso8859-1")
    failed = subprocess.run([*command, "match", "show"], env=environment, capture_output=True, check=False)
    assert failed.returncode == 2
    assert "\\u2019" not in failed.stderr.decode("iso8859-1")


NOT_UNICODE = "a\udcff"
"""How a word of a command line is read that holds a byte which is not UTF-8."""
NAMES = {"bots": "ada,bob,eve", "game": "foreign_king", "games": "foreign_king", "seats": "3", "why": "x"}
"""Words that a command takes, where another is the one that is wrong."""
STAY = {"bot watch", "bot connect", "serve", "web", "demo", "doctor", "login", "logout", "cluster show"}
"""Commands that would go on, or ask other programs."""


def commands_below(command: Any, *words: str) -> Iterator[tuple[str, list[Any]]]:
    for name, one in getattr(command, "commands", {}).items():
        yield from commands_below(one, *words, name)
    if not hasattr(command, "commands"):
        yield " ".join(words), command.params


def test_a_word_that_is_not_unicode_is_misuse_wherever_it_stands(table: Arena) -> None:
    lines = []
    for name, parameters in commands_below(whole_parser()):
        arguments = [one for one in parameters if one.param_type_name == "argument"]
        options = [one for one in parameters if one.param_type_name == "option" and not one.is_flag]
        for wrong in [] if name in STAY else [None, *options]:
            words = [NAMES.get(one.name, NOT_UNICODE) for one in arguments]
            for one in options:
                if one is wrong or one.required:
                    words += [one.opts[0], NOT_UNICODE if one is wrong else NAMES.get(one.name, "2")]
            lines.append([*name.split(), *words])
    assert len(lines) > 100
    said = [(line, table(*line).err) for line in lines]
    assert [one for one in said if "fault of the arena" in one[1] or one[1].count("\n") > 5] == []
    assert "is not Unicode text; write it anew" in table.refusal("match", "show", NOT_UNICODE)


@pytest.mark.hostile("formula-in-a-spreadsheet")
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", "\n=", "\N{FULLWIDTH EQUALS SIGN}"])
def test_no_spreadsheet_computes_what_somebody_said(table: Arena, sign: str) -> None:
    match, formula = play_beforehand(table), f"{sign}HYPERLINK(1)"
    name_all(table.db, formula)
    shown = 0
    for name, (words, *_) in READS.items():
        line = [{"MATCH": match, "cup": formula}.get(word, word) for word in [*name.split(), *words.split()]]
        told = table(*[word for word in line if word != "--csv"], "--csv").out
        cells = [cell for row in csv.reader(io.StringIO(told, newline="")) for cell in row]
        assert [cell for cell in cells if cell.startswith(sign) and not is_number(cell)] == [], name
        shown += sum(cell.startswith("'") and cell.replace("'", "").startswith(formula) for cell in cells)
    assert shown >= 5


@pytest.mark.hostile("formula-in-a-spreadsheet")
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH HYPHEN-MINUS}"])
def test_no_spreadsheet_of_a_country_with_another_separator_computes(separator: str, sign: str) -> None:
    for before in ("", *",;\t\n\r", "a,", "a;", "a\t", "a\n", "a\r", 'a;"', 'a;""', 'a\n"', ';\n"', '";'):
        said = f'{before}{sign}HYPERLINK("x","y")'
        for text in (said, (said,), said.replace('"', ""), said.replace(",", "")):
            written = io.StringIO()
            write_csv([["bot", text, text, 1], [text]], written)
            for row in csv.reader(io.StringIO(written.getvalue(), newline=""), delimiter=separator):
                assert [cell for cell in row if cell.strip('"\t\n').startswith(sign)] == [], (before, text)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_numbers_and_plain_texts_stay_as_they_are_in_a_spreadsheet() -> None:
    written = io.StringIO()
    write_csv([["bot", "none"], ["ann/fox", None], ["a-b", -1.5], [Decimal("-0.5000"), "2026-01-31"]], written)
    assert written.getvalue() == "bot,none\nann/fox,\na-b,-1.5\n-0.5000,2026-01-31\n"
