"""A playing as data, and its replay."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.core import IllegalActionError, Reveal
from engine.record import Playing, PlayRecord, RecordError, replay
from tests.support.script_game import GAME, ScriptOptions

pytestmark = pytest.mark.usefixtures("script_game")

SCRIPT = "shuffle 0:2d 1:2 0:2d 1:1 0:2"
"""Two seats in a drawn order; the first one's first two actions are followed by a die, the other's second is forced."""


def played(*actions: int, seats: int = 2) -> Playing:
    playing = Playing(GAME, seats, ScriptOptions(SCRIPT), SeededChance(5))
    for action in actions:
        playing.apply(action)
    return playing


def test_a_playing_remembers_what_happened() -> None:
    playing = played(1, 0, 1, 0)
    first, second = playing.state.to_json()["order"]
    assert [event.seat for event in playing.events] == [first, second, first, second]
    assert [event.ply for event in playing.events] == [0, 1, 2, 3]
    assert [event.forced for event in playing.events] == [False, False, False, True], "the fourth step has one action"
    assert [len(event.reveals) for event in playing.events] == [1, 0, 1, 0]
    assert playing.events[0].reveals == (Reveal("d6", tuple(playing.chance_outcomes[1])),)
    assert playing.ply == 4


def test_events_are_told_from_a_ply_on() -> None:
    playing = played(1, 0, 1)
    assert [event.ply for event in playing.visible_events(0, 1)] == [1, 2]
    assert [event.ply for event in playing.visible_events(None, 0)] == [0, 1, 2]
    assert playing.visible_events(1, 3) == []


def test_an_illegal_action_is_not_remembered() -> None:
    playing = played(0, 1, 1)
    with pytest.raises(IllegalActionError):
        playing.apply(1)
    assert playing.ply == 3
    assert len(playing.chance_outcomes) == 3, "the order of the seats and two dice"


def test_a_record_survives_json() -> None:
    record = played(1, 0, 1, 0, 0).record()
    assert record.rules_version == "1"
    assert record.options == {"script": SCRIPT}
    assert PlayRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


def test_a_replay_needs_no_seed() -> None:
    playing = played(1, 1, 1, 0)
    again = replay(playing.record())
    assert again.state.to_json() == playing.state.to_json()
    assert again.events == playing.events
    assert again.record() == playing.record()


def test_a_record_tells_which_action_caused_an_outcome() -> None:
    record = played(1, 0, 1, 0).record()
    assert record.chance_plies == (-1, 0, 2)
    with pytest.raises(RecordError, match="belong to other actions"):
        replay(replace(record, chance_plies=(-1, 0, 1)))


def test_a_record_that_does_not_tell_is_played_again_all_the_same() -> None:
    data = played(1, 0).record().to_json()
    del data["chance_plies"]
    assert PlayRecord.from_json(data).chance_plies is None
    assert replay(PlayRecord.from_json(data)).ply == 2


def broken(**changes: Any) -> PlayRecord:
    return replace(played(1, 0, 1, 0).record(), **changes)


@pytest.mark.parametrize(
    ("record", "ply", "complaint"),
    [
        (lambda: broken(actions=(1, 0, 1, 1)), 3, "ply 3: action 1 is not legal"),
        (lambda: broken(actions=(1, 0, 99)), 2, "ply 2: action 99 is not legal"),
        (lambda: broken(chance=((0, 1), (3,))), 2, "ply 2: the script has no outcome left for a die"),
        (lambda: broken(chance=((0, 1), (3,), (4,), (5,))), 4, "1 chance outcomes are left over"),
        (lambda: broken(chance=((0, 1), (7,), (4,))), 0, "ply 0: outcome 1 is no die"),
        (lambda: broken(options={"speed": 1}), 0, "script has no option 'speed'; it has: script"),
        (lambda: broken(seats=9), 0, "played by 1 to 8 seats, not 9"),
        (lambda: broken(rules_version="2"), 0, "recorded with rules version 2 of script; installed is 1"),
    ],
)
def test_a_broken_record_says_where(record: Any, ply: int, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint) as caught:
        replay(record())
    assert caught.value.ply == ply


@pytest.mark.parametrize("data", [{}, {"game": "script"}, {"actions": 3}])
def test_what_is_no_record(data: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="not a record"):
        PlayRecord.from_json(data)


def test_a_record_with_junk_in_it() -> None:
    data = played(1).record().to_json()
    for key, junk in {"seats": "many", "actions": ["x"], "chance": 7, "options": None}.items():
        with pytest.raises(RecordError, match="not a record"):
            PlayRecord.from_json({**data, key: junk})
