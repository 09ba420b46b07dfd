"""Stored logins: they read back, nobody else may read them, and damage is told with its remedy."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from arena.model.errors import RefusedError, UnknownError
from arena.rpc.profiles import (
    Profile,
    ProfileError,
    default_directory,
    list_names,
    load_profile,
    remove_profile,
    save_profile,
)
from ratings.values.states import Scope

ADA = Profile("club", "arena.example.org:7733", "kma_secret", "ada", Scope.COMPETITOR, "PEM", "AB:CD", "localhost")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "config" / "logins"


def test_a_login_reads_back(directory: Path) -> None:
    save_profile(ADA, directory)
    organiser = replace(ADA, name="other", owner=None, scope=Scope.ORGANISER, certificate=None)
    save_profile(organiser, directory)
    assert load_profile("club", directory) == ADA
    assert load_profile("other", directory) == organiser
    assert list_names(directory) == ["club", "other"]


def test_a_second_login_of_the_name_replaces_the_first(directory: Path) -> None:
    save_profile(ADA, directory)
    save_profile(replace(ADA, token="kma_other"), directory)
    assert load_profile("club", directory).token == "kma_other"
    assert [path.name for path in directory.iterdir()] == ["club.json"]


def test_only_the_user_may_read_it(directory: Path) -> None:
    file = save_profile(ADA, directory)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_login_that_others_may_read_is_refused_with_the_remedy(directory: Path) -> None:
    file = save_profile(ADA, directory)
    file.chmod(0o640)
    with pytest.raises(ProfileError, match=f"chmod 600 {file}"):
        load_profile("club", directory)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', '{"schema": 1, "scope": "king"}'])
def test_a_damaged_login_is_told_with_the_remedy(directory: Path, text: str) -> None:
    save_profile(ADA, directory).write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match="log in again"):
        load_profile("club", directory)


def test_an_unknown_login_is_told_with_the_nearest(directory: Path) -> None:
    save_profile(ADA, directory)
    for ask in (load_profile, remove_profile):
        with pytest.raises(UnknownError, match="did you mean 'club'"):
            ask("clbu", directory)


@pytest.mark.parametrize("name", ["", "../club", "a/b", ".hidden", "Club", "x" * 64])
def test_a_name_that_is_no_plain_file_is_refused(directory: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="cannot be the name of a login"):
        save_profile(replace(ADA, name=name), directory)


def test_a_login_that_was_removed_is_gone(directory: Path) -> None:
    save_profile(ADA, directory)
    remove_profile("club", directory)
    assert list_names(directory) == []


def test_a_login_that_cannot_be_stored_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ProfileError, match="was not stored"):
        save_profile(ADA, tmp_path / "file" / "logins")


def test_logins_lie_in_the_users_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "kingmaker-arena" / "logins"
