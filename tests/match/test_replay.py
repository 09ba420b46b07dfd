"""Replays: written, read back, and every damage is noticed."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from arena.match.decisions import Answer, DecidedBy, ReplayEntry
from arena.match.match import Match
from arena.match.replay import (
    ReplayError,
    canonical_json,
    chain,
    dump,
    entry_json,
    entry_text,
    game_digest,
    load,
    read_figures,
    write_replay,
)
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
