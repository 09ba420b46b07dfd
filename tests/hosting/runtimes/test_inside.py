"""That a bot really runs in the runtime it names, at every level of the sandbox."""

import asyncio
import json
import os
import shutil
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeDefinition, RuntimeKind, RuntimeSettings
from arena.hosting.sandbox.levels import BotProgram, start_confined
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.spec import program_seat
from arena.worker.host import MatchHost
from tests.support.patience import PATIENCE_S
from tests.support.pythons import NAME, lend_grpc, make_venv, settings_for
from tests.support.sandboxes import REDUCED, STANDARD, Place, need
from tests.support.sandboxes import place as open_place
from tests.support.specs import king_spec

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

ASK = """
import json, os, sys
import fakenet
found = {"prefix": sys.prefix, "version": sys.version, "fakenet": fakenet.VERSION}
try:
    found["files"] = os.listdir(sys.argv[1])
except PermissionError:
    found["files"] = []
for name in ("numpy", "sqlmodel", "ratings", "engine", "bots", "arena.match"):
    try:
        __import__(name)
        found[name] = True
    except (ImportError, OSError):
        found[name] = False
print(json.dumps(found))
"""


@pytest.fixture(params=[STANDARD, REDUCED, "none"])
def level(request: pytest.FixtureRequest) -> str:
    return need(str(request.param))


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as place:
        yield place


async def ask(
    place: Place, level: str, settings: RuntimeSettings, name: str, manifest: str, files: dict[str, str], tmp_path: Path
) -> str:
    """What a bot of that runtime prints, found and started as the arena does it."""
    bot = tmp_path / "bot"
    bot.mkdir()
    text = f'schema = 1\nname = "b"\nruntime = "{name}"\n{manifest}\n'
    for path, content in {"bot.toml": text, **files}.items():
        (bot / path).write_text(content, encoding="utf-8")
    store = VersionStore(tmp_path / "home" / "arena.bots")
    programs = StoredPrograms(store, runtimes=RuntimeCatalog(settings, tmp_path / "cache"))
    found = programs.find(store.add(bot).hash)
    scratch = place.directory / "scratch" / "1"
    environment = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "TMPDIR": str(scratch)}
    program = BotProgram(found.command, str(found.directory), environment, scratch, found.trees, found.environment)
    process = await start_confined(place.launcher, program, SandboxLimits(level))
    assert await process.wait(PATIENCE_S)
    output = await process.collect()
    assert output.stderr == ""
    return output.stdout


async def test_a_python_bot_runs_in_the_virtual_environment_of_its_runtime(
    place: Place, level: str, tmp_path: Path
) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==7.1")
    manifest = f'command = ["python", "main.py", "{tmp_path}"]'
    said: dict[str, Any] = json.loads(
        await ask(place, level, settings_for(venv), NAME, manifest, {"main.py": ASK}, tmp_path)
    )
    assert (said["prefix"], said["version"], said["fakenet"]) == (str(venv), sys.version, "7.1")
    assert (said["numpy"], said["sqlmodel"]) == (False, False), "those are the arena's"
    assert (said["engine"], said["bots"], said["arena.match"]) == (True, True, True)
    if level != "none":
        assert set(said["files"]) <= {"venv"}, "nothing else of this machine is seen"
        assert said["ratings"] is False


@pytest.mark.needs("node")
async def test_a_node_bot_finds_the_modules_of_its_runtime(place: Place, level: str, tmp_path: Path) -> None:
    program = shutil.which("node")
    assert program is not None
    if level == "reduced":
        pytest.skip("the reduced sandbox does not show what Node.js asks of the system")
    (tmp_path / "modules" / "left").mkdir(parents=True)
    (tmp_path / "modules" / "left" / "index.js").write_text("module.exports = 'from left'\n", encoding="utf-8")
    definition = RuntimeDefinition("js", RuntimeKind.NODE, program=Path(program), modules=tmp_path / "modules")
    files = {"main.js": "console.log(require('left'))\n"}
    settings = RuntimeSettings({"js": definition})
    assert await ask(place, level, settings, "js", 'command = ["node", "main.js"]', files, tmp_path) == "from left\n"


@pytest.mark.needs("sandbox")
async def test_a_bot_of_a_runtime_plays_a_whole_match(tmp_path: Path) -> None:
    level = "standard"
    venv = make_venv(tmp_path / "venv", "fakenet==7.1")
    settings = settings_for(venv, *lend_grpc(venv))
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text(
        f'schema = 1\nname = "b"\nruntime = "{NAME}"\ncommand = ["python", "main.py"]\n', encoding="utf-8"
    )
    (bot / "main.py").write_text(
        "import sys, fakenet\n"
        "from bots.kit import Bot, Decision, run\n"
        "class First(Bot):\n"
        "    def decide(self, decision):\n"
        "        decision.note = f'{fakenet.VERSION} {sys.prefix}'\n"
        "        return decision.legal_actions[0]\n"
        "run(First())\n",
        encoding="utf-8",
    )
    store = VersionStore(tmp_path / "home" / "arena.bots")
    found = StoredPrograms(store, runtimes=RuntimeCatalog(settings, tmp_path / "cache")).find(store.add(bot).hash)
    seats = [program_seat("b", "v", found, level, seat) for seat in range(3)]
    async with asyncio.timeout(PATIENCE_S), MatchHost() as host:
        report = await host.play(king_spec("m1", seats))
    assert report.result.faults == ()
    assert f"7.1 {venv}".encode() in zlib.decompress(report.replay)
