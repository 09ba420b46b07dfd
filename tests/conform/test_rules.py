"""Every rule of the table is broken by a kit made for it, and reported by that rule and no other."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.conform.checker import check_bot
from arena.conform.rules.table import BY_ID, RULES
from arena.conform.stage.findings import State, Verdict
from arena.conform.stage.patience import Patience
from tests.conform import broken_kit
from tests.conform.in_process import launcher

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
AT_ONCE = 32
SLOW = ("finished-while-asked",)
"""Kits that think so slowly that with them only the rule itself is checked."""


async def check(defect: str, *rules: str) -> list[Verdict]:
    rules = rules or ((defect,) if defect in SLOW else ())
    patience = PATIENCE_WITH.get(defect, PATIENCE)
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        return await check_bot(launcher(defect), Path(directory), rules=rules, patience=patience)


@pytest.fixture(scope="module")
def reports() -> Mapping[str, list[Verdict]]:
    """What is found of the kit without a defect, under an empty name, and with each defect."""

    async def check_all() -> dict[str, list[Verdict]]:
        slots = asyncio.Semaphore(AT_ONCE)

        async def check_one(defect: str) -> list[Verdict]:
            async with slots:
                return await check(defect)

        defects = ["", *BY_ID]
        return dict(zip(defects, await asyncio.gather(*map(check_one, defects)), strict=True))

    return asyncio.run(check_all())


def test_a_kit_without_defects_keeps_every_rule(reports: Mapping[str, list[Verdict]]) -> None:
    assert [verdict.message for verdict in reports[""] if verdict.state is not State.KEPT] == []
    assert [verdict.rule for verdict in reports[""]] == list(RULES)


@pytest.mark.parametrize("rule", BY_ID)
def test_a_kit_that_breaks_a_rule_is_told_of_that_rule_and_of_no_other(
    reports: Mapping[str, list[Verdict]], rule: str
) -> None:
    broken = {verdict.rule.id: verdict.message for verdict in reports[rule] if verdict.state is State.BROKEN}
    assert list(broken) == [rule], broken
    assert broken[rule].startswith(BY_ID[rule].broken)
    assert broken[rule].endswith(BY_ID[rule].remedy)


@pytest.mark.parametrize("rule", [rule for rule in BY_ID if rule not in SLOW])
def test_a_report_has_every_rule_once(reports: Mapping[str, list[Verdict]], rule: str) -> None:
    assert [verdict.rule for verdict in reports[rule]] == list(RULES)


async def test_a_kit_that_thinks_long_is_not_blamed_for_an_answer_to_a_match_that_is_over() -> None:
    verdicts = await check(broken_kit.SLOW, "finished-while-asked")
    assert [(verdict.rule.id, verdict.state) for verdict in verdicts] == [("finished-while-asked", State.KEPT)]
