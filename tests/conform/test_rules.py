"""Every rule of the table is broken by a kit made for it, and reported by that rule and no other."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from arena.conform.checker import BASIC, FRESH, IN_MATCHES, CheckedBot, check_bot
from arena.conform.dialogue import Patience
from arena.conform.judging import RuleState, RuleVerdict
from arena.conform.process import Command, Launcher, launcher_of
from arena.conform.rules import BY_ID, NAMES, RULES, Offer, Rule, Transport, rules_of
from tests.conform import broken_kit
from tests.conform.in_process import launcher, launcher_of_our_kit

PATIENCE = Patience(limit_s=1.0)
"""As usual, but for a limit that a correct kit keeps on the busiest machine."""
LONG_QUIET = replace(PATIENCE, quiet_s=1.5)
"""For kits whose defect is told by when a message comes: so long that it comes in time on a busy machine."""
LIVES_ON = replace(PATIENCE, exit_s=2.0)
SILENT = "silent"
"""No defect of the table: this bot reads on and never answers."""
PATIENCE_WITH = {
    **dict.fromkeys(("waits-for-joined", "join-once", "one-stream", "act-once", "no-unasked"), LONG_QUIET),
    **dict.fromkeys(("end-in-match", "arena-lost"), LIVES_ON),
    "output": replace(PATIENCE, answer_s=120.0),  # what it writes is read on a busy machine
    SILENT: replace(PATIENCE, answer_s=1.0),  # nothing comes, however long that is
    "flushes": replace(PATIENCE, answer_s=1.0),  # nothing comes, however long that is
    "reads-joined": replace(PATIENCE, start_s=1.0),  # it never reads
    "little-time": Patience(),
}
AT_ONCE = 16
SLOW = ("finished-while-asked",)
"""Kits that think so slowly that with them only the rule itself is checked."""
ENTRY = re.compile(
    r"^- \*\*`(?P<id>[a-z-]+)`\*\*(?: \((?P<of>.*?)\))?: (?P<kept>.*)\n  \*Message:\* (?P<message>.*)$", re.MULTILINE
)
OFFERS = {Transport.GRPC: Offer.PROTOBUF, Transport.SOCKET: Offer.PROTOBUF, Transport.LINES: Offer.LINES}
GAMES = ("foreign_king", "rex_romanorum")
LINES_BOT = Path(__file__).with_name("broken_lines.py")
FIVE_LINES = """
import json, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if "decide" in message:
        print(random.choice(message["decide"]["legal_actions"]), flush=True)
"""
SEEN_OF_LINES = [
    (
        "stdout-answers",
        (
            "a line that is no answer: 'Hello, I am ready.'; it is no JSON; standard output is for answers only, and "
            "logs belong on standard error"
        ),
    ),
    ("flushes", "'0' came only when standard input had ended"),
    ("reads-joined", "its standard input was not read within 1 s"),
    ("no-unasked", "Act after MatchFinished"),
]


def launch(defect: str, transport: Transport) -> Launcher:
    """What starts a bot with that defect, or with none."""
    if transport is Transport.LINES:
        return launcher_of(Command((sys.executable, str(LINES_BOT), defect), str(LINES_BOT.parent), ()))
    return launcher(defect, uses_socket=transport is Transport.SOCKET)


async def check(defect: str, transport: Transport, *rules: str) -> CheckedBot:
    rules = rules or ((defect,) if defect in SLOW else ())
    patience = PATIENCE_WITH.get(defect, PATIENCE)
    offer = OFFERS[transport]
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        return await check_bot(
            launch(defect, transport), Path(directory), offer=offer, games=GAMES, rules=rules, patience=patience
        )


def check_all(transport: Transport, *, of_all_rules: bool) -> dict[str, Sequence[RuleVerdict]]:
    """What is found of kits with a defect each: whether they keep the rule that they break, or all rules."""
    defects = [rule.id for rule in rules_of(transport)]

    async def check_them() -> list[CheckedBot]:
        slots = asyncio.Semaphore(AT_ONCE)
        # Each process is waited for in a thread, and a check has two.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(3 * AT_ONCE))

        async def check_one(defect: str) -> CheckedBot:
            async with slots:
                return await check(defect, transport, *(() if of_all_rules else (defect,)))

        return await asyncio.gather(*map(check_one, defects))

    return {defect: checked.verdicts for defect, checked in zip(defects, asyncio.run(check_them()), strict=True)}


def wrongly_told(rule: str, verdicts: Sequence[RuleVerdict]) -> list[str]:
    """What is told of a kit with this defect alone, unless it is that, with the remedy, and nothing else."""
    broken = {verdict.rule.id: verdict.message for verdict in verdicts if verdict.state is RuleState.BROKEN}
    text = broken.get(rule, "")
    is_told = list(broken) == [rule] and text.startswith(BY_ID[rule].broken) and text.endswith(BY_ID[rule].remedy)
    return [] if is_told else [f"{rule}: {broken}"]


def keeps_all(checked: CheckedBot, transport: Transport) -> bool:
    """Whether a bot was found to use that transport and to keep all of its rules."""
    assert [verdict.message for verdict in checked.verdicts if verdict.state is not RuleState.KEPT] == []
    return checked.transport is transport and [verdict.rule for verdict in checked.verdicts] == [*rules_of(transport)]


@pytest.mark.parametrize(
    ("offer", "transport"), [(Offer.PROTOBUF, Transport.SOCKET), (Offer.GRPC, Transport.GRPC)], ids=str
)
async def test_the_kit_for_python_keeps_every_rule(offer: Offer, transport: Transport) -> None:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        checked = await check_bot(launcher_of_our_kit(), Path(directory), offer=offer, patience=PATIENCE)
    assert keeps_all(checked, transport)


async def test_a_bot_of_five_lines_keeps_every_rule(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(FIVE_LINES, encoding="utf-8")
    start = launcher_of(Command((sys.executable, str(tmp_path / "main.py")), str(tmp_path), ()))
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        checked = await check_bot(start, Path(directory), offer=Offer.LINES, patience=PATIENCE)
    assert keeps_all(checked, Transport.LINES)


@pytest.mark.needs("minutes")
@pytest.mark.parametrize("transport", Transport)
async def test_a_kit_without_defects_keeps_every_rule(transport: Transport) -> None:
    assert keeps_all(await check("", transport), transport)


@pytest.mark.parametrize("transport", Transport)
def test_a_kit_that_breaks_a_rule_is_told_of_that_rule(transport: Transport) -> None:
    reports = check_all(transport, of_all_rules=False)
    assert [line for rule in reports for line in wrongly_told(rule, reports[rule])] == []


@pytest.mark.needs("minutes")
@pytest.mark.parametrize("transport", Transport)
def test_a_kit_that_breaks_a_rule_is_told_of_no_other_in_a_report_that_has_every_rule_once(
    transport: Transport,
) -> None:
    reports = check_all(transport, of_all_rules=True)
    assert [line for rule in reports for line in wrongly_told(rule, reports[rule])] == []
    told = {rule: [verdict.rule for verdict in reports[rule]] for rule in reports if rule not in SLOW}
    # A bot that opens no stream uses neither; what is told then is what gRPC demands.
    expected = [*rules_of(transport)]
    assert [rule for rule, rules in told.items() if rules != expected and rule != "connects"] == []


async def test_a_rule_for_another_transport_that_was_asked_for_is_told_to_be_none() -> None:
    checked = await check("", Transport.LINES, "token", "reads-joined")
    assert [(verdict.rule.id, verdict.state.value, verdict.message) for verdict in checked.verdicts] == [
        ("token", "not-applicable", "this is no rule for such a bot (JSON lines)"),
        ("reads-joined", "kept", ""),
    ]


@pytest.mark.parametrize(("defect", "seen"), SEEN_OF_LINES)
async def test_what_a_bot_that_speaks_lines_did_is_told(defect: str, seen: str) -> None:
    checked = await check(defect, Transport.LINES, defect)
    assert [verdict.detail for verdict in checked.verdicts if verdict.rule.id == defect] == [seen]


async def test_of_a_bot_that_never_answers_nobody_says_that_it_ended_or_does_not_flush() -> None:
    checked = await check(SILENT, Transport.LINES, "act-answers")
    (verdict,) = checked.verdicts
    assert (verdict.rule.id, verdict.detail) == ("act-answers", "no answer to ply 3 within 1 s")


async def test_a_kit_that_thinks_long_is_not_blamed_for_an_answer_to_a_match_that_is_over() -> None:
    checked = await check(broken_kit.SLOW, Transport.GRPC, "finished-while-asked")
    assert [(verdict.rule.id, verdict.state) for verdict in checked.verdicts] == [
        ("finished-while-asked", RuleState.KEPT)
    ]


PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def test_the_page_lists_every_rule_with_its_message() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Check a kit")[2]
    entries = [(entry["id"], entry["of"], entry["kept"], entry["message"]) for entry in ENTRY.finditer(section)]
    assert entries == [
        (rule.id, scope(rule), rule.statement, f"{rule.broken} Seen: ... Remedy: {rule.remedy}") for rule in RULES
    ]


def scope(rule: Rule) -> str | None:
    """For which transports the page says that a rule is, if not for all."""
    is_for_all = len(rule.transports) == len(Transport)
    return None if is_for_all else ", ".join(NAMES[transport] for transport in rule.transports)


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
