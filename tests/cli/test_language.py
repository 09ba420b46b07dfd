"""The command line speaks the language that `--lang`, ARENA_LANG or the locale asks for."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot


def test_the_option_may_stand_before_the_noun_and_behind_the_verb(arena: Arena) -> None:
    before = arena("--lang", "de", "bot", "list", "--help").out
    assert before.startswith("Aufruf: arena bot list [OPTIONEN]")
    assert arena("bot", "list", "--help", "--lang=de").out == before
    assert arena("bot", "list", "--help").out.startswith("Usage: arena bot list [OPTIONS]")


def test_the_option_goes_before_the_environment_and_the_locale_last(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    assert arena("--help").out.startswith("Uso:")
    monkeypatch.setenv("ARENA_LANG", "fr")
    assert arena("--help").out.startswith("Utilisation\u00a0:")
    assert arena("--help", "--lang", "de").out.startswith("Aufruf:")


@pytest.mark.parametrize("words", [["--lang", "xx", "bot", "list"], ["bot", "list", "--lang=xx"], ["--lang="]])
def test_an_unknown_language_is_refused_with_the_list(arena: Arena, words: list[str]) -> None:
    assert "; --lang takes en, de, fr, it" in arena.refusal(*words)


def test_a_language_that_only_a_game_speaks_is_that_of_its_names(arena: Arena) -> None:
    shown = arena("game", "show", "foreign_king", "--lang", "nl").out
    assert "LANGUAGES".lower() in shown
    assert "Luik" in shown


def test_an_option_without_its_value_is_refused(arena: Arena) -> None:
    assert "--lang" in arena.refusal("bot", "list", "--lang")


def test_what_stands_behind_two_dashes_is_left_alone(arena: Arena) -> None:
    assert "'--lang'" not in arena.refusal("bot", "conform", "--", "no-such-program", "--lang", "xx")


def test_names_in_json_follow_no_locale(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    english = arena("game", "show", "foreign_king", "--json").out
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert arena("game", "show", "foreign_king", "--json").out == english
    assert arena("game", "show", "foreign_king", "--json", "--lang", "de").out != english


def test_what_is_stored_of_a_match_is_told_in_the_language_that_is_asked_for(
    table: Arena, arena_cli: Arena, tmp_path: Path
) -> None:
    for name in ("cheat", "lost"):
        table("bot", "add", write_bot(tmp_path / name, name))
    order = ("match", "run", "--game", "foreign_king", "--json", "--bots")
    faulty, void = (table(*order, f"ada,{other}").json["match_id"] for other in ("cheat", "lost"))
    assert "Er wählte Aktion" in arena_cli("match", "show", faulty, "--lang", "de").out
    assert "Er wählte Aktion" in arena_cli("replay", "show", faulty, "--lang", "de").out
    assert "It chose action" in arena_cli("match", "show", faulty, "--lang", "de", "--json").out
    assert "3 Versuche scheiterten" in arena_cli("match", "show", void, "--lang", "de").out
    assert "3 Versuche scheiterten" in arena_cli("match", "list", "--state", "void", "--lang", "de").out
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match SET plies = 1")
    assert "in der Datenbank" in arena_cli("replay", "verify", faulty, "--lang", "de").out
