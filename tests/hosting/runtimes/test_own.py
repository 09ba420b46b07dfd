"""The runtime `arena`: what is read of its packages is what the standard library reads."""

import platform
from importlib.metadata import Distribution, distributions, version
from pathlib import Path

import pytest

from arena.hosting.runtimes.own import contents, lay_out, requirements_of, version_of
from arena.hosting.runtimes.settings import RuntimeDefinition, RuntimeKind

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
    found = contents(RuntimeDefinition("arena", RuntimeKind.ARENA))
    assert found.version == platform.python_version()
    assert found.packages["grpcio"] == version("grpcio")


def test_what_a_process_adds_to_its_path_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = RuntimeDefinition("arena", RuntimeKind.ARENA)
    before = contents(definition), lay_out(definition).facts
    for name in ("colorama", "grpcio"):  # Ray brings some such packages with it
        (tmp_path / f"{name}-99.0.dist-info").mkdir()
        (tmp_path / f"{name}-99.0.dist-info" / "METADATA").write_text(
            f"Name: {name}\nVersion: 99.0\n", encoding="utf-8"
        )
    monkeypatch.syspath_prepend(tmp_path)
    assert version("grpcio") == "99.0"
    assert (contents(definition), lay_out(definition).facts) == before
