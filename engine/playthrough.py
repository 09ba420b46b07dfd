"""A playing as readable text: every decision with its legal actions and what chance revealed. No I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from engine.chance import Chance
from engine.core import ActionTable, Game, State
from engine.record import Playing

CHOSEN = "> "
"""What a line with the action taken starts with."""
_LONGEST_LINE = 20
"""More legal actions than this are told by their number and the first and last."""

Policy = Callable[[State], int]


def playthrough(
    game: Game,
    seats: int,
    chance: Chance,
    choose: Policy,
    options: Mapping[str, Any] = MappingProxyType({}),
    is_shown: Callable[[State], bool] = lambda _: False,
) -> Iterator[str]:
    """Yield the lines of a playing in which `choose` decides for every seat.

    The position is shown where `is_shown` says so, and at the end.
    """
    playing = Playing(game, seats, game.parse_options(options), chance)
    shown = json.dumps(dict(options)) if options else "default"
    yield f"{game.title}, rules version {game.rules_version}, {seats} seats, options: {shown}"
    state = playing.state
    while (seat := state.seat()) is not None:
        if is_shown(state):
            yield from _position_lines(game, state)
        yield ""
        yield f"ply {playing.ply} · seat {seat}"
        yield "  " + _legal_text(game.actions, state)
        event = playing.apply(choose(state))
        yield CHOSEN + game.actions.format(event.action)
        yield from (f"  {reveal.kind} {' '.join(map(str, reveal.values))}" for reveal in event.reveals)
    yield from _position_lines(game, state)
    outcome = state.outcome()
    assert outcome is not None
    yield from ("", *json.dumps({"ranks": list(outcome.ranks), **outcome.details}, indent=1).splitlines())


def _position_lines(game: Game, state: State) -> Iterator[str]:
    yield from ("", "-" * 60, *game.shown.text(state, None, "en").splitlines())


def _legal_text(actions: ActionTable, state: State) -> str:
    names = [actions.format(action) for action in state.legal_actions()]
    return " ".join(names) if len(names) <= _LONGEST_LINE else f"{len(names)} actions: {names[0]} ... {names[-1]}"


def actions_in(actions: ActionTable, lines: Iterable[str]) -> Iterator[int]:
    """Yield the actions taken in the lines of a playthrough."""
    return (actions.parse(line.removeprefix(CHOSEN).rstrip("\n")) for line in lines if line.startswith(CHOSEN))
