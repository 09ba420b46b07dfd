"""The English sentences in the sources, as far as they stand there: what is filled in later is a place."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from tests.support.sources import GENERATED, sources_below, statements_of, text_of

TOPS = ("arena", "engine", "ratings")
PLACE = "\x00"
"""Stands in a sentence for what is filled in."""
INWARD = (
    *GENERATED,
    "arena/adapters",
    "arena/rpc/mirror.py",
    "arena/api.py",
    "arena/executor",
    "arena/hosting/pipes.py",
    "arena/hosting/launcher",
    "arena/hosting/procfs",
    "arena/hosting/sandbox/inside",
    "arena/match/time_control.py",
    "arena/referee",
    "arena/scripting",
    "arena/web/people",
    "arena/wire",
    "arena/worker",
    "ratings/ledger/tournaments.py",
    "ratings/statistics",
)
"""What is raised there tells programmers of a mistake, or is told in other words where it reaches a person."""
_NEWS = {"Note", "failed", "noted", "passed", "skipped"}
"""What makes a piece of news of a bridge, or what a check found."""
_MAY_TELL = re.compile(rf"\braise\b|\b({'|'.join(sorted(_NEWS))})\(")
"""Stands in every file that is worth parsing."""
_INWARD_ERRORS = {
    "AssertionError",
    "AttributeError",
    "ConformanceError",
    "FactError",
    "GameOverError",
    "IllegalActionError",
    "InvariantError",
    "KeyError",
    "LookupError",
    "PositionError",
    "RecordError",
    "ScriptError",
    "TypeError",
    "ValueError",
    "WeightsFileError",
}


@dataclass(frozen=True, slots=True)
class Said:
    """One place in the sources that makes a text."""

    where: str
    template: str
    parts: Sequence[str]


@cache
def said_texts() -> Sequence[Said]:
    """Return every text that the sources say; their templates are literals."""
    return [
        _said(path, node)
        for path in sources_below(*TOPS)
        if "from engine.text import" in text_of(path) or "class Text(str)" in text_of(path)
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Text"
    ]


def _said(path: Path, call: ast.Call) -> Said:
    (template,) = map(str, map(ast.literal_eval, call.args))
    return Said(f"{path}:{call.lineno}", template, [str(word.arg) for word in call.keywords])


def places_of(template: str) -> set[str]:
    """Return the names of the places of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def raised_sentences() -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each sentence that is raised, or told as news, where it may reach a person."""
    for path in sources_below(*TOPS):
        if not str(path).startswith(INWARD) and _MAY_TELL.search(text_of(path)):
            for node in statements_of(path):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and not _is_inward(node.exc):
                    yield from _raised(path, node.exc)
                elif isinstance(node, ast.Expr | ast.Return | ast.Assign):
                    yield from _told_as_news(path, node)


def _told_as_news(path: Path, statement: ast.stmt) -> Iterator[tuple[str, str]]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NEWS:
            yield from _raised(path, node)


def _raised(path: Path, call: ast.Call) -> Iterator[tuple[str, str]]:
    for argument in [*call.args, *(word.value for word in call.keywords)]:
        for text in _texts(argument):
            if " " in text.replace(PLACE, "").strip():
                yield str(path), text


def _is_inward(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _INWARD_ERRORS or name == "unknown"


def _texts(node: ast.expr) -> list[str]:
    """Return what an expression says; more than one text if it chooses, none if it is made elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else PLACE for part in node.values)]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [left + right for left, right in product(_texts(node.left), _texts(node.right))]
    return []
