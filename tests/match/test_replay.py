"""Replays: written, read back, every damage is noticed; and recorded matches that are asked again."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from arena.match.decisions import Answer, DecidedBy, Decision, Malformed, Message, ReplayEntry, Resignation
from arena.match.leak_check import Deviation, Retrial, Trial, compare
from arena.match.match import Match
from arena.match.replay import (
    ReplayError,
    canonical_json,
    chain,
    dump,
    entry_json,
    entry_text,
    game_digest,
    leave_out_notes,
    load,
    read_figures,
    write_replay,
)
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.spec import MatchSpec
from arena.match.time_control import Figures, pack_figures
from arena.match.verify import verify
from tests.support.specs import installed_script_game, script_spec
from tests.support.texts import CHARACTERS

SCRIPT = "0:3 1:1 1:2d 2:4 0:2d 0:3 1:3 2:2 0:2"
NUMBERS = st.integers(0, 2**40)


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


def play(
    script: str = SCRIPT, *, breaks_at: int = -1, note: str = "", took_us: int = 10, **changes: Any
) -> dict[str, Any]:
    """The document of a match of three seats in which everybody takes its last action."""
    match = Match(script_spec(script, 3, **changes))
    match.begin()
    while match.decision is not None:
        action = 99 if match.decision.ply == breaks_at else match.decision.legal[-1]
        answer = Answer(match.spec.match_id, match.decision.ply, (action,), note)
        match.receive(match.decision.seat, answer, took_us, took_us)
    return write_replay(match, 1_700_000_000_000_000, 1234).document()


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(lambda: play(), id="by rules"),
        pytest.param(lambda: play(opening=(1, 0, 1)), id="with an opening"),
        pytest.param(lambda: play(breaks_at=3), id="with a caretaker"),
        pytest.param(lambda: play("0:2 1:2 2:2", breaks_at=0), id="with a caretaker to the end"),
        pytest.param(lambda: play(note="Züge \U0001f451"), id="with notes"),
    ],
)
def test_a_replay_verifies_and_survives_storing(document: Callable[[], dict[str, Any]]) -> None:
    written = document()
    stored = dump(written)
    assert load(stored) == written
    assert verify(stored) == []
    assert verify(written) == []


def test_a_replay_says_who_decided_what_when() -> None:
    first, forced, second, *_ = play(note="why")["entries"]
    assert first == {
        "ply": 0,
        "seat": 0,
        "action": 2,
        "by": "bot",
        "decide": 0,
        "elapsed_us": 10,
        "charged_us": 10,
        "note": "why",
    }
    assert forced == {"ply": 1, "seat": 1, "action": 0, "by": "forced"}
    assert second["by"] == "bot"


def test_equal_play_has_equal_game_digests_whatever_the_times_notes_and_names() -> None:
    one = play()
    other = play(took_us=99, note="slow", match_id="m2", attempt=2)
    assert one["game_digest"] == other["game_digest"]
    assert one["record_digest"] != other["record_digest"]


@pytest.mark.parametrize("changes", [{"chance_seed": 8}, {"breaks_at": 3}, {"opening": (1,)}, {"opening": (2,)}])
def test_other_play_has_another_game_digest(changes: dict[str, Any]) -> None:
    assert play()["game_digest"] != play(**changes)["game_digest"]


@pytest.mark.host_fault("byte-of-a-replay-flipped")
def test_every_changed_byte_of_the_stored_form_is_seen() -> None:
    stored = dump(play("0:2 1:2 2:2"))
    for position in range(len(stored)):
        for flip in (0x01, 0x80, 0xC2, 0xFF):
            changed = bytearray(stored)
            changed[position] ^= flip
            assert verify(bytes(changed)), f"byte {position} ^ {flip:#x}"


def test_every_cut_and_every_addition_is_seen() -> None:
    stored = dump(play("0:2 1:2 2:2"))
    assert all(verify(stored[:size]) for size in range(len(stored)))
    assert verify(stored + b"\0")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all scalars in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path
    else:
        for key, item in items:
            yield from leaves(item, (*path, key))


def change(document: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """A copy of the document with another value at the path."""
    copy: dict[str, Any] = json.loads(json.dumps(document))
    place: Any = copy
    for key in path[:-1]:
        place = place[key]
    value = place[path[-1]]
    place[path[-1]] = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value + "x"
    return copy


def test_every_changed_value_is_seen_also_when_the_container_is_written_anew() -> None:
    document = play(breaks_at=3, note="why")
    for path in leaves(document):
        changed = change(document, path)
        try:
            stored = dump(changed)
        except ValueError:
            continue
        assert verify(stored), path


def reseal(document: dict[str, Any]) -> dict[str, Any]:
    """The document with a fitting chain and fitting digests."""
    document["links"], document["record_digest"] = chain(document)
    document["game_digest"] = game_digest(document)
    return document


@pytest.mark.hostile("forge-a-replay")
@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("entries", 0, "action"), 3, "not legal"),
        (("entries", 0, "seat"), 1, "due is ply 0 of seat 0"),
        (("entries", 0, "by"), "forced", "marked as forced"),
        (("entries", 1, "by"), "bot", "marked as forced"),
        (("entries", 0, "by"), "opening", "not the opening"),
        (("entries", 5, "by"), "caretaker", "caretaker"),
        (("chance", 0), [9], "not those of the seed"),
        (("result", "ranks"), [1, 1, 1], "the ranks are"),
        (("result", "details"), {"scores": [9, 9, 9]}, "details"),
        (("result", "by_rules"), False, "had not forfeited"),
        (("rules_version",), "2", "rules version 2"),
        (("game",), "checkers", "cannot be played again"),
        (("options",), {"script": "0:x"}, "cannot be played again"),
        (("options",), 7, "wrong shape"),
    ],
)
def test_a_replay_with_a_fitting_chain_must_still_be_what_the_engine_plays(
    path: tuple[Any, ...], value: Any, problem: str
) -> None:
    document = play()
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert problem in " ".join(verify(reseal(document)))


@pytest.mark.hostile("forge-a-charge")
def test_a_charge_that_is_not_what_its_figures_give_is_seen() -> None:
    document = play()
    document["entries"][0]["charged_us"] -= 1
    assert "ply 0 was charged 9 us; its figures give 10 us" in " ".join(verify(reseal(document)))


def test_the_times_are_tamper_evident_and_no_part_of_equal_play() -> None:
    document = play()
    changed = {**document, "times": pack_figures([Figures(10)] * 7 + [Figures(10, is_readable=False)])}
    assert len(read_figures(changed)) == len(read_figures(document)) == 8
    assert any("record digest" in problem for problem in verify(changed))
    assert game_digest(changed) == document["game_digest"]


def test_a_replay_of_schema_1_is_still_read_and_verified() -> None:
    document = {key: value for key, value in play().items() if key != "times"}
    old = reseal({**document, "schema": 1})
    assert load(dump(old)) == old
    assert verify(dump(old)) == []
    old["entries"][0]["charged_us"] -= 1  # what was charged then was computed otherwise
    assert verify(reseal(old)) == []
    assert [figures.wall_us for figures in read_figures(old)] == [10] * 8


def test_the_chain_tells_which_entry_was_changed() -> None:
    document = play()
    document["entries"][3]["elapsed_us"] += 1
    assert verify(document)[0] == "the hash chain breaks at entry 3"


@pytest.mark.parametrize("missing", ["entries", "seats", "result", "links", "chance_seed"])
def test_a_missing_part_is_a_problem_not_an_error(missing: str) -> None:
    document = play()
    del document[missing]
    assert verify(document)


def test_a_result_that_ends_too_early_is_seen() -> None:
    document = play()
    document["entries"].pop()
    assert any("the game goes on" in problem for problem in verify(reseal(document)))


def seal(packed: bytes) -> bytes:
    return packed + hashlib.sha256(packed).digest()


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (b"", "cut off"),
        (b"junk", "changed"),
        (seal(b"junk"), "no replay"),
        (seal(zlib.compress(b"{")), "no replay"),
        (seal(zlib.compress(b"[]")), "format"),
        (seal(zlib.compress(b'{"format":"arena.replay","schema":9}')), "schema 9"),
        (seal(zlib.compress(b'{"format": "arena.replay", "schema": 1}')), "canonically"),
        (seal(zlib.compress(canonical_json({"format": "arena.replay", "schema": 1})) + b"x"), "after the end"),
        (seal(zlib.compress(canonical_json({"format": "arena.replay", "schema": 1}))[:-2]), "cut off"),
        (seal(zlib.compress(b"[" * 200_000)), "no replay"),
    ],
)
def test_bytes_that_are_no_replay_are_refused_with_the_reason(stored: bytes, problem: str) -> None:
    with pytest.raises(ReplayError, match=problem):
        load(stored)


@st.composite
def entries(draw: st.DrawFn) -> ReplayEntry:
    """An entry of an answer's first action, of a later one, or one that no bot chose."""
    ply, seat, action = draw(st.tuples(NUMBERS, st.integers(0, 4), NUMBERS))
    kind = draw(st.sampled_from(("first", "later", *(by for by in DecidedBy if by is not DecidedBy.BOT))))
    if kind == "first":
        note = draw(st.text(CHARACTERS, max_size=40))
        return ReplayEntry(ply, seat, action, DecidedBy.BOT, ply, draw(NUMBERS), draw(NUMBERS), note)
    if kind == "later":
        return ReplayEntry(ply + 1, seat, action, DecidedBy.BOT, draw(st.integers(0, ply)))
    return ReplayEntry(ply, seat, action, DecidedBy(kind))


@given(entries())
def test_an_entry_is_spelled_as_the_canonical_json_of_its_data(entry: ReplayEntry) -> None:
    assert entry_text(entry).encode("ascii") == canonical_json(entry_json(entry))


@given(st.text(CHARACTERS, max_size=30))
def test_a_note_may_hold_anything(note: str) -> None:
    entry = ReplayEntry(3, 0, 1, DecidedBy.BOT, 3, note=note)
    assert entry_text(entry).encode("ascii") == canonical_json(entry_json(entry))


ROUNDS = "0:3 1:3d 0:3 0:3 1:3 2:3 0:3 1:1 1:3"
Choose = Callable[[Decision], Message]


def answer(decision: Decision, *actions: int, match_id: str = "m1") -> Answer:
    return Answer(match_id, decision.ply, actions or (decision.ply % len(decision.legal),))


def recorded(spec: MatchSpec, choices: dict[int, Choose] | None = None, absent: Sequence[Fault] = ()) -> dict[str, Any]:
    """The replay of a match in which every seat answers from its ply, or as `choices` say."""
    match = Match(spec)
    match.begin(absent)
    while (decision := match.decision) is not None:
        choose = (choices or {}).get(decision.seat, answer)
        match.receive(decision.seat, choose(decision), 1000 + decision.ply, 900 + decision.ply)
    return write_replay(match, 0, 0).document()


def retry(spec: MatchSpec, document: dict[str, Any], seat: int, choose: Choose = answer) -> Any:
    """What a process that answers so gives; and the questions it was asked."""
    retrial = Retrial(spec, document, seat)
    retrial.begin()
    asked = []
    while (decision := retrial.ask()) is not None:
        assert decision.seat == seat
        asked.append(decision)
        retrial.judge(choose(decision))
    return retrial.deviations, asked


def questions(spec: MatchSpec, seat: int, choices: dict[int, Choose] | None = None) -> list[Decision]:
    """The decisions that a seat was asked for in the match itself."""
    asked: list[Decision] = []

    def choose(decision: Decision) -> Message:
        asked.append(decision)
        return (choices or {}).get(seat, answer)(decision)

    recorded(spec, {**(choices or {}), seat: choose})
    return asked


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("clock", ["none", "60+1/5s"])
def test_the_seat_is_asked_exactly_what_it_was_asked(seat: int, clock: str) -> None:
    spec = script_spec(ROUNDS, 3, clock=clock)
    deviations, asked = retry(spec, recorded(spec), seat)
    assert deviations == []
    assert asked == questions(spec, seat)


def test_several_actions_at_once_are_one_answer_and_dropped_ones_are_counted_again() -> None:
    spec = script_spec("0:3 0:3 1:3 0:3 1:2", 2)

    def greedy(decision: Decision) -> Message:
        return answer(decision, 0, 1, 1, 1)

    deviations, asked = retry(spec, recorded(spec, {0: greedy}), 0, greedy)
    assert deviations == []
    assert [decision.dropped for decision in asked] == [0, 2]


def test_another_answer_is_a_deviation_and_the_questions_stay_those_of_the_record() -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, asked = retry(spec, recorded(spec), 0, lambda decision: answer(decision, 1 if decision.ply == 3 else 0))
    assert deviations == [Deviation(2, ("ADD:2",), ("ADD:0",)), Deviation(3, ("ADD:0",), ("ADD:1",))]
    assert asked == questions(spec, 0)


def test_more_actions_than_then_lead_astray_and_end_the_retrial() -> None:
    spec = script_spec("0:3 0:3 1:3 0:3", 2)
    deviations, asked = retry(spec, recorded(spec), 0, lambda decision: answer(decision, 0, 2))
    assert deviations == [Deviation(0, ("ADD:0",), ("ADD:0", "ADD:2"))]
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (Resignation("m1"), ("resigned",)),
        (Malformed("4 bytes that are no message"), ("4 bytes that are no message",)),
    ],
)
def test_something_else_than_an_answer_is_a_deviation(message: Message, said: tuple[str, ...]) -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, _ = retry(spec, recorded(spec), 1, lambda _: message)
    assert deviations == [Deviation(1, ("ADD:1",), said), *deviations[1:]]
    assert [deviation.ply for deviation in deviations] == [1, 4, 8]


def test_an_illegal_answer_is_a_deviation() -> None:
    spec = script_spec(ROUNDS, 3)
    deviations, _ = retry(spec, recorded(spec), 1, lambda decision: answer(decision, 99))
    assert deviations[0] == Deviation(1, ("ADD:1",), ("99",))


def test_others_that_resigned_faulted_or_never_came_do_so_again() -> None:
    spec = script_spec("0:2 1:2 2:2 3:2 0:2 1:2 2:2 3:2 0:2 3:2 0:2 3:2", 4)
    choices: dict[int, Choose] = {
        1: lambda decision: Resignation("m1") if decision.ply > 3 else answer(decision),
        2: lambda decision: answer(decision, 9),
    }
    for absent in ([], [Fault(1, FaultCause.START_FAILED, 0, "It did not start.")]):
        document = recorded(spec, choices, absent)
        for seat in (0, 3):
            deviations, asked = retry(spec, document, seat)
            assert deviations == []
            assert len(asked) == 4


def test_a_seat_is_asked_only_for_what_it_answered_before_its_fault() -> None:
    spec = script_spec(ROUNDS, 3)
    document = recorded(spec, {0: lambda decision: answer(decision, 9 if decision.ply == 3 else 0)})
    deviations, asked = retry(spec, document, 0, lambda decision: answer(decision, 0))
    assert deviations == []
    assert [decision.ply for decision in asked] == [0, 2]


def test_an_answer_that_was_illegal_in_its_second_action_repeats_as_such() -> None:
    spec = script_spec("0:3 0:3 1:3 2:3 0:3 1:3", 3)
    document = recorded(spec, {0: lambda decision: answer(decision, 1, 9)})
    for seat in (0, 1, 2):
        choose: Choose = (lambda decision: answer(decision, 1, 9)) if seat == 0 else answer
        assert retry(spec, document, seat, choose)[0] == []


def deviation(ply: int, answered: str) -> Deviation:
    return Deviation(ply, ("A",), (answered,))


@pytest.mark.parametrize(
    ("trials", "verdict", "ply"),
    [
        ([Trial()], LeakVerdict.EQUAL, None),
        ([Trial((deviation(7, "B"),))] * 2, LeakVerdict.LEAK, 7),
        ([Trial((deviation(7, "B"),), "It died.")] * 2, LeakVerdict.LEAK, 7),
        ([Trial((deviation(7, "B"),)), Trial((deviation(7, "C"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"), deviation(9, "C"))), Trial((deviation(7, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(9, "B"),)), Trial((deviation(7, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"), deviation(9, "C"))), Trial((deviation(8, "B"),))], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"),)), Trial()], LeakVerdict.UNSTABLE, 7),
        ([Trial((deviation(7, "B"),)), Trial((), "It died.")], LeakVerdict.UNKNOWN, None),
        ([Trial((), "It died.")], LeakVerdict.UNKNOWN, None),
    ],
)
def test_only_two_that_agree_against_the_used_process_are_a_leak(
    trials: list[Trial], verdict: LeakVerdict, ply: int | None
) -> None:
    check = compare(3, trials)
    assert (check.seat, check.verdict, check.ply) == (3, verdict, ply)


def test_what_was_answered_stands_in_the_evidence() -> None:
    check = compare(0, [Trial((deviation(7, "B"),)), Trial((deviation(9, "C"),))])
    assert (check.ply, check.evidence) == (7, {"used": ["A"], "fresh": [["B"], ["A"]]})


def test_notes_that_are_left_out_are_said_and_the_rest_is_sound() -> None:
    document = play(note="é" * 1000)
    stored, record_digest = leave_out_notes(dump(document), {0, 2})
    kept = load(stored)
    assert {entry["seat"] for entry in kept["entries"] if "note" in entry} == {1}
    assert kept["notes_left_out"] == [0, 2]
    assert kept["game_digest"] == document["game_digest"]
    assert kept["record_digest"] == record_digest != document["record_digest"]
    assert verify(stored) == []
    assert verify({**kept, "notes_left_out": [0]}) != []
