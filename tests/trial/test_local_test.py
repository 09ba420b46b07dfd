"""A bot is tested at home: which matches it plays, what is said of it, and what is kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.i18n.catalogue import translate
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl, parse_time_control
from arena.match.worker_report import LOG_HEAD_BYTES, MatchReport, SeatLogText, SeatProcess
from arena.model.bots import Finding
from arena.trial.artifacts import ArtifactDirectory, KeepingError, held, usual_place, whole_log
from arena.trial.lineup import Lineup, of_known_rules, opponent_in, setups_of
from arena.trial.local_test import (
    ValueDrop,
    changed_files,
    find_drop,
    largest_drop,
    quantile,
    scores,
    take_snapshot,
    try_out,
)
from arena.trial.trials import RULES, UndecidedError
from engine import registry
from engine.translatable import Text
from tests.cli.table import RoomExecutor
from tests.support.specs import seat_spec

BOT = seat_spec(0, name="author")


def lineup(games: str = "*", **changes: Any) -> Lineup:
    samples: dict[str, SeatSpec] = {name: seat_spec(1, name=name) for name in ("random", "greedy")}
    plain = Lineup(BOT, setups_of([games]), samples, parse_time_control("100ms"), seed=5)
    return replace(plain, **changes)


def test_a_bot_meets_every_sample_in_every_seat_of_every_number_of_seats() -> None:
    one = lineup("foreign_king")
    trials = [*one.first_trials(), *one.other_trials(["foreign_king"])]
    met = Counter((trial.setup.seats, opponent_in(trial), trial.own) for trial in trials)
    assert met == Counter({
        (seats, sample, (own,)): 1 for seats in (2, 3, 4) for sample in ("random", "greedy") for own in range(seats)
    })  # fmt: skip
    assert len({trial.spec.match_id for trial in trials}) == len(trials)


def test_the_first_match_of_each_game_is_played_by_new_processes_and_once_only() -> None:
    one = lineup(matches=1)
    firsts = one.first_trials()
    assert [trial.setup.game for trial in firsts] == list(registry.names())
    assert all(trial.spec.uses_fresh_bots and trial.spec.keeps_logs for trial in firsts)
    others = one.other_trials(["foreign_king"])
    assert {trial.setup.game for trial in others} == {"foreign_king"}
    assert not {trial.spec.match_id for trial in firsts} & {trial.spec.match_id for trial in others}


def test_equal_seeds_plan_equal_matches_and_each_sample_meets_the_same_dice_and_opening() -> None:
    assert lineup().other_trials(["rex_romanorum"]) == lineup().other_trials(["rex_romanorum"])
    assert lineup().first_trials()[0].spec.chance_seed != lineup(seed=6).first_trials()[0].spec.chance_seed
    trials = lineup("foreign_king").other_trials(["foreign_king"])
    drawn = {(trial.setup.seats, trial.own, trial.spec.chance_seed, trial.spec.opening) for trial in trials}
    assert len(drawn) == 9


def test_grounds_of_other_rules_are_left_out_with_the_remedy() -> None:
    setups = setups_of(["*"])
    known, findings = of_known_rules(setups, {"foreign_king": "0", "unknown_game": "1"})
    assert {setup.game for setup in known} == {*registry.names()} - {"foreign_king"}
    assert [finding.check for finding in findings] == [RULES]
    assert of_known_rules(setups, {setup.game: setup.rules_version for setup in setups}) == (setups, ())


def test_a_test_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    ArtifactDirectory(place)
    (place / "old.replay").touch()
    (place / "old.log").touch()
    ArtifactDirectory(place)
    assert list(place.iterdir()) == []


def test_two_tests_at_once_do_not_share_a_place(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    with (
        held(place),
        pytest.raises(
            KeepingError, match=r"another test keeps its replays in .*; wait until it is over, or name another"
        ),
        held(place),
    ):
        pass
    with held(place):
        assert place.is_dir()


def test_a_directory_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.replay").touch()
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(KeepingError, match=r"thesis\.tex"):
        ArtifactDirectory(tmp_path)
    assert (tmp_path / "old.replay").exists()


def test_bots_of_one_name_in_two_places_are_kept_apart(tmp_path: Path) -> None:
    assert usual_place(tmp_path / "a" / "bot") != usual_place(tmp_path / "b" / "bot")
    assert usual_place(tmp_path / "\udcfe") != usual_place(tmp_path / "\udcff"), "also where a name is not UTF-8"


def test_a_log_says_where_something_was_left_out() -> None:
    log = SeatLogText(0, b"x" * LOG_HEAD_BYTES + b"the end", cut_bytes=1000)
    assert whole_log(log).endswith(b"x\n[1000 bytes left out]\nthe end")
    assert whole_log(SeatLogText(0, b"all")) == b"all"


def test_a_file_is_no_directory_to_keep_anything_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("file", "file/below"):
        with pytest.raises(KeepingError, match=r"cannot be made \(.*\); name another directory with --keep"):
            ArtifactDirectory(tmp_path / place)


QUIET = RoomExecutor.process
LEFT = [
    "__pycache__/main.cpython-311.pyc", ".git/index", ".main.py.swp", "main.py~", "#main.py#", "4913",
    "build/bot", "node_modules/x/index.js", "target/debug/bot", "main.o", ".#main.py",
]  # fmt: skip


def short(**bot: Any) -> Lineup:
    """Two short matches at a table of two: the first for new processes, another one after it."""
    plain = lineup("foreign_king", matches=2)
    setup = replace(plain.setups[0], options={"max_rounds": 3})
    return replace(plain, setups=(setup,), samples={"random": plain.samples["random"]}, bot=replace(BOT, **bot))


class Room(RoomExecutor):
    """A room in which processes do something, and in which each match may be another one."""

    def __init__(self, process: Mapping[str, Any], is_moody: bool = False) -> None:
        super().__init__(1)
        self.process = {**QUIET, **process}
        self._is_moody = is_moody
        self._matches = 0

    async def run(self, spec: MatchSpec) -> MatchReport:
        self._matches += self._is_moody
        seats = tuple(replace(seat, seed=seat.seed + self._matches) for seat in spec.seats)
        return await super().run(replace(spec, seats=seats))


async def findings(plan: Lineup, room: RoomExecutor) -> dict[str, Finding]:
    tested = await try_out(plan, room, lambda *_: None)
    return {one.check: one for one in tested.findings}


async def said(check: str, plan: Lineup | None = None, **process: Any) -> tuple[str, str]:
    """The state and the sentence of a check after matches in which processes did something."""
    found = (await findings(plan or short(), Room(process)))[check]
    return found.state, found.sentence


async def test_of_a_bot_that_does_nothing_wrong_each_check_says_so() -> None:
    progress: list[tuple[int, int]] = []
    tested = await try_out(short(is_deterministic=True), Room({}), lambda *now: progress.append(now))
    assert [(one.check, one.state, one.sentence) for one in tested.findings] == [
        ("start", "passed", "It starts, and joins in time."),
        ("play", "passed", "It played 2 matches without a fault: foreign_king with 2 seats."),
        ("clock", "passed", "Its slowest of 9 decisions took 1 ms of 100 ms."),
        ("resources", "passed", f"One process used up to 20 of {BOT.memory_mb} MiB of memory."),
        ("second match", "passed", "Processes that had played before played 2 more matches."),
        ("determinism", "passed", "1 matches were played twice by new processes, and were equal."),
        ("ending", "passed", "Its processes end when their stream does."),
        ("output", "passed", "It wrote nothing to standard output."),
    ]
    assert (tested.played, len(tested.matches), progress[-1]) == (3, 2, (3, 3))


async def test_what_was_found_on_several_setups_is_told_in_german_to_its_last_part() -> None:
    plan = short()
    three = replace(plan, setups=tuple(replace(plan.setups[0], seats=seats) for seats in (2, 3, 4)))
    found = await findings(three, Room({}))
    assert all(translate(one.sentence, "de") != one.sentence for one in found.values())
    games = ", ".join(f"foreign_king mit {seats} Plätzen" for seats in (2, 3, 4))
    assert translate(found["play"].sentence, "de") == f"Er spielte 6 Partien ohne Fehler: {games}."


def test_how_a_process_ended_keeps_its_text_on_its_way_here() -> None:
    ended = Text("exit status {status}", status=1)
    crossed = SeatProcess.from_json(json.loads(json.dumps(SeatProcess(0, False, 1, True, 0, ended).to_json())))
    assert translate(crossed.failed_at_end, "de") == "Exit-Status 1"


async def test_what_processes_did_is_judged() -> None:
    megabyte = 1 << 20
    assert await said("resources", peak_memory_bytes=None) == (
        "passed",
        f"It stayed within its {BOT.memory_mb} MiB of memory.",
    )
    near = await said("resources", short(memory_mb=100), peak_memory_bytes=80 * megabyte)
    assert near[0] == "noted"
    assert near[1].startswith("One process used up to 80 of 100 MiB of memory. That is near its limit")
    assert (await said("resources", short(memory_mb=100), peak_memory_bytes=80 * megabyte - 1))[0] == "passed"
    assert (await said("second match", was_warm=False))[0] == "skipped"
    assert await said("ending", left_by_itself=None) == ("skipped", "No process of it was seen to end.")
    stayed = await said("ending", left_by_itself=False)
    assert stayed[0] == "noted"
    assert stayed[1].startswith("Its processes did not end within half a second")
    crashed = await said("ending", failed_at_end="exit status 1")
    assert crashed[0] == "noted"
    assert crashed[1].startswith("2 of the 2 processes that were seen to end failed after their match (exit status 1).")
    noisy = await said("output", stdout_bytes=600)
    assert noisy[0] == "noted"
    assert noisy[1].startswith("It wrote 1,200 bytes to standard output in 2 of 2 matches")


async def test_a_decision_that_the_margin_alone_saved_is_noted() -> None:
    found = (await findings(replace(short(), clock=TimeControl(decision_limit_us=999)), Room({})))["clock"]
    assert found.state == "noted"
    assert found.sentence.endswith("9 (100.0%) were over their time and saved by the margin alone: keep a reserve.")
    assert found.evidence == {"decisions": 9, "late": 9, "charged_us": 1000, "limit_us": 999}
    assert (await findings(replace(short(), clock=TimeControl(decision_limit_us=1000)), Room({})))[
        "clock"
    ].state == "passed"
    assert (await said("clock", replace(short(), clock=TimeControl())))[1] == "Its slowest of 9 decisions took 1 ms."


async def test_who_plays_equal_matches_differently_is_told_the_ply() -> None:
    found = (await findings(short(is_deterministic=True), Room({}, is_moody=True)))["determinism"]
    assert found.state == "failed"
    assert f"with the same seeds differently from ply {found.evidence['ply']} on" in found.sentence
    mine, others = found.evidence["actions"]
    assert mine != others
    assert (await findings(short(), Room({}, is_moody=True)))["determinism"].state == "skipped"


async def test_a_fault_in_the_first_match_ends_the_game_and_one_before_any_match_all() -> None:
    tested = await try_out(short(name="cheat"), Room({}), lambda *_: None)
    assert [(one.check, one.state) for one in tested.findings if one.state == "failed"] == [("play", "failed")]
    assert len(tested.matches) == 1

    class Absent(RoomExecutor):
        async def run(self, spec: MatchSpec) -> MatchReport:
            return replace(await super().run(spec), seat_processes=())

    gone = await try_out(short(name="cheat"), Absent(1), lambda *_: None)
    assert [one.check for one in gone.findings] == ["play"]
    assert len(gone.matches) == 1


async def test_what_the_host_loses_three_times_says_nothing_of_the_bot() -> None:
    with pytest.raises(UndecidedError, match="foreign_king with 2 seats could not be played: worker 1 died"):
        await try_out(short(name="lost"), Room({}), lambda *_: None)
    assert len((await try_out(short(name="shaky"), Room({}), lambda *_: None)).matches) == 2


def test_a_quantile_is_a_value_that_occurred() -> None:
    hundred = list(range(1, 101))
    assert (quantile(hundred, 0.5), quantile(hundred, 0.99), quantile(hundred, 1.0)) == (50, 99, 100)
    assert (quantile([7], 0.5), quantile([7], 0.99)) == (7, 7)
    assert quantile([1, 9], 0.99) == 9


def played(*ranks: int) -> Any:
    """What `scores` looks at of a match of a bot in seat 0 against a sample in all others."""
    seats = [SimpleNamespace(name="sample")] * len(ranks)
    trial = SimpleNamespace(own=(0,), spec=SimpleNamespace(seats=seats))
    return SimpleNamespace(trial=trial, report=SimpleNamespace(result=SimpleNamespace(ranks=ranks)), faults=())


def test_wins_shared_firsts_and_draws_against_a_sample_are_counted_apart() -> None:
    (found,) = scores([played(1, 2), played(1, 1), played(1, 1, 3), played(1, 1, 1), played(2, 1)])
    assert (found.against, found.matches, found.won, found.shared, found.draws) == ("sample", 5, 1, 1, 2)
    assert found.score.mean == pytest.approx((1 + 0.5 + 0.75 + 0.5 + 0) / 5)


def test_the_largest_fall_is_found_and_of_equal_ones_the_first() -> None:
    assert largest_drop([(3, 0.5), (7, 0.75), (9, 0.25), (12, 0.5), (20, 0.0)]) == ValueDrop(7, 0.75, 0.25)


def test_a_value_that_never_falls_has_no_fall() -> None:
    assert largest_drop([(3, 0.25), (9, 0.5), (12, 0.5)]) is None
    assert largest_drop([]) is None


async def test_a_replay_that_cannot_be_read_has_no_fall(tmp_path: Path) -> None:
    (tmp_path / "broken.replay").write_bytes(b"no replay")
    assert await find_drop(tmp_path / "broken.replay", 0) is None


def test_a_file_that_is_new_gone_or_different_has_changed(tmp_path: Path) -> None:
    for name in ("main.py", "old.py", "same.py"):
        (tmp_path / name).write_text("1")
    before = take_snapshot(tmp_path)
    (tmp_path / "main.py").write_text("12")
    (tmp_path / "old.py").unlink()
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "new.py").touch()
    assert changed_files(before, take_snapshot(tmp_path)) == ["kit/new.py", "main.py", "old.py"]


def test_a_file_of_equal_size_that_was_written_again_has_changed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("1")
    before = take_snapshot(tmp_path)
    os.utime(tmp_path / "main.py", ns=(1, 1))
    assert changed_files(before, take_snapshot(tmp_path)) == ["main.py"]


def test_what_builds_and_editors_leave_does_not_count(tmp_path: Path) -> None:
    before = take_snapshot(tmp_path)
    for name in LEFT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        assert take_snapshot(tmp_path) == before, name


def test_a_directory_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert take_snapshot(tmp_path / "gone") == {}
