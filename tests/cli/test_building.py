from pathlib import Path

import pytest

from tests.cli.support import Arena, write_bot

MAKE = "open('made.py', 'w').write('x = 1')\n"
BUILD = '["python", "make.py"]'


def write_built_bot(directory: Path, make: str, **keys: str) -> Path:
    bot = write_bot(directory, build=BUILD, **keys)
    (bot / "make.py").write_text(make, encoding="utf-8")
    return bot


def test_adding_a_bot_builds_it_and_says_how(arena: Arena, tmp_path: Path) -> None:
    added = arena("bot", "add", write_built_bot(tmp_path / "a", MAKE))
    assert added.code == 0
    assert "note: building quiet with `python make.py`, as a process of your user, without a sandbox" in added.err
    (built,) = (path for path in arena.db.with_suffix(".builds").iterdir() if path.is_dir())
    assert (built / "made.py").read_text(encoding="utf-8") == "x = 1"


def test_a_built_bot_can_enter_a_match(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_built_bot(tmp_path / "a", MAKE))
    assert table("match", "run", "--game", "foreign_king", "--bots", "quiet,ada,bob").code == 0


def test_a_build_that_fails_adds_nothing_and_shows_the_end_of_its_log(arena: Arena, tmp_path: Path) -> None:
    make = "for i in range(100): print('line', i)\nprint('\\x1b[31m')\nraise SystemExit(3)\n"
    finished = arena("bot", "add", write_built_bot(tmp_path / "a", make))
    assert finished.code == 1
    assert "| line 99\n" in finished.err
    assert "| line 5\n" not in finished.err
    assert "\x1b" not in finished.err
    last = finished.err.splitlines()[-1]
    assert (
        last
        == "arena: quiet was not added: The build command `python make.py` failed (exit status 3); its log tells why."
    )
    assert arena("bot", "list").out.startswith("no bots yet")


@pytest.mark.needs("minutes")
def test_a_bot_that_lost_what_was_built_says_how_to_build_it(arena: Arena, tmp_path: Path) -> None:
    arena("bot", "add", write_built_bot(tmp_path / "a", MAKE), write_bot(tmp_path / "b", "bob"))
    for path in sorted(arena.db.with_suffix(".builds").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    said = arena.refusal("match", "run", "--game", "rex_romanorum", "--bots", "quiet,bob", code=1)
    command = said.partition("`arena bot add ")[2].partition("`")[0]
    assert arena("bot", "add", command).code == 0
    assert [path for path in arena.db.with_suffix(".builds").iterdir() if path.is_dir()]


def test_a_build_that_fails_for_want_of_a_compiler_names_the_packages(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bot = write_built_bot(tmp_path / "a", "raise SystemExit('no compiler')")
    (bot / "main.cpp").touch()
    last = arena("bot", "add", bot).err.splitlines()[-1]
    packages = "g++ make pkg-config protobuf-compiler protobuf-compiler-grpc libgrpc++-dev libprotobuf-dev"
    assert last.endswith(f". (This machine lacks what such a bot needs: apt install {packages})")
    german = arena("bot", "add", bot, "--lang", "de").err.splitlines()[-1]
    assert german.endswith(f" (Dieser Maschine fehlt, was ein solcher Bot braucht: apt install {packages})")
