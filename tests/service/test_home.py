"""The home of a service: made, locked, checked, the commands that work on it, and its settings."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.service.home import held, holder_of, make_home
from arena.service.settings import (
    TABLE,
    AdmissionSection,
    LimitsSection,
    RetentionSection,
    ServiceSection,
    SettingDefinition,
    WeightsSection,
    load_settings,
    setting_line,
    settings_template,
)
from arena.service.startup_errors import HomeError, HomeHeldError, SettingsError
from tests.cli.support import Arena
from tests.service.homes import small_home
from tests.support.texts import CHARACTERS

HOLDER = """
import sys
from pathlib import Path
from arena.service.home import held

with held(Path(sys.argv[1])) as lock:
    lock.publish(["127.0.0.1:7733", "unix:owners.sock"])
    print("held", flush=True)
    sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_is_open_to_its_user_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "deep" / "home", "# settings\n")
    for place in (home.directory, home.store, home.builds, home.uploads, home.tls, home.run, home.logs):
        assert mode(place) == 0o700
    assert mode(home.settings_file) == 0o600
    assert home.settings_file.read_text(encoding="utf-8") == "# settings\n"


def test_the_settings_of_an_old_home_stay_and_what_others_could_read_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "settings.toml").write_text("mine", encoding="utf-8")
    home = make_home(tmp_path, "# settings\n")
    assert home.settings_file.read_text(encoding="utf-8") == "mine"
    assert mode(tmp_path) == 0o700


def test_a_home_that_is_a_file_or_has_too_long_a_path_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HomeError, match=r"file is a file, where a directory .* give another --home"):
        make_home(tmp_path / "file", "")
    with pytest.raises(HomeError, match=r"cannot be used: .* give another --home"):
        make_home(Path("/proc/nowhere"), "")
    with pytest.raises(HomeError, match="the home has no name"):
        make_home(Path(), "")
    with pytest.raises(HomeError, match=r"too long for a socket by .* shorter path"):
        make_home(tmp_path / ("x" * 120), "")
    with pytest.raises(HomeError, match="is not UTF-8, as a socket must be"):
        make_home(tmp_path / "\udcff", "")


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(HomeError, match="belongs to user 12345"):
        make_home(tmp_path, "")


def test_the_second_service_on_a_home_is_told_who_has_it(tmp_path: Path) -> None:
    lock = tmp_path / "home" / "run" / "lock"
    lock.parent.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        message = rf"home is served already, by process {holder.pid} since .* UTC at 127.0.0.1:7733, unix:owners.sock"
        with pytest.raises(HomeHeldError, match=message), held(lock):
            pass
        assert (holder_of(lock) or {})["pid"] == holder.pid
        holder.kill()
    assert holder_of(lock) is None
    with held(lock):
        pass


def test_nobody_holds_a_home_that_was_never_served(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lock") is None


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """The command, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Arena(tmp_path / "arena.db", capsys)


def test_a_home_is_backed_up_and_restored_with_counts(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    done = arena("home", "backup", tmp_path / "x.tar.gz", "--home", home.directory)
    assert done.code == 0, done
    assert "3 bots, 3 versions, 1 tournaments, 3 matches, 3 replays" in done.out
    assert "contains secrets" in done.out
    assert "arena: copying the database\n" in done.err
    restored = arena("home", "restore", tmp_path / "x.tar.gz", "--home", tmp_path / "new")
    assert restored.code == 0, restored
    assert "3 matches, 3 replays" in restored.out
    assert f"`arena serve --home {tmp_path / 'new'}` continues from there" in restored.out
    assert arena("db", "check", "--db", tmp_path / "new" / "arena.db").code == 0


def test_a_restored_home_plays_what_was_restored(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SERVE_DATABASE", raising=False)
    home = small_home(tmp_path / "h")
    line = 'database = "postgresql://ada:geheim@db.example/arena"\n'
    home.settings_file.write_text(f"[service]\n{line}workers = 2\n", encoding="ascii")
    monkeypatch.setattr("arena.cli.nouns.home.with_book", lambda home, _: home)  # there is no such server
    done = arena("home", "backup", tmp_path / "x.tar", "--home", home.directory)
    assert "contains secrets (the password of the database, the key of the certificate" in done.out
    new = tmp_path / "new"
    restored = arena("home", "restore", tmp_path / "x.tar", "--home", new)
    assert f"`arena db copy {new / 'arena.db'} postgresql://HOST/NAME`" in restored.out.splitlines()[-1]
    assert (new / "settings.toml").read_text() == f"[service]\n# {line}workers = 2\n"
    assert (new / "settings.toml").stat().st_mode & 0o777 == 0o600
    assert arena("serve", "--home", new, "--check", "--json").json["settings"]["service.database"]["value"] == ""
    monkeypatch.setenv("ARENA_SERVE_DATABASE", "postgresql://ada:geheim@db.example/arena")
    restored = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "third")
    assert "ARENA_SERVE_DATABASE names the database postgresql://ada@db.example/arena, so" in restored.out
    shown = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "fourth", "--json")
    assert shown.json["database"] == shown.json["database_was"] == "postgresql://ada@db.example/arena"
    assert "geheim" not in restored.out + shown.out


def test_what_cannot_be_done_is_one_line(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    (tmp_path / "x.tar").write_text("a letter", encoding="ascii")
    assert "exists already" in arena.refusal("home", "backup", tmp_path / "x.tar", "--home", home.directory, code=1)
    assert "is no home" in arena.refusal("home", "backup", tmp_path / "y.tar", "--home", tmp_path, code=1)
    assert "is no home" in arena.refusal("home", "retention", "--home", tmp_path, code=1)
    refusal = arena("home", "restore", tmp_path / "x.tar", "--home", tmp_path / "new")
    assert refusal.code == 1
    assert "no archive of a home" in refusal.err.splitlines()[-1]
    refusal = arena("home", "restore", tmp_path / "x.tar", "--home", home.directory)
    assert refusal.code == 1
    assert "is not empty" in refusal.err.splitlines()[-1]


def test_retention_shows_what_would_go_before_anything_goes(arena: Arena, tmp_path: Path) -> None:
    home = small_home(tmp_path / "h")
    home.settings_file.write_text("[retention]\nreplays_days = 30\n", encoding="ascii")
    shown = arena("home", "retention", "--home", home.directory)
    assert shown.code == 0, shown
    # The matches of this home ended in 2023, as their records say, but were planned now.
    assert "nothing is to be removed" in shown.out
    assert arena("home", "retention", "--home", home.directory, "--json").json == {
        "removed": [],
        "announced": [],
        "wanted": [],
    }


TYPED: dict[str, Any] = {
    "service": ServiceSection,
    "weights": WeightsSection,
    "limits": LimitsSection,
    "admission": AdmissionSection,
    "retention": RetentionSection,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def said(file: Path, key: str, flags: dict[str, str], environ: dict[str, str]) -> tuple[Any, str]:
    (one,) = [one for one in load_settings(file, flags, environ).resolved if one.row.key == key]
    return one.value, one.origin


def problems(file: Path, text: str) -> tuple[str, ...]:
    file.write_text(text, encoding="utf-8")
    return load_settings(file, {}, {}).problems


def test_without_a_file_everything_has_its_default(file: Path) -> None:
    effective = load_settings(file, {}, {})
    assert effective.problems == ()
    assert {one.origin for one in effective.resolved} == {"default"}
    assert effective.values.service.workers == 0
    assert effective.values.service.leak_checks == 0.02
    assert effective.values.service.warm_memory is None


def test_a_flag_wins_over_the_environment_and_that_over_the_file_and_that_over_the_default(file: Path) -> None:
    key, flags, environ = "service.workers", {"service.workers": "3"}, {"ARENA_WORKERS": "2"}
    assert said(file, key, {}, {}) == (0, "default")
    for mark in ("\ufeff", ""):  # some editors write a byte-order mark
        file.write_text(f"{mark}[service]\nworkers = 1\n", encoding="utf-8")
        assert said(file, key, {}, {}) == (1, "settings.toml")
    assert said(file, key, {}, environ) == (2, "ARENA_WORKERS")
    assert said(file, key, {}, {"ARENA_WORKERS": ""}) == (1, "settings.toml")
    assert said(file, key, flags, environ) == (3, "--workers")
    assert said(file, "limits.versions", {"limits.versions": "7"}, {})[1] == "--set limits.versions"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[service]\nworker = 1", "[service] there is no setting 'worker'; did you mean 'workers'?"),
        ("[servce]\nworkers = 1", "there is no section 'servce'; did you mean 'service'?"),
        ("workers = 1", "workers stands outside a section; move it below [service]"),
        (
            "[service]\nversions = 1",
            "[service] 'versions' is a setting of [limits]; write limits.versions or move it there",
        ),
        ("[service]\nworkers = 'two'", "[service] workers = 'two' is not a whole number, 0 to 256; the default is 0"),
        ("[service]\nremote_absence = 0", "remote_absence = 0 is not a number, 1 to 86400; the default is 45"),
        (
            "[limits]\nopen_challenges = -1",
            "open_challenges = -1 is not a whole number, 0 to 1000000000",
        ),
        ("[service]\nworkers = true", "workers = True is not a whole number"),
        ("[service]\nsandbox = 'loose'", "sandbox = 'loose' is not one of auto, strict, standard, reduced, none"),
        ("[service]\naddress = 'here'", "address = 'here' is not an address such as \"127.0.0.1:7733\""),
        ("[service]\nleak_checks = '200%'", "leak_checks = '200%' is not a percentage"),
        ("[weights]\nladder = 0", "[weights] ladder = 0 is not a number, 0.001 to 1000; the default is 2"),
        ("[service\n", "is not TOML"),
        ("service = 3", "service is a section; write [service] on a line of its own"),
        ("[runtimes]\nml = 3", "[runtimes] ml is no runtime; write [runtimes.ml]"),
    ],
)
def test_whoever_mistypes_a_setting_is_told_file_key_and_remedy(file: Path, text: str, expected: str) -> None:
    (problem,) = problems(file, text)
    assert problem.startswith(str(file))
    assert expected in problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ARENA_WORKER", "did you mean ARENA_WORKERS?"),
        ("ARENA_SERVE_ADRESS", "did you mean ARENA_SERVE_ADDRESS?"),
        ("ARENA_LIMIT_VERSIONS", "did you mean ARENA_LIMITS_VERSIONS?"),
        ("ARENA_LIMITS_BOTS", "`arena serve --check` lists the settings"),
        ("ARENA_SERVICE_STOP", "`arena serve --check` lists the settings"),
    ],
)
def test_a_mistyped_variable_is_told_with_the_nearest_one(file: Path, name: str, expected: str) -> None:
    (problem,) = load_settings(file, {}, {name: "5"}).problems
    assert problem.startswith(f"{name} sets nothing; ")
    assert expected in problem


def test_variables_that_mean_something_else_are_left_alone(file: Path) -> None:
    others = {"ARENA_TOKEN": "x", "ARENA_BOT_DIR": "x", "ARENA_ADDRESS": "x", "ARENA_DB": "x", "ARENAS": "x"}
    assert load_settings(file, {}, others).problems == ()
    assert load_settings(file, {}, {"ARENA_RUNTIMES": "x", "ARENA_RUNTIMES_X": "x"}, ["ARENA_RUNTIMES"]).problems != ()
    assert load_settings(file, {}, {"ARENA_RUNTIMES": "x"}, ["ARENA_RUNTIMES"]).problems == ()


def test_every_problem_is_found_and_the_first_one_is_raised(file: Path) -> None:
    file.write_text("[service]\nworker = 1\n[limits]\nversions = -1\n", encoding="utf-8")
    effective = load_settings(file, {"weights.ladders": "1", "limits.stored_mb": "x"}, {"ARENA_SANDBOX": "loose"})
    assert len(effective.problems) == 5
    with pytest.raises(SettingsError, match="and 4 more"):
        _ = effective.values


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    (problem,) = load_settings(file, {}, {}).problems
    assert "not UTF-8" in problem


def test_runtimes_are_handed_on_as_they_are(file: Path) -> None:
    assert problems(file, '[runtimes.python-ml]\nkind = "python"\nvenv = "/opt/ml"\n') == ()
    assert load_settings(file, {}, {}).values.runtimes == {"python-ml": {"kind": "python", "venv": "/opt/ml"}}


def test_the_table_and_the_typed_settings_name_the_same() -> None:
    for section, kind in TYPED.items():
        assert [row.name for row in TABLE if row.section == section] == list(kind.model_fields)
    assert {row.section for row in TABLE} == set(TYPED)


def test_no_two_settings_share_a_variable_and_none_is_that_of_a_bot() -> None:
    variables = [row.variable for row in TABLE]
    assert len(set(variables)) == len(variables)
    assert not {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "ARENA_DB", "ARENA_SERVER"} & set(variables)


def test_the_template_changes_nothing_also_when_its_lines_are_switched_on(file: Path) -> None:
    assert problems(file, settings_template()) == ()
    switched_on = re.sub(r"^# (\w+ = )", r"\1", settings_template(), flags=re.MULTILINE)
    assert switched_on.count(" = ") >= len(TABLE)
    assert problems(file, re.sub(r"^(kind|venv) = .*", "", switched_on, flags=re.MULTILINE)) == ()
    assert load_settings(file, {}, {}).values == load_settings(file.with_name("none"), {}, {}).values


def test_every_default_can_be_said_in_the_file_and_in_the_environment(file: Path) -> None:
    for row in TABLE:
        default = row.default
        assert problems(file, f"[{row.section}]\n{setting_line(row)}\n") == (), row.key
        assert said(file, row.key, {}, {}) == (default, "settings.toml"), row.key
        text = row.format(default).strip('"[]')
        if text:
            assert said(file, row.key, {}, {row.variable: text}) == (default, row.variable), row.key


@given(text=st.text(CHARACTERS, max_size=40))
def test_no_text_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(text, encoding="utf-8")
    load_settings(file, {row.key: text for row in TABLE}, {row.variable: text for row in TABLE})


def test_every_setting_stands_in_the_document_with_default_variable_and_help() -> None:
    document = (Path(__file__).parents[2] / "docs/deploy.md").read_text(encoding="utf-8")

    def line(row: SettingDefinition) -> str:
        return f"- **`{row.key}`** (`{row.variable}`), default `{row.format(row.default)}`: {row.help}\n"

    assert [line(row) for row in TABLE if line(row) not in document] == []
