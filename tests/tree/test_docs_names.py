"""What the documents name is there: keys of `bot.toml`, modules, functions, attributes, reasons of errors."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.adapters.errors import LibraryError
from arena.hosting.manifest import load_manifest, parse_manifest
from arena.hosting.manifest_fields import KEYS
from bots.kit import Bot, Decision, Match
from bots.offline import OfflineMatch
from engine.abilities import Playable
from engine.core import State
from tests.support.sources import ROOT, sources_below, tree_of

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
GUIDE = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|", re.MULTILINE)
PACKAGES = ("arena", "bots", "engine", "ratings", "benchmarks")
DOTTED = re.compile(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\(\))?`")
IMPORT = re.compile(rf"^from ((?:{'|'.join(PACKAGES)})[\w.]*) import ([\w, ]+)$", re.MULTILINE)
NO_MODULES = {"arena.db", "arena.log", "arena.toml"}
"""Files of an organiser that look like modules."""
TOLD = {"decision": Decision, "match": Match | OfflineMatch, "playable": Playable, "state": State, "Bot": Bot}
TOLD_NAME = re.compile(rf"`({'|'.join(TOLD)})\.(\w+)")


def keys_of_the_guide() -> dict[str, str]:
    """What the table of the keys of bot.toml says of each: what holds without it."""
    section = GUIDE.partition("### Every key of bot.toml")[2].partition("\n## ")[0]
    return dict(ROW.findall(section))


def test_the_table_of_the_keys_of_bot_toml_has_every_key() -> None:
    assert list(keys_of_the_guide()) == list(KEYS)


def test_what_holds_without_a_key_is_what_the_table_says() -> None:
    least = {"schema": 1, "name": "my-bot", "command": ["./my-bot"]}
    manifest = parse_manifest(least, place="here").to_json()
    for key, text in keys_of_the_guide().items():
        if text == "needed":
            assert key in least
        elif text.startswith("`"):
            assert tomllib.loads(f"value = {text.strip('`')}")["value"] == manifest[key]
        else:
            assert key not in manifest


@pytest.mark.parametrize("block", re.findall(r"```toml\n(schema = .*?)```", GUIDE, re.DOTALL))
def test_a_bot_toml_of_the_guide_is_read(tmp_path: Path, block: str) -> None:
    (tmp_path / "bot.toml").write_text(block, encoding="utf-8")
    (tmp_path / "main.py").touch()
    assert load_manifest(tmp_path).name == "my-bot"


def named() -> Iterator[tuple[str, str]]:
    """Each dotted name in a document, with the document."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        yield from ((path.name, name) for name in DOTTED.findall(text) if name not in NO_MODULES)
        for module, names in IMPORT.findall(text):
            yield from ((path.name, f"{module}.{name.strip()}") for name in names.split(","))


@pytest.mark.parametrize("name", sorted({name for _, name in named()}))
def test_a_name_that_a_document_gives_is_there(name: str) -> None:
    assert exists(name), [document for document, other in named() if other == name]


def exists(name: str) -> bool:
    """Whether it is a module, something in one, or a message of the wire."""
    if re.fullmatch(r"arena(\.games\.\w+)?\.v1\.\w+(\.\w+|/\w+)?", name.replace("_pb2", "")):
        package, _, message = name.partition(".v1.")
        texts = [
            file.read_text("utf-8") for file in (ROOT / "proto" / package.replace(".", "/") / "v1").glob("*.proto")
        ]
        return any(re.search(rf"\b{message.split('.')[0]}\b", text) for text in texts)
    parts = name.split(".")
    if parts[0] == "benchmarks":  # which no test imports
        place = ROOT / "/".join(parts)
        return place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        except LibraryError:  # an adapter, whose package is not installed here, or a name in one
            file = ROOT / f"{'/'.join(parts[:length])}.py"
            if not file.is_file():
                continue
            return set(parts[length:]) <= defined_in(file)
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def defined_in(path: Path) -> set[str]:
    """The names that a module gives itself: what it defines, assigns and imports."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    defined = {name for node in body if (name := getattr(node, "name", ""))}
    assigned = {node.id for node in ast.walk(ast.Module(body, [])) if isinstance(node, ast.Name)}
    imported = {alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return defined | assigned | imported


@pytest.mark.parametrize(("what", "name"), sorted(set(TOLD_NAME.findall(GUIDE))))
def test_what_the_guide_says_of_a_decision_is_there(what: str, name: str) -> None:
    kinds = getattr(TOLD[what], "__args__", (TOLD[what],))
    assert any(name in dir(kind) or name in getattr(kind, "__annotations__", ()) for kind in kinds)


def reasons_in(folder: str) -> set[str]:
    """The reasons of the errors with which a stream ends, as the sources have them."""
    calls = (node for path in sources_below(folder) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call))
    made = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "StreamError")
    reasons = (call.args[1] for call in made if len(call.args) > 1)
    return {reason.value for reason in reasons if isinstance(reason, ast.Constant) and isinstance(reason.value, str)}


@pytest.mark.parametrize(("folder", "page"), [("arena/referee", "protocol.md"), ("arena/remote", "remote-bots.md")])
def test_every_reason_for_which_a_stream_ends_is_in_the_documents(folder: str, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    reasons = reasons_in(folder)
    assert reasons
    assert {reason for reason in reasons if f"`{reason}`" not in text} == set()
