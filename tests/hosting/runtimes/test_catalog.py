"""The runtimes of an arena: made of real virtual environments, of the Node.js of this machine and of its libraries."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import Distribution, distributions, version
from pathlib import Path

import pytest

from arena.hosting.manifest import ManifestError, load_manifest
from arena.hosting.runtimes.catalog import FileHashes, RuntimeCatalog, installed_runtimes
from arena.hosting.runtimes.inspection import arena_contents, lay_out_arena, requirements_of, version_of
from arena.hosting.runtimes.runtime import (
    SYSTEM_PATH,
    RuntimeBrokenError,
    RuntimeDefinition,
    RuntimeKind,
    RuntimeSettings,
    UnknownRuntimeError,
    parse_runtimes,
)
from tests.support.pythons import NAME, add_package, make_venv, settings_for, site_packages


@pytest.fixture(scope="module")
def clean_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that no test changes."""
    return make_venv(tmp_path_factory.mktemp("venvs") / "ml", "fakenet==1.2", "Other_Thing==0.1")


@pytest.fixture
def venv(clean_venv: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(clean_venv, tmp_path / "venv", symlinks=True))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: what lies outside the tests' own directories is read once."""
    return tmp_path_factory.mktemp("cache") / "cache"


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A program that tells a version as Node.js does."""
    program = tmp_path / "bin" / "node"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho v20.1.0\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def write_bot(directory: Path, manifest: str) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "bot.toml").write_text(f'schema = 1\nname = "b"\n{manifest}\n', encoding="utf-8")
    (directory / "main.py").touch()
    return directory


@pytest.fixture
def _bare_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing is installed that would be a runtime by itself."""
    monkeypatch.setattr("arena.hosting.runtimes.catalog.installed_runtimes", lambda _path: {})


class TestArena:
    @pytest.mark.usefixtures("_bare_system")
    def test_two_runtimes_are_always_there(self, cache: Path) -> None:
        runtimes = RuntimeCatalog(cache=cache)
        assert runtimes.names == ("arena", "bundled")
        assert len({runtime.hash for runtime in runtimes.all()}) == 2
        assert all(len(runtime.hash) == 64 for runtime in runtimes.all())
        assert [runtime.trees for runtime in runtimes.all()] == [None, None]

    def test_the_same_machine_gives_the_same_hashes(self, cache: Path, tmp_path: Path) -> None:
        first = [runtime.hash for runtime in RuntimeCatalog(cache=cache).all()]
        assert first == [runtime.hash for runtime in RuntimeCatalog(cache=cache).all()]
        assert first == [runtime.hash for runtime in RuntimeCatalog(cache=tmp_path / "other").all()]

    def test_it_tells_the_interpreter_and_the_packages_of_the_arena(self) -> None:
        contents = RuntimeCatalog().contents("arena")
        assert contents.version == sys.version.split()[0]
        assert {"grpcio", "protobuf"} <= set(contents.packages)
        assert "pytest" not in contents.packages

    def test_it_tells_the_libraries_of_the_system(self) -> None:
        if sys.platform != "linux":
            pytest.skip("the system is not Linux")
        contents = RuntimeCatalog().contents("bundled")
        assert contents.version.startswith("glibc ")
        assert (
            contents.version
            == RuntimeCatalog(parse_runtimes({"x": {"kind": "native"}}, place="")).contents("x").version
        )


class TestInstalled:
    def test_the_systems_node_is_a_runtime_that_nobody_has_to_define(self, tmp_path: Path) -> None:
        (tmp_path / "node").write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / "node").chmod(0o755)
        found = installed_runtimes(path=str(tmp_path))
        assert found == {"node": RuntimeDefinition("node", RuntimeKind.NODE, program=tmp_path / "node")}
        assert installed_runtimes(path=str(tmp_path / "nowhere")) == {}

    def test_what_the_organiser_defines_under_that_name_goes_first(self, tmp_path: Path, cache: Path) -> None:
        mine = RuntimeDefinition("node", RuntimeKind.NODE, program=tmp_path / "mine")
        assert RuntimeCatalog(RuntimeSettings({"node": mine}), cache).definition("node") is mine

    @pytest.mark.needs("node")
    def test_a_stranger_may_use_it(self, tmp_path: Path, cache: Path) -> None:
        if not installed_runtimes(SYSTEM_PATH):
            pytest.skip("Node.js of the system is not installed here")
        bot = write_bot(tmp_path / "bot", 'command = ["node", "main.mjs"]\nruntime = "node"')
        (bot / "main.mjs").touch()
        RuntimeCatalog(cache=cache).check_bot(load_manifest(bot), bot, is_stranger=True)


class TestPython:
    def test_python_is_that_of_the_virtual_environment(self, clean_venv: Path, cache: Path) -> None:
        runtime = RuntimeCatalog(settings_for(clean_venv), cache).get(NAME)
        assert runtime.places.programs["python"] == str(clean_venv / "bin" / "python")
        assert runtime.trees is not None
        assert {str(clean_venv), sys.base_prefix} - {"/usr"} <= set(runtime.trees)

    def test_no_package_of_the_arena_is_shown_but_those_for_bots(self, clean_venv: Path, cache: Path) -> None:
        trees = RuntimeCatalog(settings_for(clean_venv), cache).get(NAME).trees
        assert trees is not None
        assert not [tree for tree in trees if tree.endswith("site-packages") and not tree.startswith(str(clean_venv))]

    def test_its_packages_are_read_without_running_anything(self, venv: Path, cache: Path) -> None:
        (site_packages(venv) / "evil.pth").write_text("import evil_that_raises\n", encoding="utf-8")
        contents = RuntimeCatalog(settings_for(venv), cache).contents(NAME)
        assert contents.packages == {"fakenet": "1.2", "other-thing": "0.1"}
        assert contents.version == sys.version.split()[0]

    def test_a_package_that_changed_makes_it_a_new_runtime(self, venv: Path, cache: Path) -> None:
        before = RuntimeCatalog(settings_for(venv), cache).get(NAME).hash
        assert RuntimeCatalog(settings_for(venv), cache).get(NAME).hash == before
        add_package(venv, "fakenet", "1.3")
        assert RuntimeCatalog(settings_for(venv), cache).get(NAME).hash != before

    def test_during_a_run_it_is_looked_at_once(self, venv: Path, cache: Path) -> None:
        runtimes = RuntimeCatalog(settings_for(venv), cache)
        before = runtimes.get(NAME)
        add_package(venv, "fakenet", "1.3")
        assert runtimes.get(NAME) is before

    def test_further_directories_are_shown_and_count(self, venv: Path, tmp_path: Path, cache: Path) -> None:
        data = tmp_path / "data"
        data.mkdir()
        before = RuntimeCatalog(settings_for(venv, data), cache).get(NAME)
        assert before.trees is not None
        assert str(data) in before.trees
        (data / "net").touch()
        assert RuntimeCatalog(settings_for(venv, data), cache).get(NAME).hash != before.hash

    def test_what_is_no_virtual_environment_is_refused(self, tmp_path: Path, cache: Path) -> None:
        with pytest.raises(RuntimeBrokenError, match=f"runtime '{NAME}': {tmp_path}: is no virtual environment"):
            RuntimeCatalog(settings_for(tmp_path), cache).get(NAME)

    def test_one_without_its_interpreter_is_refused(self, venv: Path, cache: Path) -> None:
        (venv / "bin" / "python").unlink()
        (venv / "bin" / "python").symlink_to("/nowhere/python")
        with pytest.raises(RuntimeBrokenError, match="has no program bin/python that can be run"):
            RuntimeCatalog(settings_for(venv), cache).get(NAME)

    def test_one_that_uses_the_packages_of_the_system_is_refused(self, venv: Path, cache: Path) -> None:
        config = venv / "pyvenv.cfg"
        text = config.read_text(encoding="utf-8").replace("packages = false", "packages = true")
        config.write_text(text, encoding="utf-8")
        with pytest.raises(RuntimeBrokenError, match="make it without --system-site-packages"):
            RuntimeCatalog(settings_for(venv), cache).get(NAME)


class TestNode:
    def settings(self, program: Path, modules: Path | None = None) -> RuntimeSettings:
        definition = RuntimeDefinition("js", RuntimeKind.NODE, program=program, modules=modules)
        return RuntimeSettings({"js": definition})

    def add_module(self, modules: Path, name: str, version: str) -> None:
        (modules / name).mkdir(parents=True, exist_ok=True)
        text = json.dumps({"name": name, "version": version})
        (modules / name / "package.json").write_text(text, encoding="utf-8")

    def test_it_tells_the_versions_of_node_and_of_its_modules(self, node: Path, tmp_path: Path, cache: Path) -> None:
        self.add_module(tmp_path / "modules", "left", "1.0.0")
        self.add_module(tmp_path / "modules", "@org/right", "2.0.0")
        (tmp_path / "modules" / "broken").mkdir()
        (tmp_path / "modules" / "broken" / "package.json").write_text("{", encoding="utf-8")
        contents = RuntimeCatalog(self.settings(node, tmp_path / "modules"), cache).contents("js")
        assert contents.packages == {"@org/right": "2.0.0", "left": "1.0.0"}
        assert contents.version == "20.1.0"

    def test_modules_are_shown_searched_and_count(self, node: Path, tmp_path: Path, cache: Path) -> None:
        modules = tmp_path / "modules"
        self.add_module(modules, "left", "1.0.0")
        before = RuntimeCatalog(self.settings(node, modules), cache).get("js")
        assert before.environment["NODE_PATH"] == str(modules)
        assert before.trees is not None
        assert str(modules) in before.trees
        self.add_module(modules, "left", "1.0.1")
        assert RuntimeCatalog(self.settings(node, modules), cache).get("js").hash != before.hash

    def test_a_link_is_shown_with_its_target_and_nothing_around_it(
        self, node: Path, tmp_path: Path, cache: Path
    ) -> None:
        link = tmp_path / "node"
        link.symlink_to(node)
        trees = RuntimeCatalog(self.settings(link), cache).get("js").trees
        assert trees is not None
        assert {str(link), str(node)} <= set(trees)
        assert all(Path(tree).is_file() for tree in trees)

    def test_a_missing_program_or_directory_is_named(self, node: Path, tmp_path: Path, cache: Path) -> None:
        with pytest.raises(RuntimeBrokenError, match="nowhere is no program that can be run"):
            RuntimeCatalog(self.settings(tmp_path / "nowhere"), cache).get("js")
        with pytest.raises(RuntimeBrokenError, match=r"there is no directory .*/nowhere"):
            RuntimeCatalog(self.settings(node, tmp_path / "nowhere"), cache).get("js")


class TestChecks:
    """What a bot is told that names a runtime."""

    def refusal(self, bot: Path, runtimes: RuntimeCatalog, *, is_stranger: bool = False) -> str:
        with pytest.raises((ManifestError, UnknownRuntimeError)) as caught:
            runtimes.check_bot(load_manifest(bot), bot, is_stranger=is_stranger)
        return str(caught.value).removeprefix(f"{bot}/bot.toml: ")

    @pytest.mark.usefixtures("_bare_system")
    def test_an_unknown_one_is_refused_with_the_known_ones(self, tmp_path: Path, clean_venv: Path, cache: Path) -> None:
        bot = write_bot(tmp_path / "bot", 'command = ["python", "main.py"]\nruntime = "pyton-ml"')
        assert self.refusal(bot, RuntimeCatalog(settings_for(clean_venv), cache)) == (
            "runtime is 'pyton-ml', and this arena knows 'arena', 'bundled', 'python-ml'; did you mean 'python-ml'?"
        )

    @pytest.mark.usefixtures("_bare_system")
    def test_node_is_refused_with_its_package_where_it_is_not_installed(
        self, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        bot = write_bot(tmp_path / "bot", 'command = ["node", "main.mjs"]\nruntime = "node"')
        assert self.refusal(bot, RuntimeCatalog(cache=cache)).endswith(
            "Node.js is not installed where it runs: apt install nodejs"
        )

    @pytest.mark.usefixtures("_bare_system")
    def test_a_node_that_is_not_the_systems_is_named_with_how_it_is_defined(
        self, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "node").touch(mode=0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        bot = write_bot(tmp_path / "bot", 'command = ["node", "main.mjs"]\nruntime = "node"')
        assert self.refusal(bot, RuntimeCatalog(cache=cache)).endswith(
            f"{tmp_path}/node is not the system's; define it as [runtimes.node], or apt install nodejs"
        )

    @pytest.mark.parametrize("is_stranger", [False, True])
    def test_python_of_the_runtime_is_taken(
        self, tmp_path: Path, clean_venv: Path, cache: Path, is_stranger: bool
    ) -> None:
        bot = write_bot(tmp_path / "bot", f'command = ["python", "main.py"]\nruntime = "{NAME}"')
        RuntimeCatalog(settings_for(clean_venv), cache).check_bot(load_manifest(bot), bot, is_stranger=is_stranger)

    def test_a_program_that_the_runtime_does_not_have_is_refused(
        self, tmp_path: Path, clean_venv: Path, cache: Path
    ) -> None:
        bot = write_bot(tmp_path / "bot", f'command = ["no-such"]\nruntime = "{NAME}"')
        said = self.refusal(bot, RuntimeCatalog(settings_for(clean_venv), cache))
        assert said == "the program 'no-such' is neither in the directory nor a program of runtime 'python-ml'"

    def test_a_native_bot_brings_its_program(self, tmp_path: Path, cache: Path) -> None:
        bot = write_bot(tmp_path / "bot", 'command = ["./bot"]\nruntime = "c"')
        runtimes = RuntimeCatalog(parse_runtimes({"c": {"kind": "native"}}, place=""), cache)
        assert self.refusal(bot, runtimes) == "runtime is 'c', and there is no file './bot' in the directory"

    def test_one_that_is_built_has_its_program_later(self, tmp_path: Path, cache: Path) -> None:
        bot = write_bot(tmp_path / "bot", 'command = ["./bot"]\nbuild = ["make"]\nruntime = "bundled"')
        RuntimeCatalog(cache=cache).check_bot(load_manifest(bot), bot, is_stranger=True)

    def test_memory_of_strangers_is_capped_in_every_runtime(
        self, tmp_path: Path, clean_venv: Path, cache: Path
    ) -> None:
        bot = write_bot(tmp_path / "bot", f'command = ["python"]\nruntime = "{NAME}"\nmemory_mb = 9999')
        said = self.refusal(bot, RuntimeCatalog(settings_for(clean_venv), cache), is_stranger=True)
        assert said.startswith("memory_mb is 9999")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "lib" / "__pycache__").mkdir(parents=True)
    (tree / "lib" / "a.py").write_text("a", encoding="utf-8")
    (tree / "b").write_text("b", encoding="utf-8")
    (tree / "link").symlink_to("b")
    return tree


def hash_of(tree: Path, memory: Path | None = None) -> str:
    hashes = FileHashes(memory)
    found = hashes.hash_all({"tree": tree})
    hashes.save()
    return found


def turn(link: Path) -> None:
    link.unlink()
    link.symlink_to("lib")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda tree: (tree / "b").write_text("c", encoding="utf-8"),
    "mode": lambda tree: (tree / "b").chmod(0o700),
    "name": lambda tree: (tree / "b").rename(tree / "c"),
    "place": lambda tree: (tree / "lib" / "a.py").rename(tree / "a.py"),
    "a new file": lambda tree: (tree / "lib" / "new").touch(),
    "a missing file": lambda tree: (tree / "b").unlink(),
    "a link": lambda tree: turn(tree / "link"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("remembers", [True, False])
def test_any_change_makes_another_hash(
    tree: Path, tmp_path: Path, change: Callable[[Path], object], remembers: bool
) -> None:
    memory = tmp_path / "memory.json" if remembers else None
    before = hash_of(tree, memory)
    change(tree)
    assert hash_of(tree, memory) != before


def test_a_change_of_equal_size_at_the_same_instant_is_seen(tree: Path, tmp_path: Path) -> None:
    before, facts = hash_of(tree, tmp_path / "memory.json"), (tree / "b").stat()
    (tree / "b").write_text("x", encoding="utf-8")
    os.utime(tree / "b", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert hash_of(tree, tmp_path / "memory.json") != before


def test_equal_content_elsewhere_and_at_another_time_has_the_same_hash(tree: Path, tmp_path: Path) -> None:
    before = hash_of(tree)
    os.utime(tree / "b", (1, 1))
    tree.rename(tmp_path / "moved")
    assert hash_of(tmp_path / "moved") == before


def test_what_is_compiled_does_not_count(tree: Path) -> None:
    before = hash_of(tree)
    (tree / "lib" / "__pycache__" / "a.pyc").touch()
    assert hash_of(tree) == before


def test_a_file_that_stayed_as_it_was_is_not_read_again(tree: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    before = hash_of(tree, memory)
    remembered = memory.read_text(encoding="ascii")
    memory.write_text(remembered.replace("0", "1"), encoding="ascii")
    assert memory.read_text(encoding="ascii") != remembered
    hash_of(tree, memory)
    assert memory.read_text(encoding="ascii") == remembered
    # The other way round: what the memory says of an unchanged file is believed.
    one = remembered.rindex('"', 0, remembered.rindex('"'))
    memory.write_text(f"{remembered[: one + 1]}{'0' * 64}{remembered[one + 65 :]}", encoding="ascii")
    assert hash_of(tree, memory) != before


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}', '{"a": [1]}'])
def test_a_damaged_memory_is_none(tree: Path, tmp_path: Path, damage: str) -> None:
    memory = tmp_path / "memory.json"
    memory.write_text(damage, encoding="ascii")
    assert hash_of(tree, memory) == hash_of(tree)


def test_without_a_place_to_remember_it_works_too(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert hash_of(tree, tmp_path / "file" / "memory.json") == hash_of(tree)


def test_what_is_not_there_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(RuntimeBrokenError, match="nowhere: cannot be read"):
        hash_of(tmp_path / "nowhere")


INSTALLED = {name: one for one in distributions() if (name := one.metadata["Name"])}


def check(distribution: Distribution) -> None:
    assert version_of(distribution) == distribution.version
    assert list(requirements_of(distribution)) == (distribution.requires or [])


def test_every_installed_package_is_read_as_the_standard_library_reads_it() -> None:
    assert {"grpcio", "protobuf"} <= set(INSTALLED)
    for one in INSTALLED.values():
        check(one)


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("new-1.0.dist-info", {"METADATA": "Name: new\nVersion: 1.0\n\nVersion: 2.0\nRequires-Dist: nothing\n"}),
        ("old-1.0.egg-info", {"PKG-INFO": "Name: old\nVersion: 1.0\n", "requires.txt": "one\ntwo>=2\n"}),
    ],
)
def test_neither_a_description_nor_an_old_form_deceives(tmp_path: Path, folder: str, files: dict[str, str]) -> None:
    (tmp_path / folder).mkdir()
    for name, text in files.items():
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    (one,) = distributions(path=[str(tmp_path)])
    check(one)


def test_it_holds_the_interpreter_of_the_arena_and_what_bots_need_of_its_packages() -> None:
    found = arena_contents(RuntimeDefinition("arena", RuntimeKind.ARENA))
    assert found.version == platform.python_version()
    assert found.packages["grpcio"] == version("grpcio")


def test_what_a_process_adds_to_its_path_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = RuntimeDefinition("arena", RuntimeKind.ARENA)
    before = arena_contents(definition), lay_out_arena(definition).facts
    for name in ("colorama", "grpcio"):  # Ray brings some such packages with it
        (tmp_path / f"{name}-99.0.dist-info").mkdir()
        (tmp_path / f"{name}-99.0.dist-info" / "METADATA").write_text(
            f"Name: {name}\nVersion: 99.0\n", encoding="utf-8"
        )
    monkeypatch.syspath_prepend(tmp_path)
    assert version("grpcio") == "99.0"
    assert (arena_contents(definition), lay_out_arena(definition).facts) == before


def notes(directory: Path, cache: Path, manifest: str = 'command = ["python", "main.py"]') -> list[str]:
    write_bot(directory, manifest)
    return [*map(str, RuntimeCatalog(cache=cache).notes_on_packages(load_manifest(directory), directory))]


LISTED = """
# what it needs
grpcio>=1.76
Kingmaker_Arena
numpy_x[extra] ~= 2.0  # fast
copied
own-module
Torch-X
pywin32; sys_platform == "win32"
-r more.txt
git+https://example.org/some
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_of_packages_that_nothing_installs_is_told(encoding: str, tmp_path: Path, cache: Path) -> None:
    bot = tmp_path / "bot"
    write_bot(bot, "")
    (bot / "requirements.txt").write_text(LISTED, encoding=encoding)
    (bot / "Copied-1.0.dist-info").mkdir()
    (bot / "own_module").mkdir()
    (note,) = notes(bot, cache)
    assert note.startswith(
        "requirements.txt names numpy_x, Torch-X, and nothing installs what runtime 'arena' does not"
    )
    assert "run `pip install --target . -r requirements.txt` in the bot's directory" in note
    assert notes(bot, cache, 'command = ["python", "main.py"]\nbuild = ["make"]') == []


def test_a_list_of_modules_for_node_is_told_too(tmp_path: Path, cache: Path) -> None:
    bot = tmp_path / "bot"
    write_bot(bot, "")
    lists = {"left": "1", "@org/right": "2", "../..": "3", "a\0b": "4", "none": "5"}
    (bot / "package.json").write_text(json.dumps({"dependencies": lists}), encoding="utf-8")
    (bot / "node_modules" / "left").mkdir(parents=True)
    (note,) = notes(bot, cache)
    assert note.startswith("package.json names @org/right, none, and nothing installs")
    assert "run `npm install` in" in note
    for text in ("", "[]", "{", "[" * 100_000, '{"dependencies": [1]}', '{"devDependencies": {"left": "1"}}'):
        (bot / "package.json").write_text(text, encoding="utf-8")
        assert notes(bot, cache) == []


def test_what_is_no_list_is_none(tmp_path: Path, cache: Path) -> None:
    bot = tmp_path / "bot"
    write_bot(bot, "")
    (bot / "requirements.txt").symlink_to("/etc/passwd")
    (bot / "package.json").write_bytes(b"\xff\xfe\xff")
    assert notes(bot, cache) == []
