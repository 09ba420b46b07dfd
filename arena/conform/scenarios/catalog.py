"""Which scenario checks which rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from arena.conform.harness.harness import Harness
from arena.conform.scenarios import answering, clocks, ending, joining, matches


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is done to a bot, and the rules that it shows to be kept or broken."""

    play: Callable[[Harness], Awaitable[None]]
    """Returns if the rules are kept; raises BrokenError, SilentError or NotApplicableError."""
    rule: str
    """The rule that is broken if the bot does not do what the scenario is about."""
    others: tuple[str, ...] = ()
    """What the scenario shows besides."""
    needs: tuple[str, ...] = ()
    """Rules without which it would show nothing."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of all rules that it shows."""
        return self.rule, *self.others


_ALL_GAMES = ("other-game",)
_OPENINGS = ("other-game", "empty-events", "opening-events")

BASIC: tuple[Scenario, ...] = (
    Scenario(
        joining.check_greeting, "connects", ("token", "join-first", "join-protocol", "join-games", "waits-for-joined")
    ),
    Scenario(
        answering.check_answers,
        "act-answers",
        (
            *("join-once", "one-stream", "act-once", "act-ply", "act-count", "act-note", "resign-match-id"),
            *("well-formed", "message-size", "no-unasked", "output"),
        ),
    ),
    Scenario(matches.check_several, "several-matches"),
)
"""What all others stand on: where one of these finds a broken rule, nothing else can be seen."""

FRESH: tuple[Scenario, ...] = (
    Scenario(joining.check_tcp, "tcp-address"),
    Scenario(joining.check_without_health, "health-optional"),
    Scenario(joining.check_major, "refuses-major"),
    Scenario(joining.check_minor, "accepts-minor"),
    Scenario(joining.check_unknown_events, "ignores-events"),
    Scenario(joining.check_unknown_fields, "ignores-fields"),
    Scenario(ending.check_token_refused, "token-refused"),
    Scenario(ending.check_join_refused, "join-refused"),
    Scenario(ending.check_no_arena, "no-arena"),
)
"""What needs a process of its own from the beginning."""

IN_MATCHES: tuple[Scenario, ...] = (
    Scenario(answering.check_ids, "act-match-id"),
    Scenario(matches.check_other_game, "other-game"),
    Scenario(matches.check_other_seats, "other-seats", needs=_ALL_GAMES),
    Scenario(matches.check_whole_match, "whole-match", ("act-legal",), needs=_ALL_GAMES),
    Scenario(matches.check_empty_events, "empty-events", needs=_ALL_GAMES),
    Scenario(matches.check_opening, "opening-events", needs=("other-game", "empty-events")),
    Scenario(matches.check_chance, "chance-events", needs=_OPENINGS),
    Scenario(matches.check_large, "large-decide", needs=_OPENINGS),
    Scenario(matches.check_resumed, "resumed", needs=_OPENINGS),
    Scenario(matches.check_dropped, "dropped-actions"),
    Scenario(matches.check_no_decision, "no-decision"),
    Scenario(matches.check_finished_while_asked, "finished-while-asked"),
    Scenario(matches.check_others_forfeit, "others-forfeit", needs=("other-game", "other-seats")),
    Scenario(matches.check_large_seed, "large-seed", needs=_ALL_GAMES),
    Scenario(matches.check_unknown_options, "unknown-options"),
    Scenario(clocks.check_little_time, "little-time"),
    Scenario(clocks.check_bank, "bank-clock"),
    Scenario(clocks.check_untimed, "untimed"),
    Scenario(matches.check_own_faults, "own-faults"),
    Scenario(ending.check_end_while_idle, "end-idle"),
    Scenario(ending.check_end_in_match, "end-in-match"),
    Scenario(ending.check_arena_lost, "arena-lost"),
    Scenario(ending.check_superseded, "superseded"),
    Scenario(ending.check_error_while_asked, "error-while-asked"),
)
"""What any process that has joined can play, one after another."""
