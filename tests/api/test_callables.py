"""What a program gives as a bot becomes one: files that another process plays by."""

import importlib
import runpy
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from arena.api import Arena, CallableError, Entrant, MissingPackageError
from arena.hosting.manifest import load_manifest
from arena.scripting.callables import PROGRAM_NAME, PackedCallable, pack
from arena.scripting.pickling import fingerprint_of
from bots.algorithms.greedy import GreedyBot
from bots.kit import Bot, Decision
from tests.api import players
from tests.api.players import GIVEN, FirstBot, PlaceBot, at, first
from tests.support.patience import PATIENCE_S

LONG = f"{PATIENCE_S:g}s"
ASK = """
import runpy, sys, types
for program in sys.argv[1:]:
    found = runpy.run_path(program)["load"]()
    print(type(found).__mro__[-3].__name__, found.decide(types.SimpleNamespace(legal_actions=[10, 11, 12])))
"""
SCRIPT = """
from arena.scripting.callables import pack
from beside_the_script import pick

PLACE = 2

def mine(decision):
    return pick(decision.legal_actions, PLACE)

packed = pack(mine)
"""
SAME_IN_EACH_SESSION = """
import sys
from bots.kit import Bot
from arena.scripting.pickling import fingerprint_of

WEIGHTS = {"king": 2.5, "disc": [1, 2, 3]}

def score(action):
    return WEIGHTS["king"] * action

class Scorer(Bot):
    def __init__(self, depth):
        self.depth = depth

    def decide(self, decision):
        return max(decision.legal_actions, key=lambda action: score(action) + self.depth)

print(fingerprint_of(Scorer), fingerprint_of(Scorer(2)), fingerprint_of(lambda decision: Scorer(1).decide(decision)))
"""


def test_another_process_plays_as_the_program_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {what: (pack(Entrant(given, name="given")), place) for what, (given, place) in GIVEN.items()}
    bots["a function of a script"] = packed_by_script(tmp_path / "script", monkeypatch), 2
    for what, (packed, _) in bots.items():
        (tmp_path / what).mkdir()
        packed.write(tmp_path / what)
    words = [sys.executable, "-c", ASK, *(str(tmp_path / what / PROGRAM_NAME) for what in bots)]
    told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path).stdout.splitlines()
    assert dict(zip(bots, told, strict=True)) == {what: f"Bot {10 + place}" for what, (_, place) in bots.items()}


def packed_by_script(directory: Path, monkeypatch: pytest.MonkeyPatch) -> PackedCallable:
    """A bot that a script without a guard packs, with what it needs of a module beside it."""
    directory.mkdir()
    (directory / "beside_the_script.py").write_text("def pick(ids, place):\n    return ids[place]\n", encoding="utf-8")
    (directory / "study.py").write_text(SCRIPT, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(directory)
        packed: PackedCallable = runpy.run_path(str(directory / "study.py"), run_name="__main__")["packed"]
    del sys.modules["beside_the_script"]
    return packed


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (first, "first"),
        (FirstBot, "first-bot"),
        (PlaceBot(3), "place-bot"),
        (at(1), "chosen"),
        (lambda decision: decision.legal_actions[0], "lambda"),
        (GIVEN["a partial function"][0], "picked"),
        (GIVEN["an object that can be called"][0], "called"),
        (Entrant(first, name="mine"), "mine"),
    ],
)
def test_a_bot_is_called_by_its_own_name_unless_it_gets_another(given: Any, name: str) -> None:
    assert pack(given).name == name


def test_what_is_said_of_a_callable_stands_in_its_manifest(tmp_path: Path) -> None:
    entrant = Entrant(first, name="mine", memory_mb=64, deterministic=True, games=("foreign_king",))
    pack(entrant).write(tmp_path)
    manifest = load_manifest(tmp_path)
    assert (manifest.name, manifest.memory_mb, manifest.deterministic) == ("mine", 64, True)
    assert manifest.games == ("foreign_king",)


def test_what_is_installed_goes_by_its_name_and_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    assert b"bots.algorithms.greedy" in pack(Entrant(GreedyBot, name="mine")).files["bot.pickle"]


def test_what_the_program_itself_defines_needs_a_package_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(
        MissingPackageError, match=r"first .* cloudpickle .*: pip install 'kingmaker-arena\[research\]'"
    ):
        pack(first)


class _Abstract(Bot):
    pass


class _NoBot:
    pass


class _Raising:
    """It can be called, and little else."""

    def __call__(self, decision: Decision) -> int:
        return decision.legal_actions[0]

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"nobody\nasks for {name}")


class _Incomparable:
    def __call__(self, decision: Decision) -> int:
        return decision.legal_actions[0]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not to be compared")


async def later(decision: Decision) -> int:
    return 0


def holds_a_lock() -> Any:
    lock = threading.Lock()

    def decide(decision: Decision) -> int:
        with lock:
            return decision.legal_actions[0]

    return decide


def test_what_raises_when_it_is_looked_at_is_refused_in_a_line() -> None:
    with pytest.raises(
        CallableError, match=r"_Raising cannot be looked at \(RuntimeError: nobody asks for func\); give"
    ):
        pack(_Raising())
    with pytest.raises(CallableError, match=r"what is in odd cannot be looked at \(RuntimeError: not to be compared\)"):
        pack(Entrant(_Incomparable(), name="odd"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            holds_a_lock(),
            "decide cannot be pickled .* cannot pickle '_thread.lock' object.*; make what it needs within it",
        ),
        (lambda: 0, "lambda cannot be called with one argument, the decision; write it as"),
        (later, "later is async or a generator, and a bot answers at once; write a plain function"),
        (_Abstract, "a bot without `decide`; write that method"),
        (_NoBot, "a class that is no bot; derive it from bots.kit.Bot"),
        (PlaceBot, "place-bot is a class whose objects need arguments; give an object of it"),
        (Entrant(3, name="three"), "three is no callable and no bot; give a function of a decision"),
        (Entrant(first, name="My Bot"), "a bot cannot be called 'My Bot'; name it with Entrant"),
        (Entrant(first, name=""), "a bot cannot be called ''; name it with Entrant"),
    ],
)
def test_what_can_be_no_bot_is_refused_in_a_line(given: Any, message: str) -> None:
    with pytest.raises(CallableError, match=message) as refusal:
        pack(given)
    assert "\n" not in str(refusal.value)


def test_equal_callables_have_one_fingerprint_in_every_session(tmp_path: Path) -> None:
    printed = []
    for number, name in enumerate(("one.py", "two.py")):
        (tmp_path / name).write_text("\n" * number + SAME_IN_EACH_SESSION, encoding="utf-8")
        words = [sys.executable, str(tmp_path / name)]
        finished = subprocess.run(words, capture_output=True, text=True, check=True)
        printed.append(finished.stdout.split())
    assert printed[0] == printed[1]
    assert len(set(printed[0])) == 3
    assert "None" not in printed[0]


def test_another_value_that_it_names_makes_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_of(first), fingerprint_of(FirstBot)
    assert fingerprint_of(at(1)) != fingerprint_of(at(2))
    assert fingerprint_of(PlaceBot(1)) != fingerprint_of(PlaceBot(2))
    monkeypatch.setattr(players, "PLACE", 1)
    assert all(new != old for new, old in zip((fingerprint_of(first), fingerprint_of(FirstBot)), before, strict=True))


def test_a_callable_that_is_given_again_is_the_same_version(table: Arena) -> None:
    versions = [table.add(bot) for bot in (FirstBot, FirstBot, Entrant(PlaceBot(1), name="first-bot"), FirstBot)]
    assert [version.number for version in versions] == [1, 1, 2, 1]
    assert [version.new for version in versions] == [True, False, True, False]


def test_a_callable_takes_no_name_of_another_kind_of_bot(table: Arena, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/bot.toml").write_text('schema = 1\nname = "own"\ncommand = ["python", "main.py"]\n')
    (tmp_path / "own/main.py").touch()
    table.add(tmp_path / "own")
    for name in ("greedy", "own"):
        with pytest.raises(CallableError, match=f"is called '{name}'; name yours with Entrant"):
            table.add(Entrant(first, name=name))


def test_two_callables_of_one_name_are_told_apart_first(table: Arena) -> None:
    both = [lambda decision: decision.legal_actions[0], lambda decision: decision.legal_actions[-1]]
    with pytest.raises(CallableError, match="two callables are called 'lambda'; name them with Entrant"):
        table.match("foreign_king", both)
    assert len(table.bots()) == 0, "none was added before they were all looked at"


def test_a_bot_made_by_another_python_says_so(tmp_path: Path) -> None:
    packed = pack(first)
    packed.files[PROGRAM_NAME] = packed.files[PROGRAM_NAME].replace(repr(sys.version_info[:2]).encode(), b"(3, 4)")
    packed.write(tmp_path)
    finished = subprocess.run([sys.executable, PROGRAM_NAME], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert finished.returncode == 1
    assert finished.stderr.startswith("this bot was made by Python (3, 4), and this is")
    assert finished.stderr.count("\n") == 1


@pytest.mark.needs("sandbox")
def test_a_callable_plays_in_a_sandbox_like_every_bot(tmp_path: Path) -> None:
    with Arena(tmp_path / "kept.db", workers=1, sandbox="strict") as arena:
        played = arena.match("foreign_king", [FirstBot, first], clock=LONG, start_limit=LONG, seed=1)
    assert played.faults == ()
    assert played.detail.sandbox == "strict"


def test_what_the_program_registered_with_cloudpickle_stays_registered() -> None:
    cloudpickle: Any = importlib.import_module("cloudpickle")
    cloudpickle.register_pickle_by_value(players)
    try:
        pack(lambda decision: players.first(decision))
        assert players.__name__ in cloudpickle.list_registry_pickle_by_value()
    finally:
        cloudpickle.unregister_pickle_by_value(players)
    pack(lambda decision: players.first(decision))
    assert players.__name__ not in cloudpickle.list_registry_pickle_by_value()


def test_several_threads_make_bots_at_once() -> None:
    ready, errors = threading.Barrier(4), []

    def make() -> None:
        ready.wait()
        try:
            for place in range(4):
                pack(at(place))
        except CallableError as error:
            errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
