"""Where time went between two looks adds up to what was used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.profiling.parts import ProfilePart
from arena.profiling.processes import Role
from arena.profiling.sheet import Reading, WorkerPhase
from arena.profiling.split import PartCost, RunSnapshot, UnmeasuredError, split_of

NOTHING = Reading(dict.fromkeys(ProfilePart, 0.0), 0, dict.fromkeys(WorkerPhase, 0.0), 0, 0, 0.0)
FIRST = RunSnapshot(100.0, {1: NOTHING, 2: NOTHING}, NOTHING, dict.fromkeys(Role, 0.0))


def reading(cpu_s: Mapping[ProfilePart, float], **changes: object) -> Reading:
    values = {"samples": 400, "decisions": 1000, "matches": 10, **changes}
    return replace(NOTHING, cpu_s={**NOTHING.cpu_s, **cpu_s}, **values)  # type: ignore[arg-type]


WALLS = {WorkerPhase.WAIT: 0.5, WorkerPhase.START: 0.5, WorkerPhase.PLAY: 3.5, WorkerPhase.END: 0.5}
WORKER = reading({ProfilePart.ENGINE: 0.4, ProfilePart.GRPC: 0.6}, wall_s=WALLS, asked_s=3.0)
LAST = RunSnapshot(
    at_s=105.0,
    workers={1: WORKER, 2: WORKER},
    coordinator=reading({ProfilePart.RECORDING: 0.3, ProfilePart.COORDINATOR: 0.1}, decisions=0),
    roles={Role.WORKER: 2.2, Role.COORDINATOR: 0.4, Role.LAUNCHER: 0.1, Role.BOT: 1.0},
    recorded=20,
    recording_s=0.1,
)


def costs(last: RunSnapshot) -> dict[ProfilePart, PartCost]:
    return {cost.part: cost for cost in split_of(FIRST, last).parts}


def test_a_decision_costs_what_each_part_computed_for_it() -> None:
    found = costs(LAST)
    assert {part: round(cost.cpu_us, 6) for part, cost in found.items() if cost.cpu_us} == {
        ProfilePart.ENGINE: 400,
        ProfilePart.GRPC: 600,
        ProfilePart.RECORDING: 150,
        ProfilePart.COORDINATOR: 50,
        ProfilePart.LAUNCHER: 50,
        ProfilePart.BOT: 500,
        ProfilePart.OTHER: 100,
    }
    assert found[ProfilePart.BOT].margin_us == 0, "a clock was read"
    # 800 samples of workers that used 2.2 s, of which the engine had 0.8: 2 sqrt(p (1 - p) / n).
    share = 0.8 / 2.2
    assert found[ProfilePart.ENGINE].margin_us == pytest.approx(
        2 * (share * (1 - share) / 800) ** 0.5 * 2.2 / 2000 * 1e6
    )


def test_the_split_tells_how_much_was_played_and_how_busy_the_cores_were() -> None:
    split = split_of(FIRST, LAST)
    assert (split.decisions, split.matches, split.workers, split.samples) == (2000, 20, 2, 1200)
    assert split.decisions_per_s == 400
    assert split.cpu_us == pytest.approx(1850)
    assert split.busy_cores == pytest.approx(3.7 / 5)
    assert split.recording_ms == pytest.approx(5.0)


def test_the_time_of_a_match_is_that_of_its_worker_with_the_hand_over() -> None:
    walls = {wall.stretch: wall for wall in split_of(FIRST, LAST).walls}
    assert {name: wall.wall_ms for name, wall in walls.items()} == pytest.approx(
        {"wait": 50, "start": 50, "asked": 300, "between": 50, "end": 50}
    )
    assert sum(wall.share for wall in walls.values()) == pytest.approx(1)


@given(
    used=st.lists(st.floats(0, 100), min_size=4, max_size=4),
    sampled=st.lists(st.floats(0, 100), min_size=len(ProfilePart), max_size=len(ProfilePart)),
    own=st.lists(st.floats(0, 100), min_size=len(ProfilePart), max_size=len(ProfilePart)),
)
def test_the_parts_add_up_to_what_the_processes_used(used: list[float], sampled: list[float], own: list[float]) -> None:
    roles = dict(zip(Role, used, strict=True))
    inside = (ProfilePart.BOT, ProfilePart.LAUNCHER)  # processes of their own, of which no sheet says anything
    workers = {part: cpu_s for part, cpu_s in zip(ProfilePart, sampled, strict=True) if part not in inside}
    coordinator = {part: cpu_s for part, cpu_s in zip(ProfilePart, own, strict=True) if part not in inside}
    last = replace(LAST, workers={1: reading(workers), 2: NOTHING}, coordinator=reading(coordinator), roles=roles)
    split = split_of(FIRST, last)
    total_us = sum(used) / 1000 * 1e6
    assert sum(cost.cpu_us for cost in split.parts) == pytest.approx(total_us, abs=1e-3)
    assert split.cpu_us == pytest.approx(total_us, abs=1e-3)
    assert all(cost.cpu_us >= 0 for cost in split.parts)


@pytest.mark.parametrize("pids", [(1,), (1, 3), (1, 2, 3)])
def test_if_a_worker_came_or_went_meanwhile_nothing_is_told(pids: tuple[int, ...]) -> None:
    with pytest.raises(UnmeasuredError, match="measure again"):
        split_of(FIRST, replace(LAST, workers=dict.fromkeys(pids, WORKER)))


def test_if_nothing_was_played_nothing_is_told() -> None:
    with pytest.raises(UnmeasuredError, match="--seconds"):
        split_of(FIRST, replace(FIRST, at_s=101.0))


def test_a_run_in_which_no_result_was_recorded_tells_no_time_for_it() -> None:
    assert split_of(FIRST, replace(LAST, recorded=0, recording_s=0.0)).recording_ms is None
