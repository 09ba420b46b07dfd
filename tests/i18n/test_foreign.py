"""What others say is found by number, class and type, and translated like what the program itself says."""

import errno
import os
import socket
from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from arena.cli.app import run
from arena.i18n.translation import translate
from arena.i18n.validation import validation_text
from engine.os_errors import _TEXTS, os_error_at_place, os_error_text
from engine.text import Text


@pytest.mark.parametrize("number", [number for number in _TEXTS if number > 0])
def test_an_error_of_the_system_is_found_by_its_number(number: int) -> None:
    text = os_error_text(OSError(number, os.strerror(number)))
    assert isinstance(text, Text)
    assert text == os.strerror(number)
    assert translate(text, "de") != text


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_an_unknown_name_is_found_by_its_number(number: int) -> None:
    assert _TEXTS[number]


def test_an_error_of_the_system_names_its_file() -> None:
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/root/x")
    assert os_error_at_place(error) == "Permission denied: /root/x"
    assert translate(os_error_at_place(error), "fr") == "permission refusée\N{NO-BREAK SPACE}: /root/x"


@pytest.mark.parametrize(
    "error", [OSError(errno.EACCES, "no way"), OSError(errno.EXDEV, "Invalid link"), OSError("no")]
)
def test_other_words_of_an_error_stay_as_they_are(error: OSError) -> None:
    text = os_error_text(error)
    assert (type(text), text) == (str, error.strerror or str(error))
    assert os_error_at_place(error) == text


@pytest.mark.parametrize(
    ("kind", "value", "german"),
    [
        (int, "x", "das ist keine ganze Zahl"),
        (float, "x", "das ist keine Zahl"),
        (Annotated[int, Field(ge=1)], 0, "der Wert muss mindestens 1 sein"),
        (Annotated[float, Field(ge=1)], 0, "der Wert muss mindestens 1 sein"),
        (Annotated[float, Field(gt=0.5)], 0, "der Wert muss größer als 0.5 sein"),
        (Annotated[int, Field(le=9)], 10, "der Wert darf höchstens 9 sein"),
        (Literal["a", "b"], "c", "der Wert muss 'a' or 'b' sein"),
        (str, 7, "Input should be a valid string"),
    ],
)
def test_what_does_not_fit_is_found_by_its_type(kind: type, value: object, german: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    (error,) = caught.value.errors()
    text = validation_text({**error})
    assert text == error["msg"]
    assert translate(text, "de") == german


@pytest.mark.parametrize(
    ("line", "german"),
    [
        ("matchh list", "den Befehl 'matchh' gibt es nicht; gemeint war vielleicht 'match'? siehe `arena --help`"),
        ("zzz", "den Befehl 'zzz' gibt es nicht; siehe `arena --help`"),
        ("match list --limit", "die Option '--limit' braucht einen Wert"),
        ("match list --json=3", "die Option '--json' nimmt keinen Wert"),
        ("match list --zzz", "die Option --zzz gibt es nicht; siehe `arena match list --help`"),
        (
            "match list --limit x",
            "ungültiger Wert für '--limit': das ist keine ganze Zahl; siehe `arena match list --help`",
        ),
        (
            "perft foreign_king --depth 0",
            "ungültiger Wert für '--depth': der Wert muss mindestens 1 sein; siehe `arena perft --help`",
        ),
        ("match show", "es fehlt das Argument 'MATCH'; siehe `arena match show --help`"),
        ("match show a b c", "hier steht zu viel: b c; siehe `arena match show --help`"),
    ],
)
def test_what_the_parser_refuses_is_found_by_the_class_of_its_errors(
    line: str, german: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_LANG", "de")
    assert run(line.split()) == 2
    assert capsys.readouterr().err == f"arena: {german}\n"
