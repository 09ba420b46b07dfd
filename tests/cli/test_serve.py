"""What is wrong on the command line of `arena serve`, told before anything is made or begins."""

from pathlib import Path

import pytest

from tests.cli.support import Arena


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--set", "limits.versions"], "is not SECTION.NAME=VALUE; write for example --set limits.versions=50"),
        (["--set", "workers=3"], "is not SECTION.NAME=VALUE"),
        (["--set", "=3"], "is not SECTION.NAME=VALUE"),
        (["--set", "limits.version=3"], "there is no setting 'limits.version'; did you mean 'limits.versions'?"),
        (["--set", "limits.versions=1", "--set", "limits.versions=2"], "limits.versions is given twice"),
        (["--set", "service.workers=1", "--workers", "2"], "service.workers is given twice"),
        (["--worker", "2"], "--workers"),
        (["--workers", "two"], "--workers 'two' is not a whole number, 0 to 256; the default is 0"),
        (["--address", "127.0.0.1"], "--address '127.0.0.1' is not an address"),
        (["--address", "::1:7733"], "is not an address"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_is_one_line_and_no_service_begins(arena: Arena, words: list[str], expected: str) -> None:
    assert expected in arena.refusal("serve", "--home", "home", *words)
    assert not Path("home/arena.db").exists()


def test_a_mistyped_variable_is_refused_with_the_nearest_one(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LIMITS_VERSION", "5")
    said = arena.refusal("serve", "--home", "home")
    assert said == "ARENA_LIMITS_VERSION sets nothing; did you mean ARENA_LIMITS_VERSIONS? Otherwise unset it"


def test_a_home_without_a_name_is_not_the_directory_one_is_in(arena: Arena) -> None:
    before = sorted(Path().iterdir())
    assert "the home has no name" in arena.refusal("serve", "--home", "", "--check", code=1)
    assert sorted(Path().iterdir()) == before


def test_the_check_shows_a_flag_in_its_place(arena: Arena) -> None:
    checked = arena("serve", "--home", "home", "--check", "--workers", "3", "--set", "limits.versions=9", "--json")
    assert checked.json["settings"]["service.workers"] == {"value": 3, "from": "--workers"}
    assert checked.json["settings"]["limits.versions"] == {"value": 9, "from": "--set limits.versions"}


def test_the_check_shows_no_password(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "")  # which the command sets
    Path("home").mkdir()
    Path("home/settings.toml").write_text('[service]\ndatabase = "postgresql://ada:geheim@127.0.0.1:9/book"\n')
    for words in ([], ["--json"]):
        checked = arena("serve", "--home", "home", "--check", *words)
        assert "postgresql://ada@127.0.0.1:9/book" in checked.out
        assert "geheim" not in checked.out + checked.err
