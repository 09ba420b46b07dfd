"""Names the test files that a change touches, one a line: `python -m tools.changed_tests [BASE]`.

The change is what differs from the commit BASE; without it from the last commit, or if nothing does, that commit.
It touches the tests in it, the folder of tests for each of its files, and whatever imports one of them, through other
modules as well: also in a function, in a conftest.py, or by a name in quotes such as `"arena.worker"`. Any file counts
as imported where its name stands in quotes, and in a test anywhere. The tests of the tree look at all files.

What a test reaches in another way is not seen, such as a command that it runs: `make test` remains what decides.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.facts import read_facts
from tests.support.sources import ROOT, imported_module, module_of, modules_below

TOPS = ("arena", "benchmarks", "bots", "engine", "examples", "ratings", "tests", "tools")
CONFIGURING = (Path("pyproject.toml"), Path("requirements"))
"""What may change the outcome of every test."""
NEARLY_ALL = 0.8
"""The share of the test files from which on all of them are named."""
_AT_THE_TOP = "examples.game_connect_four."  # what pytest finds without this beginning (`pythonpath` in pyproject.toml)
_TREE = Path("tests/tree")
_FOR_ALL = (Path("tests/__init__.py"), Path("tests/conftest.py"))
"""Every run loads what they import, so that a fault there needs no test of its own to be seen."""
_NAMED = re.compile(rf"""["']((?:{"|".join(TOPS)})(?:\.\w+)+)""")
_COMMON = frozenset({"__init__.py", "__main__.py", "conftest.py", "main.py"})
"""Names of files that say nothing of which file it is."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the touched test files, and return 0; 1 with a line on standard error if git cannot tell the change."""
    parser = argparse.ArgumentParser(prog="python -m tools.changed_tests")
    parser.add_argument("base", nargs="?", metavar="BASE", help="the commit from which to look for changes")
    try:
        changed = changed_files(ROOT, parser.parse_args(arguments).base)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"git cannot tell what has changed: {error.stderr.strip().partition(chr(10))[0]}\n")
        return 1
    sys.stdout.write("".join(f"{path}\n" for path in touched_tests(ROOT, changed)))
    return 0


def changed_files(root: Path, base: str | None = None) -> set[Path]:
    """Return what differs from a commit, with files that git does not know yet, or else what the last commit changed.

    Raises CalledProcessError.
    """
    differing = _git(root, "diff", "--name-only", "--no-renames", "-z", base or "HEAD")
    differing |= _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    is_asked = bool(differing) or base is not None
    return differing if is_asked else _git(root, "diff", "--name-only", "--no-renames", "-z", "HEAD~1")


def _git(root: Path, *words: str) -> set[Path]:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return {Path(name) for name in done.stdout.split("\0") if name}


def touched_tests(root: Path, changed: Iterable[Path]) -> list[Path]:
    """Return the test files that a change of these files touches, in order; all paths are from `root`."""
    texts = {path: (root / path).read_text("utf-8") for path in modules_below(root, TOPS).values()}
    tests, changed = set(filter(_is_test, texts)), set(changed)
    if any(path.is_relative_to(place) for path in changed for place in CONFIGURING):
        return sorted(tests)
    users = _users(texts, changed)
    found = changed.union(*(_concerned(path, texts) for path in changed))
    waiting = list(found)
    while waiting:
        using = users[waiting.pop()] - found
        found |= using
        waiting += using
    touched = {path for path in tests if path in found or (changed and path.is_relative_to(_TREE))}
    return sorted(touched if len(touched) < NEARLY_ALL * len(tests) else tests)


def _is_test(path: Path) -> bool:
    return path.parts[0] == "tests" and path.name.startswith("test_")


def _users(texts: Mapping[Path, str], changed: Iterable[Path]) -> defaultdict[Path, set[Path]]:
    """Return which files import a file, by the file that they import."""
    # A module that was removed is still imported by whoever was forgotten.
    known = {module_of(path): path for path in (*texts, *changed) if path.suffix == ".py"}
    known |= {name.removeprefix(_AT_THE_TOP): path for name, path in known.items()}
    users: defaultdict[Path, set[Path]] = defaultdict(set)
    for path, text in texts.items():
        used: set[Path] = set()
        if path not in _FOR_ALL:
            with suppress(SyntaxError):  # the tests of the file will tell
                imports = (imported_module(one, known) for one in read_facts(text, outline=True).imports)
                used = {known[name] for name in imports if name is not None}
            for name in _NAMED.findall(text):  # the modules that stand in quotes
                while name and name not in known:
                    name = name.rpartition(".")[0]
                used |= {known[one] for one in (name, f"{name}.__main__") if one in known}
        for folder in path.parents:  # what is executed before it: its packages, and what belongs to all tests there
            used |= {folder / "__init__.py", *([folder / "conftest.py"] if _is_test(path) else [])}
        for file in used:
            users[file].add(path)
    return users


def _concerned(changed: Path, texts: Mapping[Path, str]) -> Iterator[Path]:
    """Yield the tests in the folder for a changed file, or for the next folder around it, and what has its name."""
    parts = changed.parts[1:] if changed.parts[0] == "arena" else changed.parts
    folders = [Path("tests", *parts[:length]) for length in range(len(parts) - 1, 0, -1)]
    beside = next((folder for folder in folders if folder / "__init__.py" in texts), None)
    for path, text in texts.items():
        if (beside and _is_test(path) and path.is_relative_to(beside)) or _mentions(text, path, changed):
            yield path


def _mentions(text: str, path: Path, changed: Path) -> bool:
    """Return whether the name of a changed file stands in a text, which must be in quotes outside of tests."""
    name = changed.name
    if name in _COMMON or name not in text:
        return False
    return (_is_test(path) and changed.suffix != ".py") or f'{name}"' in text or f"{name}'" in text


if __name__ == "__main__":
    sys.exit(main())
