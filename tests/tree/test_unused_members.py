"""Nothing of a class is kept that only tests use: the program reads each method, field and attribute of its classes.

They are told apart by their names alone, so one that is called like another one that is used counts as used: there is
no false alarm, and what is found is unused. An override is not looked at, for what it overrides is.
"""

from __future__ import annotations

import enum
import importlib
import re
from collections.abc import Iterator
from functools import cache

from tests.support.facts import Class, read_facts
from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of
from tests.tree.test_unused import looked_at, sources

WIRE = "arena.model"
"""What is below it crosses to services and clients of other versions, field by field."""
PAGES = "arena/web/templates"
KEPT = {
    "arena/adapters/features.py: Features.meanings": "for learners, which are no part of the program",
    "arena/adapters/features.py: Features.scaled": "for learners, which are no part of the program",
    "arena/cli/shared/terminal.py: EscapedStream.writelines": "without it texts would reach the stream behind it raw",
    "arena/app/ratings.py: LocalRatings.list_suspicions": "older clients call it",
    "arena/service/settings.py: SettingsSection._refuse_truth_values": "pydantic calls it",
    "arena/hosting/content.py: FileIdentity.device": "two looks are compared as wholes",
    "arena/hosting/content.py: FileIdentity.inode": "two looks are compared as wholes",
    "arena/scripting/pickling.py: _Printer.reducer_override": "pickle calls it",
    "arena/scripting/pickling.py: _ByName.reducer_override": "pickle calls it",
}
BASES_ELSEWHERE = tuple(
    f"arena.adapters.{name}"
    for name in ("gymnasium", "openspiel", "pettingzoo", "spiel_game", "spiel_observer", "spiel_state")
)
"""Modules whose classes are for packages that are not installed here: what they override cannot be seen."""


@cache
def read_names() -> frozenset[str]:
    pages = (ROOT / PAGES).rglob("*.html")
    in_pages = {name for page in pages for name in re.findall(r"\.(\w+)", page.read_text(encoding="utf-8"))}
    return frozenset(in_pages.union(*(facts_of(path).reads for path in sources().values())))


@cache
def beginnings() -> tuple[str, ...]:
    return tuple({text for path in sources().values() for text in facts_of(path).beginnings})


def is_unused(name: str) -> bool:
    return name not in read_names() and not name.startswith(("__", *beginnings()))


def is_for_others(module: str, kind: str, name: str) -> bool:
    """Whether a base has it, or it is one of an enumeration's values, or a field that crosses the wire."""
    if module in BASES_ELSEWHERE:
        return True
    found = getattr(importlib.import_module(module), kind)
    overrides = any(name in vars(base) for base in found.__mro__[1:])
    return overrides or issubclass(found, enum.Enum) or module.startswith(WIRE)


def unused_in(module: str) -> Iterator[str]:
    for kind in classes_of(module):
        for name in sorted(kind.members):
            if is_unused(name) and not is_for_others(module, kind.name, name):
                yield f"{sources()[module]}: {kind.name}.{name}"


def classes_of(module: str) -> list[Class]:
    return [kind for kind in facts_of(sources()[module]).classes if kind.is_at_top]


def test_what_a_class_has_is_used_by_the_program() -> None:
    unused = {name for module in looked_at() for name in unused_in(module)}
    report(sorted(unused - KEPT.keys()))
    report(f"{name} is used now, or gone" for name in sorted(KEPT.keys() - unused))


def test_members_are_found_and_what_reads_them() -> None:
    text = """
class Light:
    __slots__ = ("_hue",)
    size: int = 1

    def glow(self):
        self._hue, self._on = 3, True

    hue = property(lambda self: self._hue)


match lamp:
    case Light(size=1):
        getattr(lamp, "_do_" + what)(lamp.glow, "a.b")
"""
    facts = read_facts(text)
    (kind,) = facts.classes
    assert kind.members == {"__slots__", "size", "glow", "_hue", "_on", "hue"}
    assert {"size", "glow", "_hue", "a", "b", "property"} <= facts.reads
    assert not {"_on", "hue"} & facts.reads
    assert facts.beginnings == ("_do_",)
