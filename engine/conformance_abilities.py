"""The checks of `engine.conformance` for what a game may give (`engine.abilities`), where it gives it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from math import isclose
from random import Random
from typing import Final

from engine.abilities import View
from engine.chance import SeededChance
from engine.conformance_core import need, play_alike, some_positions
from engine.core import AbilityError, Game, State
from engine.playout import moves, play_random

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
    _check_parts(game, picture.parts)
    return root.tag == _SVG and picture.width > 0 and picture.height > 0


def _check_parts(game: Game, parts: Sequence[str]) -> None:
    """Need each part to be an element of its own without style, and to stand for a place that actions name."""
    steps = {step for name in game.actions.names for step in game.shown.path(name)}
    for part in parts:
        for element in ElementTree.fromstring(part).iter():
            need("style" not in element.attrib, "a part has a style attribute", part)
            need(element.tag.rpartition("}")[2] not in ("style", "script"), "a part has a style or a script", part)
            place = element.get("data-place")
            need(place is None or place in steps, "a part stands for a place that no action names", place)


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
            told = game.shown.tell(move, language)
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


GAME_CHECKS: Final = (
    every_action_has_a_label_in_every_language,
    actions_are_chosen_by_a_path,
    no_file_made_from_declarations_is_stale,
)
TABLE_CHECKS: Final = (
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
