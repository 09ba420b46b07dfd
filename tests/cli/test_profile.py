"""`arena doctor --profile` plays, measures and tells where time goes, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.verbs.doctor.profile import print_profile, profiled_tournament, seats_of
from arena.hosting.procfs.processes import list_descendants
from arena.i18n.catalogue import LANGUAGES
from arena.profiling.parts import ProfilePart
from arena.profiling.split import PartCost, Split, UnmeasuredError, WallShare
from engine import registry
from tests.cli.support import Arena
from tests.support.patience import PATIENCE_S
from tests.support.processes import command_lines, wait_until

SHORT = ["doctor", "--profile", "--seconds", "1", "--workers", "1"]
AS_IN_A_SECOND = 2_000
"""As many decisions as a quiet machine takes in that time: fewer give each part no sample for certain."""
STRETCHES = ["wait", "start", "asked", "between", "end"]
SPLIT = Split(
    seconds=5.0,
    workers=2,
    matches=138,
    decisions=19_375,
    samples=1_020,
    cpu_s=9.9,
    parts=tuple(PartCost(part, 51.1, 0.1, 7.3 if part is not ProfilePart.BOT else 0.0) for part in ProfilePart),
    walls=tuple(WallShare(stretch, 14.5, 0.2) for stretch in STRETCHES),
    recording_ms=9.0,
)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory for what lies in temporary places."""
    directory = tmp_path / "t"
    directory.mkdir()
    monkeypatch.setenv("TMPDIR", str(directory))
    monkeypatch.setattr("tempfile.tempdir", None)
    return directory


@pytest.mark.needs("minutes")
def test_a_run_tells_where_all_of_its_time_went_and_leaves_nothing_behind(
    arena: Arena, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.profiling.run_recorder.LEAST_DECISIONS", AS_IN_A_SECOND)
    finished = arena(*SHORT, "--json")
    assert finished.code == 0, finished.err
    told = finished.json
    parts = {part["part"]: part["cpu_us"] for part in told["parts"]}
    assert set(parts) == set(ProfilePart)
    assert sum(parts.values()) == pytest.approx(told["cpu_us"])
    assert sum(part["share"] for part in told["parts"]) == pytest.approx(1)
    for part in (
        ProfilePart.BOT,
        ProfilePart.TRANSPORT,
        ProfilePart.ENGINE,
        ProfilePart.ENCODING,
        ProfilePart.RECORDING,
    ):
        assert parts[part] > 0, part
    assert [wall["stretch"] for wall in told["walls"]] == STRETCHES
    assert sum(wall["share"] for wall in told["walls"]) == pytest.approx(1)
    assert told["decisions"] >= AS_IN_A_SECOND
    assert told["workers"] == 1
    assert list(places.iterdir()) == []
    assert sorted(path.name for path in arena.db.parent.iterdir()) == ["t"], "no database, no bots"


def measured(monkeypatch: pytest.MonkeyPatch, found: Split | UnmeasuredError) -> None:
    """Have a run be measured without being played."""

    async def measure(*_: object) -> Split:
        if isinstance(found, UnmeasuredError):
            raise found
        return found

    monkeypatch.setattr("arena.cli.verbs.doctor.profile.measure", measure)


def test_programs_are_told_all_that_was_measured(arena: Arena, places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, SPLIT)
    told = arena(*SHORT, "--json").json
    assert (told["workers"], told["matches"], told["decisions"]) == (2, 138, 19_375)
    assert [part["part"] for part in told["parts"]] == list(ProfilePart)
    assert told["cpu_us"] == pytest.approx(9.9e6 / 19_375)
    assert [part["cpu_us"] for part in told["parts"]] == [51.1] * len(ProfilePart)
    assert [part["share"] for part in told["parts"]] == [0.1] * len(ProfilePart)
    assert [(wall["stretch"], wall["share"]) for wall in told["walls"]] == [(name, 0.2) for name in STRETCHES]
    measured(monkeypatch, UnmeasuredError("it was too short"))
    assert arena(*SHORT, "--json").err.splitlines()[-1] == "arena: it was too short"
    assert list(places.iterdir()) == []
    assert sorted(path.name for path in arena.db.parent.iterdir()) == ["t"], "no database, no bots"


def test_for_people_there_are_two_tables_and_what_they_say(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, SPLIT)
    finished = arena(*SHORT, "--game", registry.names()[-1])
    assert finished.code == 0, finished.err
    assert "Processor time of one decision" in finished.out
    assert "Wall time of one match" in finished.out
    assert "cores were busy with it" in finished.out
    assert finished.err.startswith("1 workers play ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_fit_a_terminal_of_40_columns(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_LANG", language)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "dumb")
    print_profile(SPLIT)
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    rows = [line for line in lines if line.rstrip().endswith("%")]
    assert len(rows) == len(ProfilePart) + 1 + len(STRETCHES), "no row is folded"
    assert max(map(len, rows)) <= 40
    assert "51 ± 7" in shown
    assert "100.0%" in shown


@pytest.mark.parametrize(
    ("cores", "workers", "words"),
    [
        (2, 2, "more or faster cores"),
        (4, 2, "--workers"),
        (4, 4, "other programs use the rest"),
    ],
)
def test_it_says_whether_cores_workers_or_something_else_is_short(
    cores: int, workers: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.cli.verbs.doctor.profile.count_cores", lambda: cores)
    print_profile(replace(SPLIT, workers=workers))
    assert words in capsys.readouterr().out


IMPOSSIBLE = [
    (["--seconds", "3"], "--seconds belongs to --profile; add --profile, or leave it out"),
    (["--game", "nim"], "--game belongs to --profile; add --profile, or leave it out"),
    (["--profile", "--db", "x.db"], "--profile plays in a database of its own; leave out --db"),
    (["--profile", "--game", "nothing"], "no game 'nothing'"),
    (["--profile", "--seconds", "0"], "--seconds"),
    (["--profile", "--seconds", "nan"], "--seconds"),
    (["--profile", "--seconds", "soon"], "--seconds"),
]


def test_what_has_no_part_in_it_is_refused_in_one_line(arena: Arena) -> None:
    assert arena.misses((["doctor", *words], refusal) for words, refusal in IMPOSSIBLE) == []


def test_without_proc_it_says_where_to_measure(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.nouns.doctor.has_proc", lambda: False)
    assert arena.refusal(*SHORT, code=1).endswith("measure on Linux")


def test_it_is_not_asked_of_a_service(arena: Arena) -> None:
    assert "leave out --server" in arena.refusal("--server", "home", *SHORT)


def test_a_match_of_every_game_can_be_staged(places: Path) -> None:
    for name in registry.names():
        game = registry.get(name)
        with profiled_tournament(game, 1.0, 1) as staged:
            assert seats_of(game) in game.seats
            assert staged.connection.arena.tournaments.get_tournament(staged.tournament).summary.total > 0
    assert list(places.iterdir()) == []


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Have Ctrl-C reach what is started even where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("ctrl-c")
@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_ends_it_in_good_order_and_nothing_is_left(places: Path) -> None:
    words = [sys.executable, "-m", "arena.cli.main", "doctor", "--profile", "--seconds", "600", "--workers", "1"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("1 workers play ")
        family: dict[int, str] = {}

        def plays() -> bool:
            assert process.poll() is None
            family.update(command_lines(list_descendants(process.pid)))
            return any("main.py" in command for command in family.values())

        wait_until(plays)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "arena: stopped; nothing was measured, and nothing is left behind"
    assert dict(command_lines(family)) == {}
    assert list(places.iterdir()) == []
