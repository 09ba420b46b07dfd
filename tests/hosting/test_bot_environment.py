"""What bots find of the arena itself, compiled and without importing it, and what is to be installed for them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.util import cache_from_source
from itertools import pairwise
from pathlib import Path

import pytest

from arena.hosting.bot_environment import KIT_FILES, bot_trees, kit_places, parts_of, write_kit_cache
from arena.hosting.debian_packages import hint_in_log
from arena.hosting.manifest import BotDirectoryError, load_manifest
from arena.hosting.sample_bots import (
    kit_directory,
    sample_directory,
    template_directory,
    template_languages,
    template_protocols,
)
from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.bubblewrap import SandboxMounts, wrapper
from arena.hosting.sandbox.limits import STANDARD, SandboxLimits
from arena.worker.match_host import MatchHost
from tests.support.sources import ROOT


def test_every_module_of_the_kit_is_shown() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout tells the arena's own files from those of others")
    listed = subprocess.run(["git", "ls-files", "bots"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [Path(line).relative_to("bots") for line in listed.splitlines()]
    packages = {file.parent for file in files if file.name == "__init__.py"} - {Path("training")}  # no bot imports it
    assert sorted(KIT_FILES) == sorted(str(file) for file in files if file.parent in packages)


def test_of_an_environment_in_the_checkout_itself_only_its_own_folders_are_shown() -> None:
    here = Path("/home/me/arena")
    assert parts_of(here, [here]) == parts_of(here, [here / "src"])
    assert here not in parts_of(here, [here])
    assert here / "lib" in parts_of(here, [here])
    assert parts_of(here / ".venv", [here]) == {here / ".venv"}
    assert parts_of(here, [here / "lib" / "python3.11" / "site-packages"]) == {here}


def test_what_is_installed_beside_the_kit_in_a_shown_environment_is_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find_tool", str)
    (kit,) = kit_places()
    words = wrapper(SandboxLimits(STANDARD), SandboxMounts(tmp_path, [kit.parent]), own_uid=False)
    assert ("--tmpfs", str(kit)) in pairwise(words)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three modules, one of them broken; caches may be written, whatever the environment of the tests."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    folder = tmp_path / "kit"
    (folder / "deep").mkdir(parents=True)
    for name in ("one.py", "deep/two.py"):
        (folder / name).write_text("WHO = 'first'\n", encoding="utf-8")
    (folder / "broken.py").write_text("WHO = \n", encoding="utf-8")
    return folder


def compiled(path: Path) -> Path:
    return Path(cache_from_source(str(path)))


def test_every_module_is_compiled_so_that_python_takes_what_lies_there(package: Path) -> None:
    write_kit_cache([package])
    assert [compiled(package / name).exists() for name in ("one.py", "deep/two.py", "broken.py")] == [True, True, False]
    command = [sys.executable, "-B", "-v", "-c", "import one; print(one.WHO)"]
    ran = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
    assert ran.stdout == "first\n"
    assert f"matches {package / 'one.py'}" in ran.stderr


def test_what_has_changed_is_compiled_again_and_nothing_else(package: Path) -> None:
    write_kit_cache([package])
    os.utime(package / "one.py", ns=(0, compiled(package / "one.py").stat().st_mtime_ns + 5_000_000_000))
    before = {name: compiled(package / name).stat().st_mtime_ns for name in ("one.py", "deep/two.py")}
    os.utime(compiled(package / "deep/two.py"), ns=(0, before["deep/two.py"] + 1))
    write_kit_cache([package / "one.py", package / "deep"])
    assert compiled(package / "one.py").stat().st_mtime_ns > before["one.py"]
    assert compiled(package / "deep/two.py").stat().st_mtime_ns == before["deep/two.py"] + 1


def test_where_nothing_may_be_written_nothing_happens(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    write_kit_cache([package, package / "not-there.py"])
    assert not (package / "__pycache__").exists()


async def test_a_host_that_starts_bots_does_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr("arena.worker.bot_processes.write_kit_cache", lambda: written.append("all"))
    async with MatchHost():
        assert written == ["all"]


def test_the_kit_is_among_what_is_compiled() -> None:
    names = {path.name for path in bot_trees()}
    assert {"kit.py", "queue_stream.py", "engine", "wire"} <= names


@pytest.mark.parametrize("name", ["random", "greedy", "search"])
def test_a_sample_is_found_by_its_name(name: str) -> None:
    assert load_manifest(sample_directory(name)).name == name


def test_one_that_is_not_there_is_named_with_the_remedy() -> None:
    with pytest.raises(BotDirectoryError, match="the sample bot 'strong' is not installed; install"):
        sample_directory("strong")


def test_every_language_has_its_own_templates_which_speak_what_is_said_of_them() -> None:
    found = {language: template_protocols(language) for language in template_languages()}
    assert {"python", "node", "cpp", "go", "rust", "java", "c", "ruby", "perl", "lua", "shell"} <= set(found)
    assert found["python"] == ["protobuf", "lines"]
    for language, protocols in found.items():
        assert protocols
        assert template_directory(language) == template_directory(language, protocols[0])
        for protocol in protocols:
            directory = template_directory(language, protocol)
            assert directory.parent.name == language
            manifest = tomllib.loads((directory / "bot.toml").read_text(encoding="utf-8"))
            assert manifest.get("protocol", "protobuf") == protocol


def test_a_protocol_without_a_template_is_told_with_those_that_have_one() -> None:
    with pytest.raises(BotDirectoryError, match=r"no template for bots in 'go' with the protocol 'protobuf'; use 'li"):
        template_directory("go", "protobuf")


def test_a_language_without_a_template_is_named_with_those_that_have_one() -> None:
    with pytest.raises(BotDirectoryError, match=r"no template for bots in 'cobol'; write .*python"):
        template_directory("cobol")
    assert kit_directory("cobol") is None


def test_a_kit_lies_beside_its_template() -> None:
    assert kit_directory("node") == template_directory("node").with_name("kit")


@pytest.mark.parametrize(
    ("log", "package"),
    [
        ("sh: 1: g++: not found\nmake: *** [Makefile:3: bot] Error 127", "g++"),
        ("make: cmake: No such file or directory", "cmake"),
        ("bash: line 1: cargo: command not found", "cargo"),
        ("/bin/sh: 1: protoc: not found", "protobuf-compiler"),
        ("sh: 1: javac: not found", "default-jdk-headless"),
        ("kit.hpp:3:10: fatal error: grpcpp/grpcpp.h: No such file or directory", "libgrpc++-dev"),
        ("x.cc:1:10: fatal error: 'google/protobuf/message.h' file not found", "libprotobuf-dev"),
    ],
)
def test_a_log_that_misses_a_tool_names_its_package(log: str, package: str) -> None:
    assert f"`apt install {package}`" in hint_in_log(log)


@pytest.mark.parametrize(
    "log",
    ["", "main.cc:3: error: expected ';'", "main.cc: No such file or directory", "fatal error: mine.h: none"],
)
def test_other_logs_give_no_hint(log: str) -> None:
    assert hint_in_log(log) == ""
