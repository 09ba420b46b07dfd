"""Which executors a service makes, and how many matches it plays at once with them."""

from pathlib import Path

import pytest

from arena.executor.local import LocalExecutor
from arena.executor.ray.executor import RayExecutor
from arena.hosting.procfs.machine import count_cores
from arena.service.lifecycle.executors import ExecutorFactory
from arena.service.settings import ServiceSection, load_settings


@pytest.fixture
def section(tmp_path: Path) -> ServiceSection:
    return load_settings(tmp_path / "settings.toml", {}, {}).values.service


async def test_by_default_matches_are_played_here_one_for_each_core(section: ServiceSection) -> None:
    maker = ExecutorFactory(section)
    assert maker.slots() == count_cores()
    made = maker.make()
    assert isinstance(made, LocalExecutor)
    assert made.slots() == count_cores()
    assert ExecutorFactory(section.model_copy(update={"workers": 3})).slots() == 3
    assert ExecutorFactory(section.model_copy(update={"workers": 3})).most() == 3


async def test_a_cluster_plays_as_many_as_it_says(section: ServiceSection, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    maker = ExecutorFactory(
        section.model_copy(update={"executor": "ray", "ray_address": "head:6379", "workers": 5}), said.append
    )
    assert maker.slots() == 1  # until it has told
    assert maker.most() == 5
    made = maker.make()
    assert isinstance(made, RayExecutor)
    assert (made._options.address, made._options.workers) == ("head:6379", 5)
    monkeypatch.setattr(made, "slots", lambda: 7)
    assert maker.slots() == 7
    made._options.report("machine a was lost")
    assert said == ["machine a was lost"]


async def test_without_an_address_ray_finds_its_head(section: ServiceSection) -> None:
    made = ExecutorFactory(section.model_copy(update={"executor": "ray"})).make()
    assert isinstance(made, RayExecutor)
    assert made._options.address == ""
