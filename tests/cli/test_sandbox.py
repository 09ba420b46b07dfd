"""What is said of sandboxes and runtimes, and that nothing is played where one is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.cli.shared.language import say
from arena.hosting.sandbox import limits
from arena.hosting.sandbox.limits import STRICT
from arena.hosting.sandbox.probe import Probe, explain_shared_ids, probe
from engine.translatable import split
from tests.cli.support import Arena, write_bot
from tests.support.pythons import make_venv
from tests.support.sandboxes import need


def pretended(level: str) -> Probe:
    """Say that a level works; control groups are really tried, since they are really used."""
    return probe(level) if level == STRICT else Probe(level)


WARNING = say("cli_shared.warn_sandbox")

MATCH = ["match", "run", "--game", "foreign_king", "--bots", "ada,bob", "--seed", "3"]
TOURNAMENT = [
    "tournament",
    "run",
    "round-robin",
    "--game",
    "foreign_king",
    "--seats",
    "2",
    "--bots",
    "ada,eve/zoe",
    "--option",
    "max_rounds=1",
]


@pytest.fixture(autouse=True)
def _no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SANDBOX", raising=False)


@pytest.fixture
def stranger(table: Arena, tmp_path: Path) -> Arena:
    """The command with a bot `eve/zoe` of somebody else, too."""
    assert table("bot", "add", write_bot(tmp_path / "zoe", "zoe"), "--owner", "eve").code == 0
    return table


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No program is found on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return tmp_path / "nothing"


@pytest.fixture
def with_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every level works, as far as this test is concerned."""
    monkeypatch.setattr(limits, "_probe", pretended)


def test_ones_own_bots_play_with_one_line_of_warning(table: Arena, without_bubblewrap: Path) -> None:
    finished = table(*MATCH)
    assert finished.code == 0
    assert finished.err.count(WARNING) == 1


@pytest.mark.host_fault("no-sandbox")
@pytest.mark.parametrize("words", [[*MATCH[:5], "eve/zoe,ada"], TOURNAMENT])
def test_a_strangers_bot_is_refused_without_a_sandbox_and_nothing_is_played(
    stranger: Arena, without_bubblewrap: Path, words: list[str]
) -> None:
    finished = stranger(*words)
    assert finished.code == 1
    line = finished.err.splitlines()[-1]
    assert "bots that have an owner run only in a sandbox" in line
    assert "bwrap is not installed; install it with: apt-get install bubblewrap" in line
    (tournament,) = stranger("tournament", "list", "--json").json
    assert tournament["finished"] == 0


def test_when_there_is_a_sandbox_again_the_tournament_goes_on(
    stranger: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "nothing"))
        assert stranger(*TOURNAMENT, "--name", "monday").code == 1
    monkeypatch.setattr(limits, "_probe", pretended)
    assert stranger("tournament", "resume", "monday").code == 0


def test_a_strangers_bot_plays_in_the_sandbox_without_a_warning_of_its_own(
    stranger: Arena, with_bubblewrap: None, tmp_path: Path
) -> None:
    stranger("bot", "add", write_bot(tmp_path / "yan", "yan"), "--owner", "eve")
    finished = stranger(*MATCH[:5], "eve/yan,eve/zoe")
    assert finished.code == 0
    assert WARNING not in finished.err


def test_ones_own_bots_can_be_kept_there_too(table: Arena, with_bubblewrap: None) -> None:
    assert WARNING not in table(*MATCH, "--sandbox", "standard").err


def test_the_environment_sets_it_for_every_command(
    table: Arena, without_bubblewrap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SANDBOX", "standard")
    assert "level standard does not work here" in table.refusal(*MATCH, code=1)


def test_nobody_takes_the_sandbox_off_a_strangers_bot(stranger: Arena) -> None:
    line = stranger.refusal(*MATCH[:5], "eve/zoe,ada", "--sandbox", "none", code=1)
    assert "leave out `--sandbox none`" in line


def test_a_level_that_does_not_exist_is_misuse(table: Arena) -> None:
    assert "use auto, strict, standard, reduced or none" in table.refusal(*MATCH, "--sandbox", "loose")


def test_doctor_tells_what_to_install(arena: Arena, without_bubblewrap: Path) -> None:
    finished = arena("doctor", "--json")
    findings = {finding["check"]: finding for finding in finished.json}
    assert finished.code == 0  # one's own bots play without
    assert findings["sandbox standard"]["state"] == "note"
    assert findings["sandbox standard"]["remedy"] == "install it with: apt-get install bubblewrap"
    assert "are refused" in findings["sandbox"]["detail"]


@pytest.mark.needs("sandbox")
def test_doctor_tells_whether_bots_get_user_ids_of_their_own(arena: Arena) -> None:
    (finding,) = [one for one in arena("doctor", "--json").json if one["check"] == "user ids"]
    what, remedy = split(explain_shared_ids() if os.geteuid() else "")
    assert (finding["state"], finding["remedy"]) == ("note" if what else "ok", remedy)
    assert what in finding["detail"]


@pytest.mark.needs("sandbox")
def test_doctor_tells_the_strongest_level_and_tries_every_part_of_the_strictest(arena: Arena) -> None:
    need("strict")
    findings = {finding["check"]: finding for finding in arena("doctor", "--json").json}
    assert findings["sandbox"]["detail"] == "the strongest level that works here is strict"
    parts = {check: finding for check, finding in findings.items() if check.startswith("sandbox strict: ")}
    assert {finding["state"] for finding in parts.values()} == {"ok"}
    for part in (
        "memory is limited",
        "more processes",
        "while it is frozen",
        "CPU weight",
        "processor time",
        "is removed",
    ):
        assert any(part in check for check in parts), part


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.cgroups.offer.read_hierarchies", list)
    monkeypatch.setattr(limits, "_WORKING", {})


@pytest.mark.needs("sandbox")
@pytest.mark.host_fault("no-control-group")
def test_without_control_groups_doctor_says_what_to_do_and_the_next_best_is_taken(
    arena: Arena, without_groups: None
) -> None:
    findings = {finding["check"]: finding for finding in arena("doctor", "--json").json}
    assert findings["sandbox strict"]["state"] == "note"
    assert findings["sandbox strict"]["remedy"].startswith("mount cgroup2 at /sys/fs/cgroup")
    assert findings["sandbox"]["detail"] == "the strongest level that works here is standard"


@pytest.mark.host_fault("no-control-group")
def test_who_asks_for_control_groups_where_there_are_none_is_told_so_in_a_line(
    table: Arena, without_groups: None
) -> None:
    line = table.refusal(*MATCH, "--sandbox", "strict", code=1)
    assert "level strict does not work here: there is no control group for memory; mount cgroup2" in line


def test_a_strangers_bot_that_needs_a_program_of_this_machine_is_refused(arena: Arena, tmp_path: Path) -> None:
    directory = write_bot(tmp_path / "zoe", "zoe", memory_mb="4000")
    assert "may use 2048; ask for less" in arena.refusal("bot", "add", directory, "--owner", "eve")
    assert arena("bot", "add", directory).code == 0


@pytest.fixture
def _bare_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing is installed that would be a runtime by itself."""
    monkeypatch.setattr("arena.hosting.runtimes.catalog.installed_runtimes", lambda _path: {})


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_venv(tmp_path_factory.mktemp("runtime") / "venv", "fakenet==1.2")


@pytest.fixture
def runtimes(tmp_path: Path, venv: Path) -> Path:
    """A file in which `python-ml` is a virtual environment with one package."""
    file = tmp_path / "runtimes.toml"
    file.write_text(f'[runtimes.python-ml]\nkind = "python"\nvenv = "{venv}"\n', encoding="utf-8")
    return file


@pytest.mark.usefixtures("_bare_system")
def test_without_definitions_there_are_two(arena: Arena) -> None:
    rows = arena("runtime", "list", "--json").json
    assert [(row["name"], row["kind"], row["problem"]) for row in rows] == [
        ("arena", "arena", None),
        ("bundled", "bundled", None),
    ]
    assert "PROBLEM" not in arena("runtime", "list").out


@pytest.mark.usefixtures("_bare_system")
def test_competitors_are_told_what_is_in_each(arena: Arena, runtimes: Path) -> None:
    row = arena("runtime", "list", "--runtimes", runtimes, "--json").json[2]
    assert (row["name"], row["version"], row["packages"]) == ("python-ml", sys.version.split()[0], {"fakenet": "1.2"})
    assert arena("runtime", "show", "python-ml", "--runtimes", runtimes, "--json").json["hash"] == row["hash"]
    shown = arena("runtime", "show", "python-ml", "--runtimes", runtimes).out
    assert "fakenet  1.2" in shown
    assert row["hash"] in shown


@pytest.mark.usefixtures("_bare_system")
def test_the_variable_names_them_for_every_command(
    arena: Arena, runtimes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_RUNTIMES", str(runtimes))
    assert arena("runtime", "list", "--json").json[2]["name"] == "python-ml"
    assert arena("bot", "add", write_bot(tmp_path / "a", "ada", runtime='"python-ml"')).code == 0
    assert "runtime        python-ml" in arena("bot", "show", "ada").out


@pytest.mark.usefixtures("_bare_system")
def test_a_bot_of_an_unknown_runtime_is_refused_with_the_known_ones(
    arena: Arena, runtimes: Path, tmp_path: Path
) -> None:
    bot = write_bot(tmp_path / "a", "ada", runtime='"python-ml"')
    assert "knows 'arena', 'bundled'; `arena runtime list` shows" in arena.refusal("bot", "add", bot)
    assert arena("bot", "add", bot, "--runtimes", runtimes).code == 0
    other = write_bot(tmp_path / "b", "bob", runtime='"pythonml"')
    assert "did you mean 'python-ml'?" in arena.refusal("bot", "add", other, "--runtimes", runtimes)


@pytest.mark.usefixtures("_bare_system")
def test_a_bot_whose_runtime_is_gone_enters_no_match(arena: Arena, runtimes: Path, tmp_path: Path) -> None:
    for name in ("ada", "bob", "eve"):
        bot = write_bot(tmp_path / name, name, runtime='"python-ml"')
        assert arena("bot", "add", bot, "--runtimes", runtimes).code == 0
    said = arena.refusal("match", "run", "--game", "foreign_king", "--bots", "ada,bob,eve")
    assert "runtime is 'python-ml', and this arena knows 'arena', 'bundled'" in said


@pytest.mark.usefixtures("_bare_system")
def test_a_runtime_that_does_not_work_hides_no_other(arena: Arena, runtimes: Path, tmp_path: Path) -> None:
    with runtimes.open("a", encoding="utf-8") as file:
        file.write('[runtimes.gone]\nkind = "python"\nvenv = "/nowhere"\n')
    rows = {row["name"]: row for row in arena("runtime", "list", "--runtimes", runtimes, "--json").json}
    assert rows["python-ml"]["problem"] is None
    assert "/nowhere: is no virtual environment" in rows["gone"]["problem"]
    assert "PROBLEM" in arena("runtime", "list", "--runtimes", runtimes).out
    assert "ist keine virtuelle Umgebung" in arena("runtime", "list", "--runtimes", runtimes, "--lang", "de").out
    assert "/nowhere" in arena.refusal("runtime", "show", "gone", "--runtimes", runtimes, code=1)


@pytest.mark.usefixtures("_bare_system")
def test_wrong_definitions_are_named(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "runtimes.toml"
    assert "cannot be read" in arena.refusal("runtime", "list", "--runtimes", file)
    file.write_text('[runtimes.x]\nkid = "python"\n', encoding="utf-8")
    assert f"{file}: [runtimes.x]: kind is missing" in arena.refusal("runtime", "list", "--runtimes", file)


@pytest.mark.usefixtures("_bare_system")
def test_an_unknown_runtime_gets_the_nearest_name(arena: Arena) -> None:
    assert "did you mean 'bundled'?" in arena.refusal("runtime", "show", "bundeld")
