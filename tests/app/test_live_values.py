"""What watchers are shown of the events of a match: own notes at once, others' later, evidence never, logs once."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.app.match_visibility import WatchedMatch, event_value, log_part
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveLogEvent
from ratings.values.states import MatchState

FAULTS = [
    {"seat": seat, "cause": "TIMEOUT", "ply": 3, "explanation": "late", "evidence": {"stderr": f"secret {seat}"}}
    for seat in range(2)
]
RESULT = {"ranks": [1, 2], "by_rules": False, "forfeits": [1], "resigned": [], "faults": FAULTS, "details": {}}


def watched(*, is_over: bool = False) -> WatchedMatch:
    state = MatchState.FINISHED if is_over else MatchState.LEASED
    return WatchedMatch("m1", "foreign_king", state, ("ann/fox", "ben/owl"), (True, False))


@pytest.mark.parametrize("is_over", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_note_is_shown_to_the_owner_and_to_others_when_the_match_is_over(is_over: bool, seat: int) -> None:
    entry = {"ply": 4, "seat": seat, "action": 0, "by": "bot", "decide": 4, "elapsed_us": 9, "note": "my plan"}
    shown = event_value(watched(is_over=is_over), LiveEntryEvent(5, entry, ((1, 2),)))
    assert shown is not None
    assert shown.move is not None
    assert shown.move.note == ("my plan" if is_over or seat == 0 else None)
    assert (shown.sequence, shown.move.bot) == (5, ("ann/fox", "ben/owl")[seat])


@pytest.mark.parametrize("is_over", [False, True])
def test_evidence_is_for_the_owner_alone(is_over: bool) -> None:
    shown = event_value(watched(is_over=is_over), LiveEndEvent(9, RESULT))
    assert shown is not None
    assert shown.end is not None
    assert [fault.evidence for fault in shown.end.faults] == [{"stderr": "secret 0"}, {}]
    assert "secret 1" not in json.dumps([str(shown)])


@given(st.binary(min_size=1, max_size=30), st.lists(st.integers(1, 6), max_size=6), st.integers(0, 35), st.data())
def test_a_log_that_is_read_in_parts_from_anywhere_is_the_log(
    text: bytes, sizes: list[int], after: int, data: Any
) -> None:
    logs, start = [], 0
    for size in [*sizes, len(text)]:
        if piece := text[start : start + size]:
            logs.append(LiveLogEvent(1, 0, start, piece))
            start += len(piece)
    again = data.draw(st.integers(0, len(logs)))
    place, read = after, b""
    for log in [*logs[:again], *logs]:  # some come twice, as after a connection that broke
        if (part := log_part(watched(), log, place)) is not None:
            assert part.start == place
            place, read = part.end, read + part.data
    assert read == text[after:]


def test_what_is_lost_of_a_log_is_counted_from_where_the_watcher_is() -> None:
    lost = LiveLogEvent(1, 0, 100, b"tail", cut_bytes=60)
    assert [log_part(watched(), lost, after).cut_bytes for after in (0, 40, 70, 100, 102)] == [60, 60, 30, 0, 0]  # type: ignore[union-attr]
    assert log_part(watched(), lost, 104) is None
