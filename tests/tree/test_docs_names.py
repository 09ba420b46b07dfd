"""What the documents name is there: keys of `bot.toml`, modules, functions, attributes, reasons of errors."""

from __future__ import annotations

import importlib
import re
import tomllib
from functools import cache
from pathlib import Path

from tests.support.reporting import report
from tests.support.sources import ROOT, facts_of, sources_below, text_of
from tests.tree.test_docs import documents

GUIDE = ROOT / "docs/write-a-bot.md"
KEY = re.compile(r"^- \*\*`(\w+)`\*\* \((?:default:? )?([^)]+)\): ", re.MULTILINE)
"""An entry of the list of keys: the key, and its default or `required`."""
PACKAGES = ("arena", "bots", "engine", "ratings", "benchmarks")
DOTTED = re.compile(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\(\))?`")
IMPORT = re.compile(rf"^from ((?:{'|'.join(PACKAGES)})[\w.]*) import ([\w, ]+)$", re.MULTILINE)
NO_MODULES = {"arena.db", "arena.log", "arena.toml"}
"""Files of an organiser that look like modules."""
TOLD = ("decision", "match", "playable", "state", "Bot")
"""What the guide calls the values that a bot is given, and the class of bots."""
TOLD_NAME = re.compile(rf"`({'|'.join(TOLD)})\.(\w+)")


def keys_of_the_guide() -> dict[str, str]:
    """What the list of the keys of bot.toml says of each: what holds without it."""
    section = documents()[GUIDE].partition("### Every key of bot.toml")[2].partition("\n## ")[0]
    return dict(KEY.findall(section))


def test_the_list_of_the_keys_of_bot_toml_has_every_key() -> None:
    from arena.hosting.manifest_fields import KEYS

    assert list(keys_of_the_guide()) == list(KEYS)


def test_what_holds_without_a_key_is_what_the_list_says() -> None:
    from arena.hosting.manifest import parse_manifest

    least = {"schema": 1, "name": "my-bot", "command": ["./my-bot"]}
    manifest = parse_manifest(least, place="here")
    for key, text in keys_of_the_guide().items():
        if text == "required":
            assert key in least
        elif text.startswith("`"):
            value = tomllib.loads(f"value = {text.strip('`')}")["value"]
            assert (tuple(value) if isinstance(value, list) else value) == getattr(manifest, key)
        else:
            assert not getattr(manifest, key)


def test_a_bot_toml_of_the_guide_is_read(tmp_path: Path) -> None:
    from arena.hosting.manifest import load_manifest

    blocks = re.findall(r"```toml\n(schema = .*?)```", documents()[GUIDE], re.DOTALL)
    assert blocks
    (tmp_path / "main.py").touch()
    for block in blocks:
        (tmp_path / "bot.toml").write_text(block, encoding="utf-8")
        assert load_manifest(tmp_path).name == "my-bot", block


@cache
def named() -> dict[str, set[str]]:
    """Each dotted name in the documents, with the documents that give it."""
    found: dict[str, set[str]] = {}
    for path, text in documents().items():
        names = [name for name in DOTTED.findall(text) if name not in NO_MODULES]
        for module, imported in IMPORT.findall(text):
            names += [f"{module}.{name.strip()}" for name in imported.split(",")]
        for name in names:
            found.setdefault(name, set()).add(path.name)
    return found


def test_a_name_that_a_document_gives_is_there() -> None:
    assert len(named()) > 60
    report({name: places for name, places in named().items() if not exists(name)})


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
    splits = range(len(parts), 0, -1)
    return any(is_defined(Path(*parts[:length]), parts[length:]) for length in splits) or is_found(parts)


def is_defined(module: Path, names: list[str]) -> bool:
    """Whether the file of a module says that it has something: itself, what it names, or a member of its classes."""
    file = next((one for one in (module.with_suffix(".py"), module / "__init__.py") if (ROOT / one).is_file()), None)
    if file is None:
        return False
    facts = facts_of(file)
    named = {one.name for one in facts.definitions} | {one.bound for one in facts.imports if one.at_load}
    members = {(kind.name, name) for kind in facts.classes if kind.is_at_top for name in kind.members}
    return not names or (names[0] in named and (len(names) == 1 or tuple(names) in members))


def is_found(parts: list[str]) -> bool:
    """Whether something is there once its module is imported: it is inherited, or made at load."""
    from arena.adapters.library import LibraryError

    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        except LibraryError:  # an adapter, whose package is not installed here
            return False
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_what_the_guide_says_of_a_decision_is_there() -> None:
    from bots.kit import Bot, Decision, Match
    from bots.offline import OfflineMatch
    from engine.abilities import Playable
    from engine.core import State

    classes = ((Decision,), (Match, OfflineMatch), (Playable,), (State,), (Bot,))
    known = {
        what: {name for kind in kinds for name in (*dir(kind), *getattr(kind, "__annotations__", ()))}
        for what, kinds in zip(TOLD, classes, strict=True)
    }
    told = sorted(set(TOLD_NAME.findall(documents()[GUIDE])))
    assert told
    report(f"{what}.{name}" for what, name in told if name not in known[what])


def reasons_in(folder: str) -> set[str]:
    """The reasons of the errors with which a stream ends, as the sources have them."""
    made = (one for path in sources_below(folder) for one in facts_of(path).reasons)
    return {reason for kind, reason in made if kind == "stream_error"}


def test_every_reason_for_which_a_stream_ends_is_in_the_documents() -> None:
    for folder, page in (("arena/referee", "docs/protocol.md"), ("arena/remote", "docs/remote-bots.md")):
        reasons = reasons_in(folder)
        assert reasons, folder
        text = text_of(Path(page))
        report(f"{page}: {reason}" for reason in sorted(reasons) if f"`{reason}`" not in text)
