"""The command line of a cluster, without one: what makes no sense is refused before anything is written."""

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli.shared.hosting import read_hosting
from arena.executor.interface import ExecutorFailedError
from arena.executor.ray import session
from arena.executor.ray.address import Head
from arena.executor.ray.executor import RayExecutor
from arena.executor.ray.options import RayOptions
from tests.cli.support import Arena

ORDER = ("tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--bots", "ada,bob")


SENSELESS: list[tuple[tuple[str, ...], str]] = [
    (("--executor", "dask"), "--executor 'dask' is none; use local or ray"),
    (("--address", "127.0.0.1:1"), "--address names a cluster, and matches are played here; add --executor ray"),
    (("--executor", "ray", "--address", "nonsense"), "'nonsense' is no address of a head of Ray"),
]


def test_what_makes_no_sense_is_refused_before_anything_is_written(table: Arena) -> None:
    assert table.misses(([*ORDER, *words], said) for words, said in SENSELESS) == []
    assert table("tournament", "list", "--json").json == []


@pytest.mark.needs("ray")
def test_where_no_head_answers_the_remedy_goes_on_at_the_same_cluster(table: Arena) -> None:
    ended = table(*ORDER, "--executor", "ray", "--address", "127.0.0.1:1")
    assert ended.code == 1
    assert "no head of Ray answers at 127.0.0.1:1; start a head" in ended.err
    assert "tournament resume round-robin-1 --executor ray --address 127.0.0.1:1" in ended.err
    assert "Traceback" not in ended.err
    shown = table("cluster", "show", "--address", "127.0.0.1:1")
    assert (shown.code, shown.out) == (1, "")
    assert shown.err.count("\n") == 1


def test_the_settings_say_where_matches_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_hosting().place == ()
    monkeypatch.setenv("ARENA_EXECUTOR", "ray")
    monkeypatch.setenv("ARENA_RAY_ADDRESS", "head:6379")
    hosting = read_hosting()
    assert (hosting.executor, hosting.address, hosting.place) == ("ray", "head:6379", ())
    assert read_hosting(executor="local", address="auto").place == ("--executor", "local", "--address", "auto")


async def test_without_ray_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def find(name: str) -> Any:
        if name == "ray":
            raise ModuleNotFoundError("No module named 'ray'")
        return real(name)

    monkeypatch.setattr("arena.executor.ray.library.importlib.import_module", find)
    with pytest.raises(ExecutorFailedError, match=r"install it: pip install 'kingmaker-arena\[ray\]'"):
        async with RayExecutor(RayOptions("127.0.0.1:6379")):
            pass


async def test_a_machine_that_is_not_in_the_cluster_is_told_how_to_join_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def find(_: str) -> Head:
        return Head("head:6379", is_closed=False)

    parts = SimpleNamespace(find_node_ids=list)
    monkeypatch.setattr(session, "load_ray", lambda: None)
    monkeypatch.setattr(session, "find_head", find)
    monkeypatch.setattr(session, "part_of_ray", lambda _: parts)
    with pytest.raises(ExecutorFailedError, match="not in the cluster; `ray start --address head:6379` joins it"):
        async with RayExecutor(RayOptions("head:6379")):
            pass
