"""What `arena serve --check` finds, and which executors the settings ask for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.executor.local import LocalExecutor
from arena.executor.ray.executor import RayExecutor
from arena.hosting.procfs.machine import count_cores
from arena.service.home import make_home
from arena.service.lifecycle.checking import WARNED_BEFORE, check, check_certificate
from arena.service.lifecycle.process import ExecutorFactory
from arena.service.server.tls import LIFETIME, make_certificate
from arena.service.settings import ServiceSection, load_settings


def test_a_check_tells_that_bots_of_owners_could_not_run(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    checked = check(home, load_settings(home.settings_file, {"service.sandbox": "none"}, {}))
    assert checked.problems == ()
    (note,) = checked.notes
    assert note.startswith("bots of owners would wait: ")
    assert "leave out `--sandbox none`" in note


def test_a_check_tells_of_a_certificate_before_it_expires(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    make_certificate(home.tls, [])
    end = datetime.now(UTC) + LIFETIME
    assert check_certificate(home, "", end - WARNED_BEFORE - timedelta(days=1)) == ([], [])
    problems, (note,) = check_certificate(home, "", end - WARNED_BEFORE)
    assert problems == []
    assert "expires in 59 days; remove " in note
    (problem,), notes = check_certificate(home, "", end)
    assert notes == []
    assert "has expired" in problem


def test_a_check_tells_of_a_certificate_that_is_none(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    (tmp_path / "cert.pem").write_text("nothing of the kind")
    (problem,) = check(
        home, load_settings(home.settings_file, {"service.tls_certificate": str(tmp_path / "cert.pem")}, {})
    ).problems
    assert "is no certificate in PEM" in problem


def test_a_check_tells_that_remote_bots_need_a_certificate(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.play_address": "127.0.0.1:7735"}, {})
    assert any(note.startswith("remote bots need a certificate") for note in check(home, settings).notes)
    make_certificate(home.tls, [])
    assert not any("remote bots" in note for note in check(home, settings).notes)


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
    cluster = section.model_copy(update={"executor": "ray", "ray_address": "head:6379", "workers": 5})
    maker = ExecutorFactory(cluster, said.append)
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
