"""A bot as a process of its own, as the arena starts it; it may start children, on either road."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.hosting.bot_environment import BOT_PACKAGES
from bots.preload import preload_claimed
from tests.bots.fake_arena import FakeArena, decide, serve, started
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]

BROKEN = """
from bots.kit import Bot, run

class Broken(Bot):
    def decide(self, decision):
        raise ZeroDivisionError("no idea at ply %d" % decision.ply)

run(Broken())
"""

WITHOUT = """
from grpc._cython import cygrpc
from bots.kit import Bot, run

class First(Bot):
    uses_engine = False

    def decide(self, decision):
        return decision.legal_actions[0]

{broken}
run(First())
"""

TELLING = """
import sys
from bots.kit import Bot, run

def loaded():
    return sorted({name.split(".")[2] for name in sys.modules if name.startswith("engine.games.")})

class Telling(Bot):
    uses_engine = USES
    games = GAMES

    def decide(self, decision):
        sys.stderr.write(" ".join(loaded()))
        return decision.legal_actions[0]

run(Telling())
"""
ALL = "foreign_king rex_romanorum"


@dataclass(frozen=True)
class Ended:
    status: int
    output: str


@pytest.fixture
def directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="kit") as name:
        yield Path(name)


async def start_bot(source: Path, *descriptors: int, **environment: str) -> Ended:
    """Run a bot with these descriptors to its end, which must come by itself."""
    base = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(source)),
        env={**base, "PYTHONPATH": str(ROOT), **environment},
        stderr=asyncio.subprocess.PIPE,
        pass_fds=descriptors,
    )
    try:
        _, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, errors.decode())


async def meet(
    directory: Path, source: Path, script: Callable[[FakeArena], Awaitable[None]]
) -> tuple[Ended, FakeArena]:
    async with serve(directory, script) as arena:
        ended = await start_bot(source, ARENA_ADDRESS=arena.address, ARENA_TOKEN="t0ken")
    return ended, arena


def blocks_of_the_guide() -> list[str]:
    """The Python blocks of docs/write-a-bot.md: a bot, a test of it, a bot that searches."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8"), re.DOTALL)


async def test_the_first_bot_of_the_guide_plays(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 20)
        await arena.play_match("b", 20)

    source = directory / "main.py"
    source.write_text(blocks_of_the_guide()[0])
    ended, arena = await meet(directory, source, script)
    assert ended == Ended(0, "")
    assert arena.metadata["authorization"] == "Bearer t0ken"
    assert {action for request in arena.heard for action in request.act.actions} == {0, 1, 2}


def test_the_first_bot_of_the_guide_is_under_25_lines() -> None:
    assert len(blocks_of_the_guide()[0].splitlines()) < 25


def test_the_other_examples_of_the_guide_run(directory: Path) -> None:
    first, its_test, searcher = blocks_of_the_guide()
    for name, source in {"main": first, "test_my_bot": its_test, "searcher": searcher}.items():
        (directory / f"{name}.py").write_text(source)
    code = """
from bots.kit import play_offline
from main import RandomBot
from searcher import OnePly
from test_my_bot import test_my_bot_plays_to_the_end
test_my_bot_plays_to_the_end()
for seed in (1, 2, 3):
    print(play_offline([OnePly(), RandomBot()], "foreign_king", seeds=[seed, seed + 50], chance_seed=seed).ranks)
"""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{directory}"}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (shown.stderr, shown.stdout) == ("", "(1, 2)\n" * 3)


async def test_what_decide_raises_is_shown_and_ends_the_process(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 7))
        await arena.context.read()

    source = directory / "main.py"
    source.write_text(BROKEN)
    ended, _ = await meet(directory, source, script)
    assert ended.status == 1
    assert ended.output.startswith("Traceback")
    assert ended.output.rstrip().endswith("ZeroDivisionError: no idea at ply 7")


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("del cygrpc.SendMessageOperation", "module 'grpc._cython.cygrpc' has no attribute 'SendMessageOperation'"),
        ("cygrpc.Channel = lambda: None", "<lambda>() takes 0 positional arguments but 3 were given"),
        ("cygrpc.Channel = lambda *_: 0", "'int' object has no attribute 'segregated_call'"),
    ],
    ids=["name", "channel", "call"],
)
async def test_where_grpcio_is_another_than_was_tried_the_bot_plays_by_grpc_aio_and_says_so(
    directory: Path, broken: str, why: str
) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 2)

    source = directory / "main.py"
    # grpc.aio has names of its own by then, of which the broken ones are none.
    source.write_text("import grpc.aio\n" + WITHOUT.format(broken=broken))
    async with serve(directory, script) as arena:
        ended = await start_bot(source, ARENA_ADDRESS=arena.address, ARENA_GRPC="queue")
    assert ended == Ended(0, f"grpcio's completion queue cannot be used ({why}); grpc.aio is used instead\n")
    assert len(arena.heard) == 3


@pytest.mark.parametrize(
    ("games", "manifest", "said"),
    [
        (["*"], None, ALL),
        (["*"], 'games = ["*"]', ALL),
        (["*"], 'games = ["rex_romanorum", "go"]', "rex_romanorum"),
        (["*"], '\ufeffgames = ["rex_romanorum"]', "rex_romanorum"),  # a byte-order mark, as some editors write it
        (["foreign_king"], "name = 'it'", "foreign_king"),
        (["foreign_king"], 'games = ["rex_romanorum"]', ""),
        (["*"], "no TOML", ALL),
        (["*"], "games = 3", ALL),
    ],
)
def test_the_games_that_it_may_play_are_those_that_it_and_its_manifest_claim(
    directory: Path, games: list[str], manifest: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("bots.preload._preload", loaded.append)
    monkeypatch.setenv("ARENA_BOT_DIR", str(directory))
    monkeypatch.delenv("ARENA_GAME", raising=False)
    if manifest is not None:
        (directory / "bot.toml").write_text(manifest, encoding="utf-8")
    preload_claimed(games)
    assert " ".join(loaded) == said


@pytest.mark.parametrize(
    ("manifest", "uses", "said"),
    [('games = ["rex_romanorum"]', True, "rex_romanorum"), (None, False, "")],
)
async def test_the_rules_of_all_games_that_it_may_play_are_loaded_when_it_is_asked_first(
    directory: Path, manifest: str | None, uses: bool, said: str
) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 1)

    source = directory / "main.py"
    source.write_text(TELLING.replace("USES", str(uses)).replace("GAMES", "['*']"))
    if manifest is not None:
        (directory / "bot.toml").write_text(manifest)
    async with serve(directory, script) as arena:
        where = {"ARENA_ADDRESS": arena.address, "ARENA_TOKEN": "t0ken", "ARENA_BOT_DIR": str(directory)}
        ended = await start_bot(source, **where)
    assert ended == Ended(0, said)


async def test_a_game_that_cannot_be_loaded_is_told_of_and_others_are_played(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 1)

    source = directory / "main.py"
    source.write_text(TELLING.replace("USES", "True").replace("GAMES", "['*']"))
    (directory / "broken_game.py").write_text('raise RuntimeError("no board")\n')
    (directory / "broken.dist-info").mkdir()
    (directory / "broken.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (directory / "broken.dist-info" / "entry_points.txt").write_text("[arena.games]\nbroken = broken_game\n")
    ended, _ = await meet(directory, source, script)
    assert ended == Ended(0, f"the game broken cannot be loaded: RuntimeError: no board\n{ALL}")


async def test_a_bot_started_by_hand_says_how_to_start_it() -> None:
    ended = await start_bot(ROOT / "bots" / "random" / "main.py")
    assert ended.status == 2
    assert ended.output.startswith("ARENA_ADDRESS is not set")
    assert "arena match run" in ended.output
    assert ended.output.count("\n") == 1


async def test_an_arena_that_is_not_there_is_one_line() -> None:
    ended = await start_bot(ROOT / "bots" / "random" / "main.py", ARENA_ADDRESS="unix:/nonexistent/arena.sock")
    assert ended.status == 1
    assert ended.output.splitlines()[-1].startswith("no arena answers at unix:/nonexistent/arena.sock")


@pytest.mark.parametrize("text", ["0", "-3", "many"])
def test_a_number_of_playouts_that_is_none_is_misuse(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = ROOT / "bots" / "search" / "main.py"
    monkeypatch.setattr(sys, "argv", [str(program), "--playouts", text])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(program), run_name="__main__")
    assert ended.value.code == 2
    errors = capsys.readouterr().err
    assert f"argument --playouts: {text}" in errors or "invalid" in errors


def test_the_kit_and_a_random_bot_import_no_engine_and_nothing_of_the_arena_but_its_messages() -> None:
    code = (
        "import sys, bots.kit\n"
        "print(*(name for name in sys.modules if name.startswith('arena.')))\n"
        "import bots.algorithms.uniform, bots.stream\n"
        "print(*(name for name in sys.modules if name.startswith('engine')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    of_the_arena, of_the_engine = shown.stdout.splitlines()
    assert sorted(of_the_arena.split()) == ["arena.v1", "arena.v1.match_pb2", "arena.v1.play_pb2"]
    assert of_the_engine == ""


def test_what_a_sandbox_shows_to_a_bot_suffices_to_play_offline(directory: Path) -> None:
    (directory / "arena").mkdir()
    shutil.copy(ROOT / "arena" / "__init__.py", directory / "arena")
    for package in BOT_PACKAGES:
        shutil.copytree(ROOT / package.replace(".", "/"), directory / package.replace(".", "/"))
    code = """
from bots.algorithms.uniform import RandomBot
from bots.kit import play_offline
print(sorted(play_offline([RandomBot(), RandomBot()], "foreign_king").ranks))
"""
    # Without `site`, so that the arena's own installation is not found beside the copies.
    paths = (str(directory), *{sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    shown = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, cwd=directory
    )
    assert (shown.stderr, shown.stdout) == ("", "[1, 2]\n")


_PROGRAM = """
import os
from arena.wire.completion_queue_check import prepare
prepare()
import bots.{road}
import grpc

def threads():
    return set(os.listdir("/proc/self/task"))

channel = grpc.insecure_channel("unix:/nowhere/at/all")
before = threads()
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
assert len(before) > 1
assert before <= threads(), "its threads were ended and begun again"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are looked up in /proc")
@pytest.mark.parametrize("road", ["stream", "queue_stream"])
def test_the_threads_of_grpc_outlive_the_start_of_a_child(road: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    subprocess.run([sys.executable, "-c", _PROGRAM.format(road=road)], env=environment, timeout=PATIENCE_S, check=True)
