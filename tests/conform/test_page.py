"""docs/protocol.md lists the rules with their messages, as they are in the table."""

import re
from pathlib import Path

from arena.conform.rules.table import BY_ID, RULES
from arena.conform.scenarios.catalog import BASIC, FRESH, IN_MATCHES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
ROW = re.compile(r"^\| `(?P<id>[a-z-]+)` \| (?P<kept>.*?) \| (?P<message>.*?) \|$", re.MULTILINE)


def test_the_page_lists_every_rule_with_its_message() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Check a kit")[2]
    rows = [(row["id"], row["kept"], row["message"]) for row in ROW.finditer(section)]
    assert rows == [(rule.id, rule.statement, f"{rule.broken} Seen: ... Remedy: {rule.remedy}") for rule in RULES]


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
