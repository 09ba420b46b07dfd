"""What every game owes to whoever plays it, as checks for the author of a game. Standard library only.

    import pytest
    from my_game import GAME

    @pytest.mark.parametrize("case", cases(GAME), ids=str)
    def test_the_game_keeps_the_contract(case):
        case()

or `check_game(GAME)` for all of them in one call. What fails raises ConformanceError. Positions come from random
playings with fixed seeds, so a failure comes again.
"""

from __future__ import annotations

import copy
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isclose
from random import Random
from typing import Any, Final

from engine.abilities import View
from engine.chance import RecordingChance, SeededChance
from engine.core import (
    AbilityError,
    EngineError,
    Game,
    GameOverError,
    IllegalActionError,
    NotationError,
    OptionsError,
    PositionError,
    SeatsError,
    State,
)
from engine.playout import moves, play_random, positions
from engine.record import Playing, replay

_STEPS: Final = 11
"""Every so many plies a position is looked at closely."""
_AHEAD: Final = 12
"""So many plies two positions are played on side by side."""
_JUNK: Final[tuple[Any, ...]] = (None, -1, 10**30, "", "x", [], {}, True, [[]], {"": 0}, 1.5)
_SVG: Final = "{http://www.w3.org/2000/svg}svg"
_UNKNOWN_LANGUAGE: Final = "xx"
_PICTURE_STEPS: Final = 21
"""A position is drawn every so many plies."""


class ConformanceError(EngineError, AssertionError):
    """The game breaks the contract of `engine.core` or of `engine.abilities`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One check of one game, with one number of seats where that matters."""

    name: str
    check: Callable[[], None]

    def __call__(self) -> None:
        """Check. Raises ConformanceError saying what does not hold."""
        self.check()

    def __str__(self) -> str:
        return self.name


def cases(game: Game) -> list[Case]:
    """Return every check of the game; what it does not offer needs nothing."""
    found = [Case(f"{game.name}-{check.__name__}", partial(check, game)) for check in _GAME_CHECKS]
    for check in _TABLE_CHECKS:
        found += [Case(f"{game.name}-{seats}-{check.__name__}", partial(check, game, seats)) for seats in game.seats]
    return found


def check_game(game: Game) -> None:
    """Run every check of the game. Raises ConformanceError saying what does not hold."""
    for case in cases(game):
        case()


def need(fact: object, message: str, *shown: object) -> None:
    """Raise ConformanceError with the message, and what is shown with it, unless the fact holds."""
    if not fact:
        raise ConformanceError(": ".join((message, *map(repr, shown))))


def refused(error: type[Exception], call: Callable[[], object], what: str) -> None:
    """Raise ConformanceError unless the call raises `error`."""
    try:
        call()
    except error:
        return
    raise ConformanceError(f"{what} was taken; expected {error.__name__}")


def some_positions(game: Game, seats: int, seeds: int = 4) -> Iterator[tuple[State, Random]]:
    """Yield positions of random playings, their ends among them, to look at; and a generator to draw from."""
    for seed in range(seeds):
        random = Random(seed)
        for ply, state in enumerate(positions(game, seats, seed)):
            if ply % _STEPS == 0 or state.seat() is None:
                yield state, random


def play_alike(first: State, second: State, random: Random, plies: int = _AHEAD) -> None:
    """Play the same random actions on both and need them to stay equal."""
    for _ in range(plies):
        need(list(first.legal_actions()) == list(second.legal_actions()), "equal positions allow different actions")
        if first.seat() is None:
            break
        action = random.choice(first.legal_actions())
        first.apply(action)
        second.apply(action)
    need(first.to_json() == second.to_json(), "equal positions went apart", first, second)


def legal_actions_are_sorted_and_empty_only_at_the_end(game: Game, seats: int) -> None:
    for seed in range(4):
        for state in positions(game, seats, seed):
            legal = list(state.legal_actions())
            need(legal == sorted(set(legal)), "legal actions are not ascending and distinct", legal)
            need((not legal) == (state.seat() is None) == (state.outcome() is not None), "half an end", state)
            need(all(0 <= action < len(game.actions) for action in legal), "no ids of the action table", legal)


def is_legal_agrees_with_the_list(game: Game, seats: int) -> None:
    outside = (-(2**63), -1000, -9, -1, len(game.actions), len(game.actions) + 7, 2**63)
    for state, _ in some_positions(game, seats):
        legal = set(state.legal_actions())
        for action in (*range(len(game.actions)), *outside):
            need(state.is_legal(action) == (action in legal), "is_legal is wrong", action, state)


def a_clone_is_equal_and_goes_its_own_way(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        before = state.to_json()
        twin = state.clone()
        need(twin == state and twin.to_json() == before, "a clone differs", twin, state)
        for _ in range(_AHEAD):
            if twin.seat() is not None:
                twin.apply(random.choice(twin.legal_actions()))
        need(state.to_json() == before, "what was done to a clone changed the original", state)
        play_alike(state.clone(SeededChance(5)), state.clone(SeededChance(5)), random)


def positions_survive_json(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        data = state.to_json()
        again = game.state_from_json(json.loads(json.dumps(data, allow_nan=False)), SeededChance(5))
        need(again == state and again.to_json() == data, "JSON changed the position", state, again)
        need(again.outcome() == state.outcome(), "JSON changed the outcome", state)
        play_alike(state.clone(SeededChance(5)), again, random, 30)


def what_is_no_position_is_refused(game: Game) -> None:
    data = game.new_state(game.seats[0], chance=SeededChance(0)).to_json()
    wrong: list[Any] = [{}, [], {"game": 3}, None, {"game": "x", "version": 1}, {**data, "surplus": 1}]
    wrong += [{name: value for name, value in data.items() if name != key} for key in data]
    for each in wrong:
        refused(PositionError, partial(game.state_from_json, each), repr(each))


def a_position_with_junk_in_it_is_refused_or_complete(game: Game) -> None:
    data = game.new_state(game.seats[0], chance=SeededChance(0)).to_json()
    for key in data:
        for junk in _JUNK:
            changed = copy.deepcopy(data) | {key: junk}
            try:
                state = game.state_from_json(changed)
            except PositionError:
                continue
            need({**state.to_json(), key: junk} == changed, "junk was taken for something else", key, junk)


def the_wire_carries_the_observation(game: Game, seats: int) -> None:
    for state, _ in some_positions(game, seats):
        for seat in range(seats):
            name, message = game.encode_observation(state, seat)
            seen = game.observed(message)
            need("." in name, "the name of the message is not a full one", name)
            need(seen.to_json() == state.observation_json(seat), "the wire changed what the seat sees", seat, state)
            need(game.encode_observation(seen.state, seat)[1] == message, "what was read is sent otherwise", state)


def bytes_that_are_no_observation_are_refused(game: Game, seats: int) -> None:
    for junk in (b"\xff", b"\x08", b"not a message at all", b"\x10\x7f"):
        refused(PositionError, partial(game.observed, junk), repr(junk))
    for state, random in islice(some_positions(game, seats), 12):
        message = game.encode_observation(state, 0)[1]
        for _ in range(40):
            changed = bytearray(message[: random.randrange(1, len(message) + 1)])
            changed[random.randrange(len(changed))] = random.randrange(256)
            try:
                seen = game.observed(bytes(changed))
            except PositionError:
                continue
            need(
                seen.state.seat() is None or seen.state.legal_actions(),
                "bytes show a position in which nobody can act",
                changed,
            )


def what_is_hidden_is_said_to_be(game: Game, seats: int) -> None:
    looked_at = ((state, seat) for state, _ in some_positions(game, seats, 1) for seat in range(seats))
    hides = any(state.observation_json(seat) != state.to_json() for state, seat in looked_at)
    need(hides == game.has_hidden_information, "has_hidden_information is wrong", game.has_hidden_information)


def notation_and_ids_are_inverse(game: Game) -> None:
    names = [game.actions.format(action) for action in range(len(game.actions))]
    need([game.actions.parse(name) for name in names] == list(range(len(names))), "notation is read as another action")
    for text in ("", " ", names[0].swapcase(), names[0] + " ", "NO_SUCH_ACTION", "-1"):
        refused(NotationError, partial(game.actions.parse, text), repr(text))


def illegal_actions_are_refused_and_change_nothing(game: Game, seats: int) -> None:
    for state, random in some_positions(game, seats):
        before = state.to_json()
        illegal = [action for action in range(-1, len(game.actions) + 1) if not state.is_legal(action)]
        error = GameOverError if state.seat() is None else IllegalActionError
        for action in random.sample(illegal, min(8, len(illegal))):
            refused(error, partial(state.apply, action), f"action {action}")
        need(state.to_json() == before, "a refused action changed the position", state)


def playings_are_bounded_and_ranked(game: Game, seats: int) -> None:
    lengths = []
    for seed in range(6):
        playing = play_random(game, seats, seed)
        outcome = playing.state.outcome()
        need(playing.ply <= game.max_plies, "a playing has more plies than max_plies", playing.ply)
        if outcome is None or len(outcome.ranks) != seats:
            raise ConformanceError(f"no rank for each of {seats} seats: {outcome}")
        fits = all(rank == 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks)
        need(fits, "a rank is not 1 + the number of better seats", outcome.ranks)
        json.dumps(dict(outcome.details), allow_nan=False)
        lengths.append(playing.ply)
    opening = game.opening_plies(seats)
    need(0 <= opening < min(lengths) / 2, "the opening is not much shorter than the shortest playing", opening, lengths)
    need((opening == 0) == game.has_chance, "an opening is drawn exactly where nothing else makes playings differ")


def a_record_is_played_again_to_the_same_end(game: Game, seats: int) -> None:
    for seed in range(4):
        playing, same = play_random(game, seats, seed), play_random(game, seats, seed)
        need(playing.record() == same.record(), "equal seeds gave different playings")
        again = replay(playing.record(), game)
        need(again.state.to_json() == playing.state.to_json(), "the record ends in another position")
        need(again.events == playing.events and again.record() == playing.record(), "the record tells another playing")


def chance_is_drawn_only_where_the_game_says_so(game: Game, seats: int) -> None:
    chance, random = RecordingChance(SeededChance(1)), Random(1)
    playing = Playing(game, seats, game.parse_options({}), chance)
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    need(bool(chance.outcomes) == game.has_chance, "has_chance is wrong", game.has_chance, chance.outcomes[:3])


def the_caretaker_plays_legally_to_the_end(game: Game, seats: int) -> None:
    state, random = game.new_state(seats, chance=SeededChance(1)), Random(1)
    for _ in range(game.max_plies):
        if state.seat() is None:
            return
        state.apply(state.caretaker_action() if state.seat() == 0 else random.choice(state.legal_actions()))
    need(state.seat() is None, "the playing did not end")


def options_have_defaults_a_schema_and_an_inverse(game: Game) -> None:
    defaults = game.parse_options({})
    shown, schema = game.options_json(defaults), game.options_schema()
    need(game.parse_options(json.loads(json.dumps(shown))) == defaults, "options do not survive JSON")
    need(set(schema["properties"]) == set(shown), "the schema has other options than the game")
    for name, value in shown.items():
        need(schema["properties"][name]["default"] == value, f"the schema has another default of {name}")
        if schema["properties"][name].get("type") != "string":
            refused(OptionsError, partial(game.parse_options, {name: "no such value"}), name)
    refused(OptionsError, partial(game.parse_options, {"no_such_option": 1}), "an unknown option")


def other_numbers_of_seats_are_refused(game: Game) -> None:
    for seats in (-1, 0, game.seats[0] - 1, game.seats[-1] + 1):
        refused(SeatsError, partial(game.new_state, seats), f"{seats} seats")


def a_determinized_position_looks_the_same_to_the_seat(game: Game, seats: int) -> None:
    if game.playable is None:
        return
    for state, random in some_positions(game, seats):
        for seat in range(seats):
            seen = game.observed(game.encode_observation(state, seat)[1])
            before, seed = seen.state.to_json(), random.getrandbits(32)
            guess = game.playable.determinize(seen, Random(seed))
            need(
                guess.observation_json(seat) == state.observation_json(seat),
                "the seat saw another position",
                seat,
                state,
                guess,
            )
            need(guess.seat() == state.seat(), "another seat decides", state, guess)
            if state.seat() == seat:
                need(
                    list(guess.legal_actions()) == list(state.legal_actions()), "other actions are legal", state, guess
                )
            if seat == 0:
                play_alike(guess, game.playable.determinize(seen, Random(seed)), random)
            need(seen.state.to_json() == before, "what was drawn from an observation changed it", before)


def evaluation_lies_between_lost_and_won_and_is_exact_at_the_end(game: Game, seats: int) -> None:
    if game.playable is None:
        return
    for state, _ in some_positions(game, seats):
        before = state.to_json()
        values = list(game.playable.evaluate_all(state))
        need(
            len(values) == seats and all(0 <= value <= 1 for value in values),
            "no value from 0 to 1 for each seat",
            values,
            state,
        )
        need(game.playable.evaluate(state, 0) == values[0], "evaluate and evaluate_all differ", state)
        need(state.to_json() == before, "a look changed the position", state)
        outcome = state.outcome()
        if outcome is not None:
            by_rank = [value for _, value in sorted(zip(outcome.ranks, values, strict=True))]
            need(by_rank == sorted(values, reverse=True), "worse seats have better values", outcome.ranks, values)
            need(isclose(sum(values), seats / 2), "at the end the values together are half of the seats", values)


def quick_actions_play_to_the_end(game: Game, seats: int) -> None:
    if game.playable is None:
        return
    state, again = (game.new_state(seats, chance=SeededChance(4)) for _ in range(2))
    random, same, turns = Random(9), Random(9), 0
    while state.seat() is not None:
        action = game.playable.quick_action(state, random)
        need(state.is_legal(action), "the quick action is not legal", action, state)
        need(game.playable.quick_action(again, same) == action, "equal seeds gave other actions", state)
        state.apply(action)
        again.apply(action)
        now = game.playable.turns_played(state)
        need(now is None or now >= turns, "turns_played went down", state)
        turns = now or 0
    need(0 < game.playable.usual_decisions(seats) < game.max_plies, "usual_decisions is not between 1 and max_plies")


def programs_learn_from_what_the_seat_sees_and_nothing_else(game: Game, seats: int) -> None:
    featured = game.featured
    if featured is None:
        return
    width = featured.width(seats, game.parse_options({}))
    for state, random in some_positions(game, seats):
        before = state.to_json()
        for seat in range(seats):
            numbers = list(featured.numbers(state, seat))
            need(len(numbers) == width, "the numbers are not as many as the parts take", len(numbers), width, state)
            if state.seat() is None:
                continue
            seen = game.observed(game.encode_observation(state, seat)[1])
            need(list(featured.numbers(seen.state, seat)) == numbers, "an observation gives other numbers", seat, state)
            if game.playable is not None:
                guess = game.playable.determinize(seen, Random(random.getrandbits(32)))
                told = list(featured.numbers(guess, seat)) != numbers
                need(not told, "the numbers tell what the seat does not see", seat, state, guess)
        need(state.to_json() == before, "a look changed the position", state)


def pictures_are_well_formed_in_every_language(game: Game, seats: int) -> None:
    names = [f"Bot {seat} <&" for seat in range(seats)]
    for ply, move in enumerate(moves(game, seats, 1)):
        if ply % _PICTURE_STEPS and move.after.seat() is not None:
            continue
        languages = (*game.shown.languages, _UNKNOWN_LANGUAGE)
        for language in languages if ply < 3 * _PICTURE_STEPS or move.after.seat() is None else ("en",):
            need(game.shown.text(move.after, None, language).strip(), "there is no text", move.after)
            for view in (View(language), View(language, 0, names, move)):
                need(_is_drawn(game, move.after, view), "there is no SVG document", move.after)


def _is_drawn(game: Game, state: State, view: View) -> bool:
    try:
        picture = game.shown.picture(state, view)
    except AbilityError:
        return True  # the game has no picture and says so
    root = ElementTree.fromstring(picture.svg())
    steps = {step for name in game.actions.names for step in game.shown.path(name)}
    for part in picture.parts:
        for element in ElementTree.fromstring(part).iter():
            need("style" not in element.attrib, "a part has a style attribute", part)
            need(element.tag.rpartition("}")[2] not in ("style", "script"), "a part has a style or a script", part)
            place = element.get("data-place")
            need(place is None or place in steps, "a part stands for a place that no action names", place)
    return root.tag == _SVG and picture.width > 0 and picture.height > 0


def a_picture_keeps_its_style_and_its_number_of_parts(game: Game, seats: int) -> None:
    frames = set()
    for ply, move in enumerate(moves(game, seats, 2)):
        if ply % _PICTURE_STEPS == 0:
            try:
                picture = game.shown.picture(move.after, View(last=move))
            except AbilityError:
                return
            frames.add((picture.width, picture.height, picture.style, picture.defs, len(picture.parts)))
    need(len(frames) <= 1, "style, definitions or number of parts differ between positions of a match", frames)


def moves_are_told_in_every_language(game: Game, seats: int) -> None:
    languages = (*game.shown.languages, _UNKNOWN_LANGUAGE)
    for move in moves(game, seats, 3):
        before, after = move.before.to_json(), move.after.to_json()
        for language in languages:
            told = game.shown.describe(move, language)
            need(_is_plain(game.shown.choice(move.before, move.notation, language)), "a choice has no words", move)
            need(told and all(_is_plain(line) for line in told), "a move is not told in words", language, move, told)
        need(move.before.to_json() == before and move.after.to_json() == after, "telling changed a position", move)


def _is_plain(line: str) -> bool:
    """Tell whether a line can be read: something is in it, on one line, and no place of a template was left open."""
    return bool(line.strip()) and line.isprintable() and not {"{", "}", "<", ">"} & set(line)


def the_final_scoring_adds_up_to_the_outcome(game: Game, seats: int) -> None:
    for seed in range(3):
        state = play_random(game, seats, seed).state
        outcome = state.outcome()
        for language in (*game.shown.languages, _UNKNOWN_LANGUAGE):
            steps = game.shown.scoring(state, language)
            if not steps or outcome is None:
                return
            need(all(_is_plain(step.label) for step in steps), "a step of the scoring has no name", steps)
            width = seats + len(steps[0].others)
            total = [0] * width
            for step in steps:
                need(len(step.points) == width == len(step.sums), "a step does not say what each gets", step)
                total = [before + points for before, points in zip(total, step.points, strict=True)]
                need(list(step.sums) == total, "the sums of a step are wrong", step, total)
            need(total[:seats] in list(outcome.details.values()), "the scoring adds up to another result", total)


def actions_are_chosen_by_a_path(game: Game) -> None:
    paths = {tuple(game.shown.path(name)) for name in game.actions.names}
    need(len(paths) == len(game.actions), "two actions are chosen alike")
    beginnings = {path[:length] for path in paths for length in range(len(path))}
    need(not paths & beginnings, "the path of an action begins with that of another", paths & beginnings)


def every_action_has_a_label_in_every_language(game: Game) -> None:
    for language in (*game.shown.languages, _UNKNOWN_LANGUAGE):
        labels = game.shown.labels(language)
        need(all(labels.get(name) for name in game.actions.names), f"an action has no label in {language}")
    need(game.shown.labels(_UNKNOWN_LANGUAGE) == game.shown.labels("en"), "an unknown language is not English")


def no_file_made_from_declarations_is_stale(game: Game) -> None:
    need(not game.stale_files(), "made files are out of date", *game.stale_files())


_GAME_CHECKS: Final = (
    what_is_no_position_is_refused,
    a_position_with_junk_in_it_is_refused_or_complete,
    notation_and_ids_are_inverse,
    options_have_defaults_a_schema_and_an_inverse,
    other_numbers_of_seats_are_refused,
    every_action_has_a_label_in_every_language,
    actions_are_chosen_by_a_path,
    no_file_made_from_declarations_is_stale,
)
_TABLE_CHECKS: Final = (
    legal_actions_are_sorted_and_empty_only_at_the_end,
    is_legal_agrees_with_the_list,
    a_clone_is_equal_and_goes_its_own_way,
    positions_survive_json,
    the_wire_carries_the_observation,
    bytes_that_are_no_observation_are_refused,
    what_is_hidden_is_said_to_be,
    illegal_actions_are_refused_and_change_nothing,
    playings_are_bounded_and_ranked,
    a_record_is_played_again_to_the_same_end,
    chance_is_drawn_only_where_the_game_says_so,
    the_caretaker_plays_legally_to_the_end,
    a_determinized_position_looks_the_same_to_the_seat,
    evaluation_lies_between_lost_and_won_and_is_exact_at_the_end,
    quick_actions_play_to_the_end,
    programs_learn_from_what_the_seat_sees_and_nothing_else,
    pictures_are_well_formed_in_every_language,
    a_picture_keeps_its_style_and_its_number_of_parts,
    moves_are_told_in_every_language,
    the_final_scoring_adds_up_to_the_outcome,
)
"""With every number of seats."""
