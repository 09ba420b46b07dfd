"""Which bots can play beside a caller: what is found, and what is said of the others in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.adapters.bot_host import BotUnavailableError, find_seat
from arena.cli.app import run
from arena.hosting.sandbox.limits import SandboxPolicy
from tests.adapters.beside import write_bot

FIRST = "return decision.legal_actions[0]"


@pytest.fixture(autouse=True)
def _own_copies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def refusal(wanted: Mapping[str, str]) -> str:
    with pytest.raises(BotUnavailableError) as told:
        await find_seat(wanted, "foreign_king", SandboxPolicy(None))
    assert "\n" not in str(told.value)
    return str(told.value)


async def test_a_version_of_a_database_sits_down_and_another_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(tmp_path / "arena.db")
    assert run(["bot", "add", str(write_bot(tmp_path / "mine", FIRST)), "--db", db]) == 0
    capsys.readouterr()
    found = await find_seat({"bot": "mine", "db": db}, "foreign_king", SandboxPolicy(None))
    assert found.name == "mine"
    assert (await refusal({"bot": "hers", "db": db})).startswith("hers: no bot 'hers'; there are: mine")
    other = await refusal({"bot": "mine@ffffffffff", "db": db})
    assert other.startswith("mine@ffffffffff: bot 'mine' has no version 'ffffffffff'")
    nowhere = await refusal({"bot": "mine", "db": str(tmp_path / "nowhere.db")})
    assert nowhere.startswith("mine: ")
    assert "nowhere.db" in nowhere


async def test_a_sample_or_a_directory_sits_down_and_what_is_neither_is_told(tmp_path: Path) -> None:
    found = await find_seat({"bot": "random"}, "foreign_king", SandboxPolicy(None))
    assert found.name == "random"
    missing = await refusal({"bot": "greedi"})
    assert missing.startswith("there is no sample bot and no directory 'greedi'; the samples are")
    (tmp_path / "empty").mkdir()
    assert "bot.toml" in await refusal({"bot": str(tmp_path / "empty")})
    other = write_bot(tmp_path / "other", FIRST, games='["chess"]')
    assert "other does not play foreign_king; its bot.toml names: chess" in await refusal({"bot": str(other)})
