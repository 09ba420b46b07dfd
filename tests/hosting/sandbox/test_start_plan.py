"""Who may run at which level, what the launcher is asked for then, and the programs that run at one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import arena.hosting.sandbox
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.sandbox import limits, probe
from arena.hosting.sandbox.limits import LEVELS, SandboxLimits, SandboxPolicy, find_level, strongest_level
from arena.hosting.sandbox.probe import Probe
from arena.hosting.sandbox.start_plan import BotProgram, plan_start
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import StoreError, VersionStore
from arena.hosting.user_directories import cache_directory
from arena.match.spec import program_seat

MANIFEST = """schema = 1
name = "ann"
command = ["python", "main.py"]
games = ["chess", "go"]
memory_mb = 100
protocol = "lines"
deterministic = true
"""
PROGRAM = Path(arena.hosting.sandbox.__path__[0]) / "inside" / "group.py"


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The levels that this machine pretends to have."""
    levels = {"standard", "reduced"}

    def pretend(level: str) -> Probe:
        return Probe(level) if level in levels else Probe(level, (), "bwrap is broken", "mend it")

    monkeypatch.setattr(limits, "_probe", pretend)
    return levels


def refusal(policy: SandboxPolicy, *, has_owner: bool) -> str:
    with pytest.raises(SandboxUnavailableError) as caught:
        find_level(has_owner=has_owner, policy=policy)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bots_of_an_owner_run_in_the_sandbox_and_ones_own_without(working: set[str]) -> None:
    assert (find_level(has_owner=True), find_level(has_owner=False)) == ("standard", "none")


def test_the_strictest_sandbox_is_taken_where_it_works(working: set[str]) -> None:
    working.add("strict")
    assert (find_level(has_owner=True), find_level(has_owner=False), strongest_level()) == ("strict", "none", "strict")
    assert find_level(has_owner=True, policy=SandboxPolicy("standard")) == "standard"


@pytest.mark.host_fault("no-control-group")
def test_who_asks_for_the_strictest_sandbox_gets_no_other(working: set[str]) -> None:
    message = refusal(SandboxPolicy("strict", allow_reduced=True), has_owner=False)
    assert message == "level strict does not work here: bwrap is broken; mend it"


def test_ones_own_bots_need_no_working_sandbox(working: set[str]) -> None:
    working.clear()
    assert find_level(has_owner=False) == "none"


@pytest.mark.host_fault("no-sandbox")
def test_bots_of_an_owner_are_refused_without_a_sandbox(working: set[str]) -> None:
    working.clear()
    message = refusal(SandboxPolicy(), has_owner=True)
    assert "level standard does not work here: bwrap is broken; mend it" in message


def test_a_remedy_helps_a_service_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Probe("standard", (), "bwrap is not there", "install it"), Probe("standard")]
    without = Probe("strict", (), "there are no control groups", "mount them")
    monkeypatch.setattr(probe, "probe", lambda level: without if level == "strict" else found.pop(0))
    monkeypatch.setattr(limits, "_WORKING", {})
    refusal(SandboxPolicy(), has_owner=True)
    for _ in range(2):  # success is remembered
        assert find_level(has_owner=True) == "standard"


def test_the_reduced_sandbox_is_never_taken_silently(working: set[str]) -> None:
    working.remove("standard")
    refusal(SandboxPolicy(), has_owner=True)
    assert find_level(has_owner=True, policy=SandboxPolicy(allow_reduced=True)) == "reduced"


def test_the_reduced_sandbox_must_be_allowed_even_when_asked_for(working: set[str]) -> None:
    assert "--allow-reduced-sandbox" in refusal(SandboxPolicy("reduced"), has_owner=True)
    assert find_level(has_owner=True, policy=SandboxPolicy("reduced", allow_reduced=True)) == "reduced"


def test_the_better_sandbox_is_taken_when_both_work(working: set[str]) -> None:
    assert find_level(has_owner=True, policy=SandboxPolicy(allow_reduced=True)) == "standard"


def test_ones_own_bots_can_be_put_into_the_sandbox(working: set[str]) -> None:
    assert find_level(has_owner=False, policy=SandboxPolicy("standard")) == "standard"
    working.clear()
    assert refusal(SandboxPolicy("standard"), has_owner=False).startswith("level standard does not work here")


def test_nobody_takes_the_sandbox_off_a_strangers_bot(working: set[str]) -> None:
    assert "leave out `--sandbox none`" in refusal(SandboxPolicy("none"), has_owner=True)
    assert find_level(has_owner=False, policy=SandboxPolicy("none")) == "none"


def test_a_level_that_does_not_exist_is_refused() -> None:
    for make in (SandboxLimits, SandboxPolicy):
        with pytest.raises(ValueError, match="sandbox level 'loose'; there are strict, standard, reduced, none"):
            make("loose")
    assert LEVELS == ("strict", "standard", "reduced", "none")


def test_without_bubblewrap_the_remedy_is_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "bwrap is not installed; install it with: apt-get install bubblewrap" in refusal(
        SandboxPolicy(), has_owner=True
    )


@pytest.mark.host_fault("broken-bubblewrap")
def test_a_broken_bubblewrap_is_noticed_because_it_is_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n", "utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    message = refusal(SandboxPolicy(), has_owner=True)
    assert "No permissions to create new namespace; user namespaces are forbidden here: run `sysctl" in message


def test_what_worked_is_remembered_for_one_boot_and_one_level(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    names = set()
    for boot in ("first boot", "second boot", "first boot"):
        monkeypatch.setattr(probe, "read_boot_id", lambda boot=boot: boot)
        names |= {probe._success_file(level, None) for level in ("none", "reduced")}
    assert len(names) == 4
    assert {name.parent for name in names} == {tmp_path / "kingmaker-arena"}


def test_without_a_place_of_ones_own_for_such_files_the_usual_one_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "kingmaker-arena"


@pytest.mark.parametrize("level", ["standard", "reduced"])
def test_a_bot_gets_address_space_for_its_memory_and_what_runtimes_reserve(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.hosting.sandbox.bubblewrap.find_tool", str)
    program = BotProgram(["/bin/true"], str(tmp_path), {}, None)
    confinement = plan_start(program, SandboxLimits(level, memory_mb=256), own_uid=False).confinement
    assert confinement is not None
    assert confinement.rlimits["RLIMIT_AS"] == (256 + 4096) * 1024 * 1024
    assert confinement.rlimits["RLIMIT_CORE"] == 0


def test_without_a_sandbox_a_bot_is_only_watched(tmp_path: Path) -> None:
    program = BotProgram(["/bin/true"], str(tmp_path), {}, None)
    request = plan_start(program, SandboxLimits("none", memory_mb=256), own_uid=False)
    assert request.confinement is None
    assert request.limits is not None
    assert (request.limits.memory_bytes, request.limits.descriptors) == (256 * 1024 * 1024, None)


@pytest.fixture
def store(tmp_path: Path) -> VersionStore:
    return VersionStore(tmp_path / "store")


@pytest.fixture
def version(tmp_path: Path, store: VersionStore) -> str:
    source = tmp_path / "ann"
    source.mkdir()
    (source / "bot.toml").write_text(MANIFEST, encoding="utf-8")
    (source / "main.py").write_text("# ann\n", encoding="utf-8")
    return store.add(source).hash


def test_a_program_is_what_its_manifest_says(store: VersionStore, version: str) -> None:
    program = StoredPrograms(store).find(version)
    assert program.directory == store.directory(version)
    assert program.command == (sys.executable, str(store.directory(version) / "main.py"))
    assert (program.games, program.memory_mb, program.is_deterministic) == (("chess", "go"), 100, True)
    seat = program_seat("ann", version, program, "none")
    assert (seat.memory_mb, seat.is_deterministic, seat.protocol) == (100, True, "lines")
    assert (program.plays("go"), program.plays("foreign_king")) == (True, False)


def test_programs_lie_in_the_store(store: VersionStore) -> None:
    assert StoredPrograms(store).root == store.root


def test_a_program_that_is_not_there_is_refused(store: VersionStore) -> None:
    with pytest.raises(StoreError, match="the files of this version are missing"):
        StoredPrograms(store).find("0" * 64)


def test_the_policy_decides_the_sandbox(store: VersionStore) -> None:
    programs = StoredPrograms(store, SandboxPolicy("none"))
    assert programs.sandbox_level(has_owner=False) == "none"
    with pytest.raises(SandboxUnavailableError, match="run only in a sandbox"):
        programs.sandbox_level(has_owner=True)


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-I", "-S", str(PROGRAM), *words], stdout=subprocess.PIPE, text=True)


def test_who_eats_says_nothing_and_ends() -> None:
    with start("eat", "2") as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.kill() if said else None
        assert (said, process.wait()) == ("", 0)


def test_who_spins_says_when_it_does() -> None:
    with start("spin") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL
