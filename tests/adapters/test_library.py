"""What is said where a package is not there, or is another one than an adapter was made for."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
import types
from importlib import metadata

import pytest

from arena.adapters import library
from arena.adapters.errors import LibraryError
from tests.support.sources import ROOT

REMEDY = "install it by `pip install 'kingmaker-arena[research]'`"


def test_the_extra_asks_for_the_versions_that_the_adapters_know() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for one in library.LIBRARIES.values():
        wanted = f"{one.distribution}>={one.least},<{one.below}" if one.below else f"{one.distribution}=={one.least}"
        assert wanted in extra["research"]


@pytest.mark.parametrize(
    ("module", "version", "is_known"),
    [
        ("pettingzoo", "1.26", True),
        ("pettingzoo", "1.27.3", True),
        ("pettingzoo", "1.25.9", False),
        ("pettingzoo", "2.0.0rc1", False),
        ("gymnasium", "1.10.0", True),
        ("gymnasium", "1.1.1", False),
        ("gymnasium", "unknown", False),
        ("pyspiel", "2.0.2", True),
        ("pyspiel", "2.0.3", False),
    ],
)
def test_a_version_is_known_if_the_adapter_was_made_for_it(module: str, version: str, is_known: bool) -> None:
    assert library.LIBRARIES[module].is_known(version) is is_known


def test_another_version_is_told_with_those_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "0.29.1")
    with pytest.raises(LibraryError) as told:
        library.load("gymnasium.spaces")
    assert str(told.value) == f"Gymnasium 0.29.1 is installed, and 1.2 to below 2 is needed; {REMEDY}"
    with pytest.raises(LibraryError) as told:
        library.load("pyspiel")
    assert str(told.value) == f"OpenSpiel 0.29.1 is installed, and 2.0.2 is needed; {REMEDY}"


def test_a_package_that_does_not_load_is_told_with_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(f"no lib for {name}")

    monkeypatch.setattr(metadata, "version", lambda _: "2.0.2")
    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(LibraryError) as told:
        library.load("pyspiel")
    assert str(told.value) == f"OpenSpiel 2.0.2 cannot be loaded (no lib for pyspiel); {REMEDY}"


def test_a_package_that_does_not_fit_another_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ValueError(f"{name}: numpy.dtype size changed,\n  may indicate binary incompatibility")

    monkeypatch.setattr(metadata, "version", lambda _: "1.2")
    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(LibraryError) as told:
        library.load("gymnasium")
    why = "gymnasium: numpy.dtype size changed, may indicate binary incompatibility"
    assert str(told.value) == f"Gymnasium 1.2 cannot be loaded ({why}); {REMEDY}"


@pytest.mark.parametrize("module", list(library.LIBRARIES))
def test_a_file_of_the_same_name_is_told_apart(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = library.LIBRARIES[module]
    other = types.ModuleType(module)
    other.__file__ = f"/home/ada/{module}.py"
    monkeypatch.setattr(metadata, "version", lambda _: known.least)
    monkeypatch.setitem(sys.modules, module, other)
    with pytest.raises(LibraryError) as told:
        library.load(module)
    assert str(told.value) == f"the module {module} in {other.__file__} is not {known.title}; rename it, or {REMEDY}"


def test_an_adapter_without_its_package_says_in_its_last_line_what_to_install() -> None:
    titles = {"pettingzoo": "PettingZoo", "gymnasium": "Gymnasium", "openspiel": "OpenSpiel"}
    # In a process of its own, in which no package has any metadata: so it is also where the packages are installed.
    program = (
        "import importlib, sys, traceback\n"
        "from importlib import metadata\n"
        "def version(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = version\n"
        "for adapter in sys.argv[1:]:\n"
        "    try:\n"
        "        importlib.import_module(f'arena.adapters.{adapter}')\n"
        "    except Exception as error:\n"
        "        print(traceback.format_exception(error)[-1], end='')\n"
    )
    words = [sys.executable, "-c", program, *titles]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines() == [
        f"arena.adapters.errors.LibraryError: {title} is not installed; {REMEDY}" for title in titles.values()
    ]
