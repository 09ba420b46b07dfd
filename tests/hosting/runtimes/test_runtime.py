"""What a runtime is, and that a bot really runs in the one that it names, at every level of the sandbox."""

from __future__ import annotations

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
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import (
    RuntimeDefinition,
    RuntimeKind,
    RuntimeSettings,
    RuntimeSettingsError,
    parse_runtimes,
    read_runtimes,
)
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.spec import program_seat
from arena.worker.match_host import MatchHost
from tests.support.patience import PATIENCE_S
from tests.support.pythons import NAME, lend_grpc, make_venv, settings_for
from tests.support.sandboxes import REDUCED, STANDARD, Place, need
from tests.support.sandboxes import place as open_place
from tests.support.specs import king_spec
from tests.support.texts import CHARACTERS

FULL = """
[runtimes.python-ml]
kind = "python"
venv = "/srv/venvs/ml"

[runtimes.js]
kind = "node"
program = "/usr/bin/node"
modules = "/srv/node_modules"

[runtimes.blas]
kind = "native"
trees = ["/opt/blas", "/opt/fftw"]
"""


def refusal(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuntimeSettingsError) as caught:
        read_runtimes(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path}: ")


def test_a_file_with_every_kind_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runtimes.toml"
    path.write_text(f"\ufeff{FULL}", encoding="utf-8")  # with a byte-order mark, as some editors write it
    blas, fftw = Path("/opt/blas"), Path("/opt/fftw")
    modules = Path("/srv/node_modules")
    assert read_runtimes(path).definitions == {
        "python-ml": RuntimeDefinition("python-ml", RuntimeKind.PYTHON, venv=Path("/srv/venvs/ml")),
        "js": RuntimeDefinition("js", RuntimeKind.NODE, program=Path("/usr/bin/node"), modules=modules),
        "blas": RuntimeDefinition("blas", RuntimeKind.NATIVE, trees=(blas, fftw)),
    }


def test_a_definition_says_in_a_table_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "runtimes.toml").write_text(FULL, encoding="utf-8")
    settings = read_runtimes(tmp_path / "runtimes.toml")
    tables = {name: definition.table() for name, definition in settings.definitions.items()}
    assert parse_runtimes(tables, place="another machine") == settings
    assert RuntimeCatalog(settings, tmp_path).tables() == tables


def test_no_table_defines_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").touch()
    assert read_runtimes(tmp_path / "empty.toml").definitions == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("runtime = 1", "unknown key 'runtime'; did you mean 'runtimes'?"),
        ("runtimes = 1", "runtimes is 1; write a table [runtimes.NAME] for each"),
        ("[runtimes]\nx = 1", "[runtimes.x]: is 1 and no table"),
        ("[runtimes.X]", "[runtimes.X]: a runtime is called 1 to 40 of a-z"),
        ("[runtimes.arena]", "[runtimes.arena]: 'arena' is always there and cannot be defined anew"),
        ("[runtimes.bundled]", "[runtimes.bundled]: 'bundled' is always there"),
        ("[runtimes.x]", "[runtimes.x]: kind is missing; the kinds are python, node, native"),
        ('[runtimes.x]\nkind = "pyton"', "[runtimes.x]: kind is 'pyton'; did you mean 'python'?"),
        ('[runtimes.x]\nkind = "arena"', "[runtimes.x]: kind is 'arena'; the kinds are"),
        ('[runtimes.x]\nkind = "python"', "[runtimes.x]: a runtime of kind 'python' needs the key 'venv'"),
        ('[runtimes.x]\nkind = "node"', "[runtimes.x]: a runtime of kind 'node' needs the key 'program'"),
        ('[runtimes.x]\nkind = "python"\nvenvs = "/a"', "[runtimes.x]: unknown key 'venvs'; did you mean 'venv'?"),
        ('[runtimes.x]\nkind = "native"\nvenv = "/a"', "[runtimes.x]: unknown key 'venv'; the keys are kind, trees"),
        ('[runtimes.x]\nkind = "python"\nvenv = "venv"', "[runtimes.x] venv is 'venv'; write a full path"),
        ('[runtimes.x]\nkind = "python"\nvenv = "/a/../b"', "[runtimes.x] venv is '/a/../b', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = ["/"]', "[runtimes.x] trees is '/', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = ["/root/"]', "[runtimes.x] trees is '/root/', which bots may not see"),
        ('[runtimes.x]\nkind = "native"\ntrees = "/a"', "[runtimes.x] trees is '/a'; write a list of directories"),
        ("[runtimes", "is not valid TOML"),
    ],
)
def test_a_wrong_line_is_named_with_its_remedy(tmp_path: Path, text: str, complaint: str) -> None:
    assert refusal(tmp_path / "runtimes.toml", text).startswith(complaint)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "runtimes.toml").write_bytes(FULL.encode("utf-16"))
    with pytest.raises(RuntimeSettingsError, match=r"is not UTF-8 text \(byte 0\); save it as UTF-8"):
        read_runtimes(tmp_path / "runtimes.toml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeSettingsError, match=r"nowhere\.toml: cannot be read"):
        read_runtimes(tmp_path / "nowhere.toml")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(CHARACTERS)
    | st.sampled_from(["python", "node", "native", "/srv/x"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    max_leaves=5,
)
keys = st.sampled_from(["kind", "venv", "program", "modules", "trees"]) | st.text(CHARACTERS)


@settings(max_examples=12)
@given(st.dictionaries(st.text(CHARACTERS, max_size=5) | st.just("ml"), st.dictionaries(keys, values) | values))
def test_whatever_they_hold_tables_are_read_or_refused_in_one_line(tables: dict[str, Any]) -> None:
    try:
        known, complaint = set(parse_runtimes(tables, place="x").definitions), "x: "
    except RuntimeSettingsError as error:
        known, complaint = set(tables), str(error)
    assert known == set(tables)
    assert complaint.startswith("x: ")


sandboxed = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

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


@sandboxed
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


@sandboxed
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


@sandboxed
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
