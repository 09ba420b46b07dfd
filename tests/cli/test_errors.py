import pytest

from arena.cli.app import run
from arena.cli.shared import errors
from arena.cli.shared.errors import CliError, MisuseError, report, unknown
from arena.hosting.manifest import ManifestError
from arena.match.time_control import TimeControlError
from engine.core import EngineError, SeatsError, UnknownGameError
from ratings.errors import AmbiguousError, DatabaseFullError, NotFoundError, SchemaVersionError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MisuseError("x"), 2),
        (CliError("x"), 1),
        (UnknownGameError("x"), 2),
        (SeatsError("x"), 2),
        (EngineError("x"), 1),
        (TimeControlError("x"), 2),
        (ManifestError("x"), 2),
        (NotFoundError("x"), 2),
        (AmbiguousError("x"), 2),
        (SchemaVersionError("x"), 1),
        (DatabaseFullError("x"), 1),
        (PermissionError(13, "Permission denied", "file"), 1),
        (KeyboardInterrupt(), 130),
        (RuntimeError("surprise"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_error_has_its_exit_code_and_one_line(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error) == code
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("arena: ")
    assert written.err.count("\n") == 1


@pytest.mark.hostile("steer-the-terminal")
def test_a_message_of_many_lines_and_strange_characters_becomes_one_clean_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report(CliError("first\nsecond\x1b[31m\tthird\0"))
    assert capsys.readouterr().err == "arena: first second\\u001b[31m third\\u0000\n"


def test_an_unexpected_error_says_that_it_is_the_arenas_fault(capsys: pytest.CaptureFixture[str]) -> None:
    report(RuntimeError("surprise"))
    assert capsys.readouterr().err == f"arena: {errors.fault_of_the_arena('RuntimeError', 'surprise')}\n"


def test_an_error_is_told_in_the_language_of_whoever_reads_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_LANG")
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    assert run(["match", "list", "--limt", "3"]) == 2
    assert capsys.readouterr().err == (
        "arena: non c\u2019è nessuna opzione --limt; sono possibili --fault, --limit; vedi `arena match list --help`\n"
    )
    report(PermissionError(13, "Permission denied", "/root/x"))
    assert capsys.readouterr().err == "arena: permesso negato: /root/x\n"


def test_the_traceback_is_shown_only_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DEBUG", "1")
    report(CliError("broken"))
    written = capsys.readouterr().err
    assert "CliError: broken" in written
    assert written.endswith("arena: broken\n")


def test_an_unknown_name_gets_the_nearest_one_and_where_to_look() -> None:
    error = unknown("bot", "serch", ["random", "search"], "`arena bot list` shows all")
    assert str(error) == "there is no bot 'serch'; did you mean 'search'? `arena bot list` shows all"


def test_a_name_like_no_other_gets_no_guess() -> None:
    error = unknown("bot", "zzz", ["random", "search"], "`arena bot list` shows all")
    assert str(error) == "there is no bot 'zzz'; `arena bot list` shows all"
