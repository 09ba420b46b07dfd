"""Plays all scenarios with a bot, and says of every rule whether it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from arena.conform.harness.findings import BrokenError, NotApplicableError, RuleState, RuleVerdict, SilentError
from arena.conform.harness.harness import Harness, open_harness
from arena.conform.harness.patience import Patience
from arena.conform.harness.process import Launcher
from arena.conform.rules.table import BY_ID, RULES
from arena.conform.scenarios.catalog import BASIC, FRESH, IN_MATCHES, Scenario
from engine.text import Text


async def check_bot(
    launcher: Launcher,
    directory: Path,
    *,
    rules: Collection[str] = (),
    patience: Patience | None = None,
    tell: Callable[[RuleVerdict], None] = lambda _: None,
) -> list[RuleVerdict]:
    """Return what was found about the rules of these ids, by default all, and about any other that is broken.

    The verdicts stand in the order of the table; `tell` hears of each as soon as it is known, and of a rule that is
    broken later once more. `directory` is an empty one with a short path. Raises OSError if the bot cannot be started.
    """
    patience = patience or Patience()
    async with (
        open_harness(launcher, directory / "a", patience) as first,
        open_harness(launcher, directory / "b", patience) as second,
    ):
        checker = _Checker(frozenset(rules or BY_ID), tell)
        await checker.check(first, second)
    return checker.verdicts()


class _Checker:
    def __init__(self, wanted: frozenset[str], tell: Callable[[RuleVerdict], None]) -> None:
        self._wanted = wanted
        self._tell = tell
        self._found: dict[str, RuleVerdict] = {}

    def verdicts(self) -> list[RuleVerdict]:
        """Return what is to be reported, in the order of the table."""
        return [self._found[rule.id] for rule in RULES if rule.id in self._found]

    async def check(self, first: Harness, second: Harness) -> None:
        """Play the basic scenarios, then the others on two stages at once."""
        for scenario in BASIC:
            await self._play(first, scenario)
            if self._broken():
                self._give_up()
                return
        async with asyncio.TaskGroup() as group:
            group.create_task(self._play_all(first, self._chosen(IN_MATCHES)))
            group.create_task(self._play_all(second, self._chosen(FRESH)))

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
        if was_used and isinstance(problem, BrokenError) and not await _is_broken_afresh(harness, scenario):
            problem = BrokenError(
                "several-matches",
                Text(
                    "conform.which_new_process_does_right", "{what}, which a new process does right", what=problem.seen
                ),
            )
        self._record(scenario, problem)

    def _record(self, scenario: Scenario, problem: BrokenError | NotApplicableError | None) -> None:
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

    def _give_up(self) -> None:
        rules = [rule.id for rule in RULES if rule.id not in self._found]
        self._note_all(rules, RuleState.UNCHECKED, _first(self._broken()[0]))


def _first(rule: str) -> str:
    """Tell why a rule was not checked."""
    return Text(
        "conform.broken_nothing_can_seen_one",
        "{rule} is broken, and nothing can be seen of this one until it is mended",
        rule=rule,
    )


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


async def _is_broken_afresh(harness: Harness, scenario: Scenario) -> bool:
    return isinstance(await _play(harness, scenario), BrokenError)
