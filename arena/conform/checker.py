"""Plays all scenarios with a bot, each for the rules that it checks, and tells of every rule whether it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.conform import match_scenarios, stream_scenarios
from arena.conform.dialogue import Patience
from arena.conform.judging import BrokenError, NotApplicableError, RuleState, RuleVerdict, SilentError
from arena.conform.process import CommandError, Launcher
from arena.conform.rules import BY_ID, NAMES, RULES, Offer, Transport, rules_of
from arena.conform.scenario_harness import Harness, open_harness
from arena.wire.messages import EVERY_GAME
from engine import registry
from engine.translatable import Text

_ALL_GAMES = ("other-game",)
_OPENINGS = ("other-game", "empty-events", "opening-events")


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


BASIC: tuple[Scenario, ...] = (
    Scenario(
        stream_scenarios.check_greeting,
        "connects",
        ("token", "join-first", "join-protocol", "join-games", "waits-for-joined"),
    ),
    Scenario(stream_scenarios.check_first_line, "reads-joined"),
    Scenario(
        match_scenarios.check_answers,
        "act-answers",
        (
            *("join-once", "one-stream", "act-once", "act-ply", "act-count", "act-note", "resign-match-id"),
            *("well-formed", "message-size", "no-unasked", "output", "flushes", "stdout-answers"),
        ),
    ),
    Scenario(match_scenarios.check_several, "several-matches"),
)
"""What all others stand on: where one of these finds a broken rule, nothing else can be seen."""


FRESH: tuple[Scenario, ...] = (
    Scenario(stream_scenarios.check_tcp, "tcp-address"),
    Scenario(stream_scenarios.check_without_health, "health-optional"),
    Scenario(stream_scenarios.check_major, "refuses-major"),
    Scenario(stream_scenarios.check_minor, "accepts-minor"),
    Scenario(stream_scenarios.check_unknown_events, "ignores-events"),
    Scenario(stream_scenarios.check_unknown_fields, "ignores-fields"),
    Scenario(stream_scenarios.check_large_joined, "large-joined"),
    Scenario(stream_scenarios.check_token_refused, "token-refused"),
    Scenario(stream_scenarios.check_join_refused, "join-refused"),
    Scenario(stream_scenarios.check_no_arena, "no-arena"),
)
"""What needs a process of its own from the beginning."""


IN_MATCHES: tuple[Scenario, ...] = (
    Scenario(match_scenarios.check_ids, "act-match-id"),
    Scenario(match_scenarios.check_other_game, "other-game"),
    Scenario(match_scenarios.check_other_seats, "other-seats", needs=_ALL_GAMES),
    Scenario(match_scenarios.check_whole_match, "whole-match", ("act-legal",), needs=_ALL_GAMES),
    Scenario(match_scenarios.check_empty_events, "empty-events", needs=_ALL_GAMES),
    Scenario(match_scenarios.check_opening, "opening-events", needs=("other-game", "empty-events")),
    Scenario(match_scenarios.check_chance, "chance-events", needs=_OPENINGS),
    Scenario(match_scenarios.check_large, "large-decide", needs=_OPENINGS),
    Scenario(match_scenarios.check_resumed, "resumed", needs=_OPENINGS),
    Scenario(match_scenarios.check_dropped, "dropped-actions"),
    Scenario(match_scenarios.check_no_decision, "no-decision"),
    Scenario(match_scenarios.check_finished_while_asked, "finished-while-asked"),
    Scenario(match_scenarios.check_others_forfeit, "others-forfeit", needs=("other-game", "other-seats")),
    Scenario(match_scenarios.check_large_seed, "large-seed", needs=_ALL_GAMES),
    Scenario(match_scenarios.check_unknown_options, "unknown-options"),
    Scenario(match_scenarios.check_little_time, "little-time"),
    Scenario(match_scenarios.check_bank, "bank-clock"),
    Scenario(match_scenarios.check_untimed, "untimed"),
    Scenario(match_scenarios.check_own_faults, "own-faults"),
    Scenario(stream_scenarios.check_end_while_idle, "end-idle"),
    Scenario(stream_scenarios.check_end_in_match, "end-in-match"),
    Scenario(stream_scenarios.check_arena_lost, "arena-lost"),
    Scenario(stream_scenarios.check_superseded, "superseded"),
    Scenario(stream_scenarios.check_error_while_asked, "error-while-asked"),
)
"""What any process that has joined can play, one after another."""


@dataclass(frozen=True, slots=True)
class CheckedBot:
    """What was found about a bot."""

    transport: Transport
    """How its messages travel."""
    verdicts: Sequence[RuleVerdict]
    """In the order of the table of rules."""


async def check_bot(
    launcher: Launcher,
    directory: Path,
    *,
    offer: Offer = Offer.PROTOBUF,
    games: Sequence[str] = (EVERY_GAME,),
    rules: Collection[str] = (),
    patience: Patience | None = None,
    tell: Callable[[RuleVerdict], None] = lambda _: None,
) -> CheckedBot:
    """Return what was found about the rules of these ids, and about any other that is broken.

    By default these are all rules for how its messages travel. `games` are those of a bot that speaks lines. `tell`
    hears of each verdict as soon as it is known, and of a rule that is broken later once more. `directory` is an empty
    one with a short path. Raises OSError if the bot cannot be started, CommandError if it plays no game of this arena.
    """
    if EVERY_GAME not in games and not {*games} & {*registry.names()}:
        why = Text(
            "games names none that is installed ({names}); `arena game list` shows those that are",
            names=", ".join(games),
        )
        raise CommandError(why)
    patience = patience or Patience()
    async with (
        open_harness(launcher, directory / "a", patience, offer, games) as first,
        open_harness(launcher, directory / "b", patience, offer, games) as second,
    ):
        checker = _Checker(frozenset(rules), tell)
        await checker.check(first, second)
        return CheckedBot(first.transport, checker.verdicts())


class _Checker:
    def __init__(self, named: frozenset[str], tell: Callable[[RuleVerdict], None]) -> None:
        self._named = named
        self._wanted = named
        self._has_met = False
        self._tell = tell
        self._found: dict[str, RuleVerdict] = {}

    def verdicts(self) -> list[RuleVerdict]:
        """Return what is to be reported, in the order of the table."""
        return [self._found[rule.id] for rule in RULES if rule.id in self._found]

    async def check(self, first: Harness, second: Harness) -> None:
        """Play the basic scenarios, then all others with the two harnesses at once."""
        for scenario in BASIC:
            if first.transport in BY_ID[scenario.rule].transports:
                await self._play(first, scenario)
            if self._broken():
                rest = [rule.id for rule in rules_of(first.transport) if rule.id not in self._found]
                self._note_all(rest, RuleState.UNCHECKED, _first(self._broken()[0]))
                return
        async with asyncio.TaskGroup() as group:
            group.create_task(self._play_all(first, self._chosen(IN_MATCHES)))
            group.create_task(self._play_all(second, self._chosen(FRESH)))

    def _meet(self, transport: Transport) -> None:
        """Take note of how the messages of the bot travel: that decides which rules there are."""
        self._has_met = True
        known = {rule.id for rule in rules_of(transport)}
        for rule in sorted(self._named - known):
            why = Text("this is no rule for such a bot ({transport})", transport=NAMES[transport])
            self._note(rule, RuleState.NOT_APPLICABLE, why)
        self._wanted = frozenset(known & self._named if self._named else known)

    def _chosen(self, scenarios: Sequence[Scenario]) -> list[Scenario]:
        return [scenario for scenario in scenarios if self._wanted & {*scenario.rules}]

    async def _play_all(self, harness: Harness, scenarios: Sequence[Scenario]) -> None:
        for scenario in scenarios:
            missing = [rule for rule in scenario.needs if rule in self._broken()]
            if missing:
                self._note_all(scenario.rules, RuleState.UNCHECKED, _first(missing[0]))
            else:
                await self._play(harness, scenario)

    async def _play(self, harness: Harness, scenario: Scenario) -> None:
        was_used = harness.is_used
        problem = await _play(harness, scenario)
        if not self._has_met:
            self._meet(harness.transport)
        if (
            was_used
            and isinstance(problem, BrokenError)
            and not isinstance(await _play(harness, scenario), BrokenError)  # by a new process
        ):
            problem = BrokenError("several-matches", Text("{what}, which a new process does right", what=problem.seen))
        if isinstance(problem, BrokenError):
            self._note(problem.rule, RuleState.BROKEN, problem.seen)
            self._note_all(scenario.rules, RuleState.UNCHECKED, _first(problem.rule))
        elif problem is not None:
            self._note_all(scenario.rules, RuleState.NOT_APPLICABLE, str(problem))
        else:
            self._note_all(scenario.rules, RuleState.KEPT, "")

    def _note_all(self, rules: Sequence[str], state: RuleState, detail: str) -> None:
        for rule in rules:
            self._note(rule, state, detail)

    def _note(self, rule: str, state: RuleState, detail: str) -> None:
        """Keep and tell what was found, unless the rule is known to be broken or was not asked for."""
        known = self._found.get(rule)
        is_wanted = rule in self._wanted or state is RuleState.BROKEN
        if is_wanted and (known is None or (state is RuleState.BROKEN and known.state is not RuleState.BROKEN)):
            self._found[rule] = RuleVerdict(BY_ID[rule], state, detail)
            self._tell(self._found[rule])

    def _broken(self) -> list[str]:
        return [rule for rule, verdict in self._found.items() if verdict.state is RuleState.BROKEN]


def _first(rule: str) -> str:
    return Text("{rule} is broken; mend it first", rule=rule)


async def _play(harness: Harness, scenario: Scenario) -> BrokenError | NotApplicableError | None:
    """Return what a scenario found, or None; a bot that broke a rule is ended."""
    try:
        await scenario.play(harness)
    except NotApplicableError as none:
        return none
    except (BrokenError, SilentError) as error:
        await harness.close()
        return error if isinstance(error, BrokenError) else BrokenError(scenario.rule, error.seen)
    return None
