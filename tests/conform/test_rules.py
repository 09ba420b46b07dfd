"""Every rule of the table is broken by a kit made for it, and reported by that rule and no other."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.conform.checker import BASIC, FRESH, IN_MATCHES, check_bot
from arena.conform.dialogue import Patience
from arena.conform.judging import RuleState, RuleVerdict
from arena.conform.rules import BY_ID, RULES
from tests.conform import broken_kit
from tests.conform.in_process import launcher, launcher_of_our_kit

PATIENCE = Patience(limit_s=1.0)
"""As usual, but for a limit that a correct kit keeps on the busiest machine."""
LONG_QUIET = replace(PATIENCE, quiet_s=1.5)
"""For kits whose defect is told by when a message comes: so long that it comes in time on a busy machine."""
LIVES_ON = replace(PATIENCE, exit_s=2.0)
PATIENCE_WITH = {
    **dict.fromkeys(("waits-for-joined", "join-once", "one-stream", "act-once", "no-unasked"), LONG_QUIET),
    **dict.fromkeys(("end-in-match", "arena-lost"), LIVES_ON),
    "little-time": Patience(),
}
AT_ONCE = 16
SLOW = ("finished-while-asked",)
"""Kits that think so slowly that with them only the rule itself is checked."""
ENTRY = re.compile(r"^- \*\*`(?P<id>[a-z-]+)`\*\*: (?P<kept>.*)\n  \*Message:\* (?P<message>.*)$", re.MULTILINE)


async def check(defect: str, *rules: str) -> list[RuleVerdict]:
    rules = rules or ((defect,) if defect in SLOW else ())
    patience = PATIENCE_WITH.get(defect, PATIENCE)
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        return await check_bot(launcher(defect), Path(directory), rules=rules, patience=patience)


def check_all(defects: Iterable[str], *, of_all_rules: bool) -> dict[str, list[RuleVerdict]]:
    """What is found of kits with these defects: whether they keep the rule that they break, or all rules."""

    async def check_them() -> list[list[RuleVerdict]]:
        slots = asyncio.Semaphore(AT_ONCE)

        async def check_one(defect: str) -> list[RuleVerdict]:
            async with slots:
                return await check(defect, *(() if of_all_rules else (defect,)))

        return await asyncio.gather(*map(check_one, defects))

    return dict(zip(defects, asyncio.run(check_them()), strict=True))


def wrongly_told(rule: str, verdicts: list[RuleVerdict]) -> list[str]:
    """What is told of a kit with this defect alone, unless it is that, with the remedy, and nothing else."""
    broken = {verdict.rule.id: verdict.message for verdict in verdicts if verdict.state is RuleState.BROKEN}
    text = broken.get(rule, "")
    is_told = list(broken) == [rule] and text.startswith(BY_ID[rule].broken) and text.endswith(BY_ID[rule].remedy)
    return [] if is_told else [f"{rule}: {broken}"]


async def test_the_kit_for_python_keeps_every_rule() -> None:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        verdicts = await check_bot(launcher_of_our_kit(), Path(directory), patience=PATIENCE)
    assert [verdict.message for verdict in verdicts if verdict.state is not RuleState.KEPT] == []
    assert [verdict.rule for verdict in verdicts] == list(RULES)


@pytest.mark.needs("minutes")
async def test_a_kit_without_defects_keeps_every_rule() -> None:
    verdicts = await check("")
    assert [verdict.message for verdict in verdicts if verdict.state is not RuleState.KEPT] == []
    assert [verdict.rule for verdict in verdicts] == list(RULES)


def test_a_kit_that_breaks_a_rule_is_told_of_that_rule() -> None:
    reports = check_all(BY_ID, of_all_rules=False)
    assert [line for rule in BY_ID for line in wrongly_told(rule, reports[rule])] == []


@pytest.mark.needs("minutes")
def test_a_kit_that_breaks_a_rule_is_told_of_no_other_in_a_report_that_has_every_rule_once() -> None:
    reports = check_all(BY_ID, of_all_rules=True)
    assert [line for rule in BY_ID for line in wrongly_told(rule, reports[rule])] == []
    told = {rule: [verdict.rule for verdict in reports[rule]] for rule in BY_ID if rule not in SLOW}
    assert [rule for rule, rules in told.items() if rules != list(RULES)] == []


async def test_a_kit_that_thinks_long_is_not_blamed_for_an_answer_to_a_match_that_is_over() -> None:
    verdicts = await check(broken_kit.SLOW, "finished-while-asked")
    assert [(verdict.rule.id, verdict.state) for verdict in verdicts] == [("finished-while-asked", RuleState.KEPT)]


PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def test_the_page_lists_every_rule_with_its_message() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Check a kit")[2]
    entries = [(entry["id"], entry["kept"], entry["message"]) for entry in ENTRY.finditer(section)]
    assert entries == [(rule.id, rule.statement, f"{rule.broken} Seen: ... Remedy: {rule.remedy}") for rule in RULES]


def test_every_rule_is_one_sentence_with_a_message_and_a_remedy() -> None:
    for rule in RULES:
        for text in (rule.statement, rule.broken, rule.remedy):
            assert text.endswith("."), f"{rule.id}: {text}"
            assert "|" not in text, rule.id


def test_every_rule_has_one_scenario_and_every_scenario_its_rules() -> None:
    scenarios = [*BASIC, *FRESH, *IN_MATCHES]
    checked = [rule for scenario in scenarios for rule in scenario.rules]
    assert sorted(checked) == sorted(BY_ID)
    assert {rule for scenario in scenarios for rule in scenario.needs} <= set(BY_ID)
