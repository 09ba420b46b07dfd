"""The checks of `engine.conformance` for what a game may give (`engine.abilities`), where it gives it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from math import isclose
from random import Random
from typing import Final

from engine.chance import SeededChance
from engine.conformance_core import need, play_alike, some_positions
from engine.core import AbilityError, Game, State
from engine.playout import positions

_SVG: Final = "{http://www.w3.org/2000/svg}svg"
_UNKNOWN_LANGUAGE: Final = "xx"
_PICTURE_STEPS: Final = 21
"""A position is drawn every so many plies."""


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


def pictures_are_well_formed_in_every_language(game: Game, seats: int) -> None:
    for ply, state in enumerate(positions(game, seats, 1)):
        if ply % _PICTURE_STEPS:
            continue
        for language in (*game.shown.languages, _UNKNOWN_LANGUAGE):
            for seat in (None, 0):
                need(game.shown.text(state, seat, language).strip(), "there is no text", state)
                need(_is_drawn(game, state, seat, language), "there is no SVG document", state)


def _is_drawn(game: Game, state: State, seat: int | None, language: str) -> bool:
    try:
        return ElementTree.fromstring(game.shown.svg(state, seat, language)).tag == _SVG
    except AbilityError:
        return True  # the game has no picture and says so


def every_action_has_a_label_in_every_language(game: Game) -> None:
    for language in (*game.shown.languages, _UNKNOWN_LANGUAGE):
        labels = game.shown.labels(language)
        need(all(labels.get(name) for name in game.actions.names), f"an action has no label in {language}")
    need(game.shown.labels(_UNKNOWN_LANGUAGE) == game.shown.labels("en"), "an unknown language is not English")


def no_file_made_from_declarations_is_stale(game: Game) -> None:
    need(not game.stale_files(), "made files are out of date", *game.stale_files())


GAME_CHECKS: Final = (every_action_has_a_label_in_every_language, no_file_made_from_declarations_is_stale)
TABLE_CHECKS: Final = (
    a_determinized_position_looks_the_same_to_the_seat,
    evaluation_lies_between_lost_and_won_and_is_exact_at_the_end,
    quick_actions_play_to_the_end,
    pictures_are_well_formed_in_every_language,
)
"""With every number of seats."""
