"""The bots that `arena bot new` writes in each language that speaks lines: built, and asked in whole matches."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.bot_languages import how_to_flush, language_of
from arena.hosting.builds import Built
from arena.hosting.debian_packages import missing_packages
from arena.hosting.manifest import BotManifest, read_manifest
from arena.hosting.manifest_fields import LINES
from arena.hosting.sample_bots import template_directory, template_languages, template_protocols, write_new_bot
from tests.bots.lines_arena import LANGUAGES, join, play, running
from tests.support.builds import Workshop
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import STANDARD

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "write-a-bot.md"
GAMES = ("foreign_king", "rex_romanorum")
BUILT = ("c", "go", "java", "rust")
BLOCK = re.compile(r"```(py|c|go|java|lua|perl|ruby|rust|shell)\n(.*?)```", re.DOTALL)
LONG = 200_000


def names(parameters: Sequence[object]) -> list[str]:
    return [str(parameter.values[0]) for parameter in parameters]  # type: ignore[attr-defined]


async def prepare(language: str, directory: Path, level: str = "none") -> tuple[Workshop, str]:
    """A workshop with a new bot in that language, built if it is to be built, and its version."""
    workshop = Workshop(directory, level)
    version = workshop.programs.store.add(
        write_new_bot(directory / "fox", language, "fox", GAMES[0], LINES).directory
    ).hash
    built = await workshop.build_version(version, time_s=PATIENCE_S)
    assert isinstance(built, Built) == (language in BUILT), built
    return workshop, version


def test_every_template_that_speaks_lines_is_tried_here() -> None:
    assert sorted(names(LANGUAGES)) == [one for one in template_languages() if LINES in template_protocols(one)]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_new_bot_plays_whole_matches_legally_and_the_same_by_the_same_seed(
    language: str, tmp_path: Path
) -> None:
    workshop, version = await prepare(language, tmp_path)
    program = workshop.programs.find(version)
    (tmp_path / "scratch").mkdir()
    async with running(program.command, program.directory, tmp_path / "scratch") as bot:
        for game in GAMES:
            await join(bot, game)
            first = await play(bot, game, 5)
            await bot.tell(b'{"unheard_of":{"seed":9,"legal_actions":[1],"padding":"' + b"x" * LONG + b'"}}\n')
            assert await play(bot, game, 5) == first
            assert await play(bot, game, 6) != first
            if game == "foreign_king":  # the King stands in his portrait, as the observation says
                assert json.loads(first[0]) == "ACT_KING"
            assert len(set(first)) > 10
        ended = await bot.end()
    assert (ended.status, ended.output, ended.errors) == (0, "", "")


@pytest.mark.parametrize("level", [STANDARD])
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one.values[0] in BUILT])
async def test_a_new_bot_is_built_in_the_sandbox(language: str, level: str, tmp_path: Path) -> None:
    workshop, version = await prepare(language, tmp_path, level)
    assert Path(workshop.programs.find(version).command[-1]).parent.is_relative_to(workshop.programs.builds.root)


# What is told of a language.


@pytest.mark.parametrize("language", template_languages())
def test_the_language_of_a_template_is_known_with_its_flushing(language: str, tmp_path: Path) -> None:
    directory = write_new_bot(tmp_path / "fox", language, "fox", GAMES[0]).directory
    manifest = read_manifest(directory)
    assert language_of(manifest, directory) == language
    assert str(how_to_flush(manifest, directory)).startswith(
        "A bot that writes lines must flush each of them at once: "
    )


@pytest.mark.parametrize(
    ("words", "build", "file", "language", "flush"),
    [
        (("python3.11", "main.py"), (), "main.py", "python", "print(..., flush=True)"),
        (("/usr/bin/ruby3.1", "main.rb"), (), "main.rb", "ruby", "$stdout.flush"),
        (("lua5.4", "main.lua"), (), "main.lua", "lua", "io.stdout:flush()"),
        (("dash", "main.sh"), (), "main.sh", "shell", "awk fflush(), jq --unbuffered"),
        (("./bot",), ("cargo", "build"), "src/main.rs", "rust", "std::io::stdout().flush()"),
        (("python", "main.py"), ("make",), "fast.cpp", "cpp", "print(..., flush=True)"),
        (("./bot",), (), "bot.c", None, "otherwise the line waits in a buffer"),
        (("java", "-jar", "bot.jar"), (), "bot.jar", "java", "System.out.flush()"),
    ],
)
def test_command_build_and_sources_show_the_language(
    words: tuple[str, ...], build: tuple[str, ...], file: str, language: str | None, flush: str, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    manifest = BotManifest("fox", words, ("*",), build=build)
    assert language_of(manifest, tmp_path) == language
    assert flush in how_to_flush(manifest, tmp_path)
    assert language_of(replace(manifest, runtime="node"), tmp_path) == "node"


@pytest.mark.parametrize(
    ("language", "packages"),
    [
        ("c", ["gcc"]),
        ("go", ["golang-go"]),
        ("java", ["default-jdk-headless"]),
        ("lua", ["lua5.4"]),
        ("perl", ["perl"]),
        ("python", []),
        ("ruby", ["ruby"]),
        ("rust", ["rustc", "gcc"]),
        ("shell", ["mawk"]),
    ],
)
def test_on_a_bare_machine_the_packages_of_a_language_are_named(
    language: str, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_packages(language) == packages


def test_perl_without_its_modules_is_missing_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "perl").write_text("#!/bin/sh\nexit 2\n", encoding="ascii")
    (tmp_path / "perl").chmod(0o755)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert missing_packages("perl") == ["perl"]


SECTION = GUIDE.read_text(encoding="utf-8").partition("## 7.")[2].partition("## 8.")[0]


def test_the_guide_shows_what_the_templates_hold() -> None:
    sources = {one: _source(template_directory(one, LINES)) for one in names(LANGUAGES)}
    shown = {"python" if language == "py" else language: block for language, block in BLOCK.findall(SECTION)}
    assert shown.keys() == sources.keys()
    assert [language for language, block in shown.items() if f"\n{block}" not in sources[language]] == []


def test_the_guide_tells_how_to_flush_in_every_language(tmp_path: Path) -> None:
    told = SECTION.replace("`", "")
    for language in template_languages():
        directory = write_new_bot(tmp_path / language, language, language, GAMES[0]).directory
        code = how_to_flush(read_manifest(directory), directory).removesuffix(".").partition(": ")[2]
        assert code
        assert code in told, language


def test_the_guide_names_the_packages_of_every_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows.keys() == set(template_languages())
    for language, packages in rows.items():
        assert missing_packages(language)[:1] == re.findall(r"`(.+?)`", packages)


def _source(template: Path) -> str:
    (source,) = (path for path in template.iterdir() if path.name != "bot.toml")
    return source.read_text(encoding="utf-8")
