"""A restored home plays what was restored, whatever database its settings named, and the rest of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.service.maintenance.backup import holds_password, play_own_database
from arena.service.settings.template import settings_template

URL = "postgresql://ada@db.example/arena"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'[service]\ndatabase = "{URL}"\nworkers = 2\n', f'[service]\n# database = "{URL}"\nworkers = 2\n'),
        (f"[service]\r\n  database='{URL}' # ours\r\n", f"[service]\r\n#   database='{URL}' # ours\r\n"),
        (f'service.database = "{URL}"', f'# service.database = "{URL}"'),
        (f'["service"]\n"database" = "{URL}"', f'["service"]\n# "database" = "{URL}"'),
        (f'[service]\ndatabase = """\n{URL}"""\nworkers = 2', f'[service]\n# database = """\n# {URL}"""\nworkers = 2'),
        (f'[service]\ndatabase = """\n{URL}"""', f'[service]\n# database = """\n# {URL}"""'),
        (
            f'[runtimes.a]\ndatabase = "b"\n[service]\n# database = ""\ndatabase = "{URL}"\n',
            f'[runtimes.a]\ndatabase = "b"\n[service]\n# database = ""\n# database = "{URL}"\n',
        ),
    ],
    ids=["line", "windows", "dotted", "quoted", "lines", "only lines", "others"],
)
def test_the_line_that_names_a_database_is_commented_out_and_no_other(tmp_path: Path, before: str, after: str) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_bytes(before.encode())
    assert play_own_database(settings) == URL
    assert settings.read_bytes() == after.encode()
    assert play_own_database(settings) == ""
    assert settings.read_bytes() == after.encode()


@pytest.mark.parametrize("text", [settings_template(), '[service]\ndatabase = ""\n', "", "service = 1", "no TOML"])
def test_settings_that_name_none_stay_as_they_are(tmp_path: Path, text: str) -> None:
    settings = tmp_path / "settings.toml"
    assert play_own_database(settings) == ""
    settings.write_bytes(text.encode())
    assert play_own_database(settings) == ""
    assert settings.read_bytes() == text.encode()
    assert not holds_password(settings)


def test_one_that_stands_among_other_things_is_left_alone_and_named(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'service = {{ database = "{URL}", workers = 2 }}')
    assert play_own_database(settings) == URL
    assert settings.read_text() == f'service = {{ database = "{URL}", workers = 2 }}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'[service]\ndatabase = "{URL}"', False),
        ('[service]\ndatabase = "postgresql://ada:geheim@db.example/arena"', True),
        ('[service]\ndatabase = "postgresql://db.example/arena?password=geheim"', True),
        ('[service]\ndatabase = "postgresql://ada:ge heim@db.example/arena"', True),
        ("[service]\n# database = 'postgresql://ada:geheim@db.example/arena'", True),
    ],
)
def test_a_password_is_found_also_in_a_comment(tmp_path: Path, text: str, expected: bool) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(text)
    assert holds_password(settings) is expected
