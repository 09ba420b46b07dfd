"""A match is told alike from its replay and while it is played, and every picture comes back from the compact form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from arena.story.encoding import PartTable, encode, parts_at
from arena.story.errors import StoryError
from arena.story.replays import story_of_replay
from arena.story.story import Story, follow
from engine.abilities import Move, View
from tests.story.played import move as a_move
from tests.story.played import played, replay_of, spec, watched
from tests.support.nim import LUCKY_NIM, NIM
from tests.support.specs import installed_script_game, script_spec

TABLES = [("foreign_king", 2), ("foreign_king", 4), ("rex_romanorum", 2), ("rex_romanorum", 5)]
SCRIPT = "0:3 1:1 1:2d 2:4 0:2d 0:3 1:3 2:2 0:2d"


one_of_each_game = pytest.mark.parametrize(
    "document", TABLES[1:3], indirect=True, ids=["foreign_king", "rex_romanorum"]
)


@pytest.fixture(scope="module", params=TABLES, ids=lambda table: f"{table[0]}-{table[1]}")
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    game, seats = request.param
    options = {"round_limit": 12} if game == "rex_romanorum" else {}
    return replay_of(played(spec(game, seats, options=options), seats))


@pytest.fixture(scope="module")
def story(document: dict[str, Any]) -> Story:
    return story_of_replay(document, "de")


def test_every_ply_is_told(document: dict[str, Any], story: Story) -> None:
    entries = document["entries"]
    assert [frame.ply for frame in story.frames] == [-1, *(entry["ply"] for entry in entries)]
    assert [frame.seat for frame in story.frames[1:]] == [entry["seat"] for entry in entries]
    names = story.game.actions.names
    assert [frame.action for frame in story.frames[1:]] == [names[entry["action"]] for entry in entries]
    assert all(frame.words and frame.bot and frame.by for frame in story.frames[1:])
    assert [frame.note for frame in story.frames[1:]] == [entry.get("note", "") for entry in entries]
    assert story.frames[-1].decider is None


def test_values_are_those_of_the_evaluation(story: Story) -> None:
    playable = story.game.playable
    assert playable is not None
    assert story.frames[-1].values == tuple(playable.evaluate_all(story.state))
    assert all(frame.values and len(frame.values) == len(story.start.bots) for frame in story.frames)


def test_the_end_is_scored_in_steps(document: dict[str, Any], story: Story) -> None:
    assert story.finish is not None
    assert list(story.finish.end.ranks) == document["result"]["ranks"]
    assert story.finish.end.details == document["result"]["details"]


@one_of_each_game
def test_live_events_tell_the_same_as_the_replay(document: dict[str, Any], story: Story) -> None:
    live: Story | None = None
    for event in watched(document):
        live = follow(live, event, "de", hides=True)
    assert live is not None
    assert live.frames == story.frames
    assert live.finish == story.finish


def test_what_is_hidden_is_not_in_the_positions_that_a_live_match_is_told_by() -> None:
    document = replay_of(played(spec("rex_romanorum", 2, options={"round_limit": 3}), 1))
    live: Story | None = None
    for event in watched(document)[:-1]:
        live = follow(live, event, draws=False, hides=True)
        pile = live.state.to_json()["pile"]
        assert live.state.observation_json(0)["pile_set"] == pile  # in a fixed order


def test_a_live_match_whose_seats_see_different_things_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.registry.get", lambda _name: LUCKY_NIM)
    events = watched(replay_of(played(spec("lucky_nim", 2), 5)))
    with pytest.raises(StoryError, match="shows each seat something else"):
        follow(None, events[0], hides=True)
    assert follow(None, events[0]).frames


@one_of_each_game
def test_the_compact_form_gives_back_every_picture(document: dict[str, Any], story: Story) -> None:
    encoded = json.loads(json.dumps(encode(story), allow_nan=False))
    assert len(encoded["frames"]) == len(story.frames)
    names, game = story.start.bots, story.game
    drawn: list[tuple[str, ...]] = []
    again = Story(story.start, "de", draws=False)
    drawn.append(game.shown.picture(again.state, View("de", None, names)).parts)
    for entry in document["entries"][:60]:
        before = again.state
        frame = again.play(a_move(entry["ply"], entry["seat"], entry["action"], entry["by"]))
        move = Move(before, entry["action"], frame.action, entry["seat"], again.state, frame.chance)
        drawn.append(game.shown.picture(again.state, View("de", None, names, move)).parts)
    for number, parts in enumerate(drawn):
        assert parts_at(encoded, number) == list(parts)
    shown: dict[int, str] = {}
    for frame, data in zip(story.frames, encoded["frames"], strict=True):
        changes = data.get("parts", ())
        shown |= {slot: encoded["parts"][part] for slot, part in zip(changes[::2], changes[1::2], strict=True)}
        assert frame.picture is not None
        assert tuple(shown[slot] for slot in sorted(shown)) == frame.picture.parts


@one_of_each_game
def test_stories_share_a_table_of_parts(document: dict[str, Any], story: Story) -> None:
    table = PartTable()
    first, second = encode(story, table), encode(story, table)
    assert first == second
    assert "parts" not in first
    assert len(set(table.parts)) == len(table.parts)


@one_of_each_game
def test_without_pictures_the_rest_is_the_same(document: dict[str, Any], story: Story) -> None:
    plain = story_of_replay(document, "de", draws=False)
    assert [frame.words for frame in plain.frames] == [frame.words for frame in story.frames]
    assert all(frame.picture is None for frame in plain.frames)
    assert encode(plain)["picture"] is None


@one_of_each_game
def test_without_values_the_rest_is_the_same(document: dict[str, Any], story: Story) -> None:
    plain = story_of_replay(document, "de", evaluates=False)
    assert all(frame.values is not None for frame in story.frames)
    assert plain.frames == [replace(frame, values=None, turn=None) for frame in story.frames]
    assert plain.finish == story.finish


@one_of_each_game
def test_a_part_of_a_match_has_no_end(document: dict[str, Any], story: Story) -> None:
    part = story_of_replay(document, "de", draws=False, plies=3)
    assert len(part.frames) == 4
    assert part.finish is None
    assert part.frames[3].words == story.frames[3].words


def test_the_clocks_are_those_of_the_match() -> None:
    match = played(spec("foreign_king", 3, clock="20+1"), 5)
    story = story_of_replay(replay_of(match), draws=False)
    left = [20_000_000] * 3
    for frame, entry in zip(story.frames[1:], match.entries, strict=True):
        if entry.decide == entry.ply:
            left[entry.seat] = max(left[entry.seat] - entry.charged_us, 0) + 1_000_000
            assert (frame.elapsed_us, frame.charged_us) == (entry.elapsed_us, entry.charged_us)
        assert frame.remaining_us == tuple(left)
    unclocked = story_of_replay(replay_of(played(spec("foreign_king", 2, clock="none"), 1)), draws=False)
    assert unclocked.frames[-1].remaining_us is None


def test_a_fault_stands_with_its_ply() -> None:
    story = story_of_replay(replay_of(played(spec("foreign_king", 3), 5, fails_at=10)), draws=False)
    faulty = [frame for frame in story.frames if frame.faults]
    assert len(faulty) == 1
    assert faulty[0].faults[0].cause == "DISCONNECTED"
    assert faulty[0].ply == faulty[0].faults[0].ply
    assert faulty[0].by == "caretaker"


def test_a_fault_that_ends_the_match_stands_with_its_last_position() -> None:
    story = story_of_replay(replay_of(played(spec("foreign_king", 2), 5, fails_at=10)))
    assert story.frames[-1].faults
    assert story.finish is not None
    assert not story.finish.end.by_rules
    assert story.finish.scoring == ()


@pytest.fixture
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


@pytest.mark.usefixtures("_script_game")
def test_a_game_that_says_nothing_of_itself_is_told_by_its_notation() -> None:
    story = story_of_replay(replay_of(played(script_spec("shuffle " + SCRIPT, 3), 1)))
    assert all(frame.words[0] == frame.action for frame in story.frames[1:])
    assert story.frames[0].picture is None
    assert story.frames[0].values is None
    assert [len(frame.chance) for frame in story.frames].count(1) == SCRIPT.count("d")
    encoded = encode(story)
    assert encoded["picture"] is None
    assert encoded["parts"] == []


@one_of_each_game
def test_what_does_not_fit_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(StoryError, match="chess"):
        story_of_replay({**document, "game": "chess"})
    with pytest.raises(StoryError, match="version 0 of the rules"):
        story_of_replay({**document, "rules_version": "0"})
    story = story_of_replay(document, draws=False, plies=2)
    entry = document["entries"][2]
    with pytest.raises(StoryError, match="ply 7 of seat"):
        story.play(a_move(7, entry["seat"], entry["action"]))
    with pytest.raises(StoryError, match="ply 2"):
        story.play(a_move(2, entry["seat"], -1))
    with pytest.raises(StoryError, match="from its start"):
        follow(None, watched(document)[1])


def test_a_replay_that_lacks_its_chance_is_refused() -> None:
    document = replay_of(played(spec("rex_romanorum", 2), 1))
    with pytest.raises(StoryError, match="script has no outcome left"):
        story_of_replay({**document, "chance": document["chance"][:1]})


def test_a_game_that_draws_nothing_is_told_with_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.registry.get", lambda _name: NIM)
    story = story_of_replay(replay_of(played(spec("nim", 2), 5)))
    assert all(frame.picture is None and frame.text for frame in story.frames)
    encoded = encode(story)
    assert encoded["frames"][0]["text"] == NIM.shown.text(NIM.new_state(2), None, "en")
    assert encoded["picture"] is None
    plain = story_of_replay(replay_of(played(spec("nim", 2), 5)), draws=False)
    assert all(frame.text == "" for frame in plain.frames)
